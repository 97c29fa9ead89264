/**
 * Tools for packages that transfer documents. May change with each minor version.
 *
 * @since 0.3.0
 */
export { concerning } from "../call/internal/operation.ts"
export * as Optional from "../contract/internal/values.ts"
export { isGone } from "../documents/internal/saving.ts"
export { filesOf, restartOf, total } from "../documents/internal/states.ts"
export * as Failure from "../errors/internal/failure.ts"
export { digestOf } from "../jobs/internal/jobFile.ts"
