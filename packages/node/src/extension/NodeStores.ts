/**
 * SQLite databases that only the user can read, and Redis connections whose errors contain no secrets, for extensions.
 * This API may change with each minor version.
 *
 * @since 0.3.0
 */
export { messageOf, openSqlite, platform } from "../files/internal/files.ts"
export * as Redis from "../internal/redis.ts"
