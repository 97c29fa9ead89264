/** Reads target files and merges translations. */
import * as Effect from "effect/Effect"
import type { Entry, Format } from "../formats/Format.ts"
import { categories } from "../formats/internal/categories.ts"
import type { Settings } from "../projects/internal/locales.ts"
import * as Lock from "../projects/internal/lock.ts"
import { nextLock, plan } from "../projects/internal/plan.ts"
import { type Job, parsing } from "./translating.ts"

export interface Target extends Job {
  readonly format: Format
  readonly from: string
  readonly settings: Settings
  readonly before: string | undefined
  readonly present: ReadonlyMap<string, Entry>
  /** Ids of texts to delete: runs wrote them, and the source lacks them. */
  readonly removed: ReadonlySet<string>
  /** Ids of texts to keep that the source lacks, such as manual translations. */
  readonly extra: ReadonlyArray<string>
}

const form = new RegExp(`(?<=\\[)\\d+\\]$|(?<=[/_])(?:${categories.join("|")})$`)

/** Maps the ids of a plural's forms to their common prefix. */
const pluralIn = (ids: Pick<ReadonlySet<string>, "has">) => (id: string): string => {
  const plural = id.replace(form, "")
  return plural.endsWith("[") || ids.has(`${plural}other`) ? plural : id
}

const otherOf = (others: ReadonlyArray<string> = []) => {
  const pluralOf = pluralIn(new Set(others))
  const all = new Set(others.map(pluralOf))
  return ([id]: readonly [string, unknown]) => all.has(pluralOf(id)) || all.has(id.replace(/\/[^/]*$/, ""))
}

export const readTarget = Effect.fnUntraced(function*(
  job: Omit<Target, "before" | "extra" | "planned" | "present" | "removed">,
  before: string | undefined,
  lock: Lock.Lock,
  force: boolean
) {
  const { format, language, markup, parsed, settings, source, target } = job
  const present: ReadonlyMap<string, Entry> = before === undefined
    ? new Map()
    : yield* parsing(target, () => format.read(before, language))
  const found = yield* parsing(before === undefined ? source : target, () => parsed.units(language, before))
  // Ids may repeat.
  const units = new Map(found.map((unit) => [unit.id, unit]))
  const locked = Lock.lockOf(lock, source, language, present)
  // A source value that is no longer a text keeps its translation.
  const isOther = otherOf(parsed.others)
  const absent = [...present].filter((own) => !units.has(own[0]) && !isOther(own))
  const pluralOf = pluralIn(present)
  const kept = new Set(
    absent.flatMap(([id, { text }]) =>
      (text === "" ? locked.has(id) : locked.get(id)?.[1] === Lock.hashOf(text)) ? [] : pluralOf(id)
    )
  )
  const written = new Set(absent.flatMap(([id]) => kept.has(pluralOf(id)) ? [] : id))
  const texts = new Map([...units.values()].map(({ id, text }) => [id, text]))
  // Trial print, because list items before an extra item stay. Fails if a source text would replace an extra text.
  const after = absent.length === 0
    ? present
    : yield* parsing(target, () => format.read(parsed.print(language, texts, before, written), language))
  const removed = new Set([...written].filter((id) => !after.has(id)))
  return {
    ...job,
    before,
    present,
    planned: plan([...units.values()], present, locked, markup, language, { exclude: settings.exclude, force }),
    removed,
    extra: absent.flatMap(([id]) => removed.has(id) ? [] : id)
  } satisfies Target
})

/** Merges translations into a target file, and computes its lock entries. Keeps texts edited during the run. */
export const merge = Effect.fnUntraced(function*(
  job: Target,
  now: string | undefined,
  translations: ReadonlyMap<string, string>,
  lock: Lock.Lock,
  accept: boolean
) {
  const read = now === job.before ? job : yield* readTarget(job, now, lock, false)
  const { before, format, language, parsed, planned, present, removed, source } = read
  const texts = new Map(
    [...translations].filter(([id]) => ["", job.present.get(id)?.text].includes(present.get(id)?.text ?? ""))
  )
  const kept = planned.flatMap(({ id, kept }) => kept === undefined ? [] : [[id, kept] as const])
  const all = new Map([...kept, ...texts])
  const missing = planned.filter(({ id }) => !all.has(id))
  // Without changes, the bytes stay, and no file is created.
  const isSame = texts.size === 0 && (before === undefined ? missing.length > 0 : removed.size === 0)
  const after = isSame ? before : yield* parsing(job.target, () => parsed.print(language, all, before, removed))
  const written = after === undefined || missing.length === 0
    ? new Map<string, Entry>()
    : yield* parsing(job.target, () => format.read(after, language))
  const marks = missing.flatMap(({ id }) => {
    const found = written.get(id)
    return found === undefined ? [] : [[id, Lock.untranslated(found.text)] as const]
  })
  const locked = Lock.lockOf(lock, source, language, present)
  // Lock entries of extra texts and untranslatable values stay.
  const isOther = otherOf(parsed.others)
  const paused = [...locked].filter((own) => isOther(own) || read.extra.includes(own[0]))
  const next = new Map([...paused, ...nextLock(planned, texts, locked, accept), ...marks])
  return { after, before, locked, next, planned, texts }
})
