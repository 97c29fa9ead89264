/**
 * Calls that continue after a failure with another client, for example in another region, if the call is safe to repeat.
 *
 * @since 0.3.0
 */
import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ExecutionPlan from "effect/ExecutionPlan"
import * as Layer from "effect/Layer"
import { hasProperty } from "effect/Predicate"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Monotonic from "../contract/internal/monotonic.ts"
import { ConnectionFailed } from "../errors/CallError.ts"
import * as Problem from "../errors/Problem.ts"
import { CurrentEnd, IsResumable } from "./internal/region.ts"

/**
 * Clients in order of use, in an Effect `ExecutionPlan`.
 *
 * @category models
 * @since 0.3.0
 */
export interface Failover<in out Services> extends
  ExecutionPlan.ExecutionPlan<{
    provides: Services
    input: unknown
    error: never
    requirements: never
  }>
{}

/** False for an error with a document, because only the client that uploaded the document can continue. */
const mayContinue = (error: unknown): boolean =>
  (Problem.isSafe(error) || (error instanceof ConnectionFailed && error.outcome === "refused")) &&
  !hasProperty(error, "document")

/** Limits a client to a share of the time that is left at its start. */
const layerShare = (share: number) =>
  Layer.fresh(Layer.effect(
    CurrentEnd,
    Effect.map(
      Effect.all([CurrentEnd, Monotonic.now]),
      ([end, now]) => Number.isFinite(end) ? Math.min(end, now + (end - now) * share) : end
    )
  ))

/**
 * Builds the clients, which live until the scope closes. A call begins with the first client. A failed call that is safe to repeat (`Problem.isSafe`)
 * or had no connection continues with the next client. An uploaded document stays with its client.
 *
 * **Details**
 *
 * With a `Deadline.within` around the call, each client except the last has a `share` of the time left, by default a half, which leaves time for the
 * next client. Otherwise each client has the `deadline` of its policy. With `whenUnavailable: "fail"`, a call leaves a client with an open circuit
 * at once.
 *
 * @category constructors
 * @since 0.3.0
 */
export const make = Effect.fnUntraced(function*<Services, E, R>(
  clients: Arr.NonEmptyReadonlyArray<Layer.Layer<Services, E, R>>,
  { share = 0.5 }: { readonly share?: number | undefined } = {}
): Effect.fn.Return<Failover<Services>, E, R | Scope.Scope> {
  const contexts = yield* Effect.all(Arr.map(clients, (client) => Layer.build(client)))
  const steps = Arr.map(contexts, (context: Context.Context<Services>, index) => ({
    provide: Layer.merge(Layer.succeedContext(context), layerShare(index === clients.length - 1 ? 1 : share)),
    while: mayContinue
  }))
  return ExecutionPlan.make(...steps)
})

/**
 * Runs an effect with the first client, and again with the next client after a failure, if the failed call is safe to repeat. Use `within` around one
 * call.
 *
 * @category combinators
 * @since 0.3.0
 */
export const within =
  <Services>(plan: Failover<Services>) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, Services>> =>
    Effect.withExecutionPlan(self, plan)

/**
 * Runs a stream with the first client; after a failure, the next client continues the stream. `run` must return the stream without its first
 * `delivered` results.
 *
 * **Details**
 *
 * A stream of translated texts has one request in flight, so that only the failed request may be paid for twice. For more requests in flight, group
 * the texts and use {@link within} around each group. The parts of a text that was split are sent again. With `onError: "result"`, the error of a
 * text is a result and does not switch to the next client.
 *
 * @category combinators
 * @since 0.3.0
 */
export const stream = <Services, A, E, R>(
  plan: Failover<Services>,
  run: (delivered: number) => Stream.Stream<A, E, R>
): Stream.Stream<A, E, Exclude<R, Services>> =>
  Stream.suspend(() => {
    let delivered = 0
    return Stream.suspend(() => run(delivered)).pipe(
      Stream.map((result) => {
        delivered++
        return result
      }),
      Stream.provideService(IsResumable, true),
      Stream.withExecutionPlan(plan)
    )
  })
