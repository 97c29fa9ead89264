/**
 * Tenants of one client: a budget of characters and limits for each customer, team or feature that shares an account, so that
 * the burst or the empty budget of one does not affect the others.
 *
 * **Details**
 *
 * A tenant is a value with a state, and a region of a program runs under it: {@link Current}. Its calls wait for the limits of the
 * tenant first and then for those of the client, which serves the waiting tenants in fair order. Circuit breaker and
 * connections are the client's.
 *
 * **Gotchas**
 *
 * A tenant is the value and not its name: two of {@link make} with one name have two budgets and two queues. Make each once and keep it,
 * as in a `Cache` by name. With a `SharedRate` in the context of {@link make} the rate is that of all processes together.
 *
 * **Example** (A budget for each customer)
 *
 * ```ts import.meta.vitest
 * import * as Tenant from "@effect-lingua/core/limits/Tenant"
 * import { Translation } from "@effect-lingua/core/texts/Translation"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const { translate } = yield* Translation
 *   const [small, large] = yield* Effect.all([
 *     Tenant.make({ name: "small", characterBudget: 10 }),
 *     Tenant.make({ name: "large", characterBudget: 10_000, concurrency: 20 })
 *   ])
 *   const greet = Effect.result(translate("Good morning", { targetLanguage: "de" }))
 *   const results = yield* Effect.forEach([small, large], (tenant) =>
 *     Effect.provideService(greet, Tenant.Current, tenant)
 *   )
 *   return results.map(({ _tag }) => _tag)
 * })
 * const tags = await program.pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise)
 * tags // => ["Failure", "Success"]
 * ```
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { usable } from "../config/internal/invalidConfiguration.ts"
import * as Rules from "../config/internal/options.ts"
import * as Settings from "../config/internal/settings.ts"
import { countOrInfinity, rate } from "../config/internal/settings.ts"
import type { InvalidConfiguration } from "../config/LanguageServiceConfig.ts"
import * as ResiliencePolicy from "../config/ResiliencePolicy.ts"
import * as Monotonic from "../contract/internal/monotonic.ts"
import * as Limiter from "./internal/limiter.ts"
import { remember, standingOf, stateOf, Tenant } from "./internal/tenants.ts"

export { CurrentTenant as Current, type Tenant } from "./internal/tenants.ts"

/**
 * The name and the limits of a tenant.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** The name, for errors: 1 to 64 letters, digits, `.`, `_` or `-`. */
  readonly name: string
  /** Upper limit of the characters that the calls of the tenant count. Default: none besides the quota of the service. */
  readonly characterBudget?: number | undefined
  /**
   * Characters of the budget that were used before, such as those of the same period before a restart. Default: 0. Ignored without a
   * budget.
   */
  readonly charactersUsed?: number | undefined
  /** A limit of the requests of the tenant, spread evenly. Default: none besides that of the client. */
  readonly rate?: ResiliencePolicy.Options["rate"]
  /** Most requests of the tenant in flight. Default: none besides that of the client. */
  readonly concurrency?: number | undefined
}

const decode = Rules.struct({
  name: Settings.name,
  characterBudget: Settings.characterBudget,
  charactersUsed: Settings.characterBudget,
  rate: Rules.optional(rate),
  concurrency: Rules.optional(countOrInfinity)
})

/**
 * Makes a tenant with an empty queue, and a budget without those `charactersUsed`. Fails with `InvalidConfiguration` for an invalid option.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (options: Options) => Effect.Effect<Tenant, InvalidConfiguration> = Effect.fnUntraced(
  function*(options) {
    const decoded = yield* Effect.fromResult(usable(decode(options, "")))
    const { characterBudget, charactersUsed = 0, concurrency = Number.POSITIVE_INFINITY, name, rate } = decoded
    const policy = { ...ResiliencePolicy.none, rate, concurrency }
    const tenant = new Tenant(name)
    remember(tenant, {
      queue: `tenant ${name}`,
      limits: policy,
      limiter: yield* Limiter.make(policy, `tenant ${name}`, { tenant: name }),
      budget: characterBudget === undefined
        ? undefined
        : { tenant: name, characters: characterBudget, used: charactersUsed },
      traffic: { queued: 0, inFlight: 0 }
    })
    return tenant
  }
)

/** The state of a tenant, which every value of its type has. */
const madeState = (tenant: Tenant) =>
  Effect.suspend(() => {
    const state = stateOf(tenant)
    return state === undefined
      ? Effect.die(new Error("A tenant is the value that Tenant.make returned, not a copy"))
      : Effect.succeed(state)
  })

/**
 * The state of a tenant.
 *
 * @category models
 * @since 0.1.0
 */
export interface State {
  /** Its budget, the characters counted so far, including calls in flight, and the remaining ones. Absent if it has none. */
  readonly budget: { readonly characters: number; readonly used: number; readonly remaining: number } | undefined
  /** Its attempts that are sent and have no complete response yet, without open streams. */
  readonly inFlight: number
  /** Its attempts that wait to be sent: for its own limits, those of the client, or a connection. */
  readonly queued: number
  /** Time until the last queued attempt has its turn by the rate of the tenant; zero without such attempts. */
  readonly rateDelay: Duration.Duration
}

/**
 * Looks up the state of a tenant at the present moment, over all clients. Sends nothing and never fails.
 *
 * **Example** (The characters to save)
 *
 * ```ts import.meta.vitest
 * import * as Tenant from "@effect-lingua/core/limits/Tenant"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const tenant = yield* Tenant.make({ name: "acme", characterBudget: 1000, charactersUsed: 400 })
 *   const { budget } = yield* Tenant.state(tenant)
 *   return budget
 * })
 * Effect.runSync(program) // => { characters: 1000, used: 400, remaining: 600 }
 * ```
 *
 * @param tenant A tenant of {@link make}.
 * @category getters
 * @since 0.1.0
 */
export const state = (tenant: Tenant): Effect.Effect<State> =>
  Effect.map(Effect.all([madeState(tenant), Monotonic.now]), ([{ budget, limiter, traffic }, now]) => ({
    budget: budget && standingOf(budget),
    ...traffic,
    rateDelay: Duration.millis(limiter.delay(now))
  }))

/**
 * Begins a new period: from now on the calls of a tenant count in a full budget. Calls that are running, and documents that are not
 * translated yet, settle in that of the period in which they began.
 *
 * **Example** (A budget for each day)
 *
 * ```ts import.meta.vitest
 * import * as Tenant from "@effect-lingua/core/limits/Tenant"
 * import { Effect, Schedule } from "effect"
 *
 * const daily = Effect.fnUntraced(function*(tenant: Tenant.Tenant) {
 *   yield* Effect.forkScoped(Effect.schedule(Tenant.reset(tenant), Schedule.cron("0 0 * * *")))
 * })
 * const program = Effect.gen(function*() {
 *   const tenant = yield* Tenant.make({ name: "acme", characterBudget: 1000, charactersUsed: 400 })
 *   yield* daily(tenant)
 *   yield* Tenant.reset(tenant)
 *   return (yield* Tenant.state(tenant)).budget?.used
 * })
 * Effect.runSync(Effect.scoped(program)) // => 0
 * ```
 *
 * @param tenant A tenant of {@link make}.
 * @category combinators
 * @since 0.1.0
 */
export const reset = (tenant: Tenant): Effect.Effect<void> =>
  Effect.map(madeState(tenant), (state) => {
    if (state.budget !== undefined) state.budget = { ...state.budget, used: 0 }
  })
