import { Documents, Progress } from "@effect-lingua/core"
import { NodeDocuments, NodeLanguageService } from "@effect-lingua/node"
import { FakeLanguageService, Fault, NodeFakeLanguageService, Script } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Redacted, Stream } from "effect"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sampled } from "../../../../test/support/scale.ts"
import { liveWith } from "../../../../test/support/tests.ts"
import { folder } from "../support/documents.ts"

/** A consumer of a queue whose messages name a file. Each delivery has a client of its own, as after a crash. */
const consumer = Effect.gen(function*() {
  const fake = yield* FakeLanguageService
  const directory = yield* folder
  const source = join(directory, "letter.txt")
  writeFileSync(source, "Guten Tag")
  const client = NodeLanguageService.layer({
    key: Redacted.make("fake-key"),
    baseUrl: fake.url,
    journal: { folder: yield* folder },
    resilience: { attempts: 1, pollBase: Duration.millis(5) }
  })
  const targetOf = (id: string) => join(directory, `${id}.txt`)
  const translate = (id: string) =>
    NodeDocuments.use((documents) =>
      documents.translate({ source, target: targetOf(id), targetLanguage: "en-US", uploadId: id })
    )
  const deliver = (id: string) =>
    translate(id).pipe(Effect.as("saved"), Effect.catch((error) => Effect.succeed(error._tag)), Effect.provide(client))
  /** Interrupts a delivery after so many events of its progress. */
  const crash = (id: string, events: number) =>
    Progress.stream(translate(id)).pipe(Stream.take(events), Stream.runDrain, Effect.ignore, Effect.provide(client))
  const entryOf = (id: string) =>
    Documents.use((documents) => documents.pending).pipe(
      Effect.map((entries) => entries.find(({ uploadId }) => uploadId === id)?._tag),
      Effect.provide(client)
    )
  const counts = Effect.map(fake.effects, (effects) => [
    effects["Documents.upload"].count,
    effects["Documents.download"].count
  ])
  return { counts, crash, deliver, entryOf, fake, source, targetOf }
})

/** Estimates are whole seconds. */
const fakeLayer = NodeFakeLanguageService.layer({ readyAfter: "20 millis", dialect: { secondsRemaining: "absent" } })

const test = liveWith(fakeLayer)

describe.concurrent("a message that is delivered again", () => {
  it.live("after a crash at each step downloads its document once, and uploads it again only if the response was lost", () =>
    Effect.gen(function*() {
      const { counts, crash, deliver, entryOf, targetOf } = yield* consumer
      const seen = new Set<string>()
      for (const events of sampled([0, 1, 2, 3, 4, 5, 6, 7, 8], 5)) {
        const id = `message-${events}`
        const [uploads = 0, downloads = 0] = yield* counts
        yield* crash(id, events)
        const left = (yield* entryOf(id)) ?? (existsSync(targetOf(id)) ? "saved" : "nothing")
        const [uploadsBefore = 0] = yield* counts
        const result = yield* deliver(id)
        seen.add(`${left}, ${result}`)
        const [uploadsAfter = 0, downloadsAfter = 0] = yield* counts
        if (left !== "Uploading" && left !== "nothing") assert.strictEqual(uploadsAfter, uploadsBefore)
        assert.isAtMost(uploadsAfter - uploads, 2)
        // A second download would be billed a second time.
        assert.strictEqual(downloadsAfter - downloads, 1)
        // A crash during the download may lose the document, which is then reported and not translated again.
        if (result === "DownloadInterrupted") assert.strictEqual(left, "Downloading")
        else assert.strictEqual(readFileSync(targetOf(id), "utf8"), "[en-US] Guten Tag")
        assert.strictEqual(yield* deliver(id), result === "DownloadInterrupted" ? result : "TargetExists")
        assert.deepStrictEqual(yield* counts, [uploadsAfter, downloadsAfter])
      }
      assert.includeMembers([...seen], ["nothing, saved", "Uploaded, saved", "saved, TargetExists"])
    }).pipe(Effect.scoped, Effect.provide(fakeLayer)))

  test("after a lost response uploads again, and downloads the second document only", function*() {
    const { counts, deliver, entryOf, fake } = yield* consumer
    yield* fake.script(Script.next(1, Fault.reset({ afterEffect: true }), "Documents.upload"))
    assert.strictEqual(yield* deliver("message-1"), "OutcomeUnknown")
    assert.strictEqual(yield* entryOf("message-1"), "Uploading")
    assert.strictEqual(yield* deliver("message-1"), "saved")
    assert.deepStrictEqual(yield* counts, [2, 1])
    assert.strictEqual((yield* fake.undownloadedDocuments).length, 1)
  })

  test("at the same time saves its document once", function*() {
    const { counts, deliver } = yield* consumer
    const results = yield* Effect.all([deliver("message-1"), deliver("message-1")], { concurrency: 2 })
    const [other, ...others] = results.filter((result) => result !== "saved")
    assert.isEmpty(others)
    assert.include(["Busy", "TargetExists"], other)
    assert.deepStrictEqual(yield* counts, [1, 1])
  })

  test("without its file sends nothing, and is completed once the file is back", function*() {
    const { counts, crash, deliver, source } = yield* consumer
    yield* crash("message-1", 2)
    rmSync(source)
    const before = yield* counts
    assert.strictEqual(yield* deliver("message-1"), "SourceUnusable")
    assert.deepStrictEqual(yield* counts, before)
    writeFileSync(source, "Guten Tag")
    assert.strictEqual(yield* deliver("message-1"), "saved")
  })
})
