/** The download of a document: its bytes are counted and compared with the promised length. */
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as Stream from "effect/Stream"
import { type CallRecord, ledger } from "../../call/internal/callRecord.ts"
import type { DocumentId } from "../../contract/Ids.ts"
import { defined } from "../../contract/internal/optional.ts"
import type { Attempt } from "../../errors/Attempt.ts"
import { DownloadInterrupted } from "../../errors/CallError.ts"
import { outcomeOfCall } from "../../errors/internal/failure.ts"
import type { DocumentAlreadyDownloaded, DocumentNotFound } from "../../errors/ServiceError.ts"
import * as Counted from "../../jobs/internal/counted.ts"
import { Progress, Reporter } from "../../jobs/Progress.ts"
import * as Telemetry from "../../telemetry/internal/telemetry.ts"
import type { DocumentRef, Download } from "../Documents.ts"

const decodeExtended = (value: string): string | undefined => {
  const match = /^utf-8'[^']*'(.*)$/i.exec(value)
  if (match?.[1] === undefined || /%(?![0-9a-f]{2})/i.test(match[1])) return undefined
  const bytes = [...match[1].matchAll(/%([0-9a-f]{2})|([^%])/gi)].map(([, hex, char]) =>
    hex === undefined ? (char?.charCodeAt(0) ?? 0) : Number.parseInt(hex, 16)
  )
  return new TextDecoder().decode(Uint8Array.from(bytes))
}

/** The last segment of a path, so that a name cannot leave a folder; `undefined` for an invalid name of a file. */
const baseName = (name: string): string | undefined => {
  const base = name.split(/[/\\]/).at(-1)?.replace(/\p{Cc}/gu, "").trim() ?? ""
  return base === "" || base === "." || base === ".." ? undefined : base
}

/** The file name of a `Content-Disposition` header (RFC 6266) without any folder, if it has one. */
const fileNameOf = (contentDisposition: string | undefined): string | undefined => {
  if (contentDisposition === undefined) return undefined
  const extended = /;\s*filename\*\s*=\s*([^;\s]+)/i.exec(contentDisposition)?.[1]
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(contentDisposition)
  const name = (extended === undefined ? undefined : decodeExtended(extended)) ??
    plain?.[1]?.replace(/\\(.)/g, "$1") ?? plain?.[2]
  return name === undefined ? undefined : baseName(name)
}

/** The error of a document that is gone after a lost response: that response consumed it. */
export const lost = <E extends DocumentNotFound | DocumentAlreadyDownloaded>(
  error: E,
  documentId: DocumentId,
  attempts: ReadonlyArray<Attempt>
): Effect.Effect<never, E | DownloadInterrupted> => {
  const downloads = attempts.filter(({ operation }) => operation === "Documents.download")
  return outcomeOfCall(downloads, "refused") === "unknown"
    ? Effect.fail(
      new DownloadInterrupted({
        documentId,
        bytesReceived: 0,
        available: false,
        description: "An earlier attempt of this call consumed the document, and its response was lost",
        ...defined({ traceId: error.traceId })
      })
    )
    : Effect.fail(error)
}

/** The response of a download, and the callbacks at its end. */
export interface Options<E> {
  readonly document: DocumentRef
  readonly body: Stream.Stream<Uint8Array, E>
  readonly headers: {
    readonly "x-trace-id"?: string
    readonly "content-type"?: string
    readonly "content-length"?: string
    readonly "content-disposition"?: string
  }
  readonly record: CallRecord
  /** Checks if the service still has the document. */
  readonly stillThere: Effect.Effect<boolean | undefined>
  /** Runs after the last byte, with their number. */
  readonly onEnd: (bytes: number) => Effect.Effect<unknown>
  /** Runs if the bytes end early, and returns the error of the stream. */
  readonly onInterrupted: (error: DownloadInterrupted) => Effect.Effect<DownloadInterrupted>
}

/** Makes the `Download` of a caller. */
export const make = Effect.fnUntraced(function*<E>(options: Options<E>) {
  const { body, document, headers, record } = options
  const { documentId } = document
  const context = yield* Effect.context()
  const attempts = ledger(record)
  const traceId = headers["x-trace-id"]
  const contentType = headers["content-type"]
  const responseHeaders = record.response?.headers ?? Headers.empty
  const encoding = Counted.encodingOf(responseHeaders)
  const contentEncoding = encoding === undefined ? undefined : record.sanitizer.fit(encoding)
  const contentLength = Counted.promisedBy(headers["content-length"], encoding)
  const fileName = fileNameOf(headers["content-disposition"])

  const stream = Stream.unwrap(Effect.map(Reporter, (reporter) => {
    const interrupted = (description: string, bytesReceived: number) =>
      new DownloadInterrupted({
        operation: "Documents.download",
        description,
        attempts,
        document,
        documentId,
        bytesReceived,
        ...defined({ bytesExpected: contentLength, traceId })
      })
    let received = 0
    const counted = Counted.make(body, {
      promised: contentLength,
      onBytes: (bytes, chunk) => {
        received = bytes
        Telemetry.update("downloaded", chunk.length, {}, context)
        reporter?.(Progress.Received(defined({ id: documentId, bytes, total: contentLength })))
      },
      stopped: interrupted
    })
    return counted.pipe(
      Stream.catch((error) =>
        Stream.fromEffect(Effect.flatMap(options.stillThere, (available) => {
          // oxlint-disable-next-line typescript/no-misused-spread -- an error is made from its fields
          const known = available === undefined ? error : new DownloadInterrupted({ ...error, available })
          return Effect.flatMap(options.onInterrupted(known), Effect.fail)
        }))
      ),
      Stream.onEnd(Effect.suspend(() => options.onEnd(received)))
    )
  }))

  const completeness: Download["completeness"] = Counted.isFramed(responseHeaders) && encoding === undefined
    ? "verified"
    : "unknown"
  return defined({ stream, completeness, contentEncoding, contentType, contentLength, fileName, traceId })
})
