import { DocumentId } from "@effect-lingua/core/contract/Ids"
import { Journal } from "@effect-lingua/core/documents/Journal"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import * as NodeAtomicFile from "@effect-lingua/node/files/NodeAtomicFile"
import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import * as NodeJournal from "@effect-lingua/node/files/NodeJournal"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { assert, describe, it } from "@effect/vitest"
import { Context, DateTime, Duration, Effect, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { chunked } from "../support/chunked.ts"
import { folder } from "../support/documents.ts"
import { cutEverywhere, type Disk, on } from "../support/powerCut.ts"
import { resumeAll } from "../support/resuming.ts"

const contentOf = (path: string) => existsSync(path) ? readFileSync(path, "utf8") : undefined

/** A service, and a client with a journal in a folder. */
const service = Effect.fnUntraced(function*(journal: string, hasLength: boolean) {
  const context = yield* Layer.build(FakeLanguageService.layer({ readyAfter: 0 }))
  const fake = Context.get(context, FakeLanguageService)
  const http = HttpClient.transform(
    Context.get(context, HttpClient.HttpClient),
    Effect.map((response) => hasLength ? response : chunked(response))
  )
  const client = NodeDocuments.layer.pipe(
    Layer.provideMerge(LanguageService.layer({
      key: Redacted.make(FakeLanguageService.defaultKey),
      baseUrl: fake.url,
      resilience: { pollBase: Duration.millis(1), pollCap: Duration.millis(1), backoffBase: Duration.millis(1) }
    })),
    Layer.provide(NodeJournal.layer({ folder: journal })),
    Layer.provide(Layer.succeed(HttpClient.HttpClient, http))
  )
  return { client, fake }
})

describe("what is promised outlasts a cut of the power at any moment", () => {
  it.live.each(["old", undefined])(
    "a file is the old one or the new one, and the new one once it is written (old: %s)",
    (old) =>
      cutEverywhere(Effect.fnUntraced(function*(disk: Disk) {
        const file = join(yield* folder, "file")
        if (old !== undefined) writeFileSync(file, old)
        const layer = on(disk)(Layer.merge(NodeFileSystem.layer, NodePath.layer))
        return {
          program: Effect.provide(NodeAtomicFile.write(file, "a new text", { overwrite: true }), layer, {
            local: true
          }),
          check: ({ isCut }) =>
            Effect.sync(() => assert.oneOf(contentOf(file), isCut ? [old, "a new text"] : ["a new text"]))
        }
      }))
  )

  it.live("an entry of the journal is there when it is noted, and gone when it is removed", () =>
    cutEverywhere(Effect.fnUntraced(function*(disk: Disk) {
      const directory = join(yield* folder, "state", "journal")
      const owner = { host: "https://service.test/", account: "account" }
      const uploading: Journal.Entry = {
        _tag: "Uploading",
        uploadId: "upload",
        ...owner,
        startedAt: DateTime.makeUnsafe(0)
      }
      const uploaded: Journal.Entry = {
        _tag: "Uploaded",
        ...owner,
        startedAt: DateTime.makeUnsafe(0),
        documentId: DocumentId.make("document"),
        documentKey: Redacted.make("key"),
        uploadId: "upload"
      }
      const done: Array<string> = ["nothing"]
      const layer = on(disk)(NodeJournal.layer({ folder: directory }))
      return {
        program: Journal.use(Effect.fnUntraced(function*(journal) {
          yield* journal.put(uploading)
          done.push("Uploading")
          yield* journal.put(uploaded)
          done.push("Uploaded")
          yield* journal.remove("document")
          done.push("removed")
        })).pipe(Effect.provide(layer, { local: true })),
        check: ({ isCut }) =>
          Effect.gen(function*() {
            const states = ["nothing", "Uploading", "Uploaded", "removed"]
            const entries = yield* Effect.provide(
              Journal.use((journal) => journal.entries),
              NodeJournal.layer({ folder: directory }),
              { local: true }
            )
            const tag = entries[0]?._tag ?? "removed"
            assert.isAtMost(entries.length, 1)
            const state = tag === "removed" && done.length < 3 ? "nothing" : tag
            const allowed = states.slice(done.length - 1, done.length + (isCut ? 1 : 0))
            assert.oneOf(state, allowed)
          })
      }
    })))

  it.live.each([[true, false], [false, true]] as const)(
    "a document is saved, or lost before it was noted as received (with a length: %s, over a file: %s)",
    Effect.fnUntraced(function*([hasLength, overwrite]) {
      const ends = new Set<string>()
      const steps = yield* cutEverywhere(Effect.fnUntraced(function*(disk: Disk) {
        const root = yield* folder
        const source = join(root, "letter.txt")
        const target = join(root, "brief.txt")
        const old = overwrite ? "old" : undefined
        const text = "Good day\n".repeat(2000)
        const translation = text.replace(/^(?=.)/gm, "[de] ")
        writeFileSync(source, text)
        if (old !== undefined) writeFileSync(target, old)
        const { client, fake } = yield* service(join(root, "journal"), hasLength)
        return {
          program: NodeDocuments.use((documents) =>
            documents.translate({ source, target, overwrite, rescueFolder: root, targetLanguage: "de" })
          ).pipe(Effect.provide(on(disk)(client), { local: true })),
          check: Effect.fnUntraced(function*({ isCut, steps }) {
            assert.oneOf(contentOf(target), isCut ? [old, translation] : [translation])
            const failures = yield* Effect.provide(resumeAll({ rescueFolder: root }), client, { local: true })
            const [failure] = failures
            if (failure !== undefined) {
              assert(failure._tag === "DownloadInterrupted", failure.message)
              assert.isFalse(failure.available)
              const synced = steps.findIndex((step) => step.startsWith("sync .brief"))
              const isNoted = steps.some((step, index) => step.startsWith("rename document-") && index > synced)
              assert.isFalse(synced >= 0 && isNoted, "lost, and noted as received")
              const kept = readdirSync(root).filter((name) => name.endsWith(".part"))
                .map((name) => readFileSync(join(root, name), "utf8")).join("")
              assert.isBelow(kept.length, translation.length)
              assert.strictEqual(kept, translation.slice(0, kept.length))
              assert.strictEqual(failure.bytesReceived, kept.length)
              ends.add("lost")
              return
            }
            const known = yield* fake.documents
            const isBegun = known.length > 0
            assert.strictEqual(contentOf(target), isBegun ? translation : old)
            assert.isAtMost(known.filter(({ taken }) => taken).length, 1)
            assert.deepStrictEqual(readdirSync(root).filter((name) => name.endsWith(".part")), [])
            ends.add(isBegun ? "saved" : "not begun")
          })
        }
      }))
      assert.deepStrictEqual(ends, new Set(["saved", "lost", "not begun"]))
      assert.isAbove(steps.length, 20)
    })
  )

  it.live.each(["killed once it had its name", "for which its disk had no room"] as const)(
    "a document that was received is saved by a later program (%s)",
    Effect.fnUntraced(function*(before) {
      const steps = yield* cutEverywhere(Effect.fnUntraced(function*(disk: Disk) {
        const root = yield* folder
        const source = join(root, "letter.txt")
        const target = join(yield* folder, "brief.txt")
        writeFileSync(source, "Good day\n")
        const { client } = yield* service(join(root, "journal"), true)
        const received = NodeDocuments.use((documents) =>
          documents.translate({ source, target, rescueFolder: root, targetLanguage: "de" })
        ).pipe(Effect.provide(on(disk)(client), { local: true }))
        yield* before === "killed once it had its name"
          ? disk.killAfter("link brief.txt", received)
          : Effect.flip(disk.withoutRoom((name) => name.startsWith(".brief"), received))
        const resumed = resumeAll({ rescueFolder: root })
        return {
          program: Effect.provide(resumed, on(disk)(client), { local: true }),
          check: Effect.fnUntraced(function*({ isCut }) {
            if (!isCut) assert.strictEqual(contentOf(target), "[de] Good day\n")
            assert.deepStrictEqual(yield* Effect.provide(resumed, client, { local: true }), [])
            assert.strictEqual(contentOf(target), "[de] Good day\n")
            const left = [root, dirname(target)].flatMap((path) => readdirSync(path))
            assert.deepStrictEqual(left.filter((name) => name.endsWith(".part")), [])
          })
        }
      }))
      assert.isAbove(steps.length, 3)
    })
  )
})
