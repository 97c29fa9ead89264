/**
 * Connections to stores, for extensions: private SQLite files, and Redis errors without secrets. May change with each
 * minor version.
 *
 * @since 0.3.0
 */
export { messageOf, openSqlite, platform } from "../files/internal/files.ts"
export * as Redis from "../internal/redis.ts"
