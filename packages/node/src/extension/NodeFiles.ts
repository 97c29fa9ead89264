/**
 * Durable, atomic files with modes, for extensions. This API may change with each minor version.
 *
 * @since 0.3.0
 */
export * as Files from "../files/internal/files.ts"
export * as PartFile from "../files/internal/partFile.ts"
export { partName, rename } from "../files/internal/target.ts"
