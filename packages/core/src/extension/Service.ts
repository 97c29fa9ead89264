/**
 * Builds the service of a resource: operations, checks, jobs, files. May change with each minor version.
 *
 * @since 0.3.0
 */
export type { CallRecord, Wait } from "../call/internal/callRecord.ts"
export { runs } from "../call/internal/operation.ts"
export * as Operations from "../call/internal/operation.ts"
export { withKnownOptions } from "../call/internal/options.ts"
export { repeated } from "../call/internal/syncing.ts"
export { secretsOf } from "../config/internal/settings.ts"
export * as Monotonic from "../contract/internal/monotonic.ts"
export * as Sanitizer from "../contract/internal/sanitizer.ts"
export { isTooDeep } from "../contract/internal/size.ts"
export { defined, once, type Optional, resultFn } from "../contract/internal/values.ts"
export * as Checks from "../errors/internal/checks.ts"
export * as Failure from "../errors/internal/failure.ts"
export * as Terms from "../errors/internal/terms.ts"
export * as Unexpected from "../errors/internal/unexpected.ts"
export * as JobFile from "../jobs/internal/jobFile.ts"
export * as Polling from "../jobs/internal/polling.ts"
export * as SignedFile from "../jobs/internal/signedFile.ts"
