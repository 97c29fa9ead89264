// Programs that are recorded against the fake and replayed without it.
import { type Attempt, Documents, LanguageService } from "@effect-lingua/core"
import { type LanguageServiceConfig, ResiliencePolicy } from "@effect-lingua/core/config"
import { Recording } from "@effect-lingua/testing/recording/Recording"
import { Duration, Effect, FileSystem, Layer, Redacted, Stream, Struct } from "effect"
import type { HttpClient } from "effect/http"

export const key = "a-key-of-an-account"
/** Waits that a test can bear. */
const resilience: ResiliencePolicy.ResiliencePolicy = {
  ...ResiliencePolicy.defaults,
  // All of them depend on time, which a replay does not take.
  concurrency: Number.POSITIVE_INFINITY,
  backoffBase: Duration.millis(1),
  throttleBase: Duration.millis(1),
  pollBase: Duration.millis(10),
  pollCap: Duration.millis(10),
  attemptTimeout: Duration.seconds(30)
}

const client = (baseUrl: string, options: Partial<LanguageServiceConfig.Options> = {}) =>
  LanguageService.layer({ key: Redacted.make(key), baseUrl, resilience, ...options })

export const temporary = Effect.flatMap(
  FileSystem.FileSystem,
  (fs) => Effect.map(fs.makeTempDirectoryScoped(), (directory) => `${directory}/recording.jsonl`)
)

export const read = (path: string) => Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(path))

interface Failure {
  readonly _tag: string
  readonly description: string
  readonly attempts: ReadonlyArray<Attempt.Attempt>
}

/** How a call ended, without the times that differ from run to run. */
export const ended = <A, E extends Failure, R>(call: Effect.Effect<A, E, R>) =>
  Effect.match(call, {
    onSuccess: (value): unknown => value,
    onFailure: ({ _tag, attempts, description }): unknown => ({
      _tag,
      description,
      attempts: attempts.map(Struct.pick(["failure", "number", "outcome", "status", "waitCause"]))
    })
  })

export const download = (document: Documents.DocumentRef) =>
  Documents.use((documents) => documents.download(document)).pipe(
    Effect.flatMap(({ contentLength, fileName, stream }) =>
      Effect.map(Stream.mkString(Stream.decodeText(stream)), (text) => ({ contentLength, fileName, text }))
    )
  )

/** Records a program against a host, which is in process unless there is an address. */
export const recorded = <A, E, R, E2>(
  options: Recording.RecordOptions,
  program: Effect.Effect<A, E, R>,
  http: Layer.Layer<HttpClient.HttpClient, E2>,
  config: Partial<LanguageServiceConfig.Options> = {}
) =>
  program.pipe(
    Effect.provide(
      client("https://fake.test", config).pipe(Layer.provideMerge(Recording.layerRecord(options)), Layer.provide(http))
    )
  )

/** Replays a program with no host there. */
export const replayed = <A, E, R>(
  options: Recording.ReplayOptions,
  program: Effect.Effect<A, E, R>,
  config: Partial<LanguageServiceConfig.Options> = {}
) =>
  program.pipe(
    Effect.provide(client("https://nowhere.invalid", config).pipe(Layer.provideMerge(Recording.layerReplay(options))))
  )

export const left = Effect.flatMap(Recording, ({ left }) => left)
