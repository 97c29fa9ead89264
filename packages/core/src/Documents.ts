/**
 * Documents: files that are translated as a whole and downloaded once.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { DownloadInterrupted, NotResumable } from "./CallError.ts"
import * as DocumentJournal from "./DocumentJournal.ts"
import { DocumentProgress, report } from "./DocumentProgress.ts"
import type { DocumentId, DocumentKey, UploadFields } from "./DocumentsApi.ts"
import * as Events from "./Events.ts"
import { isFailure, outcomeOf } from "./internal/answer.ts"
import { call, composed, create } from "./internal/call.ts"
import { checkId } from "./internal/checks.ts"
import * as ContractClient from "./internal/contractClient.ts"
import { CurrentCall } from "./internal/currentCall.ts"
import * as Downloading from "./internal/downloading.ts"
import * as Monotonic from "./internal/monotonic.ts"
import { defined, type Optional } from "./internal/optional.ts"
import { checkReferences } from "./internal/references.ts"
import * as Uploading from "./internal/uploading.ts"
import * as Waiting from "./internal/waiting.ts"
import { LanguageServiceConfig } from "./LanguageServiceConfig.ts"
import * as ResiliencePolicy from "./ResiliencePolicy.ts"
import { type DocumentAlreadyDownloaded, type DocumentNotFound, TooManyDocuments } from "./ServiceError.ts"

/**
 * Names one document. Both parts are issued at upload and neither can be found out later.
 *
 * @category options
 * @since 0.1.0
 */
export interface DocumentRef {
  readonly documentId: DocumentId
  readonly documentKey: DocumentKey
}

/**
 * A document on its way to the caller. Nothing but the first run of `stream` gives its bytes: the service has deleted it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Download {
  /**
   * The bytes, as they come. Fails with `DownloadInterrupted` when they stop before the end. Run it: a stream that is
   * never run holds its connection until it is collected.
   */
  readonly stream: Stream.Stream<Uint8Array, DownloadInterrupted>
  /** The media type of the document. */
  readonly contentType?: string
  /** The promised length in bytes. */
  readonly contentLength?: number
  /** The file name that the service suggests, without any folder. It is the service's word: check it before use. */
  readonly fileName?: string
  /** The trace id of the download. */
  readonly traceId?: string
}

/**
 * What to upload, and how to translate it: the file, and the fields of {@link UploadFields}, of which `targetLanguage` is
 * required.
 *
 * @category options
 * @since 0.2.0
 */
export interface UploadOptions extends Optional<UploadFields> {
  /**
   * The bytes of the file. A `Blob` may stand for a file on disk (`fs.openAsBlob`) and is read as it is sent; so is a
   * stream, which is run anew when the service asks to come back later.
   */
  readonly content: Uint8Array | Blob | Stream.Stream<Uint8Array, unknown>
  /** The name of the file without a folder. Its extension tells the service the type. */
  readonly fileName: string
  /** The length of a stream in bytes, where it is known: the service learns it beforehand. */
  readonly size?: number | undefined
  /** Where the file can be read again, for the journal. */
  readonly source?: string | undefined
  /** Where the translation is to go, for the journal. */
  readonly target?: DocumentJournal.Target | undefined
}

/**
 * A translated document on its way, with what names it.
 *
 * @category models
 * @since 0.2.0
 */
export interface TranslatedDocument extends Download, DocumentRef {
  /** The characters that the download is billed with. */
  readonly billedCharacters?: number
}

/** A caller without types may give a key that is none; the contract refuses it in its turn. */
const secretsOf = ({ documentKey }: DocumentRef): ReadonlyArray<string> =>
  Redacted.isRedacted(documentKey) ? [Redacted.value(documentKey)] : []

/** Whether a failure left everything as it was. One that is not an error of this library yet is judged by its answer. */
const changedNothing = (error: unknown, call: CurrentCall | undefined): boolean =>
  isFailure(error)
    ? error.outcome !== "unknown"
    : call?.response === undefined
    ? call?.attempts.length === 0
    : outcomeOf(call.response.status) === "refused"

const refOf = ({ documentId, documentKey }: DocumentRef): DocumentRef => ({ documentId, documentKey })

/** How long the question may take whether the service still has a document whose bytes stopped. */
const lastQuestion = Duration.seconds(10)

/** Runs an effect with a policy that differs in some fields. */
const withPolicy = (fields: Partial<ResiliencePolicy.ResiliencePolicy>) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    ResiliencePolicy.Override,
    (outer) => Effect.provideService(effect, ResiliencePolicy.Override, { ...outer, ...fields })
  )

const notResumable = (id: string, description: string) => new NotResumable({ id, description })

const make = Effect.gen(function*() {
  const client = yield* ContractClient.make("Documents")
  const config = yield* LanguageServiceConfig
  const events = yield* Events.Events
  const journal = Option.getOrElse(
    yield* Effect.serviceOption(DocumentJournal.DocumentJournal),
    () => DocumentJournal.make()
  )
  const host = `${config.baseUrl.origin}${config.baseUrl.pathname}`
  const base = ResiliencePolicy.override(config.resilience, config.serviceResilience.Documents ?? {})

  const policy = Effect.map(ResiliencePolicy.Override, (fields) => ResiliencePolicy.override(base, fields))

  const askStatus = ({ documentId, documentKey }: DocumentRef) =>
    client.status({ params: { documentId }, payload: { documentKey } })

  const status = Effect.fnUntraced(function*(ref: DocumentRef) {
    yield* checkId("documentId", ref.documentId)
    return yield* askStatus(ref)
  })

  const wait = Effect.fnUntraced(function*(ref: DocumentRef) {
    yield* checkId("documentId", ref.documentId)
    const current = yield* policy
    const end = (yield* Monotonic.now) + Duration.toMillis(current.documentDeadline)
    return yield* Waiting.untilDone({
      operation: "Documents.wait",
      documentId: ref.documentId,
      ask: askStatus(ref),
      secrets: [Redacted.value(config.key), ...secretsOf(ref)],
      policy: current,
      events,
      end
    })
  })

  /** Asks for the bytes, and waits for the document where it is not ready. */
  const askForBytes = Effect.fnUntraced(function*(ref: DocumentRef) {
    const { documentId, documentKey } = ref
    const ask = client.download({ params: { documentId }, payload: { documentKey } })
    const current = yield* policy
    const end = (yield* Monotonic.now) + Duration.toMillis(current.documentDeadline)
    return yield* ask.pipe(
      withPolicy({ polling: false }),
      Effect.catchTag("DocumentNotReady", (error) =>
        current.polling
          ? Effect.gen(function*() {
            yield* Waiting.untilDone({
              operation: "Documents.download",
              documentId: ref.documentId,
              ask: askStatus(ref),
              secrets: [Redacted.value(config.key), ...secretsOf(ref)],
              policy: current,
              events,
              end,
              notReady: error
            })
            const left = end - (yield* Monotonic.now)
            return yield* withPolicy({ documentDeadline: Duration.millis(Math.max(left, 1)) })(ask)
          })
          : Effect.fail(error))
    )
  })

  const stillThere = (ref: DocumentRef): Effect.Effect<boolean | undefined> =>
    Effect.flatMap(policy, ({ attemptTimeout }) =>
      askStatus(ref).pipe(
        withPolicy({
          attempts: 2,
          attemptTimeout: Duration.min(attemptTimeout, lastQuestion),
          deadline: lastQuestion
        }),
        Effect.as(true),
        Effect.catchTags({
          DocumentNotFound: () => Effect.succeed(false),
          DocumentAlreadyDownloaded: () => Effect.succeed(false)
        }),
        Effect.catch(() => Effect.undefined)
      ))

  /** What the journal has of a document, or the little that its reference says. */
  const remembered = (ref: DocumentRef) =>
    Effect.gen(function*() {
      const entry = yield* journal.get(ref.documentId)
      if (entry !== undefined && entry._tag !== "Uploading") {
        return { before: entry, ...DocumentJournal.aboutOf(entry), ...refOf(ref) }
      }
      return { before: undefined, host, startedAt: DateTime.makeUnsafe(yield* Clock.currentTimeMillis), ...refOf(ref) }
    })

  const download = Effect.fnUntraced(function*(ref: DocumentRef) {
    const { documentId } = ref
    yield* checkId("documentId", documentId)
    const current = yield* CurrentCall
    const { before, ...about } = yield* remembered(ref)
    // Whoever writes the bytes to a file keeps the journal by itself.
    const isOurs = before?._tag !== "Downloading" || before.temporary === undefined
    const note = (entry: DocumentJournal.Entry) => isOurs ? journal.put(entry) : Effect.void
    const forget = isOurs ? journal.remove(documentId) : Effect.void
    yield* note({ _tag: "Downloading", ...about })
    const { body, headers } = yield* askForBytes(ref).pipe(
      Effect.catchTags({
        DocumentNotFound: (error) => Downloading.lost(error, documentId, current?.attempts ?? []),
        DocumentAlreadyDownloaded: (error) => Downloading.lost(error, documentId, current?.attempts ?? [])
      }),
      Effect.tapError((error) =>
        error._tag === "DownloadInterrupted"
          ? note({ _tag: "Lost", ...about, reason: error.description, bytesReceived: 0, parts: [] })
          : changedNothing(error, current)
          ? before === undefined ? forget : note(before)
          : Effect.void
      )
    )
    const fromService: Download = yield* Downloading.make({
      documentId,
      body,
      headers,
      current,
      policy: current?.policy ?? base,
      stillThere: stillThere(ref),
      onEnd: forget,
      onInterrupted: ({ available, bytesReceived, description }) =>
        Effect.flatMap(journal.get(documentId), (entry) =>
          // What came to its end before is lost to nobody.
          available === undefined || entry === undefined
            ? Effect.void
            : available
            ? note({ _tag: "Uploaded", ...about })
            : note({ _tag: "Lost", ...about, reason: description, bytesReceived, parts: [] }))
    })
    return fromService
  })

  const upload = Effect.fnUntraced(function*(options: UploadOptions) {
    const { content, fileName, size, source, target, ...given } = options
    const fields = defined<UploadFields>(given)
    yield* checkReferences(given, config.limits)
    const { failure, payload } = yield* Uploading.form(fields, { content, fileName, size })
    const current = yield* CurrentCall
    const uploadId = `upload-${yield* Uploading.randomWord}`
    const about = {
      host,
      startedAt: DateTime.makeUnsafe(yield* Clock.currentTimeMillis),
      fileName,
      fields,
      ...(source === undefined ? undefined : { source }),
      ...(target === undefined ? undefined : { target })
    }
    return yield* Effect.scoped(Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
      yield* Effect.orDie(journal.claim(uploadId))
      yield* journal.put({ _tag: "Uploading", ...about, uploadId })
      const issued = yield* restore(client.upload({ payload })).pipe(
        Effect.mapError((error) => failure() ?? error),
        Effect.tapError((error) => changedNothing(error, current) ? journal.remove(uploadId) : Effect.void)
      )
      yield* journal.put({ _tag: "Uploaded", ...about, ...refOf(issued), uploadId })
      yield* report(() => DocumentProgress.Uploaded({ documentId: issued.documentId }))
      return issued
    }))).pipe(
      Effect.catchTag("TooManyDocuments", (error) =>
        Effect.flatMap(pending, (entries) =>
          Effect.fail(
            new TooManyDocuments({
              // oxlint-disable-next-line typescript/no-misused-spread -- an error is made from its fields
              ...error,
              pending: entries.flatMap((entry) =>
                entry._tag === "Uploaded" || entry._tag === "Downloading" ? [entry.documentId] : []
              )
            })
          )))
    )
  })

  const pending: Effect.Effect<ReadonlyArray<DocumentJournal.Entry>> = Effect.map(
    journal.entries,
    (entries) => entries.filter((entry) => entry.host === host)
  )

  const calls = {
    upload: (options: UploadOptions) => create("Documents.upload", {}, upload(options)),
    status: (options: DocumentRef) => call("Documents.status", status(options), secretsOf(options)),
    wait: (options: DocumentRef) => call("Documents.wait", wait(options), secretsOf(options)),
    download: (options: DocumentRef) => call("Documents.download", download(options), secretsOf(options))
  }

  /** Waits for a document and starts its download. */
  const receive = Effect.fnUntraced(function*(ref: DocumentRef) {
    const { billedCharacters } = yield* calls.wait(ref)
    const download = yield* calls.download(ref)
    const translated: TranslatedDocument = {
      ...download,
      // Whoever has its bytes already goes on with them.
      stream: Stream.unwrap(Effect.as(Effect.ignore(journal.claim(ref.documentId)), download.stream)),
      ...ref,
      ...(billedCharacters === undefined ? undefined : { billedCharacters })
    }
    return translated
  })

  const resumed = Effect.fnUntraced(function*(id: string) {
    yield* checkId("id", id)
    yield* journal.claim(id)
    const entry = yield* journal.get(id)
    if (entry === undefined) return yield* notResumable(id, "The journal does not know it")
    if (entry.host !== host) return yield* notResumable(id, `It is a document of ${entry.host}`)
    if (entry._tag === "Uploading") {
      return yield* notResumable(id, "The answer to its upload was not seen, so nobody knows its id. Upload it again")
    }
    if (entry._tag === "Received") {
      return yield* notResumable(id, `It was received: ${entry.parts.map(({ path }) => path).join(", ")}`)
    }
    const lost = <E extends DocumentNotFound | DocumentAlreadyDownloaded>(
      error: E
    ): Effect.Effect<never, E | DownloadInterrupted> => {
      const { bytesReceived, parts } = entry._tag === "Lost" ? entry : { bytesReceived: 0, parts: [] }
      const taken = new DownloadInterrupted({
        documentId: entry.documentId,
        bytesReceived,
        available: false,
        description: "An earlier download took the document and did not end"
      })
      const failure = entry._tag === "Uploaded" ? error : taken
      return Effect.andThen(
        journal.put({
          _tag: "Lost",
          ...DocumentJournal.aboutOf(entry),
          ...refOf(entry),
          reason: failure.description,
          bytesReceived,
          parts
        }),
        Effect.fail(failure)
      )
    }
    return yield* Effect.catchTags(receive(refOf(entry)), {
      DocumentNotFound: (error) => lost(error),
      DocumentAlreadyDownloaded: (error) => lost(error)
    })
  }, Effect.scoped)

  const translated = Effect.fnUntraced(function*(options: UploadOptions) {
    const issued = yield* calls.upload(options)
    yield* journal.claim(issued.documentId)
    return yield* receive(issued)
  }, Effect.scoped)

  const forgotten = Effect.fnUntraced(function*(id: string) {
    yield* checkId("id", id)
    yield* journal.claim(id)
    yield* journal.remove(id)
  }, Effect.scoped)

  return {
    /** Where the service is: origin and path of the base address, by which the journal tells services apart. */
    host,
    /**
     * Uploads a file for its translation and gives its id and key.
     *
     * **Details**
     *
     * `POST /v2/document` (spec, Translation requests; reference B11; but for the path and `styleId` described publicly).
     * The characters are billed when the document is downloaded. Keep id and key: without them the document is lost.
     * A stream is sent as it comes, within the policy's `documentTimeout` for each attempt. The journal has them before this
     * ends.
     *
     * Never repeated after an unknown outcome: fails with `OutcomeUnknown` then, and a document may be in translation
     * under an id that nobody knows. Fails with `InvalidInput` for a file name that is empty or has a folder in it,
     * content that is empty or no file, or references that exclude each other, and `LimitExceeded` for more than 5
     * glossaries, all before anything is sent; with `SourceFailed` when the stream of the file fails; with
     * `TooManyDocuments` when too many are in translation or not downloaded: it names those that the journal knows; with
     * `NotFound` when a reference does not exist; with `PayloadTooLarge` and `QuotaExceeded`.
     */
    upload: calls.upload,
    /**
     * Asks how far a document is. Changes nothing.
     *
     * **Details**
     *
     * `POST /v2/document/{document_id}` (spec, States and transitions; reference B12; described publicly). A translation
     * that failed is a success with the status `error`. Fails with `DocumentNotFound` or `DocumentAlreadyDownloaded`
     * when the document is not or no longer there, or the key is another's; with `InvalidInput` for an id that cannot be
     * a path segment, before anything is sent.
     */
    status: calls.status,
    /**
     * Waits until a document is translated, and gives its status then.
     *
     * **Details**
     *
     * Asks for the status until it is `done`, with the policy's waits between polls, or the service's estimate where that
     * can be believed. A state that is not known is waited for like any other.
     *
     * Fails with `DocumentFailed` when the translation failed: it has the service's words; with `DocumentNotReady` when the
     * policy's `documentDeadline` passes, or `polling` is off: the document is still there, wait again; else like
     * {@link status}.
     */
    wait: calls.wait,
    /**
     * Waits until a document is translated and starts its download. The first success deletes the document at the
     * service, so run `stream` once, to a place that keeps it; `downloadToFile` in the package for Node does that.
     *
     * **Details**
     *
     * `POST /v2/document/{document_id}/result` (spec, Document download; reference B1). For a document that is not ready
     * the status is asked for until the policy's `documentDeadline`, 30 minutes by default. After a lost answer the document
     * is asked for once more, as the service may still have it. The journal has the document until the stream has ended.
     *
     * Fails with `DocumentNotReady` when the deadline passes first: the document is still there, ask again; with
     * `DocumentFailed` when its translation failed; with
     * `DocumentNotFound` or `DocumentAlreadyDownloaded` when it is not or no longer there, or the key is another's; with
     * `QuotaExceeded` when the characters are used up: it stays there; with `DownloadInterrupted` when the document went
     * with an answer that was lost; with `InvalidInput` for an id that cannot be a path segment, before anything is sent.
     * The stream fails with `DownloadInterrupted`, which says whether the service still has the document.
     */
    download: calls.download,
    /**
     * Translates a file: uploads it, waits, and starts the download.
     *
     * **Details**
     *
     * The same as `upload`, `wait` and `download` after one another, whose errors it fails with. Each has the policy's
     * `documentDeadline` for itself. Fails with `DocumentBusy` when somebody else resumes the document meanwhile. Once the
     * file is uploaded the journal has the document, so that `resume` goes on after a failure or a crash.
     */
    translate: (options: UploadOptions) => composed("Documents.translate", translated(options)),
    /**
     * What the journal knows of documents on their way at this service, the oldest first: those that can be resumed, and
     * those that were lost.
     */
    pending,
    /**
     * Goes on with a document of the journal: waits for it and starts its download.
     *
     * **Details**
     *
     * Fails with `NotResumable` when the journal does not know the id, or knows too little; with `DocumentBusy` when
     * somebody works at the document; with `DownloadInterrupted` when an earlier download took it and did not end: it is
     * lost; else like `wait` and `download`.
     */
    resume: (id: string) => composed("Documents.resume", resumed(id)),
    /**
     * Forgets a document of the journal. The service keeps it until it drops it, and nobody can download it any more. Fails
     * with `DocumentBusy` when somebody works at it, and with `InvalidInput` for an id that is none.
     */
    forget: (id: string) => composed("Documents.forget", forgotten(id))
  }
})

/**
 * The service of documents.
 *
 * @category services
 * @since 0.1.0
 */
export class Documents
  extends Context.Service<Documents, Effect.Success<typeof make>>()("@effect-lingua/core/Documents")
{}

/**
 * The service over the contract client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.effect(Documents, make)
