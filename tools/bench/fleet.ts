/**
 * Measures the cost of a small document, with `NodeDocuments`, and with `DocumentWorkflow` over SQLite or PostgreSQL. Statements and commits do not
 * depend on the machine: the program fails if their number exceeds a bound.
 *
 *     node tools/bench/fleet.ts [documents]
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Console, Data, Effect, Redacted } from "effect"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isInstalled, postgresServer } from "../../packages/node/test/support/postgresServer.ts"
import { freePort, run, start, type Worker } from "./processes.ts"
import type { FleetOrder } from "./protocol.ts"
import { machine, table } from "./report.ts"

const size = Number(process.argv[2] ?? 200)

class TooMany extends Data.TaggedError("TooMany")<{ readonly what: string }> {
  override get message(): string {
    return `more than it may be: ${this.what}`
  }
}

interface Cost {
  readonly way: string
  readonly cpuMillis: number
  readonly perSecond: number
  readonly statements?: number
  readonly commits?: number
}

/** Maximum number per document. */
const bounds: Readonly<Record<string, { readonly statements?: number; readonly commits: number }>> = {
  "SQLite": { statements: 45, commits: 11 },
  // Statements are not bounded, because two runners also poll for messages while they wait for each other, sometimes for seconds.
  "PostgreSQL, 2 runners": { commits: 18 }
}

const folder = Effect.acquireRelease(
  Effect.sync(() => {
    const path = mkdtempSync(join(tmpdir(), "bench-fleet-"))
    chmodSync(path, 0o755)
    mkdirSync(join(path, "out"))
    for (let index = 0; index < size; index++) {
      writeFileSync(join(path, `${index}.txt`), `Good day, number ${index}.\n`)
    }
    return path
  }),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** Measures a way after a warm-up. `transactions` reads the statements and commits so far. */
const costOf = Effect.fnUntraced(function*<E = never, R = never>(
  way: string,
  workers: ReadonlyArray<Worker>,
  transactions?: Effect.Effect<{ readonly statements: number; readonly commits: number }, E, R>
) {
  const all = Effect.forEach(workers, (worker) => run(worker, size), { concurrency: "unbounded" })
  yield* all
  const before = transactions === undefined ? undefined : yield* transactions
  const ran = yield* all
  const after = transactions === undefined ? undefined : yield* transactions
  const cost: Cost = {
    way,
    cpuMillis: ran.reduce((sum, { cpuMicros }) => sum + cpuMicros, 0) / 1000 / size,
    perSecond: size / Math.max(...ran.map(({ seconds }) => seconds)),
    ...(before === undefined || after === undefined ? undefined : {
      statements: (after.statements - before.statements) / size,
      commits: (after.commits - before.commits) / size
    })
  }
  return cost
})

const files = Effect.fnUntraced(function*(way: "one after the other" | "20 at a time", url: string) {
  const worker = yield* start("fleetClient.ts", [
    JSON.stringify({ way, url, folder: yield* folder } satisfies FleetOrder)
  ])
  return yield* costOf(`\`NodeDocuments\`, ${way}`, [worker])
}, Effect.scoped)

const sqlite = Effect.fnUntraced(function*(url: string) {
  const worker = yield* start("fleetClient.ts", [
    JSON.stringify({ way: "SQLite", url, folder: yield* folder } satisfies FleetOrder)
  ])
  const transactions = Effect.andThen(worker.send({ tag: "count" }), worker.receive("transactions"))
  return yield* costOf("SQLite", [worker], transactions)
}, Effect.scoped)

const postgres = Effect.fnUntraced(function*(url: string) {
  const database = yield* postgresServer(["shared_preload_libraries=pg_stat_statements", "fsync=on"])
  const path = yield* folder
  const startOne = (way: FleetOrder["way"], port?: number) => {
    const order: FleetOrder = { way, url, folder: path, database, ...(port === undefined ? undefined : { port }) }
    return start("fleetClient.ts", [JSON.stringify(order)])
  }
  const runners = yield* Effect.forEach(
    [1, 2],
    () => Effect.flatMap(freePort, (port) => startOne("PostgreSQL, runner", port))
  )
  const client = yield* startOne("PostgreSQL, client")
  return yield* Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    yield* sql`CREATE EXTENSION pg_stat_statements`
    const transactions = Effect.map(
      sql<{ readonly statements: number; readonly commits: number }>`
        SELECT sum(calls)::int AS statements, pg_current_xact_id()::text::int AS commits FROM pg_stat_statements`,
      ([row]) => row ?? { statements: 0, commits: 0 }
    )
    return yield* costOf("PostgreSQL, 2 runners", [client, ...runners], transactions)
  }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(database) })))
}, Effect.scoped)

const number = (value: number | undefined) => value === undefined ? "" : value.toFixed(1)

const program = Effect.gen(function*() {
  const { url } = yield* start("documentServer.ts", [])
  const costs: ReadonlyArray<Cost> = [
    yield* files("one after the other", url),
    yield* files("20 at a time", url),
    yield* sqlite(url),
    ...(isInstalled ? [yield* postgres(url)] : [])
  ]
  yield* Console.log(`${size} documents of 22 bytes each, after as many. ${machine()}\n`)
  yield* Console.log(table(
    ["", "CPU, ms", "documents a second", "statements", "commits"],
    costs.map(({ commits, cpuMillis, perSecond, statements, way }) => [
      way,
      number(cpuMillis),
      number(perSecond),
      number(statements),
      number(commits)
    ])
  ))
  if (!isInstalled) yield* Console.log("\nNot measured: PostgreSQL (apt-get install postgresql util-linux)")
  for (const { commits = 0, statements = 0, way } of costs) {
    const most = bounds[way]
    if (most !== undefined && (statements > (most.statements ?? Infinity) || commits > most.commits)) {
      return yield* new TooMany({ what: `${way}: ${number(statements)} statements, ${number(commits)} commits` })
    }
  }
})

NodeRuntime.runMain(Effect.scoped(program))
