import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Logger, Scope } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { recordedLog } from "../../../../test/support/logs.ts"
import { sampled } from "../../../../test/support/scale.ts"
import { live } from "../../../../test/support/tests.ts"
import { turn } from "../../../../test/support/virtual.ts"
import { document, inTwo, parts, partSize, setup, until, untilSettled } from "../support/documents.ts"
import { slowly, stall, whole } from "../support/rawServer.ts"

/**
 * Interrupts a fiber at the moment that something shows on the disk, before the fiber can know of it: between turns of
 * the event loop this one looks all the time for a while, once the server was asked for the document, and what works on
 * the disk has threads of its own.
 */
const interruptAt = <A, E>(requests: ReadonlyArray<string>, fiber: Fiber.Fiber<A, E>, condition: () => boolean) =>
  Effect.callback<void>((resume) => {
    const look = () => {
      for (const end = performance.now() + (requests.length === 0 ? 0 : 3); performance.now() < end;) {
        if (!condition()) continue
        fiber.interruptUnsafe()
        return resume(Effect.asVoid(Fiber.await(fiber)))
      }
      setImmediate(look)
    }
    look()
  })

describe("an interrupted NodeDocuments.downloadToFile", () => {
  live("keeps what arrived and logs a warning that says where", function*() {
    const { directory, download, server, target } = yield* setup([stall("hel", 5)])
    const { layer, lines } = recordedLog(Logger.formatLogFmt)
    const fiber = yield* Effect.forkChild(Effect.provide(download({ target }), layer))
    yield* untilSettled(() => partSize(directory) === 3)
    yield* Fiber.interrupt(fiber)
    yield* untilSettled(() => server.open() === 0)
    assert.isFalse(existsSync(target))
    const [part = "", ...others] = readdirSync(directory)
    assert.deepStrictEqual(others, [])
    assert.strictEqual(readFileSync(join(directory, part), "utf8"), "hel")
    const warnings = lines.filter((line) => line.includes(join(directory, part)))
    assert.strictEqual(warnings.length, 1)
    assert.include(warnings[0], "level=WARN")
    assert.include(warnings[0], "3 bytes")
    assert.notInclude(warnings[0], "doc-1")
  })

  live("by the release of its client ends at once though bytes arrive, with what arrived and the reason", function*() {
    const { directory, layer, target } = yield* setup([slowly(1, 1_000_000)])
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(layer, scope)
    const download = NodeDocuments.use(({ downloadToFile }) => downloadToFile({ ...document, target }))
    const fiber = yield* Effect.forkChild(Effect.flip(Effect.provide(download, context)))
    yield* until(() => partSize(directory) > 1)
    yield* Scope.close(scope, Exit.void)
    const error = yield* Fiber.join(fiber)
    assert.strictEqual(error._tag, "DownloadInterrupted")
    assert.include(error.message, "The layer of the client was released")
    assert.include(error.message, `kept in ${join(directory, parts(directory)[0] ?? "none")}`)
  })

  live("leaves nothing behind when no byte arrived, and logs nothing", function*() {
    const { directory, download, server, target } = yield* setup([() => undefined])
    const { layer, lines } = recordedLog(Logger.formatLogFmt)
    const fiber = yield* Effect.forkChild(Effect.provide(download({ target }), layer))
    yield* until(() => server.requests.length === 1)
    yield* Fiber.interrupt(fiber)
    assert.deepStrictEqual(readdirSync(directory), [])
    assert.deepStrictEqual(lines, [])
  })

  // The turns of the event loop between the last byte and the interruption.
  live.each(sampled(Array.from({ length: 20 }, (_, turns) => turns), 2))(
    "after the last byte leaves the document or its temporary file, and not both (%d)",
    function*(turns) {
      let watched = ""
      const { directory, download, target } = yield* setup([inTwo("hel", "lo", () => watched)])
      watched = directory
      const fiber = yield* Effect.forkChild(download({ target }))
      yield* turn.pipe(Effect.repeat({ until: () => partSize(directory) === 5 || existsSync(target) }))
      yield* Effect.repeat(turn, { times: turns })
      yield* Fiber.interrupt(fiber)
      const [name = "", ...others] = readdirSync(directory)
      assert.deepStrictEqual(others, [])
      assert.isTrue(name === "letter.txt" || name.endsWith(".part"), name)
      assert.strictEqual(readFileSync(join(directory, name), "utf8"), "hello")
    }
  )

  live("while the document takes its place leaves it there, and not its temporary file too", function*() {
    const { directory, download, server, target } = yield* setup([whole("200 OK", "hello")])
    const fiber = yield* Effect.forkChild(download({ target }))
    yield* interruptAt(server.requests, fiber, () => existsSync(target))
    assert.deepStrictEqual(readdirSync(directory), ["letter.txt"])
    assert.strictEqual(readFileSync(target, "utf8"), "hello")
  })

  // Bytes are in the file, but the write has not said so yet; the service has deleted the document.
  live.each(sampled(Array.from({ length: 20 }, (_, run) => run), 2))(
    "during the first write keeps what the file holds (%d)",
    function*() {
      const body = "x".repeat(60_000)
      const { directory, download, server, target } = yield* setup([whole("200 OK", body)])
      const fiber = yield* Effect.forkChild(download({ target }))
      yield* interruptAt(server.requests, fiber, () => partSize(directory) > 0)
      const [name = "", ...others] = readdirSync(directory)
      assert.deepStrictEqual(others, [])
      assert.notStrictEqual(name, "", "nothing is left")
      assert.isNotEmpty(readFileSync(join(directory, name), "utf8"))
    }
  )
})
