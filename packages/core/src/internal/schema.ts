/** Schema building blocks that the models share. */
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import { isNotNullish } from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { words } from "./currentCall.ts"

/** A string whose known values complete in an editor; any other string passes too. */
export type Open<Known extends string> = Known | (string & {})

/** The schema of an `Open` string. The service adds values at any time, so nothing is refused. */
export const open = <Known extends string>() =>
  Schema.String.pipe(Schema.refine((_value): _value is Open<Known> => true))

/** A status or message of the service, decoded without secrets and fit to be printed. */
export const Said = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transformEffect<string, string>({
      decode: (text) => Effect.map(words, ({ fit }) => fit(text)),
      encode: Effect.succeed
    })
  )
)

/** The schema of an `Open` string that is decoded like {@link Said}. */
export const openSaid = <Known extends string>() => Said.pipe(Schema.refine((_value): _value is Open<Known> => true))

/** An optional field of a body. The service sends `null` where it means absent, so both decode to an absent key. */
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

/** A field of a body that has a default where it is absent or `null`. */
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

/** A boolean in a form (reference A3). */
export const formBoolean = Schema.Literals(["0", "1"]).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform<boolean, "0" | "1">({
      decode: (field) => field === "1",
      encode: (value) => value ? "1" : "0"
    })
  )
)

/** A list in a form: one field with commas, or the field repeated (reference A3). So an item has no comma. */
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
