/**
 * Document translation as a durable workflow (`effect/workflow`), in one process or on a cluster.
 *
 * The workflow reads a document from a {@link DocumentStore}, uploads it once, waits without a fiber or a connection, and downloads the translation
 * into the store. The engine stores each step, so that another process continues after a kill.
 *
 * **Details**
 *
 * The stored steps:
 *
 * | step | state of the document | after a kill |
 * | --- | --- | --- |
 * | `source and target` | its target is claimed | repeated |
 * | `upload n` | uploaded | repeated, unless a shared journal has its response; an upload that is not downloaded costs nothing |
 * | `translation n` | waits for a minute at most, then downloads and publishes | repeated: see `download n` |
 * | `download n` | published | published if the store has all bytes, downloaded again if the service has it, otherwise lost |
 * | `late` | deleted by the service | waits ten seconds for a process that is only interrupted and still downloads |
 * | `part` | lost | the part in the store is looked up again |
 *
 * `uploadAttempts` of the result counts all uploads. A target is released when its execution ends, or later when another document requests the
 * target. If the engine has lost the execution, for example an engine in memory after a restart, the target stays claimed.
 *
 * After an interruption or the release of the layer, a process continues a download for up to a minute. The received bytes stay in the store.
 *
 * The engine's database contains ids and keys of documents, which give access to translations: protect it like the documents.
 *
 * **Example** (In memory)
 *
 * ```ts import.meta.vitest
 * import { DocumentStore, DocumentWorkflow } from "@effect-lingua/workflow"
 * import { FakeLanguageService } from "@effect-lingua/testing"
 * import { Effect, Layer } from "effect"
 * import { TestClock } from "effect/testing"
 * import { WorkflowEngine } from "effect/workflow"
 *
 * const layer = DocumentWorkflow.layer().pipe(
 *   Layer.provideMerge(WorkflowEngine.layerMemory),
 *   Layer.provideMerge(DocumentStore.layerMemory({ "letter.txt": "Guten Tag" })),
 *   Layer.provideMerge(FakeLanguageService.layerServices()),
 *   Layer.provideMerge(TestClock.layer())
 * )
 * const program = DocumentWorkflow.execute({
 *   id: "letter 1",
 *   source: "letter.txt",
 *   target: "letter.en.txt",
 *   fields: { targetLanguage: "en-US" }
 * })
 * const time = Effect.forever(Effect.andThen(TestClock.adjust("1 second"), TestClock.withLive(Effect.sleep(1))))
 *
 * const { size } = await Effect.runPromise(Effect.provide(Effect.raceFirst(program, time), layer))
 * size // => 17
 * ```
 *
 * @since 0.2.0
 */
import type { InvalidConfiguration } from "@effect-lingua/core/config/LanguageServiceConfig"
import type { DurationInput } from "@effect-lingua/core/config/ResiliencePolicy"
import { DocumentId } from "@effect-lingua/core/contract/Ids"
import { Documents, IssuedDocument, UploadFields } from "@effect-lingua/core/documents/Documents"
import { type ErrorOf, TargetExists } from "@effect-lingua/core/errors/CallError"
import { digestOf, Failure, isGone, Optional } from "@effect-lingua/core/extension/DocumentTools"
import { Rules, usable } from "@effect-lingua/core/extension/Settings"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as Activity from "effect/workflow/Activity"
import * as DurableClock from "effect/workflow/DurableClock"
import * as Workflow from "effect/workflow/Workflow"
import type * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import { DocumentStore } from "./DocumentStore.ts"

type DownloadError = ErrorOf<typeof Documents, "download">

/**
 * A document to translate. `id` is the idempotency key: repeated requests run once. `source` and `target` are names in the store; the service
 * receives the last part of `source` as the file name. A target that exists, or that another document has claimed, is refused before anything is
 * sent; `overwrite` replaces an existing target.
 *
 * @category schemas
 * @since 0.2.0
 */
export class DocumentRequest extends Schema.Class<DocumentRequest>("DocumentRequest")({
  id: Schema.NonEmptyString,
  source: Schema.NonEmptyString,
  target: Schema.NonEmptyString,
  fields: UploadFields,
  overwrite: Schema.optionalKey(Schema.Boolean)
}) {}

/** A stored request; `call` is a random id of the call that started the execution. */
const Payload = Schema.Struct({ ...DocumentRequest.fields, call: Schema.optionalKey(Schema.String) })

/**
 * A translated document in the store. `uploadAttempts` is above 1 if a response was lost or a process was killed: each earlier attempt may have left
 * a document at the service, unless the journal recorded it. `request` is the stored request; `contentHash` is the SHA-256 digest of the source, if
 * the journal could be read.
 *
 * @category schemas
 * @since 0.2.0
 */
export class TranslatedDocument extends Schema.Class<TranslatedDocument>("TranslatedDocument")({
  documentId: DocumentId,
  size: Schema.Int,
  uploadAttempts: Schema.Int,
  billedCharacters: Schema.optionalKey(Schema.Int),
  request: Schema.optionalKey(Payload),
  contentHash: Schema.optionalKey(Schema.String)
}) {}

/**
 * A started download that cannot be completed, because the service has deleted the document. `part` names the received bytes in the store, if any.
 *
 * @category errors
 * @since 0.2.0
 */
export class DocumentLost extends Failure.failure<DocumentLost>()("DocumentLost", "lost", {
  documentId: DocumentId,
  bytesReceived: Schema.Int,
  part: Schema.optionalKey(Schema.String)
}, ({ bytesReceived, documentId, part }) => [
  `the translation of document ${documentId} is lost: its download had begun, and the service has deleted it`,
  `Translate it again, with another id. ${
    part === undefined ? "Nothing of it arrived" : `The part that arrived, of ${bytesReceived} bytes, is in ${part}`
  }`
]) {}

const Step = Schema.Literals(["source", "target", "upload", "translation", "download"])

/**
 * A document that was not translated. `step` is the failed step, `cause` the name of its error. If `isTransient`, request the document again with
 * another id.
 *
 * @category errors
 * @since 0.2.0
 */
export class DocumentNotTranslated
  extends Failure.failure<DocumentNotTranslated>()("DocumentNotTranslated", "badResponse", {
    step: Step,
    cause: Schema.String,
    documentId: Schema.optionalKey(DocumentId),
    outcome: Schema.Literals(["refused", "unknown"]),
    isTransient: Schema.Boolean
  }, ({ cause, isTransient, step }) => [
    `the document was not translated: its ${step} failed (${cause})`,
    isTransient ? "Request it again later, with another id" : "Correct it, and request it with another id"
  ])
{}

/**
 * The engine's database is unavailable. The document is not lost: its execution continues when the database is available again, and a request with
 * the same id joins the execution.
 *
 * @category errors
 * @since 0.2.0
 */
export class WorkflowStorageUnavailable extends Failure.failure<WorkflowStorageUnavailable>()(
  "WorkflowStorageUnavailable",
  "unavailable",
  {
    id: Schema.String
  },
  ({ id }) => [
    `the database of the workflows is unavailable, so the state of document ${JSON.stringify(id)} is unknown`,
    "Request it again with the same id"
  ],
  "unknown"
) {}

/**
 * An earlier document with the id had another source, content, target or other fields. The earlier document is unchanged.
 *
 * @category errors
 * @since 0.3.0
 */
export class DocumentIdTaken extends Failure.failure<DocumentIdTaken>()("DocumentIdTaken", "conflict", {
  id: Schema.String,
  differences: Schema.Array(Schema.String)
}, ({ differences, id }) => [
  `document ${JSON.stringify(id)} was requested before with another ${differences.join(", ")}`,
  "Request this document with another id"
]) {}

/**
 * The errors that end a document's execution.
 *
 * @category errors
 * @since 0.2.0
 */
export type DocumentError = DocumentLost | DocumentNotTranslated

const DocumentErrors = Schema.Union([DocumentLost, DocumentNotTranslated])

/**
 * The workflow's definition, for engines and proxies. {@link execute} runs the workflow.
 *
 * @category workflows
 * @since 0.2.0
 */
export const workflow = Workflow.make("effect-lingua/DocumentWorkflow", {
  payload: Payload,
  success: TranslatedDocument,
  error: DocumentErrors,
  idempotencyKey: ({ id }) => id
})

/**
 * Intervals, attempts and deadline of the workflow.
 *
 * @category options
 * @since 0.2.0
 */
export interface Options {
  /** Time before the first status request. Default 10 s; each further interval is half longer. */
  readonly firstPoll?: DurationInput | undefined
  /** Longest interval of status requests. Default 5 minutes. */
  readonly longestPoll?: DurationInput | undefined
  /** Maximum wait for a translation. Default 1 day. */
  readonly deadline?: DurationInput | undefined
  /** Maximum attempts of a step after transient errors; each attempt includes the client's retries. Default 10. */
  readonly attempts?: number | undefined
  /** Maximum concurrent downloads. A kill can lose a running download. Default 4. */
  readonly downloads?: number | undefined
}

interface Settings {
  readonly firstPoll: Duration.Duration
  readonly longestPoll: Duration.Duration
  readonly deadline: Duration.Duration
  readonly attempts: number
  readonly downloads: number
}

const natural = Rules.number((value) => Number.isInteger(value) && value >= 1, "must be a whole number from 1")

const decodeSettings = Rules.struct<Settings>({
  firstPoll: Rules.finite,
  longestPoll: Rules.finite,
  deadline: Rules.finite,
  attempts: natural,
  downloads: natural
})

/** Pause before the second attempt of a step. */
const firstPause = Duration.minutes(1)
const longestPause = Duration.hours(1)

/** Maximum upload attempts while the account has too many documents: enough for days. */
const maxFullAttempts = 1000

/**
 * The failure of a step. `isGone`: the service has deleted the document. `billedCharacters`: the charge for a document that could not be downloaded.
 */
const Refusal = Schema.TaggedStruct("Refusal", {
  step: Step,
  cause: Schema.String,
  description: Schema.String,
  isTransient: Schema.Boolean,
  isGone: Schema.Boolean,
  billedCharacters: Schema.optionalKey(Schema.Int)
})
type Refusal = typeof Refusal.Type

const refusalOf = (step: Refusal["step"]) => (error: { readonly _tag: string; readonly message: string }): Refusal => ({
  _tag: "Refusal",
  step,
  cause: error._tag,
  description: Failure.isFailure(error) && error.description !== "" ? error.description : error.message,
  isTransient: !Failure.isFailure(error) || error.isTransient || error.outcome === "unknown",
  isGone: isGone(error)
})

const untranslated = (cause: string, description: string, isTransient: boolean): Refusal => ({
  _tag: "Refusal",
  step: "translation",
  cause,
  description,
  isTransient,
  isGone: false
})

/** A step whose result the engine stores. Each step costs messages and commits, so consecutive actions share a step. */
const step = <S extends Schema.Codec<unknown, unknown>, R>(
  name: string,
  success: S,
  execute: Effect.Effect<S["Type"], Refusal, R>
) => Activity.make({ name, success, error: Refusal, execute })

const longer = (pause: Duration.Duration, factor: number, longest: Duration.Duration): Duration.Duration =>
  Duration.min(Duration.times(pause, factor), longest)

/** Longest wait in memory; for a longer wait, the engine suspends the execution, without a fiber. */
const longestInMemory = Duration.minutes(1)

/** Suspends the execution, without a fiber, until the engine resumes it. */
const sleep = (name: string, duration: Duration.Duration) =>
  DurableClock.sleep({ name, duration, inMemoryThreshold: 0 })

const failed = (documentId?: DocumentId) => ({ cause, description, isTransient, step }: Refusal) =>
  new DocumentNotTranslated({
    operation: "DocumentWorkflow",
    step,
    cause,
    description,
    isTransient,
    outcome: step === "source" || step === "target" ? "refused" : "unknown",
    ...Optional.defined({ documentId })
  })

/** Time for which a download continues after the engine interrupts it. */
const downloadGrace = Duration.minutes(1)

/**
 * Continues an unrepeatable effect for a while after an interruption: when a runner loses its shards, or the layer is released.
 */
const withGrace = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      Effect.forkDetach(Effect.interruptible(effect)),
      (fiber) =>
        Effect.onInterrupt(restore(Fiber.join(fiber)), () =>
          Effect.flatMap(
            Effect.forkDetach(Effect.interruptible(Effect.delay(Fiber.interrupt(fiber), downloadGrace))),
            (timer) => Effect.andThen(Fiber.await(fiber), Fiber.interrupt(timer))
          ))
    )
  )

/** A wait for a document: consecutive failed status requests, elapsed time, and next pause. */
const Wait = Schema.Struct({
  failures: Schema.Int,
  waited: Schema.DurationFromMillis,
  pause: Schema.DurationFromMillis
})
type Wait = typeof Wait.Type

const { contentHash } = TranslatedDocument.fields
const Uploaded = Schema.Struct({ issued: IssuedDocument, isRepeated: Schema.Boolean, contentHash })

/** Result of a translation step: a saved translation, or a wait to continue. */
const Progressed = Schema.Union([
  Schema.Struct({ saved: Schema.Struct({ size: Schema.Int, billedCharacters: Schema.optionalKey(Schema.Int) }) }),
  Schema.Struct({ wait: Wait })
])

const makeSteps = Effect.fnUntraced(function*(
  { attempts, deadline, downloads, firstPoll, longestPoll }: Settings,
  released: Effect.Effect<boolean>
) {
  const documents = yield* Documents
  const store = yield* DocumentStore
  // Identifies this process, so that a step can detect whether another process began it. Not from `Random`, which may be seeded.
  const run = crypto.randomUUID()
  /** This process's latest upload attempt of each running execution. */
  const latestUploads = new Map<string, number>()
  const downloading = yield* Semaphore.make(downloads)

  /** True if an upload attempt began before: in the process `begunBy`, or earlier in this process. */
  const isRepeat = (execution: string, number: number, begunBy: string) =>
    Effect.sync(() => {
      const isRepeated = begunBy !== run || latestUploads.get(execution) === number
      latestUploads.set(execution, number)
      return isRepeated
    })

  /** Retries until an attempt succeeds or fails permanently. Each attempt is a step. */
  const persistently = <A, R>(
    name: string,
    attempt: (number: number) => Effect.Effect<A, Refusal, R>
  ) =>
    Effect.gen(function*() {
      let pause = firstPause
      let failures = 0
      for (let number = 1;; number++) {
        const result = yield* Effect.result(attempt(number))
        if (Result.isSuccess(result)) return result.success
        const { cause, isGone, isTransient } = result.failure
        const isFull = cause === "TooManyDocuments"
        if (!isFull) failures++
        if (isGone || !(isFull ? number < maxFullAttempts : isTransient && failures < attempts)) {
          return yield* Effect.fail(result.failure)
        }
        yield* sleep(`after ${name} ${number}`, pause)
        pause = longer(pause, 2, longestPause)
      }
    })

  const upload = Effect.fnUntraced(function*({ fields, source }: DocumentRequest, execution: string, begunBy: string) {
    let lost = 0
    // Includes `begunBy`, which the engine's database stores: the same document id in another database is another upload.
    const uploadId = `${execution}-${begunBy}`.slice(0, 60)
    const issued = yield* persistently("upload", (number) =>
      Effect.gen(function*() {
        const attemptRun = number === 1
          ? begunBy
          : yield* step(`upload ${number} begins`, Schema.String, Effect.succeed(run))
        return yield* step(
          `upload ${number}`,
          Uploaded,
          Effect.gen(function*() {
            const isRepeated = yield* isRepeat(execution, number, attemptRun)
            const { content, size } = yield* store.read(source)
            const issued = yield* documents.upload({
              // oxlint-disable-next-line typescript/no-misused-spread -- a body is a plain object
              ...fields,
              fileName: source.replace(/^.*[/\\]/s, ""),
              content,
              size,
              uploadId
            })
            const entry = yield* documents.journal.getUpload(uploadId, documents.owner)
            return { issued, isRepeated, ...Optional.defined({ contentHash: entry?.contentHash }) }
          }).pipe(Effect.mapError(refusalOf("upload")))
        )
      }).pipe(
        Effect.tapError(({ cause }) => Effect.sync(() => lost += cause === "OutcomeUnknown" ? 1 : 0))
      ))
    return { ...issued, uploadAttempts: lost + (issued.isRepeated ? 2 : 1) }
  })

  /** The target of a document, and the version of the translation to replace. */
  interface Target {
    readonly name: string
    readonly overwrite: boolean
    readonly before: string | undefined
  }

  /** Adapts a target in the store to `Documents.saveTo`. */
  const destinationOf = ({ before, name, overwrite }: Target) => ({
    find: Effect.map(
      store.find(name),
      (found) => found === undefined || found.version === before ? undefined : { size: found.size }
    ),
    prepare: Effect.succeed({
      receive: (download: Effect.Effect<Documents.Download, DownloadError>) =>
        Effect.map(
          store.write(name, Stream.unwrap(Effect.map(download, ({ stream }) => stream)), { overwrite }),
          (saved) => Effect.succeed({ saved })
        )
    }),
    left: () =>
      Effect.map(store.part(name), (part) => part === undefined ? [] : [{ path: part.name, bytes: part.size }]),
    publish: ({ parts: [{ bytes }] }: Documents.ReceivedBytes) =>
      Effect.map(
        store.part(name),
        (part) =>
          part?.size === bytes ? Effect.map(store.complete(name, { overwrite }), (saved) => ({ saved })) : undefined
      )
  })

  /**
   * Waits for the translation of a document that the service has deleted: a runner that lost its shards may still be downloading, or a killed runner
   * left a complete part.
   */
  const findLate = (ref: IssuedDocument, target: Target) =>
    Effect.orElseSucceed(
      step(
        "late",
        Schema.UndefinedOr(Schema.Struct({ size: Schema.Int })),
        Effect.map(
          Effect.repeat(Effect.option(documents.recover(ref, destinationOf(target))), {
            until: (found) => Option.isSome(found) && found.value !== undefined,
            schedule: Schedule.spaced("1 second"),
            times: 10
          }),
          Option.getOrUndefined
        )
      ),
      () => undefined
    )

  const save = (ref: IssuedDocument, target: Target) =>
    Effect.mapError(
      downloading.withPermits(1)(withGrace(documents.saveTo(ref, destinationOf(target)))),
      refusalOf("download")
    )

  /** Requests the status. Returns the billed characters of a translated document, or the next wait. */
  const poll = Effect.fnUntraced(function*(ref: IssuedDocument, wait: Wait) {
    const waited = Duration.sum(wait.waited, wait.pause)
    const result = yield* Effect.result(Effect.mapError(documents.status(ref), refusalOf("translation")))
    if (Result.isFailure(result)) {
      const { isGone, isTransient } = result.failure
      // Counts as done, because another runner may have downloaded the document; the next step looks for the translation.
      if (isGone) return { isDone: true } as const
      if (!isTransient || wait.failures + 1 >= attempts) return yield* Effect.fail(result.failure)
    } else {
      const { billedCharacters, errorMessage = "no reason is given", status } = result.success
      if (status === "done") return { isDone: true, billedCharacters } as const
      if (status === "error") return yield* Effect.fail(untranslated("DocumentFailed", errorMessage, false))
    }
    if (Duration.isGreaterThan(waited, deadline)) {
      const late = `it was not translated in ${Duration.toHours(waited).toFixed(1)} hours`
      return yield* Effect.fail(untranslated("DocumentNotReady", late, true))
    }
    const next: Wait = {
      failures: Result.isFailure(result) ? wait.failures + 1 : 0,
      waited,
      pause: longer(wait.pause, 1.5, longestPoll)
    }
    return { isDone: false, next } as const
  })

  /**
   * Waits in memory until a document is translated, and downloads the translation. After a minute, or when the layer is released, returns the
   * unfinished wait. If the engine has already waited (`isPaused`), requests the status at once.
   */
  const receive = Effect.fnUntraced(function*(ref: IssuedDocument, target: Target, initial: Wait, isPaused: boolean) {
    let wait = initial
    let left = longestInMemory
    for (let isDue = isPaused;; isDue = false) {
      if (!isDue) {
        if (Duration.isGreaterThan(wait.pause, left)) return { wait }
        left = Duration.subtract(left, wait.pause)
        if (yield* Effect.raceFirst(Effect.as(Effect.sleep(wait.pause), false), released)) return { wait }
      }
      const polled = yield* poll(ref, wait)
      if (polled.isDone) {
        const billed = Optional.defined({ billedCharacters: polled.billedCharacters })
        const { size } = yield* Effect.mapError(save(ref, target), (refusal) => ({ ...refusal, ...billed }))
        return { saved: { size, ...billed } }
      }
      wait = polled.next
    }
  })

  const obtain = Effect.fnUntraced(function*(ref: IssuedDocument, target: Target) {
    let wait: Wait = { failures: 0, waited: Duration.zero, pause: firstPoll }
    let isPaused = Duration.isGreaterThan(firstPoll, longestInMemory)
    for (let number = 1;; number++) {
      if (isPaused) yield* sleep(`before translation ${number}`, wait.pause)
      const name = `translation ${number}`
      const result: typeof Progressed.Type = yield* step(name, Progressed, receive(ref, target, wait, isPaused))
      if ("saved" in result) return result.saved
      wait = result.wait
      isPaused = true
    }
  })

  /** Downloads a document when it is translated; retries while the service still has the document. */
  const download = (ref: IssuedDocument, target: Target) =>
    Effect.catchIf(
      obtain(ref, target),
      ({ step }) => step === "download",
      (first) =>
        persistently("download", (number) => {
          const attempt = number === 1
            ? Effect.fail(first)
            : step(`download ${number}`, Schema.Struct({ size: Schema.Int }), save(ref, target))
          // The failed attempt may have used the document's only download.
          return Effect.catch(attempt, (refusal) =>
            refusal.isGone
              ? Effect.fail(refusal)
              : Effect.flatMap(
                step(
                  `download ${number} is there`,
                  Schema.Boolean,
                  Effect.match(documents.status(ref), { onFailure: (error) => !isGone(error), onSuccess: () => true })
                ),
                (isThere) => Effect.fail({ ...refusal, isGone: !isThere, isTransient: refusal.isTransient || isThere })
              ))
        }).pipe(Effect.map(({ size }) => ({ size, ...Optional.defined({ billedCharacters: first.billedCharacters }) })))
    )

  /** Releases the target of an ended execution that could not release it. Fails if the execution is running. */
  const takeOver = Effect.fnUntraced(function*(exists: TargetExists) {
    const { claimedBy = "", path } = exists
    const polled = yield* Effect.catchDefect(workflow.poll(claimedBy), () => Effect.succeedNone)
    if (Option.isNone(polled) || polled.value._tag !== "Complete") return yield* exists
    yield* store.release(path, claimedBy)
  })

  /** Claims the target before anything is sent. Returns the version of the translation to replace. */
  const claim = Effect.fnUntraced(function*({ overwrite = false, target }: DocumentRequest, execution: string) {
    const claimed = store.claim(target, execution)
    yield* Effect.catchTag(claimed, "TargetExists", (exists) => Effect.andThen(takeOver(exists), claimed))
    const found = yield* store.find(target)
    if (found === undefined || overwrite) return found?.version
    return yield* new TargetExists({ path: target })
  })

  /** Checks source and target before anything is sent. `begunBy` is the process that begins the next step. */
  const prepare = (request: DocumentRequest, execution: string) =>
    step(
      "source and target",
      Schema.Struct({ before: Schema.UndefinedOr(Schema.String), begunBy: Schema.String }),
      Effect.gen(function*() {
        yield* Effect.mapError(store.read(request.source), refusalOf("source"))
        const before = yield* Effect.mapError(claim(request, execution), refusalOf("target"))
        return { before, begunBy: run }
      })
    )

  const translate = Effect.fnUntraced(function*(request: typeof Payload.Type, execution: string) {
    const { overwrite = false, target: name } = request
    const { before, begunBy } = yield* Effect.mapError(prepare(request, execution), failed())
    const { contentHash, issued, uploadAttempts } = yield* Effect.mapError(
      upload(request, execution, begunBy),
      failed()
    )
    const { documentId } = issued
    const target: Target = { name, overwrite, before }
    const notDownloaded = Effect.fnUntraced(function*(refusal: Refusal) {
      if (!refusal.isGone) return yield* failed(documentId)(refusal)
      const late = yield* findLate(issued, target)
      if (late !== undefined) return { ...late, ...Optional.defined({ billedCharacters: refusal.billedCharacters }) }
      const part = yield* Effect.orElseSucceed(
        step(
          "part",
          Schema.UndefinedOr(Schema.Struct({ name: Schema.String, size: Schema.Int })),
          Effect.mapError(store.part(name), refusalOf("download"))
        ),
        () => undefined
      )
      return yield* new DocumentLost({
        operation: "DocumentWorkflow",
        documentId,
        description: refusal.description,
        bytesReceived: part?.size ?? 0,
        ...(part !== undefined && part.size > 0 ? { part: part.name } : undefined)
      })
    })
    const saved = yield* Effect.catch(download(issued, target), notDownloaded)
    return new TranslatedDocument({
      documentId,
      uploadAttempts,
      ...saved,
      request,
      ...Optional.defined({ contentHash })
    })
  })

  return (request: typeof Payload.Type, execution: string) =>
    Effect.result(translate(request, execution)).pipe(
      // Not a step, because releasing a target can be repeated.
      Effect.tap(() => Effect.ignore(store.release(request.target, execution))),
      Effect.tap(() => Effect.sync(() => latestUploads.delete(execution))),
      Effect.flatMap(Effect.fromResult)
    )
})

/**
 * Registers the workflow with the context's engine: `WorkflowEngine.layerMemory` for tests, `ClusterWorkflowEngine.layer` for a process with a
 * database or a fleet. Fails with `InvalidConfiguration` for an invalid option. Also provides the store, with which {@link execute} compares
 * contents.
 *
 * @category layers
 * @since 0.2.0
 */
export const layer = (
  { attempts = 10, deadline = "1 day", downloads = 4, firstPoll = "10 seconds", longestPoll = "5 minutes" }: Options =
    {}
): Layer.Layer<DocumentStore, InvalidConfiguration, Documents | DocumentStore | WorkflowEngine.WorkflowEngine> =>
  Layer.unwrap(Effect.gen(function*() {
    const settings = yield* Effect.fromResult(
      usable(decodeSettings({ attempts, deadline, downloads, firstPoll, longestPoll }, ""))
    )
    const released = yield* Deferred.make<boolean>()
    const run = yield* makeSteps(settings, Deferred.await(released))
    // Ends waits in memory before the engine is released, because the engine waits for running steps.
    return Layer.effectDiscard(Effect.addFinalizer(() => Deferred.succeed(released, true))).pipe(
      Layer.provide(workflow.toLayer(run)),
      Layer.merge(Layer.effect(DocumentStore, DocumentStore))
    )
  }))

/** The fields in which a request differs from the translated request with the same id. */
const differencesOf = Effect.fnUntraced(function*(request: typeof Payload.Type, translated: TranslatedDocument) {
  const { contentHash, request: earlier } = translated
  // Nothing to compare: this call started the execution, or an earlier library version did, without storing the request.
  if (earlier === undefined || earlier.call === request.call) return []
  const differences = [
    ...Optional.differing({ overwrite: false, ...earlier }, { overwrite: false, ...request }),
    ...Optional.differing(earlier.fields, request.fields)
  ].filter((name) => name !== "call" && name !== "fields")
  const store = yield* Effect.serviceOption(DocumentStore)
  if (contentHash === undefined || Option.isNone(store)) return differences
  const read = Effect.flatMap(store.value.read(request.source), ({ content, size }) => digestOf(content, size))
  // A missing source counts as unchanged.
  const hash = yield* Effect.orElseSucceed(read, () => contentHash)
  return hash === contentHash ? differences : [...differences, "content"]
})

/**
 * Translates a document, or returns the result of the running or ended execution with the same id.
 *
 * **Details**
 *
 * Fails with `DocumentNotTranslated`, which names the failed step; with `DocumentLost` for a download that cannot be completed; with
 * `WorkflowStorageUnavailable` while the engine's database is down; with `DocumentIdTaken` if the execution translated a different request. The
 * content is compared if the context has a `DocumentStore`, which {@link layer} provides.
 *
 * @category constructors
 * @since 0.2.0
 */
export const execute = (
  request: typeof DocumentRequest["~type.make.in"]
): Effect.Effect<
  TranslatedDocument,
  DocumentError | DocumentIdTaken | WorkflowStorageUnavailable,
  WorkflowEngine.WorkflowEngine
> =>
  Effect.gen(function*() {
    const payload = Payload.make({ ...request, call: crypto.randomUUID() })
    const translated = yield* Effect.catchDefect(workflow.execute(payload), (defect) =>
      // A storage failure is a defect of the cluster engine.
      Predicate.isTagged(defect, "PersistenceError")
        ? Effect.fail(
          new WorkflowStorageUnavailable({
            operation: "DocumentWorkflow",
            id: request.id,
            description: Predicate.hasProperty(defect, "cause") ? String(defect.cause) : ""
          })
        )
        : Effect.die(defect))
    const differences = yield* differencesOf(payload, translated)
    if (differences.length === 0) return translated
    return yield* new DocumentIdTaken({ operation: "DocumentWorkflow", id: request.id, differences })
  })

/**
 * Cancels a document after its current step: an upload, a pause, or a wait of at most a minute, which may include the download. Current and later
 * calls of {@link execute} with the id are interrupted. The target is released; an uploaded document stays until the service deletes it.
 *
 * @category functions
 * @since 0.3.0
 */
export const cancel = (
  request: typeof DocumentRequest["~type.make.in"]
): Effect.Effect<void, never, WorkflowEngine.WorkflowEngine> =>
  Effect.flatMap(workflow.executionId(request), (executionId) => workflow.interrupt(executionId))

/** Retries for a quarter of an hour, so that a short database outage does not fail the stream's documents. */
const untilStorageIsBack = Schedule.exponential("1 second").pipe(
  (growing) => Schedule.min([growing, Schedule.spaced("1 minute")]),
  Schedule.upTo({ times: 20 })
)

/**
 * Translates a stream of documents, at most `concurrency` at a time (default 100), which limits the account's untranslated documents. Emits each
 * request with its `Result` when its execution ends. Waits while the account has too many documents, and up to a quarter of an hour while the
 * database is down.
 *
 * @category constructors
 * @since 0.2.0
 */
export const all = <E, R>(
  requests: Stream.Stream<DocumentRequest, E, R>,
  { concurrency = 100 }: { readonly concurrency?: number | undefined } = {}
): Stream.Stream<
  {
    readonly request: DocumentRequest
    readonly result: Result.Result<TranslatedDocument, DocumentError | DocumentIdTaken | WorkflowStorageUnavailable>
  },
  E,
  R | WorkflowEngine.WorkflowEngine
> =>
  Stream.mapEffect(
    requests,
    (request) =>
      execute(request).pipe(
        Effect.retry({ while: ({ _tag }) => _tag === "WorkflowStorageUnavailable", schedule: untilStorageIsBack }),
        Effect.result,
        Effect.map((result) => ({ request, result }))
      ),
    { concurrency, unordered: true }
  )
