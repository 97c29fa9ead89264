/**
 * The translation of a document as a durable workflow of Effect: `effect/workflow`, on one process or on a cluster.
 *
 * A document is read from a {@link DocumentStore}, uploaded once, awaited without a fiber or a connection, and downloaded into the
 * store. The engine keeps each step, so that another process takes over where one was killed.
 *
 * **Details**
 *
 * A process that takes over acts on what is known:
 *
 * - An upload whose response nobody saw is repeated: the service counts characters with the download, so it costs nothing. `uploadAttempts` of
 *   the result counts both. With a journal that all processes share, an upload whose response was noted there is not repeated.
 * - A download that had begun may have consumed the document. If its translation is complete in the store, or within ten seconds, as
 *   a process that is only interrupted continues it, the document is done; if the service still has it, it is downloaded again; otherwise it
 *   ends as `DocumentLost`, with the part that arrived.
 *
 * A target is released when its execution ends, and one that could not be released then when another document asks for it. A target of an
 * execution that the engine no longer knows, as one in memory after a restart, stays claimed.
 *
 * A process that is interrupted, or whose layers are released, continues a download for up to a minute. What arrived until then stays in the store.
 *
 * The engine stores the id and the key of a document, which together give access to its translation: protect its database like the
 * documents.
 *
 * **Example** (In memory)
 *
 * ```ts import.meta.vitest
 * import * as DocumentStore from "@effect-lingua/core/durable/DocumentStore"
 * import * as DocumentWorkflow from "@effect-lingua/core/durable/DocumentWorkflow"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
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
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Activity from "effect/workflow/Activity"
import * as DurableClock from "effect/workflow/DurableClock"
import * as Workflow from "effect/workflow/Workflow"
import type * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import * as Rules from "../config/internal/options.ts"
import { InvalidConfiguration } from "../config/LanguageServiceConfig.ts"
import type { DurationInput } from "../config/ResiliencePolicy.ts"
import { DocumentId } from "../contract/Ids.ts"
import { Documents, type Download, type DownloadError, type Entry } from "../documents/Documents.ts"
import { IssuedDocument, UploadFields } from "../documents/DocumentsApi.ts"
import { isGone } from "../documents/internal/transfer.ts"
import { TargetExists } from "../errors/CallError.ts"
import { always, categorized, failure, isFailure } from "../errors/internal/failure.ts"
import { randomWord } from "../jobs/internal/uploading.ts"
import { DocumentStore } from "./DocumentStore.ts"

/**
 * A document to translate. `id` is the key of the execution: the same id runs once, whatever the other fields. `source` and `target` are
 * names in the store, and the last part of `source` is the file name that the service sees. A target that is in the store, or of another
 * document, is refused before anything is sent; with `overwrite` a translation in the store is replaced.
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

/**
 * A translated document in the store. `uploadAttempts` is 2 or more if a response was lost or a process was killed: each attempt but the last may
 * have left a document at the service, unless the journal noted it.
 *
 * @category schemas
 * @since 0.2.0
 */
export class TranslatedDocument extends Schema.Class<TranslatedDocument>("TranslatedDocument")({
  documentId: DocumentId,
  size: Schema.Int,
  uploadAttempts: Schema.Int,
  billedCharacters: Schema.optionalKey(Schema.Int)
}) {}

/**
 * A download that had begun and cannot be completed: the service has deleted the document. `part` is the name in the store of what
 * arrived, if anything did.
 *
 * @category errors
 * @since 0.2.0
 */
export class DocumentLost extends failure<DocumentLost>()("DocumentLost", always("lost", "unknown", false), {
  documentId: DocumentId,
  part: Schema.optionalKey(Schema.String)
}, ({ documentId, part }) => [
  `the translation of document ${documentId} is lost: its download had begun, and the service has deleted it`,
  `Translate it again, with another id${part === undefined ? "" : `. The part that arrived is in ${part}`}`
]) {}

/**
 * A document that was not translated. `step` is the step that failed, `cause` the name of its error. It is transient if the step may succeed
 * later: request it again with another id.
 *
 * @category errors
 * @since 0.2.0
 */
export class DocumentNotTranslated
  extends failure<DocumentNotTranslated>()("DocumentNotTranslated", categorized("badResponse"), {
    step: Schema.Literals(["source", "target", "upload", "translation", "download"]),
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
 * The database of the engine could not be used. The document is not lost: what the engine had stored goes on when the database is back, and a
 * request with the same id joins it.
 *
 * @category errors
 * @since 0.2.0
 */
export class WorkflowStorageUnavailable
  extends failure<WorkflowStorageUnavailable>()("WorkflowStorageUnavailable", always("unavailable", "unknown", true), {
    id: Schema.String
  }, ({ id }) => [
    `the database of the workflows cannot be used, so it is unknown what became of document ${JSON.stringify(id)}`,
    "Request it again with the same id"
  ])
{}

/**
 * The errors of a document.
 *
 * @category errors
 * @since 0.2.0
 */
export type DocumentError = DocumentLost | DocumentNotTranslated

const DocumentErrors = Schema.Union([DocumentLost, DocumentNotTranslated])

/**
 * The workflow, for engines and proxies. {@link execute} runs it.
 *
 * @category workflows
 * @since 0.2.0
 */
export const workflow = Workflow.make("effect-lingua/DocumentWorkflow", {
  payload: DocumentRequest,
  success: TranslatedDocument,
  error: DocumentErrors,
  idempotencyKey: ({ id }) => id
})

/**
 * Options of the workflow.
 *
 * @category options
 * @since 0.2.0
 */
export interface Options {
  /** Time before the first question for the status. Default 10 s; each later one is half as long again. */
  readonly firstPoll?: DurationInput | undefined
  /** The longest time between two questions. Default 5 minutes. */
  readonly longestPoll?: DurationInput | undefined
  /** Time in which a document must be translated. Default 1 day. */
  readonly deadline?: DurationInput | undefined
  /** Attempts of a step whose error may pass, each of which has the attempts of the client. Default 10. */
  readonly attempts?: number | undefined
}

const positive = Rules.duration((millis) => millis > 0 && Number.isFinite(millis), "must be more than 0, and finite")

interface Settings {
  readonly firstPoll: Duration.Duration
  readonly longestPoll: Duration.Duration
  readonly deadline: Duration.Duration
  readonly attempts: number
}

const decodeSettings = Rules.struct<Settings>({
  firstPoll: positive,
  longestPoll: positive,
  deadline: positive,
  attempts: Rules.number((value) => Number.isInteger(value) && value >= 1, "must be a whole number from 1")
})

/** Pauses before further attempts of a step. */
const firstPause = Duration.minutes(1)
const longestPause = Duration.hours(1)

/** How often an account that holds too many documents is waited for: for days. */
const mostWaits = 1000

/** Why a step failed. `isGone`: the service has deleted the document. */
const Refusal = Schema.TaggedStruct("Refusal", {
  cause: Schema.String,
  description: Schema.String,
  isTransient: Schema.Boolean,
  isGone: Schema.Boolean
})
type Refusal = typeof Refusal.Type

const refusalOf = (error: { readonly _tag: string; readonly message: string }): Refusal => ({
  _tag: "Refusal",
  cause: error._tag,
  description: isFailure(error) && error.description !== "" ? error.description : error.message,
  isTransient: !isFailure(error) || error.isTransient || error.outcome === "unknown",
  isGone: isGone(error)
})

/** A step whose result the engine keeps. */
const step = <
  S extends Schema.Codec<unknown, unknown>,
  E extends { readonly _tag: string; readonly message: string },
  R
>(
  name: string,
  success: S,
  execute: Effect.Effect<S["Type"], E, R>
) => Activity.make({ name, success, error: Refusal, execute: Effect.mapError(execute, refusalOf) })

const longer = (pause: Duration.Duration, factor: number, longest: Duration.Duration): Duration.Duration =>
  Duration.min(Duration.times(pause, factor), longest)

/** Waits without a fiber: the engine wakes the execution. */
const sleep = (name: string, duration: Duration.Duration) =>
  DurableClock.sleep({ name, duration, inMemoryThreshold: 0 })

/** The failure of a step, for the caller. */
const failed = (step: DocumentNotTranslated["step"], documentId?: DocumentId) => (refusal: Refusal) =>
  new DocumentNotTranslated({
    operation: "DocumentWorkflow",
    step,
    cause: refusal.cause,
    description: refusal.description,
    isTransient: refusal.isTransient,
    outcome: step === "source" || step === "target" ? "refused" : "unknown",
    ...(documentId === undefined ? undefined : { documentId })
  })

/** The time for which a download continues after the engine interrupts it. */
const grace = Duration.minutes(1)

/**
 * Lets an effect that cannot be repeated continue for a while after the engine interrupts it, as it does where a runner loses its shards and
 * where the layer is released.
 */
const withGrace = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(
      Effect.forkDetach(Effect.interruptible(effect)),
      (fiber) =>
        Effect.onInterrupt(restore(Fiber.join(fiber)), () =>
          Effect.flatMap(
            Effect.forkDetach(Effect.interruptible(Effect.delay(Fiber.interrupt(fiber), grace))),
            (timer) => Effect.andThen(Fiber.await(fiber), Fiber.interrupt(timer))
          ))
    )
  )

/** The steps of one document. */
const makeSteps = Effect.fnUntraced(function*({ attempts, deadline, firstPoll, longestPoll }: Settings) {
  const documents = yield* Documents
  const store = yield* DocumentStore
  // The word of this run of the program, by which a step knows that another process began it.
  const run = yield* randomWord
  const begun = new Set<string>()

  /** Notes that a step begins; later it tells whether the step had begun before. */
  const beginning = (execution: string, name: string) =>
    Effect.map(step(`${name} begins`, Schema.String, Effect.succeed(run)), (begunBy) => () => {
      const key = `${execution} ${name}`
      const isAgain = begunBy !== run || begun.has(key)
      begun.add(key)
      return isAgain
    })

  /** Runs a step until it succeeds or cannot: its attempts are steps of their own. */
  const persistently = <A, R>(
    name: string,
    attempt: (name: string) => Effect.Effect<A, Refusal, R>
  ) =>
    Effect.gen(function*() {
      let pause = firstPause
      let failures = 0
      for (let number = 1;; number++) {
        const result = yield* Effect.result(attempt(`${name} ${number}`))
        if (Result.isSuccess(result)) return result.success
        const { cause, isGone, isTransient } = result.failure
        const isFull = cause === "TooManyDocuments"
        if (!isFull) failures++
        if (isGone || !(isFull ? number < mostWaits : isTransient && failures < attempts)) {
          return yield* Effect.fail(result.failure)
        }
        yield* sleep(`after ${name} ${number}`, pause)
        pause = longer(pause, 2, longestPause)
      }
    })

  const upload = Effect.fnUntraced(function*({ fields, source }: DocumentRequest, execution: string) {
    let lost = 0
    const issued = yield* persistently("upload", (name) =>
      Effect.flatMap(beginning(execution, name), (isAgain) =>
        step(
          name,
          Schema.Struct({ issued: IssuedDocument, isRepeated: Schema.Boolean }),
          Effect.gen(function*() {
            const isRepeated = isAgain()
            const { content, size } = yield* store.read(source)
            const fileName = source.replace(/^.*[/\\]/s, "")
            const issued = yield* documents.upload({
              // oxlint-disable-next-line typescript/no-misused-spread -- a body is a plain object
              ...fields,
              fileName,
              content,
              size,
              uploadId: execution.slice(0, 60)
            })
            return { issued, isRepeated }
          })
        )).pipe(
          Effect.tapError(({ cause }) => Effect.sync(() => lost += cause === "OutcomeUnknown" ? 1 : 0))
        ))
    return { ...issued, uploadAttempts: lost + (issued.isRepeated ? 2 : 1) }
  })

  const wait = Effect.fnUntraced(function*(ref: IssuedDocument) {
    let pause = firstPoll
    let waited = Duration.zero
    for (let number = 1, failures = 0;; number++) {
      yield* sleep(`poll ${number}`, pause)
      waited = Duration.sum(waited, pause)
      const result = yield* Effect.result(step(
        `status ${number}`,
        Schema.Struct({
          status: Schema.String,
          billedCharacters: Schema.optionalKey(Schema.Int),
          errorMessage: Schema.optionalKey(Schema.String)
        }),
        documents.status(ref)
      ))
      if (Result.isFailure(result)) {
        failures++
        const { isGone, isTransient } = result.failure
        if (isGone || !isTransient || failures >= attempts) return yield* Effect.fail(result.failure)
      } else {
        failures = 0
        const { billedCharacters, errorMessage = "no reason is given", status } = result.success
        if (status === "done") return billedCharacters
        if (status === "error") {
          const failed: Refusal = {
            _tag: "Refusal",
            cause: "DocumentFailed",
            description: errorMessage,
            isTransient: false,
            isGone: false
          }
          return yield* Effect.fail(failed)
        }
      }
      if (Duration.isGreaterThan(waited, deadline)) {
        const late: Refusal = {
          _tag: "Refusal",
          cause: "DocumentNotReady",
          description: `it was not translated in ${Duration.toHours(waited).toFixed(1)} hours`,
          isTransient: true,
          isGone: false
        }
        return yield* Effect.fail(late)
      }
      pause = longer(pause, 1.5, longestPoll)
    }
  })

  /** Whether the service still has a document, as far as it tells. */
  const isThere = (ref: IssuedDocument) =>
    Effect.match(documents.status(ref), { onFailure: (error) => !isGone(error), onSuccess: () => true })

  type Received = Extract<Entry, { readonly _tag: "Received" }>

  /** Where a document goes, and the version of the translation that it replaces. */
  interface Target {
    readonly name: string
    readonly overwrite: boolean
    readonly before: string | undefined
  }

  /** The place of a translation. */
  const placeOf = ({ before, name, overwrite }: Target) => ({
    find: Effect.map(
      store.find(name),
      (found) => found === undefined || found.version === before ? undefined : { size: found.size }
    ),
    receive: (download: Effect.Effect<Download, DownloadError>) =>
      Effect.map(
        store.write(name, Stream.unwrap(Effect.map(download, ({ stream }) => stream)), { overwrite }),
        Effect.succeed
      ),
    left: () =>
      Effect.map(store.part(name), (part) => part === undefined ? [] : [{ path: part.name, bytes: part.size }]),
    recover: ({ parts: [{ bytes }] }: Received) =>
      Effect.flatMap(
        store.part(name),
        (part) => Effect.succeed(part?.size === bytes ? store.complete(name, { overwrite }) : undefined)
      )
  })

  /**
   * The translation of a document that is gone: another runner may be about to complete it, as one that has lost its shards finishes
   * what it downloads, or was killed when the part had all bytes.
   */
  const findLate = (ref: IssuedDocument, target: Target) =>
    Effect.orElseSucceed(
      step(
        "late",
        Schema.UndefinedOr(Schema.Struct({ size: Schema.Int })),
        Effect.map(
          Effect.repeat(Effect.option(documents.recover(ref, placeOf(target))), {
            until: (found) => Option.isSome(found) && found.value !== undefined,
            schedule: Schedule.spaced("1 second"),
            times: 10
          }),
          Option.getOrUndefined
        )
      ),
      () => undefined
    )

  const download = (ref: IssuedDocument, target: Target) =>
    persistently("download", (name) =>
      step(
        name,
        Schema.Struct({ size: Schema.Int }),
        withGrace(documents.saveTo(ref, placeOf(target)))
      ).pipe(
        // The attempt may have consumed the document.
        Effect.catch((refusal: Refusal) =>
          refusal.isGone
            ? Effect.fail(refusal)
            : Effect.flatMap(
              step(`${name} is there`, Schema.Boolean, isThere(ref)),
              (isThere) => Effect.fail({ ...refusal, isGone: !isThere, isTransient: refusal.isTransient || isThere })
            )
        )
      ))

  /** Releases the target of an execution that ended and could not release it itself. Fails if it has not ended. */
  const takeOver = Effect.fnUntraced(function*(exists: TargetExists) {
    const { claimedBy = "", path } = exists
    const polled = yield* Effect.catchDefect(workflow.poll(claimedBy), () => Effect.succeedNone)
    if (Option.isNone(polled) || polled.value._tag !== "Complete") return yield* exists
    yield* store.release(path, claimedBy)
  })

  /** Claims the target before anything is sent, and returns the version of the translation there, if it may be replaced. */
  const claim = Effect.fnUntraced(function*({ overwrite = false, target }: DocumentRequest, execution: string) {
    const claimed = store.claim(target, execution)
    yield* Effect.catchTag(claimed, "TargetExists", (exists) => Effect.andThen(takeOver(exists), claimed))
    const found = yield* store.find(target)
    if (found === undefined || overwrite) return found?.version
    return yield* new TargetExists({ path: target })
  })

  const translate = Effect.fnUntraced(function*(request: DocumentRequest, execution: string, target: Target) {
    const { issued, uploadAttempts } = yield* Effect.mapError(upload(request, execution), failed("upload"))
    const { documentId } = issued
    const notDownloaded = Effect.fnUntraced(function*(refusal: Refusal) {
      if (!refusal.isGone) return yield* failed("download", documentId)(refusal)
      const late = yield* findLate(issued, target)
      if (late !== undefined) return late
      const part = yield* Effect.orElseSucceed(
        step("part", Schema.UndefinedOr(Schema.String), Effect.map(store.part(target.name), (part) => part?.name)),
        () => undefined
      )
      return yield* new DocumentLost({
        operation: "DocumentWorkflow",
        documentId,
        description: refusal.description,
        ...(part === undefined ? undefined : { part })
      })
    })
    // What is gone may have been downloaded by another runner: the next step looks for it.
    const billedCharacters = yield* Effect.catch(
      wait(issued),
      (refusal) => refusal.isGone ? Effect.undefined : Effect.fail(failed("translation", documentId)(refusal))
    )
    const { size } = yield* Effect.catch(download(issued, target), notDownloaded)
    return new TranslatedDocument({
      documentId,
      size,
      uploadAttempts,
      ...(billedCharacters === undefined ? undefined : { billedCharacters })
    })
  })

  return Effect.fnUntraced(function*(request: DocumentRequest, execution: string) {
    const { overwrite = false, source, target: name } = request
    yield* Effect.mapError(step("source", Schema.Void, Effect.asVoid(store.read(source))), failed("source"))
    const claimed = step("target", Schema.UndefinedOr(Schema.String), claim(request, execution))
    const result = yield* Effect.mapError(claimed, failed("target")).pipe(
      Effect.flatMap((before) => translate(request, execution, { name, overwrite, before })),
      Effect.result
    )
    yield* Effect.ignore(step("release", Schema.Void, store.release(name, execution)))
    return yield* Effect.fromResult(result)
  })
})

/**
 * Registers the workflow with the engine of the context: `WorkflowEngine.layerMemory` of Effect for tests, `ClusterWorkflowEngine.layer` for
 * a process with a database or a fleet. Fails with `InvalidConfiguration` for an option that cannot be.
 *
 * @category layers
 * @since 0.2.0
 */
export const layer = (
  { attempts = 10, deadline = "1 day", firstPoll = "10 seconds", longestPoll = "5 minutes" }: Options = {}
): Layer.Layer<never, InvalidConfiguration, Documents | DocumentStore | WorkflowEngine.WorkflowEngine> =>
  Layer.unwrap(Effect.gen(function*() {
    const settings = yield* Effect.mapError(
      Effect.fromResult(decodeSettings({ attempts, deadline, firstPoll, longestPoll }, "")),
      ({ field, problem }) => new InvalidConfiguration({ setting: field, problem })
    )
    const run = yield* makeSteps(settings)
    return workflow.toLayer(run)
  }))

/**
 * Translates a document, or joins the execution of the same id. Returns its result, also of an execution that ended before.
 *
 * **Details**
 *
 * Fails with `DocumentNotTranslated` and the step that failed, with `DocumentLost` for a download that had begun and cannot be completed, and
 * with `WorkflowStorageUnavailable` while the database of the engine is down.
 *
 * @category constructors
 * @since 0.2.0
 */
export const execute = (
  request: typeof DocumentRequest["~type.make.in"]
): Effect.Effect<
  TranslatedDocument,
  DocumentError | WorkflowStorageUnavailable,
  WorkflowEngine.WorkflowEngine
> =>
  Effect.catchDefect(workflow.execute(request), (defect) =>
    // The engine of a cluster has no error for it.
    Predicate.isTagged(defect, "PersistenceError")
      ? Effect.fail(
        new WorkflowStorageUnavailable({
          operation: "DocumentWorkflow",
          id: request.id,
          description: Predicate.hasProperty(defect, "cause") ? String(defect.cause) : ""
        })
      )
      : Effect.die(defect))

/** A database that is down is asked again for a quarter of an hour, so that it does not end a whole stream. */
const untilStorageIsBack = Schedule.exponential("1 second").pipe(
  (growing) => Schedule.min([growing, Schedule.spaced("1 minute")]),
  Schedule.upTo({ times: 20 })
)

/**
 * Translates a stream of documents, at most `concurrency` at a time (100 by default), which bounds the documents that the account holds.
 * Returns each request with its `Result`, in the order in which they end. An account that holds too many documents is waited for, and a database
 * that is down for a quarter of an hour.
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
    readonly result: Result.Result<TranslatedDocument, DocumentError | WorkflowStorageUnavailable>
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
