/**
 * Files as this package writes them, for extensions: with their modes, synced, and whole under their names; and files of SQLite.
 *
 * **Gotchas**
 *
 * The modules of `extension` are for packages that extend this one. They may change with each minor version.
 *
 * @since 0.3.0
 */
export * as Files from "../files/internal/files.ts"
export * as OwnFiles from "../files/internal/ownFiles.ts"
export * as PartFile from "../files/internal/partFile.ts"
export * as Publish from "../files/internal/replaceFile.ts"
export { partName } from "../files/internal/safeName.ts"
export * as Sqlite from "../files/internal/sqlite.ts"
