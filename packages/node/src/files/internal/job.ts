/** A document to save. */
import type { DocumentRef, Download } from "@effect-lingua/core/documents/Documents"
import type { DocumentId } from "@effect-lingua/core/documents/DocumentsApi"
import type * as Journal from "@effect-lingua/core/documents/Journal"
import type { Part } from "@effect-lingua/core/documents/Journal"
import type { Attempt } from "@effect-lingua/core/errors/Attempt"
import type { PlatformError } from "effect/PlatformError"
import { SaveFailed } from "./documentErrors.ts"
import { describe } from "./files.ts"

export interface Job {
  readonly operation: string
  readonly ref: DocumentRef
  readonly target: Journal.Target
  /** The current entry of the document. */
  readonly before: Exclude<Journal.Entry, { readonly _tag: "Uploading" }> | undefined
  /** The folder for the rest of a document when the disk fails. Default: that of the system. */
  readonly rescueFolder: string | undefined
  /** The attempts of its operation so far. */
  readonly attempts: () => ReadonlyArray<Attempt>
}

/** The shared fields of errors about a document. */
export const aboutOf = ({ attempts, operation, ref: { documentId, documentKey } }: Job) => ({
  operation,
  documentId,
  document: { documentId, documentKey },
  attempts: attempts()
})

/** Facts about a document besides its file. */
export interface Details extends Omit<Download, "stream"> {
  readonly billedCharacters?: number
}

/** The field of a journal entry whose bytes may not be the whole document. */
export const completenessOf = ({ completeness }: Pick<Details, "completeness">) =>
  completeness === "unknown" ? { completeness } : undefined

/** A document that was saved. */
export interface SavedDocument extends Details {
  readonly documentId: DocumentId
  /** The absolute path of the file. */
  readonly path: string
  /** Its length in bytes. */
  readonly bytes: number
}

/** The sum of the bytes of files. */
export const total = (parts: ReadonlyArray<Part>): number => parts.reduce((sum, { bytes }) => sum + bytes, 0)

const asText = (target: Journal.Target): string => "path" in target ? target.path : target.folder

/** The error of a document that was received but not saved at its target. */
export const saveFailed = (
  job: Job,
  cause: PlatformError | string,
  fields: {
    readonly parts: ReadonlyArray<Part>
    readonly complete: boolean
    readonly available?: boolean | undefined
    readonly path?: string | undefined
    readonly traceId?: string | undefined
  }
): SaveFailed => {
  const { available, complete, parts, path = asText(job.target), traceId } = fields
  return new SaveFailed({
    ...aboutOf(job),
    path,
    description: typeof cause === "string" ? cause : describe(cause),
    parts,
    complete,
    ...(available === undefined ? undefined : { available }),
    ...(traceId === undefined ? undefined : { traceId })
  })
}
