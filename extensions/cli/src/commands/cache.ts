/** `cache stats` and `cache clear`. */
import type * as NodeResultCache from "@effect-lingua/cache/NodeResultCache"
import * as Effect from "effect/Effect"
import type { PersistenceError } from "effect/persistence/Persistence"
import { wrap } from "../screen/wrap.ts"
import { InvalidSetting } from "../settings/errors.ts"
import { command, group } from "./command.ts"

/** Uses the cache of this user. */
const using = <A>(
  use: (cache: typeof NodeResultCache) => Effect.Effect<A, PersistenceError>
): Effect.Effect<A, InvalidSetting> =>
  Effect.promise(() => import("@effect-lingua/cache/NodeResultCache")).pipe(
    Effect.flatMap(use),
    Effect.mapError(({ message }) => new InvalidSetting({ message }))
  )

const shown = ({ bytes, entries }: NodeResultCache.Stats): string =>
  `${entries} ${entries === 1 ? "result" : "results"}, ${Math.ceil(bytes / 1024)} KiB`

const stats = command("cache stats", {
  description: "Report the file of the cache, with its number of results and its size",
  examples: { "": "Those of this user" },
  params: {},
  run: () =>
    Effect.map(using((cache) => cache.stats()), (found) => ({
      json: [found],
      human: ({ clean, columns }) => wrap(`${shown(found)} in ${clean(found.path)}`, columns)
    }))
})

const clear = command("cache clear", {
  description: "Remove all results from the cache; they are paid again when they are needed",
  examples: { "": "Those of this user" },
  params: {},
  run: () =>
    Effect.map(using((cache) => cache.clear()), (had) => ({
      json: [had],
      human: () => `removed ${shown(had)}`
    }))
})

/** The cache of results on this machine. */
export const cache = group("cache", [stats, clear])
