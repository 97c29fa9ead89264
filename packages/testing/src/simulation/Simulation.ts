/**
 * Tries a policy on many clients at once: real clients with their real policies, on virtual time, against a service with limits and an
 * outage. For what cannot be tried on a thousand processes.
 *
 * **Example** (An outage, with and without retries)
 *
 * ```ts import.meta.vitest
 * import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
 * import * as Scenario from "@effect-lingua/testing/simulation/Scenario"
 * import * as Simulation from "@effect-lingua/testing/simulation/Simulation"
 * import { Effect } from "effect"
 *
 * const scenario = { ...Scenario.outage, duration: "3 minutes", clients: 5, load: { rate: 2 } } as const
 * const run = (name: string, policy: ResiliencePolicy.ResiliencePolicy) =>
 *   Simulation.run({ scenario, client: Simulation.client(name, policy), seed: "monday" })
 *
 * const [defaults, none] = await Effect.runPromise(
 *   Effect.all([run("defaults", ResiliencePolicy.defaults), run("none", ResiliencePolicy.none)])
 * )
 * // Arrivals are the same, because the seed is.
 * defaults.calls === none.calls // => true
 * none.amplification // => 1
 * ```
 *
 * @since 0.2.0
 */
import { ClientState } from "@effect-lingua/core/client/ClientState"
import * as Deadline from "@effect-lingua/core/config/Deadline"
import * as LanguageServiceConfig from "@effect-lingua/core/config/LanguageServiceConfig"
import type { ResiliencePolicy } from "@effect-lingua/core/config/ResiliencePolicy"
import * as LanguageServiceClient from "@effect-lingua/core/LanguageServiceClient"
import * as Translation from "@effect-lingua/core/texts/Translation"
import * as Writing from "@effect-lingua/core/texts/Writing"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import { identity } from "effect/Function"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { messageFirst } from "../faults/internal/errors.ts"
import { describe, everyIssue } from "../faults/internal/schema.ts"
import * as ShiftedClock from "../time/internal/shiftedClock.ts"
import * as VirtualTime from "../time/VirtualTime.ts"
import * as Recorder from "./internal/recorder.ts"
import * as Service from "./internal/service.ts"
import { groupsOf, millis, type Operation, operationsOf, pauseOf } from "./internal/terms.ts"
import type { Report } from "./Report.ts"
import { Scenario } from "./Scenario.ts"

/**
 * A kind of client. `make` makes one, whose `call` sends a request of the operation over the HTTP client of the context, and fails with an error
 * whose `_tag` the report counts. It is interrupted when its caller's patience ends, which `Deadline.remaining` tells. `health` tells whether its breaker is open, and how many attempts it may have in flight.
 *
 * @category models
 * @since 0.2.0
 */
export interface Client {
  readonly name: string
  readonly make: Effect.Effect<
    {
      readonly call: (operation: Operation) => Effect.Effect<unknown, { readonly _tag: string }>
      readonly health?: Effect.Effect<{ readonly isOpen: boolean; readonly concurrency: number }>
    },
    LanguageServiceConfig.InvalidConfiguration,
    HttpClient.HttpClient | Scope.Scope
  >
}

/**
 * A scenario that cannot be played. `reason` names each place and what is allowed there.
 *
 * @category errors
 * @since 0.2.0
 */
export class InvalidScenario
  extends messageFirst(Schema.TaggedError<InvalidScenario>()("InvalidScenario", { reason: Schema.String }))
{
  override get message(): string {
    return this.reason
  }
}

const baseUrl = "https://service.test"

/**
 * A client of this library with a policy.
 *
 * @category constructors
 * @since 0.2.0
 */
export const client = (name: string, policy: ResiliencePolicy): Client => ({
  name,
  make: Effect.gen(function*() {
    const services = yield* Layer.build(
      LanguageServiceClient.layerOf(Layer.merge(Translation.layer, Writing.layer)).pipe(
        Layer.provide(LanguageServiceConfig.layer({ key: Redacted.make("key"), baseUrl, resilience: policy }))
      )
    )
    const { translate } = Context.get(services, Translation.Translation)
    const { rephrase } = Context.get(services, Writing.Writing)
    const state = Context.get(services, ClientState)
    return {
      call: (operation) =>
        operation === "Writing.rephrase"
          ? rephrase({ text: ["Good."] })
          : translate({ text: ["Good."], targetLanguage: "de" }),
      health: Effect.map(state.get(), ({ breaker, concurrency }) => ({
        isOpen: breaker?.state === "Open",
        concurrency
      }))
    }
  })
})

/** A status other than success, as an error. */
class Refused extends Schema.TaggedError<Refused>()("Refused", { status: Schema.Int }) {}

/** A success without a result for the text. */
class Unusable extends Schema.TaggedError<Unusable>()("Unusable", {}) {}

const Answer = Schema.Record(Schema.String, Schema.Tuple([Schema.Unknown]))

/** A request that had no response. */
class NoResponse extends Schema.TaggedError<NoResponse>()("NoResponse", {}) {}

/** A call without a result when its caller's patience ended. */
class Abandoned extends Schema.TaggedError<Abandoned>()("Abandoned", {}) {}

/**
 * An attempt of a client that only repeats. It fails with `Refused` for a status other than success, with its `status`.
 *
 * @category models
 * @since 0.2.0
 */
export type Attempt = Effect.Effect<unknown, { readonly _tag: string; readonly status?: number }>

/**
 * A client that only repeats: a request with a time limit for each attempt, and a schedule of retries after 429, 5xx and broken connections.
 * For the defaults of other clients. `around` makes for each client what surrounds its attempts, such as a limit of rate; a failure of its own is
 * the end of the call.
 *
 * @category constructors
 * @since 0.2.0
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
        return yield* Effect.mapError(
          HttpClientResponse.schemaBodyJson(Answer)(response),
          (error) => error._tag === "SchemaError" ? new Unusable({}) : error
        )
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

/**
 * Options of a simulation. `seed` determines arrivals, faults and jitter.
 *
 * @category options
 * @since 0.2.0
 */
export interface Options {
  readonly scenario: Scenario
  readonly client: Client
  readonly seed?: string | undefined
}

/**
 * Options of a simulation in real time. `connect` makes the HTTP client of all clients from that of the simulated service.
 *
 * @category options
 * @since 0.3.0
 */
export interface LiveOptions<E, R> extends Options {
  readonly connect: (service: HttpClient.HttpClient) => Effect.Effect<HttpClient.HttpClient, E, R>
}

const decode = Schema.decodeUnknownEffect(Schema.toType(Scenario), everyIssue)

/** The most clients whose state is looked at each second. */
const watched = 50

const longest = Duration.toMillis("30 days")

/** The first part of a scenario that is too large to be played: a second, a client and a call take memory each. */
const tooLarge = (scenario: Scenario): string | undefined => {
  const { load } = scenario
  const groups = groupsOf(scenario)
  const duration = millis(scenario.duration)
  const clients = groups.reduce((sum, { count }) => sum + count, 0)
  const rates = !("rate" in load)
    ? [0]
    : typeof load.rate === "number"
    ? [load.rate]
    : load.rate.map(({ rate }) => rate)
  const workers = "rate" in load ? 0 : clients * load.inFlight
  const parts: ReadonlyArray<readonly [reason: string, size: number, most: number]> = [
    ["duration: must be 30 days or less", duration, longest],
    ["patience: must be 30 days or less", Math.max(...groups.map(({ patience }) => patience)), longest],
    ["clients: must be 100,000 or less", clients, 100_000],
    ["load.inFlight: must be 100,000 or less in all clients", workers, 100_000],
    ["load.rate: must make 100,000,000 calls or less", Math.max(...rates) * duration / 1000, 100_000_000]
  ]
  return parts.find(([, size, most]) => size > most)?.[0]
}

const check = Effect.fnUntraced(function*(given: Scenario) {
  const scenario = yield* Effect.mapError(decode(given), (error) => new InvalidScenario({ reason: describe(error) }))
  const wrong = (scenario.phases ?? []).findIndex(({ from, to }) => millis(from) >= millis(to))
  if (wrong !== -1) return yield* new InvalidScenario({ reason: `phases[${wrong}]: from must be before to` })
  if (millis(scenario.duration) < 1000) {
    return yield* new InvalidScenario({ reason: "duration: must be a second or more" })
  }
  const reason = tooLarge(scenario)
  if (reason !== undefined) return yield* new InvalidScenario({ reason })
  return scenario
})

/** Calls per second at a time. */
const rateOf = (load: Scenario["load"]): (now: number) => number => {
  if (!("rate" in load)) return () => 0
  const { rate } = load
  if (typeof rate === "number") return () => rate
  const steps = rate.map((step) => ({ from: millis(step.from), rate: step.rate })).toSorted((a, b) => b.from - a.from)
  return (now) => steps.find(({ from }) => from <= now)?.rate ?? 0
}

const play = Effect.fnUntraced(function*<E, R>(
  { client: kind, connect, scenario: given, seed = "simulation" }: LiveOptions<E, R>
) {
  const scenario = yield* check(given)
  const duration = millis(scenario.duration)
  const recorder = Recorder.make(scenario, kind.name, seed)
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
    const result = yield* call(operation).pipe(
      Deadline.within(patience),
      Effect.timeoutOrElse({ duration: patience + 1, orElse: () => Effect.fail(new Abandoned({})) }),
      Effect.result
    )
    const ended = yield* Clock.currentTimeMillis
    recorder.end(startedAt, ended, Result.isSuccess(result) ? undefined : result.failure._tag)
  })

  yield* Effect.gen(function*() {
    for (let second = 0; second * 1000 < duration; second++) {
      yield* Effect.sleep(1000)
      for (const { health } of clients.slice(0, watched)) {
        if (health !== undefined) recorder.health(second, yield* health)
      }
    }
  }).pipe(FiberSet.run(fibers))

  const { load } = scenario
  if ("rate" in load) {
    const rateAt = rateOf(load)
    for (let now = 0; now < duration; now = yield* Clock.currentTimeMillis) {
      const rate = rateAt(now)
      // Without calls, the rate is read again after a second.
      const pause = rate === 0 ? 1000 : -Math.log(1 - arrivals.nextDoubleUnsafe()) * 1000 / rate
      yield* Effect.sleep(Math.min(pause, 1000))
      if (pause > 1000 || rate === 0) continue
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
 *
 * **Details**
 *
 * Fails with `InvalidScenario` for a scenario that cannot be played, with `InvalidConfiguration` for a policy that cannot be, and as `connect` does.
 *
 * **Example** (With a latency between clients and service)
 *
 * ```ts import.meta.vitest
 * import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
 * import * as Scenario from "@effect-lingua/testing/simulation/Scenario"
 * import * as Simulation from "@effect-lingua/testing/simulation/Simulation"
 * import { Effect } from "effect"
 * import { HttpClient } from "effect/http"
 *
 * const program = Simulation.runLive({
 *   scenario: Scenario.throttle,
 *   client: Simulation.client("defaults", ResiliencePolicy.defaults),
 *   connect: (service) => Effect.succeed(HttpClient.transform(service, Effect.delay("50 millis")))
 * })
 * Effect.isEffect(program) // => true
 * ```
 *
 * @category running
 * @since 0.3.0
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

/**
 * Plays a scenario with a kind of client, and reports the outcomes of its calls. The same seed gives the same report. It takes no time but that
 * of its computation, about a second for 5,000 calls, and can be interrupted.
 *
 * **Details**
 *
 * Fails with `InvalidScenario` for a scenario that cannot be played, and with `InvalidConfiguration` for a policy that cannot be.
 *
 * @category running
 * @since 0.2.0
 */
export const run = (
  options: Options
): Effect.Effect<Report, InvalidScenario | LanguageServiceConfig.InvalidConfiguration> =>
  runLive({ ...options, connect: Effect.succeed }).pipe(VirtualTime.run, Effect.provide(TestClock.layer()))
