import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, FileSystem, Layer } from "effect"
import { systemError } from "effect/PlatformError"
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { live } from "../../../../test/support/tests.ts"
import { platform } from "../../src/files/internal/files.ts"
import * as Targets from "../../src/files/internal/target.ts"
import { folder, modeOf, parts, partSize, setup, until } from "../support/documents.ts"
import { stall, whole } from "../support/rawServer.ts"

const withoutLinks = Layer.effect(
  FileSystem.FileSystem,
  FileSystem.FileSystem.use((fs) =>
    Effect.succeed(FileSystem.make({
      ...fs,
      link: (_, path) =>
        Effect.fail(
          systemError({ _tag: "PermissionDenied", module: "FileSystem", method: "link", pathOrDescriptor: path })
        )
    }))
  )
).pipe(Layer.provideMerge(platform))

describe("a target of NodeDocuments.downloadToFile", () => {
  live.each<readonly [what: string, path: string]>([
    ["a name of 300 characters", "a".repeat(300)],
    ["a name of 100 characters of 3 bytes", "語".repeat(100)],
    ["a NUL at the start of a name", "\0a"],
    ["a NUL far into a name", `${"a".repeat(100)}\0b`],
    ["a link that leads nowhere", "dangling"],
    ["a link to a folder that is not there", "dangling/letter.txt"],
    ["a link to itself", "loop"],
    ["a link to a folder", "link-to-folder"],
    ["a name in a folder that is not there", "missing/letter.txt"],
    ["a name below a file", "file/letter.txt"],
    ["a folder", "sub"],
    ["a name with a slash at its end", "letter/"],
    ["a folder with a slash at its end", "sub/"],
    ["a file with a slash at its end", "file/"]
  ])("%s is refused before the document is asked for", function*([, path]) {
    const { directory, download, server } = yield* setup([whole("200 OK", "hello")])
    symlinkSync(join(directory, "nowhere"), join(directory, "dangling"))
    symlinkSync("loop", join(directory, "loop"))
    mkdirSync(join(directory, "sub"))
    symlinkSync("sub", join(directory, "link-to-folder"))
    writeFileSync(join(directory, "file"), "old")
    const before = readdirSync(directory, { recursive: true })
    for (const overwrite of [false, true]) {
      const error = yield* Effect.flip(download({ target: `${directory}/${path}`, overwrite }))
      assert.deepInclude<object>(error, { _tag: "TargetUnusable", outcome: "refused", isTransient: false })
      assert.include(error.message, "The document was not requested")
    }
    assert.strictEqual(server.requests.length, 0)
    assert.deepStrictEqual(readdirSync(directory, { recursive: true }), before)
  })

  live.each([["a".repeat(255)], ["語".repeat(85)]])(
    "a name of as many bytes as there can be is taken (%#)",
    function*([name]) {
      const { directory, download } = yield* setup([whole("200 OK", "hello")])
      assert.strictEqual((yield* download({ target: join(directory, name) })).bytes, 5)
      assert.deepStrictEqual(readdirSync(directory), [name])
    }
  )

  live("a link is followed: what it leads to is written, and the link stays", function*() {
    const { directory, download, target } = yield* setup([whole("200 OK", "new")])
    const real = join(directory, "sub", "real.txt")
    mkdirSync(join(directory, "sub"))
    writeFileSync(real, "old")
    symlinkSync(join("sub", "real.txt"), target)
    assert.strictEqual((yield* Effect.flip(download({ target })))._tag, "TargetExists")
    const saved = yield* download({ target, overwrite: true })
    assert.isTrue(lstatSync(target).isSymbolicLink())
    assert.strictEqual(readlinkSync(target), join("sub", "real.txt"))
    assert.isFalse(lstatSync(real).isSymbolicLink())
    assert.strictEqual(readFileSync(real, "utf8"), "new")
    assert.strictEqual(saved.bytes, 3)
    assert.deepStrictEqual(readdirSync(directory).toSorted(), ["letter.txt", "sub"])
    assert.deepStrictEqual(readdirSync(join(directory, "sub")), ["real.txt"])
  })

  live.each([[0o600], [0o640], [0o400], [0o666]])("a file that is replaced keeps its mode (%#)", function*([mode = 0]) {
    const { download, target } = yield* setup([whole("200 OK", "new")])
    writeFileSync(target, "old")
    chmodSync(target, mode)
    yield* download({ target, overwrite: true })
    assert.strictEqual(readFileSync(target, "utf8"), "new")
    assert.strictEqual(modeOf(target), mode.toString(8))
  })

  live("the temporary file of a file that is replaced is no more open than it", function*() {
    const { directory, download, target } = yield* setup([stall("hel", 5)])
    writeFileSync(target, "old")
    chmodSync(target, 0o600)
    const fiber = yield* Effect.forkChild(download({ target, overwrite: true }))
    yield* until(() => partSize(directory) === 3)
    assert.strictEqual(modeOf(join(directory, parts(directory)[0] ?? "")), "600")
    yield* Fiber.interrupt(fiber)
  })
})

describe("a target on a file system without hard links", () => {
  it.live("gets a complete file, and replaces no other", () =>
    Effect.gen(function*() {
      const directory = yield* folder
      const { check, publish } = yield* Targets.make
      const target = join(directory, "letter.txt")
      const checked = yield* check({ path: target, overwrite: false })
      const written = (text: string) => {
        writeFileSync(join(directory, "part"), text)
        return publish(checked, join(directory, "part"), target)
      }
      assert.isTrue(yield* written("first"))
      assert.deepStrictEqual(readdirSync(directory), ["letter.txt"])
      assert.strictEqual((yield* Effect.flip(written("second"))).reason._tag, "AlreadyExists")
      assert.strictEqual(readFileSync(target, "utf8"), "first")
    }).pipe(Effect.scoped, Effect.provide(withoutLinks)))
})
