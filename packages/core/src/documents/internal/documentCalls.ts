/** Polls and downloads documents. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Characters from "../../account/internal/characters.ts"
import { CallRecord, ledger, OpenStreams, traceOf, type Wait } from "../../call/internal/callRecord.ts"
import * as Streams from "../../call/internal/openStreams.ts"
import * as Operations from "../../call/internal/operation.ts"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import * as ResiliencePolicy from "../../config/ResiliencePolicy.ts"
import { DocumentId, DocumentKey } from "../../contract/Ids.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import * as Sha256 from "../../contract/internal/sha256.ts"
import { defined } from "../../contract/internal/values.ts"
import { DownloadInterrupted } from "../../errors/CallError.ts"
import { checkId } from "../../errors/internal/checks.ts"
import { isFailure, outcomeOf, outcomeOfCall } from "../../errors/internal/failure.ts"
import { DocumentFailed, DocumentNotReady } from "../../errors/ServiceError.ts"
import * as Counted from "../../jobs/internal/counted.ts"
import * as Jobs from "../../jobs/internal/polling.ts"
import { ClientState } from "../../telemetry/ClientState.ts"
import * as StateParts from "../../telemetry/internal/stateParts.ts"
import * as Telemetry from "../../telemetry/internal/telemetry.ts"
import { foreignTo, Journal } from "../Journal.ts"
import { DocumentsApi, type DocumentStatus } from "./documentsApi.ts"
import * as States from "./states.ts"
import type { DocumentRef } from "./states.ts"

/**
 * A started download. The service has deleted the document, so only the first run of `stream` can read the bytes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Download {
  /** The bytes. Fails with `DownloadInterrupted` if the response ends early. */
  readonly stream: Stream.Stream<Uint8Array, DownloadInterrupted>
  /** `unknown` if truncation is undetectable: the response has a `contentEncoding`, or neither a length nor chunked encoding. */
  readonly completeness: "verified" | "unknown"
  /** The response's encoding, such as `gzip`. The client does not request an encoding, and only `fetch` decodes the bytes. */
  readonly contentEncoding?: string
  readonly contentType?: string
  readonly contentLength?: number
  /** The suggested file name, without a folder. Untrusted input. */
  readonly fileName?: string
  readonly traceId?: string
}

type StatusError = Operations.Errors<typeof DocumentsApi, "status">["call"]

type WaitError = Operations.Union<StatusError | DocumentFailed | DocumentNotReady>["members"]

type DownloadError = Operations.Union<WaitError | DownloadInterrupted>["members"]

export interface Errors {
  readonly status: StatusError
  readonly download: DownloadError
}

const decodeExtended = (value: string): string | undefined => {
  const match = /^utf-8'[^']*'(.*)$/i.exec(value)
  if (match?.[1] === undefined || /%(?![0-9a-f]{2})/i.test(match[1])) return undefined
  const bytes = match[1].replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)))
}

/** The file name of a `Content-Disposition` header (RFC 6266), without its folder. */
const fileNameOf = (contentDisposition = ""): string | undefined => {
  const extended = /;\s*filename\*\s*=\s*([^;\s]+)/i.exec(contentDisposition)?.[1]
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(contentDisposition)
  const name = (extended === undefined ? undefined : decodeExtended(extended)) ??
    plain?.[1]?.replace(/\\(.)/g, "$1") ?? plain?.[2] ?? ""
  const base = name.split(/[/\\]/).at(-1)?.replace(/\p{Cc}/gu, "").trim() ?? ""
  return base === "" || base === "." || base === ".." ? undefined : base
}

/** The owner of the client's journal entries. The constant prefix makes the digest differ from other digests of the key. */
const ownerOf = ({ baseUrl, key }: LanguageServiceConfig["Service"]): Journal.Owner => ({
  host: `${baseUrl.origin}${baseUrl.pathname}`,
  account: Sha256.hex(`effect-lingua journal\0${Redacted.value(key)}`).slice(0, 16)
})

/** The document key, to mask in errors and telemetry; empty for an invalid key of an untyped caller. */
const secretsOf = ({ documentKey }: DocumentRef): ReadonlyArray<string> =>
  Redacted.isRedacted(documentKey) ? [Redacted.value(documentKey)] : []

/** True if a failed call had no effect at the service. */
export const changedNothing = (error: unknown, record: CallRecord): boolean =>
  isFailure(error)
    ? Operations.complete(error, error.operation, record).outcome !== "unknown"
    : record.response === undefined
    ? record.attempts.length === 0
    : outcomeOf(record.response.status) === "refused"

export const refOf = ({ documentId, documentKey }: DocumentRef): DocumentRef => ({ documentId, documentKey })

const isRef = Schema.is(Schema.Struct({ documentId: DocumentId, documentKey: DocumentKey }))

/** Adds the document reference, if valid, to each error. */
export const about = (ref: DocumentRef) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.mapError(effect, (error) => isRef(ref) ? Operations.concerning(error, { document: refOf(ref) }) : error)

const availabilityDeadline = Duration.seconds(10)

/** A download's journal record and received parts. */
export interface Transfer {
  readonly record: States.Record
  readonly parts: Effect.Effect<ReadonlyArray<Journal.Part>>
}

export const make = Effect.gen(function*() {
  const api = yield* Operations.make(DocumentsApi)
  const { call } = yield* Operations.runs
  const budget = Characters.makeUploads()
  const { policy, poll } = yield* Jobs.make("Documents")
  const provided = yield* Effect.serviceOption(Journal)
  // `Journal.make` would add its code for stores to every bundle.
  const journal = Option.isSome(provided)
    ? provided.value
    : yield* Effect.provide(Journal, Layer.fresh(Journal.layerMemory))
  const owner = ownerOf(yield* LanguageServiceConfig)
  const records = States.make(journal, owner)
  const streams = yield* Streams.make

  const pending: Effect.Effect<ReadonlyArray<Journal.Entry>> = Effect.map(
    journal.entries,
    (entries) => entries.filter((entry) => foreignTo(owner, entry) === undefined)
  )

  StateParts.report(yield* ClientState, { pendingDocuments: Effect.map(pending, ({ length }) => length) })

  const statusOf = ({ documentId, documentKey }: DocumentRef) => (record: CallRecord, wait?: Wait) =>
    Effect.map(api.status.request(record, { params: { documentId }, payload: { documentKey }, wait }), (found) => {
      if (found.status === "done") budget.settle(documentId, found.billedCharacters)
      // A failed translation is not billed.
      if (found.status === "error") budget.settle(documentId, 0)
      // oxlint-disable-next-line typescript/no-misused-spread -- a body is a plain object
      return { ...found, documentId }
    })

  /** Polls until the document is translated. After `earlier`, a download that was not ready, the first poll is delayed. */
  const untilDone = (
    operation: string,
    record: CallRecord,
    ref: DocumentRef,
    earlier?: { readonly notReady: DocumentNotReady; readonly until: number }
  ) =>
    poll({
      operation,
      record,
      id: ref.documentId,
      ask: Effect.fnUntraced(function*(record, wait) {
        const found = yield* statusOf(ref)(record, wait)
        const { documentId, errorMessage: description = "", status: state } = found
        if (state === "error") return yield* new DocumentFailed({ documentId, description, ...traceOf(record) })
        return { ...found, state, result: state === "done" ? found : undefined }
      }),
      notDone: (state, late) =>
        earlier !== undefined && state === undefined ? earlier.notReady : new DocumentNotReady({
          description: [`Its status is ${JSON.stringify(state ?? "")}`, late].filter((part) => part !== "").join(". ")
        }),
      first: earlier === undefined ? undefined : earlier.notReady.retryAfter ?? "none",
      ...defined({ until: earlier?.until })
    })

  const wait = Effect.fnUntraced(function*(record: CallRecord, ref: DocumentRef) {
    yield* checkId("documentId", ref.documentId)
    const { note } = yield* records.of(ref)
    return yield* Effect.tapError(
      untilDone("Documents.wait", record, ref),
      // A failed document cannot be resumed, so its entry is removed.
      (error) => error._tag === "DocumentFailed" ? note({ _tag: "Closed" }) : Effect.void
    )
  })

  /** Requests the translated document; if it is not ready, polls, then requests again. */
  const requestBytes = Effect.fnUntraced(function*(record: CallRecord, ref: DocumentRef) {
    const { documentId, documentKey } = ref
    const request = api.download.request(record, { params: { documentId }, payload: { documentKey } }).pipe(
      Effect.provideService(OpenStreams, streams)
    )
    const { jobDeadline, polling } = yield* policy
    const until = (yield* Monotonic.now) + Duration.toMillis(jobDeadline)
    return yield* request.pipe(
      ResiliencePolicy.within({ polling: false }),
      Effect.catchTag(
        "DocumentNotReady",
        Effect.fnUntraced(function*(notReady) {
          if (!polling) return yield* notReady
          yield* untilDone("Documents.download", record, ref, { notReady, until })
          const left = until - (yield* Monotonic.now)
          return yield* ResiliencePolicy.within({ jobDeadline: Duration.millis(Math.max(left, 1)) })(request)
        })
      )
    )
  })

  /** True if the service still has a document; `undefined` if unknown after 10 seconds. */
  const isAvailable = (ref: DocumentRef): Effect.Effect<boolean | undefined> =>
    Effect.flatMap(
      policy,
      ({ attemptTimeout }) =>
        statusOf(ref)(new CallRecord("Documents.status", secretsOf(ref))).pipe(
          ResiliencePolicy.within({
            attempts: 2,
            attemptTimeout: Duration.min(attemptTimeout, availabilityDeadline),
            deadline: availabilityDeadline
          }),
          Effect.as(true),
          Effect.catchTag(["DocumentNotFound", "DocumentAlreadyDownloaded"], () => Effect.succeed(false))
        )
    ).pipe(Effect.catch(() => Effect.undefined))

  /** Starts a download. Without `transfer`, the journal entry is removed after the last byte. */
  const download = Effect.fnUntraced(function*(record: CallRecord, ref: DocumentRef, transfer?: Transfer) {
    const { documentId } = ref
    yield* checkId("documentId", documentId)
    const { note } = transfer?.record ?? (yield* records.of(ref))
    const noteStopped = Effect.fnUntraced(
      function*(available: boolean | undefined, reason: string, bytesReceived: number) {
        const parts = transfer === undefined ? [] : yield* transfer.parts
        const bytes = transfer === undefined ? bytesReceived : States.total(parts)
        yield* note({ _tag: "Stopped", available, reason, bytesReceived: bytes, parts })
        return parts
      }
    )
    yield* note({ _tag: "Requested" })
    const { body, headers } = yield* requestBytes(record, ref).pipe(
      Effect.tapError((error) =>
        error._tag === "DocumentFailed"
          ? note({ _tag: "Closed" })
          : changedNothing(error, record)
          ? note({ _tag: "Refused" })
          : Effect.void
      ),
      Effect.catchTag(
        ["DocumentNotFound", "DocumentAlreadyDownloaded"],
        Effect.fnUntraced(function*(error) {
          const downloads = ledger(record).filter(({ operation }) => operation === "Documents.download")
          if (outcomeOfCall(downloads, "refused") !== "unknown") return yield* error
          const description = "An earlier attempt of this call consumed the document, and its response was lost"
          yield* noteStopped(false, description, 0)
          const about = { documentId, bytesReceived: 0, available: false, description }
          return yield* new DownloadInterrupted({ ...about, ...defined({ traceId: error.traceId }) })
        })
      )
    )
    budget.settle(documentId, undefined)
    const context = yield* Effect.context()
    const attempts = ledger(record)
    const traceId = headers["x-trace-id"]
    let received = 0
    const { encoding, isFramed, stream: counted, total: contentLength } = Counted.make({
      id: documentId,
      headers: record.response?.headers ?? Headers.empty,
      body,
      onBytes: (bytes, chunk) => {
        received = bytes
        Telemetry.update("downloaded", chunk.length, {}, context)
      },
      stopped: (description, bytes) => [description, bytes] as const
    })
    const isVerified = isFramed && encoding === undefined
    if (transfer !== undefined) {
      const completeness = isVerified ? undefined : "unknown" as const
      yield* note({ _tag: "Answered", ...defined({ bytesExpected: contentLength, completeness }) })
    }
    const failInterrupted = Effect.fnUntraced(function*([description, bytesReceived]: readonly [string, number]) {
      const available = yield* isAvailable(ref)
      const [part] = yield* noteStopped(available, description, bytesReceived)
      return yield* new DownloadInterrupted({
        operation: "Documents.download",
        description,
        attempts,
        document: refOf(ref),
        documentId,
        bytesReceived,
        ...defined({ available, path: part?.path, bytesExpected: contentLength, traceId })
      })
    })
    const stream = counted.pipe(
      Stream.catch((end) => Stream.fromEffect(failInterrupted(end))),
      Stream.onEnd(Effect.suspend(() =>
        transfer === undefined
          ? note({ _tag: "Closed" })
          : contentLength === undefined
          ? note({ _tag: "Ended", bytes: received })
          : Effect.void
      ))
    )
    const response: Download = {
      stream,
      completeness: isVerified ? "verified" : "unknown",
      ...defined({
        contentEncoding: encoding === undefined ? undefined : record.sanitizer.fit(encoding),
        contentType: headers["content-type"],
        contentLength,
        fileName: fileNameOf(headers["content-disposition"]),
        traceId
      })
    }
    return response
  })

  return {
    api,
    budget,
    journal,
    owner,
    pending,
    records,
    isAvailable,
    status: (ref: DocumentRef): Effect.Effect<DocumentStatus & Pick<DocumentRef, "documentId">, StatusError> =>
      about(ref)(api.status.run(statusOf(ref), secretsOf(ref))),
    wait: (ref: DocumentRef): Effect.Effect<DocumentStatus, WaitError> =>
      about(ref)(call("Documents.wait", (record) => wait(record, ref), secretsOf(ref))),
    download: (ref: DocumentRef, transfer?: Transfer): Effect.Effect<Download, DownloadError> =>
      about(ref)(api.download.run((record) => download(record, ref, transfer), secretsOf(ref)))
  }
})

export type DocumentCalls = Effect.Success<typeof make>
