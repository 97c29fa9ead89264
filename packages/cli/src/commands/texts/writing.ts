/** `rephrase` and `correct`. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { call } from "../../client/client.ts"
import * as Input from "../../files/input.ts"
import * as Output from "../../files/output.ts"
import { InvalidUsage } from "../../settings/errors.ts"
import { known, text } from "../../settings/flags.ts"

const targets = ["de", "en-GB", "en-US", "es", "fr", "it", "ja", "ko", "pt-BR", "pt-PT", "zh", "zh-Hans"]
const styles = ["academic", "business", "casual", "simple"]
const tones = ["confident", "diplomatic", "enthusiastic", "friendly"]

const prefer = "prefer_ before it falls back where the language has none"

const target = text(
  "target-language",
  "language",
  `The language of the texts, ${known(targets)}; another variant converts them; found out by default`
)

const texts = (improvements: ReadonlyArray<{ readonly text: string }>): Output.Results => ({
  json: improvements,
  human: ({ clean }) => improvements.map(({ text }) => clean(text)).join("\n")
})

const given = (value: string | undefined) => value === "default" ? undefined : value

/** Rewrites texts. */
export const rephrase = Command.make(
  "rephrase",
  {
    ...Input.params,
    target,
    style: text("style", "style", `How it is rewritten, ${known(styles)}; ${prefer}`),
    tone: text("tone", "tone", `How it sounds, instead of a style, ${known(tones)}; ${prefer}`),
    ...Output.flags
  },
  Effect.fnUntraced(function*(input) {
    const style = given(input.style)
    const tone = given(input.tone)
    if (style !== undefined && tone !== undefined) {
      return yield* new InvalidUsage({ message: "--style and --tone exclude each other; give one of them" })
    }
    const text = yield* Input.textsOf(input)
    const options = { text, targetLanguage: input.target }
    yield* Output.deliver(
      input,
      call(({ Writing }) =>
        Effect.map(
          Writing.use((writing) =>
            writing.rephrase(tone === undefined ? { ...options, writingStyle: style } : { ...options, tone })
          ),
          texts
        )
      )
    )
  })
).pipe(
  Command.withDescription("Rewrite texts for clarity, style or tone, within their language"),
  Command.withExamples([
    { command: `effect-lingua rephrase --fake "we was late"`, description: "A text" },
    {
      command: `effect-lingua rephrase --fake --style business --target-language en-GB "we was late"`,
      description: "In a style"
    },
    { command: `effect-lingua rephrase --fake --tone friendly < letter.txt`, description: "From standard input" }
  ])
)

/** Corrects texts. */
export const correct = Command.make(
  "correct",
  { ...Input.params, target, ...Output.flags },
  Effect.fnUntraced(function*(input) {
    const text = yield* Input.textsOf(input)
    yield* Output.deliver(
      input,
      call(({ Writing }) =>
        Effect.map(
          Writing.use((writing) => writing.correct({ text, targetLanguage: input.target })),
          texts
        )
      )
    )
  })
).pipe(
  Command.withDescription("Correct spelling and grammar of texts, with as few changes as possible"),
  Command.withExamples([
    { command: `effect-lingua correct --fake "teh letter has  arrived"`, description: "A text" },
    {
      command: `effect-lingua correct --fake --file letter.txt --output corrected.txt`,
      description: "From a file to another"
    },
    { command: `cat letter.txt | effect-lingua correct --fake --json`, description: "In a pipe, for a program" }
  ])
)
