// A PostgreSQL server in a temporary folder.
import { Effect } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { chownSync, globSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const isRoot = process.getuid?.() === 0

/** Debian does not install these programs on the PATH. */
const programs = globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1) ?? ""

export const hasPostgres = programs !== ""

/** PostgreSQL refuses to run as root. */
const asUser = (command: string, args: ReadonlyArray<string>): readonly [string, ReadonlyArray<string>] =>
  isRoot ? ["runuser", ["-u", "postgres", "--", join(programs, command), ...args]] : [join(programs, command), args]

const idOf = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))

/** Starts a server and returns the URL of an empty database. The server stops at the end of the scope. */
export const postgres = (port: number) =>
  Effect.gen(function*() {
    const folder = mkdtempSync(join(tmpdir(), "fleet-postgres-"))
    if (isRoot) chownSync(folder, idOf("-u"), idOf("-g"))
    const data = join(folder, "data")
    const quiet = { cwd: folder, stdio: "ignore" } as const
    execFileSync(...asUser("initdb", ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync"]), quiet)
    const server = spawn(...asUser("postgres", ["-D", data, "-p", `${port}`, "-h", "127.0.0.1", "-k", folder]), {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"]
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        execFileSync(...asUser("pg_ctl", ["stop", "-D", data, "-m", "fast"]), quiet)
        rmSync(folder, { recursive: true, force: true })
      })
    )
    yield* Effect.callback<void>((resume) => {
      server.stderr.on("data", (data: Buffer) => {
        if (data.toString().includes("ready to accept connections")) resume(Effect.void)
      })
    })
    return `postgres://postgres@127.0.0.1:${port}/postgres`
  })
