/** Realistic single values, made from small integers, so that values shrink to the first or shortest value. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import { isString } from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

/** A schema whose values are generated and shrunk as values of `form`, then rendered. */
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

export const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** One of `values`; shrinks to the first value. */
export const pick = (values: ReadonlyArray<string>) =>
  formed(isString, int(0, values.length - 1), (index) => values[index] ?? "")

/** Maps a language to a word, possibly too short for language detection, and sentences. */
const fragments: Readonly<Record<string, ReadonlyArray<string>>> = {
  en: ["a", "Hello.", "This are a small test.", "We would of liked to meet you in person next week."],
  de: ["Tag", "Guten Morgen!", "Das Wetter ist heute sehr schön.", "Größe und Farbe können wir noch ändern."],
  fr: [
    "oui",
    "Bonjour à tous !",
    "Il fait très beau aujourd’hui.",
    "Veuillez nous envoyer la facture, s’il vous plaît."
  ],
  es: ["sí", "¡Buenos días!", "Hoy hace muy buen tiempo en la ciudad.", "¿Cuándo llega el próximo tren a Sevilla?"],
  it: [
    "no",
    "Buongiorno a tutti!",
    "Oggi il tempo è molto bello.",
    "Perché non andiamo insieme al mercato della città?"
  ],
  pt: ["não", "Bom dia a todos!", "Hoje o tempo está muito bom na cidade."],
  ja: ["猫", "こんにちは。", "今日はとても天気がいいです。", "次の会議は火曜日の午後三時に始まります。"],
  zh: ["猫", "你好。", "今天天气很好。", "请在月底之前把发票寄给我们。"],
  ko: ["네", "안녕하세요.", "오늘은 날씨가 아주 좋습니다."],
  ar: ["نعم", "مرحبا بكم.", "الطقس جميل جدا اليوم."],
  he: ["כן", "שלום לכולם.", "היום מזג האוויר יפה מאוד."],
  ru: ["да", "Доброе утро!", "Сегодня очень хорошая погода."],
  el: ["ναι", "Καλημέρα!", "Ο καιρός είναι πολύ ωραίος σήμερα."],
  th: ["ใช่", "สวัสดีครับ", "วันนี้อากาศดีมาก"],
  hi: ["हाँ", "नमस्ते।", "आज मौसम बहुत अच्छा है।"],
  pl: ["tak", "Dzień dobry!", "Dziś jest bardzo ładna pogoda, zażółć gęślą jaźń."],
  tr: ["evet", "Günaydın!", "Bugün hava çok güzel, İstanbul’da güneş var."],
  vi: ["có", "Xin chào!", "Hôm nay thời tiết rất đẹp."]
}

const languages = Object.keys(fragments)

/** Ends of texts that do not influence language detection. */
const letterless = ["", " ", "\n", "\t ", "👋", "👩‍👩‍👧‍👦", "🇩🇪", "\u00a0", "100 %"]

/** Ends of texts, with combining marks, markup, and surrogate pairs. */
const edges = [...letterless, "e\u0301", "\u200f!", "<b>x</b>", "&amp;", "\"quoted\" \\ back", "𝒳", "null"]

/** A text's indexes in `fragments` and `edges`. */
export const TextForm = Schema.Struct({
  fragments: Schema.Array(int(0, 3)).check(Schema.isMaxLength(4)),
  edge: int(0, edges.length - 1)
})

/** Makes a text's language detectable, with long fragments and an end without letters. */
export const unmistakable = ({ edge, fragments }: typeof TextForm.Type): typeof TextForm.Type => ({
  fragments: fragments.map((index) => Math.max(index, 2)),
  edge: edge % letterless.length
})

export const render = (form: typeof TextForm.Type, language: string): string => {
  const words = fragments[language] ?? []
  return form.fragments.map((index) => words[Math.min(index, words.length - 1)] ?? "").join(" ") +
    (edges[form.edge] ?? "")
}

const inAnyLanguage = { ...TextForm.fields, language: int(0, languages.length - 1) }

/** A text in any language; shrinks to the empty text. */
export const text = formed(
  isString,
  Schema.Struct(inAnyLanguage),
  (form) => render(form, languages[form.language] ?? "")
)

/** The `length` that makes a text of `textUpTo` exactly `characters` long. */
const fullLength = 15

/** A non-empty text of at most `characters`; shrinks to `a`. */
export const textUpTo = (characters: number) =>
  formed(
    isString,
    Schema.Struct({
      ...inAnyLanguage,
      fragments: inAnyLanguage.fragments.check(Schema.isMinLength(1)),
      length: int(0, fullLength)
    }),
    (form) => {
      const points = Array.from(render(form, languages[form.language] ?? "")).slice(0, characters)
      const filler = Array.from({ length: form.length === fullLength ? characters - points.length : 0 }, () => "👋")
      return [...points, ...filler].join("")
    }
  )

/** Makes a text one trimmed line, for a glossary or spoken term. */
export const termOf = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim() || "a"

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0").slice(-digits)

const numbered = (render: (value: number) => string) => formed(isString, int(0, 2 ** 32 - 1), render)

export const hexDigits = (digits: number) => numbered((value) => hex(value, digits))

export const upperHexDigits = (digits: number) => numbered((value) => hex(value, digits).toUpperCase())

const uuidOf = (value: number) => `${hex(value, 8)}-0000-4000-8000-${hex(value, 12)}`

export const uuid = numbered(uuidOf)

export const keyId = numbered((value) => `${uuidOf(value)}:${uuidOf(value)}`)

/** Whole seconds up to an hour. */
export const duration = formed(Duration.isDuration, int(0, 3600), Duration.seconds)

/** A time in the years 2020 to 2029. */
export const time = formed(
  Schema.is(Schema.DateTimeUtc),
  int(0, 10 * 365 * 24 * 60 * 60 * 1000),
  (millis) => DateTime.add(DateTime.makeUnsafe("2020-01-01T00:00:00Z"), { milliseconds: millis })
)
