// Generates the marked parts of docs/resilience.md, documents.md, observability.md and errors.md from the code: the fields of the policy
// with their docstrings, timelines of throttling and of an outage, run against the fake on virtual time, the metrics with their attributes,
// the errors, and their statuses; and the costs in README.md from the results of the benchmark.
// --check only compares.
import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import * as Attempt from "@effect-lingua/core/errors/Attempt"
import { Languages } from "@effect-lingua/core/languages/Languages"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import * as Events from "@effect-lingua/core/telemetry/Events"
import { Writing } from "@effect-lingua/core/texts/Writing"
import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Fault from "@effect-lingua/testing/faults/Fault"
import * as Script from "@effect-lingua/testing/faults/Script"
import { Clock, Context, Duration, Effect, Fiber, Layer, Random, Redacted, Stream } from "effect"
import type { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { readFileSync, writeFileSync } from "node:fs"
import { setImmediate } from "node:timers/promises"
import { rowOf } from "../../packages/core/src/errors/internal/categories.ts"
import { type DelayCause, metrics } from "../../packages/core/src/telemetry/internal/telemetry.ts"
import { breakerDiagram, documentDiagram } from "./diagrams.ts"
import { errorRows, errors } from "./errorTable.ts"

const policySource = "packages/core/src/config/ResiliencePolicy.ts"

/** Draws a timeline. */
class Drawing extends Context.Service<Drawing, {
  readonly line: (mark: string, text: string) => Effect.Effect<void>
  readonly lines: ReadonlyArray<string>
}>()("effect-lingua/tools/scripts/timelines/Drawing") {}

const drawing = Layer.sync(Drawing, () => {
  const lines: Array<string> = []
  let last = ""
  return {
    lines,
    line: (mark, text) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const time = `${(now / 1000).toFixed(2)} s`
        lines.push(`${(time === last ? "" : time).padStart(9)}  ${mark} ${text}`)
        last = time
      })
  }
})

const seconds = (duration: Duration.Duration): string => `${Number(Duration.toSeconds(duration).toFixed(2))} s`

const draw = (event: Events.Event) =>
  Effect.flatMap(
    Drawing,
    ({ line }) =>
      Events.Event.$match(event, {
        AttemptEnded: ({ attempt: { failure, number, queued, status, stopCause } }) =>
          line(
            "│",
            [
              `#${number}`,
              status,
              failure,
              stopCause === undefined ? undefined : `and no further attempt (${stopCause})`,
              queued === undefined ? undefined : `after ${seconds(queued)} in the queue`
            ].filter((part) => part !== undefined).join(" ")
          ),
        Waiting: ({ cause, wait }) => line("┊", `waits ${seconds(wait)} (${cause})`),
        BreakerChanged: ({ from, to }) => line("╪", `breaker: ${from} -> ${to}`)
      })
  )

/** Draws a call from its start to its result. */
const call = <A, E extends { readonly _tag: string }, R>(
  name: string,
  effect: Effect.Effect<A, E, R>,
  about: (result: A | E) => string = () => ""
) =>
  Effect.gen(function*() {
    const { line } = yield* Drawing
    yield* line("┌", name)
    const [word, said] = yield* Effect.match(effect, {
      onFailure: (error) => [`fails with ${error._tag}`, about(error)],
      onSuccess: (value) => ["succeeds", about(value)]
    })
    // Events of the call are drawn first.
    yield* settled
    yield* line("└", said === "" ? `${word}` : `${word}${said}`)
  })

const note = (text: string) => Effect.flatMap(Drawing, ({ line }) => line("·", text))

const settled = Effect.promise(() => setImmediate())

type Needs =
  | Drawing
  | FakeLanguageService.FakeLanguageService
  | HttpClient.HttpClient
  | LanguageService.LanguageService

interface Story {
  readonly policy?: Partial<ResiliencePolicy.ResiliencePolicy>
  readonly play: Effect.Effect<void, Fault.InvalidFault, Needs>
}

const rephrase = Writing.use((writing) => writing.rephrase({ text: ["This are fine."] }))
const read = Languages.use((languages) => languages.resources())
const once = Effect.provideService(read, ResiliencePolicy.Override, { attempts: 1 })
const unwaited = Effect.provideService(read, ResiliencePolicy.Override, { whenUnavailable: "fail" })
const scripted = (...script: ReadonlyArray<Fault.Fault>) =>
  FakeLanguageService.FakeLanguageService.use((fake) => fake.script(Script.sequence(script)))

const retryAfterOf = (result: object): string =>
  "retryAfter" in result && Duration.isDuration(result.retryAfter)
    ? `, retry after ${seconds(result.retryAfter)}`
    : ""

const stories: Readonly<Record<string, Story>> = {
  throttled: {
    play: Effect.andThen(
      scripted(Fault.rateLimited({ retryAfter: "2 seconds" }), Fault.overloaded()),
      call("Writing.rephrase", rephrase)
    )
  },
  outage: {
    policy: { attempts: 4 },
    play: Effect.gen(function*() {
      const fake = yield* FakeLanguageService.FakeLanguageService
      yield* note("the service goes down")
      yield* fake.weather({ rate503: 1 })
      yield* call("Languages.resources", read)
      yield* call("Languages.resources waits", once)
      yield* call("Languages.resources, whenUnavailable: \"fail\"", unwaited, retryAfterOf)
      yield* Effect.sleep("5 seconds")
      yield* call("Languages.resources", once)
      yield* note("the service is back")
      yield* fake.weather({})
      yield* Effect.sleep("9 seconds")
      yield* call("Languages.resources", read)
    })
  }
}

/** Advances virtual time in steps, between which fibers that wait for other things than time can continue. */
const advancing = Effect.forever(Effect.andThen(settled, TestClock.adjust("5 millis")))

const play = ({ play: story, policy }: Story) =>
  Effect.gen(function*() {
    const { lines } = yield* Drawing
    const events = yield* Events.Events
    yield* Effect.forkScoped(Stream.runForEach(events.stream(), draw), { startImmediately: true })
    const time = yield* Effect.forkScoped(advancing)
    yield* story
    yield* settled
    yield* Fiber.interrupt(time)
    const indent = Math.min(...lines.map((line) => line.search(/\S/)))
    return ["```text", ...lines.map((line) => line.slice(indent)), "```"].join("\n")
  }).pipe(
    Effect.provide(
      LanguageService.layer({
        key: Redacted.make(FakeLanguageService.defaultKey),
        baseUrl: "https://fake.test",
        resilience: policy ?? {}
      }).pipe(Layer.provideMerge(FakeLanguageService.layer()), Layer.provideMerge(drawing))
    ),
    Effect.scoped,
    Random.withSeed("timelines"),
    Effect.provide(TestClock.layer())
  )

const shown = (value: unknown): string => {
  if (Duration.isDuration(value)) return Duration.isZero(value) ? "0" : Attempt.formatDuration(value)
  if (value === undefined) return "none"
  return JSON.stringify(value === Number.POSITIVE_INFINITY ? "Infinity" : value).replaceAll("\"", "")
}

/** The fields of an interface with their docstrings, as rows of a table. */
const fields = (source: string, name: string, columns: (field: string) => ReadonlyArray<string>): string => {
  const body = new RegExp(`export interface ${name} \\{\\n([\\s\\S]*?)\\n\\}`).exec(source)?.[1] ?? ""
  const rows = [...body.matchAll(/\/\*\*([\s\S]*?)\*\/\s*readonly (\w+)/g)].map(([, doc = "", field = ""]) => {
    const text = doc.replace(/\n\s*\* @[\s\S]*/, "").replace(/\n\s*\*\s?/g, " ").trim()
    return `| \`${field}\` | ${[...columns(field), text].join(" | ")} |`
  })
  return rows.join("\n")
}

const policyTable = (source: string): string => {
  const defaults: Readonly<Record<string, unknown>> = { ...ResiliencePolicy.defaults }
  const none: Readonly<Record<string, unknown>> = { ...ResiliencePolicy.none }
  return [
    "<!-- dprint-ignore-start -->",
    "",
    "| field | default | in `none` | meaning |",
    "| --- | --- | --- | --- |",
    fields(source, "ResiliencePolicy", (field) => [shown(defaults[field]), shown(none[field])]),
    "",
    "<!-- dprint-ignore-end -->"
  ].join("\n")
}

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [
    "<!-- dprint-ignore-start -->",
    "",
    ...[head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`),
    "",
    "<!-- dprint-ignore-end -->"
  ].join("\n")

const code = (text: string): string => `\`${text}\``

const metricsTable = table(
  ["Name", "Instrument", "Unit", "Attributes", "Meaning"],
  Object.values(metrics).map(({ attributes, description, instrument, name, unit }) => [
    code(name),
    instrument,
    code(unit),
    attributes.map(code).join(", "),
    description
  ])
)

const waitCauses: Readonly<Record<DelayCause, string>> = {
  backoff: "the client's wait after a failure",
  "retry-after": "the service's `Retry-After`, which was longer",
  poll: "a document or job is not ready yet",
  concurrency: "the policy, the tenant or the service allows no more requests in flight",
  rate: "the next slot in the `rate` of the policy or of the tenant",
  "learned-rate": "the next slot in the rate learned from 429 and 529 responses",
  circuit: "the service is overloaded or down: the pause before the next request",
  connection: "all connections of the pool are in use, or a new one is being opened"
}

const causesTable = table(
  ["Cause", "Reason of the wait"],
  Object.entries(waitCauses).map(([cause, meaning]) => [code(cause), meaning])
)

/** The errors with each pair of status and detail. */
const problemsTable = table(
  ["Status", "Detail", "Errors"],
  Array.from(
    Map.groupBy(errors, ({ category }) => rowOf(category).join(" | ")),
    ([row, group]) => [row, group.map(({ _tag }) => code(_tag)).join(", ")]
  )
)

const errorsTable = table(["Error", "Category", "Status", "Cause", "Retried by the client", "What to do"], errorRows)

interface Measured {
  readonly title: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

/** The last full run of the benchmark. */
const sections: ReadonlyArray<{ readonly tables: ReadonlyArray<Measured> }> = JSON.parse(
  readFileSync("tools/bench/results/performance.json", "utf8")
)

/** A table of that run. */
const measured = (title: string): Measured => {
  const found = sections.flatMap(({ tables }) => tables).find((table) => table.title.startsWith(title))
  if (found === undefined) throw new Error(`the results of the benchmark have no table "${title}"`)
  return found
}

const measuredTable = (title: string): string => {
  const { columns, rows } = measured(title)
  return table(columns, rows)
}

/** A cell of such a table, by the start of its title and of its row. */
const cell = (title: string, row: string, column: string): string => {
  const found = measured(title)
  const text = found.rows.find(([name]) => name?.startsWith(row))?.[found.columns.indexOf(column)]
  if (text === undefined) throw new Error(`the results of the benchmark have no cell "${column}" of "${row}"`)
  return text
}

const callTime = (row: string) => cell("One text", row, "16 in flight").replace(/^.*?, (.*) \(.*$/, "$1")

const startTime = (row: string) => `${cell("Time in ms", row, "to the first response")} ms`

/** The costs of the clients that README compares. */
const costsTable = (): string =>
  table(["", "Effect Lingua", "deepl-node", "`HttpClient` of Effect", "`fetch`"], [
    [
      "processor time of a call, 16 in flight",
      ...["this library, everything on", "`deepl-node`", "`effect` HttpClient", "`fetch`"].map(callTime)
    ],
    [
      "from the start to the first response",
      `${startTime("`NodeLanguageService.layer`")}; in one file ${startTime("the same, bundled")}`,
      startTime("`deepl-node`"),
      startTime("`effect` HttpClient over `fetch`"),
      "not measured"
    ]
  ])

/** Writes the parts between the markers of a page, or compares them. */
const write = (target: string, parts: ReadonlyMap<string, string>) =>
  Effect.gen(function*() {
    const written = readFileSync(target, "utf8")
    let generated = written
    for (const [name, text] of parts) {
      const marked = new RegExp(`(<!-- begin ${name} -->\\n)[\\s\\S]*?(\\n<!-- end ${name} -->)`)
      if (!marked.test(generated)) return yield* Effect.die(new Error(`${target} has no markers for ${name}`))
      generated = generated.replace(marked, (_, begin: string, end: string) => `${begin}\n${text}\n${end}`)
    }
    if (!process.argv.includes("--check")) writeFileSync(target, generated)
    else if (generated !== written) {
      process.stderr.write(`${target} is out of date: run \`npx -y pnpm@12 exec node tools/scripts/timelines.ts\`\n`)
      process.exitCode = 1
    }
  })

const program = Effect.gen(function*() {
  const parts = new Map<string, string>([["policy", policyTable(readFileSync(policySource, "utf8"))]])
  for (const [name, story] of Object.entries(stories)) parts.set(name, yield* play(story))
  parts.set("breaker states", breakerDiagram(parts.get("outage") ?? ""))
  yield* write("docs/resilience.md", parts)
  yield* write("docs/documents.md", new Map([["document states", yield* documentDiagram]]))
  yield* write("docs/errors.md", new Map([["errors", errorsTable], ["problems", problemsTable]]))
  yield* write("README.md", new Map([["costs", costsTable()]]))
  yield* write(
    "docs/performance.md",
    new Map([
      ["calls", measuredTable("One text of 5 bytes")],
      ["downloads", measuredTable("Download to a file")],
      ["sizes", measuredTable("Size in kB")],
      ["start", measuredTable("Time in ms")]
    ])
  )
  yield* write("docs/observability.md", new Map([["metrics", metricsTable], ["wait causes", causesTable]]))
})

await Effect.runPromise(program)
