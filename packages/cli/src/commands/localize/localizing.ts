/** Translates the localization files of a project, loaded only by its commands. */
import { estimateText } from "@effect-lingua/core/account/Usage"
import type { TranslateError } from "@effect-lingua/core/texts/Translation"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type * as Services from "../../client/services.ts"
import { inside } from "../../files/inside.ts"
import * as Output from "../../files/output.ts"
import { type Format, Malformed, type Source } from "../../localization/format.ts"
import { formatOf } from "../../localization/formats.ts"
import * as Lock from "../../localization/lock.ts"
import { isMessages, type Markup, markupOf, protectInXml } from "../../localization/markup.ts"
import { type Sentences, sentencesOf } from "../../localization/messages.ts"
import { plan, type Planned } from "../../localization/plan.ts"
import * as Project from "../../localization/project.ts"
import { checkResponse } from "../../localization/response.ts"
import { FileUnusable, invalid, InvalidSetting, unwritable } from "../../settings/errors.ts"

/** A file in a language, with the state of its texts. */
interface Job {
  readonly source: string
  readonly target: string
  readonly language: string
  readonly planned: ReadonlyArray<Planned>
  /** Texts of the target that the source does not have. */
  readonly removed: ReadonlyArray<string>
}

interface Opened extends Job {
  readonly format: Format
  readonly parsed: Source
  readonly before: string | undefined
  readonly markup: Markup
}

/** The texts that are translated. */
const toTranslate = ({ planned }: Job): ReadonlyArray<Planned> =>
  planned.filter(({ state }) => state === "missing" || state === "changed")

/** What a file would cost. */
export interface Cost {
  readonly file: string
  readonly texts: number
  readonly characters: number
  readonly removed: number
}

/** Estimates the cost of a file. */
export const costOf = (job: Job): Cost => {
  const texts = toTranslate(job)
  const characters = estimateText(texts.map(({ text }) => text))
  return { file: job.target, texts: texts.length, characters, removed: job.removed.length }
}

const parsing = <A>(file: string, parse: () => A): Effect.Effect<A, InvalidSetting> =>
  Effect.try({
    try: parse,
    catch: (error) => {
      if (error instanceof Malformed) return new InvalidSetting({ message: `${file}: ${error.message}` })
      // The parsers of the formats recurse.
      if (error instanceof RangeError && error.message.includes("call stack")) {
        return new InvalidSetting({ message: `${file}: it is nested too deep` })
      }
      throw error
    }
  })

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

/** The id of one of a list, which is given by its name or id. */
const idOf = Effect.fnUntraced(function*<A extends { readonly name: string }, Id extends string, E, R>(
  things: string,
  given: string | undefined,
  list: Stream.Stream<A, E, R>,
  idOf: (one: A) => Id
) {
  if (given === undefined) return undefined
  const all = yield* Stream.runCollect(list)
  const found = all.find((one) => one.name === given || idOf(one) === given)
  return found === undefined
    ? yield* invalid(`there is no ${things} ${given}; there are ${all.map(({ name }) => name).join(", ") || "none"}`)
    : idOf(found)
})

/** The options of all translations of a project. Glossary and style list are found by name or id. */
const optionsOf = Effect.fnUntraced(function*(project: Project.Project, { Glossaries, StyleRules }: typeof Services) {
  const glossaries = yield* Glossaries
  const styleRules = yield* StyleRules
  return {
    sourceLanguage: project.source,
    formality: project.formality,
    glossaryId: yield* idOf("glossary", project.glossary, glossaries.list(), ({ glossaryId }) => glossaryId),
    styleId: yield* idOf("style list", project.styleRules, styleRules.list(), ({ styleId }) => styleId)
  }
})

/** Texts of a request. Few enough for the limit of bytes, as such texts are short. */
const perRequest = 40

interface Outcome {
  readonly texts: ReadonlyMap<string, string>
  readonly problems: ReadonlyArray<string>
  readonly failure: TranslateError | undefined
}

/** Translates the texts of a file. A failure keeps what was translated before it. */
const translate = Effect.fnUntraced(function*(
  { language, markup, ...job }: Opened,
  options: Effect.Success<ReturnType<typeof optionsOf>>,
  { Placeholders, Translation }: typeof Services
) {
  const units = yield* parsing(job.source, () =>
    toTranslate({ language, ...job }).map((unit) => {
      const own = markupOf(unit, markup)
      const sentences: Sentences = isMessages(own)
        ? sentencesOf(unit.text, language)
        : { texts: [unit.text], join: ([text = ""]) => text }
      return { id: unit.id, sentences, markup: own }
    }))
  const all = { ...options, targetLanguage: language }
  const inXml = (texts: ReadonlyArray<string>, own: Markup) => {
    const protectedTexts = texts.map((text) => protectInXml(text, own.syntax))
    return Effect.map(
      Translation.use(({ translate }) =>
        translate({ ...all, text: protectedTexts.map(({ text }) => text), tagHandling: "xml", outlineDetection: false })
      ),
      Arr.map(({ text: translated }, index): Result.Result<string, string> => {
        const restored = protectedTexts[index]?.restore(translated) ?? translated
        return Result.flatMap(
          checkResponse(texts[index] ?? "", restored, own),
          (found) =>
            job.parsed.accepts?.(found) === false
              ? Result.fail("its translation is not well-formed XML")
              : Result.succeed(found)
        )
      })
    )
  }
  /** Texts whose tags changed are sent once more, without the others, as `Placeholders.translate` does. */
  const inXmlTwice = Effect.fnUntraced(function*(texts: ReadonlyArray<string>, own: Markup) {
    const found = yield* inXml(texts, own)
    const again = found.flatMap((result, index) => Result.isFailure(result) ? [index] : [])
    if (again.length === 0) return found
    // The first request was paid for, so its results are returned instead of the second's error.
    const second = yield* Effect.orElseSucceed(inXml(again.map((index) => texts[index] ?? ""), own), () => [])
    for (const [index, result] of Arr.zip(again, second)) found[index] = result
    return found
  })
  const groups = Object.values(Arr.groupBy(units, ({ markup }) => markup.syntax ?? ""))
  const requests = groups.flatMap((group) =>
    Arr.chunksOf(group.flatMap(({ sentences }) => sentences.texts), perRequest)
      .map((texts) => ({ texts, own: group[0].markup }))
  )
  const done: Array<Result.Result<string, string>> = []
  let failure: TranslateError | undefined
  for (const { own, texts } of requests) {
    const sent = own.isXml || own.syntax === undefined
      ? inXmlTwice(texts, own)
      : Effect.map(
        Placeholders.translate({ ...all, text: texts, placeholders: own.syntax, onError: "result" }),
        Arr.map((result, index): Result.Result<string, string> =>
          Result.match(result, {
            onSuccess: ({ text }) => checkResponse(texts[index] ?? "", text, own),
            onFailure: ({ change, placeholder }) =>
              Result.fail(`its placeholder ${placeholder} is ${change} in the translation`)
          })
        )
      )
    const result = yield* Effect.result(sent)
    if (Result.isFailure(result)) {
      failure = result.failure
      break
    }
    done.push(...result.success)
  }
  const texts = new Map<string, string>()
  const problems: Array<string> = []
  let at = 0
  for (const { id, sentences } of groups.flat()) {
    const own = done.slice(at, at + sentences.texts.length)
    at += sentences.texts.length
    if (own.length < sentences.texts.length) break
    const broken = own.find(Result.isFailure)
    if (broken === undefined) texts.set(id, sentences.join(own.map((one) => Result.getOrElse(one, () => ""))))
    else problems.push(`${job.target}: ${id}: ${broken.failure}`)
  }
  const incomplete = new Set(
    job.planned.filter(({ id, kept }) => kept === undefined && !texts.has(id)).map(({ plural }) => plural)
  )
  for (const { id, kept, plural } of job.planned) {
    if (plural !== undefined && kept === undefined && incomplete.has(plural)) texts.delete(id)
  }
  const outcome: Outcome = { texts, problems, failure }
  return outcome
})

/** What became of a file. */
export interface Done {
  readonly target: string
  readonly language: string
  readonly translated: number
  readonly kept: number
  readonly stale: number
  readonly problems: ReadonlyArray<string>
}

const replaceFile = (file: string, text: string) =>
  Effect.scoped(Effect.flatMap(Output.open(file, true), (write) => write(text)))

/** What the caller allows. */
interface Wishes {
  /** Edits by hand are translations of the present source. */
  readonly accept: boolean
  /** The texts of a target may be deleted if its source has none. */
  readonly deleteAll: boolean
}

/** Translates what is missing or changed, writes each file whole, and then the lock. */
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
  for (const job of jobs) {
    const { before, format, language, parsed, planned, source } = job
    const { failure, problems, texts } = yield* translate(job, options, services)
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
    const isEmpty = before === undefined && texts.size === 0 && missing.length > 0
    const after = isEmpty ? before : parsed.print(language, all, before)
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
    if (failure !== undefined) return yield* Effect.fail(failure)
    done.push({
      target: job.target,
      language,
      translated: texts.size,
      kept: planned.filter(({ state }) => ["current", "broken", "incomplete"].includes(state)).length,
      stale: accept ? 0 : planned.filter(({ state }) => state === "stale").length,
      problems
    })
  }
  return done
})
