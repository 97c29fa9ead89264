/**
 * Records the exchanges of a client with a real host in a file, without secrets, and replays them without a network.
 *
 * **Details**
 *
 * A recording is a reviewable JSON Lines file: a header, then one exchange per line. Retries, interrupted downloads and
 * errors are replayed as recorded.
 *
 * Requests match by method, path, query and body. Host, API key and the order of JSON keys and form fields do not
 * matter. Equal requests receive their responses in recorded order, each exchange once. If all equal exchanges are
 * used, a request fails immediately with an `HttpClientError` whose cause is {@link UnrecordedRequest}; the client's
 * services fail with `ConnectionFailed`.
 *
 * Never written: request headers; response headers that no client reads; the fields `document_key` and `auth_key`.
 * Masked everywhere, if they have at least 8 characters: the API key, values of request headers that HTTP clients and
 * tracers do not usually send, the document key, and `secrets`.
 *
 * **Gotchas**
 *
 * - The file contains the texts, unless `redact` removes them. `digestRequests` omits only request bodies.
 * - Without `delays`, time-dependent state, such as a circuit breaker's, can differ.
 * - A file that cannot be written is a defect.
 *
 * @since 0.1.0
 */
import { Failure } from "@effect-lingua/core/extension/Service"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import type { PlatformError } from "effect/PlatformError"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Format from "./internal/format.ts"
import * as Recorder from "./internal/recorder.ts"
import * as Replayer from "./internal/replayer.ts"

/**
 * A file is not a recording, or is damaged at `line` for `reason`.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidRecording extends Failure.messageFirst(Data.TaggedError("InvalidRecording"))<{
  readonly path: string
  readonly line: number
  readonly reason: string
}> {
  override get message(): string {
    return `Line ${this.line} of the recording ${this.path} cannot be read: ${this.reason}. Record it again.`
  }
}

/**
 * The file for a new recording already exists, and was not changed.
 *
 * @category errors
 * @since 0.1.0
 */
export class RecordingExists
  extends Failure.messageFirst(Data.TaggedError("RecordingExists"))<{ readonly path: string }>
{
  override get message(): string {
    return `There is a file ${this.path} already. Set \`existing\` to "append" or "overwrite", or choose another path.`
  }
}

/**
 * No unused exchange matches a request; the cause of an `HttpClientError`. `answered` counts replayed equal
 * exchanges; `differences` lists the fields in which the most similar exchange differs; `left` lists unused exchanges.
 *
 * @category errors
 * @since 0.1.0
 */
export class UnrecordedRequest extends Failure.messageFirst(Data.TaggedError("UnrecordedRequest"))<{
  readonly recording: string
  readonly method: string
  readonly path: string
  readonly answered: number
  readonly differences: ReadonlyArray<string>
  readonly left: ReadonlyArray<Unused>
}> {
  override get message(): string {
    const { answered, differences, left, method, path, recording } = this
    const why = answered > 0
      ? `all equal exchanges (${answered}) were replayed before`
      : differences.length > 0
      ? `the nearest unused exchange differs in ${differences.slice(0, 5).join(", ")}`
      : left.length > 0
      ? `next unused exchange: ${left.slice(0, 3).map(({ method, path }) => `${method} ${path}`).join(", ")}`
      : "no exchange is unused"
    return `${recording} has no response for ${method} ${path}: ${why}. Record it again.`
  }
}

/**
 * An unused exchange, with its number in the file.
 *
 * @category models
 * @since 0.1.0
 */
export interface Unused {
  readonly exchange: number
  readonly method: string
  readonly path: string
}

/**
 * Options that must be equal for recording and replay.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** The file, in an existing folder. */
  readonly path: string
  /** Secrets to mask, in addition to each request's keys. */
  readonly secrets?: ReadonlyArray<Redacted.Redacted> | undefined
  /**
   * Changes each path, query and body before writing or comparison. Receives a long response body in parts, unless the
   * body is JSON.
   */
  readonly redact?: ((text: string) => string) | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export interface RecordOptions extends Options {
  /** Fails for an existing file (`refuse`, the default), appends, or overwrites. */
  readonly existing?: "refuse" | "append" | "overwrite" | undefined
  /** Writes request bodies as SHA-256 digests, from which short texts can be guessed. Default: false. */
  readonly digestRequests?: boolean | undefined
  /** Additional response headers to write. */
  readonly responseHeaders?: ReadonlyArray<string> | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export interface ReplayOptions extends Options {
  /** Delays each response by the recorded time. Default: false. */
  readonly delays?: boolean | undefined
}

const read = Effect.fnUntraced(function*(path: string) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* fs.readFileString(path)
  const recorded = yield* Effect.mapError(
    Effect.fromResult(Format.parse(file)),
    (flaw) => new InvalidRecording({ path, ...flaw })
  )
  return { ...recorded, endsWithLine: file.endsWith("\n") }
})

const begin = Effect.fnUntraced(function*(
  { digestRequests = false, existing = "refuse", path }: RecordOptions
): Effect.fn.Return<
  { readonly file: FileSystem.File; readonly first: number; readonly digests: boolean },
  InvalidRecording | RecordingExists | PlatformError,
  FileSystem.FileSystem | Scope.Scope
> {
  const fs = yield* FileSystem.FileSystem
  const open = (flag: FileSystem.OpenFlag) =>
    // Also calls `chmod`, because `open` applies the mode only to a new file.
    Effect.tap(fs.open(path, { flag, mode: 0o600 }), () => fs.chmod(path, 0o600))
  if (existing === "append" && (yield* fs.exists(path))) {
    const { endsWithLine, header, next } = yield* read(path)
    const file = yield* open("a")
    if (!endsWithLine) yield* file.writeAll(new TextEncoder().encode("\n"))
    return { file, first: next, digests: header.digests === true }
  }
  const file = yield* Effect.catchIf(
    open(existing === "overwrite" ? "w" : "wx"),
    (error) => error.reason._tag === "AlreadyExists",
    () => Effect.fail(new RecordingExists({ path }))
  )
  const header = Format.headerLine({ recording: 1, ...(digestRequests ? { digests: true } : undefined) })
  yield* file.writeAll(new TextEncoder().encode(header))
  return { file, first: 1, digests: digestRequests }
})

const record = Effect.fnUntraced(function*(options: RecordOptions) {
  const { digests, file, first } = yield* begin(options)
  const lock = yield* Semaphore.make(1)
  const write = (line: string) =>
    Effect.suspend(() => file.writeAll(new TextEncoder().encode(line))).pipe(
      Effect.orDie,
      Effect.uninterruptible,
      Semaphore.withPermit(lock)
    )
  const { client, close } = Recorder.make(yield* HttpClient.HttpClient, { ...options, digests, first, write })
  yield* Effect.addFinalizer(() => close)
  return Context.make(HttpClient.HttpClient, client).pipe(
    Context.add(Recording, { mode: "record", left: Effect.succeed([]) })
  )
})

const unused = ({ exchange, request: { method, path } }: Format.Replayable): Unused => ({ exchange, method, path })

const replay = Effect.fnUntraced(function*(options: ReplayOptions) {
  const { client, left } = Replayer.make(
    yield* read(options.path),
    options,
    ({ answered, differences, left, request: { method, path } }) =>
      new UnrecordedRequest({ recording: options.path, method, path, answered, differences, left: left.map(unused) })
  )
  return Context.make(HttpClient.HttpClient, client).pipe(
    Context.add(Recording, { mode: "replay", left: Effect.map(left, (exchanges) => exchanges.map(unused)) })
  )
})

/**
 * @category services
 * @since 0.1.0
 */
export class Recording extends Context.Service<Recording, {
  readonly mode: "record" | "replay"
  /** The unused exchanges. Empty while recording. */
  readonly left: Effect.Effect<ReadonlyArray<Unused>>
}>()("@effect-lingua/testing/recording/Recording") {
  /**
   * Records the exchanges of the context's `HttpClient` in a file that only its owner can read. Writes an exchange when its
   * response body ends or, if the body is unread, when the layer closes. Streams bodies, except JSON.
   */
  static readonly layerRecord = (
    options: RecordOptions
  ): Layer.Layer<
    HttpClient.HttpClient | Recording,
    InvalidRecording | RecordingExists | PlatformError,
    HttpClient.HttpClient | FileSystem.FileSystem
  > => Layer.effectContext(record(options))

  /** Replays a file without a network. */
  static readonly layerReplay = (
    options: ReplayOptions
  ): Layer.Layer<HttpClient.HttpClient | Recording, InvalidRecording | PlatformError, FileSystem.FileSystem> =>
    Layer.effectContext(replay(options))

  /** Replays an existing file; records a new file otherwise. Delete the file to record again. */
  static readonly layer = (
    options: Omit<RecordOptions, "existing"> & ReplayOptions
  ): Layer.Layer<
    HttpClient.HttpClient | Recording,
    InvalidRecording | RecordingExists | PlatformError,
    HttpClient.HttpClient | FileSystem.FileSystem
  > =>
    Layer.unwrap(
      FileSystem.FileSystem.use((fs) =>
        Effect.map(fs.exists(options.path), (exists) =>
          exists ? Recording.layerReplay(options) : Recording.layerRecord(options))
      )
    )
}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace Recording {
  export type { Options, RecordOptions, ReplayOptions }
  export type { InvalidRecording, RecordingExists, UnrecordedRequest, Unused }
}
