/** The form of an upload. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { InvalidInput, type SourceFailed } from "../../client/CallError.ts"
import { typeOf } from "../../client/internal/checks.ts"
import { CurrentCall } from "../../client/internal/currentCall.ts"
import { checkFileName, checkSize, randomWord, watched } from "../../jobs/internal/uploading.ts"
import { Progress, Reporter } from "../../jobs/Progress.ts"
import { UploadFields } from "../DocumentsApi.ts"
import * as Multipart from "./multipart.ts"

const encodeFields = Schema.encodeEffect(UploadFields)

/** The file of an upload. */
export interface File {
  readonly content: Uint8Array | Blob | Stream.Stream<Uint8Array, unknown>
  readonly fileName: string
  readonly size: number | undefined
}

/** The form to send: what the contract client is given, and why the stream of the file failed, once it did. */
export interface Form {
  readonly payload: FormData
  readonly failure: () => SourceFailed | undefined
}

/** Checks the file and makes the form. What the contract client cannot encode is put in place of its body. */
export const form = Effect.fnUntraced(function*(
  fields: UploadFields,
  { content, fileName, size }: File
): Effect.fn.Return<Form, InvalidInput | Schema.SchemaError> {
  yield* checkFileName(fileName)
  const entries = Object.entries(yield* encodeFields(fields)).flatMap(
    ([name, value]): ReadonlyArray<readonly [string, string]> => value === undefined ? [] : [[name, String(value)]]
  )
  if (!Stream.isStream(content) && !(content instanceof Uint8Array) && !(content instanceof Blob)) {
    return yield* new InvalidInput({
      parameter: "content",
      given: typeOf(content),
      allowed: "a Uint8Array, a Blob or a stream of bytes"
    })
  }
  const length = Stream.isStream(content) ? size : content instanceof Blob ? content.size : content.byteLength
  if (length !== undefined) yield* checkSize(length)
  const boundary = `form-${yield* randomWord}`
  const reporter = yield* Reporter
  let failure: SourceFailed | undefined
  const current = yield* CurrentCall
  if (current !== undefined) {
    current.body = Stream.isStream(content)
      ? Multipart.streamed(
        entries,
        {
          name: fileName,
          size,
          stream: watched(content, size, {
            onStart: () => {
              failure = undefined
              current.sentAt = undefined
              current.isSending = true
            },
            onEnd: () => {
              current.isSending = false
            },
            onBytes: (bytes, now) => {
              current.sentAt = now
              reporter?.(
                Progress.Sent({ fileName, bytes, ...(size === undefined ? undefined : { total: size }) })
              )
            },
            onFailure: (failed) => {
              failure = failed
            }
          })
        },
        boundary
      )
      : content instanceof Blob
      ? Multipart.ofBlob(entries, content, fileName, boundary)
      : Multipart.whole(entries, content, fileName, boundary)
  }
  return { payload: new FormData(), failure: () => failure }
})
