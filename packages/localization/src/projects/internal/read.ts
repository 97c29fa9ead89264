/** Reads a project file, and finds the files that it names. */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import { globSync } from "node:fs"
import { type Files, InvalidProject, Project } from "../Project.ts"
import { textOf } from "./files.ts"
import { countStars, starsOf, withStars } from "./pattern.ts"

/** The value of a file of JSON. */
export const decoded = <A>(schema: Schema.Codec<A, Schema.Json>, file: string, text: string) =>
  Effect.mapError(
    Schema.decodeUnknownEffect(Schema.fromJsonString(schema), { errors: "all", onExcessProperty: "error" })(text),
    ({ message }) => new InvalidProject({ file, problem: message.replaceAll(/\s+/g, " ") })
  )

const patternOf = (files: Files) => typeof files === "string" ? { source: files, target: files } : files

/** Reads a project file. */
export const readProject = Effect.fnUntraced(function*(file: string) {
  const invalid = (problem: string) => new InvalidProject({ file, problem })
  const text = yield* textOf(file)
  if (text === undefined) {
    return yield* invalid(
      `there is no such file; make one such as {"source":"en","targets":["de"],"files":["locales/{language}.json"]}`
    )
  }
  const project = yield* decoded(Project, file, text)
  const wrong = project.files.map(patternOf).find(({ target }) => !target.includes("{language}"))
  if (wrong !== undefined) {
    return yield* invalid(`files: ${wrong.target} must contain {language}`)
  }
  const same = project.targets.find((target, index) =>
    target === project.source || project.targets.indexOf(target) !== index
  )
  if (same !== undefined) {
    return yield* invalid(`targets: ${same} is the source language or is listed twice`)
  }
  return project
})

/** A source file and the target of each language. */
interface Localized {
  readonly source: string
  readonly targetOf: (language: string) => string
}

/** The source files of a project, whose paths are relative to its folder, also those of absolute patterns. */
export const filesOf = Effect.fnUntraced(function*(project: Project, file: string) {
  const path = yield* Path.Path
  const folder = path.dirname(file)
  const invalid = (problem: string) => new InvalidProject({ file, problem })
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
