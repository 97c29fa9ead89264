/** `rephrase` and `correct`. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { misuse } from "../../settings/errors.ts"
import { known, optional, targetLanguage, text } from "../../settings/flags.ts"
import { split, textCommand, textOf } from "./textCommand.ts"

const targets = ["de", "en-GB", "en-US", "es", "fr", "it", "ja", "ko", "pt-BR", "pt-PT", "zh", "zh-Hans"]
const styles = ["academic", "business", "casual", "simple"]
const tones = ["confident", "diplomatic", "enthusiastic", "friendly"]

const prefer = "with prefer_ before it, it is ignored in languages without it"

const params = {
  target: optional(
    targetLanguage,
    `The language of the texts, ${known(targets)}; another variant of it converts them; detected by default`
  )
}

const given = (value: string | undefined) => value === "default" ? undefined : value

const rephraseOptions = Effect.fnUntraced(function*(input: {
  readonly style: string | undefined
  readonly tone: string | undefined
  readonly target: string | undefined
}) {
  const style = given(input.style)
  const tone = given(input.tone)
  if (style !== undefined && tone !== undefined) {
    return yield* misuse("--style and --tone exclude each other; give one of them")
  }
  const common = { ...split, targetLanguage: input.target }
  return tone === undefined ? { ...common, writingStyle: style } : { ...common, tone }
})

/** Rewrites texts. */
export const rephrase = textCommand("rephrase", {
  examples: {
    [`effect-lingua rephrase --fake "we was late"`]: "A text",
    [`effect-lingua rephrase --fake --style business --to en-GB "we was late"`]: "In a style",
    "effect-lingua rephrase --fake --tone friendly < letter.txt": "From standard input"
  },
  params: {
    ...params,
    style: text("style", "style", `The writing style, ${known(styles)}; ${prefer}`),
    tone: text("tone", "tone", `The tone, instead of a style, ${known(tones)}; ${prefer}`)
  },
  optionsOf: rephraseOptions,
  send: ({ Writing }, texts, options) =>
    Stream.unwrap(Effect.map(Writing, ({ rephraseAll }) => rephraseAll(texts, options))),
  textOf
})

/** Corrects texts. */
export const correct = textCommand("correct", {
  examples: {
    [`effect-lingua correct --fake "teh letter has  arrived"`]: "A text",
    "effect-lingua correct --fake --file letter.txt --output corrected.txt": "From a file to another",
    "cat letter.txt | effect-lingua correct --fake --json": "In a pipe, for a program"
  },
  params,
  optionsOf: ({ target }) => Effect.succeed({ targetLanguage: target }),
  send: ({ Writing }, texts, options) =>
    Stream.unwrap(Effect.map(Writing, ({ correctAll }) => correctAll(texts, { ...split, ...options }))),
  textOf
})
