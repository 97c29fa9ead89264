import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { DocumentId, DocumentKey } from "../../contract/Ids.ts"
import { body, form, multipart, opaque, stream, struct } from "../../contract/internal/body.ts"
import * as Endpoint from "../../contract/internal/endpoint.ts"
import * as Fields from "../../contract/internal/schema.ts"
import { languageNames, translationFields } from "../../contract/internal/textOptions.ts"
import { defined } from "../../contract/internal/values.ts"
import * as codecs from "../../errors/internal/codecs.ts"

export class DocumentKeyBody extends body<DocumentKeyBody>()("DocumentKeyBody", { documentKey: DocumentKey }) {}

const watermark = Schema.Literals(["true", "1", "false", "0"]).transform([true, true, false, false])

const uploadFields = {
  ...translationFields,
  outputFormat: Schema.optionalKey(Schema.String),
  enableWatermark: Schema.optionalKey(watermark)
}

/**
 * An uploaded document's id and key. The service returns the key only once.
 *
 * @category schemas
 * @since 0.1.0
 */
export class IssuedDocument
  extends body<IssuedDocument>()("IssuedDocument", { documentId: DocumentId, documentKey: DocumentKey })
{}

/**
 * The fields of an upload apart from the file. `outputFormat` can be `docx` for a PDF. `translationMemoryThreshold` is the minimum match of a
 * segment, from 0 to 100 percent; 75 or higher is recommended. `enableWatermark`, not in the specification, adds a visible note to a docx or pdf.
 *
 * @category schemas
 * @since 0.1.0
 */
export class UploadFields extends body<UploadFields>()("UploadFields", uploadFields, languageNames) {}

/** The form of an upload. The client sends neither `filename` nor `enableBetaLanguages`. */
export class UploadForm extends body<UploadForm>()("UploadForm", {
  file: Schema.String.annotate({ format: "binary" }),
  filename: Schema.optionalKey(
    Schema.String.annotate({ description: "The file's name, if the part `file` has no name." })
  ),
  ...uploadFields,
  enableBetaLanguages: Schema.optionalKey(Schema.String.annotate({ description: "Deprecated, without effect." }))
}, languageNames) {}

/**
 * The file extensions that the service translates. `doc`, `vtt`, `xlsm` and `yaml` are from its public documentation, not from the specification.
 *
 * @category constants
 * @since 0.2.0
 */
export const documentTypes: ReadonlyArray<string> =
  "dita doc docx htm html idml jpeg jpg json mif pdf png pptx srt txt vtt xlf xliff xlsm xlsx xml yaml"
    .split(" ")

/**
 * A document's state. The service may add states, and may skip some.
 *
 * @category models
 * @since 0.1.0
 */
export type DocumentState = Fields.Open<"queued" | "translating" | "done" | "error">

export const DocumentState = Fields.reportedState<DocumentState>("queued translating done error")

const statusFields = {
  documentId: Fields.informative(DocumentId),
  status: DocumentState,
  secondsRemaining: Fields.occasional(Schema.Finite),
  billedCharacters: Fields.occasional(Schema.Int),
  errorMessage: Fields.occasional(Fields.Reported)
}

/**
 * A document's progress. `secondsRemaining` is an unreliable estimate. State `done` has `billedCharacters`, state `error` has `errorMessage`.
 *
 * @category schemas
 * @since 0.1.0
 */
export class DocumentStatus extends opaque<DocumentStatus>()(
  struct({ ...statusFields, message: Fields.occasional(Fields.Reported) }).pipe(
    Schema.annotateEncoded({ identifier: "DocumentStatus" }),
    Schema.decodeTo(
      Schema.toType(struct(statusFields)),
      SchemaTransformation.transform({
        decode: ({ message, ...status }) => defined({ ...status, errorMessage: status.errorMessage ?? message }),
        // The service sends the error message as `message` and `error_message`.
        encode: (status) => defined({ ...status, message: status.errorMessage })
      })
    )
  )
) {}

const ofDocument = struct({ documentId: DocumentId })
const documentKeyBody = [DocumentKeyBody, form(DocumentKeyBody)] as const

const api = Endpoint.of({ error: [...codecs.common, codecs.quotaExceeded] })

export class DocumentsApi extends Endpoint.group(
  "Documents",
  api.post("upload", "/v2/document", "Upload a document for translation", {
    payload: multipart(UploadForm),
    success: IssuedDocument,
    error: [codecs.tooManyUploads, codecs.notFound],
    transfers: true
  }),
  api.post("status", "/v2/document/:document_id", "Get the status of a document", {
    params: ofDocument,
    payload: documentKeyBody,
    success: DocumentStatus,
    error: [codecs.documentGone],
    repeat: "Read"
  }),
  // The first successful download deletes the document.
  api.post("download", "/v2/document/:document_id/result", "Download a translated document, once", {
    params: ofDocument,
    payload: documentKeyBody,
    success: stream({
      "x-trace-id": Schema.optionalKey(Fields.Reported),
      "content-type": Schema.optionalKey(Fields.Reported),
      "content-length": Schema.optionalKey(Schema.String),
      "content-disposition": Schema.optionalKey(Schema.String)
    }),
    error: [codecs.documentGone, codecs.documentNotReady],
    repeat: "Consume",
    transfers: true
  })
) {}
