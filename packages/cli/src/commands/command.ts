/** Commands with their descriptions and examples, and with the delivery of their results. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Output from "../files/output.ts"
import * as Records from "../files/records.ts"
import { misuse } from "../settings/errors.ts"

type Params = Command.Command.Config

interface Options<P extends Params, Arguments extends ReadonlyArray<unknown>, A, E, R> {
  /** Of a command of a group; the others have theirs where they are loaded. */
  readonly description?: string
  /** Descriptions of example invocations, by their full text. */
  readonly examples: Readonly<Record<string, string>>
  /** Arguments and flags. */
  readonly params: P
  readonly run: (...values: Arguments) => Effect.Effect<A, E, R>
}

const described =
  ({ description, examples }: Pick<Options<Params, [], never, never, never>, "description" | "examples">) =>
  <Name extends string, Input, E, R>(command: Command.Command<Name, Input, {}, E, R>) =>
    (description === undefined ? command : Command.withDescription(command, description)).pipe(
      Command.withExamples(Object.entries(examples).map(([command, description]) => ({ command, description })))
    )

/** A command that writes its results itself, if it has any. */
export const command = <const Name extends string, const P extends Params, E, R>(
  name: Name,
  options: Options<P, [input: Command.Command.Config.Infer<P>], void, E, R>
) => described(options)(Command.make(name, options.params, options.run))

/** A command on texts: those that are given, or with `--lines` the records of the input. */
export const withTexts = <const Name extends string, const P extends Params, E, R, E2, R2>(
  name: Name,
  { runRecords, ...options }:
    & Options<
      P,
      [input: Command.Command.Config.InferValue<P>, target: Output.Target],
      Output.Results,
      E,
      R
    >
    & {
      readonly runRecords: (
        input: Command.Command.Config.InferValue<P>,
        records: Records.Options,
        target: Output.Target
      ) => Effect.Effect<void, E2, R2>
    }
) =>
  described(options)(
    Command.make(
      name,
      { input: options.params, records: Records.params, target: Output.flags },
      ({ input, records, target }) =>
        Effect.gen(function*() {
          if (Records.isOn(records)) return yield* runRecords(input, records, target)
          if (records.resume || records.skip !== undefined) {
            return yield* misuse("--resume and --skip go with --lines or --null")
          }
          return yield* Output.deliver(target, options.run(input, target))
        })
    )
  )

/** A command whose results go to standard output or to the file of `--output`. */
export const withResults = <const Name extends string, const P extends Params, E, R>(
  name: Name,
  options: Options<
    P,
    [input: Command.Command.Config.InferValue<P>, target: Output.Target],
    Output.Results,
    E,
    R
  >
) =>
  described(options)(
    Command.make(
      name,
      { input: options.params, target: Output.flags },
      ({ input, target }) => Output.deliver(target, options.run(input, target))
    )
  )

/** A command that only groups others. */
export const group = <const Name extends string>(name: Name, description?: string) =>
  description === undefined ? Command.make(name) : Command.make(name).pipe(Command.withDescription(description))
