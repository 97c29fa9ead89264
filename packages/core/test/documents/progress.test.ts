import { Documents, type UploadOptions } from "@effect-lingua/core/documents/Documents"
import { type Finished, Progress, report, stream } from "@effect-lingua/core/jobs/Progress"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { content, evenly, layer, status } from "../support/documents.ts"
import { overTime, Sample, valueOverTime, Wire } from "../support/index.ts"

const id = Sample.documentId

/** A document from its upload to its last byte. */
const whole = (options: Partial<UploadOptions> = {}) =>
  Documents.use((documents) =>
    Effect.flatMap(
      documents.translate({ ...Sample.upload, ...options }),
      ({ stream }) => Stream.mkString(Stream.decodeText(stream))
    )
  )

const letters = (text: string) => Stream.fromIterable(Array.from(text, (letter) => new TextEncoder().encode(letter)))

/** An answer of many small pieces. */
const pieces = (count: number, headers: Wire.Headers = {}) =>
  Wire.streamed(200, letters("x".repeat(count)).pipe(Stream.rechunk(1)), headers)

type Seen = Progress | Finished<string>

const collect = <A, E, R>(effect: Effect.Effect<A, E, R>) => Stream.runCollect(stream(effect))

/** Reports as many counts of bytes as it is told, and the end. */
const counting = (count: number) =>
  Effect.gen(function*() {
    for (let bytes = 1; bytes <= count; bytes++) {
      yield* report(() => Progress.Received({ id, bytes }))
      if (bytes % 100 === 0) yield* Effect.yieldNow
    }
    yield* report(() => Progress.Completed({ id }))
    return count
  })

describe("the progress of a document", () => {
  it.effect("is what happens, in order, and its value in the end", () =>
    Effect.gen(function*() {
      const seen: ReadonlyArray<Seen> = yield* valueOverTime(evenly(collect(whole())))
      assert.deepStrictEqual(seen, [
        Progress.Started({ id }),
        Progress.Waiting({ id, state: "queued" }),
        Progress.Waiting({ id, state: "translating" }),
        Progress.Completed({ id, billedCharacters: 9 }),
        Progress.Received({ id, bytes: content.length, total: content.length }),
        { _tag: "Finished", value: content }
      ])
    }).pipe(
      Effect.provide(layer({
        status: [status("queued"), status("translating"), status("done", { billed_characters: 9 })]
      }))
    ))

  it.effect("counts what is sent of a stream, with the total where it is known", () =>
    Effect.gen(function*() {
      for (const size of [undefined, 3]) {
        const seen = yield* valueOverTime(collect(whole({ content: letters("abc").pipe(Stream.rechunk(1)), size })))
        assert.deepStrictEqual(
          seen.filter(({ _tag }) => _tag === "Sent"),
          [1, 2, 3].map((bytes) =>
            Progress.Sent({ fileName: "letter.txt", bytes, ...(size === undefined ? undefined : { total: size }) })
          )
        )
        assert.strictEqual(seen[3]?._tag, "Started")
      }
    }).pipe(Effect.provide(layer())))

  it.effect("counts anew when a file is sent anew", () =>
    Effect.gen(function*() {
      const seen = yield* valueOverTime(collect(whole({ content: letters("ab").pipe(Stream.rechunk(1)) })))
      assert.deepStrictEqual(seen.flatMap((event) => event._tag === "Sent" ? [event.bytes] : []), [1, 2, 1, 2])
    }).pipe(Effect.provide(layer({ upload: [Wire.answer(429), Sample.operation("Documents.upload").success] }))))

  it.effect("counts what is received, with the total where it is known", () =>
    Effect.gen(function*() {
      for (const total of [undefined, 3]) {
        const seen = yield* valueOverTime(collect(whole())).pipe(
          Effect.provide(layer({ result: [pieces(3, total === undefined ? {} : { "content-length": `${total}` })] }))
        )
        assert.deepStrictEqual(
          seen.filter(({ _tag }) => _tag === "Received"),
          [1, 2, 3].map((bytes) => Progress.Received({ id, bytes, ...(total === undefined ? undefined : { total }) }))
        )
      }
    }))

  it.effect("is told to whoever listens when the bytes come, and not when the download began", () =>
    Effect.gen(function*() {
      const translated = yield* valueOverTime(Documents.use((documents) => documents.translate(Sample.upload)))
      const seen = yield* collect(Stream.runDrain(translated.stream))
      assert.deepStrictEqual(seen.map(({ _tag }) => _tag), ["Received", "Finished"])
    }).pipe(Effect.provide(layer())))

  it.effect("ends with the failure of what it watches, as it is", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const { exit } = yield* overTime(
        stream(whole()).pipe(
          Stream.runForEach(({ _tag }) => Effect.sync(() => seen.push(_tag))),
          // The type of the error is that of the translation.
          Effect.catchTag("DocumentFailed", ({ description }) => Effect.succeed(description))
        )
      )
      assert.strictEqual(yield* exit, "No text")
      assert.deepStrictEqual(seen, ["Started", "Waiting"])
    }).pipe(Effect.provide(layer({ status: [status("queued"), status("error", { error_message: "No text" })] }))))

  it.effect("ends with the defect of what it watches", () =>
    Effect.gen(function*() {
      const exit = yield* Effect.exit(collect(Effect.die("a defect")))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    }))

  it.effect("interrupts what it watches when its reader stops", () =>
    Effect.gen(function*() {
      const { exit } = yield* overTime(
        stream(whole()).pipe(Stream.takeUntil(({ _tag }) => _tag === "Waiting"), Stream.runCollect)
      )
      assert.deepStrictEqual((yield* exit).map(({ _tag }) => _tag), ["Started", "Waiting"])
      const before = yield* Wire.count
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* Wire.count, before)
    }).pipe(Effect.provide(layer({ status: [status("queued")] }))))

  it.effect("does not wait for a slow reader, who misses counts of bytes and nothing else", () =>
    Effect.gen(function*() {
      const ended = yield* Deferred.make<void>()
      const watched = Effect.tap(counting(100_000), () => Deferred.succeed(ended, undefined))
      const seen: Array<Progress | Finished<number>> = []
      const fiber = yield* stream(watched).pipe(
        Stream.runForEach((event) => Effect.andThen(Effect.sync(() => seen.push(event)), Effect.sleep("1 second"))),
        Effect.forkChild
      )
      yield* Deferred.await(ended)
      assert.isBelow(seen.length, 10)
      yield* TestClock.adjust("1 hour")
      yield* Fiber.join(fiber)
      const counts = seen.flatMap((event) => event._tag === "Received" ? [event.bytes] : [])
      assert.isAbove(counts.length, 100)
      assert.isBelow(counts.length, 1000)
      assert.deepStrictEqual(counts, counts.toSorted((one, other) => one - other))
      assert.deepStrictEqual(seen.slice(-2), [Progress.Completed({ id }), { _tag: "Finished", value: 100_000 }])
    }))

  it.effect("is of two documents at once, each under its id", () =>
    Effect.gen(function*() {
      const both = Effect.all([whole(), whole()], { concurrency: 2 })
      const seen = yield* valueOverTime(collect(both))
      for (const id of ["d1", "d2"]) {
        assert.deepStrictEqual(
          seen.flatMap((event) => "id" in event && event.id === id ? [event._tag] : []),
          ["Started", "Waiting", "Completed", "Received"]
        )
      }
      assert.deepStrictEqual(seen.at(-1), { _tag: "Finished", value: [content, content] })
    }).pipe(
      Effect.provide(layer({
        upload: ["d1", "d2"].map((id) => Wire.answer(200, { document_id: id, document_key: "a document key" })),
        status: ["queued", "queued", "done"].map((status) => Wire.answer(200, { status }))
      }))
    ))

  it.effect("is told to the innermost only, and to nobody where nobody listens", () =>
    Effect.gen(function*() {
      const outer = yield* collect(collect(whole()))
      assert.deepStrictEqual(outer.map(({ _tag }) => _tag), ["Finished"])
      yield* report(() => assert.fail("nobody listens"))
    }).pipe(Effect.provide(layer())))
})
