/** The form of an upload. */
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Sending } from "../../call/internal/callRecord.ts"
import { defined } from "../../contract/internal/optional.ts"
import type { InvalidInput } from "../../errors/CallError.ts"
import { invalid } from "../../errors/internal/checks.ts"
import { checkFileName, checkSize, type Content, randomWord, sizeOf, watched } from "../../jobs/internal/uploading.ts"
import { Progress, Reporter } from "../../jobs/Progress.ts"
import { documentTypes, UploadFields } from "../DocumentsApi.ts"

/** A file as a stream of bytes. */
interface StreamedFile {
  readonly name: string
  readonly stream: Stream.Stream<Uint8Array, unknown>
  /** The length in bytes, if known. */
  readonly size: number | undefined
}

type Fields = ReadonlyArray<readonly [name: string, value: string]>

/** A name in a header of a part, escaped as HTML requires. */
const quoted = (name: string): string =>
  `"${name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll("\"", "%22")}"`

const encoder = new TextEncoder()

/** The parts of the form before and after the bytes of the file (RFC 7578). `boundary` must be random. */
const around = (fields: Fields, fileName: string, boundary: string) => {
  const part = (name: string, rest: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name=${quoted(name)}${rest}`
  const head = encoder.encode(
    fields.map(([name, value]) => `${part(name, "")}\r\n\r\n${value}\r\n`).join("") +
      `${part("file", `; filename=${quoted(fileName)}`)}\r\nContent-Type: application/octet-stream\r\n\r\n`
  )
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`)
  return { head, tail, contentType: `multipart/form-data; boundary=${boundary}` }
}

/** A form with a file in memory. */
const whole = (fields: Fields, file: Uint8Array, fileName: string, boundary: string): HttpBody.Uint8Array => {
  const { contentType, head, tail } = around(fields, fileName, boundary)
  const bytes = new Uint8Array(head.length + file.length + tail.length)
  bytes.set(head)
  bytes.set(file, head.length)
  bytes.set(tail, head.length + file.length)
  return HttpBody.uint8Array(bytes, contentType)
}

/** A form with a `Blob`, which is read while it is sent. All platforms accept one, but some accept no stream. */
const ofBlob = (fields: Fields, file: Blob, fileName: string, boundary: string): HttpBody.Raw => {
  const { contentType, head, tail } = around(fields, fileName, boundary)
  const form = new Blob([head, file, tail])
  return HttpBody.raw(form, { contentType, contentLength: form.size })
}

/** A form with a streamed file, of which at most one chunk is in memory. */
const streamed = (fields: Fields, file: StreamedFile, boundary: string): HttpBody.Stream => {
  const { contentType, head, tail } = around(fields, file.name, boundary)
  return HttpBody.stream(
    Stream.make(head).pipe(Stream.concat(file.stream), Stream.concat(Stream.make(tail))),
    contentType,
    file.size === undefined ? undefined : head.length + file.size + tail.length
  )
}

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

/** Checks the file and makes the form, in place of the contract's encoding, which cannot have a file. */
export const form = Effect.fnUntraced(function*(
  fields: UploadFields,
  { anyType, content, fileName, size }: File,
  sending: Sending
): Effect.fn.Return<HttpBody.HttpBody, InvalidInput | Schema.SchemaError> {
  yield* checkFileName(fileName)
  if (!anyType) yield* checkType(fileName)
  const entries = Object.entries(yield* encodeFields(fields)).flatMap(
    ([name, value]): Array<readonly [string, string]> =>
      value === undefined || (name === "enable_watermark" && value === "false") ? [] : [[name, String(value)]]
  )
  const length = yield* sizeOf(content, size)
  if (length !== undefined) yield* checkSize(length)
  const boundary = `form-${yield* randomWord}`
  const reporter = yield* Reporter
  const onBytes = (bytes: number) => reporter?.(Progress.Sent(defined({ fileName, bytes, total: size })))
  return content instanceof Uint8Array
    ? whole(entries, content, fileName, boundary)
    : content instanceof Blob
    ? ofBlob(entries, content, fileName, boundary)
    : streamed(entries, { name: fileName, size, stream: watched(content, size, sending, onBytes) }, boundary)
})
