/** A call: the record of one method call, which its operation makes and passes to each request, and the facts of a request, which its attempts do not change. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import type * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Result from "effect/Result"
import type * as Tracer from "effect/Tracer"
import { secretsOf } from "../../config/internal/headers.ts"
import * as Region from "../../config/internal/region.ts"
import type { ClientTransform } from "../../config/LanguageServiceConfig.ts"
import * as ResiliencePolicy from "../../config/ResiliencePolicy.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import type { RepeatKind } from "../../contract/internal/operation.ts"
import * as Sanitizer from "../../contract/internal/sanitizer.ts"
import * as Attempt from "../../errors/Attempt.ts"
import type { SourceFailed } from "../../errors/CallError.ts"
import { invalid } from "../../errors/internal/checks.ts"
import type { Failure } from "../../errors/internal/failure.ts"
import type { ContractFailure } from "../../errors/internal/unexpected.ts"
import { WrongTier } from "../../errors/ServiceError.ts"
import { CurrentTenant, stateOf } from "../../limits/internal/tenants.ts"
import * as Telemetry from "../../telemetry/internal/telemetry.ts"
import { type Client, serverOf } from "./client.ts"
import { OpenStreams } from "./openStreams.ts"
import type { Plan } from "./plan.ts"
import * as Repeat from "./repeat.ts"
import type { Wait } from "./repeat.ts"

export type { Wait } from "./repeat.ts"

/** The fields of an attempt. */
export type AttemptFields = ConstructorParameters<typeof Attempt.Attempt>[0]

/** The state of a request body that streams. */
export class Sending {
  /** True to take the SHA-256 digest of the content while it is sent. */
  readonly isHashed: boolean
  /** The time at which the last bytes were sent, as a time of `Monotonic`. */
  sentAt: number | undefined = undefined
  /** True while the body has bytes left to send. */
  isSending = false
  /** True if the body was read and cannot be read again. */
  isSpent = false
  /** The failure of the source of the body, which ends the upload. */
  sourceFailure: SourceFailed | undefined = undefined
  contentHash: string | undefined = undefined
  constructor(isHashed = false) {
    this.isHashed = isHashed
  }
}

/** The record of one call, which belongs to one fiber at a time. */
export class CallRecord {
  readonly operation: string
  /** Secrets of the call, in addition to those of the client. */
  readonly secrets: ReadonlyArray<string>
  /** The attempts of all requests of the call. Instances of `Attempt` are created from these on demand, which is rare. */
  readonly attempts: Array<AttemptFields> = []
  /** The last response. */
  response: HttpClientResponse.HttpClientResponse | undefined = undefined
  /** Removes the secrets of the last request from texts of the service. */
  sanitizer: Sanitizer.Sanitizer
  /** What repeating the last request does. */
  repeat: RepeatKind | undefined = undefined
  /** The characters that each attempt of a metered call may add to the usage. */
  characters: (() => number) | undefined = undefined
  /** The state of the request body, if it streams. */
  sending: Sending | undefined = undefined
  constructor(operation: string, secrets: ReadonlyArray<string> = []) {
    this.operation = operation
    this.secrets = secrets
    this.sanitizer = secrets.length === 0 ? Sanitizer.withoutSecrets : Sanitizer.make(secrets)
  }
}

/** True if the service may have counted an attempt: it succeeded, or its outcome is unknown. */
export const isCounted = ({ outcome, status = 200 }: AttemptFields): boolean =>
  outcome === "unknown" || (outcome === undefined && status < 300)

/** The number of attempts that the service may have counted. */
export const countedAttempts = (attempts: ReadonlyArray<AttemptFields>): number => attempts.filter(isCounted).length

/** The characters that the service may have counted for the attempts of a call. */
export const countedCharacters = ({ attempts, characters }: CallRecord): number => {
  const counted = characters === undefined ? 0 : countedAttempts(attempts)
  return characters === undefined || counted === 0 ? 0 : counted * characters()
}

/** The trace id of the last response, as a field, if it has one. */
export const traceOf = ({ response, sanitizer }: CallRecord) => Sanitizer.traceOf(response, sanitizer)

/** The ledger of a call. */
export const ledger = ({ attempts }: CallRecord): ReadonlyArray<Attempt.Attempt> =>
  attempts.map((fields) => new Attempt.Attempt(fields))

/** The request of an attempt and its server. */
export interface Target {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly server: ReturnType<typeof serverOf>
}

/** A call: its facts, which its attempts do not change. */
export interface Call<E = Failure | ContractFailure, R = never> {
  readonly client: Client
  readonly record: CallRecord
  readonly plan:
    & Pick<Plan, "operation" | "repeat" | "template">
    & Partial<Pick<Plan, "removes" | "key">>
    & {
      readonly decode: (
        ...parameters: Parameters<Plan["decode"]>
      ) => Effect.Effect<unknown, E & (Failure | ContractFailure)>
    }
  /** The request of each attempt. */
  readonly target: (number: number) => Effect.Effect<Target, E, R>
  readonly send: HttpClient.HttpClient["execute"]
  /** The error of the call for its last failure. */
  readonly failed: (failure: Failure) => E
  readonly policy: ResiliencePolicy.ResiliencePolicy
  /** The policy without the settings of a region. */
  readonly configured: ResiliencePolicy.ResiliencePolicy
  /** The deadline of the call, and when it passes, as a time of `Monotonic`. */
  readonly deadline: Duration.Duration
  readonly end: number
  /** Time from the connection of a request to the headers of the response. */
  readonly timeout: Duration.Duration
  /** True for a document, whose bytes take their time. */
  readonly transfers: boolean
  /** The open streams, if the response is to be one of them: the body of a success is left unread. */
  readonly streams: OpenStreams["Service"] | undefined
  /** The limits of the client and of the tenant. A file at another host has none. */
  readonly limiter: Client["limiter"] | undefined
  readonly learned: Client["learned"]
  readonly tenant: ReturnType<typeof stateOf>
  /** The queue of its attempts in the limits. */
  readonly queue: string
  /** Keeps secrets that the service repeats out of errors and spans. */
  readonly sanitizer: Sanitizer.Sanitizer
  /** The wait before the first attempt. */
  readonly wait: Wait | undefined
  readonly decide: (failure: Failure, now: number) => Effect.Effect<Repeat.Next>
  /** The context of the caller. */
  readonly context: Context.Context<never>
  readonly clock: Clock.Clock
  /** The span of the call, for the events of its waits. */
  readonly span: Tracer.Span | undefined
}

/**
 * How a call sends requests: through the transforms of the client and of its region, if there are any. The values of headers that they add are
 * secrets.
 */
const transformed = (
  { config, http, transformed }: Client,
  transform: ClientTransform | undefined,
  sanitizer: Sanitizer.Sanitizer
): Pick<Call, "sanitizer" | "send"> => {
  if (config.transformClient === undefined && transform === undefined) return { sanitizer, send: http.execute }
  const extensible = Sanitizer.extensible(sanitizer)
  const through = transform?.(transformed) ?? transformed
  return {
    sanitizer: extensible,
    send: (request) => {
      const hide = (sent: HttpClientRequest.HttpClientRequest) =>
        Effect.sync(() => {
          const added = Object.entries(sent.headers).filter(([name, value]) => request.headers[name] !== value)
          extensible.add(secretsOf(added.map(([, value]) => value)))
        })
      return through.execute(request).pipe(
        Effect.tap((response) => hide(response.request)),
        Effect.tapError((error) => hide(error.request))
      )
    }
  }
}

/** Starts a call of the service. */
export const begin = (
  client: Client,
  record: CallRecord,
  plan: Plan,
  request: HttpClientRequest.HttpClientRequest,
  wait: Wait | undefined,
  context: Context.Context<never>
): Result.Result<Call, Failure> => {
  const { config } = client
  const { operation, repeat, transfers } = plan
  if (config.tier === "free" && plan.tier === "paid") {
    const description = "Nothing was sent: the operation needs the paid tier, and the client is set to the free one"
    return Result.fail(new WrongTier({ description }))
  }
  const clock = Context.get(context, Clock.Clock)
  const now = Monotonic.nowUnsafe(clock)
  const configured = client.policies.get(plan.group) ?? config.resilience
  const overridden = Region.overridden(configured, context, now)
  if (Result.isFailure(overridden)) return Result.fail(overridden.failure)
  const policy = overridden.success
  const currentTenant = Context.get(context, CurrentTenant)
  const tenant = currentTenant && stateOf(currentTenant)
  if (currentTenant !== undefined && tenant === undefined) {
    return Result.fail(
      invalid("Tenant.Current", "an object without limits", "a tenant that Tenant.make returned, not a copy")
    )
  }
  const deadline = transfers ? policy.jobDeadline : policy.deadline
  const end = now + Duration.toMillis(deadline)
  const known = record.secrets.length === 0 ? client.sanitizer : Sanitizer.make([...client.secrets, ...record.secrets])
  const transform = transformed(client, Context.get(context, Region.CurrentTransform), known)
  const sanitizer = Sanitizer.ofRequest(transform.sanitizer, request.body)
  const span = Telemetry.spanOf(context)
  const learned = policy.concurrency === Number.POSITIVE_INFINITY ? undefined : client.learned
  const target = Effect.succeed({ request: client.authorize(request), server: client.server })
  let decide: ReturnType<typeof Repeat.make> | undefined
  record.repeat = repeat
  record.sanitizer = sanitizer
  if (currentTenant !== undefined) span?.attribute("language_service.tenant", currentTenant.name)
  return Result.succeed({
    client,
    record,
    plan,
    target: () => target,
    send: transform.send,
    failed: identity,
    policy,
    configured,
    deadline,
    end,
    timeout: transfers ? policy.documentTimeout : policy.attemptTimeout,
    transfers,
    // A call that a transform of the client makes has its context too.
    streams: repeat === "Consume" ? Context.getOrUndefined(context, OpenStreams) : undefined,
    limiter: client.limiter,
    learned,
    tenant,
    queue: Context.get(context, Region.CurrentQueue) ?? operation,
    sanitizer,
    wait,
    // Most calls have no failure.
    decide: (failure, now) => {
      decide ??= Repeat.make(
        repeat,
        policy,
        end,
        Context.get(context, ResiliencePolicy.CurrentSchedules)
      )
      return decide(failure, now)
    },
    context,
    clock,
    span
  })
}

/** A file at addresses outside of the service. */
export interface File<A, E, R> {
  readonly operation: string
  readonly policy: ResiliencePolicy.ResiliencePolicy
  /** Stands for the address in spans and metrics. */
  readonly template: string
  readonly record: CallRecord
  /** The address of an attempt, with its request and the secrets in it. */
  readonly addressOf: (number: number) => Effect.Effect<
    {
      readonly url: URL
      readonly request: HttpClientRequest.HttpClientRequest
      readonly secrets: ReadonlyArray<string>
    },
    E,
    R
  >
  readonly decode: (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<A, E & Failure>
  /** The error for the failure of the last attempt. */
  readonly failed: (failure: Failure) => E
}

/** Starts the transfer of a file at an address outside of the service, whose limits do not concern it. */
export const beginFile = <E, R>(
  client: Client,
  { addressOf, decode, failed, operation, policy, record, template }: File<unknown, E, R>,
  context: Context.Context<never>
): Call<E, R> => {
  const clock = Context.get(context, Clock.Clock)
  const sanitizer = record.sanitizer = Sanitizer.extensible(Sanitizer.withoutSecrets)
  const end = Monotonic.nowUnsafe(clock) + Duration.toMillis(policy.jobDeadline)
  return {
    client,
    record,
    plan: { operation, repeat: "Replace", template, decode },
    target: (number) =>
      Effect.map(addressOf(number), ({ request, secrets, url }) => {
        sanitizer.add(secrets)
        return { request, server: serverOf(url) }
      }),
    // Another host, which must not see what the transforms add.
    send: client.http.execute,
    failed,
    policy,
    configured: policy,
    deadline: policy.jobDeadline,
    end,
    timeout: policy.documentTimeout,
    transfers: true,
    streams: Context.getOrUndefined(context, OpenStreams),
    limiter: undefined,
    learned: undefined,
    tenant: undefined,
    queue: operation,
    sanitizer,
    wait: undefined,
    decide: Repeat.make("Replace", policy, end, Context.get(context, ResiliencePolicy.CurrentSchedules)),
    context,
    clock,
    span: Telemetry.spanOf(context)
  }
}
