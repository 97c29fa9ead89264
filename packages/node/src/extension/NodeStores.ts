/**
 * Private SQLite databases, and Redis errors without secrets, for extensions. This API may change with each minor
 * version.
 *
 * @since 0.3.0
 */
export { messageOf, openSqlite, platform } from "../files/internal/files.ts"
export * as Redis from "../internal/redis.ts"
