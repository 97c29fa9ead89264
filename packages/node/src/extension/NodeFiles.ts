/**
 * Files as this package writes them, for extensions: with their modes, synced, and whole under their names.
 *
 * **Gotchas**
 *
 * The modules of `extension` are for packages that extend this one. They may change with each minor version.
 *
 * @since 0.3.0
 */
export * as Files from "../files/internal/files.ts"
export * as PartFile from "../files/internal/partFile.ts"
export { partName, rename } from "../files/internal/target.ts"
