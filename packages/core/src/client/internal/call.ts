/** One call of a service method: its span, its ledger, and errors with that ledger. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Tracer from "effect/Tracer"
import { LanguageServiceConfig } from "../../config/LanguageServiceConfig.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import { type Sanitizer, withoutSecrets } from "../../contract/internal/sanitizer.ts"
import { ConnectionLost, InvalidInput, OutcomeUnknown, type UnexpectedResponse } from "../../errors/CallError.ts"
import { type Failure, isFailure, outcomeOfCall } from "../../errors/internal/failure.ts"
import * as Unexpected from "../../errors/internal/unexpected.ts"
import { type ContractFailure, isContractFailure } from "../../errors/internal/unexpected.ts"
import { type AttemptFields, begin, type CurrentCall, ledger, Place, within } from "./currentCall.ts"
import * as Telemetry from "./telemetry.ts"
import { clientName, inSpan } from "./telemetry.ts"

const describe = (error: ContractFailure, sanitizer: Sanitizer): string => {
  switch (error._tag) {
    case "Mismatch":
      return sanitizer.fit(error.description)
    case "SchemaError":
      return Unexpected.describeSchemaError(error, sanitizer)
    case "HttpClientError":
      return ""
  }
}

const refusedInput = (error: ContractFailure): InvalidInput =>
  new InvalidInput({ parameter: "input", given: "something else", allowed: describe(error, withoutSecrets) })

/** The error for a response outside of the contract. */
const unexpected = (
  call: CurrentCall,
  error: ContractFailure
): Effect.Effect<UnexpectedResponse | ConnectionLost | InvalidInput> => {
  const { attempts, response, sanitizer } = call
  if (response === undefined) {
    return Effect.succeed(
      // A schema that fails before a request was sent has refused the input, not the response.
      attempts.length === 0
        ? refusedInput(error)
        : new ConnectionLost({ description: describe(error, sanitizer) })
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

/** Recreates an error with more fields, so that the stack shows the full message. */
const withFields = <E>(error: E & Failure, fields: object): E => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every class of this library is made from its fields
  const Class = error.constructor as new(fields: object) => E
  // The cause of an error is not enumerable.
  return new Class({ ...error, ...("cause" in error ? { cause: error.cause } : undefined), ...fields })
}

/** The characters that the service may have counted for the attempts of a call. */
const charactersOf = (
  call: { readonly attempts: ReadonlyArray<AttemptFields>; readonly characters: CurrentCall["characters"] } | undefined
): number => call?.characters?.(call.attempts) ?? 0

/** The attempts of a call with the one in flight, or with the next one. */
const withNext = (
  operation: string,
  { attempts, inFlight }: Pick<CurrentCall, "attempts" | "inFlight">,
  now: number
): ReadonlyArray<AttemptFields> => [...attempts, {
  operation,
  number: attempts.length + 1,
  failure: "DeadlineExceeded",
  outcome: "unknown",
  waited: Duration.millis(inFlight?.wait?.millis ?? 0),
  took: Duration.millis(inFlight === undefined ? 0 : now - inFlight.sentAt),
  ...(inFlight?.wait === undefined ? undefined : { waitCause: inFlight.wait.cause })
}]

/** The characters that the service may have counted for a call that has not ended. */
export const charactersSoFar = (operation: string, call: CurrentCall): number =>
  charactersOf(
    call.inFlight === undefined
      ? call
      : { attempts: withNext(operation, call, call.inFlight.sentAt), characters: call.characters }
  )

/** Adds to a span the attempts of a call, and the characters that they may have counted. */
const describeAttempts = (span: Tracer.Span, call: CurrentCall): void => {
  span.attribute("language_service.attempts", call.attempts.length)
  const characters = charactersOf(call)
  if (characters > 0) span.attribute("language_service.characters", characters)
}

/** Recreates an error of the contract with its operation and ledger, which were unknown when it was made. */
export const complete = <E>(
  error: E,
  operation: string,
  current?: { readonly attempts: ReadonlyArray<AttemptFields> } & Pick<CurrentCall, "characters" | "repeat">,
  prefix?: string
): E => {
  if (!isFailure(error)) return error
  const attempts = ledger(current)
  const characters = charactersOf(current)
  return withFields(error, {
    operation,
    attempts,
    outcome: outcomeOfCall(attempts, error.outcome),
    ...(characters === 0 ? undefined : { possiblyCountedCharacters: characters }),
    ...(current?.repeat === undefined ? undefined : { repeat: current.repeat }),
    ...(prefix === undefined ? undefined : { prefix })
  })
}

/**
 * The same error about some texts of a run, about one of several targets, about a call of a plan, a document or a job, or with the
 * deadline of one of several calls.
 */
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

/** Converts any failure of a call into an error of this library. */
const ours = <E>(
  error: E,
  current: CurrentCall
): Effect.Effect<Exclude<E, ContractFailure> | UnexpectedResponse | ConnectionLost | InvalidInput> =>
  isContractFailure(error)
    ? unexpected(current, error)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is not one of the contract client
    : Effect.succeed(error as Exclude<E, ContractFailure>)

/** Converts every failure to one of this library's classes, with the operation, its ledger and the prefix of its client. */
const settledWith =
  (prefix: string | undefined) => <A, E, R>(operation: string, effect: Effect.Effect<A, E, R>, current: CurrentCall) =>
    Effect.catch(
      effect,
      (error) =>
        Effect.flatMap(ours(error, current), (known) => Effect.fail(complete(known, operation, current, prefix)))
    )

/** Runs the checks of an operation that precede all of its calls: their failures have its name. */
export const checked = <A, E extends Failure, R>(
  operation: string,
  effect: Effect.Effect<A, E | Schema.SchemaError, R>
): Effect.Effect<A, E | InvalidInput, R> =>
  Effect.mapError(
    effect,
    (error) => complete(Schema.isSchemaError(error) ? refusedInput(error) : error, operation)
  )

/** Adds the operation to a failure outside of any call. */
const named = <A, E, R>(operation: string, effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(
    effect,
    (error) => isFailure(error) && error.operation === "" ? complete(error, operation) : error
  )

const outcomeUnknown = (operation: string, lookup: Readonly<Record<string, string>>, error: Failure) =>
  new OutcomeUnknown({
    operation,
    lookup,
    cause: error._tag,
    description: error.description,
    attempts: error.attempts,
    ...(error.traceId === undefined ? undefined : { traceId: error.traceId })
  })

/** Makes the functions that run the operations of a client, with its name in their spans and metrics and its prefix in errors. */
const makeRuns = (client: string | undefined, prefix?: string) => {
  const settled = settledWith(prefix)
  const attributes = client === undefined ? {} : { "language_service.client": client }
  const labelled = Telemetry.labelled(client)

  /** Runs an operation in a span. */
  const spanned = <A, E, R>(
    operation: string,
    effect: Effect.Effect<A, E, R>,
    current?: CurrentCall
  ): Effect.Effect<A, E, R> =>
    inSpan(
      effect,
      operation,
      { attributes: { "language_service.operation": operation, ...attributes } },
      (exit, span) => {
        if (current !== undefined) describeAttempts(span, current)
        const result = resultOf(exit)
        return result === "success" ? undefined : result
      }
    )

  /** Runs an operation, in a span if spans are kept, and measures its duration and its result. The place of a call is empty from its end on. */
  const measured = <A, E, R>(
    operation: string,
    context: Context.Context<R>,
    effect: Effect.Effect<A, E, R>,
    place?: Place
  ): Effect.Effect<A, E, R> => {
    const clock = Context.get(context, Clock.Clock)
    const started = Monotonic.nowUnsafe(clock)
    const traced = Telemetry.isTraced(context) ? spanned(operation, effect, place?.content) : effect
    return Effect.onExit(traced, (exit) => {
      const millis = Monotonic.nowUnsafe(clock) - started
      place?.empty()
      Telemetry.update("operationDuration", millis / 1000, { operation, result: resultOf(exit) }, context)
      return Effect.void
    })
  }

  /** Runs the effect of a context with the name of the client in its metrics. */
  const inContext = <A, E, R>(effectOf: (context: Context.Context<R>) => Effect.Effect<A, E, R>) => {
    const effect = Effect.contextWith(effectOf)
    return client === undefined ? effect : Effect.updateContext(effect, labelled<R>)
  }

  /** Gives an operation its span, its ledger and its metric. */
  const observed = <A, E, R>(
    operation: string,
    secrets: ReadonlyArray<string>,
    effect: (current: CurrentCall) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> =>
    inContext((context: Context.Context<R>) => {
      const current = begin(secrets)
      const place = new Place(current)
      return measured(operation, context, within(place, effect(current)), place)
    })

  return {
    /**
     * Runs one call of the contract client as the operation of its name: gives it a span and a ledger, and converts
     * every failure to one of this library's classes. `secrets` are kept out of errors, like the key.
     */
    call: <A, E, R>(operation: string, effect: Effect.Effect<A, E, R>, secrets: ReadonlyArray<string> = []) =>
      observed(operation, secrets, (current) => settled(operation, effect, current)),
    /**
     * Like `call`, for an operation that creates: a failure that leaves open whether the object exists becomes
     * `OutcomeUnknown` with what is needed to look for it.
     */
    create: <A, E, R>(
      operation: string,
      lookup: Readonly<Record<string, string>>,
      effect: Effect.Effect<A, E, R>,
      secrets: ReadonlyArray<string> = []
    ) =>
      observed(
        operation,
        secrets,
        (current) =>
          Effect.mapError(settled(operation, effect, current), (error) =>
            isFailure(error) && error.outcome === "unknown"
              ? outcomeUnknown(operation, lookup, error)
              // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the condition above does not narrow a type parameter
              : error as Exclude<
                Exclude<E, ContractFailure> | UnexpectedResponse | ConnectionLost | InvalidInput,
                { readonly outcome: "unknown" }
              >)
      ),
    /** Runs an operation that is made of calls, which have their own ledgers: gives it a span and its metric. */
    composed: <A, E, R>(operation: string, effect: Effect.Effect<A, E, R>) =>
      inContext((context: Context.Context<R>) => measured(operation, context, named(operation, effect)))
  }
}

export type Runs = ReturnType<typeof makeRuns>

/** The functions that run the operations of the client of the context. */
export const runs = Effect.map(LanguageServiceConfig, ({ name, prefix }) => makeRuns(name, prefix))

/** Makes the function that runs an operation of the client of the context, if there is one. */
export const runner = Effect.map(clientName, (name) => makeRuns(name).composed)

/** Runs an operation of the client of the context, if there is one. */
export const composed = <A, E, R>(operation: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(runner, (run) => run(operation, effect))
