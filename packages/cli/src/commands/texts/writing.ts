/** `rephrase` and `correct`. */
import * as Effect from "effect/Effect"
import { call } from "../../client/client.ts"
import * as Input from "../../files/input.ts"
import * as Records from "../../files/records.ts"
import { misuse } from "../../settings/errors.ts"
import { known, optional, targetLanguage, text } from "../../settings/flags.ts"
import { withTexts } from "../command.ts"

const targets = ["de", "en-GB", "en-US", "es", "fr", "it", "ja", "ko", "pt-BR", "pt-PT", "zh", "zh-Hans"]
const styles = ["academic", "business", "casual", "simple"]
const tones = ["confident", "diplomatic", "enthusiastic", "friendly"]

const prefer = "with prefer_ before it, it is ignored in languages without it"

const params = {
  ...Input.params,
  target: optional(
    targetLanguage,
    `The language of the texts, ${known(targets)}; another variant of it converts them; detected by default`
  )
}

const textOf = ({ text }: { readonly text: string }): string => text

/** Long texts are split where sentences end. */
const split = { split: "sentences" } as const

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
export const rephrase = withTexts("rephrase", {
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
  run: Effect.fnUntraced(function*(input) {
    const options = yield* rephraseOptions(input)
    const text = yield* Input.textsOf(input)
    return yield* call(({ Writing }) =>
      Writing.use(({ rephraseAll }) => Records.collect(rephraseAll(text, options), textOf))
    )
  }),
  runRecords: Effect.fnUntraced(function*({ files, texts, ...input }, records, target) {
    const options = yield* rephraseOptions(input)
    return yield* call(({ Writing }) =>
      Writing.use(({ rephraseAll }) =>
        Records.run(
          { about: { command: "rephrase", ...options }, files, texts, options: records, target },
          (texts) => rephraseAll(texts, options),
          textOf
        )
      )
    )
  })
})

/** Corrects texts. */
export const correct = withTexts("correct", {
  examples: {
    [`effect-lingua correct --fake "teh letter has  arrived"`]: "A text",
    "effect-lingua correct --fake --file letter.txt --output corrected.txt": "From a file to another",
    "cat letter.txt | effect-lingua correct --fake --json": "In a pipe, for a program"
  },
  params,
  run: Effect.fnUntraced(function*(input) {
    const text = yield* Input.textsOf(input)
    const options = { ...split, targetLanguage: input.target }
    return yield* call(({ Writing }) =>
      Writing.use(({ correctAll }) => Records.collect(correctAll(text, options), textOf))
    )
  }),
  runRecords: ({ files, target, texts }, options, output) =>
    call(({ Writing }) =>
      Writing.use(({ correctAll }) =>
        Records.run(
          { about: { command: "correct", targetLanguage: target }, files, texts, options, target: output },
          (texts) => correctAll(texts, { ...split, targetLanguage: target }),
          textOf
        )
      )
    )
})
