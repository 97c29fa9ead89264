/** Schemas of single values with a meaning: each is made from small numbers, so that it shrinks to its first or shortest. */
import { DocumentKey } from "@effect-lingua/core/documents/DocumentsApi"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import { isString } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as Texts from "./sentences.ts"

/** A schema whose values are generated and shrunk in another form. */
export const formed = <A, S extends Schema.Constraint>(
  is: (value: unknown) => value is A,
  form: S,
  render: (value: S["Type"]) => A
) =>
  Schema.declare(is, {
    toCodecArbitrary: () =>
      Schema.link<A>()(form, {
        decode: SchemaGetter.transform(render),
        encode: SchemaGetter.forbidden(() => "one way")
      })
  })

/** A whole number of a range. */
export const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** One of some values; shrinks to the first. */
export const pick = (values: ReadonlyArray<string>) =>
  formed(isString, int(0, values.length - 1), (index) => values[index] ?? "")

/** The form of a text before its language is chosen. */
export const TextForm = Schema.Struct({
  fragments: Schema.Array(int(0, 5)).check(Schema.isMaxLength(4)),
  edge: int(0, Texts.edges.length - 1)
})

/** The same text with sentences that reveal their language, if it has any. */
export const unmistakable = ({ edge, fragments }: typeof TextForm.Type): typeof TextForm.Type => ({
  fragments: fragments.map((index) => Math.max(index, Texts.firstSentence)),
  edge: edge % Texts.letterlessEdges
})

/** Puts a text in words. */
export const render = (form: typeof TextForm.Type, language: string): string => {
  const words = Texts.fragments[language] ?? []
  return form.fragments.map((index) => words[index % words.length] ?? "").join(" ") + (Texts.edges[form.edge] ?? "")
}

const languages = Object.keys(Texts.fragments)

const anyText = (least: 0 | 1) =>
  Schema.Struct({
    ...TextForm.fields,
    fragments: Schema.Array(int(0, 5)).check(Schema.isMinLength(least), Schema.isMaxLength(4)),
    language: int(0, languages.length - 1)
  })

/** A text in any of the languages, empty ones included; shrinks to the empty text. */
export const text = formed(isString, anyText(0), (form) => render(form, languages[form.language] ?? ""))

/** One text in sixteen has the greatest length. */
const fullLength = 15

/** A text that is not empty and has at most some characters; shrinks to `a`. */
export const textUpTo = (characters: number) =>
  formed(
    isString,
    Schema.Struct({ ...anyText(1).fields, length: int(0, fullLength) }),
    (form) => {
      const points = Array.from(render(form, languages[form.language] ?? "")).slice(0, characters)
      const filler = Array.from({ length: form.length === fullLength ? characters - points.length : 0 }, () => "👋")
      return [...points, ...filler].join("")
    }
  )

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0").slice(-digits)

const seed = int(0, 2 ** 32 - 1)

/** An id in the shape of a UUID version 4. */
export const uuid = formed(
  isString,
  seed,
  (value) => `${hex(value, 8)}-0000-4000-8000-${hex(value, 12)}`
)

/** An id of a developer key: two UUIDs. */
export const keyId = formed(
  isString,
  seed,
  (value) => `${hex(value, 8)}-0000-4000-8000-${hex(value, 12)}:00000000-0000-4000-9000-${hex(value, 12)}`
)

/** Hexadecimal digits. */
export const hexDigits = (digits: number) => formed(isString, seed, (value) => hex(value, digits))

/** An id of a document: 32 hexadecimal digits in upper case. */
export const documentId = formed(isString, seed, (value) => hex(value, 32).toUpperCase())

/** A document key: 64 hexadecimal digits, redacted. */
export const documentKey = formed(
  Schema.is(DocumentKey),
  seed,
  (value) => Redacted.make(hex(value, 64).toUpperCase())
)

/** Whole seconds up to an hour. */
export const duration = formed(Duration.isDuration, int(0, 3600), Duration.seconds)

/** A time of the years 2020 to 2029. */
export const time = formed(
  Schema.is(Schema.DateTimeUtc),
  int(0, 10 * 365 * 24 * 60 * 60 * 1000),
  (millis) => DateTime.add(DateTime.makeUnsafe("2020-01-01T00:00:00Z"), { milliseconds: millis })
)
