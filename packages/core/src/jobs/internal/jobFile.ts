/** The file of a job: its checks, and its upload to a signed address. */
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import { CallRecord, Sending } from "../../call/internal/callRecord.ts"
import { complete } from "../../call/internal/operation.ts"
import { type InvalidInput, type LimitExceeded, TransferFailed } from "../../errors/CallError.ts"
import { checkLimit, checkText, invalid } from "../../errors/internal/checks.ts"
import { Progress, report, Reporter } from "../Progress.ts"
import type * as SignedFile from "./signedFile.ts"
import * as Uploading from "./uploading.ts"

/** A file of known size: sent as a whole if it is in memory, else as it is read. */
export interface File {
  readonly content: Uploading.Content
  readonly size: number
}

/** The file with its size, which is required for a stream. */
export const make = Effect.fnUntraced(function*(content: Uploading.Content, given: number | undefined) {
  const size = yield* Uploading.sizeOf(content, given)
  if (size === undefined) {
    return yield* invalid("size", "absent", "the length of the stream, which the service requires")
  }
  const file: File = { content, size }
  return file
})

/** Fails for a file that is empty or larger than allowed. */
export const checkBytes = (size: number, allowed: number): Effect.Effect<void, InvalidInput | LimitExceeded> =>
  Effect.andThen(Uploading.checkSize(size), checkLimit("content", "bytes", size, allowed))

/** Fails for an invalid media type. */
export const checkContentType = (contentType: string): Effect.Effect<void, InvalidInput> =>
  Effect.andThen(
    checkText("contentType", contentType),
    Effect.suspend(() =>
      /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(contentType)
        ? Effect.void
        : invalid("contentType", "a value that a header cannot have", "a media type such as application/xml")
    )
  )

/** Sends a file to the address that the service issued for it. */
export const send = Effect.fnUntraced(function*(
  { upload }: Effect.Success<typeof SignedFile.make>,
  transfer: Pick<SignedFile.Upload, "operation" | "jobId" | "policy" | "address">,
  { content, size }: File,
  contentType: string
) {
  const { jobId } = transfer
  const reporter = yield* Reporter
  const record = new CallRecord(transfer.operation)
  const sending = record.sending = new Sending()
  const body = content instanceof Uint8Array
    ? HttpBody.uint8Array(content, contentType)
    : HttpBody.stream(
      Uploading.watched(
        content,
        size,
        sending,
        (bytes) => reporter?.(Progress.Sent({ id: jobId, bytes, total: size }))
      ),
      contentType,
      size
    )
  yield* Effect.mapError(
    upload({ ...transfer, body, record }),
    (error) =>
      sending.sourceFailure !== undefined && record.attempts.every(({ failure }) => failure === "SourceFailed")
        ? complete(sending.sourceFailure, transfer.operation, record)
        : error
  )
  if (content instanceof Uint8Array) yield* report(() => Progress.Sent({ id: jobId, bytes: size, total: size }))
})

/**
 * Recovers from a failed upload if the service has the file all the same: after an attempt of unknown outcome a storage can
 * refuse a file that it has already.
 */
export const unlessThere =
  <E2, R2>(isThere: Effect.Effect<boolean, E2, R2>) =>
  <E extends { readonly _tag: string }, R>(
    upload: Effect.Effect<void, E | TransferFailed, R>
  ) =>
    Effect.catchIf(
      upload,
      (error) =>
        error instanceof TransferFailed && error.status !== undefined && !error.isTransient &&
        error.outcome === "unknown",
      (error) =>
        Effect.flatMap(
          Effect.orElseSucceed(isThere, () => false),
          (there) => there ? Effect.void : Effect.fail(error)
        )
    )
