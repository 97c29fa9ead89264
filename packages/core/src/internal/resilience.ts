/**
 * The client half of the resilience middleware: one call as a loop of attempts.
 *
 *     deadline ( attempt ( timeout to the headers, body in memory ) -> wait, or the end )
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import type * as Layer from "effect/Layer"
import * as Attempt from "../Attempt.ts"
import { LanguageServiceConfig } from "../LanguageServiceConfig.ts"
import * as Operation from "../Operation.ts"
import { Resilience } from "../Resilience.ts"
import * as ResiliencePolicy from "../ResiliencePolicy.ts"
import { WrongTier } from "../ServiceError.ts"
import * as AttemptRun from "./attempt.ts"
import { CurrentCall } from "./currentCall.ts"
import * as Repeat from "./repeat.ts"

/** The client half, with the policy of the configuration. */
export const layer: Layer.Layer<HttpApiMiddleware.ForClient<Resilience>, never, LanguageServiceConfig> =
  HttpApiMiddleware.layerClient(
    Resilience,
    Effect.gen(function*() {
      const config = yield* LanguageServiceConfig
      const decoderOf = AttemptRun.makeDecoders()

      return Effect.fnUntraced(function*({ endpoint, group, next, request }) {
        if (config.tier === "free" && Context.get(endpoint.annotations, Operation.RequiredTier) === "paid") {
          return yield* new WrongTier({
            description: "The operation needs the paid tier and the client is set to free"
          })
        }
        const policy = { ...config.resilience, ...(yield* ResiliencePolicy.Override) }
        const kind = Context.get(endpoint.annotations, Operation.Repeat)
        const streamed = kind === "Consume"
        const deadline = streamed ? policy.documentDeadline : policy.deadline
        const end = (yield* Clock.currentTimeMillis) + Duration.toMillis(deadline)
        const waitAfter = Repeat.make(kind, policy, end)
        const call = yield* CurrentCall
        const recorder = yield* Attempt.Recorder
        let wait: Repeat.Wait | undefined

        const note = (number: number, { failure, response }: AttemptRun.Ending, took: number) => {
          if (call !== undefined) call.response = response
          if (call === undefined && recorder === undefined) return
          const traceId = response?.headers["x-trace-id"]
          const attempt = new Attempt.Attempt({
            operation: `${group.identifier}.${endpoint.identifier}`,
            number,
            waited: Duration.millis(wait?.millis ?? 0),
            took: Duration.millis(took),
            ...(response === undefined ? undefined : { status: response.status }),
            ...(failure === undefined ? undefined : { failure: failure._tag }),
            ...(traceId === undefined ? undefined : { traceId }),
            ...(wait === undefined ? undefined : { waitCause: wait.cause })
          })
          call?.attempts.push(attempt)
          recorder?.(attempt)
        }

        for (let number = 1;; number++) {
          const sent = yield* Clock.currentTimeMillis
          const ending = yield* AttemptRun.run(next(request), {
            decode: (response) => decoderOf(group.identifier, endpoint.identifier)(response),
            policy,
            deadline,
            remaining: end - sent,
            streamed
          })
          const now = yield* Clock.currentTimeMillis
          note(number, ending, now - sent)
          if (ending.failure === undefined) return ending.response
          // A DELETE that was sent before and finds nothing has done its work.
          if (number > 1 && endpoint.method === "DELETE" && ending.response?.status === 404) {
            return HttpClientResponse.fromWeb(request, new Response(null, { status: 204 }))
          }
          wait = yield* waitAfter(ending.failure, now)
          if (wait === undefined) {
            return ending.response === undefined ? yield* Effect.fail(ending.failure) : ending.response
          }
          yield* Effect.sleep(wait.millis)
        }
      })
    })
  )
