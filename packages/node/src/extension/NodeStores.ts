/**
 * Connections to stores, for extensions: files of SQLite that only the user can read, and Redis with errors that contain no secret.
 *
 * **Gotchas**
 *
 * The modules of `extension` are for packages that extend this one. They may change with each minor version.
 *
 * @since 0.3.0
 */
export { messageOf, openSqlite, platform } from "../files/internal/files.ts"
export * as Redis from "../internal/redis.ts"
