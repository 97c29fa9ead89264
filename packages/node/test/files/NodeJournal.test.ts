import { idOf, Journal } from "@effect-lingua/core/documents/Journal"
import * as NodeJournal from "@effect-lingua/node/files/NodeJournal"
import { assert, describe, it, vi } from "@effect/vitest"
import { Clock, ConfigProvider, Effect, Exit, Layer, Scope } from "effect"
import { once } from "node:events"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { isFull, scaled } from "../../../../test/support/scale.ts"
import { live } from "../../../../test/support/tests.ts"
import { folder, modeOf } from "../support/documents.ts"
import { entryOf, journalOf, warningsOf } from "../support/journals.ts"

const entries = (names: ReadonlyArray<string>) => names.filter((name) => name.endsWith(".json"))

describe("NodeJournal", () => {
  live("makes its folder with the first entry, and only the user can read both", function*() {
    const directory = join(yield* folder, "state", "documents")
    const journal = yield* journalOf(directory)
    assert.deepStrictEqual(yield* journal.entries, [])
    assert.isUndefined(yield* journal.get("a"))
    yield* journal.remove("a")
    assert.isFalse(existsSync(directory))
    yield* journal.put(entryOf("a"))
    assert.strictEqual(modeOf(directory), "700")
    assert.deepStrictEqual(readdirSync(directory), ["document-a.json"])
    assert.strictEqual(modeOf(join(directory, "document-a.json")), "600")
    const again = yield* journalOf(directory)
    assert.deepStrictEqual(yield* again.entries, [entryOf("a")])
    yield* again.remove("a")
    assert.deepStrictEqual(readdirSync(directory), [])
  })

  live("is in the user's state directory unless told another folder", function*() {
    const home = yield* folder
    const layer = Layer.provide(
      NodeJournal.layer(),
      ConfigProvider.layer(ConfigProvider.fromEnv({ env: { XDG_STATE_HOME: home } }))
    )
    yield* Journal.use((journal) => journal.put(entryOf("a"))).pipe(Effect.provide(layer))
    assert.deepStrictEqual(readdirSync(join(home, "effect-lingua", "documents")), ["document-a.json"])
  })

  live.each([..."ABCDEF|../../x|..||a/b|a\\b|con|a\0b|ünï 😀|%41|document-a.lock".split("|"), "x".repeat(190)])(
    "keeps a document with an odd id in the folder (%#)",
    function*(id) {
      const directory = yield* folder
      const inner = join(directory, "inner")
      const journal = yield* journalOf(inner)
      yield* Effect.scoped(Effect.andThen(journal.claim(id), journal.put(entryOf(id))))
      assert.deepStrictEqual(yield* journal.get(id), entryOf(id))
      assert.deepStrictEqual(yield* journal.entries, [entryOf(id)])
      assert.deepStrictEqual(readdirSync(directory), ["inner"])
      yield* journal.remove(id)
      assert.deepStrictEqual(readdirSync(inner), [])
      assert.deepStrictEqual(yield* journal.entries, [])
    }
  )

  live("keeps a document in memory whose id is too long for the name of a file", function*() {
    const directory = yield* folder
    const journal = yield* journalOf(directory)
    const id = "x".repeat(5000)
    const warnings = yield* warningsOf(Effect.scoped(Effect.andThen(journal.claim(id), journal.put(entryOf(id)))))
    assert.include(warnings[0], "too long")
    assert.deepStrictEqual(yield* journal.entries, [entryOf(id)])
    yield* journal.remove(id)
    assert.deepStrictEqual(yield* journal.entries, [])
    assert.deepStrictEqual(readdirSync(directory), [])
  })

  live("does not take ids for the same that differ in case", function*() {
    const directory = yield* folder
    const journal = yield* journalOf(directory)
    for (const id of ["ab", "AB", "Ab"]) yield* journal.put(entryOf(id))
    assert.strictEqual(new Set(readdirSync(directory).map((name) => name.toLowerCase())).size, 3)
  })

  live("has an entry as it was or as it is while it is written over, never half", function*() {
    const directory = yield* folder
    const journal = yield* journalOf(directory)
    const file = join(directory, "document-a.json")
    yield* journal.put(entryOf("a", "0".repeat(100_000)))
    const lengths = new Set<number>()
    const reader = Effect.sync(() => {
      const text = readFileSync(file, "utf8")
      const entry: { readonly fileName: string } = JSON.parse(text)
      lengths.add(entry.fileName.length)
    }).pipe(Effect.andThen(Effect.yieldNow), Effect.forever)
    const writer = Effect.forEach(
      Array.from({ length: 8 }, (_, index) => index),
      (index) => journal.put(entryOf("a", "0".repeat(100_000 + index))),
      { discard: true }
    )
    yield* Effect.raceFirst(reader, writer)
    assert.isTrue([...lengths].every((length) => length >= 100_000))
    assert.deepStrictEqual(readdirSync(directory), ["document-a.json"])
  })

  live("leaves alone what it cannot read, and tells of it", function*() {
    const directory = yield* folder
    const journal = yield* journalOf(directory)
    yield* journal.put(entryOf("good"))
    for (const text of ["", "{", "{\"_tag\":\"Uploaded\"}", "\0\0\0\0"]) {
      writeFileSync(join(directory, "document-bad.json"), text)
      const warnings = yield* warningsOf(Effect.map(journal.entries, (found) => {
        assert.deepStrictEqual(found, [entryOf("good")])
      }))
      assert.strictEqual(warnings.length, 1)
      assert.include(warnings[0], "bad")
      assert.strictEqual(readFileSync(join(directory, "document-bad.json"), "utf8"), text)
    }
  })

  live("takes other files in the folder for none of its own", function*() {
    const directory = yield* folder
    const journal = yield* journalOf(directory)
    for (
      const name of ["notes.txt", "document-A.json", "document-%zz.json", ".document-a.0.tmp", "document-%ff.json"]
    ) {
      writeFileSync(join(directory, name), "{}")
    }
    assert.deepStrictEqual(yield* warningsOf(journal.entries), [])
    assert.deepStrictEqual(yield* journal.entries, [])
  })

  live("takes from others the right to read an entry, and warns of a folder that others can write to", function*() {
    const directory = yield* folder
    chmodSync(directory, 0o770)
    const journal = yield* journalOf(directory)
    const warnings = yield* warningsOf(Effect.andThen(journal.put(entryOf("a")), journal.put(entryOf("b"))))
    assert.strictEqual(warnings.length, 1)
    assert.include(warnings[0], `Others can write to ${directory}`)
    yield* journal.claim("c")
    for (const name of readdirSync(directory)) assert.strictEqual(modeOf(join(directory, name)), "600", name)
    chmodSync(join(directory, "document-a.json"), 0o644)
    yield* journal.get("a")
    assert.strictEqual(modeOf(join(directory, "document-a.json")), "600")
  })

  live.each<readonly [what: string, make: (path: string, outside: string) => void]>([
    ["a link to a file", (path, outside) => symlinkSync(outside, path)],
    ["a link that leads nowhere", (path) => symlinkSync("nowhere", path)],
    ["a folder", (path) => mkdirSync(path)]
  ])("leaves alone what is there in place of an entry or a lock: %s", function*([, make]) {
    const directory = yield* folder
    const outside = join(yield* folder, "outside.json")
    const journal = yield* journalOf(directory)
    yield* journal.put(entryOf("b"))
    writeFileSync(outside, readFileSync(join(directory, "document-b.json")))
    chmodSync(outside, 0o644)
    make(join(directory, "document-a.json"), outside)
    make(join(directory, "document-b.lock"), outside)
    const { length } = yield* warningsOf(Effect.gen(function*() {
      assert.isUndefined(yield* journal.get("a"))
      assert.deepStrictEqual(yield* journal.entries, [entryOf("b")])
    }))
    assert.isAbove(length, 0)
    const busy = yield* Effect.flip(Effect.scoped(journal.claim("b")))
    assert.include(busy.message, "whose lock cannot be read")
    assert.strictEqual(modeOf(outside), "644")
    assert.deepStrictEqual(JSON.parse(readFileSync(outside, "utf8")).documentId, "b")
    yield* journal.put(entryOf("a")).pipe(Effect.ignore)
    assert.strictEqual(modeOf(outside), "644")
  })

  it.live("goes on in memory when the folder cannot be made, and warns once of each kind of failure, with the reason", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      writeFileSync(join(directory, "file"), "")
      const journal = yield* journalOf(join(directory, "file", "documents"))
      const warnings = yield* warningsOf(Effect.scoped(Effect.gen(function*() {
        yield* journal.claim("a")
        yield* journal.put(entryOf("a"))
        yield* journal.put(entryOf("b"))
        assert.deepStrictEqual((yield* journal.entries).map(idOf).toSorted(), ["a", "b"])
      })))
      assert.deepStrictEqual(warnings.map((line) => /cannot be (\w+)/.exec(line)?.[1]), ["written", "read"])
      for (const line of warnings) {
        assert.include(line, "ENOTDIR")
        assert.include(line, directory)
        assert.notInclude(line, "key of")
      }
    }).pipe(Effect.scoped))

  live.skipIf(process.platform !== "linux")(
    "goes on in memory where the system lets no folder be made, as below /proc",
    function*() {
      const journal = yield* journalOf("/proc/nobody/documents")
      const warnings = yield* warningsOf(journal.put(entryOf("a")))
      assert.include(warnings[0], "ENOENT")
      assert.deepStrictEqual((yield* journal.entries).map(idOf), ["a"])
    }
  )

  live("sweeps what killed writers left behind, once that is old", function*() {
    const directory = yield* folder
    const old = join(directory, ".document-a.0011223344556677.tmp")
    const fresh = join(directory, ".document-b.0011223344556677.tmp")
    const stray = join(directory, "document-c.lock.0011223344556677")
    const now = (yield* Clock.currentTimeMillis) / 1000
    for (const [file, minutes] of [[old, 61], [fresh, 59], [stray, 61]] as const) {
      writeFileSync(file, "")
      utimesSync(file, now - 60 * minutes, now - 60 * minutes)
    }
    const journal = yield* journalOf(directory)
    assert.deepStrictEqual(yield* journal.entries, [])
    assert.deepStrictEqual(readdirSync(directory), [".document-b.0011223344556677.tmp"])
  })
})

/** No process has this number. */
const deadPid = 2 ** 22 + 1

const lockText = (fields: Readonly<Record<string, unknown>>) =>
  JSON.stringify({ token: "00112233445566aa", pid: deadPid, thread: 0, host: hostname(), since: 0, ...fields })

/** A process that lives: it has started this one. */
const pid = process.ppid

describe("NodeJournal.claim", () => {
  live("keeps another journal off a document, and leaves no lock behind", function*() {
    const directory = yield* folder
    const one = yield* journalOf(directory)
    const other = yield* journalOf(directory)
    yield* Effect.scoped(Effect.gen(function*() {
      yield* one.claim("a")
      const error = yield* Effect.flip(Effect.scoped(other.claim("a")))
      assert.strictEqual(error._tag, "Busy")
      assert.include(error.message, `process ${process.pid} (since 20`)
      yield* Effect.scoped(other.claim("b"))
      assert.strictEqual(modeOf(join(directory, "document-a.lock")), "600")
    }))
    yield* Effect.scoped(other.claim("a"))
    assert.deepStrictEqual(readdirSync(directory), [])
  })

  live.each<readonly [what: string, fields: Readonly<Record<string, unknown>>]>([
    ["a process that has ended", {}],
    ["a process with our id that is not this one", { pid: process.pid, thread: 0 }]
  ])("takes over the lock of %s", function*([, fields]) {
    const directory = yield* folder
    writeFileSync(join(directory, "document-a.lock"), lockText(fields))
    const journal = yield* journalOf(directory)
    yield* Effect.scoped(Effect.gen(function*() {
      yield* journal.claim("a")
      const other = yield* journalOf(directory)
      assert.strictEqual((yield* Effect.flip(Effect.scoped(other.claim("a"))))._tag, "Busy")
    }))
    assert.deepStrictEqual(readdirSync(directory), [])
  })

  live("takes over the lock of one that was killed while it took over another's", function*() {
    const directory = yield* folder
    writeFileSync(join(directory, "document-a.lock"), lockText({}))
    writeFileSync(join(directory, "document-a.lock.00112233445566aa"), lockText({ token: "00112233445566bb" }))
    const journal = yield* journalOf(directory)
    yield* Effect.scoped(journal.claim("a"))
    assert.deepStrictEqual(readdirSync(directory), [])
  })

  live.skipIf(!existsSync("/proc/self/stat"))("takes over the lock of a process whose id another has now", function*() {
    const directory = yield* folder
    const journal = yield* journalOf(directory)
    yield* journal.claim("b")
    const { began: ours } = JSON.parse(readFileSync(join(directory, "document-b.lock"), "utf8"))
    for (const began of ["1", ours]) {
      writeFileSync(join(directory, "document-a.lock"), lockText({ pid, began }))
      yield* Effect.scoped(journal.claim("a"))
    }
  })

  live.skipIf(!isFull)("respects the lock of a worker thread, and takes it over when that was terminated", function*() {
    const directory = yield* folder
    const journal = yield* journalOf(directory)
    const claim = Effect.scoped(journal.claim("a"))
    const worker = new Worker(new URL("../support/claiming.ts", import.meta.url), {
      workerData: { folder: directory, id: "a" }
    })
    assert.deepStrictEqual(yield* Effect.promise(() => once(worker, "message")), ["claimed"])
    assert.strictEqual((yield* Effect.flip(claim))._tag, "Busy")
    yield* Effect.promise(() => worker.terminate())
    assert.deepStrictEqual(readdirSync(directory), ["document-a.lock"])
    yield* claim
    assert.deepStrictEqual(readdirSync(directory), [])
  })

  live.each(["this user", "another user"])("respects the lock of a process that lives, of %s", function*(user) {
    const directory = yield* folder
    yield* Effect.addFinalizer(() => Effect.sync(() => vi.restoreAllMocks()))
    if (user === "another user") {
      vi.spyOn(process, "kill").mockImplementation(() => {
        throw Object.assign(new Error("kill EPERM"), { code: "EPERM" })
      })
    }
    writeFileSync(join(directory, "document-a.lock"), lockText({ pid }))
    const error = yield* Effect.flip(Effect.scoped((yield* journalOf(directory)).claim("a")))
    assert.include(error.message, `process ${pid} (since 1970-01-01`)
    assert.deepStrictEqual(readdirSync(directory), ["document-a.lock"])
  })

  live.each<readonly [what: string, text: string]>([
    ["of another host", lockText({ host: "elsewhere" })],
    ["that cannot be read", "{"],
    ["whose token is a path", lockText({ token: "../../x" })]
  ])("respects a lock %s, and says which file to remove", function*([, text]) {
    const directory = yield* folder
    writeFileSync(join(directory, "document-a.lock"), text)
    const error = yield* Effect.flip(Effect.scoped((yield* journalOf(directory)).claim("a")))
    assert.include(error.message, `remove ${join(directory, "document-a.lock")}`)
  })

  live("gives a stale lock to one of many that find it at once", function*() {
    const directory = yield* folder
    for (let round = 0; round < scaled(4, 20); round++) {
      writeFileSync(join(directory, "document-a.lock"), lockText({}))
      const journals = yield* Effect.forEach(Array.from({ length: 10 }), () => journalOf(directory))
      const scope = yield* Scope.make()
      const exits = yield* Effect.forEach(
        journals,
        (journal) => Effect.exit(Scope.provide(journal.claim("a"), scope)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(readdirSync(directory), [])
    }
  })

  live("never has two holders while many claim and release", function*() {
    const directory = yield* folder
    let holders = 0
    let most = 0
    let claims = 0
    const worker = Effect.gen(function*() {
      const journal = yield* journalOf(directory)
      yield* Effect.gen(function*() {
        yield* journal.claim("a")
        most = Math.max(most, ++holders)
        claims++
        yield* Effect.yieldNow
        holders--
      }).pipe(Effect.scoped, Effect.ignore, Effect.repeat({ times: scaled(10, 30) }))
    })
    yield* Effect.forEach(Array.from({ length: 8 }), () => worker, { concurrency: "unbounded" })
    assert.strictEqual(most, 1)
    assert.isAbove(claims, 0)
    assert.deepStrictEqual(readdirSync(directory), [])
  })

  live("leaves no locks of documents that ended, once the entries are listed", function*() {
    const directory = yield* folder
    writeFileSync(join(directory, "document-a.lock"), lockText({}))
    writeFileSync(join(directory, "document-b.lock"), lockText({ host: "elsewhere" }))
    assert.deepStrictEqual(yield* (yield* journalOf(directory)).entries, [])
    assert.deepStrictEqual(readdirSync(directory), ["document-b.lock"])
  })

  live("is of a folder that may vanish", function*() {
    const directory = join(yield* folder, "journal")
    mkdirSync(directory)
    const journal = yield* journalOf(directory)
    yield* Effect.scoped(Effect.gen(function*() {
      yield* journal.claim("a")
      rmSync(directory, { recursive: true })
    }))
    yield* journal.put(entryOf("a"))
    assert.isTrue(statSync(directory).isDirectory())
    assert.deepStrictEqual(entries(readdirSync(directory)), ["document-a.json"])
  })
})
