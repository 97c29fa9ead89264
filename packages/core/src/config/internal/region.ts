/** Settings for all calls of a region: an effect within a combinator such as `Deadline.within`. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { constant, dual } from "effect/Function"
import type { ClientTransform } from "./settings.ts"

const reference = <A>(name: string, initial: A): Context.Reference<A> =>
  Context.Reference<A>(`@effect-lingua/core/config/internal/region/${name}`, { defaultValue: constant(initial) })

/** Makes a combinator that merges a value into a setting. */
export const setting = <S, A>(
  key: Context.Reference<S>,
  merge: (outer: S, inner: A, context: Context.Context<never>) => S
): {
  (value: A): <B, E, R>(self: Effect.Effect<B, E, R>) => Effect.Effect<B, E, R>
  <B, E, R>(self: Effect.Effect<B, E, R>, value: A): Effect.Effect<B, E, R>
} =>
  dual(2, <B, E, R>(self: Effect.Effect<B, E, R>, value: A): Effect.Effect<B, E, R> =>
    Effect.updateContext(
      self,
      (context: Context.Context<R>) => Context.add(context, key, merge(Context.get(context, key), value, context))
    ))

/** Fields and schedules of `ResiliencePolicy.within`, checked by each call. */
export const CurrentPolicy = reference<{ readonly schedules?: object }>("CurrentPolicy", {})

/** The region's deadline, in milliseconds of `Monotonic`; NaN for an invalid duration. */
export const CurrentEnd = reference("CurrentEnd", Number.POSITIVE_INFINITY)

/** Name of a call's queue in the client's limits; by default, the operation's name. Bulk runs have separate queues and do not delay other calls. */
export const CurrentQueue = reference<string | undefined>("CurrentQueue", undefined)

/** True in a stream that may continue with another client after a failure. Such streams have one request in flight. */
export const IsResumable = reference("IsResumable", false)

export const CurrentTransform = reference<ClientTransform | undefined>("CurrentTransform", undefined)
