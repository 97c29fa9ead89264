/** Provides a command's services: over the network, or with `--fake` over the embedded fake. */
import * as NodeResultCache from "@effect-lingua/cache/NodeResultCache"
import { Admin } from "@effect-lingua/core/account/Admin"
import * as Attempt from "@effect-lingua/core/errors/Attempt"
import type { Requirements } from "@effect-lingua/core/LanguageServiceClient"
import * as OtherServices from "@effect-lingua/core/OtherServices"
import { Event, Events } from "@effect-lingua/core/telemetry/Events"
import * as NodeJournal from "@effect-lingua/node/files/NodeJournal"
import * as NodePool from "@effect-lingua/node/http/NodePool"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Board from "../screen/board.ts"
import { tell } from "../screen/screen.ts"
import * as Settings from "../settings/settings.ts"
import * as Config from "./config.ts"
import type * as Fake from "./fake.ts"

/** Longer waits are reported even without `--verbose`, because the program would seem to hang. */
const longWait = Duration.seconds(2)

const causes = { backoff: "backoff", "retry-after": "requested by the service", poll: "not ready yet" }

const line = (event: Event) =>
  Event.$match(event, {
    AttemptEnded: ({ attempt }) => {
      const { failure, number, operation, status, took, traceId } = attempt
      return tell("attempt", `${operation}: ${Attempt.format([attempt])}, took ${Attempt.formatDuration(took)}`, {
        operation,
        number,
        status,
        error: failure,
        traceId,
        took: Duration.toSeconds(took)
      })
    },
    Waiting: ({ cause, operation, wait }) =>
      tell("waiting", `${operation}: waiting ${Attempt.formatDuration(wait)} (${causes[cause]})`, {
        operation,
        cause,
        seconds: Duration.toSeconds(wait)
      }),
    BreakerChanged: ({ from, to }) => tell("breaker", `the circuit breaker changed from ${from} to ${to}`, { from, to })
  })

const isLongWait = (event: Event): boolean =>
  // Waits between polls are reported as progress.
  Event.$is("Waiting")(event) && event.cause !== "poll" && Duration.isGreaterThanOrEqualTo(event.wait, longWait)

/** Runs a call, and reports all its events before the call ends. */
export const reportingEvents = Effect.fnUntraced(function*<A, E, R>(effect: Effect.Effect<A, E, R>) {
  if (yield* Settings.Quiet) return yield* effect
  const verbose = yield* Settings.Verbose
  return yield* Events.during((event) => verbose || isLongWait(event) ? line(event) : Effect.void)(effect)
})

export const provide = Effect.fnUntraced(function*<A, E, R, Called, Options, E2, R2, LayerError>(
  effect: Effect.Effect<A, E, R | Called>,
  options: Effect.Effect<Options, E2, R2>,
  layer: (options: Options) => Layer.Layer<Called, LayerError>,
  layerFake: (fake: typeof Fake, options: Effect.Success<typeof Config.forFake>) => Layer.Layer<Called, LayerError>
) {
  const isFake = yield* Settings.Fake
  if (isFake) yield* tell("fake", "requests go to the embedded fake instead of the service; it keeps nothing")
  const connected = isFake
    ? layerFake(yield* Effect.promise(() => import("./fake.ts")), yield* Config.forFake)
    : layer(yield* options)
  return yield* Board.provide(Effect.provide(reportingEvents(effect), connected))
})

const pool = { proxy: "environment" } as const

const layerNetwork = <A>(
  { cache, options }: Effect.Success<typeof Config.client>,
  added: Layer.Layer<A, never, Requirements>
) => {
  const services = Layer.merge(OtherServices.layer, added).pipe(
    Layer.provideMerge(NodeLanguageService.layer({ ...options, pool })),
    Layer.provideMerge(NodeJournal.layer())
  )
  return cache ? Layer.provideMerge(NodeResultCache.layer(), services) : services
}

/**
 * A resource that a program adds: `layer` has the resource's services, `fake` loads the resource's part of the embedded fake for `--fake`.
 *
 * @since 0.3.0
 */
export interface Resource<A> {
  readonly layer: Layer.Layer<A, never, Requirements>
  readonly fake: () => Promise<Fake.Resource<A>>
}

/**
 * Returns a function that provides a resource's services and the client: over the network with the run's settings, or with `--fake` over the
 * embedded fake.
 *
 * @since 0.3.0
 */
export const calling = <A>({ fake, layer }: Resource<A>) => <B, E, R>(effect: Effect.Effect<B, E, R>) =>
  provide(
    effect,
    Config.client,
    (settings) => layerNetwork(settings, layer),
    (embedded, options) =>
      Layer.unwrap(Effect.map(Effect.promise(fake), (resource) => embedded.layer(options, layer, resource)))
  )

/** A resource without services, for commands that only use the client. */
export const base: Resource<never> = { layer: Layer.empty, fake: () => Promise.resolve({ resources: [] }) }

export const call = calling(base)

export const administer = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  provide(
    effect,
    Config.adminOptions,
    (options) =>
      Admin.layer(options).pipe(Layer.provide(NodePool.layerHttpClient(pool)), Layer.provideMerge(Events.layer)),
    ({ layerAdmin }, options) => layerAdmin(options)
  )
