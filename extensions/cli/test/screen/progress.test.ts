// What a person and a program see of long work, in virtual time.
import { DocumentId, JobId } from "@effect-lingua/core/contract/Ids"
import { Progress as Step } from "@effect-lingua/core/jobs/Progress"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Console, Duration, Effect, Layer, Sink, Stdio, Terminal } from "effect"
import { TestClock } from "effect/testing"
import { effect } from "../../../../test/support/tests.ts"
import * as Board from "../../src/screen/board.ts"
import { counts, show } from "../../src/screen/progress.ts"
import { logger, toStdout } from "../../src/screen/screen.ts"
import * as Settings from "../../src/settings/settings.ts"

const MiB = 1024 * 1024

const documentId = DocumentId.make("doc-1")

interface Screen {
  readonly terminal?: boolean
  readonly json?: boolean
  readonly quiet?: boolean
  readonly columns?: number
  readonly rows?: number
  readonly names?: ReadonlyArray<string>
}

/** Runs with a screen, and gives what was written before each call of `take`, and at last when it is over. */
const taken = Effect.fnUntraced(function*<E, R>(
  { columns = 120, json = false, quiet = false, rows = 24, terminal = false }: Screen,
  run: (take: () => void) => Effect.Effect<void, E, R>
) {
  let text = ""
  const note = (chunk: string | Uint8Array) =>
    Effect.sync(() => {
      text += String(chunk)
    })
  const stdio = Stdio.layerTest({
    stderrIsTerminal: Effect.succeed(terminal),
    stdout: () => Sink.forEach(note),
    stderr: () => Sink.forEach(note)
  })
  const screen = Layer.effect(
    Terminal.Terminal,
    Terminal.Terminal.use((terminal) =>
      Effect.succeed({ ...terminal, columns: Effect.succeed(columns), rows: Effect.succeed(rows) })
    )
  ).pipe(Layer.provide(NodeTerminal.layer))
  const parts: Array<string> = []
  const take = () => {
    parts.push(text)
    text = ""
  }
  yield* run(take).pipe(
    Effect.scoped,
    Board.provide,
    Effect.provide([stdio, screen, logger]),
    Effect.provideService(Console.Console, {
      ...globalThis.console,
      error: (line) => {
        text += `${line}\n`
      }
    }),
    Effect.provideService(Settings.Json, json),
    Effect.provideService(Settings.Quiet, quiet),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: { NO_COLOR: "1" } }))
  )
  take()
  return parts
})

/** The same of steps, of each name. */
const written = (screen: Screen, steps: ReadonlyArray<readonly [after: Duration.Input, step: Step | undefined]>) =>
  taken(
    screen,
    Effect.fnUntraced(function*(take) {
      const { names = ["a.docx"] } = screen
      const reports = yield* Effect.forEach(names, (name) => show(name))
      for (const [after, step] of steps) {
        yield* TestClock.adjust(after)
        if (step !== undefined) yield* Effect.forEach(reports, (report) => report(step))
        take()
      }
      if (names.length > 1) {
        yield* toStdout("something else\n")
        take()
        yield* Effect.logWarning("a warning")
        take()
      }
    })
  )

const whole = [
  ["0 millis", Step.Started({ id: documentId })],
  ["0 millis", Step.Waiting({ id: documentId, state: "queued" })],
  ["2 seconds", Step.Waiting({ id: documentId, state: "queued" })],
  ["3 seconds", Step.Waiting({ id: documentId, state: "queued" })],
  ["0 millis", Step.Waiting({ id: documentId, state: "reviewed" })],
  ["1 second", Step.Waiting({ id: documentId, state: "translating", remaining: Duration.seconds(30) })],
  ["1 second", Step.Completed({ id: documentId })],
  ["0 millis", Step.Received({ id: documentId, bytes: 0, total: 4 * MiB })],
  ["2 seconds", Step.Received({ id: documentId, bytes: MiB, total: 4 * MiB })],
  ["4 seconds", Step.Received({ id: documentId, bytes: 3 * MiB, total: 4 * MiB })],
  ["5 seconds", Step.Received({ id: documentId, bytes: 4 * MiB, total: 4 * MiB })],
  ["0 millis", Step.Saved({ id: documentId, path: "/a.docx", bytes: 4 * MiB })]
] as const

const told = (text: string) => `effect-lingua: a.docx: ${text}\n`

describe("progress", () => {
  it.effect("is a line at each change of state where there is no terminal, and one every few seconds within it", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* written({}, whole), [
        told(`started as ${documentId}`),
        told("waiting for its turn (0 s)"),
        "",
        told("waiting for its turn (5 s)"),
        told("the service calls it \"reviewed\" (0 s)"),
        told("translating, about 30 s left"),
        told("completed"),
        told("downloading [--------------------] 0% 0 B of 4.0 MiB"),
        "",
        told("downloading [###############-----] 75% 3.0 MiB of 4.0 MiB 512.0 KiB/s 2 s left"),
        told("downloading [####################] 100% 4.0 MiB of 4.0 MiB 372.4 KiB/s"),
        told("saved"),
        ""
      ])
    }))

  effect("of an import or export tells the states of its job in words, where they are known", function*() {
    const jobId = JobId.make("job-1")
    const parts = yield* written({}, [
      ["0 millis", Step.Started({ id: jobId })],
      ["0 millis", Step.Sent({ id: jobId, bytes: MiB, total: MiB })],
      ["0 millis", Step.Waiting({ id: jobId, state: "awaiting_input" })],
      ["1 second", Step.Waiting({ id: jobId, state: "processing" })],
      ["1 second", Step.Waiting({ id: jobId, state: "processing" })],
      ["1 second", Step.Waiting({ id: jobId, state: "reviewed" })],
      ["1 second", Step.Completed({ id: jobId })]
    ])
    assert.deepStrictEqual(parts, [
      told("started as job-1"),
      told("uploading [####################] 100% 1.0 MiB of 1.0 MiB"),
      told("waiting for the service to notice the file (0 s)"),
      told("processing (0 s)"),
      "",
      told("the service calls it \"reviewed\" (0 s)"),
      told("completed"),
      ""
    ])
    const [json = ""] = yield* written({ json: true }, [["0 millis", Step.Completed({ id: jobId })]])
    assert.deepInclude<object>(JSON.parse(json), { type: "progress", state: "Completed", id: jobId })
  })

  effect("quotes an unknown state, also one named like a property of each object", function*() {
    const steps = [["0 millis", Step.Waiting({ id: documentId, state: "constructor" })]] as const
    assert.deepStrictEqual(yield* written({}, steps), [told("the service calls it \"constructor\" (0 s)"), ""])
  })

  effect("is one line on a terminal that is written over, goes on by itself, and is gone at the end", function*() {
    const clear = "\r\u001b[J"
    const line = (text: string) => `${clear}a.docx: ${text}`
    assert.deepStrictEqual(
      yield* written({ terminal: true }, [
        ["0 millis", Step.Waiting({ id: documentId, state: "translating", remaining: Duration.seconds(30) })],
        ["1 second", undefined],
        ["1 second", undefined],
        ["0 millis", Step.Received({ id: documentId, bytes: 1000 })],
        ["0 millis", Step.Received({ id: documentId, bytes: 1100 })],
        ["1 second", undefined],
        ["50 millis", Step.Received({ id: documentId, bytes: 2000 })],
        ["50 millis", Step.Received({ id: documentId, bytes: 3048 })]
      ]),
      [
        line("translating, about 30 s left"),
        line("translating, about 29 s left"),
        line("translating, about 28 s left"),
        line("downloading  1000 B"),
        "",
        line("downloading  1.1 KiB"),
        "",
        line("downloading  3.0 KiB  1.8 KiB/s"),
        clear
      ]
    )
    const [narrow] = yield* written({ terminal: true, columns: 20 }, [[
      "0 millis",
      Step.Waiting({ id: documentId, state: "queued" })
    ]])
    assert.strictEqual(narrow, line("waiting"))
  })

  effect("leaves out what does not fit the terminal, the time that is left at the very last", function*() {
    const steps = [
      ["0 millis", Step.Received({ id: documentId, bytes: 0, total: 4 * MiB })],
      ["2 seconds", Step.Received({ id: documentId, bytes: MiB, total: 4 * MiB })],
      ["1 second", undefined]
    ] as const
    const lines = yield* Effect.forEach(
      [120, 80, 60, 40, 30, 20, 10],
      (columns) =>
        Effect.map(written({ terminal: true, columns }, steps), (parts) => parts[2]?.split("\u001b[J").at(-1))
    )
    assert.deepStrictEqual(lines, [
      "a.docx: downloading  [#####---------------]  25%  1.0 MiB of 4.0 MiB  512.0 KiB/s  6 s left",
      "a.docx: [#####---------------]  25%  1.0 MiB of 4.0 MiB  512.0 KiB/s  6 s left",
      "a.docx: [##--------]  25%  512.0 KiB/s  6 s left",
      "a.docx: [##--------]  25%  6 s left",
      "a.docx: 25%  6 s left",
      "a.docx: 25%",
      "25%"
    ])
  })

  effect("shortens a long name in its middle", function*() {
    const name = "the minutes of the meeting of the board in November.docx"
    const [first] = yield* written({ terminal: true, columns: 40, names: [name] }, [
      ["0 millis", Step.Completed({ id: documentId })]
    ])
    assert.strictEqual(first, "\r\u001b[Jthe m....docx: completed")
  })

  effect("is a line for each of several documents, with all else above them", function*() {
    const parts = yield* written({ terminal: true, names: ["a.docx", "b.docx"] }, [
      ["0 millis", Step.Completed({ id: documentId })]
    ])
    assert.deepStrictEqual(parts, [
      "\r\u001b[Ja.docx: completed\r\u001b[Ja.docx: completed\nb.docx: completed",
      "\r\u001b[1A\u001b[Jsomething else\n\r\u001b[Ja.docx: completed\nb.docx: completed",
      "\r\u001b[1A\u001b[Jeffect-lingua: a warning\n",
      "\r\u001b[Ja.docx: completed\r\u001b[J"
    ])
    const [, low] = yield* written({ terminal: true, rows: 2, names: ["a.docx", "b.docx"] }, [
      ["0 millis", Step.Completed({ id: documentId })]
    ])
    assert.strictEqual(low, "\r\u001b[Jsomething else\n\r\u001b[Ja.docx: completed")
  })

  effect("of counts leaves out the complete ones", function*() {
    const parts = yield* taken(
      { terminal: true },
      Effect.fnUntraced(function*(take) {
        const count = yield* counts
        for (const [name, done] of [["de.json", 0], ["fr.json", 0], ["de.json", 1], ["de.json", 2]] as const) {
          yield* TestClock.adjust("1 second")
          yield* count(name, done, 2)
          take()
        }
      })
    )
    assert.deepStrictEqual(parts.map((part) => part.replace("\r\u001b[J", "")), [
      "de.json: 0 of 2",
      "de.json: 0 of 2  fr.json: 0 of 2",
      "de.json: 1 of 2  fr.json: 0 of 2",
      "fr.json: 0 of 2",
      ""
    ])
  })

  effect("is objects with --json, once a second at most within a state", function*() {
    const parts = yield* written({ json: true, terminal: true }, [
      ["0 millis", Step.Waiting({ id: documentId, state: "translating", remaining: Duration.seconds(30) })],
      ["0 millis", Step.Received({ id: documentId, bytes: 1, total: 2 })],
      ["500 millis", Step.Received({ id: documentId, bytes: 1, total: 2 })],
      ["500 millis", Step.Received({ id: documentId, bytes: 2, total: 2 })]
    ])
    assert.deepStrictEqual(
      parts.filter((part) => part !== "").map((part) => {
        const { message, ...fields } = JSON.parse(part)
        assert.match(message, /^a\.docx: /)
        return fields
      }),
      [
        { type: "progress", name: "a.docx", state: "translating", id: documentId, remaining: 30 },
        { type: "progress", name: "a.docx", state: "Received", id: documentId, bytes: 1, total: 2 },
        { type: "progress", name: "a.docx", state: "Received", id: documentId, bytes: 2, total: 2 }
      ]
    )
  })

  effect("is nothing with --quiet", function*() {
    for (const terminal of [true, false]) {
      assert.strictEqual((yield* written({ quiet: true, terminal }, whole)).join(""), "")
    }
  })
})
