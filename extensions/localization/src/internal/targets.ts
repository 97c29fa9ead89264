/** The target files of a project: what is to be done about their texts, and the texts that are written. */
import * as Effect from "effect/Effect"
import type { Entry, Format } from "../formats/Format.ts"
import type { Settings } from "../projects/internal/locales.ts"
import * as Lock from "../projects/internal/lock.ts"
import { plan } from "../projects/internal/plan.ts"
import { type Job, parsing } from "./translating.ts"

/** A file in a language, with its present texts. */
export interface Target extends Job {
  readonly format: Format
  /** The code of the source language. */
  readonly from: string
  readonly settings: Settings
  readonly before: string | undefined
  readonly present: ReadonlyMap<string, Entry>
  /** Texts of the target that the source does not have. */
  readonly removed: ReadonlyArray<string>
}

/** Reads the texts of a target file, and decides about each. */
export const readTarget = Effect.fnUntraced(function*(
  job: Omit<Target, "before" | "planned" | "present" | "removed">,
  before: string | undefined,
  locked: Lock.FileLock,
  force: boolean
) {
  const { format, language, markup, parsed, settings, source, target } = job
  const present: ReadonlyMap<string, Entry> = before === undefined
    ? new Map()
    : yield* parsing(target, () => format.read(before, language))
  const units = yield* parsing(source, () => parsed.units(language, before))
  const ids = new Set(units.map(({ id }) => id))
  const read: Target = {
    ...job,
    before,
    present,
    planned: plan(units, present, locked, markup, language, { exclude: settings.exclude, force }),
    removed: [...present.keys()].filter((id) => !ids.has(id))
  }
  return read
})

/** A target with translations, and the file for them. Texts that were edited while they were translated stay as they are. */
export const merge = Effect.fnUntraced(function*(
  job: Target,
  now: string | undefined,
  translations: ReadonlyMap<string, string>,
  locked: Lock.FileLock
) {
  const read = now === job.before ? job : yield* readTarget(job, now, locked, false)
  const { before, format, language, parsed, planned, present, removed } = read
  const texts = new Map([...translations].filter(([id]) => {
    const text = present.get(id)?.text ?? ""
    return text === "" || text === job.present.get(id)?.text
  }))
  const all = new Map(
    planned.flatMap(({ id, kept }) => {
      const text = texts.get(id) ?? kept
      return text === undefined ? [] : [[id, text] as const]
    })
  )
  const missing = planned.filter(({ id }) => !all.has(id))
  // A file in which nothing is translated or removed keeps its bytes, and one without a translation is not created.
  const isSame = texts.size === 0 && (before === undefined ? missing.length > 0 : removed.length === 0)
  const after = isSame ? before : parsed.print(language, all, before)
  const written = after === undefined || missing.length === 0
    ? new Map<string, Entry>()
    : yield* parsing(job.target, () => format.read(after, language))
  /** Marks of the texts that are in the file without a translation. */
  const marks = missing.flatMap(({ id }) => {
    const found = written.get(id)
    return found === undefined ? [] : [[id, Lock.untranslated(found.text)] as const]
  })
  return { after, before, marks, planned, texts }
})
