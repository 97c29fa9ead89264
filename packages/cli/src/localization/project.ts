/** The project file of `localize`, and the files that it names. */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { globSync } from "node:fs"
import * as Reading from "../files/reading.ts"
import { oneLine } from "../screen/screen.ts"
import { invalid, InvalidSetting, systemCode, unreadable } from "../settings/errors.ts"
import { countStars, starsOf, withStars } from "./pattern.ts"

const Text = Schema.NonEmptyString

/** A path with `{language}`, or a source whose name does not have its language. */
const Files = Schema.Union([Text, Schema.Struct({ source: Text, target: Text })])

const Project = Schema.Struct({
  source: Text,
  targets: Schema.NonEmptyArray(Text),
  files: Schema.NonEmptyArray(Files),
  placeholders: Schema.optionalKey(Schema.Literals(["brace", "icu", "mustache", "printf"])),
  glossary: Schema.optionalKey(Text),
  styleRules: Schema.optionalKey(Text),
  formality: Schema.optionalKey(Text),
  translationMemory: Schema.optionalKey(Text),
  splitSentences: Schema.optionalKey(Text),
  preserveFormatting: Schema.optionalKey(Schema.Boolean),
  modelType: Schema.optionalKey(Text),
  customInstructions: Schema.optionalKey(Schema.Array(Text)),
  removed: Schema.optionalKey(Schema.Literals(["delete", "stop"])),
  // Those of all commands, see `settingSources.ts`.
  settings: Schema.optionalKey(Schema.Json)
})

/** What to translate, and how. */
export type Project = typeof Project.Type

/** The text of a file, or `undefined` if there is none. */
export const textOf = Effect.fnUntraced(function*(file: string) {
  const chunks = yield* Effect.catchIf(
    Stream.runCollect(Reading.bytesOf(file)),
    (error) => systemCode(error) === "ENOENT",
    () => Effect.undefined
  ).pipe(Effect.mapError(unreadable(file)))
  if (chunks === undefined) return undefined
  return yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks)),
    catch: () => new InvalidSetting({ message: `${file} is not text in UTF-8` })
  })
})

/** The value of a file of JSON. */
export const decoded = <A>(schema: Schema.Codec<A, Schema.Json>, file: string, text: string) =>
  Effect.mapError(
    Schema.decodeUnknownEffect(Schema.fromJsonString(schema), { errors: "all", onExcessProperty: "error" })(text),
    (error) => new InvalidSetting({ message: `${file}: ${oneLine(error.message)}` })
  )

const patternOf = (files: typeof Files.Type) => typeof files === "string" ? { source: files, target: files } : files

/** Reads a project file. */
export const readProject = Effect.fnUntraced(function*(file: string) {
  const text = yield* textOf(file)
  if (text === undefined) {
    return yield* invalid(
      `there is no ${file}; make one such as {"source":"en","targets":["de"],"files":["locales/{language}.json"]}`
    )
  }
  const project = yield* decoded(Project, file, text)
  const wrong = project.files.map(patternOf).find(({ target }) => !target.includes("{language}"))
  if (wrong !== undefined) {
    return yield* invalid(`${file}: files: ${wrong.target} must contain {language}`)
  }
  const same = project.targets.find((target, index) =>
    target === project.source || project.targets.indexOf(target) !== index
  )
  if (same !== undefined) {
    return yield* invalid(`${file}: targets: ${same} is the source, or is there twice`)
  }
  return project
})

/** A source file and the target of each language. */
interface Localized {
  readonly source: string
  readonly targetOf: (language: string) => string
}

/** The source files of a project, whose paths are relative to its folder, also those of absolute patterns. */
export const filesOf = Effect.fnUntraced(function*(project: Project, folder: string) {
  const path = yield* Path.Path
  const inFolder = (pattern: string) => path.relative(folder, path.resolve(folder, pattern)).replaceAll("\\", "/")
  const found: Array<Localized> = []
  for (const files of project.files.map(patternOf)) {
    const source = inFolder(files.source.replaceAll("{language}", project.source))
    const target = inFolder(files.target)
    const paths = source.includes("*") ? globSync(source, { cwd: folder }).toSorted() : [source]
    if (paths.length === 0) return yield* invalid(`files: nothing matches ${source}`)
    if (countStars(target) > countStars(source)) {
      return yield* invalid(`files: ${files.target} has more stars than ${files.source}, from which they are filled`)
    }
    for (const path of paths) {
      const stars = starsOf(source, path.replaceAll("\\", "/"))
      if (stars.length < countStars(source)) {
        return yield* invalid(`files: ${files.source} has other signs of a pattern than * and **`)
      }
      found.push({
        source: path,
        targetOf: (language) => withStars(target, stars).replaceAll("{language}", language)
      })
    }
  }
  return found
})
