/**
 * Measures goodput under a rate limit: a server refuses requests above its capacity, and 1, 2, 4 and 8 client processes together send more. For each
 * kind of client: useful calls per second as a share of the capacity, and the share of refused attempts.
 *
 *     node tools/bench/goodput.ts            all cells, about seven minutes
 *     node tools/bench/goodput.ts --quick    fewer and shorter cells, under forty seconds
 *
 * `--kinds`, `--windows`, `--processes` and `--seconds` choose cells: `--kinds rate,redis --processes 4`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Console, Effect } from "effect"
import { cpus } from "node:os"
import { parseArgs } from "node:util"
import { start, startRedis } from "./processes.ts"
import type { Kind, Order, Window } from "./protocol.ts"
import { table as reportTable, writeResult } from "./report.ts"

const { values: given } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    kinds: { type: "string" },
    windows: { type: "string" },
    processes: { type: "string" },
    seconds: { type: "string" }
  }
})

const capacity = 200
const latency = 20
const inFlight = 32

const titles: Readonly<Record<Kind, string>> = {
  defaults: "this client, which learns",
  rate: "this client, `rate` of C/N in each process",
  redis: "this client, `rate` of C shared through Redis",
  "deepl-node": "deepl-node 1.28.0"
}

const kinds: ReadonlyArray<Kind> = ["defaults", "rate", "redis", "deepl-node"]
const windows: ReadonlyArray<Window> = ["fixed", "sliding"]

const choose = <A extends string>(all: ReadonlyArray<A>, chosen: string | undefined): ReadonlyArray<A> =>
  chosen === undefined ? all : all.filter((item) => chosen.split(",").includes(item))

const seconds = Number(given.seconds ?? (given.quick ? 3 : 10))

interface Cell {
  readonly window: Window
  readonly kind: Kind
  readonly processes: number
}

interface Result extends Cell {
  readonly seconds: number
  readonly useful: number
  readonly failed: number
  readonly accepted: number
  readonly refused: number
}

const cells: ReadonlyArray<Cell> = choose(windows, given.windows ?? (given.quick ? "fixed" : undefined)).flatMap(
  (window) => {
    // The sliding window only confirms the results of the fixed window, so one number of processes is enough.
    const numbers = given.processes ?? (given.quick ? "2" : window === "fixed" ? "1,2,4,8" : "4")
    return choose(kinds, given.kinds).flatMap((kind) =>
      numbers.split(",").map((number) => ({ window, kind, processes: Number(number) }))
    )
  }
)

const startServer = (capacity: number, window: Window) =>
  start("goodputServer.ts", [String(capacity), window, String(latency)])

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, number) => total + number, 0)

const measure = Effect.fnUntraced(function*(cell: Cell, warmUpUrl: string, redisUrl: string) {
  const { kind, processes, window } = cell
  const server = yield* startServer(capacity, window)
  const order: Order = { kind, url: server.url, warmUpUrl, capacity, processes, inFlight, redisUrl }
  const clients = yield* Effect.forEach(
    Array.from({ length: processes }),
    () => start("goodputClient.ts", [JSON.stringify(order)]),
    { concurrency: "unbounded" }
  )
  yield* server.send({ tag: "start" })
  const begun = yield* Clock.currentTimeMillis
  yield* Effect.forEach(clients, (client) => client.send({ tag: "start" }), { discard: true })
  yield* Effect.sleep(seconds * 1000)
  const [{ counts: { accepted, refused } }, ...ends] = yield* Effect.all([
    Effect.andThen(server.send({ tag: "count" }), server.receive("serverCounts")),
    ...clients.map((client) => Effect.andThen(client.send({ tag: "count" }), client.receive("clientCounts")))
  ], { concurrency: "unbounded" })
  const ended = yield* Clock.currentTimeMillis
  const result: Result = {
    ...cell,
    seconds: (ended - begun) / 1000,
    useful: sum(ends.map(({ counts }) => counts.useful)),
    failed: sum(ends.map(({ counts }) => counts.failed)),
    accepted,
    refused
  }
  return result
})

const shareUseful = ({ seconds, useful }: Result): number => useful / seconds / capacity
const shareRefused = ({ accepted, refused }: Result): number => refused / Math.max(1, accepted + refused)

const shown = (result: Result | undefined): string =>
  result === undefined
    ? ""
    : `${shareUseful(result).toFixed(2)}, ${(100 * shareRefused(result)).toFixed(1)} %, ${result.failed}`

const table = (title: string, some: ReadonlyArray<Result>): string => {
  const numbers = [...new Set(some.map(({ processes }) => processes))]
  const rows = kinds.filter((kind) => some.some((result) => result.kind === kind)).map((kind) => {
    const cells = numbers.map((number) =>
      shown(some.find((result) => result.kind === kind && result.processes === number))
    )
    return [titles[kind]].concat(cells)
  })
  const columns = ["client", ...numbers.map((number) => `N = ${number}`)]
  return some.length === 0
    ? ""
    : `${title}:\n\n${reportTable(columns, rows)}\n`
}

const program = Effect.scoped(Effect.gen(function*() {
  const redisUrl = yield* startRedis
  const { url: warmUpUrl } = yield* startServer(Number.POSITIVE_INFINITY, "fixed")
  if (redisUrl === undefined) {
    yield* Console.error("redis-server is missing (apt-get install redis-server), so its cells are skipped")
  }
  const results: Array<Result> = []
  for (const cell of cells) {
    if (cell.kind === "redis" && redisUrl === undefined) continue
    const result = yield* Effect.scoped(measure(cell, warmUpUrl, redisUrl ?? ""))
    results.push(result)
    yield* Console.error(
      `${cell.window} ${cell.kind} N=${cell.processes}: ${shareUseful(result).toFixed(3)} of C useful, ` +
        `${(100 * shareRefused(result)).toFixed(1)} % refused, ${result.failed} calls failed`
    )
  }
  const of = (window: Window) => results.filter((result) => result.window === window)
  const text = [
    "# Goodput",
    "",
    `C = ${capacity} requests per second, N client processes with ${inFlight} calls in flight each, ${latency} ms for a ` +
    `translation, ${seconds} s per cell from the first call on. A cell has the useful calls per second as a share of C, the ` +
    "share of refused attempts, and the number of failed calls.",
    "",
    [
      table("Windows of one second", of("fixed")),
      table("A sliding window of one second", of("sliding"))
    ].filter((part) => part !== "").join("\n")
  ].join("\n")
  yield* Console.log(text)
  const name = given.quick ? "goodput-quick" : "goodput"
  yield* Effect.sync(() => {
    writeResult(`${name}.md`, text)
    writeResult(
      `${name}.json`,
      `${
        JSON.stringify(
          { capacity, inFlight, latency, node: process.version, cpus: cpus().length, results },
          null,
          2
        )
      }\n`
    )
  })
}))

NodeRuntime.runMain(program)
