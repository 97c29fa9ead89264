/** Structs and bodies with camelCase fields that are snake_case on the wire. */
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { declareForm, structOf } from "./derivedDecoder.ts"
import type { Content, Download, Multipart } from "./endpoint.ts"

type Fields = { readonly [name: string]: Schema.ConstraintCodec<unknown, unknown> }

type Names = { readonly [name: string]: string }

type Snake<Name> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : Name

/** Wire names that are not the snake_case form of the field. */
type Exceptions<F, N> = {
  readonly [Name in keyof N]: Name extends keyof F ? N[Name] extends Snake<Name> ? never : N[Name] : never
}

type WireName<Name, N> = (Name extends keyof N ? N[Name] : Snake<Name>) & string

// Mapped types, because declaration files then list plain fields.
type Decoded<F extends Fields, T = Schema.Struct.Type<F>> = { readonly [Name in keyof T]: T[Name] }
type Encoded<F extends Fields, N, E = Schema.Struct.Encoded<F>> = {
  readonly [Name in keyof E as WireName<Name, N>]: E[Name]
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const renamed = (fields: Fields, exceptions: Names = {}): Schema.Schema<Readonly<Record<string, unknown>>> => {
  const names = Object.keys(fields).map((name) => [name, exceptions[name] ?? snake(name)] as const)
  const others = names.filter(([name, wireName]) => name !== wireName)
  const schema = Schema.Struct(fields)
  if (others.length === 0) return schema
  const wireNames = Object.fromEntries(others)
  const encoded = schema.pipe(Schema.encodeKeys(wireNames))
  for (const { transformation } of encoded.ast.encoding ?? []) {
    declareForm(transformation, (ast, direction) => structOf(ast, wireNames, direction))
  }
  return encoded
}

/** Makes the schema of a path, a query or a part of a body. `exceptions` has wire names that are not snake_case. */
export function struct<const F extends Fields, const N extends Names = {}>(
  fields: F,
  exceptions?: N & Exceptions<F, N>
): Schema.Codec<Decoded<F>, Encoded<F, N>>
export function struct(fields: Fields, exceptions?: Names): Schema.Top {
  return renamed(fields, exceptions)
}

/** A body as a base class, so that a subclass names the body's type. Declares only fields that programs read: a full schema type compiles slowly. */
export interface Body<Self, T, E> extends Schema.BottomLazyWithoutNew<SchemaAST.AST, Schema.Codec<Self, E>> {
  readonly "Type": Self
  readonly "Encoded": E
  readonly "DecodingServices": never
  readonly "EncodingServices": never
  new(_: never): T
}

function toBody<Self, T, E>(schema: Schema.Top): Body<Self, T, E>
function toBody(schema: Schema.Top): Schema.Top {
  return schema
}

/** A {@link struct} with a name in the OpenAPI description. `check` applies to the decoded value. */
export const body = <Self>() =>
<const F extends Fields, const N extends Names = {}>(
  name: string,
  fields: F,
  exceptions?: N & Exceptions<F, N>,
  check?: SchemaAST.Check<Decoded<F>>
): Body<Self, Decoded<F>, Encoded<F, N>> => {
  const schema = struct<F, N>(fields, exceptions)
  return toBody<Self, Decoded<F>, Encoded<F, N>>(
    (check === undefined ? schema : schema.check(check)).pipe(Schema.annotateEncoded({ identifier: name }))
  )
}

type Plain<T> = { readonly [Name in keyof T]: T[Name] }

/** Makes a base class from a schema other than a struct, so that a subclass names the type. */
export const opaque = <Self>() => <T, E>(schema: Schema.Codec<T, E>): Body<Self, Plain<T>, Plain<E>> =>
  toBody<Self, Plain<T>, Plain<E>>(schema)

export const form = <T>(schema: Schema.Codec<T, unknown>): Content<Schema.Codec<T, unknown>> => ({
  format: "Form",
  schema
})

export const multipart = <S extends Schema.Top>(schema: S): Content<Multipart<S>> => ({ format: "Multipart", schema })

export const withStatus = <T>(status: number, schema: Schema.Codec<T, unknown>): Content<Schema.Codec<T, unknown>> => ({
  format: "Json",
  schema,
  status
})

export const text = (contentType: string): Content<Schema.String> => ({
  format: "Text",
  schema: Schema.String,
  contentType
})

export const stream = <const H extends Schema.Struct.Fields>(headers: H): Content<Download<H>> => ({
  format: "Stream",
  schema: Schema.Struct(headers)
})
