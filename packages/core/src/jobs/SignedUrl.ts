/**
 * URLs of files in the service's storage.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * A pre-signed URL of a file, which grants access without a key.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SignedUrl = Schema.RedactedFromValue(Schema.String)

/**
 * @category models
 * @since 0.1.0
 */
export type SignedUrl = typeof SignedUrl.Type
