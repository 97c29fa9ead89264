/** The body of an upload: a form with one file, from memory or streamed. */
import * as HttpBody from "effect/http/HttpBody"
import * as Stream from "effect/Stream"

/** A file as a stream of bytes. */
export interface StreamedFile {
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
  const part = (name: string, rest: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${rest}`
  const head = encoder.encode(
    fields.map(([name, value]) => `${part(name, "")}\r\n\r\n${value}\r\n`).join("") +
      `${part("file", `; filename=${quoted(fileName)}`)}\r\nContent-Type: application/octet-stream\r\n\r\n`
  )
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`)
  return { head, tail, contentType: `multipart/form-data; boundary=${boundary}` }
}

/** A form with a file in memory. */
export const whole = (fields: Fields, file: Uint8Array, fileName: string, boundary: string): HttpBody.Uint8Array => {
  const { contentType, head, tail } = around(fields, fileName, boundary)
  const bytes = new Uint8Array(head.length + file.length + tail.length)
  bytes.set(head)
  bytes.set(file, head.length)
  bytes.set(tail, head.length + file.length)
  return HttpBody.uint8Array(bytes, contentType)
}

/** A form with a `Blob`, which is read while it is sent. All platforms accept one, but some accept no stream. */
export const ofBlob = (fields: Fields, file: Blob, fileName: string, boundary: string): HttpBody.Raw => {
  const { contentType, head, tail } = around(fields, fileName, boundary)
  const form = new Blob([head, file, tail])
  return HttpBody.raw(form, { contentType, contentLength: form.size })
}

/** A form with a streamed file, of which at most one chunk is in memory. */
export const streamed = (fields: Fields, file: StreamedFile, boundary: string): HttpBody.Stream => {
  const { contentType, head, tail } = around(fields, file.name, boundary)
  return HttpBody.stream(
    Stream.make(head).pipe(Stream.concat(file.stream), Stream.concat(Stream.make(tail))),
    contentType,
    file.size === undefined ? undefined : head.length + file.size + tail.length
  )
}
