/** The lock file of `localize`: what each translation was made from. */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import { InvalidProject } from "../Project.ts"
import { inside, textOf } from "./files.ts"
import { decoded } from "./read.ts"

const Hashes = Schema.Tuple([Schema.String, Schema.String])

/**
 * The hashes of a source and of what this program wrote for it. Without the second, the translation is by hand; without the first, what
 * was written is the source's own text, in a file that cannot leave it out.
 */
export type Hashes = typeof Hashes.Type

const Locked = Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Record(Schema.String, Hashes)))

export type Lock = typeof Locked.Type

export type FileLock = ReadonlyMap<string, Hashes>

const LockFile = Schema.Struct({ version: Schema.Literal(1), files: Locked })

const none: Lock = {}

const lockName = "effect-lingua.lock.json"

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16)

/** Reads the lock file. `accept` ignores one with merge conflicts. */
export const readLock = Effect.fnUntraced(function*(project: string, accept: boolean) {
  const file = yield* inside(project, (yield* Path.Path).dirname(project), lockName)
  const invalid = (problem: string) => new InvalidProject({ file, problem })
  const text = yield* textOf(file)
  if (text === undefined) return { file, lock: none }
  if (/^<{7}(?: |$)/m.test(text)) {
    return accept ? { file, lock: none } : yield* invalid(
      "it has conflicts of a merge; resolve those of the translations, then run effect-lingua localize --accept, which takes " +
        "all translations as made by hand from the present sources"
    )
  }
  const { version } = yield* decoded(Schema.Struct({ version: Schema.Int, files: Schema.Json }), file, text)
  if (version !== 1) {
    return yield* invalid(
      `it has version ${version}, and this program knows version 1; use the program that wrote it`
    )
  }
  return { file, lock: (yield* decoded(LockFile, file, text)).files }
})

/** A map, because ids can be names such as `constructor`. */
export const lockOf = (lock: Lock, source: string, language: string): FileLock =>
  new Map(Object.entries(lock[source]?.[language] ?? {}))

export const withFile = (lock: Lock, source: string, language: string, hashes: FileLock): Lock => ({
  ...lock,
  [source]: { ...lock[source], [language]: Object.fromEntries(hashes) }
})

/** Marks a text without a translation. */
export const untranslated = (text: string): Hashes => ["", hashOf(text)]

/** True for a text without a translation that nobody has edited. */
export const isUntranslated = ([source, written]: Hashes, text: string): boolean =>
  source === "" && written === hashOf(text)

const sorted = <A>(record: Readonly<Record<string, A>>, value: (value: A) => unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.keys(record).toSorted().flatMap((key) => {
      const found = record[key]
      return found === undefined ? [] : [[key, value(found)]]
    })
  )

/** Sorted, so that its changes are small. */
export const printLock = (lock: Lock): string => {
  const files = sorted(lock, (languages) => sorted(languages, (ids) => sorted(ids, (hashes) => hashes)))
  return `${JSON.stringify({ version: 1, files }, null, 1).replace(/\[\s+("\w*"),\s+("\w*")\s+\]/g, "[$1, $2]")}\n`
}
