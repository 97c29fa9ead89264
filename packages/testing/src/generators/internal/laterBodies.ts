/** Bodies of a later version of the service: the required fields are unchanged, all others may differ. */
import type * as LanguageServiceApi from "@effect-lingua/core/LanguageServiceApi"
import * as Arbitrary from "effect/Arbitrary"
import { isObject } from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { OperationName } from "../../faults/Fault.ts"
import { type Response, successOf } from "./contract.ts"
import * as Leaves from "./leaves.ts"

/** The operations with JSON responses, by default of the contract. */
export type JsonName<Known extends OperationName = LanguageServiceApi.OperationName> = Exclude<
  { [Name in Known]: Response<Name> extends object ? Name : never }[Known],
  "Documents.download"
>

type Path = ReadonlyArray<string>

/** A place in a body: a field that may change, with the type that it has today, or an object that may have one more. */
interface Place {
  readonly path: Path
  readonly today?: string
}

/** The replacement of a value; `undefined` leaves it out. */
const others: ReadonlyArray<unknown> = [undefined, null, "another", 0.5, true, {}, []]

/** Needs of a response that its schema leaves open: the language of a success, one address of two. */
const needed = new Set(["detected_language", "upload_url"])

const kindOf = (value: unknown): string => Array.isArray(value) ? "array" : value === null ? "null" : typeof value

const isOpen = (ast: SchemaAST.AST): boolean => SchemaAST.isUnion(ast) && ast.types.some(({ _tag }) => _tag === "Any")

/** True if a schema can be that of a value, judged by its outermost fields. */
const fits = (ast: SchemaAST.AST, value: unknown): boolean =>
  SchemaAST.isArrays(ast)
    ? Array.isArray(value)
    : SchemaAST.isObjects(ast) && isObject(value) &&
      ast.propertySignatures.every(({ name, type }) =>
        type.context?.isOptional === true || Object.hasOwn(value, String(name))
      )

const places = (ast: SchemaAST.AST, value: unknown, path: Path): ReadonlyArray<Place> => {
  if (SchemaAST.isUnion(ast)) {
    const member = ast.types.find((type) => SchemaAST.isUnion(type) || fits(type, value))
    return member === undefined ? [] : places(member, value, path)
  }
  if (SchemaAST.isArrays(ast) && Array.isArray(value)) {
    return value.flatMap((item, index) =>
      ast.rest[0] === undefined ? [] : places(ast.rest[0], item, [...path, `${index}`])
    )
  }
  if (!SchemaAST.isObjects(ast) || !isObject(value)) return []
  if (ast.indexSignatures.length > 0) return []
  const fields = ast.propertySignatures.flatMap(({ name, type }): ReadonlyArray<Place> => {
    const key = String(name)
    if (!Object.hasOwn(value, key)) return []
    const below = [...path, key]
    const here: ReadonlyArray<Place> = isOpen(type) && !needed.has(key)
      ? [{ path: below, today: kindOf(Reflect.get(value, key)) }]
      : []
    return [...here, ...places(type, Reflect.get(value, key), below)]
  })
  return [{ path }, ...fields]
}

/** The same body with one change, if the place is still there. */
const changed = (value: unknown, [key, ...rest]: Path, change: (value: unknown) => unknown): unknown => {
  if (key === undefined) return change(value)
  if (Array.isArray(value)) {
    return value.map((item, index) => String(index) === key ? changed(item, rest, change) : item)
  }
  if (!isObject(value) || !Object.hasOwn(value, key)) return value
  return { ...value, [key]: changed(Reflect.get(value, key), rest, change) }
}

const change = (body: unknown, { path, today }: Place, other: unknown): unknown =>
  changed(body, path, (value) =>
    today === undefined
      ? isObject(value) ? { ...value, a_later_field: other ?? {} } : value
      // Another value of the same type may be wrong: the id of another job.
      : today === kindOf(other)
      ? value
      : other)

export const laterBodies = (
  operation: OperationName,
  responses: Arbitrary.Arbitrary<unknown>
): Arbitrary.Arbitrary<string> => {
  const codec = Schema.toCodecJson(successOf(operation) ?? Schema.Unknown)
  const wire = SchemaAST.toEncoded(codec.ast)
  const write = Schema.encodeUnknownSync(codec)
  return Arbitrary.flatMap(responses, (response) => {
    const body = write(response)
    const open = places(wire, body, [])
    const changes = Schema.Struct({
      place: Leaves.int(0, Math.max(open.length - 1, 0)),
      other: Leaves.int(0, others.length - 1)
    })
    return Arbitrary.map(
      Arbitrary.schema(Schema.Array(changes).check(Schema.isMaxLength(8))),
      (chosen) =>
        JSON.stringify(chosen.reduce((body: unknown, { other, place }) => {
          const found = open[place]
          return found === undefined ? body : change(body, found, others[other])
        }, body))
    )
  })
}
