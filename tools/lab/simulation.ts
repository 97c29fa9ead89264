/**
 * Tries a policy on many clients at once: real clients with their real policies, on virtual time, against a service with limits and an outage.
 */
import * as Deadline from "@effect-lingua/core/config/Deadline"
import { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import type { ResiliencePolicy } from "@effect-lingua/core/config/ResiliencePolicy"
import * as LanguageServiceClient from "@effect-lingua/core/LanguageServiceClient"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import * as VirtualTime from "@effect-lingua/testing/time/VirtualTime"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import { identity } from "effect/Function"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import type * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as ShiftedClock from "../../packages/testing/src/time/internal/shiftedClock.ts"
import * as Recorder from "./recorder.ts"
import type { OpenLoad, Operation, Scenario } from "./scenarios.ts"
import * as Service from "./service.ts"
import { groupsOf, millis, operationsOf, pauseOf } from "./terms.ts"

/**
 * A kind of client. `make` makes one, whose `call` sends a request of the operation over the HTTP client of the context. It is interrupted when its
 * caller's patience ends, which `Deadline.remaining` tells.
 */
export interface Client {
  readonly name: string
  readonly make: Effect.Effect<
    { readonly call: (operation: Operation) => Effect.Effect<unknown, { readonly _tag: string }> },
    LanguageServiceConfig.InvalidConfiguration,
    HttpClient.HttpClient | Scope.Scope
  >
}

const baseUrl = "https://service.test"

/** A client of this library with a policy. */
export const client = (name: string, policy: ResiliencePolicy): Client => ({
  name,
  make: Effect.gen(function*() {
    const services = yield* Layer.build(
      LanguageServiceClient.layerOf(Layer.merge(Translation.layer, Writing.layer)).pipe(
        Layer.provide(LanguageServiceConfig.layer({ key: Redacted.make("key"), baseUrl, resilience: policy }))
      )
    )
    const { translate } = Context.get(services, Translation)
    const { rephrase } = Context.get(services, Writing)
    return {
      call: (operation) =>
        operation === "Writing.rephrase"
          ? rephrase({ text: ["Good."] })
          : translate({ text: ["Good."], targetLanguage: "de" })
    }
  })
})

/** A status other than success, as an error. */
class Refused extends Schema.TaggedError<Refused>()("Refused", { status: Schema.Int }) {}

/** A request that had no response. */
class NoResponse extends Schema.TaggedError<NoResponse>()("NoResponse", {}) {}

/** An attempt of a client that only repeats. It fails with `Refused` for a status other than success. */
export type Attempt = Effect.Effect<unknown, { readonly _tag: string; readonly status?: number }>

/**
 * A client that only repeats: a request with a time limit for each attempt, and a schedule of retries after 429, 5xx and broken connections.
 * `around` makes for each client what surrounds its attempts, such as a limit of rate; a failure of its own is the end of the call.
 */
export const retrying = (
  name: string,
  options: {
    readonly attemptTimeout: Duration.Input
    readonly schedule: Schedule.Schedule<unknown>
    readonly around?: () => (attempt: Attempt) => Attempt
  }
): Client => ({
  name,
  make: Effect.map(HttpClient.HttpClient, (http) => {
    const around = options.around?.() ?? identity<Attempt>
    const attempt = (operation: Operation): Attempt =>
      Effect.gen(function*() {
        const response = yield* http.execute(HttpClientRequest.post(`${baseUrl}${Service.calls[operation].path}`))
        if (response.status !== 200) return yield* new Refused({ status: response.status })
        return yield* response.text
      }).pipe(
        Effect.scoped,
        Effect.timeout(options.attemptTimeout),
        Effect.catchTags({
          HttpClientError: () => new NoResponse({}),
          TimeoutError: () => new NoResponse({})
        }),
        around
      )
    return {
      call: (operation) =>
        Effect.retry(attempt(operation), {
          schedule: options.schedule,
          while: ({ _tag, status = 0 }) =>
            _tag === "NoResponse" || (_tag === "Refused" && (status === 429 || status >= 500))
        })
    }
  })
})

/** `seed` determines arrivals, faults and jitter. */
export interface Options {
  readonly scenario: Scenario
  readonly client: Client
  readonly seed?: string | undefined
}

/** `connect` makes the HTTP client of all clients from that of the simulated service. */
export interface LiveOptions<E, R> extends Options {
  readonly connect: (service: HttpClient.HttpClient) => Effect.Effect<HttpClient.HttpClient, E, R>
}

/** Calls per second at a time. */
const rateOf = ({ rate }: OpenLoad): (now: number) => number => {
  if (typeof rate === "number") return () => rate
  const steps = rate.map(({ from, rate }) => ({ from: millis(from), rate })).toReversed()
  return (now) => steps.find(({ from }) => from <= now)?.rate ?? 0
}

const play = Effect.fnUntraced(function*<E, R>(
  { client: kind, connect, scenario, seed = "simulation" }: LiveOptions<E, R>
) {
  const duration = millis(scenario.duration)
  const recorder = Recorder.make(scenario, kind.name)
  const http = yield* connect(Service.make(scenario, recorder.attempt))
  const groups = yield* Effect.forEach(groupsOf(scenario), ({ count, ...group }) =>
    Effect.map(
      Effect.forEach(
        Array.from({ length: count }),
        () => Effect.provideService(kind.make, HttpClient.HttpClient, http)
      ),
      (clients) => ({ ...group, clients: clients.map((client) => ({ ...client, patience: group.patience })) })
    ))
  const clients = groups.flatMap(({ clients }) => clients)
  const shares = groups.reduce((sum, { share }) => sum + share, 0)
  const operations = operationsOf(scenario)
  const fibers = yield* FiberSet.make()
  // Random numbers of their own, so that the same calls arrive at every kind of client.
  const arrivals = yield* Random.withSeed(Effect.service(Random.Random), `${seed}, arrivals`)
  const draw = <A>(from: ReadonlyArray<A>): A | undefined => from[Math.floor(arrivals.nextDoubleUnsafe() * from.length)]
  const drawClient = () => {
    let left = groups.length === 1 ? 0 : arrivals.nextDoubleUnsafe() * shares
    return draw((groups.find(({ share }) => (left -= share) < 0) ?? groups[0])?.clients ?? [])
  }
  const call = Effect.fnUntraced(function*({ call, patience }: (typeof clients)[number]) {
    const startedAt = yield* Clock.currentTimeMillis
    const operation = (operations.length === 1 ? undefined : draw(operations)) ?? operations[0] ??
      "Translation.translate"
    recorder.begin({ startedAt, patience, operation })
    const isSuccess = yield* call(operation).pipe(
      Deadline.within(patience),
      Effect.timeout(patience + 1),
      Effect.isSuccess
    )
    const ended = yield* Clock.currentTimeMillis
    recorder.end(startedAt, ended, isSuccess)
  })

  const { load } = scenario
  if ("rate" in load) {
    const rateAt = rateOf(load)
    for (let now = 0; now < duration; now = yield* Clock.currentTimeMillis) {
      // The rate is read again after a second.
      const pause = -Math.log(1 - arrivals.nextDoubleUnsafe()) * 1000 / rateAt(now)
      yield* Effect.sleep(Math.min(pause, 1000))
      if (pause > 1000) continue
      const client = drawClient()
      if (client !== undefined) yield* FiberSet.run(fibers, call(client))
    }
  } else {
    for (const client of clients) {
      for (let worker = 0; worker < load.inFlight; worker++) {
        // Workers do not begin at the same moment.
        const begin = arrivals.nextDoubleUnsafe() * 1000
        const work = Effect.gen(function*() {
          yield* Effect.sleep(begin)
          while ((yield* Clock.currentTimeMillis) < duration) {
            yield* call(client)
            yield* Effect.sleep(pauseOf(load))
          }
        })
        yield* FiberSet.run(fibers, work)
      }
    }
  }
  yield* FiberSet.awaitEmpty(fibers)
  return recorder.report()
}, Effect.scoped)

/**
 * Plays a scenario as {@link run} does, in real time: a minute takes a minute. `connect` makes the HTTP client of the clients, for example one
 * that leads to the simulated service over sockets, to see what virtual time cannot show.
 */
export const runLive = <E, R>(options: LiveOptions<E, R>) =>
  Effect.clockWith((clock) => {
    const start = clock.currentTimeMillisUnsafe()
    return play(options).pipe(
      // The phases of a scenario begin at zero.
      Effect.provideService(Clock.Clock, ShiftedClock.make(clock, () => -start)),
      Random.withSeed(options.seed ?? "simulation")
    )
  })

/** Plays a scenario with a kind of client on virtual time, about a second for 5,000 calls. The same seed gives the same report. */
export const run = (options: Options): Effect.Effect<Recorder.Report, LanguageServiceConfig.InvalidConfiguration> =>
  runLive({ ...options, connect: Effect.succeed }).pipe(VirtualTime.run, Effect.provide(TestClock.layer()))
