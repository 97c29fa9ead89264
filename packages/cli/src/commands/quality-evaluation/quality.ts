/** `quality`. */
import * as Progress from "@effect-lingua/core/jobs/Progress"
import type { TranslationError } from "@effect-lingua/core/quality-evaluation/QualityEvaluationApi"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { call } from "../../client/client.ts"
import { fileText } from "../../files/input.ts"
import * as Output from "../../files/output.ts"
import { oneLine, table } from "../../screen/screen.ts"
import { InvalidUsage } from "../../settings/errors.ts"
import { shown } from "../work.ts"

const Segment = Schema.Struct({ source: Schema.String, target: Schema.String })

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Segment)), { onExcessProperty: "error" })

const nameOf = (file: string): string => file === "-" ? "standard input" : file

/** A text and its translation in each line, with a tab between them. */
const segmentOf = (name: string) => (line: string, index: number): Effect.Effect<typeof Segment.Type, InvalidUsage> => {
  const [source = "", target = "", ...others] = line.split("\t")
  return line.includes("\t") && others.length === 0
    ? Effect.succeed({ source, target })
    : Effect.fail(
      new InvalidUsage({ message: `line ${index + 1} of ${name} does not have one tab, before the translation` })
    )
}

const segmentsOf = Effect.fnUntraced(function*(file: string) {
  const text = yield* fileText(file)
  // A line may begin with a bracket too, but then there is its tab.
  if (!/^\s*\[[^\t\n]*(\n|$)/.test(text)) {
    return yield* Effect.forEach(text.split(/\r?\n/), segmentOf(nameOf(file)))
  }
  return yield* Effect.mapError(
    decode(text),
    ({ message }) =>
      new InvalidUsage({
        message: `${nameOf(file)} does not hold texts as JSON, [{"source": "", "target": ""}]: ${oneLine(message)}`
      })
  )
})

/** In the place of errors that came in a form that is not understood: none would be a lie. */
const notUnderstood: TranslationError = {
  type: "not understood",
  severity: "",
  explanation: "the service sent errors in a form that this version does not know",
  sourceSpans: [],
  targetSpans: []
}

const evaluate = Command.make(
  "evaluate",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription(
        "A file with a text, a tab and its translation in each line, or with JSON; - for standard input"
      )
    ),
    source: Flag.String("source-language").pipe(
      Flag.withMetavar("language"),
      Flag.withDescription("The language of the texts")
    ),
    target: Flag.String("target-language").pipe(
      Flag.withAlias("t"),
      Flag.withMetavar("language"),
      Flag.withDescription("The language of the translations")
    ),
    ...Output.flags
  },
  Effect.fnUntraced(function*(input) {
    const segments = yield* segmentsOf(input.file)
    yield* Output.deliver(
      input,
      call(({ QualityEvaluation: { cut, QualityEvaluation } }) =>
        Effect.map(
          shown(
            nameOf(input.file),
            Progress.stream(
              QualityEvaluation.use((quality) =>
                quality.evaluate({ sourceLanguage: input.source, targetLanguage: input.target, segments })
              )
            )
          ),
          ({ segments: evaluated, summary }): Output.Results => {
            const found = evaluated.flatMap(({ errors, segmentIndex }) => {
              const { source = "", target = "" } = segments[segmentIndex] ?? {}
              return (errors ?? [notUnderstood]).map((
                { explanation, severity, sourceSpans, subType, targetSpans, type }
              ) => ({
                segment: segmentIndex + 1,
                severity,
                type,
                subType,
                source: sourceSpans.map((span) => cut(source, span)),
                target: targetSpans.map((span) => cut(target, span)),
                explanation
              }))
            })
            return {
              json: [...found, ...(summary === undefined ? [] : [summary])],
              human: (style) =>
                [
                  ...(found.length === 0 ? [] : [table(
                    style,
                    ["SEGMENT", "SEVERITY", "ERROR", "SOURCE", "TARGET", "EXPLANATION"],
                    found.map(({ explanation, segment, severity, source, subType, target, type }) => [
                      String(segment),
                      severity,
                      [type, subType].filter((part) => part !== undefined).join(", "),
                      source.join(" … "),
                      target.join(" … "),
                      explanation
                    ])
                  )]),
                  `score: ${summary?.overallScore ?? "unknown"}`
                ].join("\n")
            }
          }
        )
      )
    )
  })
).pipe(
  Command.withDescription(
    "Find the errors of translations, and score them from 0 to 100 (closed alpha: the account has to be let in)"
  ),
  Command.withExamples([
    {
      command: `printf 'We pay 42 euros\\tWir zahlen 24 Euro\\n' | ` +
        "effect-lingua quality evaluate --fake --source-language en -t de -",
      description: "From standard input"
    }
  ])
)

/** Looks translations through. */
export const quality = Command.make("quality").pipe(
  Command.withDescription("Evaluate the quality of translations"),
  Command.withSubcommands([evaluate])
)
