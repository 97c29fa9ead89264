import { Documents } from "@effect-lingua/core/documents/Documents"
import { Voice } from "@effect-lingua/voice/Voice"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { document } from "../../../packages/core/test/support/operations.ts"
import { errorOverTime } from "../../../packages/core/test/support/time.ts"
import * as Sample from "./support/operations.ts"
import * as Wire from "./support/wire.ts"

const download = Documents.use((documents) => documents.download(document))

const file = Stream.unwrap(
  Voice.use((voice) => Effect.succeed(voice.download({ jobId: Sample.jobId, targetIndex: 0 })))
)

/** A body larger than the read-ahead. */
const large = Wire.streamed(200, Stream.range(1, 100).pipe(Stream.map(() => new Uint8Array(10_000)), Stream.rechunk(1)))

const job = Wire.answer(200, {
  job_id: Sample.jobId,
  results: [{ status: "complete", download_url: "https://assets.example/d/1", signature: "signature" }]
})

describe("the limit of open streams", () => {
  it.effect("includes the files of jobs", () =>
    Effect.gen(function*() {
      const reader = yield* Effect.forkChild(Stream.runForEach(file, () => Effect.never), { startImmediately: true })
      const second = yield* Effect.forkChild(download, { startImmediately: true })
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(yield* Wire.count, 2)
      yield* Fiber.interrupt(reader)
      yield* Fiber.join(second)
    }).pipe(Effect.provide(Wire.layer([job, large, large], { resilience: { openStreams: 1 } }))))

  it.effect("allows the wait of a file until the deadline, after which it fails as not sent", () =>
    Effect.gen(function*() {
      yield* download
      const error = yield* errorOverTime(Stream.runDrain(file))
      assert.deepInclude<object>(error, { _tag: "TransferFailed", outcome: "refused" })
      assert.include(error.message, "Nothing was sent")
      assert.strictEqual(yield* Wire.count, 2)
    }).pipe(
      Effect.provide(Wire.layer([large, job], { resilience: { openStreams: 1, jobDeadline: Duration.seconds(20) } }))
    ))
})
