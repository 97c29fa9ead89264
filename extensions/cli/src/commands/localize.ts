import type { Cost, Problem, Progress, Report, Resolved, Skipped } from "@effect-lingua/localization/Localization"
import type { InvalidFile, InvalidProject, UnusableFile } from "@effect-lingua/localization/projects/Project"
import * as NodeAtomicFile from "@effect-lingua/node/files/NodeAtomicFile"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { call } from "../client/client.ts"
import { nearestProject, projectName } from "../client/settingSources.ts"
import * as Output from "../files/output.ts"
import { counts } from "../screen/progress.ts"
import { tell } from "../screen/screen.ts"
import { BadFile, FileUnusable, invalid, misuseIf, ProblemsFound } from "../settings/errors.ts"
import { integer, optional, sourceLanguage, targetLanguages, text, texts, toggle } from "../settings/flags.ts"
import { command, first, tellSkipped } from "./command.ts"

const localization = Effect.promise(() => import("@effect-lingua/localization/Localization"))

/** Maps the library's errors to errors with an exit code. */
const mapped = {
  InvalidProject: ({ message }: InvalidProject) => invalid(message),
  InvalidFile: ({ message }: InvalidFile) => invalid(message),
  UnusableFile: ({ message }: UnusableFile) => Effect.fail(new FileUnusable({ message }))
}

const flags = {
  project: text("project", "file", `The project file; by default ${projectName} of this folder or one above`),
  to: targetLanguages("Only this language of the project"),
  only: texts("only", "path", "Only this source, target or folder, as a path from the project file")
}

/** The project file: `path`, or the file in this folder or the nearest folder above. */
const fileOf = (path: string | undefined) =>
  path === undefined ? Effect.map(nearestProject, (found) => found ?? projectName) : Effect.succeed(path)

const spelled = ({ file, id, problem }: Problem): string => `${file}: ${id === "" ? "" : `${id}: `}${problem}`

/** Describes a run's problems, grouping a file's texts that have the same problem. */
const summary = (problems: ReadonlyArray<Problem>): string => {
  const groups = Map.groupBy(problems, ({ file, problem }) => JSON.stringify([file, problem]))
  const texts = [...groups.values()].flatMap((group) => {
    const ids = first(group.flatMap(({ id }) => id === "" ? [] : [id]), ", ")
    return group.slice(0, 1).map((problem) => spelled({ ...problem, id: ids }).replace(/\.$/, ""))
  })
  return `${first(texts, "; ")}. Not translated: ${[...new Set(problems.map(({ remedy }) => remedy))].join("; ")}`
}

/** Fails with the error for the worst problem: an inaccessible file, then an invalid file, then other problems. */
const failing = (problems: ReadonlyArray<Problem>, message: string) => {
  const bad = problems.find(({ state }) => state === "invalid")
  return Effect.fail(
    problems.some(({ state }) => state === "unreadable" || state === "unwritten")
      ? new FileUnusable({ message })
      : bad === undefined
      ? new ProblemsFound({ message })
      : new BadFile({ message, file: bad.file, line: bad.line })
  )
}

const reasons: Readonly<Record<Skipped["what"], string>> = {
  excluded: "exclude matches them",
  extra: "they are not in the source; kept",
  other: "they are not texts to translate",
  plurals: "they are plurals of i18next v3, and the language has other forms: use version 4 of the JSON format",
  resource: "they lack the language",
  unprotected: "they look like placeholders but are not protected; set placeholders for their files"
}

const named = ({ file, names }: Skipped) => `${file}: ${first(names, ", ")}`

const tellAll = (skipped: ReadonlyArray<Skipped>) =>
  Effect.forEach(
    Map.groupBy(skipped, ({ what }) => what),
    ([what, all]) => tellSkipped(all.map(named), reasons[what], what === "plurals" ? "incomplete" : undefined)
  )

const shown = ({ done, failure }: Report): Output.Results => {
  const problems = done.flatMap(({ problems }) => problems)
  const message = summary(problems)
  const found = problems.length === 0 ? Effect.void : failing(problems, message)
  return {
    ...Output.rows(done.map((one) => ({ ...one, problems: one.problems.map(spelled) })), {
      file: "target",
      translated: "translated",
      kept: "kept",
      removed: "removed",
      "edited and outdated": "stale",
      problems: ({ problems }) => problems.length
    }),
    after: failure === undefined
      ? found
      : Effect.andThen(problems.length === 0 ? Effect.void : tell("problems", message), Effect.fail(failure))
  }
}

const total = (language: string, costs: ReadonlyArray<Cost>) => {
  const sum = (of: "characters" | "removed" | "requests" | "texts") => costs.reduce((all, cost) => all + cost[of], 0)
  const [characters, requests, removed] = [sum("characters"), sum("requests"), sum("removed")]
  return { file: "total", language, texts: sum("texts"), characters, requests, removed }
}

const plannedResults = (
  costs: ReadonlyArray<Cost & Partial<Resolved>>,
  bad: ReadonlyArray<Problem>
): Output.Results => {
  const languages = [...new Set(costs.map(({ language }) => language))]
  const isShort = languages.length === costs.length
  const problems = [...new Set([...bad.map(spelled), ...costs.flatMap(({ problem }) => problem ?? [])])]
  const rows = [
    ...costs.map((cost) => ({
      ...cost,
      language: [undefined, cost.language].includes(cost.service) ? cost.language : `${cost.language} (${cost.service})`
    })),
    ...isShort ? [] : languages.map((language) => total(language, costs.filter((cost) => cost.language === language))),
    ...languages.length < 2 ? [] : [total("all", costs)]
  ]
  const counted = { characters: "characters", requests: "requests", removed: "removed" } as const
  return {
    ...Output.rows(rows, { file: "file", language: "language", "to translate": "texts", ...counted }, costs),
    after: problems.length === 0 ? Effect.void : failing(bad, problems.join("; "))
  }
}

const check = command("localize check", {
  description: "Ends with 14 if a text of a target is missing, outdated, or without its placeholders. Sends nothing",
  examples: { "": "In CI, after localize" },
  params: flags,
  run: Effect.fnUntraced(function*({ only, project, to }) {
    const { open } = yield* localization
    const file = yield* fileOf(project)
    const { problems, skipped } = yield* Effect.catchTags(open({ file, only, targets: to }), mapped)
    yield* tellAll(skipped)
    if (problems.length === 0) return { json: [], human: () => "every text is translated" }
    const columns = {
      place: ({ file, line }: Problem) => line === undefined ? file : `${file}:${line}`,
      id: "id",
      state: "state",
      problem: "problem",
      remedy: "remedy"
    } as const
    const message = `${problems.length} ${problems.length === 1 ? "text needs" : "texts need"} work; see the remedies`
    return { ...Output.rows(problems, columns), after: failing(problems, message) }
  })
})

const init = command("localize init", {
  description: "Write a project file for the localization files that are found in this folder",
  examples: { "": "With the languages whose files are there", "--from en-US --to de,pt-BR": "With other languages" },
  params: {
    sourceLanguage: optional(sourceLanguage, "The language of the source files; English by default"),
    targets: targetLanguages("A language to translate to, in addition to languages whose files exist"),
    project: text("project", "file", `The file to write, in the folder of the files; ${projectName} by default`)
  },
  run: Effect.fnUntraced(function*({ project: file = projectName, sourceLanguage, targets }, { overwrite }) {
    const { discover } = yield* localization
    const folder = (yield* Path.Path).dirname(file)
    const found = yield* discover({ folder, source: sourceLanguage, targets })
    if (found === undefined) {
      return yield* invalid(
        `${folder} has no localization files; write ${file} by hand: docs/localization.md describes it`
      )
    }
    const { ignored, translations, ...project } = found
    yield* tellSkipped(ignored, "they have a language's name, but no text of the source; add the language with --to")
    const origins = project.targets.map((target) => `${target} (${translations[target] ?? "--to"})`)
    yield* misuseIf(
      project.targets.length === 0,
      "no translations were found: name target languages, such as --to de,fr"
    )
    const json = `${JSON.stringify(project, null, 2)}\n`
    yield* Effect.mapError(NodeAtomicFile.write(file, json, { overwrite }), Output.unusable(file))
    return {
      json: [project],
      human: () => json,
      after: tell(
        "written",
        `${file} is written, with ${origins.join(", ")}; effect-lingua localize --dry-run shows what would be sent`,
        { file }
      )
    } satisfies Output.Results
  })
})

export const localize = command("localize", {
  examples: {
    "--dry-run": "What would be sent, its characters and requests",
    "--fake --project app/effect-lingua.json": "Another project, with the embedded fake"
  },
  params: {
    ...flags,
    dryRun: toggle("dry-run", "Show what would be sent, and send nothing"),
    accept: toggle("accept", "Take edits by hand as translations of the present source, also those that are outdated"),
    force: toggle("force", "Translate all texts anew, also those that were edited by hand"),
    maxCharacters: integer(
      "max-characters",
      "number",
      "Send nothing if the texts have more; by default maxCharacters of the project"
    ),
    deleteAll: toggle("delete-all", "Delete all texts of runs in a target if its source has none")
  },
  run: Effect.fnUntraced(function*({ accept, deleteAll, dryRun, force, maxCharacters, only, project, to }) {
    const { open } = yield* localization
    const file = yield* fileOf(project)
    const opened = yield* Effect.catchTags(open({ file, accept, force, only, targets: to }), mapped)
    yield* tellAll(opened.skipped)
    if (!dryRun) {
      const run = Effect.gen(function*() {
        const show = yield* counts
        const onProgress = ({ done, file, total }: Progress) => show(file, done, total)
        return yield* Effect.catchTags(opened.run({ deleteAll, maxCharacters, onProgress }), mapped)
      })
      const report = yield* call(Effect.scoped(run))
      yield* tellAll(report.skipped)
      return shown(report)
    }
    // Without a key or a connection, the languages stay unchecked, and the costs are printed.
    const checked = yield* Effect.catch(
      call(Effect.result(Effect.catchTag(opened.resolved, "InvalidProject", mapped.InvalidProject))),
      ({ message }) =>
        Effect.as(tell("unchecked", `the languages were not checked: ${message}`), Result.succeed(opened.costs))
    )
    const costs = yield* Effect.fromResult(checked)
    yield* tell("languages", `the languages are targets of ${file}`)
    return plannedResults(
      costs,
      opened.problems.filter(({ state }) => ["invalid", "refused", "unreadable"].includes(state))
    )
  })
}).pipe(Command.withSubcommands([init, check]))
