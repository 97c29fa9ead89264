/**
 * The open response streams of a client: bounded in number, and ended if they are not read, as each holds a connection. A fiber
 * per stream reads ahead of the reader, so that a small body frees its connection by itself.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Pull from "effect/Pull"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import type { ResiliencePolicy } from "../../config/ResiliencePolicy.ts"
import { hasWholeBody } from "../../contract/internal/endpoint.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { formatDuration } from "../../errors/Attempt.ts"
import { ClientState } from "../../telemetry/ClientState.ts"
import * as StateParts from "../../telemetry/internal/stateParts.ts"
import { Replaced } from "./body.ts"
import { layerLifetime, Lifetime } from "./client.ts"
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

/** Bytes from which on the fiber waits for the reader. */
const readAhead = 64 * 1024

/** The client ended a stream. */
class Ended extends Data.TaggedError("Ended")<{ readonly message: string }> {}

/** The reason for which a stream of bytes failed. */
export const reasonOf = (error: unknown): string => {
  const cause = HttpClientError.isHttpClientError(error) && "cause" in error.reason ? error.reason.cause : error
  return cause instanceof Ended ? cause.message : "The connection broke"
}

/** True if the attempt left the body unread. */
const isStream = ({ failure, response }: Ending): boolean => failure === undefined && hasWholeBody(response.status)

/** Least bytes per second of a download, on average over each minute of waiting for it: no usable link is as slow. */
const leastRate = 100

const make = Effect.gen(function*() {
  const lifetime = yield* Lifetime
  const { resilience: { openStreams } } = yield* LanguageServiceConfig
  let streams = 0
  const places = Number.isFinite(openStreams) ? Semaphore.makeUnsafe(openStreams) : undefined

  /** Starts to read the body of a response. `onEnd` runs when its connection is free. */
  const start = Effect.fnUntraced(function*(
    response: HttpClientResponse.HttpClientResponse,
    { bodyIdleTimeout: idle }: ResiliencePolicy,
    onEnd: Effect.Effect<unknown>
  ) {
    const clock = yield* Clock.Clock
    const promised = Number(response.headers["content-length"] ?? Number.NaN)
    let total = 0
    let chunks: Array<Uint8Array> = []
    let size = 0
    let unreadSince = 0
    let end: Exit.Exit<void, HttpClientError.HttpClientError> | undefined
    const filled = Latch.makeUnsafe()
    const emptied = Latch.makeUnsafe()

    const ended = (message: string) => () =>
      new HttpClientError.HttpClientError({
        reason: new HttpClientError.DecodeError({ request: response.request, response, cause: new Ended({ message }) })
      })
    const unread = ended(`The body was not read for ${formatDuration(idle)}, so its connection was released`)
    const silent = ended("No more bytes arrived in time")
    const slow = ended(`Fewer than ${leastRate} bytes a second arrived for a minute`)
    const readTwice = ended("The body was already read")
    const released = ended("The layer of the client was released")

    const reading = response.stream.pipe(
      Timeout.idle(idle, silent),
      Timeout.rate(Duration.isFinite(idle) ? leastRate : 0, () => total === promised, slow),
      Stream.runForEach((chunk) => {
        const now = Monotonic.nowUnsafe(clock)
        if (chunks.length === 0) unreadSince = now
        chunks.push(chunk)
        total += chunk.length
        size += chunk.length
        filled.openUnsafe()
        if (now - unreadSince > Duration.toMillis(idle)) return Effect.fail(unread())
        if (size < readAhead) return Effect.void
        emptied.closeUnsafe()
        return Timeout.effect(idle, unread)(emptied.await)
      }),
      Effect.raceFirst(Effect.andThen(lifetime.released, Effect.interrupt)),
      Effect.onExit((exit) => {
        streams--
        end = Exit.isFailure(exit) && lifetime.state.isReleased ? Exit.fail(released()) : exit
        filled.openUnsafe()
        return onEnd
      })
    )
    streams++
    const fiber = yield* Effect.forkDetach(reading, { startImmediately: true })

    const next: Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>, HttpClientError.HttpClientError> = Effect.suspend(
      () => {
        const come = chunks
        if (Arr.isArrayNonEmpty(come)) {
          chunks = []
          size = 0
          emptied.openUnsafe()
          return Effect.succeed(come)
        }
        if (end !== undefined) return Exit.isSuccess(end) ? Cause.done() : Effect.failCause(end.cause)
        filled.closeUnsafe()
        return Effect.andThen(filled.await, next)
      }
    )
    let isRead = false
    const once = Stream.suspend(() => {
      if (isRead) return Stream.fail(readTwice())
      isRead = true
      return Stream.ensuring(Stream.fromPull(Effect.succeed(next)), Fiber.interrupt(fiber))
    })
    return new Streamed(response, once)
  })

  /**
   * Waits for a place and runs an attempt. The place is released when its stream ends, or at once if the attempt has none.
   */
  const open = (policy: ResiliencePolicy, attempt: Effect.Effect<Ending>): Effect.Effect<Ending> => {
    const own = policy.openStreams === Number.POSITIVE_INFINITY ? undefined : places
    const giveBack = own === undefined ? Effect.void : own.release(1)
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        if (own !== undefined) yield* restore(own.take(1))
        const ending = yield* Effect.onExit(
          restore(attempt),
          (exit) => Exit.isSuccess(exit) && isStream(exit.value) ? Effect.void : giveBack
        )
        return ending.failure === undefined && isStream(ending)
          ? { ...ending, response: yield* start(ending.response, policy, giveBack) }
          : ending
      })
    )
  }

  StateParts.report(yield* ClientState, { openStreams: () => streams })

  return { open }
})

/** The open streams of all services of a client. A download whose context has this service leaves the body of its success unread. */
export class OpenStreams extends Context.Service<OpenStreams, Effect.Success<typeof make>>()(
  "@effect-lingua/core/call/internal/openStreams"
) {}

const own = Layer.provide(Layer.effect(OpenStreams, make), layerLifetime)

/** The open streams of a client, for services beside its own. */
export class Shared extends Context.Service<Shared, OpenStreams["Service"]>()(
  "@effect-lingua/core/call/internal/openStreams/Shared"
) {}

/** The open streams of the client of the context, or own ones. */
export const layer = Layer.unwrap(
  Effect.map(
    Effect.serviceOption(Shared),
    Option.match({ onNone: () => own, onSome: (shared) => Layer.succeed(OpenStreams, shared) })
  )
)

/** Shares the open streams of a client. */
export const layerShared = Layer.provide(Layer.effect(Shared, OpenStreams), layer)
