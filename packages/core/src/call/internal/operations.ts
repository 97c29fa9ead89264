/**
 * The operations of a group of the contract. The endpoint supplies name and path parameters, so services
 * repeat neither.
 */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import type { Endpoint, Group as AGroup } from "../../contract/internal/endpoint.ts"
import { once } from "../../contract/internal/values.ts"
import type {
  AnyCallError,
  ConnectionLost,
  InvalidInput,
  OutcomeUnknown,
  UnexpectedResponse,
  UnknownOutcomeError
} from "../../errors/CallError.ts"
import { checkId } from "../../errors/internal/checks.ts"
import type { Failure } from "../../errors/internal/failure.ts"
import { type ContractFailure, expectId } from "../../errors/internal/unexpected.ts"
import { Sender } from "../Sender.ts"
import type { CallRecord } from "./callRecord.ts"
import { type Runs, runs } from "./operation.ts"
import * as Plan from "./plan.ts"
import type { Attached, Parts, ResilienceError } from "./plan.ts"

/** An operation of the contract, which takes its request, or an effect that checks the input and returns the request. */
export interface Operation<Request, A, E> {
  <E2 = never>(
    request: Request | Effect.Effect<Request, E2>
  ): Effect.Effect<A, E | Exclude<E2, ContractFailure> | UnexpectedResponse | ConnectionLost | InvalidInput>
  /** The name: group and endpoint. */
  readonly operation: string
  /**
   * The request alone, for a body that {@link run} or {@link create} runs. Refuses path ids that the service cannot have issued,
   * and a response whose id differs from that of the path.
   */
  readonly request: (
    record: CallRecord,
    request: Request & Attached
  ) => Effect.Effect<A, E | InvalidInput | ContractFailure>
  /** Runs a body as this operation: with its span, its record and complete errors. `secrets` are kept out of errors. */
  readonly run: <B, E2, R>(
    body: (record: CallRecord) => Effect.Effect<B, E2, R>,
    secrets?: ReadonlyArray<string>
  ) => Effect.Effect<B, Exclude<E2, ContractFailure> | UnexpectedResponse | ConnectionLost | InvalidInput, R>
  /** Like {@link run}, for a body that creates: an unknown outcome becomes `OutcomeUnknown` with what is needed to look for it. */
  readonly create: <B, E2, R>(
    lookup: Readonly<Record<string, string>>,
    body: (record: CallRecord) => Effect.Effect<B, E2, R>,
    secrets?: ReadonlyArray<string>
  ) => Effect.Effect<
    B,
    | OutcomeUnknown
    | Exclude<
      Exclude<E2, ContractFailure> | UnexpectedResponse | ConnectionLost | InvalidInput,
      { readonly outcome: "unknown" }
    >,
    R
  >
}

type AnyGroup = AGroup<string, NonEmptyReadonlyArray<Endpoint>>

type AnyTypes = NonNullable<Endpoint["~types"]>

type NameOf<Group extends AnyGroup> = Group["endpoints"][number]["identifier"]

/** The types of the endpoint of a group with a name. */
type TypesOf<Group extends AnyGroup, Name> = NonNullable<
  Extract<Group["endpoints"][number], { readonly identifier: Name }>["~types"]
>

/** A part of a request with its name, if the endpoint has it. */
type Part<Name extends string, S extends Schema.Top> = [S] extends [never] ? {} : { readonly [_ in Name]: S["Type"] }

type Parted<Types extends AnyTypes> =
  & Part<"params", Types["params"]>
  & Part<"query", Types["query"]>
  & Part<"payload", Types["payload"]>

/** The request of an endpoint, which may be left out if it has no parts. */
type RequestOf<Types extends AnyTypes> = keyof Parted<Types> extends never ? {} | void : Parted<Types>

type Fields<Type> = Type extends unknown ? keyof Type & string : never

/** The names of the parameters, of the query and of the body of an endpoint. */
export type RequestNames<Group extends AnyGroup, Name> = TypesOf<Group, Name> extends infer Types extends AnyTypes
  ? Fields<Types["params"]["Type"]> | Fields<Types["query"]["Type"]> | Fields<Types["payload"]["Type"]>
  : never

/** The errors of an endpoint that not every call has. */
type OwnError<Group extends AnyGroup, Name extends NameOf<Group>> = Exclude<
  TypesOf<Group, Name>["error"],
  AnyCallError | UnknownOutcomeError
>

/**
 * The errors of an operation, with more of its own. They are members of an interface, because the compiler shows every member of
 * a union of two aliases that overlap, but `AnyCallError` and `UnknownOutcomeError` by their names.
 */
export interface Errors<Group extends AnyGroup, Name extends NameOf<Group>, More = never> {
  readonly call: AnyCallError | UnknownOutcomeError | OwnError<Group, Name> | More
  readonly create: AnyCallError | OutcomeUnknown | OwnError<Group, Name> | More
}

/** The errors of several operations. */
export interface Union<E> {
  readonly members: E
}

/** The operations of a group by the names of their endpoints. */
type Operations<Group extends AnyGroup> = {
  readonly [Name in NameOf<Group>]: TypesOf<Group, Name> extends infer Types extends AnyTypes
    ? Operation<RequestOf<Types>, Types["success"]["Type"], Types["error"] | ResilienceError>
    : never
}

type Send = (record: CallRecord, parts: Parts) => Effect.Effect<unknown, Failure | ContractFailure>

/** The names of the fields of a decoded struct. */
export const fieldsOf = (schema: Schema.Top | undefined): ReadonlyArray<string> => {
  const decoded = schema === undefined ? undefined : SchemaAST.toType(schema.ast)
  return decoded !== undefined && SchemaAST.isObjects(decoded)
    ? decoded.propertySignatures.map(({ name }) => String(name))
    : []
}

/** Checks the ids of a path in the request, and in the response if it has them. */
const withIds = (names: ReadonlyArray<string>, send: Send): Send =>
  names.length === 0 ? send : Effect.fnUntraced(function*(record, request) {
    for (const name of names) yield* checkId(name, request.params?.[name])
    const answer = yield* send(record, request)
    for (const name of names) {
      const repeated = Predicate.hasProperty(answer, name) ? answer[name] : undefined
      if (typeof repeated === "string") yield* expectId(name, request.params?.[name], repeated)
    }
    return answer
  })

const operationOf = (
  operation: string,
  request: Send,
  { call, create }: Runs
): Operation<Parts, unknown, Failure> =>
  Object.assign(
    <E>(given: Parts | Effect.Effect<Parts, E>) =>
      call(operation, (record) =>
        Effect.isEffect(given)
          ? Effect.flatMap(given, (parts) => request(record, parts))
          : request(record, given)),
    {
      operation,
      request,
      run: <A, E, R>(body: (record: CallRecord) => Effect.Effect<A, E, R>, secrets?: ReadonlyArray<string>) =>
        call(operation, body, secrets),
      create: <A, E, R>(
        lookup: Readonly<Record<string, string>>,
        body: (record: CallRecord) => Effect.Effect<A, E, R>,
        secrets?: ReadonlyArray<string>
      ) => create(operation, lookup, body, secrets)
    }
  )

/** Returns the function that sends requests of an endpoint. Its plan is made with the first of them. */
export const sending = Effect.map(
  Effect.all([Sender, LanguageServiceConfig]),
  ([{ send }, { baseUrl }]) => (group: string, endpoint: Endpoint) => {
    const plan = once(() => Plan.make(group, endpoint, baseUrl))
    return (record: CallRecord, parts: Parts = {}): Effect.Effect<unknown, Failure | ContractFailure> =>
      Effect.flatMapEager(plan().request(parts), (request) => send(record, plan(), request, parts.wait))
  }
)

/** Derives the operations of a group. */
export const make = <Group extends AnyGroup>(group: Group) =>
  Effect.map(Effect.all([sending, runs]), ([sendingOf, runs]) => {
    const operations: Readonly<Record<string, unknown>> = Object.fromEntries(
      group.endpoints.map((endpoint) => {
        const send = sendingOf(group.identifier, endpoint)
        return [
          endpoint.identifier,
          operationOf(`${group.identifier}.${endpoint.identifier}`, withIds(fieldsOf(endpoint.params), send), runs)
        ]
      })
    )
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of an operation are those of its endpoint
    return operations as Operations<Group>
  })
