import { idOf, type Journal } from "@effect-lingua/core/documents/Journal"
import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { createHash } from "node:crypto"
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { basename, join } from "node:path"
import { live } from "../../../../test/support/tests.ts"
import { about, document, folder, modeOf, ownerOf, partSize, setup, untilSettled } from "../support/documents.ts"
import { cut, done, gone, reset, stall, status, whole } from "../support/rawServer.ts"

const hello = whole("200 OK", "hello")

describe.concurrent("NodeDocuments.resume", () => {
  it.live("refuses an id that the journal does not know, a document of another service, and one without a target", () =>
    Effect.gen(function*() {
      const { download, journal, resume, server, target } = yield* setup([hello])
      const refused = (of: string) =>
        Effect.map(Effect.flip(resume(of)), (error) => {
          assert.strictEqual(error._tag, "NotResumable")
          return error.message
        })
      assert.include(yield* refused("doc-1"), "has no such entry")
      yield* journal.put({ _tag: "Uploaded", ...about("https://other.test") })
      assert.include(yield* refused("doc-1"), "of https://other.test/")
      const ofAnotherKey = { _tag: "Uploaded" as const, ...about(server.url, "another-key") }
      yield* journal.put(ofAnotherKey)
      assert.include(yield* refused("doc-1"), "of another key")
      assert.strictEqual((yield* Effect.flip(download({ target })))._tag, "NotResumable")
      assert.deepStrictEqual(yield* journal.entries(), [ofAnotherKey])
      yield* journal.put({ _tag: "Uploaded", ...about(server.url) })
      assert.include(yield* refused("doc-1"), "name a file or a folder")
      yield* journal.put({
        _tag: "Uploading",
        uploadId: "upload-1",
        ...ownerOf(server.url),
        startedAt: about("").startedAt,
        target: { path: "/nowhere/letter.txt", overwrite: false }
      })
      assert.include(yield* refused("upload-1"), "Upload it again")
      assert.strictEqual(server.requests.length + server.questions.length, 0)
    }).pipe(Effect.scoped))

  live("waits for a document that was uploaded, and saves it where it was to go", function*() {
    const { directory, journal, resume, server, target } = yield* setup([hello], {}, [status("translating"), done])
    yield* journal.put({ _tag: "Uploaded", ...about(server.url), target: { path: target, overwrite: false } })
    const [entry] = yield* journal.entries()
    assert.strictEqual((yield* resume(entry === undefined ? "" : idOf(entry))).path, target)
    assert.strictEqual(readFileSync(target, "utf8"), "hello")
    assert.deepStrictEqual(readdirSync(directory), ["letter.txt"])
    assert.deepStrictEqual(yield* journal.entries(), [])
  })

  live("goes on with the document of an upload that was answered, and uploads nothing again", function*() {
    const { journal, resume, server, target } = yield* setup([hello])
    const { account, host, startedAt, ...ref } = about(server.url)
    const upload = { uploadId: "upload-1", host, account, startedAt, target: { path: target, overwrite: false } }
    yield* journal.put({ _tag: "Uploaded", ...upload, ...ref })
    yield* journal.put({ _tag: "Uploading", ...upload, source: target, fields: { targetLanguage: "de" } })
    assert.strictEqual((yield* resume("upload-1")).documentId, "doc-1")
    assert.strictEqual(readFileSync(target, "utf8"), "hello")
    assert.deepStrictEqual(yield* journal.entries(), [])
    assert.deepStrictEqual(readdirSync(journal.folder), [])
  })

  live("remembers another target that it was given, and keeps the old when it is not asked to overwrite", function*() {
    const { directory, journal, resume, server, target } = yield* setup([hello], {}, [
      whole("401 Unauthorized", "{}")
    ])
    yield* journal.put({ _tag: "Uploaded", ...about(server.url), target: { path: target, overwrite: true } })
    const failure = yield* Effect.flip(resume("doc-1", { folder: directory, overwrite: false }))
    assert.strictEqual(failure._tag, "InvalidKey")
    assert.deepInclude<object>((yield* journal.get("doc-1")) ?? {}, {
      _tag: "Uploaded",
      target: { folder: directory, overwrite: false }
    })
  })

  live("says that a document is lost that the service deleted before it was asked for", function*() {
    const { directory, journal, resume, server, target } = yield* setup([hello], {}, [gone])
    yield* journal.put({ _tag: "Uploaded", ...about(server.url), target: { path: target, overwrite: false } })
    assert.strictEqual((yield* Effect.flip(resume("doc-1")))._tag, "DocumentNotFound")
    assert.deepInclude<object>((yield* journal.get("doc-1")) ?? {}, { _tag: "Lost", bytesReceived: 0, parts: [] })
    assert.deepInclude<object>(yield* Effect.flip(resume("doc-1")), {
      _tag: "DownloadInterrupted",
      available: false,
      bytesReceived: 0
    })
    assert.deepStrictEqual(readdirSync(directory), [])
    assert.strictEqual(server.requests.length, 0)
  })

  live("goes on with a document that was lost to another account, or to a service that was wrong", function*() {
    const { directory, journal, resume, server, target } = yield* setup([hello], {}, [gone, done])
    yield* journal.put({ _tag: "Uploaded", ...about(server.url), target: { path: target, overwrite: false } })
    assert.strictEqual((yield* Effect.flip(resume("doc-1")))._tag, "DocumentNotFound")
    yield* resume("doc-1")
    assert.strictEqual(readFileSync(target, "utf8"), "hello")
    assert.deepStrictEqual(readdirSync(directory), ["letter.txt"])
    assert.deepStrictEqual(yield* journal.entries(), [])
  })

  live("keeps the right key when the document is asked for with a wrong one", function*() {
    const { journal, layer, server, target } = yield* setup([hello], {}, [gone, done])
    const entry: Journal.Entry = { _tag: "Uploaded", ...about(server.url) }
    yield* journal.put(entry)
    const documentKey = Redacted.make("another key")
    const download = NodeDocuments.use((documents) => documents.downloadToFile({ ...document, documentKey, target }))
      .pipe(Effect.provide(layer))
    assert.strictEqual((yield* Effect.flip(download))._tag, "DocumentNotFound")
    assert.deepStrictEqual(yield* journal.entries(), [entry])
    assert.strictEqual((yield* download).path, target)
  })

  live("keeps the parts of a lost document whose loss is confirmed after all", function*() {
    const { journal, resume, server, target } = yield* setup([hello], {}, [done, gone])
    const entry: Journal.Entry = {
      _tag: "Lost",
      ...about(server.url),
      reason: "It broke",
      bytesReceived: 3,
      parts: [{ path: `${target}.part`, bytes: 3 }],
      target: { path: target, overwrite: false }
    }
    yield* journal.put(entry)
    const error = yield* Effect.flip(resume("doc-1"))
    assert.deepInclude<object>(error, { _tag: "DownloadInterrupted", available: false, bytesReceived: 3 })
    assert.deepStrictEqual(yield* journal.get("doc-1"), entry)
  })

  live("forgets a document that the journal did not know, and the service does not either", function*() {
    const { directory, download, journal, target } = yield* setup([gone], {}, [gone])
    assert.strictEqual((yield* Effect.flip(download({ target })))._tag, "DocumentNotFound")
    assert.deepStrictEqual(yield* journal.entries(), [])
    const late = yield* setup([gone])
    assert.strictEqual((yield* Effect.flip(late.download({ target: late.target })))._tag, "DocumentNotFound")
    assert.deepStrictEqual(yield* late.journal.entries(), [])
    assert.deepStrictEqual([...readdirSync(directory), ...readdirSync(late.directory)], [])
  })

  describe("of a download that was killed", () => {
    const killed = Effect.fnUntraced(function*(
      left: string | undefined,
      bytesExpected: number | undefined,
      isThere: boolean,
      elsewhere = false
    ) {
      const made = yield* setup([hello], {}, isThere ? undefined : [gone])
      const other = yield* folder
      const temporary = join(elsewhere ? other : made.directory, ".letter.txt.00112233.part")
      if (left !== undefined) writeFileSync(temporary, left)
      yield* made.journal.put({
        _tag: "Downloading",
        ...about(made.server.url),
        target: { path: made.target, overwrite: false },
        temporary,
        ...(bytesExpected === undefined ? undefined : { bytesExpected })
      })
      return { ...made, temporary, other }
    })

    live("writes to no file that a link leads to which has taken the place of its own", function*() {
      const { directory, other, resume, target, temporary } = yield* killed(undefined, 5, true)
      const outside = join(other, "outside.txt")
      writeFileSync(outside, "hallo")
      chmodSync(outside, 0o640)
      symlinkSync(outside, temporary)
      yield* resume("doc-1")
      assert.strictEqual(readFileSync(target, "utf8"), "hello")
      assert.isTrue(lstatSync(target).isFile())
      assert.deepStrictEqual([readFileSync(outside, "utf8"), modeOf(outside)], ["hallo", "640"])
      assert.notInclude(readdirSync(directory).filter((name) => name !== basename(temporary)), "outside.txt")
    })

    it.live("puts no file in the place of the document that a link leads to which has taken the place of its own", () =>
      Effect.gen(function*() {
        const { other, resume, target, temporary } = yield* killed(undefined, 5, false)
        const outside = join(other, "outside.txt")
        writeFileSync(outside, "hallo")
        symlinkSync(outside, temporary)
        assert.strictEqual((yield* Effect.flip(resume("doc-1")))._tag, "DownloadInterrupted")
        assert.isFalse(existsSync(target))
        assert.strictEqual(readFileSync(outside, "utf8"), "hallo")
      }).pipe(Effect.scoped))

    live.each<readonly [what: string, left: string | undefined, bytes: number | undefined, elsewhere: boolean]>([
      ["no file", undefined, undefined, false],
      ["an empty file", "", undefined, false],
      ["some bytes", "hexx", undefined, false],
      ["more bytes than there are now", "hexxxxxxxxxxxxxx", 20, false],
      ["all bytes", "hallo", 5, false],
      ["some bytes in another folder", "he", 5, true]
    ])("downloads anew what the service still has, with %s left", function*([, left, bytes, elsewhere]) {
      const { directory, journal, other, resume, target } = yield* killed(left, bytes, true, elsewhere)
      assert.strictEqual((yield* resume("doc-1")).bytes, 5)
      assert.strictEqual(readFileSync(target, "utf8"), "hello")
      assert.deepStrictEqual([...readdirSync(directory), ...readdirSync(other)], ["letter.txt"])
      assert.deepStrictEqual(yield* journal.entries(), [])
    })

    live.each<readonly [left: string, elsewhere: boolean]>([["hello", false], ["", false], ["hello", true]])(
      "puts it in its place when all of it is here (%#)",
      function*([left, elsewhere]) {
        const { directory, journal, other, resume, server, target } = yield* killed(
          left,
          left.length,
          false,
          elsewhere
        )
        assert.strictEqual((yield* resume("doc-1")).bytes, left.length)
        assert.strictEqual(readFileSync(target, "utf8"), left)
        assert.deepStrictEqual([...readdirSync(directory), ...readdirSync(other)], ["letter.txt"])
        assert.deepStrictEqual(yield* journal.entries(), [])
        assert.strictEqual(server.requests.length, 0)
      }
    )

    live.each<readonly [left: string | undefined, bytes: number | undefined]>([
      ["hel", 5],
      ["hello", undefined],
      ["hello!", 5],
      ["", 5],
      [undefined, undefined]
    ])("says at which byte it was lost (%#)", function*([left, bytes]) {
      const { directory, journal, resume, temporary } = yield* killed(left, bytes, false)
      for (let time = 0; time < 2; time++) {
        const error = yield* Effect.flip(resume("doc-1"))
        assert(error._tag === "DownloadInterrupted")
        assert.isFalse(error.available)
        assert.strictEqual(error.bytesReceived, left?.length ?? 0)
        assert.strictEqual(error.path, left === undefined || left === "" ? undefined : temporary)
        assert.include(error.message, "The service has deleted it: upload it again")
      }
      assert.strictEqual((yield* journal.get("doc-1"))?._tag, "Lost")
      assert.deepStrictEqual(
        readdirSync(directory).map((name) => join(directory, name)),
        left === undefined || left === "" ? [] : [temporary]
      )
    })

    live("does not touch what is left while the service does not answer", function*() {
      const { journal, resume, server, temporary } = yield* killed("hel", 5, true)
      const before = yield* journal.get("doc-1")
      server.close()
      // The server of another test may have got the port.
      assert.match((yield* Effect.flip(resume("doc-1")))._tag, /^Connection(Failed|Lost)$/)
      assert.deepStrictEqual(yield* journal.get("doc-1"), before)
      assert.strictEqual(readFileSync(temporary, "utf8"), "hel")
    })
  })

  describe("of a download whose rest was being rescued when it was killed", () => {
    const killed = Effect.fnUntraced(function*(part: string, rest: string) {
      const made = yield* setup([hello], {}, [gone])
      const temporary = join(made.directory, ".letter.txt.00112233.part")
      const rescue = join(yield* folder, ".document.44556677.part")
      writeFileSync(temporary, part)
      writeFileSync(rescue, rest)
      yield* made.journal.put({
        _tag: "Downloading",
        ...about(made.server.url),
        target: { path: made.target, overwrite: false },
        temporary,
        rescue,
        bytesExpected: 5
      })
      return { ...made, temporary, rescue }
    })

    live.each([["hel", "lo"], ["", "hello"], ["hello", ""]] as const)(
      "puts %j and %j together",
      function*([part, rest]) {
        const { directory, journal, rescue, resume, target } = yield* killed(part, rest)
        assert.strictEqual((yield* resume("doc-1")).bytes, 5)
        assert.strictEqual(readFileSync(target, "utf8"), "hello")
        assert.deepStrictEqual(readdirSync(directory), ["letter.txt"])
        assert.isFalse(existsSync(rescue))
        assert.deepStrictEqual(yield* journal.entries(), [])
      }
    )

    live("says that it is lost, and names both files, when that is not all", function*() {
      const { journal, rescue, resume, temporary } = yield* killed("hel", "l")
      const error = yield* Effect.flip(resume("doc-1"))
      assert.deepInclude<object>(error, { available: false, bytesReceived: 4, bytesExpected: 5, path: temporary })
      assert.include(error.message, rescue)
      assert.deepInclude<object>((yield* journal.get("doc-1")) ?? {}, {
        _tag: "Lost",
        parts: [{ path: temporary, bytes: 3 }, { path: rescue, bytes: 1 }]
      })
    })
  })

  describe("of a document that was received", () => {
    const received = Effect.fnUntraced(function*(
      texts: readonly [string, ...Array<string>],
      options: { readonly overwrite?: boolean; readonly elsewhere?: boolean; readonly extra?: string | undefined } = {}
    ) {
      const made = yield* setup([hello])
      const other = yield* folder
      const fileOf = (index: number) =>
        join(index === 0 && options.elsewhere !== true ? made.directory : other, `.letter.txt.${index}.part`)
      const partOf = (text: string, index: number) => ({ path: fileOf(index), bytes: text.length })
      const [first, ...others] = texts
      const parts = [partOf(first, 0), ...others.map((text, index) => partOf(text, index + 1))] as const
      texts.forEach((text, index) => writeFileSync(fileOf(index), index === 0 ? text + (options.extra ?? "") : text))
      const entry: Journal.Entry = {
        _tag: "Received",
        ...about(made.server.url),
        target: { path: made.target, overwrite: options.overwrite ?? false },
        parts
      }
      yield* made.journal.put(entry)
      const isFinished = Effect.gen(function*() {
        assert.deepInclude<object>(yield* made.resume("doc-1"), { path: made.target, bytes: texts.join("").length })
        assert.strictEqual(readFileSync(made.target, "utf8"), texts.join(""))
        assert.deepStrictEqual([...readdirSync(made.directory), ...readdirSync(other)], ["letter.txt"])
        assert.deepStrictEqual(yield* made.journal.entries(), [])
        assert.strictEqual(made.server.requests.length + made.server.questions.length, 0)
      })
      return { ...made, isFinished, parts, other, entry }
    })

    live.each<readonly [what: string, texts: readonly [string, ...Array<string>], elsewhere: boolean, extra?: string]>([
      ["one file", ["hello"], false],
      ["an empty file", [""], false],
      ["one file in another folder", ["hello"], true],
      ["two files", ["hel", "lo"], false],
      ["two files in another folder", ["hel", "lo"], true],
      ["two files, a byte of the second appended to the first", ["hel", "lo"], false, "l"],
      ["two files, the second appended to the first", ["hel", "lo"], false, "lo"]
    ])("puts %s in its place", function*([, texts, elsewhere, extra]) {
      yield* (yield* received(texts, { elsewhere, extra })).isFinished
    })

    live("replaces a file and keeps its mode, after a run that was killed while it copied the parts", function*() {
      const { directory, isFinished, target } = yield* received(["hel", "lo"], { elsewhere: true, overwrite: true })
      writeFileSync(target, "old")
      chmodSync(target, 0o640)
      const mark = createHash("sha256").update("doc-1").digest("hex").slice(0, 16)
      writeFileSync(join(directory, `.letter.txt.${mark}.part`), "hel")
      yield* isFinished
      assert.strictEqual(modeOf(target), "640")
    })

    live("puts no document in its place that lacks bytes of one of its parts", function*() {
      const { parts, resume, target } = yield* received(["he", "ll", "o"])
      writeFileSync(parts[2]?.path ?? "", "")
      yield* Effect.flip(resume("doc-1"))
      assert.isFalse(existsSync(target))
    })

    live.each<readonly [what: string, overwrite: boolean, leave: (part: string, target: string) => void]>([
      ["between the link and the removal of its temporary file", false, linkSync],
      ["after that", false, renameSync],
      ["after that, over another file", true, renameSync],
      ["after an empty file took the name, where there are no links", false, (_, target) => writeFileSync(target, "")]
    ])("goes on when it was killed %s", function*([, overwrite, leave]) {
      const { isFinished, parts, target } = yield* received(["hello"], { overwrite })
      leave(parts[0].path, target)
      yield* isFinished
    })

    live("goes on when it was killed after the second part was appended and removed", function*() {
      const { entry, isFinished, journal } = yield* received(["hello"])
      assert(entry._tag === "Received")
      const path = entry.parts[0].path
      yield* journal.put({ ...entry, parts: [{ path, bytes: 3 }, { path: `${path}.gone`, bytes: 2 }] })
      yield* isFinished
    })

    live("replaces no file that is another's, and saves it elsewhere when asked to", function*() {
      const { directory, entry, journal, resume, target } = yield* received(["hello"])
      writeFileSync(target, "other")
      assert.strictEqual((yield* Effect.flip(resume("doc-1")))._tag, "TargetExists")
      assert.strictEqual(readFileSync(target, "utf8"), "other")
      assert.deepStrictEqual(yield* journal.get("doc-1"), entry)
      const saved = yield* resume("doc-1", { folder: directory })
      assert.strictEqual(saved.path, join(directory, "doc-1"))
      assert.strictEqual(readFileSync(saved.path, "utf8"), "hello")
    })

    live("overwrites when asked to", function*() {
      const { directory, resume, target } = yield* received(["hello"])
      writeFileSync(target, "other")
      yield* resume("doc-1", { overwrite: true })
      assert.strictEqual(readFileSync(target, "utf8"), "hello")
      assert.deepStrictEqual(readdirSync(directory), ["letter.txt"])
    })

    live("says that it is lost when its files are gone", function*() {
      const { journal, other, parts, resume, target } = yield* received(["hel", "lo"])
      writeFileSync(parts[1]?.path ?? "", "l")
      const error = yield* Effect.flip(resume("doc-1"))
      assert.deepInclude<object>(error, { _tag: "DownloadInterrupted", available: false })
      assert.strictEqual((yield* journal.get("doc-1"))?._tag, "Lost")
      assert.isFalse(existsSync(target))
      assert.strictEqual(readdirSync(other).length, 1)
    })

    live("is what a download with the same id does too", function*() {
      const { directory, download, server } = yield* received(["hello"])
      const path = join(directory, "new.txt")
      yield* download({ target: path })
      assert.strictEqual(readFileSync(path, "utf8"), "hello")
      assert.strictEqual(server.requests.length, 0)
    })
  })
})

describe.concurrent("the journal of NodeDocuments.downloadToFile", () => {
  live("knows the document, its temporary file and its length before the first byte is there", function*() {
    const seen: Array<Journal.Entry | undefined> = []
    const { directory, download, journal, server, target } = yield* setup([stall("hel", 5)], {}, [
      (socket) => {
        Effect.runFork(Effect.andThen(
          Effect.map(journal.get("doc-1"), (entry) => seen.push(entry)),
          Effect.sync(() => done(socket))
        ))
      }
    ])
    const fiber = yield* Effect.forkChild(download({ target }))
    yield* untilSettled(() => partSize(directory) === 3)
    const entry = yield* journal.get("doc-1")
    const [part = ""] = readdirSync(directory)
    const known = { ...about(server.url), target: { path: target, overwrite: false } }
    assert.deepInclude<object>(entry ?? {}, {
      _tag: "Downloading",
      documentId: document.documentId,
      host: known.host,
      target: known.target,
      temporary: join(directory, part),
      bytesExpected: 5
    })
    assert.strictEqual(seen[0]?._tag, "Uploaded")
    yield* Fiber.interrupt(fiber)
    assert.deepStrictEqual(yield* journal.get("doc-1"), entry)
  })

  live("keeps a document that the service still has after its bytes stopped, for the next try", function*() {
    const { directory, download, journal, resume, target } = yield* setup([cut("hel", 5), hello])
    const error = yield* Effect.flip(download({ target }))
    assert.deepInclude<object>(error, { _tag: "DownloadInterrupted", available: true, bytesReceived: 3 })
    assert.strictEqual((yield* journal.get("doc-1"))?._tag, "Downloading")
    yield* resume("doc-1")
    assert.strictEqual(readFileSync(target, "utf8"), "hello")
    assert.deepStrictEqual(readdirSync(directory), ["letter.txt"])
  })

  live("says that a document is lost whose bytes stopped and that the service has deleted", function*() {
    const { directory, download, journal, target } = yield* setup([cut("hel", 5)], {}, [done, gone])
    const error = yield* Effect.flip(download({ target }))
    assert.deepInclude<object>(error, { _tag: "DownloadInterrupted", available: false, bytesReceived: 3 })
    const entry = yield* journal.get("doc-1")
    assert(entry?._tag === "Lost")
    const [part = ""] = readdirSync(directory)
    assert.deepStrictEqual(entry.parts, [{ path: join(directory, part), bytes: 3 }])
  })

  live("does not say that a document is lost when nobody could tell", function*() {
    const { directory, download, journal, resume, target } = yield* setup([cut("hel", 5)], {}, [
      done,
      reset,
      reset,
      reset,
      gone
    ])
    const error = yield* Effect.flip(download({ target }))
    assert(error._tag === "DownloadInterrupted")
    assert.isUndefined(error.available)
    const [part = ""] = readdirSync(directory)
    assert.strictEqual(error.path, join(directory, part))
    assert.deepInclude<object>((yield* journal.get("doc-1")) ?? {}, {
      _tag: "Downloading",
      temporary: join(directory, part),
      bytesExpected: 5
    })
    // The first question of the next try gets no answer either.
    assert.deepInclude<object>(yield* Effect.flip(resume("doc-1")), { available: false, bytesReceived: 3 })
  })

  live("refuses a key that is none", function*() {
    const { journal, layer, server, target } = yield* setup([hello])
    const options: NodeDocuments.DownloadToFileOptions = JSON.parse(
      JSON.stringify({ documentId: "doc-1", documentKey: "key", target })
    )
    const error = yield* NodeDocuments.use((documents) => documents.downloadToFile(options)).pipe(
      Effect.provide(layer),
      Effect.flip
    )
    assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: "documentKey" })
    assert.deepStrictEqual(yield* journal.entries(), [])
    assert.strictEqual(server.questions.length, 0)
  })

  live("has the document as uploaded when it was refused, and nothing is left on the disk", function*() {
    const { directory, download, journal, target } = yield* setup([whole("456 Quota Exceeded", "{}")])
    assert.strictEqual((yield* Effect.flip(download({ target })))._tag, "QuotaExceeded")
    assert.strictEqual((yield* journal.get("doc-1"))?._tag, "Uploaded")
    assert.deepStrictEqual(readdirSync(directory), [])
  })

  live("has the document as uploaded when its target is taken while it is waited for", function*() {
    let target = ""
    const made = yield* setup([hello], {}, [status("queued"), (socket) => {
      mkdirSync(target)
      done(socket)
    }])
    target = made.target
    const error = yield* Effect.flip(made.download({ target }))
    assert.strictEqual(error._tag, "TargetUnusable")
    assert.include(error.message, "The document was not requested")
    assert.strictEqual(made.server.requests.length, 0)
    assert.strictEqual((yield* made.journal.get("doc-1"))?._tag, "Uploaded")
  })
})
