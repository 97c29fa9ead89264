/**
 * The address of a file at the storage of the service.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * A pre-signed address of a file, which grants access without a key.
 *
 * @category schemas
 * @since 0.1.0
 */
export const SignedUrl = Schema.RedactedFromValue(Schema.String)

/**
 * A pre-signed address of a file.
 *
 * @category models
 * @since 0.1.0
 */
export type SignedUrl = typeof SignedUrl.Type
