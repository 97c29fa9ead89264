import * as Effect from "effect/Effect"
import { constTrue, identity } from "effect/Function"
import * as Option from "effect/Option"
import { isNotNullish, isObject } from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaParser from "effect/SchemaParser"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { declareForm, lenient } from "./derivedDecoder.ts"
import { sanitizer } from "./sanitizer.ts"
import { once } from "./values.ts"

/** Any string. The type lists known values for completion in editors. */
export type Open<Known extends string> = Known | (string & {})

export type Words<Text extends string, Before extends string = never> = Text extends `${infer Word} ${infer After}`
  ? Words<After, Before | Word>
  : Before | Text

/** The schema of an `Open` string. Its check always passes, and identifies the schema to test generators. */
export const open = <Value extends string>() =>
  Schema.make<Schema.Codec<Value, string>>(Schema.String.check(Schema.makeFilter(constTrue)).ast)

/** A status or message from the service. Decoding removes secrets. */
export const Reported = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transformEffect<string, string>({
      decode: (text) => Effect.map(sanitizer, ({ fit }) => fit(text)),
      encode: Effect.succeed
    })
  )
)

/** Makes a function that maps a state to the known word, regardless of case, and returns other values unchanged. */
export const stateOf = (words: string) => {
  const known = words.split(" ")
  return (sent: string): string => known.find((word) => word === sent.toLowerCase()) ?? sent
}

/** Transforms only on decoding; encodes values unchanged. */
export const onDecode = <T extends E, E>(decode: (sent: E) => T) =>
  SchemaTransformation.transform<T, E>({ decode, encode: identity })

/** An open set of states, decoded like {@link Reported}. */
export const reportedState = <Value extends string>(words: string) =>
  Reported.pipe(
    Schema.decode(onDecode(stateOf(words))),
    Schema.refine((_value): _value is Value => true)
  )

/** An optional field, such as the cursor of the next page. `null` counts as absent; an unreadable value fails decoding. */
export const absent = <S extends Schema.Constraint>(schema: S) =>
  Schema.optional(Schema.NullOr(schema)).pipe(
    Schema.decodeTo(
      Schema.optionalKey(Schema.toType(schema)),
      SchemaTransformation.transformOptional<S["Type"], S["Type"] | null | undefined>({
        decode: Option.filter(isNotNullish),
        encode: identity
      })
    )
  )

/** {@link absent} with a default. */
export const absentAs = <S extends Schema.Constraint>(schema: S, value: S["Type"]) =>
  Schema.optionalKey(Schema.NullOr(schema)).pipe(
    Schema.decodeTo(
      Schema.toType(schema),
      SchemaTransformation.transformOptional<S["Type"], S["Type"] | null>({
        decode: (field) => Option.some(Option.getOrElse(Option.filter(field, isNotNullish), () => value)),
        encode: identity
      })
    )
  )

const anything: Schema.Codec<unknown> = Schema.Any

/** The encoded side of a lenient field: accepts anything. The OpenAPI document contains only `described`. */
const openWire = <E>(described: Schema.Codec<E>) => Schema.Union([anything, described])

const promised = <T, E>(schema: Schema.Codec<T, E>) => Schema.optionalKey(openWire(Schema.toEncoded(schema)))

const unpromised = <T, E>(schema: Schema.Codec<T, E>) =>
  Schema.optionalKey(openWire(Schema.NullOr(Schema.toEncoded(schema))))

const booleans = new Map<unknown, boolean>([["true", true], ["false", false], [1, true], [0, false]])

/**
 * Decodes leniently: `null` and absence become `none`, an invalid value becomes `unreadable`. Effectful, because {@link Reported}
 * removes the call's secrets.
 */
const reading = <T, E>(
  schema: Schema.Codec<T, E>,
  none: Option.Option<T> = Option.none(),
  unreadable = none
): SchemaTransformation.Transformation<T, unknown> => {
  const checked = once(() => Option.liftPredicate(Schema.is(schema)))
  const instead = (sent: unknown) =>
    sent === null ? none : Option.orElse(checked()(booleans.get(sent)), () => unreadable)
  const decoded = once(() => SchemaParser.decodeUnknownEffect(Schema.toCodecJson(schema)))
  const encoded = once(() => Option.map(Schema.encodeSync(schema)))
  const transformation = SchemaTransformation.makeTransformation<T, unknown>({
    // Without an encoding, a check suffices.
    decode: SchemaAST.toEncoded(schema.ast) === schema.ast
      ? SchemaGetter.transformOptional((sent) =>
        Option.isNone(sent) ? none : Option.orElse(checked()(sent.value), () => instead(sent.value))
      )
      : SchemaGetter.transformOptionalEffect((sent) =>
        Option.isNone(sent)
          ? Effect.succeed(none)
          : Effect.matchEager(decoded()(sent.value), { onFailure: () => instead(sent.value), onSuccess: Option.some })
      ),
    encode: SchemaGetter.transformOptional((value) => encoded()(value))
  })
  return declareForm(
    transformation,
    lenient(schema.ast, Option.getOrUndefined(none), (sent) => Option.getOrUndefined(instead(sent)))
  )
}

/**
 * A required field that the client does not need: absent, `null` or unreadable values decode to an absent key. Required in the OpenAPI document.
 */
export const informative = <T, E>(schema: Schema.Codec<T, E>) =>
  promised(schema).pipe(Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), reading(schema)))

/** {@link informative} with a default. */
export const informativeAs = <T, E>(schema: Schema.Codec<T, E>, value: NoInfer<T>) =>
  promised(schema).pipe(Schema.decodeTo(Schema.toType(schema), reading(schema, Option.some(value))))

/** {@link informative} for a field that the API does not require. */
export const occasional = <T, E>(schema: Schema.Codec<T, E>) =>
  unpromised(schema).pipe(Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), reading(schema)))

/** {@link occasional} with a default. */
export const occasionalAs = <T, E>(schema: Schema.Codec<T, E>, value: NoInfer<T>) =>
  unpromised(schema).pipe(Schema.decodeTo(Schema.toType(schema), reading(schema, Option.some(value))))

/**
 * {@link occasional} for contents: `none` if absent, an absent key if unreadable, because a caller might replace contents that look empty.
 */
export const contents = <T, E>(schema: Schema.Codec<T, E>, none: NoInfer<T>) =>
  unpromised(schema).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), reading(schema, Option.some(none), Option.none()))
  )

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the object that the schema reads
const isObjectOf = <E>(sent: unknown): sent is E => isObject(sent)

/** An object of informative fields. Any other value is decoded as `{}`. */
export const informativeObject = <T, E>(schema: Schema.Codec<T, E>) =>
  openWire(Schema.toEncoded(schema)).pipe(
    Schema.decodeTo(
      schema,
      onDecode<E, unknown>((sent) =>
        isObjectOf<E>(sent) ? sent : Schema.encodeSync(schema)(Schema.decodeUnknownSync(schema)({}))
      )
    )
  )

export const formBoolean = Schema.Literals(["0", "1"]).transform([false, true])

/** A list in a form: one field with comma-separated items, or a repeated field. */
export const formList = <S extends Schema.Codec<string>>(item: S) =>
  Schema.Array(Schema.String).pipe(
    Schema.decodeTo(
      Schema.Array(item.check(Schema.isPattern(/^[^,]+$/))),
      SchemaTransformation.transform<ReadonlyArray<string>, ReadonlyArray<string>>({
        decode: (fields) => fields.flatMap((field) => field.split(",")).filter((field) => field !== ""),
        encode: (items) => [items.join(",")]
      })
    )
  )

/** The flattened members of a union; for another schema, the schema itself. */
export const alternatives = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  SchemaAST.isUnion(ast)
    ? ast.types.flatMap(alternatives)
    : SchemaAST.isSuspend(ast)
    ? alternatives(ast.thunk())
    : [ast]
