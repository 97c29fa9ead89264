/** Schema building blocks that the models share. */
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import { isNotNullish, isObject } from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaParser from "effect/SchemaParser"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { declareForm, derive, isPlain, unsure } from "./derivedDecoder.ts"
import { sanitizer } from "./sanitizer.ts"
import { once } from "./values.ts"

/** A string whose known values complete in an editor; any other string passes too. */
export type Open<Known extends string> = Known | (string & {})

/** The union of the words of a text with spaces between them. */
export type Words<Text extends string, Before extends string = never> = Text extends `${infer Word} ${infer After}`
  ? Words<After, Before | Word>
  : Before | Text

/** The least match of a segment of a translation memory. */
export const matchThreshold = Schema.Int.annotate({
  description: "Least match of a segment of the memory, from 0 to 100 percent; 75 or higher recommended."
})

/** The schema of an `Open` string. The service adds values at any time, so nothing is refused. */
export const open = <Value extends string>() => Schema.String.pipe(Schema.refine((_value): _value is Value => true))

/** A status or message of the service, decoded without secrets and safe to print. */
export const Reported = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transformEffect<string, string>({
      decode: (text) => Effect.map(sanitizer, ({ fit }) => fit(text)),
      encode: Effect.succeed
    })
  )
)

/** Makes the reader of a state: one of the words in any case of letters, or another value as it is sent. */
export const stateOf = (words: string) => {
  const known = words.split(" ")
  return (sent: string): string => known.find((word) => word === sent.toLowerCase()) ?? sent
}

/** The schema of a state with these words, or any other, which is decoded like {@link Reported}. */
export const reportedState = <Value extends string>(words: string) =>
  Reported.pipe(
    Schema.decode(SchemaTransformation.transform({ decode: stateOf(words), encode: identity })),
    Schema.refine((_value): _value is Value => true)
  )

/**
 * A field in which an unreadable value must not count as an absent one, such as the cursor of the next page. The service sends
 * `null` for an absent value, so both decode to an absent key.
 */
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

/** As `absent`, with a default where the field is absent or `null`. */
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

/**
 * The wire side of a value that is read if possible: anything, described by its schema. The description of the contract leaves
 * the first member out.
 */
const openWire = <E>(described: Schema.Codec<E>) => Schema.Union([anything, described])

const promised = <T, E>(schema: Schema.Codec<T, E>) => Schema.optionalKey(openWire(Schema.toEncoded(schema)))

const unpromised = <T, E>(schema: Schema.Codec<T, E>) =>
  Schema.optionalKey(openWire(Schema.NullOr(Schema.toEncoded(schema))))

/** Other forms of a boolean. */
const booleans = new Map<unknown, boolean>([["true", true], ["false", false], [1, true], [0, false]])

/**
 * Reads a value if possible; `none` stands for an absent one and for `null`. Decoding happens in the call of the
 * current fiber, as its secrets are removed from words.
 */
const reading = <T, E>(
  schema: Schema.Codec<T, E>,
  none: Option.Option<T> = Option.none(),
  unreadable = none
): SchemaTransformation.Transformation<T, unknown> => {
  // Made with the first value, as most schemas of the contract are not used by a program.
  const checked = once(() => Option.liftPredicate(Schema.is(schema)))
  const instead = (sent: unknown) =>
    sent === null ? none : Option.orElse(checked()(booleans.get(sent)), () => unreadable)
  const decoded = once(() => SchemaParser.decodeUnknownEffect(Schema.toCodecJson(schema)))
  const encoded = once(() => Option.map(Schema.encodeSync(schema)))
  const transformation = SchemaTransformation.makeTransformation<T, unknown>({
    // Most schemas only check, which is faster than decoding.
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
  return declareForm(transformation, (_, direction) => {
    const derived = direction === "decode" ? derive(schema.ast) : undefined
    return derived && ((sent) => {
      if (sent === undefined) return Option.getOrUndefined(none)
      const value = derived(sent)
      if (value !== unsure) return value
      return sent === null || isPlain(schema.ast) ? Option.getOrUndefined(instead(sent)) : unsure
    })
  })
}

/**
 * A field that is not needed to use a response, so that it cannot fail one: absent where the service does not send it, sends
 * `null`, or sends a value that is not understood. The interface promises it, so its description requires it.
 */
export const informative = <T, E>(schema: Schema.Codec<T, E>) =>
  promised(schema).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), reading(schema))
  )

/** As `informative`, with a default for an absent value. */
export const informativeAs = <T, E>(schema: Schema.Codec<T, E>, value: NoInfer<T>) =>
  promised(schema).pipe(
    Schema.decodeTo(Schema.toType(schema), reading(schema, Option.some(value)))
  )

/** As `informative`, for a field that the interface does not promise. */
export const occasional = <T, E>(schema: Schema.Codec<T, E>) =>
  unpromised(schema).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), reading(schema))
  )

/** As `occasional`, with a default for an absent value. */
export const occasionalAs = <T, E>(schema: Schema.Codec<T, E>, value: NoInfer<T>) =>
  unpromised(schema).pipe(
    Schema.decodeTo(Schema.toType(schema), reading(schema, Option.some(value)))
  )

/**
 * As `occasional`, for contents: `none` where the service sends nothing, absent where the value is not understood. Unknown
 * contents must not count as empty ones, which the caller might replace.
 */
export const contents = <T, E>(schema: Schema.Codec<T, E>, none: NoInfer<T>) =>
  unpromised(schema).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), reading(schema, Option.some(none), Option.none()))
  )

/** Its fields are left to its schema. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the object that the schema reads
const isObjectOf = <E>(sent: unknown): sent is E => isObject(sent)

/** An object of informative fields only: any other value counts as an object without fields. */
export const informativeObject = <T, E>(schema: Schema.Codec<T, E>) =>
  openWire(Schema.toEncoded(schema)).pipe(
    Schema.decodeTo(
      schema,
      SchemaTransformation.transform<E, unknown>({
        decode: (sent) => isObjectOf<E>(sent) ? sent : Schema.encodeSync(schema)(Schema.decodeUnknownSync(schema)({})),
        encode: identity
      })
    )
  )

/** A boolean in a form. */
export const formBoolean = Schema.Literals(["0", "1"]).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform<boolean, "0" | "1">({
      decode: (field) => field === "1",
      encode: (value) => value ? "1" : "0"
    })
  )
)

/** A list in a form: one field with commas, or the field repeated. So an item has no comma. */
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

/** The members of a union and of those within it; another schema is its only one. */
export const alternatives = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  SchemaAST.isUnion(ast)
    ? ast.types.flatMap(alternatives)
    : SchemaAST.isSuspend(ast)
    ? alternatives(ast.thunk())
    : [ast]
