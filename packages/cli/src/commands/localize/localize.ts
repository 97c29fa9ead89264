/** `localize` and `localize check`. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { call } from "../../client/client.ts"
import { projectName } from "../../client/settingSources.ts"
import * as Output from "../../files/output.ts"
import { tell } from "../../screen/screen.ts"
import { ProblemsFound } from "../../settings/errors.ts"
import { text, toggle } from "../../settings/flags.ts"
import { withResults } from "../command.ts"
import type { Cost, Localized } from "./localizing.ts"

const localizing = Effect.promise(() => import("./localizing.ts"))

const projectFlag = text("project", "file", `The project file; ${projectName} by default`)

const fileOf = (given: string | undefined): string => given ?? projectName

/** The most problems in a message; with `--json` all of them are in the results. */
const mostProblems = 20

const shown = ({ done, failure }: Localized): Output.Results => {
  const problems = done.flatMap(({ problems }) => problems)
  const more = problems.length > mostProblems ? ` and ${problems.length - mostProblems} more` : ""
  const message = `${problems.slice(0, mostProblems).join("; ")}${more}. These texts are not translated; rewrite them`
  const found = problems.length === 0 ? Effect.void : Effect.fail(new ProblemsFound({ message }))
  return {
    ...Output.rows(done, {
      file: ({ target }) => target,
      translated: ({ translated }) => translated,
      kept: ({ kept }) => kept,
      "edited and outdated": ({ stale }) => stale,
      problems: ({ problems }) => problems.length
    }),
    after: failure === undefined
      ? found
      : Effect.andThen(problems.length === 0 ? Effect.void : tell("problems", message), Effect.fail(failure))
  }
}

const plannedResults = (costs: ReadonlyArray<Cost>): Output.Results =>
  Output.rows(costs, {
    file: ({ file }) => file,
    "to translate": ({ texts }) => texts,
    characters: ({ characters }) => characters,
    removed: ({ removed }) => removed
  })

const check = withResults("check", {
  description: "Ends with 3 if a text of a target is missing, outdated, or without its placeholders. Sends nothing",
  examples: { "effect-lingua localize check": "In CI, after localize" },
  params: { project: projectFlag },
  run: Effect.fnUntraced(function*({ project }) {
    const { openProject } = yield* localizing
    const { jobs } = yield* openProject(fileOf(project), false)
    const found = jobs.flatMap(({ planned, target }) =>
      planned.filter(({ state }) => state !== "current").map(({ id, state }) => ({ file: target, id, state }))
    )
    const results: Output.Results = {
      ...(found.length === 0
        ? { json: [], human: () => "every text is translated" }
        : Output.rows(found, { file: ({ file }) => file, text: ({ id }) => id, state: ({ state }) => state })),
      after: found.length === 0
        ? Effect.void
        : Effect.fail(
          new ProblemsFound({ message: `${found.length} texts are not as they should be; run effect-lingua localize` })
        )
    }
    return results
  })
})

/** Translates the localization files of a project. */
export const localize = withResults("localize", {
  examples: {
    "effect-lingua localize --dry-run": "What would be sent, and its characters",
    "effect-lingua localize --fake --project app/effect-lingua.json": "Another project, with the embedded fake"
  },
  params: {
    project: projectFlag,
    dryRun: toggle("dry-run", "Show what would be sent, and send nothing"),
    accept: toggle("accept", "Take edits by hand as translations of the present source, also those that are outdated"),
    deleteAll: toggle("delete-all", "Delete the texts of a target also if its source has no texts any more")
  },
  run: Effect.fnUntraced(function*({ accept, deleteAll, dryRun, project }) {
    const { costOf, localize, openProject } = yield* localizing
    const opening = yield* openProject(fileOf(project), accept)
    return dryRun
      ? plannedResults(opening.jobs.map(costOf))
      : shown(yield* call((services) => localize(opening, services, { accept, deleteAll })))
  })
}).pipe(Command.withSubcommands([check]))
