/** Builds commands: help, parameters from the contract, and commands that resources have in common. */
import { InvalidEntries } from "@effect-lingua/core/errors/CallError"
import type { Endpoint } from "@effect-lingua/core/extension/Contract"
import type * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Stream from "effect/Stream"
import { calling, type Resource } from "../client/client.ts"
import { withIds } from "../client/names.ts"
import * as Output from "../files/output.ts"
import * as Confirm from "../screen/confirm.ts"
import type { Failure } from "../screen/failures.ts"
import { name as program, tell } from "../screen/screen.ts"
import type { Columns } from "../screen/table.ts"
import { argument, optional, texts, toggle } from "../settings/flags.ts"

type Params = Command.Command.Config

export type Value<P extends Params> = Command.Command.Config.InferValue<P>

/** A command's help, parameters and effect. */
export interface Options<P extends Params, Arguments extends ReadonlyArray<unknown>, A, E, R> {
  /** Top-level commands have their descriptions in `main.ts`. */
  readonly description?: string
  /** Descriptions of examples, keyed by arguments or by a whole shell line that pipes into the program. */
  readonly examples?: Readonly<Record<string, string>>
  readonly params: P
  readonly run: (...values: Arguments) => Effect.Effect<A, E, R>
}

/** Creates a command that writes its output itself. `path` includes the names of the command's groups. */
export const writing = <const P extends Params, E, R>(
  path: string,
  { description, examples = {}, params, run }: Options<P, [input: Command.Command.Config.Infer<P>], void, E, R>
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

/**
 * Creates a command whose results are written to standard output or to the file of `--output`.
 *
 * @since 0.3.0
 */
export const command = <const P extends Params, E, R>(
  path: string,
  { params, run, ...options }: Options<P, [input: Value<P>, target: Output.Target], Output.Results, E, R>
) =>
  writing(path, {
    ...options,
    params: { input: params, target: Output.flags },
    run: ({ input, target }) => Output.deliver(target, run(input, target))
  })

/**
 * Creates a command that only groups subcommands.
 *
 * @since 0.3.0
 */
export const group = <const Commands extends ReadonlyArray<Command.Command.Any>>(
  name: string,
  commands: Commands,
  description?: string
) =>
  Command.withSubcommands(
    description === undefined ? Command.make(name) : Command.withDescription(Command.make(name), description),
    commands
  )

/** `name` defaults to the field's name in kebab case. */
type Help = readonly [description: string, metavar?: string, name?: string]

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const fieldOf = (schema: Schema.Top | undefined, field: string): SchemaAST.AST | undefined => {
  const ast = schema === undefined ? undefined : SchemaAST.toType(schema.ast)
  return ast?._tag === "Objects" ? ast.propertySignatures.find(({ name }) => name === field)?.type : undefined
}

const flagOf = (name: string, type: SchemaAST.AST | undefined, description: string, metavar: string) => {
  if (type?._tag === "Arrays") {
    return Flag.map(texts(name.replace(/s$/, ""), metavar, description), (all) => all.length === 0 ? undefined : all)
  }
  const flag: Flag.Flag<unknown> = type?._tag === "Boolean"
    ? Flag.Boolean(name)
    : type?._tag === "Number"
    ? Flag.withMetavar(Flag.Int(name), metavar)
    : Flag.withMetavar(Flag.String(name), metavar)
  return type === undefined || SchemaAST.isOptional(type)
    ? optional(flag, description)
    : Flag.withDescription(flag, description)
}

/** The fields of a request: path parameters, query and JSON body. */
type Fields<E extends Endpoint.Endpoint> = NonNullable<E["~types"]> extends infer T extends NonNullable<
  Endpoint.Endpoint["~types"]
> ? Part<T["params"]> & Part<T["query"]> & Part<T["payload"]>
  : never

type Part<S extends Schema.Top> = [S] extends [never] ? {} : S["Type"]

type Field<All, Name extends keyof All> = {} extends Pick<All, Name> ? All[Name] | undefined : All[Name]

/**
 * Derives a command's description and parameters from an endpoint: the endpoint's summary, and its fields that have help. A path parameter
 * is an argument, an optional field an optional flag, a list a repeatable flag.
 *
 * @since 0.3.0
 */
export function fromEndpoint<
  E extends Endpoint.Endpoint,
  const Names extends { readonly [_ in keyof Fields<E>]?: Help }
>(endpoint: E, help: Names): {
  readonly description: string
  readonly params: {
    readonly [Name in keyof Fields<E> & keyof Names]:
      | Argument.Argument<Field<Fields<E>, Name>>
      | Flag.Flag<Field<Fields<E>, Name>>
  }
}
export function fromEndpoint(
  { facts, params, payload, query }: Endpoint.Endpoint,
  help: Readonly<Record<string, Help>>
): { readonly description: string; readonly params: Record<string, Argument.Argument<unknown> | Flag.Flag<unknown>> } {
  return {
    description: facts.summary,
    params: Record.map(help, ([description, metavar = "", name], field) => {
      if (fieldOf(params, field) !== undefined) return argument(name ?? kebab(field), description)
      const type = fieldOf(query, field) ?? fieldOf(payload[0]?.schema, field)
      return flagOf(name ?? kebab(field), type, description, metavar || field)
    })
  }
}

interface Plan {
  readonly steps: ReadonlyArray<object>
  readonly lines: ReadonlyArray<string>
  readonly apply: Effect.Effect<unknown, Failure>
}

/** Replaces the parameter in `InvalidEntries` errors with the name of the file that contains the entries. */
export const inFile =
  (fileOf: (parameter: string) => string | undefined) => <A, E, R>(effect: Effect.Effect<A, E | InvalidEntries, R>) =>
    Effect.catchIf(
      effect,
      (error) => error instanceof InvalidEntries,
      ({ attempts, count, operation, parameter, problems }) =>
        new InvalidEntries({ attempts, count, operation, parameter: fileOf(parameter) ?? parameter, problems })
    )

interface Methods<Ref, Found> {
  readonly get: (ref: Ref) => Effect.Effect<Found, Failure>
  readonly remove: (ref: Ref) => Effect.Effect<unknown, Failure>
}

/** Commands that resources have in common: `show`, `delete`, and factories for other commands. */
export const commandsOf = <
  const Ref extends Params,
  A,
  Self,
  Service extends Methods<Value<Ref>, Found>,
  Found
>({ inWords, object, path, resource, sample, service, shown, ...descriptions }: {
  readonly resource: Resource<A>
  readonly path: string
  readonly object: string
  readonly service: Context.Service<Self, Service>
  /** The argument that identifies an object. */
  readonly ref: Ref
  /** The value of `ref` in examples, for the embedded fake. */
  readonly sample: string
  readonly show: string
  readonly remove: string
  readonly shown: (found: Found) => Output.Results
  /** An object's description in its deletion prompt. */
  readonly inWords: (found: Found) => string
}) => {
  const call = calling(resource)
  /** Replaces names in the options by ids, and calls the service. `fileOf` returns the file that a parameter was read from, for errors about entries. */
  const use = <Options extends object, A, E, R>(
    options: Options,
    run: (methods: Service, options: Options) => Effect.Effect<A, E, R>,
    fileOf: (parameter: string) => string | undefined = () => undefined
  ) =>
    call(
      Effect.flatMap(withIds(options), (options) => service.use((methods) => run(methods, options))).pipe(
        inFile(fileOf)
      )
    )
  /** Creates a command that deletes an object or a part of an object after confirmation. */
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
    command(`${path} ${name}`, {
      description,
      examples: { [`--fake --yes ${part.sample}`]: "Without a question" },
      params: { ref: part.params, ...Confirm.flags },
      run: ({ ref, yes }) =>
        use(
          ref,
          (methods, ref) => Effect.andThen(Confirm.confirm({ yes }, question(methods, ref)), run(methods, ref))
        ).pipe(Effect.as(Output.done("deleted", removed(ref), ref)))
    })
  return {
    use,
    /** Runs a method with a command's arguments and shows the result. */
    calling: <Options extends object, A, E, R>(
      run: (methods: Service, options: Options) => Effect.Effect<A, E, R>,
      shown: (found: A) => Output.Results
    ) =>
    (options: Options) => use(options, run).pipe(Effect.map(shown)),
    removing,
    /** Creates the command `sync`, which makes the account's `things` match a file. `example` ends with a file name. */
    sync: <Desired, E extends Failure, E2 extends Failure, R, R2>({ desired, example, plan, things }: {
      readonly things: string
      readonly example: string
      readonly desired: (file: string) => Effect.Effect<Desired, E, R>
      readonly plan: (desired: Desired, removeOthers: boolean, service: Service) => Effect.Effect<Plan, E2, R2>
    }) =>
      command(`${path} sync`, {
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
          const state = yield* desired(file)
          const { lines, steps } = yield* use({}, (service) =>
            Effect.tap(plan(state, removeOthers, service), ({ apply }) => dryRun ? Effect.void : apply))
          const results: Output.Results = {
            json: steps,
            human: ({ clean }) =>
              lines.map(clean).join("\n")
          }
          return dryRun ? { ...results, after: tell("dryRun", "this is a dry run; nothing was changed") } : results
        })
      }),
    list: <A extends object>(
      description: string,
      list: (service: Service) => Stream.Stream<A, Failure>,
      columns: Columns<A>
    ) =>
      command(`${path} list`, {
        description,
        examples: { "--fake": "All of them" },
        params: {},
        run: () =>
          use({}, (service) => Stream.runCollect(list(service))).pipe(Effect.map((all) => Output.rows(all, columns)))
      }),
    show: command(`${path} show`, {
      description: descriptions.show,
      examples: { [`--fake ${sample}`]: `A ${object}` },
      params: descriptions.ref,
      run: (ref) => Effect.map(use(ref, ({ get }, ref) => get(ref)), shown)
    }),
    remove: removing("delete", {
      description: descriptions.remove,
      part: { params: descriptions.ref, sample },
      question: ({ get }, ref) => Effect.map(get(ref), (found) => `delete ${inWords(found)}`),
      run: ({ remove }, ref) => remove(ref),
      removed: (ref) => `the ${object} ${Object.values(ref)[0]} is deleted`
    })
  }
}

const maxListedItems = 20

export const first = (list: ReadonlyArray<string>, between: string): string =>
  list.slice(0, maxListedItems).join(between) +
  (list.length > maxListedItems ? `${between}and ${list.length - maxListedItems} more` : "")

export const tellSkipped = (files: ReadonlyArray<string>, why: string, state = "skipped") =>
  files.length === 0 ? Effect.void : tell("skipped", `${state} because ${why}: ${first(files, ", ")}`, { files })
