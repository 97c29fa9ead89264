/** Files of SQLite, which only the user can read. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { closeSync, openSync, realpathSync } from "node:fs"
import { basename, dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { describe as describePlatform, makeFolders, platform } from "./files.ts"
import * as OwnFiles from "./ownFiles.ts"

/** The message of an error. */
export const describe = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

/** Opens a file with folders and all, and runs statements on it. `failed` makes the error. */
export const open = Effect.fnUntraced(function*<E>(
  path: string,
  setup: string,
  failed: (description: string, cause: unknown) => E
) {
  const { DatabaseSync } = yield* Effect.tryPromise({
    try: () => import("node:sqlite"),
    catch: (cause) => failed("this runtime has no node:sqlite", cause)
  })
  const isFile = path !== ":memory:"
  if (isFile) {
    const made = FileSystem.FileSystem.use((fs) => makeFolders(fs, dirname(path), 0o700))
    yield* Effect.mapError(Effect.provide(made, platform), (error) => failed(describePlatform(error), error))
  }
  return yield* Effect.acquireRelease(
    Effect.try({
      try: (): DatabaseSync => {
        // SQLite makes a file that others can read.
        if (isFile) {
          closeSync(openSync(path, "a", 0o600))
          const real = realpathSync(path)
          OwnFiles.add(dirname(real), `${basename(real).replaceAll(/\W/g, "\\$&")}(-journal|-shm|-wal)?`)
        }
        const database = new DatabaseSync(path)
        database.exec(setup)
        return database
      },
      catch: (cause) => failed(describe(cause), cause)
    }),
    (database) => Effect.sync(() => database.close())
  )
})
