/**
 * Tools for layers that decorate the text services. May change with each minor version.
 *
 * @since 0.3.0
 */
export { concerning } from "../call/internal/operation.ts"
export { CurrentTransform } from "../config/internal/region.ts"
export * as Monotonic from "../contract/internal/monotonic.ts"
export * as Sha256 from "../contract/internal/sha256.ts"
export { countCharacters } from "../errors/internal/checks.ts"
export type { Failure } from "../errors/internal/failure.ts"
