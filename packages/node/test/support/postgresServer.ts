import { Effect } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { chownSync, globSync } from "node:fs"
import { join } from "node:path"
import { prints, start } from "../../../../test/support/processes.ts"
import { folder } from "./documents.ts"
import { freePort } from "./listen.ts"

const isRoot = process.getuid?.() === 0

/** PostgreSQL refuses to run as root. */
const asUser = (command: string, args: ReadonlyArray<string>): readonly [string, ReadonlyArray<string>] =>
  isRoot ? ["runuser", ["-u", "postgres", "--", command, ...args]] : [command, args]

/** The number of the user or group of PostgreSQL. */
const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))

/** The folder of the programs of PostgreSQL, which Debian keeps off the path. */
const programs = globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1)

/** True if there is a PostgreSQL, and for root what starts it as its user. */
export const isInstalled = programs !== undefined && (!isRoot || spawnSync("runuser", ["--version"]).status === 0)

/** A PostgreSQL server with an empty database, which is stopped with the scope. Returns its URL. */
export const postgresServer = Effect.fnUntraced(function*(settings: ReadonlyArray<string> = ["fsync=off"]) {
  const cwd = yield* folder
  if (isRoot) chownSync(cwd, id("-u"), id("-g"))
  const data = join(cwd, "data")
  execFileSync(...asUser(join(programs ?? "", "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync"]), {
    cwd,
    stdio: "ignore"
  })
  const port = yield* freePort
  const options = `-D ${data} -p ${port} -h 127.0.0.1 -k ${cwd}`.split(" ")
    .concat(settings.flatMap((setting) => ["-c", setting]))
  const server = yield* start(...asUser(join(programs ?? "", "postgres"), options), { cwd })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      const stop = ["stop", "-D", data, "-m", "immediate"]
      execFileSync(...asUser(join(programs ?? "", "pg_ctl"), stop), { cwd, stdio: "ignore" })
    })
  )
  yield* prints(server, "ready to accept connections")
  return `postgres://postgres@127.0.0.1:${port}/postgres`
})
