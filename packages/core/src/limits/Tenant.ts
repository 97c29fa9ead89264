/**
 * Tenants: a character budget and limits for each customer, team or feature that shares an account, so that a burst or an empty budget affects
 * one tenant only.
 *
 * **Details**
 *
 * Provide {@link Current} to run a region of a program under a tenant. Its calls wait for the tenant's limits first, and then for the client's
 * limits, which serve waiting tenants in rotation. Circuit breaker and connections belong to the client.
 *
 * **Gotchas**
 *
 * Two tenants of the same name have two budgets and two queues: make each tenant once and keep it. With a `SharedRate` in the context of
 * {@link make}, all processes share the tenant's rate.
 *
 * **Example** (A budget for each customer)
 *
 * ```ts import.meta.vitest
 * import { Tenant, Translation } from "@effect-lingua/core"
 * import { FakeLanguageService } from "@effect-lingua/testing"
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
import { standingOf, stateOf, states, Tenant } from "./internal/tenants.ts"

export { CurrentTenant as Current, type Tenant } from "./internal/tenants.ts"

/**
 * The name and the limits of a tenant.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** The name in errors: 1 to 64 letters, digits, `.`, `_` or `-`. */
  readonly name: string
  /** The most characters that the tenant's calls may count. Default: unlimited. */
  readonly characterBudget?: number | undefined
  /** Characters of the budget already used, for example before a restart. Default: 0. Ignored without a budget. */
  readonly charactersUsed?: number | undefined
  /** The tenant's request rate, spread evenly. Default: the client's rate only. */
  readonly rate?: ResiliencePolicy.Options["rate"]
  /** The most requests of the tenant in flight. Default: the client's limit only. */
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
 * Makes a tenant. Fails with `InvalidConfiguration` for an invalid option.
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
    states.set(tenant, {
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

const madeState = (tenant: Tenant) =>
  Effect.suspend(() => {
    const state = stateOf(tenant)
    return state === undefined
      ? Effect.die(new Error("A tenant is the value that Tenant.make returned, not a copy"))
      : Effect.succeed(state)
  })

/**
 * The present state of a tenant, over all clients.
 *
 * @category models
 * @since 0.1.0
 */
export interface State {
  /** The characters of the budget, those counted so far, calls in flight included, and the remaining ones. */
  readonly budget: { readonly characters: number; readonly used: number; readonly remaining: number } | undefined
  /** Sent attempts without a complete response, not counting open streams. */
  readonly inFlight: number
  /** Unsent attempts: they wait for a limit or a connection. */
  readonly queued: number
  /** Time until the last queued attempt has a slot of the tenant's rate. */
  readonly rateDelay: Duration.Duration
}

/**
 * Reads the state of a tenant. Sends nothing and never fails.
 *
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
 * Begins a new period with a full budget. Running calls and untranslated documents settle in the period in which they began.
 *
 * **Example** (A budget for each day)
 *
 * ```ts import.meta.vitest
 * import { Tenant } from "@effect-lingua/core"
 * import { Effect, Schedule } from "effect"
 *
 * const daily = Effect.fnUntraced(function*(tenant: Tenant.Tenant) {
 *   yield* Effect.forkScoped(Effect.schedule(Tenant.reset(tenant), Schedule.cron("0 0 * * *")))
 * })
 * const program = Effect.gen(function*() {
 *   const tenant = yield* Tenant.make({ name: "acme", characterBudget: 1000, charactersUsed: 400 })
 *   yield* daily(tenant)
 *   return (yield* Tenant.state(tenant)).budget
 * })
 * Effect.runSync(Effect.scoped(program)) // => { characters: 1000, used: 400, remaining: 600 }
 * ```
 *
 * @category combinators
 * @since 0.1.0
 */
export const reset = (tenant: Tenant): Effect.Effect<void> =>
  Effect.map(madeState(tenant), (state) => {
    if (state.budget !== undefined) state.budget = { ...state.budget, used: 0 }
  })
