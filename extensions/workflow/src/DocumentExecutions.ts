/**
 * Queries a workflow engine's database for documents: counts by state, a list, and the removal of ended documents. For SQLite and PostgreSQL, with
 * the tables of `effect/cluster`.
 *
 * **Example** (Forgetting ended documents after a month, and listing late ones)
 *
 * ```ts
 * import { DocumentExecutions } from "@effect-lingua/workflow"
 * import { Console, DateTime, Effect, Stream } from "effect"
 *
 * export const retention = DocumentExecutions.layerRetention({ olderThan: "30 days" })
 *
 * export const behind = DocumentExecutions.list({ state: "unfinished", olderThan: "1 day" }).pipe(
 *   Stream.runForEach(({ request, since }) => Console.log(`${request.id} since ${DateTime.formatIso(since)}`))
 * )
 *
 * export const progress = Effect.flatMap(DocumentExecutions.counts(), Console.log)
 * ```
 *
 * @since 0.3.0
 */
import type { InvalidConfiguration } from "@effect-lingua/core/config/LanguageServiceConfig"
import type { DurationInput } from "@effect-lingua/core/config/ResiliencePolicy"
import { Rules, usable } from "@effect-lingua/core/extension/Settings"
import * as Clock from "effect/Clock"
import * as Snowflake from "effect/cluster/Snowflake"
import type * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Stream from "effect/Stream"
import * as Workflow from "effect/workflow/Workflow"
import { type DocumentError, DocumentRequest, TranslatedDocument, workflow } from "./DocumentWorkflow.ts"

/**
 * The state of a document: `unfinished` until its execution ends, `translated`, or `failed`, also if cancelled.
 *
 * @category models
 * @since 0.3.0
 */
export type State = "unfinished" | "translated" | "failed"

/**
 * A document's execution. `since`: the time of the request; `exit`: the result, `undefined` until the execution ends.
 *
 * @category models
 * @since 0.3.0
 */
export interface Execution {
  readonly executionId: string
  readonly request: DocumentRequest
  readonly since: DateTime.Utc
  readonly exit: Exit.Exit<TranslatedDocument, DocumentError> | undefined
}

/**
 * Options of {@link list}: selects documents by `state`, and by `olderThan`, the minimum time since the request. `prefix` begins table names; default
 * `cluster`.
 *
 * @category options
 * @since 0.3.0
 */
export interface ListOptions {
  readonly state?: State | undefined
  readonly olderThan?: DurationInput | undefined
  readonly prefix?: string | undefined
}

/**
 * Options of {@link forget}. `olderThan` is the minimum time since a document ended. `prefix` begins table names; default `cluster`.
 *
 * @category options
 * @since 0.3.0
 */
export interface ForgetOptions {
  readonly olderThan: DurationInput
  readonly prefix?: string | undefined
}

const ageRule = Rules.duration((millis) => millis >= 0 && Number.isFinite(millis), "must not be negative, and finite")

const decodeSelection = Rules.struct<{ readonly olderThan: Duration.Duration; readonly state: State | undefined }>({
  olderThan: ageRule,
  state: Rules.optional(Rules.oneOf("unfinished", "translated", "failed"))
})

const entityType = `Workflow/${workflow._tag}`
const clockType = "Workflow/-/DurableClock"

/** `LIKE` patterns for the stored results of translated and of waiting documents. */
const translated = `{"_tag":"Success","value":{"_tag":"Complete","exit":{"_tag":"Success"%`
const waiting = `%"_tag":"Suspended"%`

const decodeRequest = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.toCodecJson(DocumentRequest)))
const decodeResult = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.toCodecJson(
    Schema.Exit(
      Workflow.Result({ success: TranslatedDocument, error: workflow.errorSchema }),
      Schema.Never,
      Schema.Defect()
    )
  ))
)

/** The smallest Snowflake id of a millisecond. */
const idAt = (millis: number) =>
  Snowflake.make({ timestamp: Math.floor(millis), machineId: Snowflake.machineId(Snowflake.Snowflake(0)), sequence: 0 })

/** SQL fragments: the tables' names, and document requests joined with their results. */
const tablesOf = (sql: SqlClient.SqlClient, prefix = "cluster") => {
  const messages = sql(`${prefix}_messages`)
  const replies = sql(`${prefix}_replies`)
  return {
    messages,
    replies,
    documents: sql`${messages} m LEFT JOIN ${replies} r ON r.request_id = m.id AND r.kind = 0
      WHERE m.entity_type = ${entityType} AND m.tag = 'run'`
  }
}

/**
 * The number of documents by state. Fails with `SqlError` if the database cannot be used.
 *
 * @category functions
 * @since 0.3.0
 */
export const counts = (
  { prefix }: Pick<ListOptions, "prefix"> = {}
): Effect.Effect<Readonly<Record<State, number>>, SqlError, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const { documents } = tablesOf(sql, prefix)
    const rows = yield* sql<{ readonly state: State; readonly number: number | string }>`
      SELECT state, count(*) AS number FROM (
        SELECT CASE
          WHEN r.id IS NULL OR r.payload LIKE ${waiting} THEN 'unfinished'
          WHEN r.payload LIKE ${translated} THEN 'translated'
          ELSE 'failed' END AS state
        FROM ${documents}
      ) AS states GROUP BY state`
    const number = (state: State) => Number(rows.find((row) => row.state === state)?.number ?? 0)
    return { unfinished: number("unfinished"), translated: number("translated"), failed: number("failed") }
  })

const pageSize = 200

/**
 * Streams the engine's documents, oldest first. Fails with `InvalidConfiguration` for an invalid option, with `SqlError` if the database cannot be
 * used, and with `SchemaError` for an unreadable document from another version of this library.
 *
 * @category functions
 * @since 0.3.0
 */
export const list = (
  { olderThan = 0, prefix, state }: ListOptions = {}
): Stream.Stream<Execution, InvalidConfiguration | SqlError | Schema.SchemaError, SqlClient.SqlClient> =>
  Stream.unwrap(Effect.gen(function*() {
    const selected = yield* Effect.fromResult(usable(decodeSelection({ olderThan, state }, "")))
    const sql = yield* SqlClient.SqlClient
    const { documents } = tablesOf(sql, prefix)
    const before = idAt((yield* Clock.currentTimeMillis) - Duration.toMillis(selected.olderThan) + 1)
    const isState = state === undefined
      ? sql``
      : state === "unfinished"
      ? sql`AND (r.id IS NULL OR r.payload LIKE ${waiting})`
      : state === "translated"
      ? sql`AND r.payload LIKE ${translated}`
      : sql`AND r.payload NOT LIKE ${translated} AND r.payload NOT LIKE ${waiting}`
    const page = (after: bigint) =>
      sql<
        { readonly id: string; readonly entity_id: string; readonly payload: string; readonly result: string | null }
      >`
        SELECT CAST(m.id AS TEXT) AS id, m.entity_id, m.payload, r.payload AS result
        FROM ${documents} AND m.id > ${after} AND m.id < ${before} ${isState}
        ORDER BY m.id LIMIT ${pageSize}`
    return Stream.paginate(BigInt(0), (after) =>
      Effect.gen(function*() {
        const rows = yield* page(after)
        const executions = yield* Effect.forEach(rows, ({ entity_id, id, payload, result }) =>
          Effect.gen(function*() {
            const ended = result === null ? undefined : yield* decodeResult(result)
            const execution: Execution = {
              executionId: entity_id,
              request: yield* decodeRequest(payload),
              since: Snowflake.dateTime(Snowflake.Snowflake(id)),
              exit: ended?._tag === "Success" && ended.value._tag === "Complete" ? ended.value.exit : undefined
            }
            return execution
          }))
        const last = rows.length < pageSize ? undefined : rows.at(-1)
        return [executions, Option.map(Option.fromUndefinedOr(last), ({ id }) => BigInt(id))] as const
      }))
  }))

const batchSize = 500

/**
 * Removes documents that ended at least `olderThan` ago, with their steps, and returns the number of documents. If a removed id is requested again,
 * the document is translated again. Fails with `InvalidConfiguration` for an invalid time, and with `SqlError` if the database cannot be used.
 *
 * @category functions
 * @since 0.3.0
 */
export const forget = (
  { olderThan, prefix }: ForgetOptions
): Effect.Effect<number, InvalidConfiguration | SqlError, SqlClient.SqlClient> =>
  Effect.gen(function*() {
    const age = yield* Effect.fromResult(usable(ageRule(olderThan, "olderThan")))
    const sql = yield* SqlClient.SqlClient
    const { documents, messages, replies } = tablesOf(sql, prefix)
    const before = idAt((yield* Clock.currentTimeMillis) - Duration.toMillis(age))
    const batch = sql.withTransaction(Effect.gen(function*() {
      const rows = yield* sql<{ readonly entity_id: string }>`
        SELECT m.entity_id FROM ${documents} AND r.id < ${before} AND r.payload NOT LIKE ${waiting}
        ORDER BY m.id LIMIT ${batchSize}`
      if (rows.length === 0) return 0
      const ofThem = sql`entity_type IN (${entityType}, ${clockType})
        AND ${sql.in("entity_id", rows.map(({ entity_id }) => entity_id))}`
      yield* sql`DELETE FROM ${replies} WHERE request_id IN (SELECT id FROM ${messages} WHERE ${ofThem})`
      yield* sql`DELETE FROM ${messages} WHERE ${ofThem}`
      return rows.length
    }))
    let removed = 0
    for (;;) {
      const number = yield* batch
      removed += number
      if (number < batchSize) return removed
    }
  })

const decodeRetention = Rules.struct<{ readonly olderThan: Duration.Duration; readonly every: Duration.Duration }>({
  olderThan: Rules.finite,
  every: Rules.finite
})

/**
 * Runs {@link forget} repeatedly, by default each hour, and logs failures. Several processes may run this layer. Fails with `InvalidConfiguration`
 * for an invalid time.
 *
 * @category layers
 * @since 0.3.0
 */
export const layerRetention = (
  { every = "1 hour", olderThan, prefix }: ForgetOptions & { readonly every?: DurationInput | undefined }
): Layer.Layer<never, InvalidConfiguration, SqlClient.SqlClient> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const settings = yield* Effect.fromResult(usable(decodeRetention({ every, olderThan }, "")))
    const removal = forget({ olderThan: settings.olderThan, prefix }).pipe(
      Effect.tap((number) => number > 0 ? Effect.logDebug(`Forgot ${number} documents that ended`) : Effect.void),
      Effect.catch((error) => Effect.logWarning("Ended documents could not be removed from the database", error))
    )
    yield* Effect.forkScoped(Effect.repeat(removal, Schedule.spaced(settings.every)))
  }))
