/** Files of SQLite, which only the user can read. */
import * as Effect from "effect/Effect"
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs"
import { dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"

/** One folder after the other: the recursive mode of Node.js never ends below /proc. */
const makeFolder = (folder: string): void => {
  if (existsSync(folder)) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

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
  return yield* Effect.acquireRelease(
    Effect.try({
      try: (): DatabaseSync => {
        if (path !== ":memory:") {
          makeFolder(dirname(path))
          // SQLite makes a file that others can read.
          closeSync(openSync(path, "a", 0o600))
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
