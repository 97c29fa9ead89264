/** The form of an upload, read part by part (reference B11). */
import { UploadForm } from "@effect-lingua/core/DocumentsApi"
import { BadRequest, PayloadTooLarge } from "@effect-lingua/core/ServiceError"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as Multipart from "effect/http/Multipart"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { malformed } from "./answers.ts"

/** Larger uploads are refused: the fake holds them in memory. */
const limits = Multipart.limitsServices({ maxTotalSize: ByteSize.mebibytes(128) })

/** A form that was read: its fields as they came, and the file. */
export interface Upload {
  /** As a body of JSON would have them, with the name of the file in its place. */
  readonly wire: Readonly<Record<string, unknown>>
  readonly form: UploadForm
  readonly fileName: string
  readonly content: Uint8Array
}

const decode = Schema.decodeUnknownEffect(UploadForm)

const bad = (reason: string) => new BadRequest({ description: `Bad request. Reason: ${reason}` })

const refusal = ({ reason: { _tag } }: Multipart.MultipartError): BadRequest | PayloadTooLarge =>
  _tag === "Parse" || _tag === "InternalError"
    ? bad("the form cannot be read.")
    : new PayloadTooLarge({ description: "The upload is too large" })

/** Numbers and lists are text in a form. */
const valueOf = (name: string, value: string): unknown =>
  name === "translation_memory_threshold"
    ? Number(value)
    : name === "glossary_ids"
    ? value.split(",").filter((id) => id !== "")
    : value

/** Reads a form to its end. The order of its parts does not matter. */
export const read = Effect.fnUntraced(function*(parts: Stream.Stream<Multipart.Part, Multipart.MultipartError>) {
  const fields: Record<string, unknown> = {}
  let file: { readonly name: string; readonly content: Uint8Array } | undefined
  yield* parts.pipe(
    Stream.runForEach((part) =>
      part._tag === "Field"
        ? Effect.sync(() => {
          fields[part.key] = valueOf(part.key, part.value)
        })
        : Effect.map(part.contentEffect, (content) => {
          if (part.key === "file") file = { name: part.name, content }
        })
    ),
    Effect.provideContext(limits),
    Effect.mapError(refusal)
  )
  if (file === undefined) return yield* new BadRequest({ description: "Missing parameter file." })
  const { filename } = fields
  const fileName = file.name === "" && typeof filename === "string" ? filename : file.name
  const wire = { ...fields, file: fileName }
  const form = yield* Effect.mapError(decode(wire), malformed)
  const upload: Upload = { wire, form, fileName, content: file.content }
  return upload
})
