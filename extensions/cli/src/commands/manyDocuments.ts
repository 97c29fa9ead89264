/** Command `documents translate`: files, folders and patterns, each in several languages. */
import { Usage } from "@effect-lingua/core/account/Usage"
import { documentTypes } from "@effect-lingua/core/documents/Documents"
import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { existsSync, globSync, realpathSync, statSync } from "node:fs"
import { withIds } from "../client/names.ts"
import { leftOut } from "../files/leftOut.ts"
import * as Output from "../files/output.ts"
import * as Place from "../files/place.ts"
import { tell } from "../screen/screen.ts"
import { type InvalidUsage, misuse, misuseIf, unreadable, unwritable } from "../settings/errors.ts"
import { tellSkipped } from "./command.ts"
import type { TranslateInput } from "./documents.ts"
import * as Flags from "./translationFlags.ts"

export interface Job {
  readonly file: string
  readonly language: string
  /** The target path; `undefined` if `NodeDocuments.translate` determines the path. */
  readonly target: string | undefined
  /** The translation's expected path, for `--skip-existing`. */
  readonly path: string
}

const known: ReadonlySet<string> = new Set(documentTypes)

const isDocument = (name: string): boolean => known.has(/\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? "")

/** A document; `below` is the path to its folder from `root`, the folder argument in which it was found. */
interface Source {
  readonly file: string
  readonly root?: string
  readonly below?: string
}

/** Resolves links. Returns a broken link unchanged: reading the link fails later. */
const realPath = (file: string): string => {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}

/** A pattern for all files of a folder, except hidden files. */
const everything = "**/*"

/** Finds documents that match a pattern. Omits links to other matching documents. Reports skipped files. */
const matching = Effect.fnUntraced(function*(pattern: string, folder: string) {
  const path = yield* Path.Path
  const shortest = new Map<string, string>()
  const skipped = new Map<string, Set<string>>()
  const skip = (why: string, name: string) =>
    skipped.set(why, (skipped.get(why) ?? new Set()).add(path.join(folder, name)))
  const leftOutOf = leftOut(pattern, folder, path)
  const cwd = path.resolve(folder)
  const names = globSync(pattern, { cwd }).toSorted((one, other) => one.length - other.length)
  for (const name of names) {
    const file = path.resolve(folder, name)
    const { what, why } = leftOutOf(name) ??
      { what: name, why: isDocument(name) ? undefined : "they are not documents" }
    if (why !== undefined) {
      if (what !== name || statSync(file, { throwIfNoEntry: false })?.isFile() === true) skip(why, what)
      continue
    }
    const real = realPath(file)
    if (shortest.has(real)) skip("they are links to others", name)
    else shortest.set(real, name)
  }
  for (const entry of pattern === everything ? globSync("**/.*", { cwd, withFileTypes: true }) : []) {
    const name = path.relative(cwd, path.join(entry.parentPath, entry.name))
    const isSkipped = entry.isDirectory() ? entry.name !== ".git" : isDocument(name)
    if (isSkipped && leftOutOf(name) === undefined) skip("they are hidden", name)
  }
  for (const [why, files] of skipped) yield* tellSkipped([...files].toSorted(), why)
  return [...shortest.values()].toSorted()
})

const expand = Effect.fnUntraced(function*(input: string): Effect.fn.Return<
  ReadonlyArray<Source>,
  InvalidUsage,
  FileSystem.FileSystem | Path.Path | Effect.Services<ReturnType<typeof tellSkipped>>
> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const info = yield* Effect.option(fs.stat(input))
  if (info._tag === "Some") {
    if (info.value.type !== "Directory") return [{ file: input }]
    const documents = yield* matching(everything, input)
    if (documents.length === 0) {
      return yield* misuse(`${input} has no documents; their types are ${documentTypes.join(", ")}`)
    }
    return documents.map((name) => ({ file: path.join(input, name), root: input, below: path.dirname(name) }))
  }
  if (!/[*?[{]/.test(input)) return [{ file: input }]
  const documents = yield* matching(input, "")
  if (documents.length === 0) return yield* misuse(`no document matches ${input}`)
  return documents.map((file) => ({ file }))
})

/** True for a translation from an earlier run, such as `a.de.txt` next to `a.txt`. */
const isTranslation = (file: string, files: ReadonlySet<string>, targets: ReadonlyArray<string>): boolean =>
  targets.some((target) => {
    const parts = file.split(".")
    const extension = parts.pop() ?? ""
    return parts.pop()?.toLowerCase() === target.toLowerCase() && files.has([...parts, extension].join("."))
  })

const fields = /\{(folder|name|extension|language)\}/g

/** Plans a job for each document and language. Refuses a target that several jobs share. Sends nothing. */
export const plan = Effect.fnUntraced(function*(input: TranslateInput) {
  const path = yield* Path.Path
  const targets = yield* Flags.targetsOf(input.targets)
  yield* Place.checkSources(input.files.filter((file) => file === "-"))
  const found = (yield* Effect.forEach(input.files, expand)).flat()
  const names = new Set(found.map(({ file }) => file))
  const [sources, earlier] = Arr.partition(
    found,
    (source) =>
      input.files.includes(source.file) || !isTranslation(source.file, names, targets)
        ? Result.succeed(source)
        : Result.fail(source)
  )
  yield* tellSkipped(earlier.map(({ file }) => file), "they are translations of others")
  yield* Place.check(input, sources.length * targets.length)
  yield* Place.checkSources(sources.map(({ file }) => file))
  const { folder, template } = input
  yield* misuseIf(
    template !== undefined && (folder !== undefined || input.output !== undefined),
    "--template excludes --output and --output-dir"
  )
  const inside = sources.find(({ root }) =>
    folder !== undefined && root !== undefined &&
    `${path.resolve(folder)}${path.sep}`.startsWith(`${path.resolve(root)}${path.sep}`)
  )
  if (inside !== undefined) {
    return yield* misuse(
      `${folder} is inside ${inside.root}, so the next run would translate translations; give a folder outside`
    )
  }
  const jobs = sources.flatMap(({ below, file }) =>
    targets.map((language): Job => {
      const { dir, ext, name } = path.parse(file)
      const { outputFormat } = input.fields
      const extension = outputFormat === undefined ? ext.replace(/^\.doc$/i, "$&x") : `.${outputFormat}`
      const translation = `${name}.${language}${extension}`
      const values: Readonly<Record<string, string>> = {
        folder: dir === "" ? "." : dir,
        name,
        extension: ext.slice(1),
        language
      }
      const own = template === undefined
        ? folder !== undefined && (below !== undefined || targets.length > 1)
          ? path.join(folder, below ?? ".", translation)
          : undefined
        : template.replace(fields, (_, field: string) => values[field] ?? "")
      return {
        file,
        language,
        target: own,
        path: own ?? input.output ??
          (folder === undefined ? path.join(dir, translation) : path.join(folder, name + extension))
      }
    })
  )
  const paths = jobs.flatMap(({ target }) => target === undefined ? [] : [path.resolve(target)])
  const folded = Map.groupBy(paths, (target) => target.toLowerCase())
  const [one, other] = [...folded.values()].find(({ length }) => length > 1) ?? []
  yield* misuseIf(
    other !== undefined,
    one === other
      ? `${one} would have several translations; put {language} or {name} into --template`
      : `${other} and ${one} differ only in case, and are one file on many disks; rename a source`
  )
  if (!input.skipExisting) return jobs
  const [missing, existing] = Arr.partition(
    jobs,
    (job) => existsSync(job.path) ? Result.fail(job) : Result.succeed(job)
  )
  yield* tellSkipped(existing.map(({ path }) => path), "they exist")
  return missing
})

/** Lists documents with their estimated characters, and the remaining quota. */
export const planned = Effect.fnUntraced(function*(jobs: ReadonlyArray<Job>) {
  const fs = yield* FileSystem.FileSystem
  const rows = yield* Effect.forEach(jobs, ({ file, language }) =>
    fs.stat(file).pipe(
      Effect.mapError(unreadable(file)),
      Effect.map(({ size }) => ({ file, language, characters: Usage.estimateDocument(file, Number(size)) }))
    ))
  yield* Output.print(Output.rows(rows, { file: "file", language: "language", "characters, about": "characters" }))
  const characters = rows.reduce((sum, row) => sum + row.characters, 0)
  const left = Usage.remaining(yield* Usage.use(({ get }) => get))
  yield* tell("planned", `${rows.length} documents, about ${characters} characters; ${left} are left`, {
    characters,
    left
  })
})

export const workOf = Effect.fnUntraced(function*(
  jobs: ReadonlyArray<Job>,
  { fields, folder, output, overwrite }: TranslateInput
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const documents = yield* NodeDocuments
  const several = new Set(jobs.map(({ language }) => language)).size > 1
  const options = yield* withIds(Flags.translationOptions(fields))
  return jobs.map(({ file, language, target }) => ({
    name: several ? `${file} (${language})` : file,
    source: path.resolve(file),
    run: Effect.gen(function*() {
      if (target !== undefined) {
        yield* Effect.mapError(fs.makeDirectory(path.dirname(target), { recursive: true }), unwritable(target))
      }
      const place = target === undefined ? { target: output, folder } : { target }
      return yield* documents.translate({ ...options, ...place, targetLanguage: language, source: file, overwrite })
    })
  }))
})
