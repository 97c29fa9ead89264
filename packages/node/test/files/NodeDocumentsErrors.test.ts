import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { inspect } from "node:util"
import { sampled } from "../../../../test/support/scale.ts"
import { live } from "../../../../test/support/tests.ts"
import { about, document, parts, partSize, setup, until } from "../support/documents.ts"
import { type Answer, gone, stall, status, whole } from "../support/rawServer.ts"

const issued = whole("200 OK", JSON.stringify({ document_id: "doc-1", document_key: "document-key" }), {
  "content-type": "application/json"
})

/** What the operation tried, and of which document it is. */
const said = ({ _tag, attempts, document }: {
  readonly _tag: string
  readonly attempts?: ReadonlyArray<{ readonly operation: string }>
  readonly document?: object
}) => ({ _tag, attempts: attempts?.map(({ operation }) => operation), document })

describe("an error of NodeDocuments", () => {
  live("has the attempts of its operation: none before anything is asked for", function*() {
    const { directory, download, target } = yield* setup([])
    writeFileSync(target, "old")
    const none = { attempts: [], document }
    const exists = yield* Effect.flip(download({ target }))
    assert.deepStrictEqual(said(exists), { _tag: "TargetExists", ...none })
    const unusable = yield* Effect.flip(download({ target: join(directory, "none", "letter.txt") }))
    assert.deepStrictEqual(said(unusable), { _tag: "TargetUnusable", ...none })
  })

  live("has the questions for the status when the target is taken meanwhile", function*() {
    let taken = ""
    const take: Answer = (socket) => {
      writeFileSync(taken, "old")
      status("done")(socket)
    }
    const { download, target } = yield* setup([], {}, [status("translating"), take])
    taken = target
    const error = yield* Effect.flip(download({ target }))
    assert.deepStrictEqual(said(error), {
      _tag: "TargetExists",
      attempts: ["Documents.status", "Documents.status"],
      document
    })
  })

  live("has the download when the document cannot be put in its place, or is lost", function*() {
    let taken = ""
    const take: Answer = (socket) => {
      writeFileSync(taken, "old")
      whole("200 OK", "hello")(socket)
    }
    const { directory, download, journal, resume, target } = yield* setup([take], {}, [status("done"), gone])
    taken = target
    const error = yield* Effect.flip(download({ target }))
    assert.deepStrictEqual(said(error), {
      _tag: "SaveFailed",
      attempts: ["Documents.status", "Documents.download"],
      document
    })
    const entry = yield* journal.get("doc-1")
    assert(entry?._tag === "Received")
    yield* journal.put({
      ...document,
      _tag: "Downloading",
      host: entry.host,
      account: entry.account,
      startedAt: entry.startedAt
    })
    const lost = yield* Effect.flip(resume("doc-1", { target: join(directory, "other.txt") }))
    assert.deepStrictEqual(said(lost), { _tag: "DownloadInterrupted", attempts: ["Documents.status"], document })
  })

  live("has the document that was uploaded, without showing its key", function*() {
    const { directory, layer, target } = yield* setup([], {}, [issued, status("translating"), gone])
    const source = join(directory, "source.txt")
    writeFileSync(source, "Guten Tag")
    const translate = NodeDocuments.use((documents) => documents.translate({ source, target, targetLanguage: "en-US" }))
    const error = yield* Effect.flip(Effect.provide(translate, layer))
    assert.deepInclude<object>(error, { _tag: "DocumentNotFound", document })
    assert.include(error.message, "doc-1")
    assert.notInclude(`${inspect(error, { depth: 9 })} ${JSON.stringify(error)}`, "document-key")
    rmSync(source)
    const unusable = yield* Effect.flip(Effect.provide(translate, layer))
    assert.deepStrictEqual(said(unusable), { _tag: "SourceUnusable", attempts: [], document: undefined })
  })
})

/** An answer in two pieces; between them something is done to the temporary file, which has the first. */
const meanwhile = (directory: () => string, change: (part: string) => void): Answer => (socket) => {
  stall("hello", 10)(socket)
  Effect.runFork(Effect.andThen(
    until(() => partSize(directory()) === 5),
    Effect.sync(() => {
      change(join(directory(), parts(directory())[0] ?? ""))
      socket.write("world")
    })
  ))
}

describe("a temporary file that another program changes during the download", () => {
  const changes: ReadonlyArray<readonly [what: string, change: (part: string) => void]> = [
    ["removed", (part) => rmSync(part)],
    ["truncated", (part) => truncateSync(part, 2)],
    ["extended", (part) => appendFileSync(part, "evil")],
    ["replaced by a file of the same length", (part) => {
      rmSync(part)
      writeFileSync(part, "0123456789")
    }],
    ["replaced by a link", (part) => {
      renameSync(part, `${part}.moved`)
      symlinkSync(`${part}.moved`, part)
    }]
  ]
  const after = [["deleted", "the service has deleted it: upload it again"], [
    "kept",
    "the service still has it"
  ]] as const
  live.each(
    // The short run has each change and each state.
    sampled(
      after.flatMap(([state, advice]) => changes.map(([what, change]) => [what, state, change, advice] as const)),
      5
    )
  )("is not published as the document: %s, and the service has %s it", function*([what, state, change, advice]) {
    let there = ""
    const { directory, download, journal, resume, target } = yield* setup(
      [meanwhile(() => there, change)],
      {},
      [status("done"), state === "kept" ? status("done") : gone]
    )
    there = directory
    const error = yield* Effect.flip(download({ target }))
    assert(error._tag === "SaveFailed", error._tag)
    assert.deepInclude<object>(error, { complete: false, available: state === "kept", path: target })
    assert.include(error.message, advice)
    for (const { bytes, path } of error.parts) assert.strictEqual(readFileSync(path).length, bytes)
    assert.deepStrictEqual(
      error.parts.map(({ bytes }) => bytes),
      what === "truncated" ? [7] : what === "extended" ? [14] : []
    )
    assert.isFalse(existsSync(target))
    const entry = yield* journal.get("doc-1")
    if (state === "kept") return assert.include(["Uploaded", "Downloading"], entry?._tag)
    assert(entry?._tag === "Lost")
    assert.deepStrictEqual(entry.parts, error.parts)
    // A file of the same length is not found to be the document later.
    assert.deepInclude<object>(yield* Effect.flip(resume("doc-1")), {
      _tag: "DownloadInterrupted",
      available: false
    })
  })

  it.live("is not published as the document if a killed program left it, and another truncates it while it is written again", () =>
    Effect.gen(function*() {
      let there = ""
      const { directory, journal, resume, server, target } = yield* setup(
        [meanwhile(() => there, (part) => truncateSync(part, 2))],
        {},
        [status("done"), status("done"), gone]
      )
      there = directory
      const temporary = join(directory, ".letter.txt.part")
      writeFileSync(temporary, "hex")
      yield* journal.put({
        ...about(server.url),
        _tag: "Downloading",
        temporary,
        target: { path: target, overwrite: false }
      })
      const error = yield* Effect.flip(resume("doc-1"))
      assert.deepInclude<object>(error, { _tag: "SaveFailed", complete: false })
      assert.isFalse(existsSync(target))
    }).pipe(Effect.scoped))
})
