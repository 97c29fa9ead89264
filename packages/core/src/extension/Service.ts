/**
 * What the service of a resource is made of: the operations of a group over the connection of a client, the checks before a request, jobs and files.
 *
 * **Gotchas**
 *
 * The modules of `extension` are for packages that extend this one. They may change with each minor version.
 *
 * @since 0.3.0
 */
export { runs } from "../client/internal/call.ts"
export * as Operations from "../client/internal/operations.ts"
export { withKnownOptions } from "../client/internal/options.ts"
export { repeated } from "../client/internal/syncing.ts"
export * as Checks from "../errors/internal/checks.ts"
export * as Unexpected from "../errors/internal/unexpected.ts"
