/**
 * The open response streams of a client. Each stream holds a connection, so the number of streams is limited and unread streams are ended. A fiber
 * reads ahead of the consumer, so that a small body releases its connection early.
 */
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import type { ResiliencePolicy } from "../../config/ResiliencePolicy.ts"
import { hasWholeBody } from "../../contract/internal/endpoint.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { formatDuration } from "../../errors/Attempt.ts"
import { ClientState } from "../../telemetry/ClientState.ts"
import * as StateParts from "../../telemetry/internal/stateParts.ts"
import { Sender } from "../Sender.ts"
import { Replaced } from "./body.ts"
import type { OpenStreams } from "./callRecord.ts"
import type { Lifetime } from "./client.ts"
import type { Ending } from "./ending.ts"
import * as Timeout from "./timeout.ts"

type Original = HttpClientResponse.HttpClientResponse

class Streamed extends Replaced {
  readonly stream: Original["stream"]
  constructor(original: Original, stream: Original["stream"]) {
    super(original, original.headers)
    this.stream = stream
  }
  get arrayBuffer() {
    return this.web.arrayBuffer
  }
  get text(): Effect.Effect<string, Stream.Error<Original["stream"]>> {
    return Stream.mkString(Stream.decodeText(this.stream))
  }
  protected get content() {
    return Stream.toReadableStream(this.stream)
  }
}

/** Number of unread bytes at which reading waits for the consumer. */
const readAhead = 64 * 1024

class Ended extends Data.TaggedError("Ended")<{ readonly message: string }> {}

export const reasonOf = (error: unknown): string => {
  const cause = HttpClientError.isHttpClientError(error) && "cause" in error.reason ? error.reason.cause : error
  return cause instanceof Ended ? cause.message : "The connection broke"
}

const isStream = ({ failure, response }: Ending): boolean => failure === undefined && hasWholeBody(response.status)

/** Minimum bytes per second of a download, averaged over each minute of waiting for bytes. */
const minRate = 100

const makeStreams = (
  lifetime: Lifetime,
  openStreams: number,
  state: ClientState["Service"]
): OpenStreams["Service"] => {
  let streams = 0
  const semaphore = Number.isFinite(openStreams) ? Semaphore.makeUnsafe(openStreams) : undefined

  /** Starts to read a body. `onEnd` runs when the connection is released. */
  const start = Effect.fnUntraced(function*(
    response: HttpClientResponse.HttpClientResponse,
    { bodyIdleTimeout: idle }: ResiliencePolicy,
    onEnd: Effect.Effect<unknown>
  ) {
    const clock = yield* Clock.Clock
    const promised = Number(response.headers["content-length"] ?? Number.NaN)
    const chunks = yield* Queue.unbounded<Uint8Array, HttpClientError.HttpClientError | Cause.Done>()
    let total = 0
    let unreadBytes = 0
    let unreadSince = 0
    const hasRoom = Latch.makeUnsafe()

    const ended = (message: string) => () =>
      new HttpClientError.HttpClientError({
        reason: new HttpClientError.DecodeError({ request: response.request, response, cause: new Ended({ message }) })
      })
    const unread = ended(`The body was not read for ${formatDuration(idle)}, so its connection was released`)
    const stalled = ended("No more bytes arrived in time")
    const tooSlow = ended(`Fewer than ${minRate} bytes a second arrived for a minute`)
    const readTwice = ended("The body was already read")
    const released = ended("The layer of the client was released")

    const reading = response.stream.pipe(
      Timeout.idle(idle, stalled),
      Timeout.rate(Duration.isFinite(idle) ? minRate : 0, () => total === promised, tooSlow),
      Stream.runForEach((chunk) => {
        const now = Monotonic.nowUnsafe(clock)
        if (unreadBytes === 0) unreadSince = now
        Queue.offerUnsafe(chunks, chunk)
        total += chunk.length
        unreadBytes += chunk.length
        if (now - unreadSince > Duration.toMillis(idle)) return Effect.fail(unread())
        if (unreadBytes < readAhead) return Effect.void
        hasRoom.closeUnsafe()
        return Timeout.effect(idle, unread)(hasRoom.await)
      }),
      Effect.raceFirst(Effect.andThen(lifetime.released, Effect.suspend(() => Effect.fail(released())))),
      Effect.mapError((error) => lifetime.isReleased ? released() : error),
      Effect.onExit(() => {
        streams--
        return onEnd
      }),
      Queue.into(chunks)
    )
    streams++
    const fiber = yield* Effect.forkDetach(reading, { startImmediately: true })

    const next = Effect.map(Queue.takeAll(chunks), (taken) => {
      unreadBytes = 0
      hasRoom.openUnsafe()
      return taken
    })
    let isRead = false
    const once = Stream.suspend(() => {
      if (isRead) return Stream.fail(readTwice())
      isRead = true
      return Stream.ensuring(Stream.fromPull(Effect.succeed(next)), Fiber.interrupt(fiber))
    })
    return new Streamed(response, once)
  })

  /**
   * Runs an attempt with a stream permit. Releases the permit when the stream ends, or when the attempt ends without a
   * stream.
   */
  const open = (policy: ResiliencePolicy, attempt: Effect.Effect<Ending>): Effect.Effect<Ending> => {
    const permits = policy.openStreams === Number.POSITIVE_INFINITY ? undefined : semaphore
    const release = permits?.release(1) ?? Effect.void
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        if (permits !== undefined) yield* restore(permits.take(1))
        const ending = yield* Effect.onExit(
          restore(attempt),
          (exit) => Exit.isSuccess(exit) && isStream(exit.value) ? Effect.void : release
        )
        return ending.failure === undefined && isStream(ending)
          ? { ...ending, response: yield* start(ending.response, policy, release) }
          : ending
      })
    )
  }

  StateParts.report(state, { openStreams: () => streams })

  return { open }
}

const streamsByLifetime = new WeakMap<Lifetime, OpenStreams["Service"]>()

export const make = Effect.map(
  Effect.all([Sender, LanguageServiceConfig, ClientState]),
  ([{ lifetime }, { resilience }, state]) => {
    const streams = streamsByLifetime.get(lifetime) ?? makeStreams(lifetime, resilience.openStreams, state)
    streamsByLifetime.set(lifetime, streams)
    return streams
  }
)
