import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { bundled } from "../../../../test/support/bundled.ts"
import { ending, kill, startNode } from "../../../../test/support/processes.ts"
import { sampled } from "../../../../test/support/scale.ts"
import { live } from "../../../../test/support/tests.ts"
import { document, partSize, setup, until } from "../support/documents.ts"
import { type Answer, done, gone, stall, whole } from "../support/rawServer.ts"

const script = await bundled(new URL("../support/killable.ts", import.meta.url))

type Made = Effect.Success<ReturnType<typeof setup>>

/** A process that saves a document. `failure` is empty unless it fails. */
const program = ({ journal, server: { url }, target }: Made, documentId: string = document.documentId) => {
  const documentKey = Redacted.value(document.documentKey)
  const order = {
    key: "key",
    url,
    journal: journal.folder,
    document: { documentId, documentKey },
    target,
    work: "download"
  }
  return Effect.map(startNode(script, [JSON.stringify(order)]), (process) => ({
    pid: process.child.pid,
    failure: Effect.map(ending(process), ({ err, out }) => out + err),
    kill: kill(process)
  }))
}

/** A document whose last bytes are sent when that is said. */
const held = () => {
  let isReleased = false
  const answer: Answer = (socket) => {
    stall("hel", 5)(socket)
    Effect.runFork(Effect.andThen(
      until(() => isReleased || socket.destroyed),
      Effect.sync(() => socket.destroyed || socket.write("lo"))
    ))
  }
  return {
    answer,
    release: () => {
      isReleased = true
    }
  }
}

describe("two at one document", () => {
  live("in one program: one saves it, and the other is told so", function*() {
    const { answer, release } = held()
    const { directory, download, journal, resume, server, target } = yield* setup([answer])
    const first = yield* Effect.forkChild(download({ target }))
    yield* until(() => partSize(directory) === 3)
    const before = yield* journal.entries()
    for (const second of [download({ target: `${target}.2` }), resume("doc-1")]) {
      const error = yield* Effect.flip(second)
      assert.strictEqual(error._tag, "Busy")
    }
    assert.deepStrictEqual(yield* journal.entries(), before)
    release()
    assert.strictEqual((yield* Fiber.join(first)).bytes, 5)
    assert.strictEqual(server.requests.length, 1)
    assert.deepStrictEqual(readdirSync(directory), ["letter.txt"])
    assert.deepStrictEqual(readdirSync(journal.folder), [])
  })

  live("in two programs: one saves it, and the other is told who does", function*() {
    const { answer, release } = held()
    const made = yield* setup([answer])
    const { directory, journal, server, target } = made
    const first = yield* program(made)
    yield* until(() => partSize(directory) === 3)
    const second = yield* program(made)
    assert.include(yield* second.failure, `is claimed by process ${first.pid}`)
    release()
    assert.strictEqual(yield* first.failure, "")
    assert.strictEqual(readFileSync(target, "utf8"), "hello")
    assert.strictEqual(server.requests.length, 1)
    assert.deepStrictEqual(readdirSync(directory), ["letter.txt"])
    assert.deepStrictEqual(readdirSync(journal.folder), [])
  })

  live("in many programs that start at once: one saves it", function*() {
    const made = yield* setup([whole("200 OK", "hello")])
    const programs = yield* Effect.forEach(sampled([1, 2, 3, 4], 3), () => program(made))
    const failures = yield* Effect.forEach(programs, ({ failure }) => failure)
    assert.include(failures, "")
    for (const failure of failures) assert.match(failure, /^$|is claimed by|exists/)
    assert.strictEqual(made.server.requests.length, 1)
    assert.strictEqual(readFileSync(made.target, "utf8"), "hello")
    assert.deepStrictEqual(readdirSync(made.directory), ["letter.txt"])
    assert.deepStrictEqual(readdirSync(made.journal.folder), [])
  })
})

describe("two documents with one target", () => {
  live("in two programs: one is saved, and the other is not requested", function*() {
    const { answer, release } = held()
    const made = yield* setup([answer])
    const { directory, journal, server, target } = made
    const first = yield* program(made)
    yield* until(() => partSize(directory) === 3)
    const second = yield* program(made, "doc-2")
    assert.include(yield* second.failure, `${target} is claimed by process ${first.pid}`)
    release()
    assert.strictEqual(yield* first.failure, "")
    assert.strictEqual(server.requests.length, 1)
    assert.deepStrictEqual(readdirSync(directory), ["letter.txt"])
    assert.deepStrictEqual(readdirSync(journal.folder), [])
  })
})

describe("a program that is killed in the middle of a download", () => {
  live("leaves its lock to the next, which saves the document if the service still has it", function*() {
    const made = yield* setup([stall("hel", 5), whole("200 OK", "hello")])
    const { directory, journal, target } = made
    const first = yield* program(made)
    yield* until(() => partSize(directory) === 3)
    yield* first.kill
    assert.isTrue(readdirSync(journal.folder).some((name) => name.endsWith(".lock")))
    const second = yield* program(made)
    assert.strictEqual(yield* second.failure, "")
    assert.strictEqual(readFileSync(target, "utf8"), "hello")
    assert.deepStrictEqual(readdirSync(directory), ["letter.txt"])
    assert.deepStrictEqual(readdirSync(journal.folder), [])
  })

  live("leaves what arrived, and the next says at which byte the document was lost", function*() {
    const made = yield* setup([stall("hel", 5)], {}, [done, gone])
    const { directory, journal, resume, target } = made
    const first = yield* program(made)
    yield* until(() => partSize(directory) === 3)
    yield* first.kill
    const error = yield* Effect.flip(resume("doc-1"))
    assert.deepInclude<object>(error, {
      _tag: "DownloadInterrupted",
      available: false,
      bytesReceived: 3,
      bytesExpected: 5
    })
    assert.isFalse(existsSync(target))
    assert.strictEqual((yield* journal.get("doc-1"))?._tag, "Lost")
  })
})
