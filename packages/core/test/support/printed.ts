/** All that a program can print about a call: its failure, its spans, its log and its events. */
import { Cause, Effect, Exit, Logger, Option, References, Tracer } from "effect"
import { HttpClient } from "effect/http"
import { inspect } from "node:util"
import { watch } from "./events.ts"
import { tracing } from "./spans.ts"
import { overTime } from "./time.ts"

/** A text, and where it was printed. */
type Printed = readonly [where: string, text: string]

/** All that a tracer keeps of a span. */
const ofSpan = (span: Tracer.NativeSpan): Printed => [
  `the span ${span.name}`,
  [
    span.name,
    JSON.stringify([...span.attributes]),
    JSON.stringify(span.events.map(([name, , attributes]) => [name, attributes])),
    inspect(span.status, { depth: null, showHidden: true })
  ].join("\n")
]

const ofCause = <E>(cause: Cause.Cause<E>): ReadonlyArray<Printed> => {
  const error = Cause.squash(cause)
  return [
    ["Cause.pretty", Cause.pretty(cause)],
    ["inspect of the cause", inspect(cause, { depth: null })],
    ["JSON of the cause", JSON.stringify(cause)],
    ["String", String(error)],
    ["JSON", JSON.stringify(error)],
    ["inspect", inspect(error, { depth: null, showHidden: true })],
    ...(error instanceof Error
      ? [["message", error.message] as const, ["stack", error.stack ?? ""] as const]
      : [])
  ]
}

/** Runs a call and gives its exit, its spans, and all that can be printed about it. A failure is logged. */
export const printedOf = Effect.fnUntraced(function*<A, E, R>(call: Effect.Effect<A, E, R>) {
  const lines: Array<string> = []
  const { spans, tracer } = tracing()
  const loggers = [Logger.formatJson, Logger.formatLogFmt, Logger.formatSimple].map((format) =>
    Logger.map(format, (line) => void lines.push(line))
  )
  const seen = yield* watch
  const exit = yield* call.pipe(
    overTime,
    Effect.map(({ exit }) => exit),
    Effect.tap((exit) => Exit.isFailure(exit) ? Effect.logError("a call failed", exit.cause) : Effect.void),
    Effect.provideService(Tracer.Tracer, tracer),
    Effect.provideService(HttpClient.TracerHeaderFilter, () => true),
    Effect.provideService(References.MinimumLogLevel, "All"),
    Effect.provide(Logger.layer(loggers))
  )
  const printed: ReadonlyArray<Printed> = [
    ...Option.match(Exit.getCause(exit), { onNone: () => [], onSome: ofCause }),
    ...spans.map(ofSpan),
    ...lines.map((line) => ["the log", line] as const),
    ["the events", inspect(yield* seen, { depth: null })]
  ]
  return { exit, spans, lines, printed }
}, Effect.scoped)
