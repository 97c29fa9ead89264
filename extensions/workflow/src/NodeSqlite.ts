/**
 * A SQLite database for one process, over `node:sqlite`: an `SqlClient` of `effect/sql`, and a workflow engine with its state in the database. A
 * substitute until `@effect/sql-sqlite-node` supports this version of Effect.
 *
 * **Example** (Durable documents in one process)
 *
 * ```ts
 * import { DocumentWorkflow, NodeDocumentStore, NodeSqlite } from "@effect-lingua/workflow"
 * import { NodeLanguageService } from "@effect-lingua/node"
 * import { Layer } from "effect"
 *
 * export const documents = DocumentWorkflow.layer().pipe(
 *   Layer.provideMerge(NodeSqlite.layerWorkflowEngine({ path: "/srv/state/work.sqlite" })),
 *   Layer.provide(NodeDocumentStore.layer({ folder: "/srv/documents" })),
 *   Layer.provide(NodeLanguageService.layerConfig())
 * )
 * ```
 *
 * @since 0.2.0
 */
import { messageOf, openSqlite } from "@effect-lingua/node/extension/NodeStores"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as ClusterWorkflowEngine from "effect/cluster/ClusterWorkflowEngine"
import type { ShardingConfig } from "effect/cluster/ShardingConfig"
import * as SingleRunner from "effect/cluster/SingleRunner"
import type { ConfigError } from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import * as SqlError from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import * as Stream from "effect/Stream"
import type { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import { resolve } from "node:path"
import type { SQLInputValue, StatementSync } from "node:sqlite"

/**
 * The database's file, created with its folders if missing. Only the current user can read the file. `:memory:` uses no file.
 *
 * @category options
 * @since 0.2.0
 */
export interface Options {
  readonly path: string
}

/** Maximum wait while another process writes. */
const busyMillis = 5000

/** SQLite's code for a file that another process has locked. */
const sqliteBusy = 5

const errno = (cause: unknown): unknown =>
  typeof cause === "object" && cause !== null && "errcode" in cause ? cause.errcode : undefined

const failure = (message: string, operation: string) => (cause: unknown) =>
  new SqlError.SqlError({
    reason: SqlError.classifySqliteError({ errno: errno(cause), message: messageOf(cause), cause }, {
      message: `${message}: ${messageOf(cause)}`,
      operation
    })
  })

const unusable = (message: string, cause: unknown) =>
  new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause, message, operation: "open" }) })

/** Converts a statement's parameter to a SQLite value. */
const input = (value: unknown): SQLInputValue =>
  value === undefined || value === null
    ? null
    : typeof value === "boolean"
    ? Number(value)
    : value instanceof Date
    ? value.toISOString()
    : typeof value === "string" || typeof value === "number" || typeof value === "bigint" || value instanceof Uint8Array
    ? value
    : JSON.stringify(value)

/** Converts a SQLite value: an integer becomes a number, unless it would lose precision. */
const output = (value: unknown): unknown =>
  typeof value === "bigint" && value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
    ? Number(value)
    : value

/** Maximum number of prepared statements; the most recently used are kept. */
const maxStatements = 200

const makeConnection = Effect.fnUntraced(function*(path: string) {
  const database = yield* openSqlite(
    path,
    `PRAGMA busy_timeout = ${busyMillis}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;`,
    (description, cause) => unusable(`The database ${path} cannot be used: ${description}`, cause)
  )
  const statements = new Map<string, StatementSync>()
  const prepare = (sql: string): StatementSync => {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statement.setReadBigInts(true)
    statements.delete(sql)
    statements.set(sql, statement)
    const [first] = statements.keys()
    if (statements.size > maxStatements && first !== undefined) statements.delete(first)
    return statement
  }
  const run = (sql: string, params: ReadonlyArray<unknown>) =>
    Effect.try({
      try: () =>
        prepare(sql).all(...params.map(input)).map((row) =>
          Object.fromEntries(Object.entries(row).map(([name, value]) => [name, output(value)]))
        ),
      catch: failure("A statement failed", "execute")
    })
  const execute: Connection["execute"] = (sql, params, transformRows) =>
    transformRows === undefined ? run(sql, params) : Effect.map(run(sql, params), transformRows)
  const executeValues: Connection["executeValues"] = (sql, params) =>
    Effect.map(run(sql, params), (rows) => rows.map((row) => Object.values(row)))
  const connection: Connection = {
    execute,
    executeRaw: run,
    executeUnprepared: execute,
    executeValues,
    executeValuesUnprepared: executeValues,
    executeStream: (sql, params, transformRows) => Stream.fromIterableEffect(execute(sql, params, transformRows))
  }
  return connection
})

const make = Effect.fnUntraced(function*({ path }: Options) {
  const connection = yield* makeConnection(path === ":memory:" ? path : resolve(path))
  // The permit of the only connection: a transaction excludes other statements.
  const semaphore = yield* Semaphore.make(1)
  return yield* SqlClient.make({
    acquirer: semaphore.withPermits(1)(Effect.succeed(connection)),
    transactionAcquirer: Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        const scope = yield* Effect.scope
        yield* restore(semaphore.take(1))
        yield* Scope.addFinalizer(scope, semaphore.release(1))
        return connection
      })
    ),
    compiler: Statement.makeCompilerSqlite(),
    driver: "node:sqlite",
    beginTransaction: "BEGIN IMMEDIATE",
    spanAttributes: [["db.system.name", "sqlite"]]
  })
})

/**
 * A client of a SQLite database. Fails with `SqlError` if the file cannot be used, or the runtime lacks `node:sqlite`.
 *
 * @category layers
 * @since 0.2.0
 */
export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient, SqlError.SqlError> =>
  Layer.provide(Layer.effect(SqlClient.SqlClient, make(options)), Reactivity.layer)

/**
 * Options of the engine. `shardingConfig` is passed to `SingleRunner` of `effect/cluster`.
 *
 * @category options
 * @since 0.3.0
 */
export interface EngineOptions extends Options {
  readonly shardingConfig?: Partial<ShardingConfig["Service"]> | undefined
}

/** Locks the database against other processes until the scope or the process ends. */
const claim = (path: string) =>
  Effect.asVoid(
    openSqlite(`${path}.lock`, "PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE", (description, cause) =>
      unusable(
        errno(cause) === sqliteBusy
          ? `Another process works with the database ${path}: stop it, or give this process another file`
          : `The database ${path} cannot be used: ${description} (${path}.lock)`,
        cause
      ))
  )

/** A client that fails for a damaged database, which would end the engine with a defect. */
const layerWhole = (options: Options) =>
  Layer.tap(
    layer(options),
    (context) =>
      Context.get(context, SqlClient.SqlClient)<{ readonly quick_check: string }>`PRAGMA quick_check(1)`.pipe(
        Effect.flatMap(([row]) => row?.quick_check === "ok" ? Effect.void : Effect.fail(row?.quick_check)),
        Effect.mapError((cause) => unusable(`The database ${options.path} is damaged: ${messageOf(cause)}`, cause))
      )
  )

/**
 * A workflow engine with its state in a file, for one process. After a restart, a crash or a kill, workflows continue at once, because no other
 * process's lease has to expire. Also provides the database client.
 *
 * **Details**
 *
 * Fails with `SqlError` if the file is unusable, damaged or in use by another process, and with `ConfigError` for an invalid variable of
 * `ShardingConfig`.
 *
 * @category layers
 * @since 0.3.0
 */
export const layerWorkflowEngine = (
  { shardingConfig, ...options }: EngineOptions
): Layer.Layer<WorkflowEngine | SqlClient.SqlClient, SqlError.SqlError | ConfigError> =>
  ClusterWorkflowEngine.layer.pipe(
    Layer.provide(SingleRunner.layer({ runnerStorage: "memory", shardingConfig })),
    Layer.provide(NodeCrypto.layerDigest),
    Layer.provideMerge(layerWhole(options)),
    Layer.provide(options.path === ":memory:" ? Layer.empty : Layer.effectDiscard(claim(resolve(options.path))))
  )
