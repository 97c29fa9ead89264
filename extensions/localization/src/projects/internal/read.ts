/** Reads a project file, and finds the files of the project. */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { globSync } from "node:fs"
import { hasAllLanguages } from "../../formats/internal/table.ts"
import { type Files, InvalidProject, Project } from "../Project.ts"
import { textOf } from "./files.ts"
import { codeOf, isCode, type Locale, localeOf, pathFor, type Settings, settingsOf } from "./locales.ts"
import { countStars, starsOf, withStars } from "./pattern.ts"

export const decoded = <A>(schema: Schema.Codec<A, Schema.Json>, file: string, text: string) =>
  Effect.mapError(
    Schema.decodeUnknownEffect(Schema.fromJsonString(schema), { errors: "all", onExcessProperty: "error" })(text),
    ({ message }) => new InvalidProject({ file, problem: message.replaceAll(/\s+/g, " ") })
  )

const entryOf = (files: Files) =>
  typeof files === "string" ? { source: files, target: files } : { ...files, source: files.source ?? files.target }

export const readProject = Effect.fnUntraced(function*(file: string) {
  const invalid = (problem: string) => new InvalidProject({ file, problem })
  const text = yield* textOf(file)
  if (text === undefined) {
    return yield* invalid(
      `there is no such file; make one such as {"source":"en","targets":["de"],"files":["locales/{language}.json"]}`
    )
  }
  const project = yield* decoded(Project, file, text)
  const wrong = project.files.map(entryOf).find(({ target }) =>
    !target.includes("{language}") && !hasAllLanguages(target)
  )
  const codes = [project.source, ...project.targets].map(codeOf)
  const unknown = codes.findIndex((code) => !isCode(code))
  const same = codes.findIndex((code, index) => codes.indexOf(code) !== index)
  const other = [project, ...project.files.map(entryOf)].flatMap(({ languages = {} }) => Object.keys(languages))
    .find((spelling) => !codes.includes(codeOf(spelling)))
  const problem = wrong !== undefined
    ? `files: ${wrong.target} must contain {language}`
    : unknown !== -1
    ? `${[project.source, ...project.targets][unknown]} is not a language code such as pt-BR`
    : same !== -1
    ? `targets: ${project.targets[same - 1]} is the source language or is listed twice`
    : other !== undefined && `languages: ${other} is neither the source language nor one of the targets`
  return problem === false ? project : yield* invalid(problem)
})

interface Localized {
  readonly source: string
  readonly targetOf: (language: Locale) => string
  readonly settingsOf: (language: Locale) => Settings
}

/** A project's source files, with target paths and settings per language. Paths are relative to the project's folder. */
export const filesOf = Effect.fnUntraced(function*(project: Project, file: string) {
  const path = yield* Path.Path
  const folder = path.dirname(file)
  const invalid = (problem: string) => new InvalidProject({ file, problem })
  const inFolder = (pattern: string) => path.relative(folder, path.resolve(folder, pattern)).replaceAll("\\", "/")
  const found = new Map<string, Localized>()
  const from = localeOf(project.source)
  // Entries without wildcards take precedence.
  const entries = project.files.map(entryOf).toSorted((a, b) => countStars(a.source) - countStars(b.source))
  for (const files of entries) {
    const settings = (language: Locale) => settingsOf(project, files, language)
    const source = inFolder(pathFor(files.source, from, settings(from).path))
    const target = inFolder(files.target)
    const paths = source.includes("*") ? globSync(source, { cwd: folder }).toSorted() : [source]
    if (paths.length === 0) return yield* invalid(`files: nothing matches ${source}`)
    if (countStars(target) > countStars(source)) {
      return yield* invalid(`files: ${files.target} has more wildcards than ${files.source}`)
    }
    for (const path of paths) {
      if (found.has(path)) {
        if (path !== source) continue
        return yield* invalid(`files: ${path} is a source of two entries; leave it in one of them`)
      }
      const stars = starsOf(source, path.replaceAll("\\", "/"))
      if (stars.length < countStars(source)) {
        return yield* invalid(`files: ${files.source} has other wildcards than * and **`)
      }
      found.set(path, {
        source: path,
        targetOf: (language) => pathFor(withStars(target, stars), language, settings(language).path),
        settingsOf: settings
      })
    }
  }
  return [...found.values()]
})
