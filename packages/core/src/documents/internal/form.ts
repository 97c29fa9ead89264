/** The form of an upload. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { InvalidInput } from "../../client/CallError.ts"
import { invalid } from "../../client/internal/checks.ts"
import { CurrentCall } from "../../client/internal/currentCall.ts"
import { defined } from "../../client/internal/optional.ts"
import { checkFileName, checkSize, type Content, randomWord, sizeOf, watched } from "../../jobs/internal/uploading.ts"
import { Progress, Reporter } from "../../jobs/Progress.ts"
import { documentTypes, UploadFields } from "../DocumentsApi.ts"
import * as Multipart from "./multipart.ts"

const encodeFields = Schema.encodeEffect(UploadFields)

/** The file of an upload. */
export interface File {
  readonly content: Content
  readonly fileName: string
  readonly anyType: boolean
  readonly size: number | undefined
}

const types: ReadonlySet<string> = new Set(documentTypes)

/** Fails for a name whose extension is not that of a known type. */
const checkType = (fileName: string): Effect.Effect<void, InvalidInput> => {
  const [, extension] = /\.([^.]+)$/.exec(fileName) ?? []
  if (extension !== undefined && types.has(extension.toLowerCase())) return Effect.void
  return invalid(
    "fileName",
    extension === undefined ? "a name without an extension" : `the type ${extension.slice(0, 20)}`,
    `a type that the service translates: ${documentTypes.join(", ")}`
  )
}

/** Checks the file and makes the form, which replaces the body of the contract client, which cannot encode a file. */
export const form = Effect.fnUntraced(function*(
  fields: UploadFields,
  { anyType, content, fileName, size }: File
): Effect.fn.Return<void, InvalidInput | Schema.SchemaError> {
  yield* checkFileName(fileName)
  if (!anyType) yield* checkType(fileName)
  const entries = Object.entries(yield* encodeFields(fields)).flatMap(
    ([name, value]): ReadonlyArray<readonly [string, string]> => value === undefined ? [] : [[name, String(value)]]
  )
  const length = yield* sizeOf(content, size)
  if (length !== undefined) yield* checkSize(length)
  const boundary = `form-${yield* randomWord}`
  const reporter = yield* Reporter
  const current = yield* CurrentCall
  if (current === undefined) return
  const onBytes = (bytes: number) => reporter?.(Progress.Sent(defined({ fileName, bytes, total: size })))
  current.body = Stream.isStream(content)
    ? Multipart.streamed(entries, { name: fileName, size, stream: watched(content, size, current, onBytes) }, boundary)
    : content instanceof Blob
    ? Multipart.ofBlob(entries, content, fileName, boundary)
    : Multipart.whole(entries, content, fileName, boundary)
})
