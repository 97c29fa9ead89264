import { Documents } from "@effect-lingua/core/Documents"
import { DocumentId } from "@effect-lingua/core/DocumentsApi"
import { NodeDocuments } from "@effect-lingua/node/NodeDocuments"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Fiber, Layer, Logger, Redacted, Schema, Stream } from "effect"
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Answer, rawServer, stall, whole } from "./support/rawServer.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "node-documents-targets-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const document = {
  documentId: Schema.decodeUnknownSync(DocumentId)("doc-1"),
  documentKey: Redacted.make("document-key")
}

const setup = Effect.fnUntraced(function*(answer: Answer) {
  const server = yield* rawServer([answer])
  const directory = yield* folder
  const layer = NodeLanguageService.layer({
    key: Redacted.make("key"),
    baseUrl: server.url,
    resilience: { backoffBase: Duration.millis(1) }
  })
  const download = (options: { readonly path: string; readonly overwrite?: boolean }) =>
    NodeDocuments.use((documents) => documents.downloadToFile({ ...document, ...options })).pipe(Effect.provide(layer))
  return { server, directory, target: join(directory, "letter.txt"), download }
})

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** The temporary files in a folder. */
const parts = (directory: string) => readdirSync(directory).filter((name) => name.endsWith(".part"))

/** How many bytes the temporary file in a folder has. */
const partSize = (directory: string): number => {
  const [part] = parts(directory)
  return part === undefined ? 0 : statSync(join(directory, part)).size
}

/** An answer whose rest is sent when the folder has the first part of it. */
const inTwo = (first: string, rest: string, directory: () => string): Answer => (socket) => {
  stall(first, first.length + rest.length)(socket)
  const timer = setInterval(() => {
    if (partSize(directory()) < first.length) return
    clearInterval(timer)
    socket.write(rest)
  }, 2)
  socket.on("close", () => clearInterval(timer))
}

/** Waits for something outside of the program. */
const until = (condition: () => boolean) => Effect.sleep("5 millis").pipe(Effect.repeat({ until: condition }))

/** Waits until something holds at two looks one after the other. */
const untilSettled = (condition: () => boolean) => {
  let looks = 0
  return until(() => (looks = condition() ? looks + 1 : 0) === 2)
}

describe("a target of NodeDocuments.downloadToFile", () => {
  it.live.each<readonly [what: string, path: string]>([
    ["a name of 300 characters", "a".repeat(300)],
    ["a name of 100 characters of 3 bytes", "語".repeat(100)],
    ["a NUL at the start of a name", "\0a"],
    ["a NUL far into a name", `${"a".repeat(100)}\0b`],
    ["a link that leads nowhere", "dangling"],
    ["a link to a folder that is not there", "dangling/letter.txt"],
    ["a link to itself", "loop"],
    ["a link to a folder", "link-to-folder"],
    ["a name with a slash at its end", "letter/"],
    ["a folder with a slash at its end", "sub/"],
    ["a file with a slash at its end", "file/"]
  ])("%s is refused before the document is asked for", ([, path]) =>
    Effect.gen(function*() {
      const { directory, download, server } = yield* setup(whole("200 OK", "hello"))
      symlinkSync(join(directory, "nowhere"), join(directory, "dangling"))
      symlinkSync("loop", join(directory, "loop"))
      mkdirSync(join(directory, "sub"))
      symlinkSync("sub", join(directory, "link-to-folder"))
      writeFileSync(join(directory, "file"), "old")
      const before = readdirSync(directory, { recursive: true })
      for (const overwrite of [false, true]) {
        const error = yield* Effect.flip(download({ path: `${directory}/${path}`, overwrite }))
        assert.deepInclude<object>(error, { _tag: "TargetUnusable", outcome: "refused", isTransient: false })
        assert.include(error.message, "The document was not asked for")
      }
      assert.strictEqual(server.requests.length, 0)
      assert.deepStrictEqual(readdirSync(directory, { recursive: true }), before)
    }).pipe(Effect.scoped))

  it.live.each([["a".repeat(255)], ["語".repeat(85)]])(
    "a name of as many bytes as there can be is taken (%#)",
    ([name = ""]) =>
      Effect.gen(function*() {
        const { directory, download } = yield* setup(whole("200 OK", "hello"))
        assert.strictEqual((yield* download({ path: join(directory, name) })).bytes, 5)
        assert.deepStrictEqual(readdirSync(directory), [name])
      }).pipe(Effect.scoped)
  )

  it.live("a link is followed: what it leads to is written, and the link stays", () =>
    Effect.gen(function*() {
      const { directory, download, target } = yield* setup(whole("200 OK", "new"))
      const real = join(directory, "sub", "real.txt")
      mkdirSync(join(directory, "sub"))
      writeFileSync(real, "old")
      symlinkSync(join("sub", "real.txt"), target)
      assert.strictEqual((yield* Effect.flip(download({ path: target })))._tag, "TargetExists")
      const saved = yield* download({ path: target, overwrite: true })
      assert.isTrue(lstatSync(target).isSymbolicLink())
      assert.strictEqual(readlinkSync(target), join("sub", "real.txt"))
      assert.isFalse(lstatSync(real).isSymbolicLink())
      assert.strictEqual(readFileSync(real, "utf8"), "new")
      assert.strictEqual(saved.bytes, 3)
      assert.deepStrictEqual(readdirSync(directory).toSorted(), ["letter.txt", "sub"])
      assert.deepStrictEqual(readdirSync(join(directory, "sub")), ["real.txt"])
    }).pipe(Effect.scoped))

  it.live.each([[0o600], [0o640], [0o400], [0o666]])(
    "a file that is replaced keeps its mode (%#)",
    ([mode = 0]) =>
      Effect.gen(function*() {
        const { download, target } = yield* setup(whole("200 OK", "new"))
        writeFileSync(target, "old")
        chmodSync(target, mode)
        yield* download({ path: target, overwrite: true })
        assert.strictEqual(readFileSync(target, "utf8"), "new")
        assert.strictEqual(modeOf(target), mode.toString(8))
      }).pipe(Effect.scoped)
  )

  it.live("the temporary file of a file that is replaced is no more open than it", () =>
    Effect.gen(function*() {
      const { directory, download, target } = yield* setup(stall("hel", 5))
      writeFileSync(target, "old")
      chmodSync(target, 0o600)
      const fiber = yield* Effect.forkChild(download({ path: target, overwrite: true }))
      yield* until(() => partSize(directory) === 3)
      assert.strictEqual(modeOf(join(directory, parts(directory)[0] ?? "")), "600")
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.scoped))
})

describe("an interrupted NodeDocuments.downloadToFile", () => {
  it.live("keeps what arrived and logs a warning that says where", () =>
    Effect.gen(function*() {
      const { directory, download, target } = yield* setup(stall("hel", 5))
      const lines: Array<string> = []
      const logger = Logger.map(Logger.formatLogFmt, (line) => {
        lines.push(line)
      })
      const fiber = yield* Effect.forkChild(download({ path: target }).pipe(Effect.provide(Logger.layer([logger]))))
      yield* untilSettled(() => partSize(directory) === 3)
      yield* Fiber.interrupt(fiber)
      assert.isFalse(existsSync(target))
      const [part = "", ...others] = readdirSync(directory)
      assert.deepStrictEqual(others, [])
      assert.strictEqual(readFileSync(join(directory, part), "utf8"), "hel")
      const warnings = lines.filter((line) => line.includes(join(directory, part)))
      assert.strictEqual(warnings.length, 1)
      assert.include(warnings[0], "level=WARN")
      assert.include(warnings[0], "3 bytes")
      assert.include(warnings[0], "doc-1")
    }).pipe(Effect.scoped))

  it.live("leaves nothing behind when no byte arrived, and logs nothing", () =>
    Effect.gen(function*() {
      const { directory, download, server, target } = yield* setup(() => undefined)
      const lines: Array<string> = []
      const logger = Logger.map(Logger.formatLogFmt, (line) => {
        lines.push(line)
      })
      const fiber = yield* Effect.forkChild(download({ path: target }).pipe(Effect.provide(Logger.layer([logger]))))
      yield* until(() => server.requests.length === 1)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(readdirSync(directory), [])
      assert.deepStrictEqual(lines, [])
    }).pipe(Effect.scoped))

  // The turns of the event loop between the last byte and the interruption.
  it.live.each(Array.from({ length: 20 }, (_, turns) => turns))(
    "after the last byte leaves the document or its temporary file, and not both (%d)",
    (turns) =>
      Effect.gen(function*() {
        let watched = ""
        const { directory, download, target } = yield* setup(inTwo("hel", "lo", () => watched))
        watched = directory
        const fiber = yield* Effect.forkChild(download({ path: target }))
        const turn = Effect.callback<void>((resume) => {
          setImmediate(() => resume(Effect.void))
        })
        yield* turn.pipe(Effect.repeat({ until: () => partSize(directory) === 5 || existsSync(target) }))
        yield* Effect.repeat(turn, { times: turns })
        yield* Fiber.interrupt(fiber)
        const [name = "", ...others] = readdirSync(directory)
        assert.deepStrictEqual(others, [])
        assert.isTrue(name === "letter.txt" || name.endsWith(".part"), name)
        assert.strictEqual(readFileSync(join(directory, name), "utf8"), "hello")
      }).pipe(Effect.scoped)
  )
})

/** A disk of 64 KiB, or none where none can be mounted. */
const smallDisk = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "node-documents-disk-"))
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", path]).status === 0
    return { path, mounted }
  }),
  ({ mounted, path }) =>
    Effect.sync(() => {
      if (mounted && spawnSync("umount", [path]).status !== 0) spawnSync("umount", ["-l", path])
      rmSync(path, { recursive: true, force: true })
    })
)

const withSmallDisk = <E, R>(test: (disk: string) => Effect.Effect<void, E, R>) =>
  Effect.gen(function*() {
    const { mounted, path } = yield* smallDisk
    if (!mounted) return yield* Effect.logWarning("skipped: no tmpfs can be mounted here")
    yield* test(path)
  }).pipe(Effect.scoped)

describe("a full disk", () => {
  it.live("keeps what was written, and says where", () =>
    withSmallDisk((disk) =>
      Effect.gen(function*() {
        const { download } = yield* setup(inTwo("a".repeat(4096), "b".repeat(1024 * 1024), () => disk))
        const error = yield* Effect.flip(download({ path: join(disk, "letter.txt") }))
        if (error._tag !== "SaveFailed") return assert.fail(error._tag)
        assert.deepInclude<object>(error, { documentId: "doc-1", complete: false, outcome: "unknown" })
        assert.include(error.description, "ENOSPC")
        assert.isAtLeast(error.bytesKept, 4096)
        const { kept = "" } = error
        assert.isTrue(existsSync(kept))
        assert.isAtLeast(statSync(kept).size, error.bytesKept)
        assert.isTrue(readFileSync(kept, "utf8").startsWith("a".repeat(4096)))
        assert.include(error.message, kept)
        assert.deepStrictEqual(readdirSync(disk), parts(disk))
      })
    ))

  it.live("keeps what fits of a document that comes at once, or says that nothing is kept", () =>
    withSmallDisk((disk) =>
      Effect.gen(function*() {
        const { download } = yield* setup(whole("200 OK", "b".repeat(1024 * 1024)))
        const error = yield* Effect.flip(download({ path: join(disk, "letter.txt") }))
        if (error._tag !== "SaveFailed") return assert.fail(error._tag)
        assert.include(error.description, "ENOSPC")
        assert.strictEqual(error.kept !== undefined, error.bytesKept > 0)
        assert.deepStrictEqual(
          readdirSync(disk).map((name) => join(disk, name)),
          error.kept === undefined ? [] : [error.kept]
        )
      })
    ))

  it.live("has nothing to keep when no byte fits", () =>
    withSmallDisk((disk) =>
      Effect.gen(function*() {
        writeFileSync(join(disk, "filler"), "x".repeat(64 * 1024))
        const { download } = yield* setup(whole("200 OK", "b".repeat(10_000)))
        const error = yield* Effect.flip(download({ path: join(disk, "letter.txt") }))
        if (error._tag !== "SaveFailed") return assert.fail(error._tag)
        assert.include(error.description, "ENOSPC")
        assert.deepInclude<object>(error, { bytesKept: 0, complete: false })
        assert.isUndefined(error.kept)
        assert.include(error.message, "Nothing could be kept")
        assert.deepStrictEqual(readdirSync(disk), ["filler"])
      })
    ))
})

describe("NodeLanguageService.layerConfig", () => {
  it.live("reads key and address from the configuration, for the services and for files", () =>
    Effect.gen(function*() {
      const server = yield* rawServer([whole("200 OK", "hello")])
      const directory = yield* folder
      const target = join(directory, "letter.txt")
      const provider = ConfigProvider.fromEnv({
        env: { LANGUAGE_SERVICE_KEY: "key-of-the-config", LANGUAGE_SERVICE_BASE_URL: server.url }
      })
      yield* Effect.gen(function*() {
        const saved = yield* NodeDocuments.use((documents) => documents.downloadToFile({ ...document, path: target }))
        assert.strictEqual(saved.bytes, 5)
        const { stream } = yield* Documents.use((documents) => documents.download(document))
        assert.strictEqual(yield* Stream.mkString(Stream.decodeText(stream)), "hello")
      }).pipe(Effect.provide(Layer.provide(NodeLanguageService.layerConfig(), ConfigProvider.layer(provider))))
      assert.strictEqual(readFileSync(target, "utf8"), "hello")
      assert.strictEqual(server.requests.length, 2)
      for (const request of server.requests) {
        assert.match(request, /^POST \/v2\/document\/doc-1\/result HTTP\/1\.1\r\n/)
        assert.match(request, /\r\nauthorization: Service-Auth-Key key-of-the-config\r\n/i)
      }
    }).pipe(Effect.scoped))

  it.live("what is given counts more than the configuration", () =>
    Effect.gen(function*() {
      const server = yield* rawServer([whole("200 OK", "hello")])
      const provider = ConfigProvider.fromEnv({ env: { LANGUAGE_SERVICE_KEY: "key-of-the-config" } })
      const layer = NodeLanguageService.layerConfig({ baseUrl: server.url, authScheme: "Bearer" })
      yield* Documents.use((documents) => documents.download(document)).pipe(
        Effect.provide(Layer.provide(layer, ConfigProvider.layer(provider)))
      )
      assert.match(server.requests[0] ?? "", /\r\nauthorization: Bearer key-of-the-config\r\n/i)
    }).pipe(Effect.scoped))
})
