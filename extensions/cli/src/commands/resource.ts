/** The commands that resources have in common: list, show and delete. */
import type * as Command from "effect/cli/Command"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { call, type Called, calling } from "../client/client.ts"
import type * as Services from "../client/services.ts"
import * as Output from "../files/output.ts"
import * as Confirm from "../screen/confirm.ts"
import type { Failure } from "../screen/exitCodes.ts"
import type { Columns } from "../screen/table.ts"
import { showing, type Value, withResults } from "./command.ts"

type Params = Command.Command.Config

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
  /** Finds the id of an object that is given by its name. */
  readonly named?: (services: typeof Services, ref: Value<Ref>) => Effect.Effect<Value<Ref>, Failure, Called>
  readonly sample: string
  /** The descriptions of the commands. */
  readonly show: string
  readonly remove: string
  readonly shown: (found: Found) => Output.Results
  /** An object in a few words, for the question before it is deleted. */
  readonly inWords: (found: Found) => string
}

/** The commands of a resource. */
export const commandsOf = <
  const Ref extends Params,
  Self extends Called,
  Service extends Methods<Value<Ref>, Found>,
  Found
>({
  inWords,
  named = (_, ref) => Effect.succeed(ref),
  object,
  path,
  ref,
  sample,
  service,
  shown,
  ...descriptions
}: Resource<Ref, Self, Service, Found>) => {
  const use = calling(service)
  const useRef = <A, E, R>(ref: Value<Ref>, run: (methods: Service, ref: Value<Ref>) => Effect.Effect<A, E, R>) =>
    call((services) =>
      Effect.flatMap(named(services, ref), (ref) => service(services).use((methods) => run(methods, ref)))
    )
  return {
    list: <A extends object>(
      description: string,
      list: (service: Service) => Stream.Stream<A, Failure>,
      columns: Columns<A>
    ) =>
      withResults("list", {
        description,
        examples: { [`effect-lingua ${path} list --fake`]: "All of them" },
        params: {},
        run: () => Effect.map(use((service) => Stream.runCollect(list(service))), (all) => Output.rows(all, columns))
      }),
    show: showing("show", {
      description: descriptions.show,
      examples: { [`effect-lingua ${path} show --fake ${sample}`]: `A ${object}` },
      params: ref,
      run: (ref) => useRef(ref, ({ get }, ref) => get(ref)),
      shown
    }),
    remove: withResults("delete", {
      description: descriptions.remove,
      examples: { [`effect-lingua ${path} delete --fake --yes ${sample}`]: "Without a question" },
      params: { ref, ...Confirm.flags },
      run: Effect.fnUntraced(function*({ ref, yes }) {
        yield* useRef(ref, ({ get, remove }, ref) =>
          Effect.andThen(
            Confirm.confirm({ yes }, Effect.map(get(ref), (found) => `delete ${inWords(found)}`)),
            remove(ref)
          ))
        return Output.done("deleted", `the ${object} ${Object.values(ref)[0]} is deleted`, ref)
      })
    })
  }
}
