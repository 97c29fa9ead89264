/** `CallRecord`, the state of one method call, and `Call`, the facts of one request. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Headers from "effect/http/Headers"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Result from "effect/Result"
import type * as Tracer from "effect/Tracer"
import { overridden } from "../../config/internal/override.ts"
import * as Region from "../../config/internal/region.ts"
import { type ClientTransform, secretsOf } from "../../config/internal/settings.ts"
import type * as ResiliencePolicy from "../../config/ResiliencePolicy.ts"
import type { RepeatKind } from "../../contract/internal/endpoint.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
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
import type { Ending } from "./ending.ts"
import type { Plan } from "./plan.ts"
import type { Wait } from "./repeat.ts"

export type { Wait } from "./repeat.ts"

/** Limits the open streams of a client. With this service in its context, a download returns the body as a stream. */
export class OpenStreams extends Context.Service<OpenStreams, {
  readonly open: (policy: ResiliencePolicy.ResiliencePolicy, attempt: Effect.Effect<Ending>) => Effect.Effect<Ending>
}>()("@effect-lingua/core/call/internal/callRecord/OpenStreams") {}

export type AttemptFields = ConstructorParameters<typeof Attempt.Attempt>[0]

/** The state of a streamed request body. */
export class Sending {
  /** True to compute the content's SHA-256 digest during the upload. */
  readonly isHashed: boolean
  /** When the last bytes were sent, in milliseconds of `Monotonic`. */
  sentAt: number | undefined = undefined
  isSending = false
  /** True once the source was read and cannot be read again. */
  isSpent = false
  sourceFailure: SourceFailed | undefined = undefined
  contentHash: string | undefined = undefined
  constructor(isHashed = false) {
    this.isHashed = isHashed
  }
}

/** The state of a method call, used by one fiber at a time. */
export class CallRecord {
  readonly operation: string
  /** Secrets in addition to the client's secrets. */
  readonly secrets: ReadonlyArray<string>
  /** The fields of `Attempt`s. {@link ledger} makes the `Attempt`s on demand. */
  readonly attempts: Array<AttemptFields> = []
  response: HttpClientResponse.HttpClientResponse | undefined = undefined
  /** Removes the last request's secrets from texts that the service sent. */
  sanitizer: Sanitizer.Sanitizer
  repeat: RepeatKind | undefined = undefined
  /** Returns the characters that the service counts for each attempt of a metered call. */
  characters: (() => number) | undefined = undefined
  sending: Sending | undefined = undefined
  constructor(operation: string, secrets: ReadonlyArray<string> = []) {
    this.operation = operation
    this.secrets = secrets
    this.sanitizer = secrets.length === 0 ? Sanitizer.withoutSecrets : Sanitizer.make(secrets)
  }
}

/** True if the service may have counted an attempt's characters. */
export const isCounted = ({ outcome, status = 200 }: AttemptFields): boolean =>
  outcome === "unknown" || (outcome === undefined && status < 300)

export const countedAttempts = (attempts: ReadonlyArray<AttemptFields>): number => attempts.filter(isCounted).length

export const countedCharacters = ({ attempts, characters }: CallRecord): number => {
  const counted = characters === undefined ? 0 : countedAttempts(attempts)
  return characters === undefined || counted === 0 ? 0 : counted * characters()
}

export const traceOf = ({ response, sanitizer }: CallRecord) => Sanitizer.traceOf(response, sanitizer)

export const ledger = ({ attempts }: CallRecord): ReadonlyArray<Attempt.Attempt> =>
  attempts.map((fields) => new Attempt.Attempt(fields))

export interface Target {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly server: ReturnType<typeof serverOf>
}

/** A request's facts, shared by its attempts. */
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
  readonly target: (number: number) => Effect.Effect<Target, E, R>
  readonly send: HttpClient.HttpClient["execute"]
  /** Converts the last failure into the call's error. */
  readonly failed: (failure: Failure) => E
  readonly policy: ResiliencePolicy.ResiliencePolicy
  /** The policy before `ResiliencePolicy.within` overrides its fields. */
  readonly configured: ResiliencePolicy.ResiliencePolicy
  readonly deadline: Duration.Duration
  /** The deadline in milliseconds of `Monotonic`. */
  readonly end: number
  /** Time limit from the connection to the response headers. */
  readonly timeout: Duration.Duration
  /** True for a file's upload or download. */
  readonly transfers: boolean
  /** Present if the body of a success is returned as an open stream. */
  readonly streams: OpenStreams["Service"] | undefined
  /** Absent for a file transfer with another host. */
  readonly limiter?: Client["limiter"] | undefined
  readonly learned?: Client["learned"]
  readonly tenant?: ReturnType<typeof stateOf>
  readonly queue: string
  readonly sanitizer: Sanitizer.Sanitizer
  readonly wait?: Wait | undefined
  readonly context: Context.Context<never>
  readonly clock: Clock.Clock
  readonly span: Tracer.Span | undefined
}

/** Sends requests through `transform`, then through the client's transform. Header values that a transform adds are secrets. */
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
  const inRegion = overridden(configured, context, now)
  if (Result.isFailure(inRegion)) return Result.fail(inRegion.failure)
  const policy = inRegion.success
  const currentTenant = Context.get(context, CurrentTenant)
  const tenant = currentTenant && stateOf(currentTenant)
  if (currentTenant !== undefined && tenant === undefined) {
    return Result.fail(
      invalid("Tenant.within", "an object without limits", "a tenant that Tenant.make returned, not a copy")
    )
  }
  const deadline = transfers ? policy.jobDeadline : policy.deadline
  const end = now + Duration.toMillis(deadline)
  const base = record.secrets.length === 0 ? client.sanitizer : Sanitizer.make([...client.secrets, ...record.secrets])
  const transform = transformed(client, Context.get(context, Region.CurrentTransform), base)
  const sanitizer = Sanitizer.ofRequest(transform.sanitizer, request.body)
  const span = Telemetry.spanOf(context)
  const { body, hash, headers, method, url, urlParams } = request
  const target = Effect.succeed({
    request: HttpClientRequest.makeWith(method, url, urlParams, hash, Headers.merge(client.headers, headers), body),
    server: client.server
  })
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
    // Only for a download: other calls that a transform makes during a download have `OpenStreams` in their context too.
    streams: repeat === "Consume" ? Context.getOrUndefined(context, OpenStreams) : undefined,
    limiter: client.limiter,
    learned: policy.concurrency === Number.POSITIVE_INFINITY ? undefined : client.learned,
    tenant,
    queue: Context.get(context, Region.CurrentQueue) ?? operation,
    sanitizer,
    wait,
    context,
    clock,
    span
  })
}

/** A file's transfer from or to another host, through signed URLs. */
export interface File<A, E, R> {
  readonly operation: string
  readonly policy: ResiliencePolicy.ResiliencePolicy
  /** Replaces the URL in spans and metrics. */
  readonly template: string
  readonly record: CallRecord
  /** Makes the request of an attempt. `secrets` are parts of the URL. */
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
  readonly failed: (failure: Failure) => E
}

/** Makes the call that transfers a file, to which the service's limits do not apply. */
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
    // Without transforms, because their headers must not reach another host.
    send: client.http.execute,
    failed,
    policy,
    configured: policy,
    deadline: policy.jobDeadline,
    end,
    timeout: policy.documentTimeout,
    transfers: true,
    streams: Context.getOrUndefined(context, OpenStreams),
    queue: operation,
    sanitizer,
    context,
    clock,
    span: Telemetry.spanOf(context)
  }
}
