/** Commands with their descriptions and examples, the delivery of their results, and those that resources have in common. */
import type { InvalidEntries } from "@effect-lingua/core/errors/CallError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as Stream from "effect/Stream"
import { call, type Called } from "../client/client.ts"
import { withIds } from "../client/names.ts"
import type * as Services from "../client/services.ts"
import * as Output from "../files/output.ts"
import * as Confirm from "../screen/confirm.ts"
import type { Failure } from "../screen/failures.ts"
import { name as program, tell } from "../screen/screen.ts"
import type { Columns } from "../screen/table.ts"
import { argument, choice, integer, text, texts, toggle } from "../settings/flags.ts"

type Params = Command.Command.Config

/** The values of arguments and flags. */
export type Value<P extends Params> = Command.Command.Config.InferValue<P>

interface Options<P extends Params, Arguments extends ReadonlyArray<unknown>, A, E, R> {
  /** Of a command of a group; the others have theirs where they are loaded. */
  readonly description?: string
  /** Descriptions of examples, by their arguments, or by the whole line where it pipes into the program. */
  readonly examples: Readonly<Record<string, string>>
  /** Arguments and flags. */
  readonly params: P
  readonly run: (...values: Arguments) => Effect.Effect<A, E, R>
}

/** A command that writes its results itself, if it has any. Its name has the names of its groups before it. */
export const command = <const P extends Params, E, R>(
  path: string,
  { description, examples, params, run }: Options<P, [input: Command.Command.Config.Infer<P>], void, E, R>
) => {
  const command = Command.make(path.replace(/.* /, ""), params, run)
  return (description === undefined ? command : Command.withDescription(command, description)).pipe(
    Command.withExamples(
      Object.entries(examples).map(([example, description]) => ({
        command: example.includes(`| ${program} `) ? example : `${program} ${path} ${example}`.trimEnd(),
        description
      }))
    )
  )
}

/** A command whose results go to standard output or to the file of `--output`. */
export const withResults = <const P extends Params, E, R>(
  path: string,
  { params, run, ...options }: Options<P, [input: Value<P>, target: Output.Target], Output.Results, E, R>
) =>
  command(path, {
    ...options,
    params: { input: params, target: Output.flags },
    run: ({ input, target }) => Output.deliver(target, run(input, target))
  })

/** A command that shows what its run returns. */
export const showing = <const P extends Params, A, E, R>(
  path: string,
  { run, shown, ...options }:
    & Options<P, [input: Value<P>, target: Output.Target], A, E, R>
    & { readonly shown: (found: A, input: Value<P>) => Output.Results }
) =>
  withResults<P, E, R>(path, {
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

/** The help of a flag, the word for its value, and its name unless that is the name of its field. */
type Help = readonly [description: string, metavar?: string, name?: string]

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const flagOf = (
  field: string,
  type: SchemaAST.AST | undefined,
  [description, metavar = field, name = kebab(field)]: Help
) => {
  switch (type?._tag) {
    case "Boolean":
      return choice(name, description)
    case "Number":
      return integer(name, metavar, description)
    case "Arrays":
      return Flag.map(texts(name.replace(/s$/, ""), metavar, description), (all) => all.length === 0 ? undefined : all)
    default:
      return text(name, metavar, description)
  }
}

/** Optional flags for fields of the contract, which decide their kinds and their names. A list is a repeatable flag. */
export function flagsOf<T extends object, const Names extends { readonly [Name in keyof T]?: Help }>(
  schema: Schema.Schema<T>,
  help: Names
): { readonly [Name in keyof T & keyof Names]: Flag.Flag<T[Name] | undefined> }
export function flagsOf(schema: Schema.Top, help: Readonly<Record<string, Help>>): Record<string, Flag.Flag<unknown>> {
  const { ast } = Schema.toType(schema)
  const types = ast._tag === "Objects" ? ast.propertySignatures : []
  return Record.map(help, (help, field) => flagOf(field, types.find(({ name }) => name === field)?.type, help))
}

/** The methods that their services have in common. */
interface Methods<Ref, Found> {
  readonly get: (ref: Ref) => Effect.Effect<Found, Failure>
  readonly remove: (ref: Ref) => Effect.Effect<unknown, Failure>
}

/** A resource: what its commands say, and how its objects are shown. */
interface Resource<Ref extends Params, Self, Service, Found> {
  /** The words before the name of a command. */
  readonly path: string
  /** The name of an object, such as glossary. */
  readonly object: string
  readonly service: (services: typeof Services) => Context.Service<Self, Service>
  /** The argument that names an object, and its value for one of the embedded fake. */
  readonly ref: Ref
  readonly sample: string
  /** The descriptions of the commands. */
  readonly show: string
  readonly remove: string
  readonly shown: (found: Found) => Output.Results
  /** An object in a few words, for the question before it is deleted. */
  readonly inWords: (found: Found) => string
}

/** The calls that make a resource match a file, for programs and for people. */
interface Plan {
  readonly steps: ReadonlyArray<object>
  readonly lines: ReadonlyArray<string>
  readonly apply: Effect.Effect<unknown, Failure>
}

/** Makes errors about entries name their file in place of the parameter. */
export const inFile = (
  { InvalidEntries: Refused }: typeof Services,
  fileOf: (parameter: string) => string | undefined
) =>
<A, E, R>(effect: Effect.Effect<A, E | InvalidEntries, R>) =>
  Effect.catchIf(
    effect,
    (error) => error instanceof Refused,
    ({ attempts, count, operation, parameter, problems }) =>
      Effect.fail(new Refused({ attempts, count, operation, parameter: fileOf(parameter) ?? parameter, problems }))
  )

/** The commands of a resource. */
export const commandsOf = <
  const Ref extends Params,
  Self extends Called,
  Service extends Methods<Value<Ref>, Found>,
  Found
>({ inWords, object, path, sample, service, shown, ...resource }: Resource<Ref, Self, Service, Found>) => {
  /** Calls the service with options in which names of objects are replaced by their ids. */
  const use = <Options extends object, A, E, R>(
    options: Options,
    run: (methods: Service, options: Options, services: typeof Services) => Effect.Effect<A, E, R>
  ) =>
    call((services) =>
      Effect.flatMap(
        withIds(services, options),
        (options) => service(services).use((methods) => run(methods, options, services))
      )
    )
  /** A command that deletes an object or a part of it, after a question. */
  const removing = <const Part extends Params, E extends Failure, E2 extends Failure, R, R2>(
    name: string,
    { description, part, question, removed, run }: {
      readonly description: string
      readonly part: { readonly params: Part; readonly sample: string }
      readonly question: (methods: Service, ref: Value<Part>) => Effect.Effect<string, E, R>
      readonly run: (methods: Service, ref: Value<Part>) => Effect.Effect<unknown, E2, R2>
      readonly removed: (ref: Value<Part>) => string
    }
  ) =>
    withResults(`${path} ${name}`, {
      description,
      examples: { [`--fake --yes ${part.sample}`]: "Without a question" },
      params: { ref: part.params, ...Confirm.flags },
      run: ({ ref, yes }) =>
        Effect.as(
          use(
            ref,
            (methods, ref) => Effect.andThen(Confirm.confirm({ yes }, question(methods, ref)), run(methods, ref))
          ),
          Output.done("deleted", removed(ref), ref)
        )
    })
  return {
    use,
    removing,
    /** A command that makes the resource match a file. `example` ends with the file. */
    sync: <Desired, E extends Failure, E2 extends Failure, R, R2>({ desired, example, plan, things }: {
      readonly things: string
      readonly example: string
      readonly desired: (file: string) => Effect.Effect<Desired, E, R>
      readonly plan: (
        desired: Desired,
        removeOthers: boolean,
        service: Service,
        services: typeof Services
      ) => Effect.Effect<Plan, E2, R2>
    }) =>
      withResults(`${path} sync`, {
        description: `Make the ${things} match a file; prints each call`,
        examples: {
          [`${example} --dry-run`]: "The calls that would be made",
          [example]: "Make them; a second run finds nothing to do"
        },
        params: {
          file: argument("file", `A file with the desired ${things} as JSON, - for standard input`),
          dryRun: toggle("dry-run", "Show the calls, and make none of them"),
          removeOthers: toggle("remove-others", `Delete all ${things} that are not in the file; it cannot be undone`)
        },
        run: Effect.fnUntraced(function*({ dryRun, file, removeOthers }) {
          const given = yield* desired(file)
          const { lines, steps } = yield* use({}, (service, _, services) =>
            Effect.tap(
              plan(given, removeOthers, service, services),
              ({ apply }) => dryRun ? Effect.void : apply
            ))
          const results: Output.Results = { json: steps, human: ({ clean }) => lines.map(clean).join("\n") }
          return dryRun ? { ...results, after: tell("dryRun", "this is a dry run; nothing was changed") } : results
        })
      }),
    list: <A extends object>(
      description: string,
      list: (service: Service) => Stream.Stream<A, Failure>,
      columns: Columns<A>
    ) =>
      showing(`${path} list`, {
        description,
        examples: { "--fake": "All of them" },
        params: {},
        run: () => use({}, (service) => Stream.runCollect(list(service))),
        shown: (all) => Output.rows(all, columns)
      }),
    show: showing(`${path} show`, {
      description: resource.show,
      examples: { [`--fake ${sample}`]: `A ${object}` },
      params: resource.ref,
      run: (ref) => use(ref, ({ get }, ref) => get(ref)),
      shown
    }),
    remove: removing("delete", {
      description: resource.remove,
      part: { params: resource.ref, sample },
      question: ({ get }, ref) => Effect.map(get(ref), (found) => `delete ${inWords(found)}`),
      run: ({ remove }, ref) => remove(ref),
      removed: (ref) => `the ${object} ${Object.values(ref)[0]} is deleted`
    })
  }
}
