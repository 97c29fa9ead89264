/** The errors between a document and the disk. `NodeDocuments` exports them. */
import { errorFields } from "@effect-lingua/core/client/Operation"
import * as Schema from "effect/Schema"

/** The progress before the failure: without an id nothing was sent. */
const unasked = (documentId: string | undefined) =>
  documentId === undefined ? "Nothing was sent" : "The document was not requested"

const bytesOf = (count: number) => `${count} ${count === 1 ? "byte" : "bytes"}`

export class TargetUnusable extends Schema.TaggedError<TargetUnusable>()("TargetUnusable", {
  ...errorFields,
  documentId: Schema.optionalKey(Schema.String),
  path: Schema.String
}) {
  readonly outcome = "refused"
  readonly isTransient = false
  override get message(): string {
    return `${this.operation}: cannot write ${this.path}: ${this.description}. ` +
      `${unasked(this.documentId)}; name another target`
  }
}

export class TargetExists extends Schema.TaggedError<TargetExists>()("TargetExists", {
  ...errorFields,
  documentId: Schema.optionalKey(Schema.String),
  path: Schema.String
}) {
  readonly outcome = "refused"
  readonly isTransient = false
  override get message(): string {
    return `${this.operation}: ${this.path} exists. ` +
      `${unasked(this.documentId)}; name another target or set overwrite`
  }
}

export class SourceUnusable extends Schema.TaggedError<SourceUnusable>()("SourceUnusable", {
  ...errorFields,
  path: Schema.String
}) {
  readonly outcome = "refused"
  readonly isTransient = false
  override get message(): string {
    return `${this.operation}: cannot read ${this.path}: ${this.description}. Nothing was sent; name another file`
  }
}

const Part = Schema.Struct({ path: Schema.String, bytes: Schema.Int })

/** A file with a part of a document. */
export type Part = typeof Part.Type

export class SaveFailed extends Schema.TaggedError<SaveFailed>()("SaveFailed", {
  ...errorFields,
  documentId: Schema.String,
  path: Schema.String,
  parts: Schema.Array(Part),
  complete: Schema.Boolean,
  available: Schema.optionalKey(Schema.Boolean),
  traceId: Schema.optionalKey(Schema.String)
}) {
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
