/** The errors between a document and the disk. `NodeDocuments` exports them. */
import { errorFields } from "@effect-lingua/core/call/Call"
import { DocumentId } from "@effect-lingua/core/contract/Ids"
import { Part } from "@effect-lingua/core/documents/Journal"
import * as Schema from "effect/Schema"
import { messageFirst } from "../../internal/messageFirst.ts"

/** The progress before the failure. An export has attempts, and no document. */
const unasked = ({ attempts, documentId }: {
  readonly attempts: ReadonlyArray<unknown>
  readonly documentId?: string | undefined
}) =>
  documentId !== undefined
    ? "The document was not requested"
    : attempts.length === 0
    ? "Nothing was sent"
    : "Nothing was saved"

const bytesOf = (count: number) => `${count} ${count === 1 ? "byte" : "bytes"}`

/**
 * The target cannot be written: its folder does not exist or is read-only, or it is a folder itself. Raised before the
 * document is requested, so nothing is lost.
 *
 * @category errors
 * @since 0.1.0
 */
export class TargetUnusable extends messageFirst(
  Schema.TaggedError<TargetUnusable>()("TargetUnusable", {
    ...errorFields,
    documentId: Schema.optionalKey(DocumentId),
    path: Schema.String
  })
) {
  readonly category = "local"
  readonly outcome = "refused"
  readonly isTransient = false
  override get message(): string {
    return `${this.operation}: cannot write ${this.path}: ${this.description}. ` +
      `${unasked(this)}; name another target`
  }
}

/**
 * The source cannot be read, is not a file, or is empty. Raised before anything is sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class SourceUnusable extends messageFirst(
  Schema.TaggedError<SourceUnusable>()("SourceUnusable", {
    ...errorFields,
    path: Schema.String
  })
) {
  readonly category = "local"
  readonly outcome = "refused"
  readonly isTransient = false
  override get message(): string {
    return `${this.operation}: cannot read ${this.path}: ${this.description}. Nothing was sent; name another file`
  }
}

/**
 * The document was downloaded but could not be written completely, or not be moved to its target. `parts` are the files with the
 * received bytes, in their order: the whole document if `complete`, which `resume` moves to its target. Otherwise `available` is true
 * if the service still has it, and absent if that could not be determined.
 *
 * @category errors
 * @since 0.1.0
 */
export class SaveFailed extends messageFirst(
  Schema.TaggedError<SaveFailed>()("SaveFailed", {
    ...errorFields,
    documentId: DocumentId,
    path: Schema.String,
    parts: Schema.Array(Part),
    complete: Schema.Boolean,
    available: Schema.optionalKey(Schema.Boolean),
    traceId: Schema.optionalKey(Schema.String)
  })
) {
  readonly category = "local"
  readonly outcome = "unknown"
  readonly isTransient = false
  override get message(): string {
    const kept = this.parts.map(({ bytes, path }) => `${bytesOf(bytes)} in ${path}`).join(", then ")
    const advice = this.complete
      ? `All of it is kept: ${kept}. Make room or choose another target, then resume it`
      : [
        this.parts.length === 0 ? "Nothing could be kept" : `Not all of it is kept: ${kept}`,
        this.available === undefined
          ? "whether the service still has it is not known: resume it, or else upload it again"
          : this.available
          ? "the service still has it: make room, then resume it"
          : "the service has deleted it: upload it again"
      ].join("; ")
    return `${this.operation}: cannot save document ${this.documentId} as ${this.path}: ${this.description}. ${advice}`
  }
}
