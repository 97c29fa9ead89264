/** The start of a call. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as References from "effect/References"
import * as Result from "effect/Result"
import type * as Tracer from "effect/Tracer"
import type * as Events from "../../client/Events.ts"
import { callOf, type CurrentCall, type Wait } from "../../client/internal/currentCall.ts"
import type { File, Plan } from "../../client/internal/plan.ts"
import * as Telemetry from "../../client/internal/telemetry.ts"
import { secretsOf } from "../../config/internal/headers.ts"
import * as Region from "../../config/internal/region.ts"
import { CurrentQueue } from "../../config/internal/regionDeadline.ts"
import type { ClientTransform } from "../../config/LanguageServiceConfig.ts"
import * as ResiliencePolicy from "../../config/ResiliencePolicy.ts"
import * as Monotonic from "../../contract/internal/monotonic.ts"
import * as Sanitizer from "../../contract/internal/sanitizer.ts"
import * as Attempt from "../../errors/Attempt.ts"
import { invalid } from "../../errors/internal/checks.ts"
import type { Failure } from "../../errors/internal/failure.ts"
import type { ContractFailure } from "../../errors/internal/unexpected.ts"
import { WrongTier } from "../../errors/ServiceError.ts"
import * as AttemptRun from "./attempt.ts"
import type { Client } from "./client.ts"
import { patienceOf } from "./ending.ts"
import * as Ledger from "./ledger.ts"
import { OpenStreams } from "./openStreams.ts"
import * as Repeat from "./repeat.ts"
import { CurrentTenant, stateOf } from "./tenants.ts"

/** A call: its requests, its times, the limits that it keeps, and the parts that decide and record. */
export interface Call<E = Failure | ContractFailure, R = never> extends AttemptRun.AttemptOptions {
  readonly plan:
    & Pick<Plan, "operation" | "repeat" | "template">
    & Partial<Pick<Plan, "removes" | "requiredKey">>
    & {
      readonly decode: (
        ...parameters: Parameters<Plan["decode"]>
      ) => Effect.Effect<unknown, E & (Failure | ContractFailure)>
    }
  /** The request of an attempt, if each has its own. */
  readonly requestOf?: (number: number) => Effect.Effect<Pick<AttemptRun.AttemptOptions, "request" | "server">, E, R>
  /** The error of the call for its last failure. */
  readonly failed: (failure: Failure) => E
  readonly sending: CurrentCall | undefined
  /** The wait before the first attempt. */
  readonly wait: Wait | undefined
  readonly limiter: Client["limiter"] | undefined
  readonly learned: Client["learned"]
  readonly tenant: ReturnType<typeof stateOf>
  readonly patience: () => number
  /** True for a document, whose bytes take their time. */
  readonly transfers: boolean
  /** The queue of its attempts in the limits. */
  readonly queue: string
  readonly decide: (failure: Failure, now: number) => Effect.Effect<Repeat.Next>
  readonly annotations: () => Events.Annotations
  /** The span of the call, for the events of its waits. */
  readonly span: Tracer.Span | undefined
  readonly ledger: ReturnType<typeof Ledger.make>
}

/**
 * How a call sends requests: through the transforms of the client and of its region, if there are any. The values of headers that they add are
 * secrets.
 */
const transformed = (
  { config, http, transformed }: Client,
  transform: ClientTransform | undefined,
  sanitizer: Sanitizer.Sanitizer
): Pick<AttemptRun.AttemptOptions, "sanitizer" | "send"> => {
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

const refuse = (failure: Failure) => Effect.fail(failure)

/** Starts a call of the service. */
export const begin = (
  client: Client,
  plan: Plan,
  request: HttpClientRequest.HttpClientRequest,
  around: Context.Context<never>
): Effect.Effect<Call, Failure> => {
  const { config, events } = client
  const { operation, repeat, transfers } = plan
  if (config.tier === "free" && plan.requiredTier === "paid") {
    return refuse(
      new WrongTier({
        description: "Nothing was sent, as the operation needs the paid tier and the client is set to the free one"
      })
    )
  }
  const clock = Context.get(around, Clock.Clock)
  const current = callOf(around)
  const base = client.policies.get(plan.group) ?? config.resilience
  const annotations = () => Context.get(around, References.CurrentLogAnnotations)
  const start = Monotonic.nowUnsafe(clock)
  const overridden = Region.overridden(base, around, start)
  if (Result.isFailure(overridden)) return refuse(overridden.failure)
  const policy = overridden.success
  const currentTenant = Context.get(around, CurrentTenant)
  const tenant = stateOf(currentTenant)
  if (currentTenant !== undefined && tenant === undefined) {
    return refuse(
      invalid("Tenant.Current", "an object without limits", "a tenant that Tenant.make returned, not a copy")
    )
  }
  const deadline = transfers ? policy.jobDeadline : policy.deadline
  const end = start + Duration.toMillis(deadline)
  const ofCall = current === undefined || current.secrets.length === 0
    ? client.sanitizer
    : Sanitizer.make([...client.secrets, ...current.secrets])
  const transform = transformed(client, Context.get(around, Region.CurrentTransform), ofCall)
  const sanitizer = Sanitizer.ofRequest(transform.sanitizer, request.body)
  const wait = current?.wait
  if (current !== undefined) {
    current.policy = policy
    current.repeat = repeat
    current.lifetime = client.lifetime
    current.sanitizer = sanitizer
    current.wait = undefined
  }
  let decide: ReturnType<typeof Repeat.make> | undefined
  const span = Telemetry.spanOf(around)
  const learned = policy.concurrency === Number.POSITIVE_INFINITY ? undefined : client.learned
  if (currentTenant !== undefined) span?.attribute("language_service.tenant", currentTenant.name)
  return Effect.succeed({
    plan,
    clock,
    policy,
    deadline,
    end,
    sanitizer,
    send: transform.send,
    lifetime: client.lifetime,
    tenant,
    server: client.server,
    client: config.name,
    // A call that a transform of the client makes has its context too.
    streams: repeat === "Consume" ? Context.getOrUndefined(around, OpenStreams) : undefined,
    timeout: transfers ? policy.documentTimeout : policy.attemptTimeout,
    sending: current,
    request: client.authorize(request),
    wait,
    failed: identity,
    limiter: client.limiter,
    transfers,
    queue: Context.get(around, CurrentQueue) ?? operation,
    learned,
    patience: () => patienceOf(base, transfers),
    /** Decides about a failure. Most calls have none. */
    decide: (failure: Failure, now: number) => {
      decide ??= Repeat.make(
        repeat,
        policy,
        end,
        Context.get(around, ResiliencePolicy.CurrentSchedules),
        (now) => learned?.downFor(operation, now) ?? 0
      )
      return decide(failure, now)
    },
    annotations,
    span,
    ledger: Ledger.make({
      operation,
      sanitizer,
      call: current,
      recorder: Context.get(around, Attempt.Recorder),
      events,
      annotations,
      context: client.context
    })
  })
}

/** Starts the transfer of a file at an address outside of the service, whose limits do not concern it. */
export const beginFile = <E, R>(
  client: Client,
  { addressOf, current, decode, failed, operation, policy, template }: File<unknown, E, R>,
  around: Context.Context<never>
): Call<E, R> => {
  const clock = Context.get(around, Clock.Clock)
  const annotations = () => Context.get(around, References.CurrentLogAnnotations)
  const sanitizer = Sanitizer.extensible(Sanitizer.withoutSecrets)
  const end = Monotonic.nowUnsafe(clock) + Duration.toMillis(policy.jobDeadline)
  const decide = Repeat.make("Replace", policy, end, Context.get(around, ResiliencePolicy.CurrentSchedules))
  const plan = { operation, repeat: "Replace", template, decode } as const
  const requestOf = (number: number) =>
    Effect.map(addressOf(number), ({ request, secrets, url }) => {
      sanitizer.add(secrets)
      return { request, server: AttemptRun.serverOf(url) }
    })
  current.sanitizer = sanitizer
  return {
    plan,
    clock,
    policy,
    deadline: policy.jobDeadline,
    end,
    sanitizer,
    // Another host, which must not see what the transforms add.
    send: client.http.execute,
    lifetime: client.lifetime,
    client: client.config.name,
    // Those of the first attempt take their place.
    request: HttpClientRequest.empty,
    server: client.server,
    requestOf,
    failed,
    streams: Context.getOrUndefined(around, OpenStreams),
    timeout: policy.documentTimeout,
    sending: current,
    wait: undefined,
    limiter: undefined,
    transfers: true,
    queue: operation,
    learned: undefined,
    tenant: undefined,
    patience: () => patienceOf(policy, true),
    decide,
    annotations,
    span: Telemetry.spanOf(around),
    ledger: Ledger.make({
      operation,
      sanitizer,
      call: current,
      recorder: Context.get(around, Attempt.Recorder),
      events: client.events,
      annotations,
      context: client.context
    })
  }
}
