/**
 * The contract of documents: what is translated as a whole file and downloaded once.
 *
 * @since 0.1.0
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { Authorization } from "./Authorization.ts"
import * as Operation from "./Operation.ts"
import { Resilience } from "./Resilience.ts"
import { codecs } from "./ServiceError.ts"

/**
 * The identifier of a document, issued at upload. Opaque (spec, Document key).
 *
 * @category schemas
 * @since 0.1.0
 */
export const DocumentId = Schema.String.pipe(Schema.brand("DocumentId"))

/**
 * The identifier of a document.
 *
 * @category models
 * @since 0.1.0
 */
export type DocumentId = typeof DocumentId.Type

/**
 * The encryption key of a document, issued at upload. A secret, so it is `Redacted` from the wire to the caller.
 *
 * @category schemas
 * @since 0.1.0
 */
export const DocumentKey = Schema.RedactedFromValue(Schema.String)

/**
 * The encryption key of a document.
 *
 * @category models
 * @since 0.1.0
 */
export type DocumentKey = typeof DocumentKey.Type

/**
 * The body that names a document's key.
 *
 * @category schemas
 * @since 0.1.0
 */
export class DocumentKeyBody extends Schema.Opaque<DocumentKeyBody>()(
  Schema.Struct({ documentKey: DocumentKey }).pipe(Schema.encodeKeys({ documentKey: "document_key" })).pipe(
    Schema.annotateEncoded({ identifier: "DocumentKeyBody" })
  )
) {}

/**
 * `POST /v2/document/{document_id}/result`: the bytes of a translated document. The first success deletes it.
 *
 * @category endpoints
 * @since 0.1.0
 */
export const download = HttpApiEndpoint.post("download", "/v2/document/:document_id/result", {
  params: Schema.Struct({ documentId: DocumentId }).pipe(Schema.encodeKeys({ documentId: "document_id" })),
  payload: [DocumentKeyBody, DocumentKeyBody.pipe(HttpApiSchema.asFormUrlEncoded())],
  success: HttpApiSchema.WithHeaders(HttpApiSchema.StreamUint8Array(), {
    "x-trace-id": Schema.optionalKey(Schema.String),
    "content-type": Schema.optionalKey(Schema.String),
    "content-length": Schema.optionalKey(Schema.String),
    "content-disposition": Schema.optionalKey(Schema.String)
  }),
  error: codecs.document
}).annotateMerge(
  Operation.annotations({
    summary: "Download a translated document, once",
    repeat: "Consume",
    source: "spec, Document download; reference B1"
  })
)

/**
 * The group of document operations.
 *
 * @category groups
 * @since 0.1.0
 */
export class DocumentsApi
  extends HttpApiGroup.make("Documents").add(download).middleware(Authorization).middleware(Resilience)
{}
