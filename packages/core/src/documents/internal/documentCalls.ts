/** The calls about one document, and their entries in the journal. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Characters from "../../account/internal/characters.ts"
import { CallRecord, ledger, Sending, type Wait } from "../../call/internal/callRecord.ts"
import { OpenStreams } from "../../call/internal/openStreams.ts"
import { complete, concerning, runs } from "../../call/internal/operation.ts"
import * as Operations from "../../call/internal/operations.ts"
import { policyOf } from "../../config/internal/region.ts"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import * as ResiliencePolicy from "../../config/ResiliencePolicy.ts"
import { DocumentId } from "../../contract/Ids.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { defined, differing } from "../../contract/internal/optional.ts"
import * as Sha256 from "../../contract/internal/sha256.ts"
import { DownloadInterrupted, type InvalidInput } from "../../errors/CallError.ts"
import { checkId, invalid, typeOf, unknownName } from "../../errors/internal/checks.ts"
import { isFailure, outcomeOf } from "../../errors/internal/failure.ts"
import { expectUsableId } from "../../errors/internal/unexpected.ts"
import { TooManyDocuments } from "../../errors/ServiceError.ts"
import { clientOf } from "../../jobs/internal/polling.ts"
import * as Uploading from "../../jobs/internal/uploading.ts"
import { Progress, report } from "../../jobs/Progress.ts"
import * as LanguageChecks from "../../languages/internal/languageChecks.ts"
import { ClientState } from "../../telemetry/ClientState.ts"
import * as StateParts from "../../telemetry/internal/stateParts.ts"
import type {
  DocumentRef,
  Download,
  DownloadError,
  Saving,
  StatusError,
  UploadError,
  UploadOptions,
  WaitError
} from "../Documents.ts"
import { DocumentKey, DocumentsApi, type DocumentStatus, type IssuedDocument, UploadFields } from "../DocumentsApi.ts"
import * as Journal from "../Journal.ts"
import type { Owner } from "../Journal.ts"
import * as Downloading from "./downloading.ts"
import * as Form from "./form.ts"
import * as Records from "./journalEntries.ts"
import type { Record } from "./journalEntries.ts"
import * as Transfer from "./transfer.ts"
import * as Waiting from "./waiting.ts"

/**
 * Hexadecimal digits of a fingerprint: 64 bits, from which no key can be computed, and which distinguish the keys of one
 * machine. The prefix makes it incomparable with other digests of the key.
 */
const digits = 16

/** The owner for a configuration. */
const ownerOf = ({ baseUrl, key }: LanguageServiceConfig["Service"]): Owner => ({
  host: `${baseUrl.origin}${baseUrl.pathname}`,
  account: Sha256.hex(`effect-lingua journal\0${Redacted.value(key)}`).slice(0, digits)
})

const uploadFieldNames = [...Operations.fieldsOf(UploadFields), "anyType", "content", "fileName", "size", "uploadId"]

/** An untyped caller may pass an invalid key, which the contract refuses later. */
const secretsOf = ({ documentKey }: DocumentRef): ReadonlyArray<string> =>
  Redacted.isRedacted(documentKey) ? [Redacted.value(documentKey)] : []

/** True if a failure changed nothing at the service. A failure of the contract client is classified by its response. */
const changedNothing = (error: unknown, record: CallRecord): boolean =>
  isFailure(error)
    ? complete(error, error.operation, record).outcome !== "unknown"
    : record.response === undefined
    ? record.attempts.length === 0
    : outcomeOf(record.response.status) === "refused"

const checkUploadId = (id: string | undefined): Effect.Effect<void, InvalidInput> =>
  id === undefined || (typeof id === "string" && /^[!-.0-[\]-~]{1,60}$/.test(id))
    ? Effect.void
    : invalid(
      "uploadId",
      typeof id === "string" ? `${id.length} characters` : typeOf(id),
      "1 to 60 characters of ASCII without spaces and slashes"
    )

/** A reference without other fields. */
export const refOf = ({ documentId, documentKey }: DocumentRef): DocumentRef => ({ documentId, documentKey })

const isRef = Schema.is(Schema.Struct({ documentId: DocumentId, documentKey: DocumentKey }))

/** Adds the document to each error of an effect, unless an untyped caller passed none. */
export const about = (ref: DocumentRef) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.mapError(effect, (error) => isRef(ref) ? concerning(error, { document: refOf(ref) }) : error)

/** Deadline of the check if the service still has an interrupted document. */
const lastQuestion = Duration.seconds(10)

/** The calls over the contract client, with the journal. */
export const make = Effect.gen(function*() {
  const api = yield* Operations.make(DocumentsApi)
  const { call, composed } = yield* runs
  const checkLanguages = yield* LanguageChecks.make
  const budget = Characters.makeUploads()
  const config = yield* LanguageServiceConfig
  const client = yield* clientOf
  const given = yield* Effect.serviceOption(Journal.Journal)
  // `Journal.make` would bring the parts of a store into a bundle.
  const journal = Option.isSome(given)
    ? given.value
    : yield* Effect.provide(Journal.Journal, Layer.fresh(Journal.layerMemory))
  const owner = ownerOf(config)
  const records = Records.make(journal, owner)
  const streams = yield* OpenStreams
  const policy = policyOf(config, "Documents")

  const askStatus = ({ documentId, documentKey }: DocumentRef) => (record: CallRecord, wait?: Wait) =>
    Effect.map(api.status.request(record, { params: { documentId }, payload: { documentKey }, wait }), (found) => {
      if (found.status === "done") budget.settle(documentId, found.billedCharacters)
      // A translation that failed is not billed.
      if (found.status === "error") budget.settle(documentId, 0)
      // oxlint-disable-next-line typescript/no-misused-spread -- a body is a plain object
      return { ...found, documentId }
    })

  const wait = Effect.fnUntraced(function*(record: CallRecord, ref: DocumentRef) {
    yield* checkId("documentId", ref.documentId)
    const current = yield* policy
    const until = (yield* Monotonic.now) + Duration.toMillis(current.jobDeadline)
    const { note } = yield* records.of(ref)
    return yield* Waiting.untilDone({
      operation: "Documents.wait",
      documentId: ref.documentId,
      ask: askStatus(ref),
      policy: current,
      record,
      client,
      until
    }).pipe(
      // Nothing is left to resume.
      Effect.tapError((error) => error._tag === "DocumentFailed" ? note({ _tag: "Closed" }) : Effect.void)
    )
  })

  /** Requests the document, and waits if it is not ready. */
  const askForBytes = Effect.fnUntraced(function*(record: CallRecord, ref: DocumentRef) {
    const { documentId, documentKey } = ref
    const ask = api.download.request(record, { params: { documentId }, payload: { documentKey } }).pipe(
      Effect.provideService(OpenStreams, streams)
    )
    const current = yield* policy
    const until = (yield* Monotonic.now) + Duration.toMillis(current.jobDeadline)
    return yield* ask.pipe(
      ResiliencePolicy.within({ polling: false }),
      Effect.catchTag("DocumentNotReady", (error) =>
        current.polling
          ? Effect.gen(function*() {
            yield* Waiting.untilDone({
              operation: "Documents.download",
              documentId: ref.documentId,
              ask: askStatus(ref),
              policy: current,
              record,
              client,
              until,
              notReady: error
            })
            const left = until - (yield* Monotonic.now)
            return yield* ResiliencePolicy.within({ jobDeadline: Duration.millis(Math.max(left, 1)) })(ask)
          })
          : Effect.fail(error))
    )
  })

  /** True if the service still has a document; `undefined` if that cannot be determined soon. */
  const isAvailable = (ref: DocumentRef): Effect.Effect<boolean | undefined> =>
    Effect.flatMap(
      policy,
      ({ attemptTimeout }) =>
        askStatus(ref)(new CallRecord("Documents.status", secretsOf(ref))).pipe(
          ResiliencePolicy.within({
            attempts: 2,
            attemptTimeout: Duration.min(attemptTimeout, lastQuestion),
            deadline: lastQuestion
          }),
          Effect.as(true),
          Effect.catchTag(["DocumentNotFound", "DocumentAlreadyDownloaded"], () => Effect.succeed(false))
        )
    ).pipe(Effect.catch(() => Effect.undefined))

  /** Starts a download. With a transfer, that forgets the document, and keeps the parts of one that stops. */
  const download = Effect.fnUntraced(function*(
    record: CallRecord,
    ref: DocumentRef,
    transfer?: { readonly record: Record; readonly stopped: Transfer.Stopped }
  ) {
    const { documentId } = ref
    yield* checkId("documentId", documentId)
    const { note } = transfer?.record ?? (yield* records.of(ref))
    /** Notes the end of a download that has begun, and returns the parts that are kept. */
    const stopped = ({ available, bytesReceived, description }: DownloadInterrupted) =>
      transfer === undefined
        ? Effect.as(note({ _tag: "Stopped", available, reason: description, bytesReceived, parts: [] }), [])
        : transfer.stopped(available, description)
    yield* note({ _tag: "Requested" })
    const { body, headers } = yield* askForBytes(record, ref).pipe(
      Effect.catchTag(
        ["DocumentNotFound", "DocumentAlreadyDownloaded"],
        (error) => Downloading.lost(error, documentId, ledger(record))
      ),
      Effect.tapError((error) =>
        error._tag === "DownloadInterrupted"
          ? stopped(error)
          : error._tag === "DocumentFailed"
          ? note({ _tag: "Closed" })
          : changedNothing(error, record)
          ? note({ _tag: "Refused" })
          : Effect.void
      )
    )
    budget.settle(documentId, undefined)
    const fromService: Download = yield* Downloading.make({
      document: refOf(ref),
      body,
      headers,
      record,
      stillThere: isAvailable(ref),
      onEnd: (bytes) =>
        transfer === undefined
          ? note({ _tag: "Closed" })
          : bytesExpected === undefined
          ? note({ _tag: "Ended", bytes })
          : Effect.void,
      onInterrupted: (error) =>
        Effect.map(
          stopped(error),
          // oxlint-disable-next-line typescript/no-misused-spread -- an error is made from its fields
          ([part]) => part === undefined ? error : new DownloadInterrupted({ ...error, path: part.path })
        )
    })
    const { completeness, contentLength: bytesExpected } = fromService
    if (transfer !== undefined) {
      yield* note({
        _tag: "Answered",
        ...defined({ bytesExpected, completeness: completeness === "unknown" ? completeness : undefined })
      })
    }
    return fromService
  })

  /** Returns the document of an earlier upload with the id. Fails if that was an upload of something else. */
  const uploadedBefore = Effect.fnUntraced(function*(
    uploadId: string,
    payload: object,
    digest: ReturnType<typeof Uploading.digestOf>
  ) {
    const earlier = yield* journal.getUpload(uploadId, owner)
    if (earlier === undefined) {
      const other = yield* journal.get(uploadId)
      // The entry of the upload would replace that of the document, and with it the key.
      if (other !== undefined && other._tag !== "Uploading") {
        return yield* invalid("uploadId", "the id of a document in the journal", "an id that is not that of a document")
      }
      return undefined
    }
    // A download while the store could not be read left an entry without the file name and the fields.
    if (earlier.fileName === undefined) return earlier
    const { contentHash: content, fields, fileName } = earlier
    const given = { ...payload, content: content === undefined ? undefined : yield* digest }
    // oxlint-disable-next-line typescript/no-misused-spread -- a body is a plain object
    const differences = differing({ ...fields, fileName, content }, given)
    return differences.length === 0
      ? earlier
      : yield* invalid(
        "uploadId",
        `the id of an upload with another ${differences.join(", ")}`,
        "one id for each upload"
      )
  })

  const upload = Effect.fnUntraced(function*(record: CallRecord, options: UploadOptions) {
    const { anyType = false, content, fileName, size, uploadId: givenId, ...given } = options
    yield* checkUploadId(givenId)
    const unknown = unknownName(given, uploadFieldNames)
    if (unknown !== undefined) return yield* unknown
    const fields = defined(given)
    yield* Characters.refuseTag
    yield* LanguageChecks.checkReferences(given, config.limits, false)
    const sending = record.sending = new Sending(givenId !== undefined)
    const body = yield* Form.form(fields, { anyType, content, fileName, size }, sending)
    const known = content instanceof Uint8Array ? content : content instanceof Blob ? content.size : size
    if (known === undefined && (yield* Characters.hasBudget)) {
      return yield* invalid(
        "size",
        "a stream of unknown length",
        "a length, because the budget counts a file before it is sent"
      )
    }
    const digest = Uploading.digestOf(content, size)
    const isInMemory = content instanceof Uint8Array || content instanceof Blob
    const contentHash = givenId !== undefined && isInMemory ? yield* digest : undefined
    const { isClaimed = false, ...facts } = yield* Journal.UploadFacts
    const uploadId = givenId ?? `upload-${yield* Uploading.randomWord}`
    const about = {
      ...owner,
      startedAt: yield* DateTime.now,
      fileName,
      fields,
      ...defined(facts)
    }
    return yield* Effect.scoped(Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
      if (!isClaimed) yield* restore(journal.claim(uploadId))
      const earlier = givenId === undefined || isClaimed
        ? undefined
        : yield* restore(uploadedBefore(uploadId, { ...fields, fileName }, digest))
      if (earlier !== undefined && earlier._tag !== "Uploading") return refOf(earlier)
      const isNew = earlier === undefined && !isClaimed
      const recorded = yield* records.begin(about, uploadId)
      const issued = yield* restore(
        checkLanguages(
          () => LanguageChecks.ofTranslation("translate_document", fields),
          budget.around(
            () => Characters.ofFile(fileName, known ?? 0),
            api.upload.request(record, { payload: new FormData(), body })
          )
        )
      ).pipe(
        Effect.tapError((error) => isNew && changedNothing(error, record) ? recorded.refused : Effect.void)
      )
      // It could not be requested.
      yield* expectUsableId("document", issued.documentId)
      yield* recorded.issued(issued, contentHash ?? sending.contentHash)
      yield* report(() => Progress.Started({ id: issued.documentId }))
      return issued
    }))).pipe(
      Effect.catchTag("TooManyDocuments", (error) =>
        Effect.flatMap(pending(), (entries) =>
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

  const pending = (): Effect.Effect<ReadonlyArray<Journal.Entry>> =>
    Effect.map(
      journal.entries(),
      (entries) => entries.filter((entry) => Journal.foreignTo(owner, entry) === undefined)
    )

  StateParts.report(yield* ClientState, { pendingDocuments: Effect.map(pending(), ({ length }) => length) })

  const status = (
    ref: DocumentRef
  ): Effect.Effect<DocumentStatus & Pick<DocumentRef, "documentId">, StatusError> =>
    about(ref)(api.status.run(askStatus(ref), secretsOf(ref)))

  const downloaded = (
    ref: DocumentRef,
    transfer?: Parameters<typeof download>[2]
  ): Effect.Effect<Download, DownloadError> =>
    about(ref)(api.download.run((record) => download(record, ref, transfer), secretsOf(ref)))

  const { recover, saveTo } = Transfer.make({ download: downloaded, isAvailable, records, status })

  return {
    journal,
    owner,
    pending,
    records,
    upload: (options: UploadOptions): Effect.Effect<IssuedDocument, UploadError> =>
      api.upload.create({}, (record) => upload(record, options)),
    isAvailable,
    status,
    wait: (ref: DocumentRef): Effect.Effect<DocumentStatus, WaitError> =>
      about(ref)(call("Documents.wait", (record) => wait(record, ref), secretsOf(ref))),
    download: (ref: DocumentRef) => downloaded(ref),
    saveTo: <A, E>(ref: DocumentRef, saving: Saving<A, E>) =>
      composed("Documents.saveTo", about(ref)(saveTo(ref, saving))),
    recover: <A, E>(ref: DocumentRef, saving: Saving<A, E>) =>
      composed("Documents.recover", about(ref)(recover(ref, saving)))
  }
})
