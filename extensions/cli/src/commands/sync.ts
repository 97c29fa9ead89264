/** `sync`: makes a resource of the service match a file. */
import type * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import type * as Output from "../files/output.ts"
import { tell } from "../screen/screen.ts"
import { argument, toggle } from "../settings/flags.ts"
import { withResults } from "./command.ts"

const params = (things: string) => ({
  file: argument("file", `A file with the desired ${things} as JSON, - for standard input`),
  dryRun: toggle("dry-run", "Show the calls, and make none of them"),
  removeOthers: toggle("remove-others", `Delete all ${things} that are not in the file; it cannot be undone`)
})

type Input = Command.Command.Config.Infer<ReturnType<typeof params>>

interface Plan<E, R> {
  readonly steps: ReadonlyArray<object>
  readonly lines: ReadonlyArray<string>
  readonly apply: Effect.Effect<unknown, E, R>
}

/** The results of a plan, which is applied unless it is a dry run. */
export const applied = Effect.fnUntraced(function*<E, R>({ dryRun }: Input, { apply, lines, steps }: Plan<E, R>) {
  if (!dryRun) yield* apply
  const results: Output.Results = { json: steps, human: ({ clean }) => lines.map((line) => clean(line)).join("\n") }
  return dryRun ? { ...results, after: tell("dryRun", "this is a dry run; nothing was changed") } : results
})

/** A command that makes a resource match a file. */
export const syncCommand = <E, R>(options: {
  /** The name of the resource, in the plural. */
  readonly things: string
  /** An invocation that ends with the file. */
  readonly example: string
  readonly run: (input: Input) => Effect.Effect<Output.Results, E, R>
}) =>
  withResults("sync", {
    description: `Make the ${options.things} match a file; prints each call`,
    examples: {
      [`${options.example} --dry-run`]: "The calls that would be made",
      [options.example]: "Make them; a second run finds nothing to do"
    },
    params: params(options.things),
    run: options.run
  })
