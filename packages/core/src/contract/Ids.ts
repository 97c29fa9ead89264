/**
 * The ids that the service issues.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * A document's id, issued at upload. Opaque.
 *
 * @category schemas
 * @since 0.1.0
 */
export const DocumentId = Schema.String.pipe(Schema.brand("DocumentId"))

/**
 * @category models
 * @since 0.1.0
 */
export type DocumentId = typeof DocumentId.Type

/**
 * A document's encryption key, issued at upload. A secret, so `Redacted` from the wire to the caller.
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
export const GlossaryId = Schema.String.pipe(Schema.brand("GlossaryId"))

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
export const TranslationMemoryId = Schema.String.pipe(Schema.brand("TranslationMemoryId"))

/**
 * @category models
 * @since 0.1.0
 */
export type TranslationMemoryId = typeof TranslationMemoryId.Type

/**
 * The id of an import or export, a UUID.
 *
 * @category schemas
 * @since 0.1.0
 */
export const JobId = Schema.String.pipe(Schema.brand("JobId"))

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
export const StyleId = Schema.String.pipe(Schema.brand("StyleId"))

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
export const InstructionId = Schema.String.pipe(Schema.brand("InstructionId"))

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
export const VoiceJobId = Schema.String.pipe(Schema.brand("VoiceJobId"))

/**
 * @category models
 * @since 0.1.0
 */
export type VoiceJobId = typeof VoiceJobId.Type

/**
 * An evaluation's id.
 *
 * @category schemas
 * @since 0.1.0
 */
export const EvaluationId = Schema.String.pipe(Schema.brand("EvaluationId"))

/**
 * @category models
 * @since 0.1.0
 */
export type EvaluationId = typeof EvaluationId.Type

/**
 * A developer key's id: two GUIDs joined by a colon. It is not the key and not a secret.
 *
 * @category schemas
 * @since 0.1.0
 */
export const KeyId = Schema.String.pipe(Schema.brand("KeyId"))

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
export const AnyJobId = Schema.String.pipe(
  Schema.brand("JobId"),
  Schema.brand("VoiceJobId"),
  Schema.brand("EvaluationId")
)

/**
 * @category models
 * @since 0.1.0
 */
export type AnyJobId = typeof AnyJobId.Type
