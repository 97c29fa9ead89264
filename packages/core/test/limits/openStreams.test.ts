import { Attempt, ResiliencePolicy } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { download, errorOverTime, read, Wire, within } from "../support/index.ts"

type Body = Effect.Success<typeof download>["stream"]
const text = ({ stream }: Effect.Success<typeof download>) => Stream.mkString(Stream.decodeText(stream))

/** A body larger than the read-ahead. */
const chunks = (count: number) => Stream.rechunk(Stream.map(Stream.range(1, count), () => new Uint8Array(10_000)), 1)
const large = chunks(20)

const client = (script: Wire.Script, resilience: Partial<ResiliencePolicy.ResiliencePolicy> = {}) =>
  Effect.provide(Wire.layer(script, { resilience }))

const bodies = (...all: ReadonlyArray<Stream.Stream<Uint8Array, Error>>) => all.map((body) => Wire.streamed(200, body))

describe("a download that is not read", () => {
  it.effect("releases its connection after the idle timeout, and a late reader fails with that", () => {
    let ended: number | undefined
    const body = Stream.ensuring(
      large,
      Effect.map(Clock.currentTimeMillis, (now) => {
        ended = now
      })
    )
    return Effect.gen(function*() {
      const { stream } = yield* download
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(ended, 30_000)
      const error = yield* errorOverTime(Stream.runDrain(stream))
      assert.deepInclude<object>(error, { _tag: "DownloadInterrupted", bytesReceived: 70_000, available: false })
      assert.include(error.message, "The body was not read for 30 s, so its connection was released")
    }).pipe(client([...bodies(body), Wire.answer(404)]))
  })

  it.effect("releases its connection also if its bytes arrive slowly", () => {
    let ended: number | undefined
    const slow = Stream.tap(
      Stream.map(Stream.range(1, 600), () => new Uint8Array(1000)),
      () => Effect.sleep("1 second")
    )
    const body = Stream.ensuring(slow, Effect.map(Clock.currentTimeMillis, (now) => (ended = now)))
    return Effect.gen(function*() {
      const { stream } = yield* download
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(ended, 32_000)
      const error = yield* errorOverTime(Stream.runDrain(stream))
      assert.include(error.message, "The body was not read for 30 s, so its connection was released")
    }).pipe(client([...bodies(body), Wire.answer(404)]))
  })

  it.effect("releases its connection if its reader pauses in the middle", () =>
    Effect.gen(function*() {
      const { stream } = yield* download
      const error = yield* errorOverTime(Stream.runForEach(stream, () => Effect.sleep("31 seconds")))
      assert.include(error.message, "The body was not read for 30 s, so its connection was released")
    }).pipe(client([...bodies(large), Wire.answer(404)])))

  it.effect("loses no byte of a body that has arrived", () => {
    let isEnded = false
    const body = Stream.ensuring(Stream.make(new TextEncoder().encode("abc")), Effect.sync(() => (isEnded = true)))
    return Effect.gen(function*() {
      const answer = yield* download
      assert.isTrue(isEnded)
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* text(answer), "abc")
    }).pipe(client(bodies(body)))
  })

  it.effect("cannot be read twice, and the second reader does not end the first", () =>
    Effect.gen(function*() {
      const { stream } = yield* download
      const second = Effect.flip(Stream.runDrain(stream))
      const messages = yield* Stream.runCollect(Stream.mapEffect(stream, () => Effect.map(second, String)))
      assert.strictEqual(messages.length, 20)
      assert.include(messages[0], "The body was already read")
    }).pipe(client((request, sent) =>
      (sent.url.endsWith("/result") ? Wire.streamed(200, large) : Wire.answer(404))(request, sent)
    )))
})

describe("the number of open streams", () => {
  it.effect("delays a download until another has ended", () =>
    Effect.gen(function*() {
      const first = yield* download
      const second = yield* Effect.forkChild(Attempt.record(download), { startImmediately: true })
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(yield* Wire.count, 1)
      yield* Stream.runDrain(first.stream)
      const [{ stream }, [attempt]] = yield* Fiber.join(second)
      assert.deepStrictEqual(attempt?.queued, Duration.seconds(20))
      yield* Stream.runDrain(stream)
    }).pipe(client(bodies(large, large), { openStreams: 1 })))

  it.effect.each<readonly [end: string, (stream: Body) => Effect.Effect<unknown>]>([
    ["was read in part", (stream) => Effect.orDie(Stream.runDrain(Stream.take(stream, 1)))],
    ["has an interrupted reader", (stream) =>
      Effect.flatMap(
        Effect.forkChild(Stream.runForEach(stream, () => Effect.never), { startImmediately: true }),
        Fiber.interrupt
      )],
    ["is not read in time", () => TestClock.adjust("30 seconds")],
    ["is read twice", (stream) => Effect.exit(Effect.andThen(Stream.runDrain(stream), Stream.runDrain(stream)))]
  ])("the place of a stream that %s goes to another", ([, end]) =>
    Effect.gen(function*() {
      for (let number = 1; number <= 10; number++) {
        const { stream } = yield* within(download, 0)
        yield* end(stream)
      }
    }).pipe(client((request, sent) =>
      (sent.url.endsWith("/result") ? Wire.streamed(200, large) : Wire.answer(404))(request, sent), {
      openStreams: 1
    })))

  it.effect("passes the place of a failed or interrupted download to another", () =>
    Effect.gen(function*() {
      yield* Effect.flip(download)
      const second = yield* Effect.forkChild(download, { startImmediately: true })
      yield* Fiber.interrupt(second)
      yield* within(download, 0)
    }).pipe(client([Wire.answer(404), Wire.silent, Wire.streamed(200, large)], { openStreams: 1 })))

  it.effect("is independent of the number of calls in flight", () =>
    Effect.gen(function*() {
      yield* download
      yield* within(read, 0)
      const waiting = yield* Effect.forkChild(download, { startImmediately: true })
      yield* within(read, 0)
      yield* Fiber.interrupt(waiting)
    }).pipe(client([Wire.streamed(200, large), Wire.answer(200, []), Wire.answer(200, [])], {
      openStreams: 1,
      concurrency: 1
    })))

  it.effect("allows a wait until the deadline, after which the call fails as not sent", () =>
    Effect.gen(function*() {
      const { stream } = yield* download
      const second = yield* Effect.forkChild(Effect.flip(download), { startImmediately: true })
      yield* Stream.runDrain(Stream.tap(stream, () => TestClock.adjust("2 seconds")))
      const error = yield* Fiber.join(second)
      assert.deepInclude<object>(error, { _tag: "DeadlineExceeded", outcome: "refused", attempts: [] })
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(client(bodies(chunks(100)), { openStreams: 1, jobDeadline: Duration.seconds(60) })))

  it.effect("is unlimited in a region without the limit", () =>
    Effect.gen(function*() {
      yield* download
      yield* within(ResiliencePolicy.within(download, { openStreams: Number.POSITIVE_INFINITY }), 0)
    }).pipe(client(Wire.streamed(200, large), { openStreams: 1 })))

  it.effect("is unlimited without a limit in the policy", () =>
    Effect.gen(function*() {
      const exits = yield* Effect.forEach(Array.from({ length: 65 }), () => Effect.exit(within(download, 0)))
      assert.isTrue(exits.every(Exit.isSuccess))
    }).pipe(client(Wire.streamed(200, large), { openStreams: Number.POSITIVE_INFINITY })))
})
