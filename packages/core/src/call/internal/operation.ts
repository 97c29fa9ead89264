/** Runs method calls with a span, a metric, and the operation's name in errors; makes the contract's operations. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as Scope from "effect/Scope"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import type { Endpoint, Group as AnyGroup } from "../../contract/internal/endpoint.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { type Sanitizer, withoutSecrets } from "../../contract/internal/sanitizer.ts"
import { defined } from "../../contract/internal/values.ts"
import * as CallError from "../../errors/CallError.ts"
import { checkId, invalid } from "../../errors/internal/checks.ts"
import { type Failure, isFailure, outcomeOfCall } from "../../errors/internal/failure.ts"
import type { ContractFailure } from "../../errors/internal/unexpected.ts"
import * as Unexpected from "../../errors/internal/unexpected.ts"
import type { RateLimited } from "../../errors/ServiceError.ts"
import * as Telemetry from "../../telemetry/internal/telemetry.ts"
import { type Requirements, Sender } from "../Sender.ts"
import { CallRecord, countedCharacters, ledger } from "./callRecord.ts"
import * as Plan from "./plan.ts"
import type { Attached, Parts, ResilienceError } from "./plan.ts"

const describe = (error: ContractFailure, sanitizer: Sanitizer): string =>
  error._tag === "SchemaError"
    ? Unexpected.describeSchemaError(error, sanitizer)
    : sanitizer.fit(error._tag === "Mismatch" ? error.description : "")

const refusedInput = (error: ContractFailure): CallError.InvalidInput =>
  invalid("input", `an invalid value (${describe(error, withoutSecrets)})`, "values of the declared types")

const unexpected = (
  { attempts, response, sanitizer }: CallRecord,
  error: ContractFailure
): Effect.Effect<CallError.UnexpectedResponse | CallError.ConnectionLost | CallError.InvalidInput> => {
  if (response === undefined) {
    return Effect.succeed(
      // No attempt was made, so the schema refused the input.
      attempts.length === 0
        ? refusedInput(error)
        : new CallError.ConnectionLost({ description: describe(error, sanitizer) })
    )
  }
  return Effect.map(
    Effect.orElseSucceed(response.text, () => ""),
    (body) =>
      error._tag === "HttpClientError"
        ? Unexpected.unknownStatus(response, sanitizer, body)
        : Unexpected.make(response, describe(error, sanitizer), sanitizer, body)
  )
}

/** Makes a new error with more fields, because the stack contains the message, which depends on the fields. */
export const withFields = <E>(error: E & Failure, fields: object): E => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- error classes of this library take their fields
  const Class = error.constructor as new(fields: object) => E
  // The spread omits `cause`, which is not enumerable.
  return new Class({ ...error, ...("cause" in error ? { cause: error.cause } : undefined), ...fields })
}

/** Copies an error, and adds its operation and attempts. */
export const complete = <E>(error: E, operation: string, record?: CallRecord, prefix?: string): E => {
  if (!isFailure(error)) return error
  const attempts = record === undefined ? [] : ledger(record)
  const characters = record === undefined ? 0 : countedCharacters(record)
  return withFields(error, {
    operation,
    attempts,
    outcome: outcomeOfCall(attempts, error.outcome),
    ...defined({ possiblyCountedCharacters: characters || undefined, repeat: record?.repeat, prefix })
  })
}

/** Copies an error, and adds the texts, language, plan, document or job that failed. */
export const concerning = <E>(
  error: E,
  what: Pick<Failure, "texts" | "targetLanguage" | "plan" | "document" | "possiblyCountedCharacters"> & {
    readonly job?: string
    readonly deadline?: Duration.Duration
  }
): E => isFailure(error) ? withFields(error, what) : error

const resultOf = <A, E>(exit: Exit.Exit<A, E>): string => {
  if (Exit.isSuccess(exit)) return "success"
  const error = Option.getOrUndefined(Exit.findErrorOption(exit))
  return isFailure(error) ? error._tag : Exit.hasInterrupts(exit) ? "interrupted" : "defect"
}

type Body<A, E, R> = (record: CallRecord) => Effect.Effect<A, E, R>

type LibraryError<E> =
  | Exclude<E, ContractFailure>
  | CallError.UnexpectedResponse
  | CallError.ConnectionLost
  | CallError.InvalidInput

const toLibraryError = <E>(error: E, record: CallRecord): Effect.Effect<LibraryError<E>> =>
  Unexpected.isContractFailure(error)
    ? unexpected(record, error)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `isContractFailure` excluded errors of the contract client
    : Effect.succeed(error as Exclude<E, ContractFailure>)

/** Runs the checks of an operation before its first request. */
export const checked = <A, E extends Failure, R>(
  operation: string,
  effect: Effect.Effect<A, E | Schema.SchemaError, R>
): Effect.Effect<A, E | CallError.InvalidInput, R> =>
  Effect.mapError(effect, (error) => complete(Schema.isSchemaError(error) ? refusedInput(error) : error, operation))

const outcomeUnknown = (operation: string, lookup: Readonly<Record<string, string>>, error: Failure) =>
  new CallError.OutcomeUnknown({
    operation,
    lookup,
    cause: error._tag,
    description: error.description,
    attempts: error.attempts,
    ...defined({ traceId: error.traceId })
  })

/** `client` is the client's name in spans and metrics; `prefix` precedes environment variables in error messages. */
const makeRuns = (client: string | undefined, prefix?: string) => {
  const attributes = client === undefined ? {} : { "language_service.client": client }
  const labelled = Telemetry.labelled(client)

  const spanned = <A, E, R>(record: CallRecord, effect: Effect.Effect<A, E, R>) =>
    Telemetry.inSpan(
      effect,
      record.operation,
      { attributes: { "language_service.operation": record.operation, ...attributes } },
      (exit, span) => {
        if (record.attempts.length > 0) span.attribute("language_service.attempts", record.attempts.length)
        const characters = countedCharacters(record)
        if (characters > 0) span.attribute("language_service.characters", characters)
        const traceId = record.attempts.findLast((attempt) => attempt.traceId !== undefined)?.traceId
        if (traceId !== undefined) span.attribute("language_service.trace_id", traceId)
        const result = resultOf(exit)
        return result === "success" || result === "interrupted" ? undefined : result
      }
    )

  /** Runs and measures a method's body with a new record. `failed` converts the body's error. */
  const run = <A, E, R, E2>(
    operation: string,
    body: Body<A, E, R>,
    failed: (error: E, record: CallRecord) => Effect.Effect<never, E2>,
    secrets?: ReadonlyArray<string>
  ): Effect.Effect<A, E2, R> => {
    const running = Effect.contextWith((context: Context.Context<R>) => {
      const clock = Context.get(context, Clock.Clock)
      const started = Monotonic.nowUnsafe(clock)
      const record = new CallRecord(operation, secrets)
      const effect = Effect.catch(body(record), (error) => failed(error, record))
      return Effect.onExit(Telemetry.isTraced(context) ? spanned(record, effect) : effect, (exit) => {
        const seconds = (Monotonic.nowUnsafe(clock) - started) / 1000
        Telemetry.update("operationDuration", seconds, { operation, result: resultOf(exit) }, context)
        return Effect.void
      })
    })
    return client === undefined ? running : Effect.updateContext(running, labelled<R>)
  }

  const completed = <E>(error: E, record: CallRecord): Effect.Effect<never, LibraryError<E>> =>
    Effect.flatMap(
      toLibraryError(error, record),
      (libraryError) => Effect.fail(complete(libraryError, record.operation, record, prefix))
    )

  return {
    /** Runs a method call. The body passes the record to its requests. Errors omit the `secrets`. */
    call: <A, E, R>(operation: string, body: Body<A, E, R>, secrets?: ReadonlyArray<string>) =>
      run(operation, body, completed<E>, secrets),
    /** Like `call`, for a create request: an unknown outcome becomes `OutcomeUnknown`, with `lookup` to find the object. */
    create: <A, E, R>(
      operation: string,
      lookup: Readonly<Record<string, string>>,
      body: Body<A, E, R>,
      secrets?: ReadonlyArray<string>
    ) =>
      run(
        operation,
        body,
        (error: E, record) =>
          Effect.mapError(completed(error, record), (error) =>
            isFailure(error) && error.outcome === "unknown"
              ? outcomeUnknown(operation, lookup, error)
              // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- conditions do not narrow type parameters
              : error as Exclude<LibraryError<E>, { readonly outcome: "unknown" }>),
        secrets
      ),
    composed: <A, E, R>(operation: string, effect: Effect.Effect<A, E, R>) =>
      run(
        operation,
        () => effect,
        (error: E) => Effect.fail(isFailure(error) && error.operation === "" ? complete(error, operation) : error)
      )
  }
}

export type Runs = ReturnType<typeof makeRuns>

export const runs = Effect.map(LanguageServiceConfig, ({ name, prefix }) => makeRuns(name, prefix))

export const runner = Effect.map(Telemetry.clientName, (name) => makeRuns(name).composed)

export const composed = <A, E, R>(operation: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(runner, (run) => run(operation, effect))

/** An operation of the contract. Its input may be an effect that checks and returns the request. */
export interface Operation<Request, A, E> {
  <E2 = never>(request: Request | Effect.Effect<Request, E2>): Effect.Effect<A, E | LibraryError<E2>>
  readonly operation: string
  /** Sends the request within {@link run} or {@link create}. Fails for an invalid id in the path, and for a response with a different id. */
  readonly request: (
    record: CallRecord,
    request: Request & Attached
  ) => Effect.Effect<A, E | CallError.InvalidInput | ContractFailure>
  /** Runs a body as this operation. Errors omit the `secrets`. */
  readonly run: <B, E2, R>(
    body: Body<B, E2, R>,
    secrets?: ReadonlyArray<string>
  ) => Effect.Effect<B, LibraryError<E2>, R>
  /** Like {@link run}, for a create request: an unknown outcome becomes `OutcomeUnknown`. */
  readonly create: <B, E2, R>(
    lookup: Readonly<Record<string, string>>,
    body: Body<B, E2, R>,
    secrets?: ReadonlyArray<string>
  ) => Effect.Effect<B, CallError.OutcomeUnknown | Exclude<LibraryError<E2>, { readonly outcome: "unknown" }>, R>
}

type AnyTypes = NonNullable<Endpoint["~types"]>

type NameOf<Group extends AnyGroup> = Group["endpoints"][number]["identifier"]

type TypesOf<Group extends AnyGroup, Name> = NonNullable<
  Extract<Group["endpoints"][number], { readonly identifier: Name }>["~types"]
>

type Part<Name extends string, S extends Schema.Top> = [S] extends [never] ? {} : { readonly [_ in Name]: S["Type"] }

type Parted<Types extends AnyTypes> =
  & Part<"params", Types["params"]>
  & Part<"query", Types["query"]>
  & Part<"payload", Types["payload"]>

/** An endpoint's request; optional if the request has no parts. */
type RequestOf<Types extends AnyTypes> = keyof Parted<Types> extends never ? {} | void : Parted<Types>

export type Names<Type> = Type extends unknown ? keyof Type & string : never

export type RequestNames<Group extends AnyGroup, Name> = TypesOf<Group, Name> extends infer Types extends AnyTypes
  ? Names<Types["params"]["Type"]> | Names<Types["query"]["Type"]> | Names<Types["payload"]["Type"]>
  : never

type ApiError<Group extends AnyGroup, Name extends NameOf<Group>> = Exclude<
  TypesOf<Group, Name>["error"],
  CallError.AnyCallError | CallError.UnknownOutcomeError
>

/** The errors of an operation. An interface, because declaration files would list all members of a union. */
export interface Errors<Group extends AnyGroup, Name extends NameOf<Group>, More = never> {
  readonly call: CallError.OtherCallError | RateLimited | CallError.UnknownOutcomeError | ApiError<Group, Name> | More
  readonly create: CallError.OtherCallError | CallError.OutcomeUnknown | RateLimited | ApiError<Group, Name> | More
}

export interface Union<E> {
  readonly members: E
}

type Operations<Group extends AnyGroup> = {
  readonly [Name in NameOf<Group>]: TypesOf<Group, Name> extends infer Types extends AnyTypes
    ? Operation<RequestOf<Types>, Types["success"]["Type"], Types["error"] | ResilienceError>
    : never
}

type Send = (record: CallRecord, parts: Parts) => Effect.Effect<unknown, Failure | ContractFailure>

export const fieldsOf = (schema: Schema.Top | undefined): ReadonlyArray<string> => {
  const decoded = schema === undefined ? undefined : SchemaAST.toType(schema.ast)
  return decoded !== undefined && SchemaAST.isObjects(decoded)
    ? decoded.propertySignatures.map(({ name }) => String(name))
    : []
}

/** Checks the ids in the request's path, and that the response has the same ids. */
const withIds = (names: ReadonlyArray<string>, send: Send): Send =>
  names.length === 0 ? send : Effect.fnUntraced(function*(record, request) {
    for (const name of names) yield* checkId(name, request.params?.[name])
    const response = yield* send(record, request)
    for (const name of names) {
      const id = Predicate.hasProperty(response, name) ? response[name] : undefined
      if (typeof id === "string") yield* Unexpected.expectId(name, request.params?.[name], id)
    }
    return response
  })

const operationOf = (operation: string, request: Send, { call, create }: Runs): Operation<Parts, unknown, Failure> => {
  const methods: Pick<Operation<Parts, unknown, Failure>, "create" | "run"> = {
    create: (lookup, body, secrets) => create(operation, lookup, body, secrets),
    run: (body, secrets) => call(operation, body, secrets)
  }
  const ofParts = <E>(input: Parts | Effect.Effect<Parts, E>) =>
    call(operation, (record) =>
      Effect.isEffect(input)
        ? Effect.flatMap(input, (parts) => request(record, parts))
        : request(record, input))
  return Object.assign(ofParts, { operation, request, ...methods })
}

/** Makes the function that sends an endpoint's requests. The first request makes the endpoint's encoder and decoder. */
export const sending = Effect.map(
  Effect.all([Sender, LanguageServiceConfig]),
  ([{ send }, { baseUrl }]) => (group: string, endpoint: Endpoint) => {
    let cachedPlan: Plan.Plan | undefined
    return (record: CallRecord, parts: Parts = {}): Effect.Effect<unknown, Failure | ContractFailure> => {
      const plan = cachedPlan ??= Plan.make(group, endpoint, baseUrl)
      return Effect.flatMapEager(plan.request(parts), (request) => send(record, plan, request, parts.wait))
    }
  }
)

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
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an operation has its endpoint's types
    return operations as Operations<Group>
  })

/** The class of a resource's service, with its layer. */
export interface ServiceClass<Self, Id extends string, Shape, R> extends Context.ServiceClass<Self, Id, Shape> {
  readonly make: Effect.Effect<Shape, never, R | Requirements>
  /** Requires `LanguageService.layer` or another client. */
  readonly layer: Layer.Layer<Self, never, Requirements>
}

/** Makes the class of a resource's service: `id` is its unique key, and `make` builds the service from {@link make}'s operations. */
export const service = <Self>() =>
<const Id extends string, Shape, R extends Requirements | Scope.Scope>(
  id: Id,
  make: Effect.Effect<Shape, never, R>
): ServiceClass<Self, Id, Shape, R> => {
  const key = Context.Service<Self, Shape>()(id)
  return Object.assign(key, { make, layer: Layer.effect(key, make) })
}
