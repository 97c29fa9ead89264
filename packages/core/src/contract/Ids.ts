/**
 * The ids that the service issues.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * An id of a `Kind`, or a plain string, but not an id of another kind.
 *
 * @category models
 * @since 0.3.0
 */
export type Of<Kind extends string> = string & {
  readonly length: number
  readonly "~effect-lingua/id"?: { readonly [_ in Kind]: true } | undefined
}

/**
 * A schema whose `make` converts a string to an id.
 *
 * @category schemas
 * @since 0.3.0
 */
export interface Id<Kind extends string> extends Schema.Codec<Of<Kind>, string> {
  readonly make: (id: string) => Of<Kind>
}

/**
 * A document's opaque id, issued at upload.
 *
 * @category schemas
 * @since 0.1.0
 */
export const DocumentId: Id<"DocumentId"> = Schema.String

/**
 * @category models
 * @since 0.1.0
 */
export type DocumentId = typeof DocumentId.Type

/**
 * A document's encryption key, issued at upload. `Redacted`, because the key is a secret.
 *
 * @category schemas
 * @since 0.1.0
 */
export const DocumentKey = Schema.RedactedFromValue(Schema.String)

/**
 * @category models
 * @since 0.1.0
 */
export type DocumentKey = typeof DocumentKey.Type

/**
 * A glossary's id, a UUID.
 *
 * @category schemas
 * @since 0.1.0
 */
export const GlossaryId: Id<"GlossaryId"> = Schema.String

/**
 * @category models
 * @since 0.1.0
 */
export type GlossaryId = typeof GlossaryId.Type

/**
 * A translation memory's id, a UUID.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TranslationMemoryId: Id<"TranslationMemoryId"> = Schema.String

/**
 * @category models
 * @since 0.1.0
 */
export type TranslationMemoryId = typeof TranslationMemoryId.Type

/**
 * The id of an import or export job, a UUID.
 *
 * @category schemas
 * @since 0.1.0
 */
export const JobId: Id<"JobId"> = Schema.String

/**
 * @category models
 * @since 0.1.0
 */
export type JobId = typeof JobId.Type

/**
 * A style rule list's id, a UUID.
 *
 * @category schemas
 * @since 0.1.0
 */
export const StyleId: Id<"StyleId"> = Schema.String

/**
 * @category models
 * @since 0.1.0
 */
export type StyleId = typeof StyleId.Type

/**
 * A custom instruction's id, a UUID.
 *
 * @category schemas
 * @since 0.1.0
 */
export const InstructionId: Id<"InstructionId"> = Schema.String

/**
 * @category models
 * @since 0.1.0
 */
export type InstructionId = typeof InstructionId.Type

/**
 * The id of a speech translation job, a UUID.
 *
 * @category schemas
 * @since 0.1.0
 */
export const VoiceJobId: Id<"VoiceJobId"> = Schema.String

/**
 * @category models
 * @since 0.1.0
 */
export type VoiceJobId = typeof VoiceJobId.Type

/**
 * The id of an evaluation job.
 *
 * @category schemas
 * @since 0.1.0
 */
export const EvaluationId: Id<"EvaluationId"> = Schema.String

/**
 * @category models
 * @since 0.1.0
 */
export type EvaluationId = typeof EvaluationId.Type

/**
 * A developer key's id: two GUIDs joined by a colon. The id is not a secret.
 *
 * @category schemas
 * @since 0.1.0
 */
export const KeyId: Id<"KeyId"> = Schema.String

/**
 * @category models
 * @since 0.1.0
 */
export type KeyId = typeof KeyId.Type

/**
 * A job's id in an error, accepted by the methods of each kind of job: `wait({ jobId: error.job })`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const AnyJobId: Id<"EvaluationId" | "JobId" | "VoiceJobId"> = Schema.String

/**
 * @category models
 * @since 0.1.0
 */
export type AnyJobId = typeof AnyJobId.Type
