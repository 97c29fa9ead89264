/** Commands with their descriptions and examples, and with the delivery of their results. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Output from "../files/output.ts"

type Params = Command.Command.Config

/** The values of arguments and flags. */
export type Value<P extends Params> = Command.Command.Config.InferValue<P>

interface Options<P extends Params, Arguments extends ReadonlyArray<unknown>, A, E, R> {
  /** Of a command of a group; the others have theirs where they are loaded. */
  readonly description?: string
  /** Descriptions of example invocations, by their full text. */
  readonly examples: Readonly<Record<string, string>>
  /** Arguments and flags. */
  readonly params: P
  readonly run: (...values: Arguments) => Effect.Effect<A, E, R>
}

/** Adds descriptions to a command. */
export const described =
  ({ description, examples }: Pick<Options<Params, [], never, never, never>, "description" | "examples">) =>
  <Input, E, R>(command: Command.Command<string, Input, {}, E, R>) =>
    (description === undefined ? command : Command.withDescription(command, description)).pipe(
      Command.withExamples(Object.entries(examples).map(([command, description]) => ({ command, description })))
    )

/** A command that writes its results itself, if it has any. */
export const command = <const P extends Params, E, R>(
  name: string,
  options: Options<P, [input: Command.Command.Config.Infer<P>], void, E, R>
) => described(options)(Command.make(name, options.params, options.run))

/** A command whose results go to standard output or to the file of `--output`. */
export const withResults = <const P extends Params, E, R>(
  name: string,
  options: Options<P, [input: Value<P>, target: Output.Target], Output.Results, E, R>
) =>
  described(options)(
    Command.make(
      name,
      { input: options.params, target: Output.flags },
      ({ input, target }) => Output.deliver(target, options.run(input, target))
    )
  )

/** A command that shows what its run returns. */
export const showing = <const P extends Params, A, E, R>(
  name: string,
  { run, shown, ...options }:
    & Options<P, [input: Value<P>, target: Output.Target], A, E, R>
    & { readonly shown: (found: A, input: Value<P>) => Output.Results }
) =>
  withResults<P, E, R>(name, {
    ...options,
    run: (input, target) => Effect.map(run(input, target), (found) => shown(found, input))
  })

/** A command that only groups others. */
export const group = <const Commands extends ReadonlyArray<Command.Command.Any>>(
  name: string,
  commands: Commands,
  description?: string
) =>
  Command.withSubcommands(
    description === undefined ? Command.make(name) : Command.withDescription(Command.make(name), description),
    commands
  )
