/**
 * What an extension about documents needs: classes of errors, optional fields, and the digest of a file.
 *
 * @since 0.3.0
 */
export { concerning } from "../call/internal/operation.ts"
export * as Optional from "../contract/internal/values.ts"
export { isGone } from "../documents/internal/saving.ts"
export { filesOf, restartOf, total } from "../documents/internal/states.ts"
export * as Failure from "../errors/internal/failure.ts"
export { digestOf } from "../jobs/internal/jobFile.ts"
