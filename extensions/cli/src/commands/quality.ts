import { EvaluationId } from "@effect-lingua/core/contract/Ids"
import {
  type Evaluation,
  QualityEvaluation,
  type TranslationError
} from "@effect-lingua/core/quality-evaluation/QualityEvaluation"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { call } from "../client/client.ts"
import * as Sample from "../client/sample.ts"
import * as Input from "../files/input.ts"
import type * as Output from "../files/output.ts"
import { quoted } from "../screen/advised.ts"
import type { Failure } from "../screen/failures.ts"
import { table } from "../screen/table.ts"
import { type InvalidUsage, misuse } from "../settings/errors.ts"
import * as Flags from "../settings/flags.ts"
import { argument } from "../settings/flags.ts"
import { command, group } from "./command.ts"
import { continued } from "./work.ts"

const Segment = Schema.Struct({ source: Schema.String, target: Schema.String })

/** Parses a line: a text, a tab, and its translation. */
const segmentOf = (name: string) => (line: string, index: number): Effect.Effect<typeof Segment.Type, InvalidUsage> => {
  const [source = "", target = "", ...others] = line.split("\t")
  return line.includes("\t") && others.length === 0
    ? Effect.succeed({ source, target })
    : misuse(`line ${index + 1} of ${name} needs one tab, before the translation`)
}

const segmentsOf = Effect.fnUntraced(function*(file: string) {
  const text = yield* Input.fileText(file)
  // JSON begins with a bracket. A line with a bracket and a tab is a text and its translation.
  return yield* /^\s*\[[^\t\n]*(\n|$)/.test(text)
    ? Input.fromJson(Schema.Array(Segment), { file, text, things: "texts", example: `[{"source": "", "target": ""}]` })
    : Effect.forEach(text.split(/\r?\n/), segmentOf(Input.nameOf(file)))
})

/** Replaces errors in an unknown form, because an empty list would mean no errors. */
const notUnderstood: TranslationError = {
  type: "unreadable",
  severity: "",
  explanation: "the service sent errors in a form that this version does not know",
  sourceSpans: [],
  targetSpans: []
}

const file = argument("file", "A file with lines of text, tab and translation, or with JSON; - for standard input")

/** An evaluation's score and errors, with the affected words. */
const resultsOf = (
  segments: ReadonlyArray<typeof Segment.Type>,
  { segments: evaluated, summary }: Evaluation
): Output.Results => {
  const found = evaluated.flatMap(({ errors, segmentIndex }) => {
    const { source = "", target = "" } = segments[segmentIndex] ?? {}
    return (errors ?? [notUnderstood]).map(
      ({ explanation, severity, sourceSpans, subType, targetSpans, type }) => ({
        segment: segmentIndex + 1,
        severity,
        type,
        subType,
        source: sourceSpans.map((span) => QualityEvaluation.cut(source, span)),
        target: targetSpans.map((span) => QualityEvaluation.cut(target, span)),
        explanation
      })
    )
  })
  return {
    json: [...found, ...(summary === undefined ? [] : [summary])],
    human: (style) => {
      const errors = table(style, {
        SEGMENT: "segment",
        SEVERITY: "severity",
        ERROR: ({ subType, type }) => [type, subType].filter((part) => part !== undefined).join(", "),
        SOURCE: ({ source }) => source.join(" … "),
        TARGET: ({ target }) => target.join(" … "),
        EXPLANATION: "explanation"
      }, found)
      return `${found.length === 0 ? "" : `${errors}\n`}score: ${summary?.overallScore ?? "unknown"}`
    }
  }
}

/** Evaluates the texts of a file. The command that continues the job names the file, because the job does not return texts. */
const evaluated = Effect.fnUntraced(function*<E extends Failure>(
  file: string,
  name: string,
  run: (
    service: QualityEvaluation["Service"],
    segments: ReadonlyArray<typeof Segment.Type>
  ) => Effect.Effect<Evaluation, E>
) {
  const segments = yield* segmentsOf(file)
  const evaluation = yield* call(
    QualityEvaluation.use((service) =>
      continued(name, run(service, segments), (jobId) => `quality resume ${jobId} ${quoted(file)}`)
    )
  )
  return resultsOf(segments, evaluation)
})

const evaluate = command("quality evaluate", {
  description: "Find the errors of translations, and score them from 0 to 100 (closed alpha: the account needs access)",
  examples: {
    [`printf 'We pay 42 euros\\tWir zahlen 24 Euro\\n' | effect-lingua quality evaluate --fake --from en -t de -`]:
      "From standard input"
  },
  params: {
    file,
    sourceLanguage: Flags.sourceLanguage.pipe(Flag.withDescription("The language of the texts")),
    targetLanguage: Flags.targetLanguage.pipe(Flag.withDescription("The language of the translations"))
  },
  run: ({ file, ...pair }) =>
    evaluated(file, Input.nameOf(file), ({ evaluate }, segments) => evaluate({ ...pair, segments }))
})

const resume = command("quality resume", {
  description: "Wait for an evaluation that was started before, and print its errors and score",
  examples: {
    [`printf 'We pay 42 euros\\tWir zahlen 24 Euro\\n' | effect-lingua quality resume --fake ${Sample.evaluationId} -`]:
      "With the same texts"
  },
  params: {
    ref: { jobId: Flags.idArgument("job-id", EvaluationId, "The id of the job, as printed when it starts") },
    file
  },
  run: ({ file, ref }) => evaluated(file, ref.jobId, ({ wait }) => wait(ref))
})

export const quality = group("quality", [evaluate, resume])
