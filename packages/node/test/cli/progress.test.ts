// What a person and a program see of long work, in virtual time.
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Layer, Sink, Stdio, Terminal } from "effect"
import { TestClock } from "effect/testing"
import { show, Step } from "../../src/internal/cli/progress.ts"
import * as Settings from "../../src/internal/cli/settings.ts"

const MiB = 1024 * 1024

interface Screen {
  readonly terminal?: boolean
  readonly json?: boolean
  readonly quiet?: boolean
  readonly columns?: number
}

/** Runs with a screen, and gives what was written after each step, and at last when it is over. */
const written = Effect.fnUntraced(function*(
  { columns = 120, json = false, quiet = false, terminal = false }: Screen,
  steps: ReadonlyArray<readonly [after: Duration.Input, step: Step | undefined]>
) {
  let text = ""
  const stdio = Stdio.layerTest({
    stderrIsTerminal: Effect.succeed(terminal),
    stderr: () =>
      Sink.forEach((chunk: string | Uint8Array) =>
        Effect.sync(() => {
          text += String(chunk)
        })
      )
  })
  const screen = Layer.effect(
    Terminal.Terminal,
    Terminal.Terminal.use((terminal) => Effect.succeed({ ...terminal, columns: Effect.succeed(columns) }))
  ).pipe(Layer.provide(NodeTerminal.layer))
  const parts: Array<string> = []
  const take = () => {
    parts.push(text)
    text = ""
  }
  yield* Effect.gen(function*() {
    const report = yield* show("a.docx")
    for (const [after, step] of steps) {
      yield* TestClock.adjust(after)
      if (step !== undefined) yield* report(step)
      take()
    }
  }).pipe(
    Effect.scoped,
    Effect.provide([stdio, screen]),
    Effect.provideService(Settings.Json, json),
    Effect.provideService(Settings.Quiet, quiet),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: { NO_COLOR: "1" } }))
  )
  take()
  return parts
})

const whole = [
  ["0 millis", Step.Uploaded()],
  ["0 millis", Step.Queued()],
  ["2 seconds", Step.Queued()],
  ["3 seconds", Step.Queued()],
  ["1 second", Step.Translating({ remaining: Duration.seconds(30) })],
  ["1 second", Step.Ready()],
  ["0 millis", Step.Received({ bytes: 0, total: 4 * MiB })],
  ["2 seconds", Step.Received({ bytes: MiB, total: 4 * MiB })],
  ["4 seconds", Step.Received({ bytes: 3 * MiB, total: 4 * MiB })],
  ["5 seconds", Step.Received({ bytes: 4 * MiB, total: 4 * MiB })],
  ["0 millis", Step.Saved()]
] as const

const told = (text: string) => `effect-lingua: a.docx: ${text}\n`

describe("progress", () => {
  it.effect("is a line at each change of state where there is no terminal, and one every few seconds within it", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* written({}, whole), [
        told("uploaded"),
        told("waiting for its turn (0s)"),
        "",
        told("waiting for its turn (5s)"),
        told("translating, about 30s left"),
        told("translated"),
        told("[--------------------] 0% 0 B of 4.0 MiB"),
        "",
        told("[###############-----] 75% 3.0 MiB of 4.0 MiB 512.0 KiB/s 2s left"),
        told("[####################] 100% 4.0 MiB of 4.0 MiB 372.4 KiB/s"),
        told("saved"),
        ""
      ])
    }))

  it.effect("is one line on a terminal that is written over, goes on by itself, and is gone at the end", () =>
    Effect.gen(function*() {
      const clear = "\r\u001b[2K"
      const line = (text: string) => `${clear}a.docx: ${text}`
      assert.deepStrictEqual(
        yield* written({ terminal: true }, [
          ["0 millis", Step.Translating({ remaining: Duration.seconds(30) })],
          ["1 second", undefined],
          ["1 second", undefined],
          ["0 millis", Step.Received({ bytes: 1000 })],
          ["50 millis", Step.Received({ bytes: 2000 })],
          ["50 millis", Step.Received({ bytes: 3048 })]
        ]),
        [
          line("translating, about 30s left"),
          line("translating, about 29s left"),
          line("translating, about 28s left"),
          line("1000 B"),
          "",
          line("3.0 KiB  20.0 KiB/s"),
          clear
        ]
      )
      const [narrow] = yield* written({ terminal: true, columns: 20 }, [["0 millis", Step.Queued()]])
      assert.strictEqual(narrow, `${clear}a.docx: waiting for`)
    }))

  it.effect("is objects with --json, once a second at most within a state", () =>
    Effect.gen(function*() {
      const parts = yield* written({ json: true, terminal: true }, [
        ["0 millis", Step.Translating({ remaining: Duration.seconds(30) })],
        ["0 millis", Step.Received({ bytes: 1, total: 2 })],
        ["500 millis", Step.Received({ bytes: 1, total: 2 })],
        ["500 millis", Step.Received({ bytes: 2, total: 2 })]
      ])
      assert.deepStrictEqual(
        parts.filter((part) => part !== "").map((part) => {
          const { message, ...fields } = JSON.parse(part)
          assert.match(message, /^a\.docx: /)
          return fields
        }),
        [
          { type: "progress", name: "a.docx", state: "Translating", remaining: 30 },
          { type: "progress", name: "a.docx", state: "Received", bytes: 1, total: 2 },
          { type: "progress", name: "a.docx", state: "Received", bytes: 2, total: 2 }
        ]
      )
    }))

  it.effect("is nothing with --quiet", () =>
    Effect.gen(function*() {
      for (const terminal of [true, false]) {
        assert.strictEqual((yield* written({ quiet: true, terminal }, whole)).join(""), "")
      }
    }))
})
