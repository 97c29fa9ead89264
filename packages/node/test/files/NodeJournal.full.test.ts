import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { has } from "../../../../test/support/has.ts"
import { live } from "../../../../test/support/tests.ts"
import { folder } from "../support/documents.ts"
import { entryOf, journalOf, warningsOf } from "../support/journals.ts"
import { smallDisk } from "../support/mounts.ts"

describe("NodeJournal", () => {
  live("leaves alone a pipe that nobody writes to in place of an entry or a lock", function*() {
    const directory = yield* folder
    const journal = yield* journalOf(directory)
    yield* journal.put(entryOf("b"))
    const paths = ["document-a.json", "document-b.lock"].map((name) => join(directory, name))
    assert.strictEqual(spawnSync("mkfifo", paths).status, 0)
    const { length } = yield* warningsOf(Effect.gen(function*() {
      assert.isUndefined(yield* journal.get("a"))
      assert.deepStrictEqual(yield* journal.entries, [entryOf("b")])
    }))
    assert.isAbove(length, 0)
    const busy = yield* Effect.flip(Effect.scoped(journal.claim("b")))
    assert.include(busy.message, "whose lock cannot be read")
  })

  live.skipIf(!has("a full disk"))(
    "keeps the entry as it was when the disk is full, and the new one in memory",
    function*() {
      const disk = yield* smallDisk
      const journal = yield* journalOf(disk)
      yield* journal.put(entryOf("a"))
      writeFileSync(join(disk, "filler"), "")
      spawnSync("dd", ["if=/dev/zero", `of=${join(disk, "filler")}`, "bs=4096"])
      const warnings = yield* warningsOf(journal.put(entryOf("a", "other.txt")))
      assert.include(warnings[0], "ENOSPC")
      assert.deepStrictEqual(yield* journal.get("a"), entryOf("a", "other.txt"))
      assert.deepStrictEqual(yield* (yield* journalOf(disk)).get("a"), entryOf("a"))
      assert.deepStrictEqual(readdirSync(disk).toSorted(), ["document-a.json", "filler"])
    }
  )
})
