import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { symlinkSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { has } from "../../../../test/support/has.ts"
import { live } from "../../../../test/support/tests.ts"
import { folder, setup } from "../support/documents.ts"
import { readOnlyFolder } from "../support/mounts.ts"
import { status, whole } from "../support/rawServer.ts"

const letter = whole("200 OK", "hello", { "content-disposition": `attachment; filename="letter.txt"` })

describe.skipIf(!has("a read-only folder"))("a read-only folder", () => {
  live("is refused before the document is asked for, as the place of a file and as a folder", function*() {
    const path = yield* readOnlyFolder
    const { download, server } = yield* setup([letter])
    for (const target of [{ target: join(path, "letter.txt") }, { folder: path }]) {
      const error = yield* Effect.flip(download(target))
      assert.strictEqual(error._tag, "TargetUnusable")
      assert.match(error.message, /EROFS|EACCES/)
    }
    assert.strictEqual(server.requests.length + server.questions.length, 0)
  })

  live("that becomes one while the document is waited for is told of before it is asked for", function*() {
    const path = yield* readOnlyFolder
    const link = join(dirname(path), `${basename(path)}-link`)
    const writable = yield* folder
    symlinkSync(writable, link)
    yield* Effect.addFinalizer(() => Effect.sync(() => spawnSync("rm", ["-f", link])))
    const { download, server } = yield* setup([letter], {}, [status("queued"), (socket) => {
      spawnSync("ln", ["-sfn", path, link])
      status("done")(socket)
    }])
    assert.strictEqual((yield* Effect.flip(download({ target: join(link, "letter.txt") })))._tag, "TargetUnusable")
    assert.strictEqual(server.requests.length, 0)
  })
})
