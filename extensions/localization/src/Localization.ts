/**
 * Translates a program's localization files. The project file lists the files; a lock file next to it records the source of each translation.
 *
 * **Example** (A script of a build)
 *
 * ```ts import.meta.vitest
 * import { Localization } from "@effect-lingua/localization"
 * import { FakeLanguageService } from "@effect-lingua/testing"
 * import * as NodeServices from "@effect/platform-node/NodeServices"
 * import { Effect, FileSystem } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const { makeTempDirectoryScoped, readFileString, writeFileString } = yield* FileSystem.FileSystem
 *   const folder = yield* makeTempDirectoryScoped()
 *   yield* writeFileString(`${folder}/en.json`, `{ "title": "My page" }`)
 *   const project = { source: "en", targets: ["de"], files: ["{language}.json"] }
 *   yield* writeFileString(`${folder}/effect-lingua.json`, JSON.stringify(project))
 *
 *   const opened = yield* Localization.open({ file: `${folder}/effect-lingua.json` })
 *   const [cost] = opened.costs
 *   yield* opened.run()
 *   return [cost?.characters, yield* readFileString(`${folder}/de.json`)]
 * })
 * const result = await program.pipe(
 *   Effect.scoped,
 *   Effect.provide([FakeLanguageService.layerServices(), NodeServices.layer]),
 *   Effect.runPromise
 * )
 * result // => [7, `{ "title": "[de] My page" }`]
 * ```
 *
 * @since 0.3.0
 */
import { Usage } from "@effect-lingua/core/account/Usage"
import type { ErrorOf } from "@effect-lingua/core/errors/CallError"
import type { Category } from "@effect-lingua/core/errors/Problem"
import type { Translation } from "@effect-lingua/core/texts/Translation"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { Format } from "./formats/Format.ts"
import { formCountOf } from "./formats/internal/categories.ts"
import { linesOf } from "./formats/internal/edits.ts"
import { type Markup, unprotectedIn } from "./formats/internal/markup.ts"
import { formatOf, formats as known, hasAllLanguages } from "./formats/internal/table.ts"
import { listing } from "./internal/languages.ts"
import { optionsOf } from "./internal/options.ts"
import { merge, readTarget, type Target } from "./internal/targets.ts"
import { type Job, nothing, parsing, prepare, toTranslate, translate } from "./internal/translating.ts"
import { discover as discovered } from "./projects/internal/discovery.ts"
import { inside, replace, textOf } from "./projects/internal/files.ts"
import { codeOf, localeOf } from "./projects/internal/locales.ts"
import * as Lock from "./projects/internal/lock.ts"
import { isExcluded, remedies, type State } from "./projects/internal/plan.ts"
import { filesOf, readProject } from "./projects/internal/read.ts"
import {
  type Discovered,
  type InvalidFile,
  InvalidProject,
  type Project,
  type UnusableFile
} from "./projects/Project.ts"

/**
 * The project, languages and files to open.
 *
 * @category options
 * @since 0.3.0
 */
export interface Options {
  /** The path of the project file, such as `effect-lingua.json`. */
  readonly file: string
  /** Ignores a lock file with merge conflicts, and accepts manual edits as translations of the present source. */
  readonly accept?: boolean | undefined
  /** Languages to open, from the project's targets. Default: all. */
  readonly targets?: ReadonlyArray<string> | undefined
  /** Paths of sources, targets or folders to open, relative to the project file. Default: all. */
  readonly only?: ReadonlyArray<string> | undefined
  /** Translates all texts again, including manual edits. */
  readonly force?: boolean | undefined
  /** Additional and replacement formats by file extension. */
  readonly formats?: Readonly<Record<string, Format>> | undefined
}

/**
 * The estimated cost of translating a target file.
 *
 * @category models
 * @since 0.3.0
 */
export interface Cost {
  /** The path of the target, relative to the project. */
  readonly file: string
  readonly language: string
  /** Number of texts to send. An ICU message has one text for each combination of branches. */
  readonly texts: number
  /** Estimated characters to send. */
  readonly characters: number
  /** Number of requests, without retries after wrong responses. */
  readonly requests: number
  /** Number of texts to delete: a run wrote them, and the source lacks them. */
  readonly removed: number
}

/**
 * The estimated cost of translating a target file, with the service's language codes.
 *
 * @category models
 * @since 0.3.0
 */
export interface Resolved extends Cost {
  /** The service's code of the source, such as `en` for `en-US`. */
  readonly source: string
  /** The service's code of the target, such as `zh-Hans` for `zh-CN`. */
  readonly service: string
  /** Why the service cannot translate the file. */
  readonly problem?: string
}

/**
 * A text or file that needs attention.
 *
 * @category models
 * @since 0.3.0
 */
export interface Problem {
  /** The path of the target, relative to the project. */
  readonly file: string
  readonly language: string
  /** The id of the text; empty for a problem of the whole file. */
  readonly id: string
  /** The line in the target, or in `source` if the target does not have the text. */
  readonly line?: number | undefined
  readonly source: string
  /** `invalid`: the file does not parse; `refused`: the text or its translation is unusable; `unreadable`, `unwritten`: the file is inaccessible. */
  readonly state: Exclude<State, "current"> | "invalid" | "refused" | "unreadable" | "unwritten"
  readonly problem: string
  readonly remedy: string
}

/**
 * Values excluded from translation, unused resources, unprotected placeholders, and texts that the source lacks: not problems.
 *
 * @category models
 * @since 0.3.0
 */
export interface Skipped {
  /** The path of a source or target, relative to the project. */
  readonly file: string
  /**
   * Content of `names`. `excluded`: ids that match `exclude`; `extra`: ids of manual translations that the source lacks; `other`: ids of values
   * that are not texts; `plurals`: ids of i18next v3 plurals; `resource`: names of resources
   * without the language; `unprotected`: parts that look like placeholders, after the text's id.
   */
  readonly what: "excluded" | "extra" | "other" | "plurals" | "resource" | "unprotected"
  readonly names: ReadonlyArray<string>
}

/**
 * A run's progress in a file: once with `done: 0`, and after each translated sentence.
 *
 * @category models
 * @since 0.3.0
 */
export interface Progress {
  readonly file: string
  readonly language: string
  readonly done: number
  readonly total: number
}

/**
 * Limits and progress callback of a run.
 *
 * @category options
 * @since 0.3.0
 */
export interface RunOptions {
  /** Allows the deletion of all texts that runs wrote to a target whose source has no texts. */
  readonly deleteAll?: boolean | undefined
  /** Maximum characters to send; a larger run fails before sending. Default: `maxCharacters` of the project. */
  readonly maxCharacters?: number | undefined
  /** Runs after each step. Files are translated concurrently. */
  readonly onProgress?: ((progress: Progress) => Effect.Effect<void>) | undefined
}

/**
 * A run's result for one target file.
 *
 * @category models
 * @since 0.3.0
 */
export interface Done {
  readonly target: string
  readonly language: string
  /** Texts with a new translation. */
  readonly translated: number
  readonly kept: number
  /** Deleted texts. */
  readonly removed: number
  /** Texts edited by hand before the source changed. */
  readonly stale: number
  readonly problems: ReadonlyArray<Problem>
}

/**
 * A run's result. `failure` is the first error of a request.
 *
 * @category models
 * @since 0.3.0
 */
export interface Report {
  readonly done: ReadonlyArray<Done>
  /** Glossaries, style lists and translation memories that were left out because they lack a language. */
  readonly skipped: ReadonlyArray<Skipped>
  readonly failure: ErrorOf<typeof Translation, "translate"> | undefined
}

/** True if `only` is empty, or has the path or its folder. */
const isAmong = (only: ReadonlyArray<string> | undefined, path: string): boolean =>
  only === undefined || only.length === 0 || only.some((one) => {
    const chosen = one.replace(/^\.\//, "").replace(/\/$/, "")
    return chosen === "." || path === chosen || path.startsWith(`${chosen}/`)
  })

/** Categories of errors that stop all languages. */
const ofAll: ReadonlySet<Category> = new Set(["access", "budget", "quota", "unreachable"])

const languageRemedy =
  "set service of the language in languages to the service's code, or remove the language from targets"

const maxConcurrentFiles = 4

const problemOf = (
  { language, source, target }: Pick<Job, "language" | "source" | "target">,
  id: string,
  rest: Pick<Problem, "state" | "problem" | "remedy" | "line">
): Problem => ({ file: target, language, id, source, ...rest })

type Planning = Target & { readonly cost: Cost; readonly reasons: ReadonlyMap<string, string> }

const jobsOf = Effect.fnUntraced(function*(
  project: Project,
  lock: Lock.Lock,
  { accept = false, file, force = false, formats, only, targets = [] }: Options
) {
  const path = yield* Path.Path
  const folder = path.dirname(file)
  const invalid = (problem: string) => new InvalidProject({ file, problem })
  const codes = new Set(project.targets.map(codeOf))
  const unknown = targets.find((target) => !codes.has(codeOf(target)))
  if (unknown !== undefined) {
    return yield* invalid(`${unknown} is not one of the project's targets: ${project.targets.join(", ")}`)
  }
  const languages = project.targets.map(localeOf)
  const files = yield* filesOf(project, file)
  const owners = new Map(files.map(({ source }) => [path.normalize(source).toLowerCase(), source]))
  for (const { source, targetOf } of files) {
    for (const target of languages.map(targetOf)) {
      const name = path.normalize(target).toLowerCase()
      if (source === target && hasAllLanguages(target)) continue
      const owner = owners.get(name)
      if (owner !== undefined) {
        return yield* invalid(
          `files: ${target} of ${source} is also a file of ${owner}; names that differ only in case are one ` +
            "file on many machines"
        )
      }
      owners.set(name, source)
    }
  }
  const jobs: Array<Planning> = []
  const problems: Array<Problem> = []
  const skipped: Array<Skipped> = []
  /** Records an invalid or unreadable file as a problem, so that other files continue. */
  const reported = <A, R>(
    read: Effect.Effect<A, InvalidFile | InvalidProject | UnusableFile, R>,
    source: string,
    language: string
  ) =>
    Effect.catchTag(read, ["InvalidFile", "UnusableFile"], ({ _tag, file: bad, problem }) => {
      const target = path.relative(folder, path.resolve(folder, bad))
      const line = Number(/^line (\d+)/.exec(problem)?.[1]) || undefined
      const state = _tag === "InvalidFile" ? "invalid" : "unreadable"
      const remedy = state === "invalid" ? "correct the file" : "make it a file that can be read"
      problems.push(problemOf({ language, source, target }, "", { state, problem, remedy, line }))
      return Effect.undefined
    })
  for (const { settingsOf, source, targetOf } of files) {
    const format = yield* formatOf(source, formats)
    if (format === undefined) {
      const names = Object.keys({ ...known, ...formats }).join(", ")
      return yield* invalid(`${source} has no known format; known formats are ${names}`)
    }
    const sourceFile = yield* inside(file, folder, source)
    const chosen = languages.filter((locale) =>
      (targets.length === 0 || targets.map(codeOf).includes(locale.code)) &&
      (isAmong(only, source) || isAmong(only, targetOf(locale)))
    )
    if (chosen.length === 0) continue
    const read = yield* reported(
      Effect.gen(function*() {
        const text = yield* textOf(sourceFile)
        if (text === undefined) return yield* invalid(`there is no source file ${source}`)
        return { text, parsed: yield* parsing(source, () => format.parse(text, codeOf(project.source))) }
      }),
      source,
      codeOf(project.source)
    )
    if (read === undefined) continue
    const { parsed, text } = read
    const lineInSource = linesOf(text)
    skipped.push({ file: source, what: "other", names: parsed.others ?? [] })
    const isXml = parsed.placeholders === "xml"
    const from = settingsOf(localeOf(project.source)).service ?? codeOf(project.source)
    for (const locale of chosen) {
      const language = locale.code
      const target = targetOf(locale)
      const settings = settingsOf(locale)
      const markup: Markup = {
        isXml,
        syntax: settings.placeholders ?? (parsed.placeholders === "xml" ? "printf" : parsed.placeholders)
      }
      const job = yield* reported(
        Effect.gen(function*() {
          const before = yield* textOf(yield* inside(file, folder, target))
          const input = { source, target, language, format, parsed, markup, settings, from }
          const job = yield* readTarget(input, before, lock, force)
          const { reasons, requests, texts } = yield* parsing(source, () => prepare(job))
          const characters = Usage.estimateText(texts)
          const counts = { texts: texts.length, characters, requests, removed: job.removed.size }
          return { ...job, cost: { file: target, language, ...counts }, reasons }
        }),
        source,
        language
      )
      if (job === undefined) continue
      jobs.push(job)
      const excluded = job.planned.filter(({ id }) => isExcluded(id, settings.exclude)).map(({ id }) => id)
      skipped.push({ file: target, what: "excluded", names: excluded })
      skipped.push({ file: target, what: "extra", names: job.extra })
      const unprotected = toTranslate(job).flatMap(({ id, markup, text }) => unprotectedIn(text, markup, id))
      skipped.push({ file: target, what: "unprotected", names: unprotected })
      const pluralIds = new Set(formCountOf(language) === 2 ? [] : job.planned.map(({ id }) => `${id}_plural`))
      const plurals = job.planned.flatMap(({ id }) => pluralIds.has(id) ? id : [])
      skipped.push({ file: target, what: "plurals", names: plurals })
      const lineIn = linesOf(job.before ?? "")
      for (const { id, offset, problem, state } of job.planned) {
        if (state === "current" || state === "stale" && accept) continue
        const at = job.present.get(id)?.offset
        const found = at !== undefined ? lineIn(at) : offset === undefined ? undefined : lineInSource(offset)
        const reason = job.reasons.get(id) ?? problem
        const shown = job.reasons.has(id) ? "refused" : state
        const { problem: usual, remedy } = remedies[shown]
        problems.push(problemOf(job, id, { state: shown, problem: reason ?? usual, remedy, line: found?.line }))
      }
    }
  }
  return { jobs, problems, skipped }
})

const checkRun = Effect.fnUntraced(function*(
  file: string,
  project: Project,
  jobs: ReadonlyArray<Planning>,
  { deleteAll = false, maxCharacters = project.maxCharacters }: RunOptions
) {
  const extra = jobs.find(({ removed }) => removed.size > 0)
  const emptied = jobs.find(({ planned, removed }) => planned.length === 0 && removed.size > 0)
  const characters = jobs.reduce((sum, { cost }) => sum + cost.characters, 0)
  const problem = project.removed === "stop" && extra !== undefined
    ? `${extra.target} has texts that ${extra.source} does not have: ${[...extra.removed].slice(0, 5).join(", ")}`
    : emptied !== undefined && !deleteAll
    ? `${emptied.source} has no texts any more; add --delete-all to delete the texts of ${emptied.target} that runs wrote: ${emptied.removed.size}`
    : maxCharacters !== undefined && characters > maxCharacters &&
      `${characters} characters would be sent, and maxCharacters is ${maxCharacters}; raise it, or choose languages or files`
  if (problem !== false) return yield* new InvalidProject({ file, problem })
})

/**
 * Reads a project's files, and plans their translation. Sends nothing.
 *
 * **Details**
 *
 * `costs` estimates the requests of `run` for each file, and `problems` lists each text that is missing, outdated or broken. `run` translates
 * missing and changed texts, and replaces each file atomically. A failed file or language does not stop other files, but an exhausted quota, a
 * refused key or a lost connection stops the run. Concurrent runs wait for each other's writes.
 *
 * Fails with `InvalidProject`, `InvalidFile` or `UnusableFile` for a project or lock file that cannot be used. `run` fails with the same errors,
 * and with the errors of listing glossaries, style lists and translation memories. A target keeps edits made during a run.
 *
 * @category constructors
 * @since 0.3.0
 */
export const open = Effect.fnUntraced(function*(chosen: Options) {
  const path = yield* Path.Path
  const { accept = false } = chosen
  const file = path.resolve(chosen.file)
  const folder = path.dirname(file)
  const project = yield* readProject(file)
  const opened = yield* Lock.readLock(file, accept)
  const { jobs, problems, skipped } = yield* jobsOf(project, opened.lock, { ...chosen, file })
  const costs = jobs.map(({ cost }) => cost)

  const resolved = Effect.gen(function*() {
    // The list of languages is not requested if no text is to be translated.
    const find = costs.some(({ texts }) => texts > 0) ? yield* listing : undefined
    return yield* Effect.forEach(
      jobs,
      Effect.fnUntraced(function*({ cost, from, language, settings }) {
        const own: Resolved = { ...cost, source: from, service: settings.service ?? language }
        if (find === undefined || cost.texts === 0) return own
        const source = yield* find("source", own.source)
        if (Result.isFailure(source)) return yield* new InvalidProject({ file, problem: `source: ${source.failure}` })
        const target = yield* find("target", own.service)
        const found = Result.isFailure(target) ? { problem: target.failure } : { service: target.success }
        return { ...own, source: source.success, ...found }
      })
    )
  })

  const run = Effect.fnUntraced(function*(runOptions: RunOptions = {}) {
    yield* checkRun(file, project, jobs, runOptions)
    const { onProgress = () => Effect.void } = runOptions
    const rows = yield* resolved
    const { leftOut, options } = yield* optionsOf(file, jobs.filter((job) => toTranslate(job).length > 0))
    const writing = yield* Semaphore.make(1)
    let failure: ErrorOf<typeof Translation, "translate"> | undefined
    let isOver = false

    /** Writes a target file after its hashes are in the lock, because the process may be killed. */
    const write = Effect.fnUntraced(function*(job: Target, translations: ReadonlyMap<string, string>) {
      const { language, source, target } = job
      const path = yield* inside(file, folder, target)
      let written: Pick<Target, "planned"> & {
        readonly texts: ReadonlyMap<string, string>
        readonly unwritten?: string
      } = { ...job, texts: new Map() }
      yield* Lock.update(
        opened.file,
        accept,
        Effect.fnUntraced(function*(lock) {
          const merged = yield* merge(job, yield* textOf(path), translations, lock, accept)
          const { after, before, locked, next } = merged
          if (after !== undefined && after !== before) {
            const noted = Lock.withFile(lock, source, language, Lock.noted(locked, next))
            yield* replace(opened.file, opened.file, Lock.printLock(noted))
            yield* replace(path, target, after, before === undefined ? yield* inside(file, folder, source) : path)
          }
          written = merged
          return Lock.withFile(lock, source, language, next)
        })
      )
      return written
    })

    /** Reports a file that cannot be written, so that other files continue. */
    const written = (job: Target, translations: ReadonlyMap<string, string>) =>
      Effect.catchIf(write(job, translations), ({ file }) => file !== opened.file, ({ problem }) => {
        return Effect.succeed({ ...nothing, planned: job.planned, unwritten: `it cannot be written: ${problem}` })
      })

    const done = yield* Effect.forEach(
      Arr.zip(jobs, rows),
      Effect.fnUntraced(function*([job, { problem: unusable, service, source }]) {
        if (isOver) return []
        const { language, target } = job
        const outcome = unusable !== undefined ? nothing : yield* translate(
          job,
          { ...options.get(job), sourceLanguage: source, targetLanguage: service },
          (done, total) => onProgress({ file: target, language, done, total })
        )
        failure ??= outcome.failure
        isOver ||= outcome.failure !== undefined && ofAll.has(outcome.failure.category)
        const { planned, texts, unwritten } = yield* writing.withPermit(written(job, outcome.texts))
        const problemsOf = (id: string, problem: string | undefined, state: "refused" | "unwritten", remedy: string) =>
          problem === undefined ? [] : [problemOf(job, id, { state, problem, remedy })]
        const report: Done = {
          target,
          language,
          translated: texts.size,
          kept: planned.filter(({ state }) => ["current", "broken", "incomplete"].includes(state)).length,
          removed: unwritten === undefined ? job.removed.size : 0,
          stale: accept ? 0 : planned.filter(({ state }) => state === "stale").length,
          problems: [
            ...problemsOf("", unwritten, "unwritten", "correct the file, then run effect-lingua localize again"),
            ...problemsOf("", unusable, "refused", languageRemedy),
            ...planned.flatMap(({ id }) => problemsOf(id, outcome.reasons.get(id), "refused", remedies.refused.remedy))
          ]
        }
        return [report]
      }),
      { concurrency: maxConcurrentFiles }
    )
    const invalid = problems.filter(({ state }) => state === "invalid" || state === "unreadable").map(
      (problem): Done => {
        const { file: target, language } = problem
        return { target, language, translated: 0, kept: 0, removed: 0, stale: 0, problems: [problem] }
      }
    )
    const skipped = leftOut.map(([file, name]): Skipped => ({ file, what: "resource", names: [name] }))
    const report: Report = { done: [...done.flat(), ...invalid], skipped, failure }
    return report
  })

  return {
    project,
    costs,
    /** The costs with the service's language codes. Fails for an unknown source language. */
    resolved,
    problems,
    skipped: skipped.filter(({ names }) => names.length > 0),
    run
  }
})

/**
 * Finds the localization files in a folder, as the content of a project file: `undefined` if no file is found. `targets` is empty if no
 * translation exists.
 *
 * **Details**
 *
 * Formats such as ARB, PO and XLIFF are found in every folder, other formats in folders such as `locales`. A file is a translation if its path is
 * the source's with another language in a file or folder name, and it has a text of the source. Default for `source`: English.
 *
 * @category getters
 * @since 0.3.0
 */
export const discover = (
  options: { readonly folder: string; readonly source?: string | undefined; readonly targets?: ReadonlyArray<string> }
): Effect.Effect<Discovered | undefined> =>
  discovered(options.folder, Object.keys(known), options.source, options.targets)
