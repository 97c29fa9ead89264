/**
 * Live speech, transcribed and translated over a WebSocket: from a stream of audio to a stream of transcripts and spoken translations.
 *
 * **Details**
 *
 * Needs `Voice` and a `WebSocketConstructor`: `Socket.layerWebSocketConstructorGlobal` of `effect/socket`, or the platform's layer. Audio is sent in
 * chunks of at most 250 ms or 100 kB. The service accepts at most twice the speed of speech. The client keeps this limit if the bytes per second are
 * known: see `bytesPerSecond`.
 *
 * If the connection breaks, the client reconnects with a new token, and the session continues after its concluded segments. Audio in transit may be
 * missing from the transcript. A session lasts at most an hour.
 *
 * **Example** (The text of a talk, and its translation)
 *
 * ```ts import.meta.vitest
 * import * as FakeVoice from "@effect-lingua/voice/FakeVoice"
 * import { VoiceRealtime } from "@effect-lingua/voice"
 * import { Effect, Stream } from "effect"
 *
 * // The fake hears the words that the bytes spell.
 * const audio = Stream.make(new TextEncoder().encode("Good morning. How are you?"))
 *
 * const program = VoiceRealtime.translate(audio, {
 *   sourceMediaContentType: "audio/ogg",
 *   targetLanguages: ["de"]
 * }).pipe(
 *   Stream.runFold(() => VoiceRealtime.empty, VoiceRealtime.fold),
 *   Effect.map(({ source, targets }) => [source, targets["de"]].map((transcript) => VoiceRealtime.textOf(transcript)))
 * )
 * const texts = await program.pipe(Effect.provide(FakeVoice.layerServices()), Effect.runPromise)
 * texts // => ["Good morning. How are you?", "[de] Good morning. [de] How are you?"]
 * ```
 *
 * @since 0.2.0
 */
import { Checks, defined, Failure, Monotonic, Sanitizer } from "@effect-lingua/core/extension/Service"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import * as Audio from "./internal/audio.ts"
import * as SessionSecrets from "./internal/sessionSecrets.ts"
import { Voice } from "./Voice.ts"
import { ClientMessage, codecs, type Format, type Segment, type ServerMessage } from "./VoiceMessages.ts"

const textsOf = (segments: ReadonlyArray<Segment>): string => segments.map(({ text }) => text).join("\0")

/** Tests messages for progress: audio, a changed transcript, or a transcript's end. */
const makeProgress = () => {
  /** The last text of each transcript, or `end` once the transcript is complete. */
  const last = new Map<string, string>()
  return (message: ServerMessage): boolean => {
    if (message._tag === "TargetMediaChunk") return message.data.some(({ length }) => length > 0)
    const name = `${message._tag} ${"language" in message ? message.language : ""}`
    const content = "concluded" in message
      ? `${textsOf(message.concluded)}\n${textsOf(message.tentative)}`.trim()
      : "end"
    if (content === "" || content === last.get(name)) return false
    last.set(name, content)
    return true
  }
}

/**
 * A session that ended early: the service reported an error, whose `code` is like an HTTP status; reconnecting failed; or a message was unreadable.
 * `reconnections` counts connections after the first.
 *
 * @category errors
 * @since 0.2.0
 */
export class SessionFailed extends Failure.failure<SessionFailed>()("SessionFailed", "badResponse", {
  code: Schema.optionalKey(Schema.Finite),
  reasonCode: Schema.optionalKey(Schema.String),
  requestType: Schema.optionalKey(Schema.String),
  reconnections: Schema.Int,
  outcome: Schema.Literal("unknown"),
  isTransient: Schema.Boolean
}, ({ code, isTransient }) => [
  `the session ended early${code === undefined ? "" : ` (code ${code})`}`,
  isTransient
    ? "Start another session, with the audio from the end of the transcript"
    : "Another session with the same options would end in the same way: see the reason"
]) {}

/**
 * The client's `number`th reconnection. Audio in transit may be missing from the transcript.
 *
 * @category models
 * @since 0.2.0
 */
export interface Reconnected {
  readonly _tag: "Reconnected"
  readonly number: number
}

/**
 * An element of a session's stream: a server message or a reconnection. `EndOfStream` ends the stream, and `Failure` fails it with {@link
 * SessionFailed}.
 *
 * @category models
 * @since 0.2.0
 */
export type Message = Exclude<ServerMessage, { readonly _tag: "EndOfStream" | "Failure" }> | Reconnected

/**
 * Options of the session and its connection.
 *
 * @category options
 * @since 0.2.0
 */
export interface Options extends Voice.RequestSessionOptions {
  /** The encoding of messages. Default `json`; `msgpack` saves a quarter of the bytes for audio. */
  readonly messageFormat?: Format | undefined
  /**
   * Bytes per second of the audio. Default: read from the media type of PCM, otherwise unknown. Audio of an unknown rate is sent when it arrives, so
   * the stream must not exceed twice the speed of speech.
   */
  readonly bytesPerSecond?: number | undefined
  /** Maximum number of consecutive reconnections without progress: see {@link translate}. Default 5. */
  readonly reconnections?: number | undefined
}

/**
 * The errors of {@link translate}, apart from the audio stream's errors.
 *
 * @category errors
 * @since 0.2.0
 */
export type TranslateError = Voice.SessionError | Voice.ReconnectError | SessionFailed

/**
 * A connection counts as broken after this time without progress, if all audio was sent or the service does not read audio. A connection that lasts
 * longer counts as progress, because a talk may have pauses.
 */
const maxSilenceMillis = Duration.toMillis("30 seconds")

/** Time without progress after which the client does not reconnect. */
const maxMillisWithoutProgress = Duration.toMillis("2 minutes")

const maxSessionMillis = Duration.toMillis("1 hour")

/**
 * Maximum bytes of unread messages, if the WebSocket cannot be paused. Without `bufferedAmount`, also the bytes that count as sent before the
 * service's next message.
 */
const maxBufferedBytes = 8 * 1024 * 1024

/** `WebSocket.CLOSING`: in this ready state and the next, a WebSocket sends nothing. */
const closingState = 2

/** Audio waits while the WebSocket has more unsent bytes than this. */
const maxUnsentBytes = 256 * 1024

const baseWaitMillis = 250
const longestWait = 10_000

/**
 * The unsent bytes of a WebSocket. Without `bufferedAmount`: the bytes written since the service's last message, minus 8 MiB that may have been sent.
 */
const unsentBytes = (socket: Socket.WebSocketLike | undefined, unansweredBytes: number): number =>
  socket !== undefined && "bufferedAmount" in socket && typeof socket.bufferedAmount === "number"
    ? socket.bufferedAmount
    : unansweredBytes - maxBufferedBytes

/** Approximate bytes of a WebSocket message. */
const sizeOf = (data: unknown): number =>
  typeof data === "string"
    ? data.length
    : data instanceof ArrayBuffer || ArrayBuffer.isView(data)
    ? data.byteLength
    : 0

/** True for an error code after which another session can succeed. */
const transient = (code: number): boolean => code === 408 || code === 429 || code >= 500

interface Facts extends Pick<SessionFailed, "isTransient"> {
  readonly code?: number
  readonly reasonCode?: string
  readonly requestType?: string
}

/** A connection ended; the description has no addresses and tokens. `isStalled`: the client ended a stalled connection. */
class Broken extends Data.TaggedError("Broken")<{ readonly description: string; readonly isStalled: boolean }> {}

const encoder = new TextEncoder()

/** Formats a close reason. WebSocket cuts reasons at 123 bytes, so a long reason's last word may be part of a secret and is removed. */
const closeReasonOf = (reason: string, { fit }: Pick<Sanitizer.Sanitizer, "fit">): string =>
  reason === "" ? "" : ` (${fit(encoder.encode(reason).length < 120 ? reason : reason.replace(/\S+$/, "…"))})`

const brokenBy = ({ reason }: Socket.SocketError, sanitizer: Pick<Sanitizer.Sanitizer, "fit">): Broken =>
  new Broken({
    description: reason._tag === "SocketCloseError"
      ? `the connection was closed with code ${reason.code}${closeReasonOf(reason.closeReason ?? "", sanitizer)}`
      : reason._tag === "SocketOpenError"
      ? "there was no connection"
      : "the connection broke",
    isStalled: false
  })

/**
 * Transcribes and translates live speech.
 *
 * **Details**
 *
 * Each run of the stream is a session. The stream ends after the transcripts of all audio; interruption ends the session. Back-pressure applies to
 * the audio and to the messages.
 *
 * After a broken connection, the client reconnects at once, then after growing waits of at most 10 seconds; a connection with progress, longer than
 * 10 seconds, resets the wait. Progress is a changed transcript, spoken translation, the end of a transcript, or a connection of 30 seconds. The
 * client stops reconnecting after 2 minutes without progress, after `reconnections` consecutive connections without progress, and after an hour, when
 * the service ends the session.
 *
 * Fails like `Voice.requestSession`; with {@link SessionFailed} if the session ends early; with the audio's error; and with `InvalidInput` for an
 * invalid option.
 *
 * @category constructors
 * @since 0.2.0
 */
export const translate = <E, R>(
  audio: Stream.Stream<Uint8Array, E, R>,
  { bytesPerSecond, messageFormat = "json", reconnections = 5, ...options }: Options
): Stream.Stream<Message, E | TranslateError, R | Voice | Socket.WebSocketConstructor> =>
  Stream.callback<Message, E | TranslateError, R | Voice | Socket.WebSocketConstructor>(
    Effect.fnUntraced(function*(messages) {
      const format: string = messageFormat
      if (format !== "json" && format !== "msgpack") {
        return yield* Checks.invalid("messageFormat", JSON.stringify(format), "json or msgpack")
      }
      if (bytesPerSecond !== undefined && !(bytesPerSecond > 0)) {
        return yield* Checks.invalid("bytesPerSecond", String(bytesPerSecond), "a number above 0")
      }
      const shape = Audio.shapeOf(options.sourceMediaContentType)
      const rate = bytesPerSecond ?? shape?.bytesPerSecond
      const voice = yield* Voice
      const webSocket = yield* Socket.WebSocketConstructor
      const { client, server } = yield* codecs(messageFormat)

      const chunks = yield* Queue.bounded<Uint8Array, Cause.Done>(2)
      yield* Audio.chunked(audio, { bytesPerSecond: rate, frame: shape?.frame ?? 1 }).pipe(
        Stream.runForEach((chunk) => Queue.offer(chunks, chunk)),
        Effect.andThen(Queue.end(chunks)),
        Effect.catchCause((cause) => Queue.failCause(messages, cause)),
        Effect.forkScoped
      )

      let session = yield* voice.requestSession({ ...options, messageFormat })
      const sanitizer = Sanitizer.extensible(Sanitizer.make(SessionSecrets.of(session.token)))
      const start = yield* Monotonic.now
      let connections = 0
      /** Consecutive connections without progress. */
      let fruitlessConnections = 0
      /** Consecutive short connections, which determine the wait before the next connection. */
      let shortCount = 0
      /** Earliest time of the next chunk. */
      let nextChunkAt = 0
      let lastProgress = start
      /** Start of the silence after the end of the audio. */
      let quietSince = Number.POSITIVE_INFINITY
      /** True while a message waits for the stream's reader. */
      let isHeld = false
      /** Bytes sent since the service's last message. */
      let unansweredBytes = 0
      const isNews = makeProgress()

      const failed = (description: string, facts: Facts) =>
        new SessionFailed({
          operation: "Voice.realtime",
          description,
          reconnections: Math.max(0, connections - 1),
          outcome: "unknown",
          ...facts
        })

      /** Polls until the WebSocket has sent most of its buffer, because there is no event for this. */
      const waitForBuffer = Effect.fnUntraced(function*(socket: () => Socket.WebSocketLike | undefined) {
        let before = unsentBytes(socket(), unansweredBytes)
        for (let since = yield* Monotonic.now; before > maxUnsentBytes;) {
          yield* Effect.sleep("20 millis")
          const unsent = unsentBytes(socket(), unansweredBytes)
          const now = yield* Monotonic.now
          if (unsent < before || isHeld) since = now
          else if (now - since >= maxSilenceMillis) {
            return yield* new Broken({
              description: "the service did not read the audio for 30 seconds",
              isStalled: true
            })
          }
          before = unsent
        }
      })

      const send = Effect.fnUntraced(function*(
        write: Socket.Writer["write"],
        socket: () => Socket.WebSocketLike | undefined
      ) {
        while (true) {
          // The chunk stays in the queue until it is written: after a failed write, the next connection sends it.
          const chunk = yield* Effect.catchIf(Queue.peek(chunks), Cause.isDone, () => Effect.undefined)
          const now = yield* Monotonic.now
          if (now < nextChunkAt) yield* Effect.sleep(nextChunkAt - now)
          yield* waitForBuffer(socket)
          // A closed WebSocket drops data; `receive` reports the end of the connection.
          if ((socket()?.readyState ?? closingState) >= closingState) return yield* Effect.never
          const message = chunk === undefined
            ? ClientMessage.EndOfSourceMedia()
            : ClientMessage.SourceMediaChunk({ data: chunk })
          const data = client.encode(message)
          unansweredBytes += sizeOf(data)
          // A written chunk leaves the queue even if the fiber is interrupted, so that it is not sent twice.
          yield* Effect.uninterruptible(Effect.andThen(write(data), Queue.poll(chunks)))
          const sent = yield* Monotonic.now
          if (chunk === undefined) {
            quietSince = sent
            return yield* Effect.never
          }
          nextChunkAt = rate === undefined ? sent : sent + Math.ceil(chunk.length / rate * 500)
        }
      })

      const receive = Effect.fnUntraced(function*(pull: Socket.Reader["pull"]) {
        while (true) {
          for (const frame of yield* pull) {
            const read = yield* server.decode(frame).pipe(
              Effect.provideService(Sanitizer.CurrentSanitizer, { sanitizer }),
              Effect.mapError(({ message }) => failed(message, { isTransient: false }))
            )
            for (const message of read) {
              if (message._tag === "EndOfStream") return
              if (message._tag === "Failure") {
                const { code, description = "", reasonCode, requestType } = message
                return yield* failed(
                  description,
                  defined({ code, reasonCode, requestType, isTransient: code !== undefined && transient(code) })
                )
              }
              if (isNews(message)) {
                lastProgress = yield* Monotonic.now
                if (Number.isFinite(quietSince)) quietSince = lastProgress
              }
              isHeld = true
              yield* Queue.offer(messages, message)
              isHeld = false
            }
          }
        }
      })

      const watch = Effect.gen(function*() {
        for (let now = start; now - quietSince < maxSilenceMillis; now = yield* Monotonic.now) {
          if (now - start > maxSessionMillis + maxSilenceMillis) {
            return yield* new Broken({
              description: "the service did not end the session after an hour",
              isStalled: true
            })
          }
          yield* Effect.sleep("1 second")
          if (isHeld && Number.isFinite(quietSince)) quietSince = yield* Monotonic.now
        }
        return yield* new Broken({
          description: "nothing new was received for 30 seconds after the end of the audio",
          isStalled: true
        })
      })

      const connect = Effect.gen(function*() {
        const url = Redacted.value(Voice.webSocketUrl(session))
        sanitizer.add([...SessionSecrets.ofAddress(url), Redacted.value(session.token)])
        connections += 1
        quietSince = Number.POSITIVE_INFINITY
        isHeld = false
        unansweredBytes = 0
        let current: Socket.WebSocketLike | undefined
        /** Bytes of messages that were received but not yet pulled. */
        let unreadBytes = 0
        const open = () => {
          const opened = current = webSocket(url)
          if (!("pause" in opened)) {
            // Closes the WebSocket here, because the Effect socket fails only at its next pull and receives more until then.
            opened.addEventListener("message", ({ data }) => {
              unreadBytes += sizeOf(data)
              if (unreadBytes > maxBufferedBytes) opened.close(1000)
            })
          }
          return opened
        }
        const socket = yield* Socket.fromWebSocket(
          Effect.acquireRelease(
            Effect.try({
              try: open,
              catch: (cause) =>
                new Socket.SocketError({ reason: new Socket.SocketOpenError({ kind: "Unknown", cause }) })
            }),
            (socket) => Effect.sync(() => socket.close(1000))
          ),
          { highWaterMark: maxBufferedBytes }
        )
        yield* Effect.gen(function*() {
          const { write } = yield* socket.writer
          const { pull } = yield* socket.reader
          const counted = Effect.map(pull, (frames) => {
            unansweredBytes = 0
            unreadBytes = frames.reduce((rest, frame) => rest - sizeOf(frame), unreadBytes)
            return frames
          })
          if (connections > 1) yield* Queue.offer(messages, { _tag: "Reconnected", number: connections - 1 } as const)
          yield* Effect.raceFirst(receive(counted), Effect.raceFirst(send(write, () => current), watch))
        }).pipe(
          Effect.scoped,
          Effect.catchIf(Socket.isSocketError, (error) => Effect.fail(brokenBy(error, sanitizer)))
        )
      })

      while (true) {
        const opened = yield* Monotonic.now
        const end = yield* Effect.result(connect)
        if (Result.isSuccess(end)) return yield* Queue.end(messages)
        if (!(end.failure instanceof Broken)) return yield* Effect.fail(end.failure)
        const now = yield* Monotonic.now
        if (!end.failure.isStalled && now - opened >= maxSilenceMillis) lastProgress = now
        const isProgress = lastProgress > opened
        fruitlessConnections = isProgress ? 1 : fruitlessConnections + 1
        shortCount = isProgress && now - opened > longestWait ? 1 : shortCount + 1
        const maxWait = shortCount === 1 ? 0 : Math.min(baseWaitMillis * 2 ** shortCount, longestWait)
        const wait = (yield* Random.next) * maxWait
        if (
          fruitlessConnections > reconnections || now - lastProgress > maxMillisWithoutProgress ||
          now + wait - start >= maxSessionMillis
        ) {
          return yield* failed(end.failure.description, { isTransient: true })
        }
        yield* Effect.sleep(wait)
        session = yield* voice.reconnect(session)
      }
    }),
    { bufferSize: 16 }
  )

/**
 * A transcript so far: final segments, and segments that the next update may change.
 *
 * @category models
 * @since 0.2.0
 */
export interface Transcript {
  readonly concluded: ReadonlyArray<Segment>
  readonly tentative: ReadonlyArray<Segment>
  /** True after the end of the transcript. */
  readonly isComplete: boolean
}

/**
 * The transcripts of a session so far: the source transcript, and the translated transcripts by language.
 *
 * @category models
 * @since 0.2.0
 */
export interface Transcripts {
  readonly source: Transcript
  readonly targets: Readonly<Record<string, Transcript>>
}

const nothing: Transcript = { concluded: [], tentative: [], isComplete: false }

/**
 * The transcripts before the first message.
 *
 * @category constructors
 * @since 0.2.0
 */
export const empty: Transcripts = { source: nothing, targets: {} }

const updated = (
  { concluded }: Transcript,
  update: Pick<Transcript, "concluded" | "tentative">
): Transcript => ({ concluded: [...concluded, ...update.concluded], tentative: update.tentative, isComplete: false })

/**
 * Adds a transcript's update or end to the transcripts. Other messages change nothing.
 *
 * @category combinators
 * @since 0.2.0
 */
export const fold = (self: Transcripts, message: Message): Transcripts => {
  const { source, targets } = self
  const inTarget = (language: string, change: (transcript: Transcript) => Transcript): Transcripts => ({
    source,
    targets: {
      ...targets,
      [language]: change(Object.hasOwn(targets, language) ? targets[language] ?? nothing : nothing)
    }
  })
  switch (message._tag) {
    case "SourceTranscriptUpdate":
      return { source: updated(source, message), targets }
    case "EndOfSourceTranscript":
      return { source: { ...source, isComplete: true }, targets }
    case "TargetTranscriptUpdate":
      return inTarget(message.language, (transcript) => updated(transcript, message))
    case "EndOfTargetTranscript":
      return inTarget(message.language, (transcript) => ({ ...transcript, isComplete: true }))
    default:
      return self
  }
}

/**
 * Streams the transcripts so far, after each message.
 *
 * @category combinators
 * @since 0.2.0
 */
export const transcripts = <E, R>(self: Stream.Stream<Message, E, R>): Stream.Stream<Transcripts, E, R> =>
  Stream.scan(self, () => empty, fold)

/**
 * The text of a transcript, including tentative segments, joined with spaces or another separator, such as `""` for Japanese.
 *
 * @category getters
 * @since 0.2.0
 */
export const textOf = (self: Transcript | undefined, separator = " "): string =>
  [...self?.concluded ?? [], ...self?.tentative ?? []].map(({ text }) => text.trim()).join(separator)
