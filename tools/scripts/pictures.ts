// Draws docs/pictures/demo.svg: the attempts of the demo, run in-process in virtual time. --check only compares.
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { Duration, Effect, Fiber, FileSystem, Layer, Path, Random, Sink } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { setImmediate } from "node:timers/promises"
import { fakeOptions, resilience, steps, type TimedAttempt } from "../../examples/demo/demo.ts"

const target = "docs/pictures/demo.svg"

/** Advances virtual time while the program waits. */
const advancing = Effect.forever(
  Effect.andThen(Effect.promise(() => setImmediate()), TestClock.adjust("10 millis"))
)

// In memory, because virtual time would advance during real file operations.
const files = Layer.sync(FileSystem.FileSystem, () => {
  const saved: Array<Uint8Array> = []
  return FileSystem.makeNoop({
    makeTempDirectoryScoped: () => Effect.succeed("/tmp"),
    readFile: (path) =>
      Effect.sync(() => path.startsWith("/tmp") ? Buffer.concat(saved) : readFileSync("docs/openapi.json")),
    sink: () => Sink.forEach((chunk: Uint8Array) => Effect.sync(() => saved.push(chunk)))
  })
})

const left = 250
const right = 760
const rowHeight = 28
const top = 56

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const colors: Readonly<Record<string, string>> = { 2: "#2da44e", 4: "#bf8700", 5: "#cf222e" }

const text = (x: number, y: number, content: string, attributes = ""): string =>
  `<text x="${x}" y="${y}"${attributes}>${escape(content)}</text>`

const draw = (attempts: ReadonlyArray<TimedAttempt>): string => {
  const total = Math.ceil(Math.max(...attempts.map(({ endedAt }) => Duration.toSeconds(endedAt))))
  const x = (seconds: number) => Math.round(left + (seconds / total) * (right - left))
  const operations = Array.from(Map.groupBy(attempts, ({ attempt, step }) => `${step}\n${attempt.operation}`).values())
  const height = top + operations.length * rowHeight + 46
  const rows: Array<string> = []
  for (const [index, row] of operations.entries()) {
    const y = top + index * rowHeight
    rows.push(
      text(12, y + 4, row[0]?.attempt.operation ?? ""),
      `<line x1="${left}" y1="${y}" x2="${right}" y2="${y}" class="grid"/>`
    )
    for (const { attempt: { status = 0, waitCause, waited }, endedAt } of row) {
      const at = x(Duration.toSeconds(endedAt))
      if (waitCause !== undefined) {
        const from = x(Duration.toSeconds(endedAt) - Duration.toSeconds(waited))
        rows.push(`<line x1="${from}" y1="${y}" x2="${at}" y2="${y}" class="wait ${waitCause}"/>`)
      }
      rows.push(`<circle cx="${at}" cy="${y}" r="5" fill="${colors[Math.floor(status / 100)] ?? "#8250df"}"/>`)
      if (status >= 400) rows.push(text(at, y - 8, String(status), ` text-anchor="middle" class="status"`))
    }
  }
  const seconds = Array.from({ length: Math.floor(total / 2) + 1 }, (_, index) => index * 2)
  const axis = seconds.map((second) => text(x(second), 34, `${second} s`, ` text-anchor="middle" class="axis"`))
  const legendY = height - 18
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 ${height}" role="img" aria-labelledby="title">`,
    `<title id="title">Attempts of the demo: refused calls wait and are repeated, a document is polled and downloaded</title>`,
    `<style>`,
    `text{font:12px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#24292f}`,
    `.axis{font-size:11px}.status{font-size:10px}.axis{fill:#57606a}rect{fill:#fff}.grid{stroke:#d0d7de}`,
    `.wait{stroke:#bf8700;stroke-width:3}.poll{stroke:#0969da}`,
    `@media(prefers-color-scheme:dark){rect{fill:#0d1117}text{fill:#e6edf3}.axis{fill:#9198a1}.grid{stroke:#30363d}.poll{stroke:#4493f8}}`,
    `</style>`,
    `<rect width="800" height="${height}" rx="8"/>`,
    ...axis,
    ...rows,
    `<circle cx="18" cy="${legendY}" r="5" fill="${colors[2]}"/>`,
    text(30, legendY + 4, "success"),
    `<circle cx="118" cy="${legendY}" r="5" fill="${colors[4]}"/>`,
    text(130, legendY + 4, "refused: 4xx"),
    `<circle cx="318" cy="${legendY}" r="5" fill="${colors[5]}"/>`,
    text(330, legendY + 4, "not now: 5xx"),
    `<line x1="518" y1="${legendY}" x2="538" y2="${legendY}" class="wait"/>`,
    text(546, legendY + 4, "wait"),
    `<line x1="598" y1="${legendY}" x2="618" y2="${legendY}" class="wait poll"/>`,
    text(626, legendY + 4, "wait before a poll"),
    `</svg>`,
    ``
  ].join("\n")
}

const program = Effect.gen(function*() {
  const time = yield* Effect.forkScoped(advancing)
  const attempts = yield* steps
  yield* Fiber.interrupt(time)
  const generated = draw(attempts)
  if (!process.argv.includes("--check")) {
    mkdirSync("docs/pictures", { recursive: true })
    writeFileSync(target, generated)
  } else if (readFileSync(target, "utf8") !== generated) {
    process.stderr.write(`${target} is out of date: run \`npx -y pnpm@12 exec node tools/scripts/pictures.ts\`\n`)
    process.exitCode = 1
  }
}).pipe(
  Effect.scoped,
  Effect.provide(FakeLanguageService.layerServices({ ...fakeOptions, client: { resilience } })),
  Random.withSeed("pictures"),
  Effect.provide([files, Path.layer, TestClock.layer(), TestConsole.layer])
)

await Effect.runPromise(program)
