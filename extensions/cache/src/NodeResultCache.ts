/**
 * A result cache in a SQLite file, which all programs of a user can share.
 *
 * **Details**
 *
 * Only the user can read the file. Above `maximumEntries` results, the oldest results are dropped. Without `node:sqlite` or a usable file, the cache
 * is disabled.
 *
 * **Example** (A client with a cache)
 *
 * ```ts
 * import { NodeResultCache } from "@effect-lingua/cache"
 * import { NodeLanguageService } from "@effect-lingua/node"
 * import { Layer, Redacted } from "effect"
 *
 * export const services = Layer.provideMerge(
 *   NodeResultCache.layer({ path: "results.sqlite" }),
 *   NodeLanguageService.layer({ key: Redacted.make("key"), baseUrl: "https://service.test" })
 * )
 * ```
 *
 * @since 0.2.0
 */
import type { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import { messageOf, openSqlite, platform, Redis } from "@effect-lingua/node/extension/NodeStores"
import type * as NodeSharedRate from "@effect-lingua/node/NodeSharedRate"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Persistence from "effect/persistence/Persistence"
import * as UserDirectories from "effect/persistence/UserDirectories"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { rmSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import * as Stores from "./internal/stores.ts"
import * as ResultCache from "./ResultCache.ts"

/**
 * The location of a cache.
 *
 * @category options
 * @since 0.2.0
 */
export interface File {
  /**
   * The file, created at its first use. Default: `effect-lingua/results.sqlite` in the user's cache directory, such as `XDG_CACHE_HOME` or `~/.cache`
   * on Linux.
   */
  readonly path?: string | undefined
}

/**
 * Path, size and lifetimes of a cache in a file.
 *
 * @category options
 * @since 0.2.0
 */
export interface Options extends File, ResultCache.Options {
  /** Maximum number of results, of all stores in the file. Default 100,000. */
  readonly maximumEntries?: number | undefined
}

/**
 * Path, number of results, and size of a cache's file in bytes.
 *
 * @category models
 * @since 0.2.0
 */
export interface Stats {
  readonly path: string
  readonly entries: number
  readonly bytes: number
}

const unusable = (path: string, description: string, cause?: unknown) =>
  new Persistence.PersistenceError({
    message: `The cache ${path} cannot be used: ${description}. Delete it, or name another file.`,
    cause
  })

const pathOf = ({ path }: File) =>
  path === undefined
    ? UserDirectories.make().cache("effect-lingua").pipe(
      Effect.map((folder) => join(folder, "results.sqlite")),
      Effect.mapError(({ message }) => unusable("of this user", message)),
      Effect.provide(platform)
    )
    : Effect.succeed(resolve(path))

const failure = (cause: unknown) => new Persistence.PersistenceError({ message: messageOf(cause), cause })

const attempt = <A>(path: string, work: () => A) =>
  Effect.try({ try: work, catch: (cause) => unusable(path, messageOf(cause), cause) })

/** Maximum wait while another process writes. */
const busyMillis = 200

const setup = `
  PRAGMA busy_timeout = ${busyMillis};
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS results (
    store TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, expires INTEGER, used INTEGER NOT NULL,
    PRIMARY KEY (store, name)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS results_used ON results (used);
`

const open = (path: string) => openSqlite(path, setup, (description, cause) => unusable(path, description, cause))

const Value = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
const decodeRow = Schema.decodeUnknownOption(Schema.Struct({ value: Value }))
const Count = Schema.Struct({ entries: Schema.Int })
const decodeCount = Schema.decodeUnknownSync(Count)

/** Expired and excess entries are dropped after this number of writes. */
const checkEvery = 100

const makeStore = (database: DatabaseSync, store: string, maximumEntries: number) => {
  const select = database.prepare(
    "SELECT value FROM results WHERE store = ? AND name = ? AND (expires IS NULL OR expires > ?)"
  )
  const upsert = database.prepare("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)")
  const remove = database.prepare("DELETE FROM results WHERE store = ? AND name = ?")
  const clear = database.prepare("DELETE FROM results WHERE store = ?")
  const dropExpired = database.prepare("DELETE FROM results WHERE expires <= ?")
  const dropOldest = database.prepare(
    "DELETE FROM results WHERE (store, name) IN (SELECT store, name FROM results ORDER BY used DESC LIMIT -1 OFFSET ?)"
  )
  let writes = 0

  /** Reads an entry; an unreadable entry counts as missing, so the next write replaces it. */
  const get = (name: string, now: number): object | undefined =>
    Option.getOrUndefined(decodeRow(select.get(store, name, now)))?.value

  const set = (
    entries: ReadonlyArray<readonly [name: string, value: object, ttl: Duration.Duration | undefined]>,
    now: number
  ) => {
    database.exec("BEGIN IMMEDIATE")
    try {
      for (const [name, value, ttl] of entries) {
        const expires = ttl === undefined ? null : now + Duration.toMillis(ttl)
        upsert.run(store, name, JSON.stringify(value), expires, now)
      }
      writes += entries.length
      if (writes >= Math.min(checkEvery, maximumEntries)) {
        writes = 0
        dropExpired.run(now)
        dropOldest.run(maximumEntries)
      }
      database.exec("COMMIT")
    } catch (cause) {
      database.exec("ROLLBACK")
      throw cause
    }
  }

  return { get, set, remove: (name: string) => remove.run(store, name), clear: () => clear.run(store) }
}

const persistence = (options: File, maximumEntries: number) =>
  Layer.effect(
    Persistence.BackingPersistence,
    Effect.gen(function*() {
      const scope = yield* Effect.scope
      // Opened at the first use, and again after a failure, so that an unusable file disables only the cache.
      let opened: DatabaseSync | undefined
      const database = Effect.gen(function*() {
        return opened ??= yield* Effect.flatMap(pathOf(options), open).pipe(Scope.provide(scope))
      })
      return {
        make: (storeId) => {
          let store: ReturnType<typeof makeStore> | undefined
          // Reads the caller's clock, because the layer may have been built with another clock.
          const using = <A>(work: (made: ReturnType<typeof makeStore>, now: number) => A) =>
            Effect.flatMap(Effect.all([database, Clock.currentTimeMillis]), ([database, now]) =>
              Effect.try({
                try: () => work(store ??= makeStore(database, storeId, maximumEntries), now),
                catch: failure
              }))
          return Effect.succeed<Persistence.BackingPersistenceStore>({
            get: (name) => using((made, now) => made.get(name, now)),
            getMany: (names) => using((made, now) => Arr.map(names, (name) => made.get(name, now))),
            set: (name, value, ttl) => using((made, now) => made.set([[name, value, ttl]], now)),
            setMany: (entries) => using((made, now) => made.set(entries, now)),
            remove: (name) => using((made) => made.remove(name)),
            clear: using((made) => made.clear())
          })
        }
      }
    })
  )

/**
 * A result cache in a file. Fails with `InvalidConfiguration` for an invalid option.
 *
 * @category layers
 * @since 0.2.0
 */
export const layer = (
  { maximumEntries = 100_000, path, ...options }: Options = {}
): Layer.Layer<ResultCache.Services, LanguageServiceConfig.InvalidConfiguration, ResultCache.Requirements> =>
  Stores.limited(maximumEntries, ResultCache.layer(persistence({ path }, maximumEntries), options))

/**
 * Address and credentials of Redis (`url` or `socket` is required), and the options of the cache.
 *
 * @category options
 * @since 0.2.0
 */
export interface RedisOptions extends Omit<NodeSharedRate.RedisOptions, "prefix" | "retryAfter">, ResultCache.Options {}

/**
 * A result cache in Redis, for several machines. Limit Redis's memory with `maxmemory` and `allkeys-lru`. Fails with `InvalidConfiguration` for an
 * invalid option, or if the package `redis` is not installed. An unavailable Redis disables only the cache.
 *
 * @category layers
 * @since 0.2.0
 */
export const layerRedis = (
  { password, socket, url, username, ...options }: RedisOptions
): Layer.Layer<ResultCache.Services, LanguageServiceConfig.InvalidConfiguration, ResultCache.Requirements> =>
  Layer.unwrap(Effect.map(
    Redis.connected({ password, socket, url, username }),
    (connection) => ResultCache.layer(Layer.provide(Persistence.layerBackingRedis, connection), options)
  ))

/** Bytes of a database, including its `-wal` and `-shm` files. */
const sizeOf = (path: string): number =>
  ["", "-wal", "-shm"].reduce((sum, suffix) => sum + (statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0), 0)

/**
 * Returns statistics of a cache's file; a missing file counts as empty. Fails with `PersistenceError` for a file that is not a cache.
 *
 * @category accessors
 * @since 0.2.0
 */
export const stats = Effect.fnUntraced(
  function*(file: File = {}): Effect.fn.Return<Stats, Persistence.PersistenceError> {
    const path = yield* pathOf(file)
    const isThere = yield* attempt(path, () => statSync(path, { throwIfNoEntry: false }) !== undefined)
    if (!isThere) return { path, entries: 0, bytes: 0 }
    return yield* Effect.scoped(Effect.flatMap(open(path), (database) =>
      attempt(path, () => {
        const { entries } = decodeCount(database.prepare("SELECT count(*) AS entries FROM results").get())
        return { path, entries, bytes: sizeOf(path) }
      })))
  }
)

/**
 * Deletes a cache's file, readable or not, and returns its former statistics.
 *
 * @category accessors
 * @since 0.2.0
 */
export const clear = Effect.fnUntraced(
  function*(file: File = {}): Effect.fn.Return<Stats, Persistence.PersistenceError> {
    const path = yield* pathOf(file)
    const statsBefore = yield* Effect.catch(
      stats({ path }),
      () => Effect.map(attempt(path, () => sizeOf(path)), (bytes) => ({ path, entries: 0, bytes }))
    )
    yield* attempt(path, () => {
      for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true })
    })
    return statsBefore
  }
)
