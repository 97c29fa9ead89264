/**
 * Documents: files that are translated as a whole and downloaded once.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Attempt } from "./Attempt.ts"
import { DownloadInterrupted, InvalidInput, SourceFailed } from "./CallError.ts"
import { type DocumentId, type DocumentKey, UploadFields } from "./DocumentsApi.ts"
import { call, create } from "./internal/call.ts"
import { checkId, typeOf } from "./internal/checks.ts"
import * as ContractClient from "./internal/contractClient.ts"
import { CurrentCall } from "./internal/currentCall.ts"
import { fileNameOf } from "./internal/fileName.ts"
import * as Multipart from "./internal/multipart.ts"
import { defined, type Optional } from "./internal/optional.ts"
import { checkReferences } from "./internal/references.ts"
import * as Telemetry from "./internal/telemetry.ts"
import * as Timeout from "./internal/timeout.ts"
import { LanguageServiceConfig } from "./LanguageServiceConfig.ts"
import type { DocumentAlreadyDownloaded, DocumentNotFound } from "./ServiceError.ts"

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
 * A document on its way. Nothing but the first run of `stream` gives its bytes: the service has deleted it.
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
}

/** A caller without types may give a key that is none; the contract refuses it in its turn. */
const secretsOf = ({ documentKey }: DocumentRef): ReadonlyArray<string> =>
  Redacted.isRedacted(documentKey) ? [Redacted.value(documentKey)] : []

/** A document that is gone after an answer was lost went with that answer: nobody has a copy. */
const lost = <E extends DocumentNotFound | DocumentAlreadyDownloaded>(
  error: E,
  documentId: DocumentId,
  attempts: ReadonlyArray<Attempt>
): Effect.Effect<never, E | DownloadInterrupted> =>
  attempts.slice(attempts.findLastIndex(({ outcome }) => outcome === "pending") + 1, -1)
      .some(({ outcome }) => outcome === "unknown")
    ? Effect.fail(
      new DownloadInterrupted({
        documentId,
        bytesReceived: 0,
        description: "An earlier attempt of this call took the document, and its answer was lost",
        ...(error.traceId === undefined ? undefined : { traceId: error.traceId })
      })
    )
    : Effect.fail(error)

const encodeFields = Schema.encodeEffect(UploadFields)

/** The extension of the name is all the service has to tell the type of a file. */
const checkFileName = (fileName: string): Effect.Effect<void, InvalidInput> =>
  typeof fileName === "string" && fileName.trim() !== "" && !/[/\\\p{Cc}\p{Cs}]/u.test(fileName)
    ? Effect.void
    : Effect.fail(
      new InvalidInput({
        parameter: "fileName",
        given: typeof fileName !== "string" || fileName.trim() === ""
          ? "no name"
          : "a name with a folder or control characters",
        allowed: "the name of a file, without a folder"
      })
    )

const checkSize = (size: number): Effect.Effect<void, InvalidInput> =>
  Number.isSafeInteger(size) && size > 0
    ? Effect.void
    : Effect.fail(
      new InvalidInput({ parameter: "content", given: `${size} bytes`, allowed: "a file that is not empty" })
    )

const make = Effect.gen(function*() {
  const client = yield* ContractClient.make("Documents")
  const config = yield* LanguageServiceConfig
  const context = yield* Effect.context()

  const download = Effect.fnUntraced(function*({ documentId, documentKey }: DocumentRef) {
    yield* checkId("documentId", documentId)
    const current = yield* CurrentCall
    const attempts = current?.attempts ?? []
    const { body, headers } = yield* client.download({ params: { documentId }, payload: { documentKey } }).pipe(
      Effect.catchTags({
        DocumentNotFound: (error) => lost(error, documentId, attempts),
        DocumentAlreadyDownloaded: (error) => lost(error, documentId, attempts)
      })
    )
    const bodyIdleTimeout = current?.policy?.bodyIdleTimeout ?? config.resilience.bodyIdleTimeout
    const traceId = headers["x-trace-id"]
    const contentType = headers["content-type"]
    const length = headers["content-length"]
    // The length of an encoded body is not that of the bytes which a platform that decodes it gives.
    const encoded = current?.response?.headers["content-encoding"] !== undefined
    const contentLength = !encoded && length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined
    const fileName = fileNameOf(headers["content-disposition"])
    const trace = traceId === undefined ? undefined : { traceId }

    const stream = Stream.suspend(() => {
      let bytesReceived = 0
      const interrupted = (description: string) =>
        new DownloadInterrupted({
          operation: "Documents.download",
          description,
          attempts,
          documentId,
          bytesReceived,
          ...(contentLength === undefined ? undefined : { bytesExpected: contentLength }),
          ...trace
        })
      return body.pipe(
        Stream.mapError(() => interrupted("The connection broke")),
        Timeout.idle(bodyIdleTimeout, () => interrupted("No more bytes came in time")),
        Stream.tap((chunk) =>
          Effect.sync(() => {
            bytesReceived += chunk.length
            Telemetry.update("downloaded", chunk.length, {}, context)
          })
        ),
        Stream.concat(Stream.suspend(() =>
          contentLength === undefined || contentLength === bytesReceived
            ? Stream.empty
            : Stream.fail(interrupted("Another number of bytes came than was promised"))
        ))
      )
    })

    const download: Download = {
      stream,
      ...(contentType === undefined ? undefined : { contentType }),
      ...(contentLength === undefined ? undefined : { contentLength }),
      ...(fileName === undefined ? undefined : { fileName }),
      ...trace
    }
    return download
  })

  const upload = Effect.fnUntraced(function*(options: UploadOptions) {
    const { content, fileName, size, ...fields } = options
    yield* checkFileName(fileName)
    yield* checkReferences(fields, config.limits)
    const form = Object.entries(yield* encodeFields(defined<UploadFields>(fields))).flatMap(
      ([name, value]): ReadonlyArray<readonly [string, string]> => value === undefined ? [] : [[name, String(value)]]
    )
    if (content instanceof Blob) {
      yield* checkSize(content.size)
      return yield* client.upload({ payload: Multipart.form(form, content, fileName) })
    }
    if (!Stream.isStream(content) && !(content instanceof Uint8Array)) {
      return yield* new InvalidInput({
        parameter: "content",
        given: typeOf(content),
        allowed: "a Uint8Array, a Blob or a stream of bytes"
      })
    }
    const length = Stream.isStream(content) ? size : content.byteLength
    if (length !== undefined) yield* checkSize(length)
    const boundary = `form-${(yield* Random.nextIntBetween(0, 2 ** 48)).toString(16)}${
      (yield* Random.nextIntBetween(0, 2 ** 48)).toString(16)
    }`
    let failed: SourceFailed | undefined
    const current = yield* CurrentCall
    if (current !== undefined) {
      current.body = Stream.isStream(content)
        ? Multipart.streamed(
          form,
          {
            name: fileName,
            size,
            stream: Stream.suspend(() => {
              failed = undefined
              return Stream.tapError(content, (cause) =>
                Effect.sync(() => {
                  failed = new SourceFailed({ cause })
                }))
            })
          },
          boundary
        )
        : Multipart.whole(form, content, fileName, boundary)
    }
    return yield* Effect.catch(
      client.upload({ payload: new FormData() }),
      (error) => Effect.fail(failed ?? error)
    )
  })

  const status = Effect.fnUntraced(function*({ documentId, documentKey }: DocumentRef) {
    yield* checkId("documentId", documentId)
    return yield* client.status({ params: { documentId }, payload: { documentKey } })
  })

  return {
    /**
     * Uploads a file for its translation and gives its id and key.
     *
     * **Details**
     *
     * `POST /v2/document` (spec, Translation requests; reference B11; but for the path and `styleId` described publicly).
     * The characters are billed when the document is downloaded. Keep id and key: without them the document is lost.
     * A stream is sent as it comes, within the policy's `documentTimeout` for each attempt.
     *
     * Never repeated after an unknown outcome: fails with `OutcomeUnknown` then, and a document may be in translation
     * under an id that nobody knows. Fails with `InvalidInput` for a file name that is empty or has a folder in it,
     * content that is empty or no file, or references that exclude each other, and `LimitExceeded` for more than 5
     * glossaries, all before anything is sent; with `SourceFailed` when the stream of the file fails; with `TooManyDocuments` when too many
     * are in translation or not downloaded; with `NotFound` when a reference does not exist; with `PayloadTooLarge` and
     * `QuotaExceeded`.
     */
    upload: (options: UploadOptions) => create("Documents.upload", {}, upload(options)),
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
    status: (options: DocumentRef) => call("Documents.status", status(options), secretsOf(options)),
    /**
     * Waits until a document is translated and starts its download. The first success deletes the document at the
     * service, so run `stream` once, to a place that keeps it; `downloadToFile` in the package for Node does that.
     *
     * **Details**
     *
     * `POST /v2/document/{document_id}/result` (spec, Document download; reference B1). A document that is not ready is
     * polled until the policy's `documentDeadline`, 30 minutes by default. After a lost answer the document is asked for
     * once more, as the service may still have it.
     *
     * Fails with `DocumentNotReady` when the deadline passes first: the document is still there, ask again; with
     * `DocumentNotFound` or `DocumentAlreadyDownloaded` when it is not or no longer there, or the key is another's; with
     * `QuotaExceeded` when the characters are used up: it stays there; with `DownloadInterrupted` when the document
     * went with an answer that was lost; with `InvalidInput` for an id that cannot be a
     * path segment, before anything is sent. The stream fails with `DownloadInterrupted`.
     */
    download: (options: DocumentRef) => call("Documents.download", download(options), secretsOf(options))
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
