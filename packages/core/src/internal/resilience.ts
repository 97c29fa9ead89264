/**
 * The client half of the resilience middleware. It runs one call as a loop of attempts:
 *
 *     deadline ( attempt ( timeout to headers, body in memory ) -> verdict -> wait )
 *
 * The verdict reads two facts that stand elsewhere: what a repeat does (on the endpoint) and what is known about the
 * effect (on the error class).
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import * as Attempt from "../Attempt.ts"
import { AttemptTimeout, DeadlineExceeded } from "../CallError.ts"
import { LanguageServiceApi } from "../LanguageServiceApi.ts"
import { LanguageServiceConfig } from "../LanguageServiceConfig.ts"
import * as Operation from "../Operation.ts"
import { type CallFailure, Resilience } from "../Resilience.ts"
import * as ResiliencePolicy from "../ResiliencePolicy.ts"
import { WrongTier } from "../ServiceError.ts"
import { type Failure, isFailure } from "./answer.ts"
import * as Body from "./body.ts"
import { CurrentCall } from "./currentCall.ts"
import { toConnectionError } from "./transport.ts"

/** How one attempt ended: with a response, which may be an error that the service answered with, or with none. */
type Ending =
  | { readonly response: HttpClientResponse.HttpClientResponse; readonly failure?: undefined }
  | { readonly response: HttpClientResponse.HttpClientResponse; readonly failure: Failure }
  | { readonly response?: undefined; readonly failure: CallFailure }

type Decoder = (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<Failure | undefined>

/** Decodes an error answer by the contract of its endpoint; a status that the contract does not know gives nothing. */
const makeDecoder = (group: string, endpoint: string): Decoder => {
  // Which endpoint it is is known at run time only; to the types one stands for all.
  const decode = HttpApiClient.decodeResponse(LanguageServiceApi, {
    group: group as "Writing",
    endpoint: endpoint as "rephrase"
  })
  return (response) =>
    Effect.match(decode(response), {
      onFailure: (error) => isFailure(error) ? error : undefined,
      onSuccess: () => undefined
    })
}

const backoff = (policy: ResiliencePolicy.ResiliencePolicy) =>
  Schedule.exponential(policy.backoffBase, policy.backoffFactor).pipe(
    Schedule.modifyDelay(({ duration }) =>
      Effect.map(Random.next, (part) => Duration.times(Duration.min(duration, policy.backoffCap), part))
    )
  )

const poll = (policy: ResiliencePolicy.ResiliencePolicy) =>
  Schedule.exponential(policy.pollBase, policy.pollFactor).pipe(
    Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, policy.pollCap))),
    Schedule.jittered
  )

/** Whether a call of this kind may be sent again after a failure. */
const mayRepeat = (
  kind: Operation.RepeatKind,
  failure: Failure,
  unknownOutcomes: number,
  policy: ResiliencePolicy.ResiliencePolicy
): boolean => {
  if (!failure.isTransient) return false
  if (failure.outcome !== "unknown") return true
  switch (kind) {
    case "Read":
    case "Replace":
      return true
    case "Metered":
      return policy.repeatMetered
    case "Consume":
      return unknownOutcomes === 1
    case "Create":
      return false
  }
}

const millis = Duration.toMillis

/** The client half, with the policy of the configuration. */
export const layer: Layer.Layer<HttpApiMiddleware.ForClient<Resilience>, never, LanguageServiceConfig> =
  HttpApiMiddleware.layerClient(
    Resilience,
    Effect.gen(function*() {
      const config = yield* LanguageServiceConfig
      const decoders = new Map<string, Decoder>()

      const decoderOf = (group: string, endpoint: string): Decoder => {
        const operation = `${group}.${endpoint}`
        const decoder = decoders.get(operation) ?? makeDecoder(group, endpoint)
        decoders.set(operation, decoder)
        return decoder
      }

      return Effect.fnUntraced(function*({ endpoint, group, next, request }) {
        const operation = `${group.identifier}.${endpoint.identifier}`
        if (config.tier === "free" && Context.get(endpoint.annotations, Operation.RequiredTier) === "paid") {
          return yield* new WrongTier({
            description: "The operation needs the paid tier and the client is set to free"
          })
        }
        const policy = { ...config.resilience, ...(yield* ResiliencePolicy.Override) }
        const kind = Context.get(endpoint.annotations, Operation.Repeat)
        const call = yield* CurrentCall
        const recorder = yield* Attempt.Recorder
        const deadline = kind === "Consume" ? policy.documentDeadline : policy.deadline
        const started = yield* Clock.currentTimeMillis
        const nextBackoff = yield* Schedule.toStep(backoff(policy))
        const nextPoll = yield* Schedule.toStep(poll(policy))
        let number = 0
        let failures = 0
        let unknownOutcomes = 0
        let waited = 0
        let waitCause: Attempt.WaitCause | undefined

        const attempt = (remaining: number): Effect.Effect<Ending> => {
          const limit = Duration.min(policy.attemptTimeout, Duration.millis(remaining))
          return next(request).pipe(
            Effect.timeoutOrElse({
              duration: limit,
              orElse: () => Effect.fail(new AttemptTimeout({ limit, description: "no headers came" }))
            }),
            Effect.flatMap((response) =>
              kind === "Consume" && response.status < 300 ? Effect.succeed(response) : Body.read(response, policy)
            ),
            Effect.timeoutOrElse({
              duration: Duration.millis(remaining),
              orElse: () => Effect.fail(new DeadlineExceeded({ deadline, outcome: "unknown" }))
            }),
            Effect.flatMap((response): Effect.Effect<Ending> =>
              response.status < 400
                ? Effect.succeed({ response })
                : Effect.map(decoderOf(group.identifier, endpoint.identifier)(response), (failure) =>
                  failure === undefined ? { response } : { response, failure })
            ),
            Effect.catch((error): Effect.Effect<Ending> =>
              Effect.succeed({
                failure: HttpClientError.isHttpClientError(error) ? toConnectionError(error) : error
              })
            )
          )
        }

        while (true) {
          number++
          const sent = yield* Clock.currentTimeMillis
          const ending = yield* attempt(started + millis(deadline) - sent)
          const now = yield* Clock.currentTimeMillis
          const { response } = ending
          if (call !== undefined || recorder !== undefined) {
            const traceId = response?.headers["x-trace-id"]
            const entry = new Attempt.Attempt({
              operation,
              number,
              waited: Duration.millis(waited),
              took: Duration.millis(now - sent),
              ...(response === undefined ? undefined : { status: response.status }),
              ...(ending.failure === undefined ? undefined : { failure: ending.failure._tag }),
              ...(traceId === undefined ? undefined : { traceId }),
              ...(waitCause === undefined ? undefined : { waitCause })
            })
            recorder?.(entry)
            call?.attempts.push(entry)
          }
          if (call !== undefined) call.response = response
          if (ending.failure === undefined) return ending.response
          const failure: Failure = ending.failure
          // A DELETE that was sent before and finds nothing has done its work.
          if (number > 1 && endpoint.method === "DELETE" && response?.status === 404) {
            return HttpClientResponse.fromWeb(request, new Response(null, { status: 204 }))
          }

          if (failure.outcome === "unknown") unknownOutcomes++
          const pending = failure.outcome === "pending"
          failures = pending ? 0 : failures + 1
          const hint = failure.retryAfter ?? Duration.zero
          const step = pending ? nextPoll : nextBackoff
          const repeat = mayRepeat(kind, failure, unknownOutcomes, policy) && failures < policy.attempts &&
            Duration.isLessThanOrEqualTo(hint, policy.retryAfterCap)
          const [, own] = repeat ? yield* Effect.orDie(step(now, failure)) : [undefined, Duration.zero]
          waited = Math.round(Math.max(millis(own), millis(hint)))
          if (!repeat || now + waited >= started + millis(deadline)) {
            return ending.response === undefined ? yield* Effect.fail(ending.failure) : ending.response
          }
          waitCause = pending ? "poll" : millis(hint) > millis(own) ? "retry-after" : "backoff"
          yield* Effect.sleep(waited)
        }
      })
    })
  )
