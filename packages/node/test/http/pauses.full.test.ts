import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import type { Socket } from "node:net"
import { bundled } from "../../../../test/support/bundled.ts"
import { ending, type Process, start } from "../../../../test/support/processes.ts"
import { sampled } from "../../../../test/support/scale.ts"
import { live } from "../../../../test/support/tests.ts"
import { authority } from "../support/certificates.ts"
import { listen } from "../support/listen.ts"
import type { Ended, Order } from "../support/pausable.ts"
import { tlsServer } from "../support/tlsServer.ts"

const script = await bundled(new URL("../support/pausable.ts", import.meta.url))

/** A server that passes each request to `answer`. */
const serverOf = (answer: (socket: Socket, number: number) => void) =>
  Effect.suspend(() => {
    let received = 0
    return listen((socket) =>
      socket.on("data", (data) => {
        if (data.toString("latin1").startsWith("POST ")) answer(socket, ++received)
      })
    )
  })

const head = (status: string, length: number, type = "application/json") =>
  `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`

/** The parts of an answer, sent before the pause and while the process is stopped. */
const answers = (work: Order["work"]): readonly [before: string, meanwhile: string] => {
  const corrected = JSON.stringify({
    improvements: [{ text: "This is fine.", detected_source_language: "en", target_language: "en-GB" }]
  })
  const created = JSON.stringify({
    style_id: "fa0f2e5a-7f5d-4d8e-a1ae-3c7c0e4e1a55",
    name: "House style",
    creation_time: "2026-03-01T08:00:00Z",
    updated_time: "2026-03-02T09:30:00Z",
    language: "en",
    version: 1,
    configured_rules: {},
    custom_instructions: []
  })
  switch (work) {
    case "correct":
    case "limited":
      return ["", head("200 OK", corrected.length) + corrected]
    case "create":
      return [head("201 Created", created.length), created]
    case "download":
      return [head("200 OK", 2_000_000, "text/plain") + "x".repeat(100_000), "x".repeat(1_900_000)]
  }
}

/** Runs a process and stops it after its request, for so long that its timers are late when it continues. */
const paused = Effect.fnUntraced(function*(
  { pause, ...order }: Omit<Order, "url" | "ca"> & { readonly pause: number },
  isTls: boolean
) {
  let program: Process | undefined
  const [before, meanwhile] = answers(order.work)
  const stopAndGo = (socket: Socket) =>
    Effect.gen(function*() {
      socket.write(before)
      // The process has received this by the time it is stopped.
      yield* Effect.sleep(300)
      program?.child.kill("SIGSTOP")
      yield* Effect.sleep(100)
      socket.write(meanwhile)
      yield* Effect.sleep(pause)
      program?.child.kill("SIGCONT")
    })
  const server = yield* serverOf((socket, number) => {
    if (number === (order.work === "limited" ? 20 : 1)) Effect.runFork(stopAndGo(socket))
    else socket.write(before + meanwhile)
  })
  const url = isTls ? `https://localhost:${(yield* tlsServer(server.port)).port}` : server.url
  program = yield* start(process.execPath, [script, JSON.stringify({ ...order, url, ca: authority })])
  const ended: Ended = JSON.parse((yield* ending(program)).out)
  return ended
}, Effect.scoped)

/** The highest number of requests within a second. */
const mostInSecond = (sent: ReadonlyArray<number>): number =>
  Math.max(...sent.map((from) => sent.filter((at) => at >= from && at < from + 1000).length))

/**
 * The default timeouts in milliseconds, and pauses shorter than both, between them, and longer than both; all scaled down, as the
 * test would take more than half a minute.
 */
const scale = 0.2
const times = { attemptTimeout: 10_000 * scale, bodyIdleTimeout: 30_000 * scale }
const pauses = sampled([3000 * scale, 12_000 * scale, 32_000 * scale], 1)
const works: ReadonlyArray<Order["work"]> = ["correct", "create", "download"]

// Windows has no signals to stop a process.
describe.skipIf(process.platform === "win32")("a process that is stopped", { concurrent: true }, () => {
  live("reads the bytes that arrived in the meantime before a late timer ends the call", function*() {
    const runs = works.flatMap((work, one) =>
      pauses.map((pause, other) => ({ work, pause, isTls: (one + other) % 2 === 0 }))
    )
    const ended = yield* Effect.forEach(
      runs,
      ({ isTls, pause, work }) =>
        Effect.map(
          paused({ ...times, work, pause }, isTls),
          ({ said, sent }) => `${work}, ${pause} ms, TLS: ${isTls}: ${said}, ${sent.length} request`
        ),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(
      ended,
      runs.map(({ isTls, pause, work }) => `${work}, ${pause} ms, TLS: ${isTls}: done, 1 request`)
    )
  })

  live("does not send the calls that it missed in a burst", function*() {
    const ended = yield* Effect.forEach(
      pauses,
      (pause) => paused({ ...times, work: "limited", pause }, false),
      { concurrency: "unbounded" }
    )
    for (const { said, sent } of ended) {
      assert.strictEqual(said, "done")
      assert.strictEqual(sent.length, 40)
      // Ten intervals have eleven ends, and a busy machine delays some calls. The shortest pause alone misses six.
      assert.isAtMost(mostInSecond(sent), 14)
    }
  })
})
