/** Translates the localization files of a project, loaded only by its commands. */
import { estimateText } from "@effect-lingua/core/account/Usage"
import type { Category } from "@effect-lingua/core/errors/Problem"
import type { TranslateError } from "@effect-lingua/core/texts/Translation"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type * as Services from "../../client/services.ts"
import { inside } from "../../files/inside.ts"
import * as Output from "../../files/output.ts"
import type { Format } from "../../localization/format.ts"
import { formatOf } from "../../localization/formats.ts"
import * as Lock from "../../localization/lock.ts"
import type { Markup } from "../../localization/markup.ts"
import { plan } from "../../localization/plan.ts"
import * as Project from "../../localization/project.ts"
import { FileUnusable, invalid, unwritable } from "../../settings/errors.ts"
import { type Job, optionsOf, parsing, toTranslate, translate } from "./translating.ts"

interface Opened extends Job {
  readonly format: Format
  readonly before: string | undefined
  /** Texts of the target that the source does not have. */
  readonly removed: ReadonlyArray<string>
}

/** What a file would cost. */
export interface Cost {
  readonly file: string
  readonly texts: number
  readonly characters: number
  readonly removed: number
}

/** Estimates the cost of a file. */
export const costOf = (job: Opened): Cost => {
  const texts = toTranslate(job)
  const characters = estimateText(texts.map(({ text }) => text))
  return { file: job.target, texts: texts.length, characters, removed: job.removed.length }
}

/** Reads the files of a project, and finds what is to be done. Nothing is sent. */
export const openProject = Effect.fnUntraced(function*(file: string, accept: boolean) {
  const path = yield* Path.Path
  const project = yield* Project.readProject(file)
  const folder = path.dirname(path.resolve(file))
  const { file: lockFile, lock } = yield* Lock.readLock(path.resolve(file), accept)
  const jobs: Array<Opened> = []
  for (const { source, targetOf } of yield* Project.filesOf(project, folder)) {
    const sourceFile = yield* inside(folder, source)
    const format = yield* formatOf(source)
    const text = yield* Project.textOf(sourceFile)
    if (text === undefined) return yield* invalid(`there is no source file ${source}`)
    const parsed = yield* parsing(source, () => format.parse(text, project.source))
    const isXml = parsed.placeholders === "xml"
    const markup: Markup = {
      isXml,
      syntax: project.placeholders ?? (parsed.placeholders === "xml" ? undefined : parsed.placeholders)
    }
    for (const language of project.targets) {
      const target = targetOf(language)
      const before = yield* Project.textOf(yield* inside(folder, target))
      const present = before === undefined
        ? new Map<string, string>()
        : yield* parsing(target, () => format.read(before, language))
      const units = yield* parsing(source, () => parsed.units(language, before))
      const ids = new Set(units.map(({ id }) => id))
      jobs.push({
        source,
        target,
        language,
        format,
        parsed,
        before,
        markup,
        planned: plan(units, present, Lock.lockOf(lock, source, language), markup, language),
        removed: [...present.keys()].filter((id) => !ids.has(id))
      })
    }
  }
  const owners = new Map(jobs.map(({ source }) => [path.normalize(source).toLowerCase(), source]))
  for (const { source, target } of jobs) {
    const name = path.normalize(target).toLowerCase()
    const owner = owners.get(name)
    if (owner !== undefined) {
      return yield* invalid(
        `files: ${target} of ${source} is also a file of ${owner}; names that differ only in case are one ` +
          "file on many machines"
      )
    }
    owners.set(name, source)
  }
  return { project, folder, lockFile, lock, jobs }
})

type Opening = Effect.Success<ReturnType<typeof openProject>>

/** What became of a file. */
export interface Done {
  readonly target: string
  readonly language: string
  readonly translated: number
  readonly kept: number
  readonly stale: number
  readonly problems: ReadonlyArray<string>
}

/** What became of a project, with the first error of a request. */
export interface Localized {
  readonly done: ReadonlyArray<Done>
  readonly failure: TranslateError | undefined
}

const replaceFile = (file: string, text: string) =>
  Effect.scoped(Effect.flatMap(Output.open(file, true), (write) => write(text)))

/** The categories of errors that all languages would have. */
const ofAll: ReadonlySet<Category> = new Set(["access", "budget", "quota", "unreachable"])

/** What the caller allows. */
interface Wishes {
  /** Edits by hand are translations of the present source. */
  readonly accept: boolean
  /** The texts of a target may be deleted if its source has none. */
  readonly deleteAll: boolean
}

/** Translates what is missing or changed, writes each file whole, and then the lock. A language that fails does not stop the others. */
export const localize = Effect.fnUntraced(function*(
  opening: Opening,
  services: typeof Services,
  { accept, deleteAll }: Wishes
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { folder, jobs, lockFile, project } = opening
  const extra = jobs.find(({ removed }) => removed.length > 0)
  if (project.removed === "stop" && extra !== undefined) {
    return yield* invalid(
      `${extra.target} has texts that ${extra.source} does not have: ${extra.removed.slice(0, 5).join(", ")}`
    )
  }
  const emptied = jobs.find(({ planned, removed }) => planned.length === 0 && removed.length > 0)
  if (emptied !== undefined && !deleteAll) {
    return yield* invalid(
      `${emptied.source} has no texts any more, and ${emptied.target} has ${emptied.removed.length}; add --delete-all to delete them`
    )
  }
  const options = yield* optionsOf(project, services)
  let { lock } = opening
  const done: Array<Done> = []
  let failure: TranslateError | undefined
  let isOver = false
  for (const job of jobs) {
    if (isOver) break
    const { before, format, language, parsed, planned, source } = job
    const { problems, texts, ...outcome } = yield* translate(job, options, services)
    failure ??= outcome.failure
    isOver = outcome.failure !== undefined && ofAll.has(outcome.failure.category)
    const all = new Map(
      planned.flatMap(({ id, kept }) => {
        const text = texts.get(id) ?? kept
        return text === undefined ? [] : [[id, text] as const]
      })
    )
    const target = yield* inside(folder, job.target)
    if ((yield* Project.textOf(target)) !== before) {
      return yield* new FileUnusable({
        message: `${job.target} was changed while it was translated; run the command again`
      })
    }
    const missing = planned.filter(({ id }) => !all.has(id))
    // A file in which nothing is translated or removed keeps its bytes, and one without a translation is not created.
    const isSame = texts.size === 0 && (before === undefined ? missing.length > 0 : job.removed.length === 0)
    const after = isSame ? before : parsed.print(language, all, before)
    const earlier = Lock.lockOf(lock, source, language)
    const hashes = Lock.nextLock(planned, texts, earlier, accept)
    if (after !== undefined && missing.length > 0) {
      const written = yield* parsing(job.target, () => format.read(after, language))
      const marks = missing.flatMap(({ id }) => {
        const text = written.get(id)
        return text === undefined ? [] : [[id, Lock.untranslated(text)] as const]
      })
      for (const [id, mark] of marks) hashes.set(id, mark)
      // Before the file, so that a run that is killed in between leaves no text of the source as one by hand.
      if (marks.length > 0) {
        const marked = Lock.withFile(lock, source, language, new Map([...earlier, ...marks]))
        yield* replaceFile(lockFile, Lock.printLock(marked))
      }
    }
    if (after !== undefined && after !== before) {
      yield* Effect.mapError(
        fs.makeDirectory(path.dirname(target), { recursive: true }),
        unwritable(job.target)
      )
      yield* replaceFile(target, after)
    }
    lock = Lock.withFile(lock, source, language, hashes)
    yield* replaceFile(lockFile, Lock.printLock(lock))
    done.push({
      target: job.target,
      language,
      translated: texts.size,
      kept: planned.filter(({ state }) => ["current", "broken", "incomplete"].includes(state)).length,
      stale: accept ? 0 : planned.filter(({ state }) => state === "stale").length,
      problems
    })
  }
  const localized: Localized = { done, failure }
  return localized
})
