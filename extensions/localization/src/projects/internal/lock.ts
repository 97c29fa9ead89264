/** The lock file of `localize`: hashes of source texts and their translations. */
import * as NodeAtomicFile from "@effect-lingua/node/files/NodeAtomicFile"
import * as Effect from "effect/Effect"
import type { FileSystem } from "effect/FileSystem"
import * as Path from "effect/Path"
import { isObject } from "effect/Predicate"
import * as Schema from "effect/Schema"
import { createHash } from "node:crypto"
import type { Entry } from "../../formats/Format.ts"
import { type InvalidFile, InvalidProject, UnusableFile } from "../Project.ts"
import { inside, textOf, unusable } from "./files.ts"
import { decoded } from "./read.ts"

const Hashes = Schema.Tuple([Schema.String, Schema.String])

/**
 * Hashes of a source text and of the text that this program wrote. The second hash is empty for a manual or missing translation. The first hash is
 * empty if the source text was written untranslated, because the format cannot omit a text.
 */
export type Hashes = typeof Hashes.Type

/** During a write, the hashes before and after the write. The text in the target file decides which pair applies. */
const Noted = Schema.Union([Hashes, Schema.Tuple([...Hashes.elements, ...Hashes.elements])])

const Locked = Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Record(Schema.String, Noted)))

export type Lock = typeof Locked.Type

export type FileLock = ReadonlyMap<string, Hashes>

type NotedLock = ReadonlyMap<string, typeof Noted.Type>

const LockFile = Schema.Struct({ version: Schema.Literal(1), files: Locked })

const lockName = "effect-lingua.lock.json"

export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16)

const parse = Effect.fnUntraced(function*(file: string, text: string | undefined, accept: boolean) {
  const invalid = (problem: string) => new InvalidProject({ file, problem })
  if (text === undefined) return {}
  if (/^<{7}(?: |$)/m.test(text)) {
    return accept ? {} : yield* invalid(
      "it has merge conflicts; resolve the conflicts of the translations, then run effect-lingua localize --accept, which " +
        "accepts all translations as manual translations of the present sources"
    )
  }
  const { version } = yield* decoded(Schema.Struct({ version: Schema.Int, files: Schema.Json }), file, text)
  if (version !== 1) {
    return yield* invalid(`it has version ${version}, and this program knows version 1; use the program that wrote it`)
  }
  return (yield* decoded(LockFile, file, text)).files
})

/** Reads the lock file. With `accept`, a lock file with merge conflicts counts as empty. */
export const readLock = Effect.fnUntraced(function*(project: string, accept: boolean) {
  const file = yield* inside(project, (yield* Path.Path).dirname(project), lockName)
  return { file, lock: yield* parse(file, yield* textOf(file), accept) }
})

/** The hashes of a target file with the texts `present`. A `Map`, because ids can be property names such as `constructor`. */
export const lockOf = (lock: Lock, source: string, language: string, present: ReadonlyMap<string, Entry>): FileLock =>
  new Map(
    Object.entries(lock[source]?.[language] ?? {}).map(([id, [text, written, nextText, nextWritten]]) => {
      const isWritten = nextWritten !== undefined && nextWritten === hashOf(present.get(id)?.text ?? "")
      return [id, isWritten && nextText !== undefined ? [nextText, nextWritten] : [text, written]]
    })
  )

/** Hashes before and after a write, so that the lock is valid whether or not a killed process wrote the target file. */
export const noted = (before: FileLock, next: FileLock): NotedLock =>
  new Map([
    ...before,
    ...Array.from(next, ([id, hashes]) => {
      const old = before.get(id)
      return [id, old === undefined || old.join() === hashes.join() ? hashes : [...old, ...hashes] as const] as const
    })
  ])

export const withFile = (lock: Lock, source: string, language: string, hashes: NotedLock): Lock => ({
  ...lock,
  [source]: { ...lock[source], [language]: Object.fromEntries(hashes) }
})

/** Hashes of a source text that was written untranslated. */
export const untranslated = (text: string): Hashes => ["", hashOf(text)]

/** True if the text was written untranslated and has not been edited. */
export const isUntranslated = ([source, written]: Hashes, text: string): boolean =>
  source === "" && written === hashOf(text)

const sorted = (key: string, value: unknown): unknown =>
  key === "" || !isObject(value)
    ? value
    : Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => one < other ? -1 : 1))

/** Prints the lock with sorted keys, so that diffs are small. */
export const printLock = (files: Lock): string =>
  `${JSON.stringify({ version: 1, files }, sorted, 1).replace(/\[\s+("\w*"),\s+("\w*")\s+\]/g, "[$1, $2]")}\n`

/** Changes the lock file exclusively: concurrent runs wait. */
export const update = (
  file: string,
  accept: boolean,
  change: (lock: Lock) => Effect.Effect<Lock, InvalidFile | InvalidProject | UnusableFile, FileSystem | Path.Path>
) =>
  NodeAtomicFile.update(
    file,
    Effect.fnUntraced(function*(text) {
      const printed = printLock(yield* change(yield* parse(file, text, accept)))
      return printed === text ? undefined : printed
    })
  ).pipe(
    Effect.catchTags({
      Busy: ({ holder }) => new UnusableFile({ file, operation: "written", problem: `it is in use by ${holder}` }),
      PlatformError: unusable(file, "written")
    })
  )
