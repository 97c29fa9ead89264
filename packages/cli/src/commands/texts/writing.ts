/** `rephrase` and `correct`. */
import * as Effect from "effect/Effect"
import { call } from "../../client/client.ts"
import * as Input from "../../files/input.ts"
import * as Output from "../../files/output.ts"
import { misuse } from "../../settings/errors.ts"
import { known, optional, targetLanguage, text } from "../../settings/flags.ts"
import { withResults } from "../command.ts"

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

const improved = (improvements: ReadonlyArray<{ readonly text: string }>) =>
  Output.texts(improvements, ({ text }) => text)

const given = (value: string | undefined) => value === "default" ? undefined : value

/** Rewrites texts. */
export const rephrase = withResults("rephrase", {
  description: "Rewrite texts for clarity, style or tone, within their language",
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
    const style = given(input.style)
    const tone = given(input.tone)
    if (style !== undefined && tone !== undefined) {
      return yield* misuse("--style and --tone exclude each other; give one of them")
    }
    const options = { text: yield* Input.textsOf(input), targetLanguage: input.target }
    const results = yield* call(({ Writing }) =>
      Writing.use((writing) =>
        writing.rephrase(tone === undefined ? { ...options, writingStyle: style } : { ...options, tone })
      )
    )
    return improved(results)
  })
})

/** Corrects texts. */
export const correct = withResults("correct", {
  description: "Correct spelling and grammar of texts, with as few changes as possible",
  examples: {
    [`effect-lingua correct --fake "teh letter has  arrived"`]: "A text",
    "effect-lingua correct --fake --file letter.txt --output corrected.txt": "From a file to another",
    "cat letter.txt | effect-lingua correct --fake --json": "In a pipe, for a program"
  },
  params,
  run: Effect.fnUntraced(function*(input) {
    const options = { text: yield* Input.textsOf(input), targetLanguage: input.target }
    return improved(yield* call(({ Writing }) => Writing.use(({ correct }) => correct(options))))
  })
})
