/**
 * The identifiers that the service issues.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The identifier of a document, issued at upload. Opaque.
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
 * The identifier of a glossary, a UUID.
 *
 * @category schemas
 * @since 0.1.0
 */
export const GlossaryId = Schema.String.pipe(Schema.brand("GlossaryId"))

/**
 * The identifier of a glossary.
 *
 * @category models
 * @since 0.1.0
 */
export type GlossaryId = typeof GlossaryId.Type

/**
 * The identifier of a translation memory, a UUID.
 *
 * @category schemas
 * @since 0.1.0
 */
export const TranslationMemoryId = Schema.String.pipe(Schema.brand("TranslationMemoryId"))

/**
 * The identifier of a translation memory.
 *
 * @category models
 * @since 0.1.0
 */
export type TranslationMemoryId = typeof TranslationMemoryId.Type

/**
 * The identifier of an import or export, a UUID.
 *
 * @category schemas
 * @since 0.1.0
 */
export const JobId = Schema.String.pipe(Schema.brand("JobId"))

/**
 * The identifier of an import or export.
 *
 * @category models
 * @since 0.1.0
 */
export type JobId = typeof JobId.Type

/**
 * The identifier of a style rule list, a UUID.
 *
 * @category schemas
 * @since 0.1.0
 */
export const StyleId = Schema.String.pipe(Schema.brand("StyleId"))

/**
 * The identifier of a style rule list.
 *
 * @category models
 * @since 0.1.0
 */
export type StyleId = typeof StyleId.Type

/**
 * The identifier of a custom instruction, a UUID.
 *
 * @category schemas
 * @since 0.1.0
 */
export const InstructionId = Schema.String.pipe(Schema.brand("InstructionId"))

/**
 * The identifier of a custom instruction.
 *
 * @category models
 * @since 0.1.0
 */
export type InstructionId = typeof InstructionId.Type

/**
 * The identifier of a job that translates speech, a UUID.
 *
 * @category schemas
 * @since 0.1.0
 */
export const VoiceJobId = Schema.String.pipe(Schema.brand("VoiceJobId"))

/**
 * The identifier of a job that translates speech.
 *
 * @category models
 * @since 0.1.0
 */
export type VoiceJobId = typeof VoiceJobId.Type

/**
 * The identifier of an evaluation.
 *
 * @category schemas
 * @since 0.1.0
 */
export const EvaluationId = Schema.String.pipe(Schema.brand("EvaluationId"))

/**
 * The identifier of an evaluation.
 *
 * @category models
 * @since 0.1.0
 */
export type EvaluationId = typeof EvaluationId.Type

/**
 * The identifier of a developer key: two GUIDs with a colon between them. It is not the key, and no secret.
 *
 * @category schemas
 * @since 0.1.0
 */
export const KeyId = Schema.String.pipe(Schema.brand("KeyId"))

/**
 * The identifier of a developer key.
 *
 * @category models
 * @since 0.1.0
 */
export type KeyId = typeof KeyId.Type

/**
 * The identifier of a job in an error, which may be one of any kind.
 *
 * **Details**
 *
 * The methods of each kind of job accept it, such as `wait({ jobId: error.job })` of the service that failed.
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
 * The identifier of a job in an error.
 *
 * @category models
 * @since 0.1.0
 */
export type AnyJobId = typeof AnyJobId.Type
