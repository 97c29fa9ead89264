// Document commands that are stopped in the middle, and those that go on with what they leave.
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { once } from "node:events"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { document, folder, journalIn, partSize, until } from "../../../../../packages/node/test/support/documents.ts"
import { rawServer, slowly, stall, whole } from "../../../../../packages/node/test/support/rawServer.ts"
import { live, liveWith } from "../../../../../test/support/tests.ts"
import { inProcess } from "../../support/cli.ts"
import { ending, startCli } from "../../support/cliProcess.ts"

const key = "key-that-nobody-sees"

/** Documents take an hour, or less when the test says so. */
const fake = Layer.fresh(
  NodeFakeLanguageService.layer({ keys: [{ key, tier: "paid" }], seed: "cli", readyAfter: "1 hour" })
)

const place = Effect.fnUntraced(function*(url: string) {
  const directory = yield* folder
  const state = yield* folder
  const source = join(directory, "letter.txt")
  writeFileSync(source, "Good morning")
  return {
    directory,
    source,
    env: { LANGUAGE_SERVICE_KEY: key, LANGUAGE_SERVICE_BASE_URL: url, XDG_STATE_HOME: state },
    journal: journalIn(join(state, "effect-lingua", "documents"))
  }
})

type Process = Effect.Success<ReturnType<typeof startCli>>

/** Waits until a process has written texts on standard error. */
const told = Effect.fnUntraced(function*({ child }: Process, ...texts: ReadonlyArray<string>) {
  let seen = ""
  while (!texts.every((text) => seen.includes(text))) {
    const [chunk] = yield* Effect.promise(() => once(child.stderr, "data"))
    seen += String(chunk)
  }
})

const documentKey = Redacted.value(document.documentKey)

const test = liveWith(fake)

describe.concurrent("a document command that is stopped", () => {
  test("by Ctrl-C while it waits ends with 130 and says how to go on, which works", function*() {
    const { advance, effects, secrets, url } = yield* FakeLanguageService
    const { directory, env, journal, source } = yield* place(url)
    const process = yield* startCli(["documents", "translate", "--to", "de", source], { env, stdin: "" })
    yield* told(process, "waiting for its turn")
    process.child.kill("SIGINT")
    const { code, err, out } = yield* ending(process)
    const [entry] = yield* journal.entries()
    const id = entry?._tag === "Uploaded" ? entry.documentId : ""
    assert.deepStrictEqual([code, out], [130, ""])
    const hint = `effect-lingua: ${source}: to resume: effect-lingua documents resume ${id}\n`
    assert.isTrue(err.endsWith(hint), err)
    yield* advance("1 hour")
    const resumed = yield* inProcess(["documents", "resume", id, "--quiet"], { env })
    const target = join(directory, "letter.de.txt")
    assert.deepStrictEqual(resumed, { code: 0, out: `${target}\n`, err: "" })
    assert.strictEqual(readFileSync(target, "utf8"), "[de] Good morning")
    assert.deepStrictEqual(yield* journal.entries(), [])
    assert.strictEqual((yield* effects)["Documents.upload"].count, 1)
    for (const secret of yield* secrets) assert.notInclude(err, Redacted.value(secret))
  })

  test("by Ctrl-C with several names one command that resumes all of them", function*() {
    const { advance, effects, url } = yield* FakeLanguageService
    const { directory, env, source } = yield* place(url)
    const names = ["a.txt", "b.txt", "c.txt", "d.txt"]
    for (const name of names) writeFileSync(join(directory, name), "Good morning")
    const files = [source, ...names.map((name) => join(directory, name))]
    const process = yield* startCli(["documents", "translate", "--to", "de", ...files], { env, stdin: "" })
    // 4 at once is the default.
    yield* told(process, ...["letter.txt", "a.txt", "b.txt", "c.txt"].map((name) => `${name}: waiting for its turn`))
    process.child.kill("SIGINT")
    const { code, err } = yield* ending(process)
    assert.strictEqual(code, 130)
    assert.notInclude(err, "d.txt")
    assert.strictEqual(err.match(/to resume/g)?.length, 1, err)
    assert.include(err, "to resume all that were started: effect-lingua documents resume\n")
    assert.include(err, "for the documents that were not started, run this command again with --skip-existing\n")
    yield* advance("1 hour")
    assert.strictEqual((yield* inProcess(["documents", "resume", "--quiet"], { env })).code, 0)
    const running = yield* startCli(["documents", "translate", "--to", "de", ...files, "--skip-existing"], {
      env,
      stdin: ""
    })
    yield* told(running, "d.txt: waiting for its turn")
    yield* advance("1 hour")
    assert.strictEqual((yield* ending(running)).code, 0)
    assert.strictEqual((yield* effects)["Documents.upload"].count, 5)
  })

  test("by SIGKILL while it waits leaves a journal that resume goes on from", function*() {
    const { advance, effects, url } = yield* FakeLanguageService
    const { directory, env, journal, source } = yield* place(url)
    const process = yield* startCli(["documents", "translate", "--to", "de", source], { env, stdin: "" })
    yield* told(process, "waiting for its turn")
    process.child.kill("SIGKILL")
    yield* ending(process)
    assert.deepStrictEqual((yield* journal.entries()).map(({ _tag }) => _tag), ["Uploaded"])
    yield* advance("1 hour")
    const resumed = yield* inProcess(["documents", "resume", "--quiet"], { env })
    assert.deepStrictEqual(resumed, { code: 0, out: `${join(directory, "letter.de.txt")}\n`, err: "" })
    assert.strictEqual((yield* effects)["Documents.upload"].count, 1)
  })

  live.each(["SIGINT", "SIGKILL"] as const)(
    "by %s in the middle of a slow download goes on from what the service still has",
    function*(signal) {
      const server = yield* rawServer([slowly(1000, 1_000_000), whole("200 OK", "hello")])
      const { directory, env, journal } = yield* place(server.url)
      const target = join(directory, "out.txt")
      const process = yield* startCli(["documents", "download", "doc-1", "--output", target], {
        env: { ...env, LANGUAGE_SERVICE_DOCUMENT_KEY: documentKey },
        stdin: ""
      })
      yield* until(() => partSize(directory) > 2000)
      process.child.kill(signal)
      const { code, err, out } = yield* ending(process)
      assert.strictEqual(out, "")
      assert.notInclude(err, documentKey)
      assert.isFalse(existsSync(target))
      if (signal === "SIGINT") {
        assert.strictEqual(code, 130)
        assert.match(err, /\neffect-lingua: interrupted; \d+ bytes of the document are kept in /)
        assert.isTrue(err.endsWith("effect-lingua: doc-1: to resume: effect-lingua documents resume doc-1\n"), err)
      }
      assert.deepStrictEqual((yield* journal.entries()).map(({ _tag }) => _tag), ["Downloading"])
      const pending = yield* inProcess(["documents", "pending"], { env })
      assert.match(pending.out, /^doc-1 +downloading /m)
      const resumed = yield* inProcess(["documents", "resume", "doc-1", "--quiet"], { env })
      assert.deepStrictEqual(resumed, { code: 0, out: `${target}\n`, err: "" })
      assert.strictEqual(readFileSync(target, "utf8"), "hello")
      assert.deepStrictEqual(yield* journal.entries(), [])
    }
  )

  live("by the end of the connection tells what is kept and how to go on", function*() {
    const server = yield* rawServer([
      (socket) => {
        stall("hel", 5)(socket)
        socket.end()
      }
    ])
    const { directory, env } = yield* place(server.url)
    const { code, err } = yield* inProcess(
      ["documents", "download", "doc-1", "--output", join(directory, "out.txt"), "--json"],
      { env: { ...env, LANGUAGE_SERVICE_DOCUMENT_KEY: documentKey } }
    )
    const [error, next] = err.trimEnd().split("\n").slice(-2).map((line) => JSON.parse(line))
    assert.strictEqual(code, 12)
    assert.deepInclude(error, {
      error: "DownloadInterrupted",
      documentId: "doc-1",
      bytesReceived: 3,
      bytesExpected: 5,
      available: true
    })
    assert.deepInclude(next, { type: "next", id: "doc-1", command: "effect-lingua documents resume doc-1" })
    assert.notInclude(err, documentKey)
  })
})

describe.concurrent("two processes for one document", () => {
  test("are one that works at it, and one that is too late", function*() {
    const { advance, effects, url } = yield* FakeLanguageService
    const { directory, env, journal, source } = yield* place(url)
    const first = yield* startCli(["documents", "translate", "--to", "de", source], { env, stdin: "" })
    yield* told(first, "waiting for its turn")
    const [entry] = yield* journal.entries()
    const id = entry?._tag === "Uploaded" ? entry.documentId : ""
    for (const args of [["resume", id], ["resume"], ["download", id], ["forget", id]]) {
      const second = yield* inProcess(["documents", ...args], { env })
      assert.strictEqual(second.code, 7, second.err)
      assert.match(second.err, /^effect-lingua: \w+ is in use by [^\n]+; wait until that ends\n$/)
    }
    yield* advance("1 hour")
    const { code, out } = yield* ending(first)
    assert.deepStrictEqual([code, out], [0, `${join(directory, "letter.de.txt")}\n`])
    assert.strictEqual((yield* effects)["Documents.download"].count, 1)
  })
})
