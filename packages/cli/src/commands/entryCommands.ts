/** The commands on the entries of the journal, which documents, imports and exports have in common. */
import * as Argument from "effect/cli/Argument"
import type * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Place from "../files/place.ts"
import * as Board from "../screen/board.ts"
import { argument, checkOnce, concurrency } from "../settings/flags.ts"
import { command } from "./command.ts"

const id = (description: string) => argument("id", description)

const resumeParams = (things: string, place: ReturnType<typeof Place.flags>) => ({
  ids: id(`The ids of ${things}, as printed by pending; all by default`).pipe(Argument.variadic()),
  ...place,
  concurrency
})

/** The arguments of `resume`. */
export type ResumeInput = Command.Command.Config.Infer<ReturnType<typeof resumeParams>>

/** The commands `pending`, `resume`, `adopt` and `forget`. */
export const entryCommands = <E1, R1, E2, R2, E3, R3, E4, R4>(options: {
  /** The command that they belong to. */
  readonly group: string
  /** The kind of entries, in the plural. */
  readonly things: string
  /** An entry of the embedded fake. */
  readonly sample: string
  readonly place: ReturnType<typeof Place.flags>
  readonly pending: Effect.Effect<void, E1, R1>
  readonly resume: (input: ResumeInput) => Effect.Effect<void, E2, R2>
  readonly adopt: (ids: ReadonlyArray<string>) => Effect.Effect<void, E3, R3>
  readonly forget: (id: string) => Effect.Effect<void, E4, R4>
}) => {
  const { adopt, forget, pending, place, resume, sample, things } = options
  const example = `effect-lingua ${options.group}`
  return [
    command("pending", {
      description: `List the ${things} that are not finished`,
      examples: {
        [`${example} pending --fake`]: "For people",
        [`${example} pending --fake --json`]: "For programs"
      },
      params: {},
      run: () => pending
    }),
    command("resume", {
      description: `Resume interrupted ${things}, whatever the cause`,
      examples: {
        [`${example} resume --fake`]: "All of them",
        [`${example} resume --fake ${sample} --output-dir .`]: "One, into another folder"
      },
      params: resumeParams(things, place),
      run: Effect.fnUntraced(function*(input) {
        yield* Place.check(input, input.ids.length)
        yield* checkOnce(input.ids)
        yield* Board.provide(resume(input))
      })
    }),
    command("adopt", {
      description: `Take over ${things} of a key that this key replaces; resume continues them`,
      examples: { [`${example} adopt --fake ${sample}`]: "One of them" },
      params: { ids: id(`The ids of ${things} of another key, as printed by pending`).pipe(Argument.atLeast(1)) },
      run: ({ ids }) => adopt(ids)
    }),
    command("forget", {
      description: `Remove one of the ${things} from the journal; this program can no longer finish it`,
      examples: { [`${example} forget --fake ${sample}`]: "One of them" },
      params: { id: id(`The id of one of the ${things}, as printed by pending`) },
      run: ({ id }) => forget(id)
    })
  ] as const
}
