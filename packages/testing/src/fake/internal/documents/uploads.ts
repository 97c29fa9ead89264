import { BadRequest, PayloadTooLarge } from "@effect-lingua/core/errors/ServiceError"
import { DocumentsApi } from "@effect-lingua/core/extension/Resources"
import * as Effect from "effect/Effect"
import * as Multipart from "effect/http/Multipart"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { malformed } from "../answers.ts"

/** Enough for ids, language codes and names. */
const maxFieldBytes = 8 * 1024

const limits = (maxFileBytes: number) =>
  Multipart.limitsServices({
    maxParts: 50,
    maxFieldSize: maxFieldBytes,
    // The parser also counts the headers of the file's part.
    maxFileSize: maxFileBytes + 16 * 1024,
    maxTotalSize: maxFileBytes + 1024 * 1024
  })

export interface Upload {
  /** The fields, with the file's name as `file`; `undefined` if too long to record. */
  readonly wire: Readonly<Record<string, unknown>> | undefined
  readonly form: DocumentsApi.UploadForm
  readonly fileName: string
  readonly content: Uint8Array
}

const decode = Schema.decodeUnknownEffect(DocumentsApi.UploadForm)

const bad = (reason: string) => new BadRequest({ description: `Bad request. Reason: ${reason}` })

const tooLarge = new PayloadTooLarge({ description: "The upload is too large" })

const refusal = ({ reason: { _tag } }: Multipart.MultipartError): BadRequest | PayloadTooLarge =>
  _tag === "Parse" || _tag === "InternalError"
    ? bad("the form cannot be read.")
    : tooLarge

/** Decodes a form field: a number from text, a list from comma-separated or repeated values. */
const valueOf = (name: string, value: string, before: unknown): unknown =>
  name === "translation_memory_threshold"
    ? Number(value)
    : name === "glossary_ids"
    ? [...(Array.isArray(before) ? before : []), ...value.split(",").filter((id) => id !== "")]
    : value

export const read = Effect.fnUntraced(function*(
  parts: Stream.Stream<Multipart.Part, Multipart.MultipartError>,
  maxFileBytes: number
) {
  const fields = new Map<string, unknown>()
  let file: { readonly name: string | undefined; readonly content: Uint8Array } | undefined
  let characters = 0
  yield* parts.pipe(
    Stream.runForEach((part) => {
      if (part._tag === "File") {
        return Effect.map(part.contentEffect, (content) => {
          // If the file name is missing, the parser returns the part's name.
          if (part.key === "file") file = { name: part.name === part.key ? undefined : part.name, content }
        })
      }
      return Effect.sync(() => {
        characters += part.value.length
        if (part.key === "file") file = { name: undefined, content: new TextEncoder().encode(part.value) }
        else fields.set(part.key, valueOf(part.key, part.value, fields.get(part.key)))
      })
    }),
    Effect.provideContext(limits(maxFileBytes)),
    Effect.mapError(refusal)
  )
  if (file === undefined) return yield* new BadRequest({ description: "Missing parameter file." })
  if (file.content.byteLength > maxFileBytes) return yield* tooLarge
  const nameField = fields.get("filename")
  const fileName = file.name || (typeof nameField === "string" ? nameField : "")
  const wire = { ...Object.fromEntries(fields), file: fileName }
  const form = yield* Effect.mapError(decode(wire), malformed)
  const upload: Upload = {
    wire: characters > maxFieldBytes ? undefined : wire,
    form,
    fileName,
    content: file.content
  }
  return upload
})
