/**
 * Tenants: a character budget and limits for each customer, team or feature that shares an account, so that a burst or an exhausted budget affects
 * one tenant only.
 *
 * **Details**
 *
 * {@link within} runs an effect under a tenant. The effect's calls wait first for the tenant's limits, then for the client's limits, which
 * serve waiting tenants in rotation. All tenants share the client's circuit breaker and connections.
 *
 * **Gotchas**
 *
 * Two tenants with the same name have separate budgets and limits: use {@link makeMap}, or make each tenant once. With a `SharedRate` in the context
 * of {@link make}, all processes share the tenant's rate.
 *
 * @since 0.1.0
 */
import type * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import { usable } from "../config/internal/invalidConfiguration.ts"
import * as Rules from "../config/internal/options.ts"
import { setting } from "../config/internal/region.ts"
import * as Settings from "../config/internal/settings.ts"
import { countOrInfinity, rate } from "../config/internal/settings.ts"
import type { InvalidConfiguration } from "../config/LanguageServiceConfig.ts"
import * as ResiliencePolicy from "../config/ResiliencePolicy.ts"
import * as Monotonic from "../contract/internal/monotonic.ts"
import * as Limiter from "./internal/limiter.ts"
import { type Budget, CurrentTenant, standingOf, stateOf, states, Tenant } from "./internal/tenants.ts"

export type { Tenant } from "./internal/tenants.ts"

/**
 * A tenant's name and limits.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** The name in errors: 1 to 64 letters, digits, `.`, `_` or `-`. */
  readonly name: string
  /** Maximum number of characters that the tenant's calls may use. Default: unlimited. */
  readonly characterBudget?: number | undefined
  /** Number of characters already used, for example before a restart. Default: 0. Ignored without a budget. */
  readonly charactersUsed?: number | undefined
  /** The tenant's request rate, spread evenly. Default: the client's rate only. */
  readonly rate?: ResiliencePolicy.Options["rate"]
  /** Maximum number of the tenant's requests in flight. Default: the client's limit only. */
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

/**
 * Runs an effect under a tenant, or without a tenant for `undefined`. Of nested tenants the innermost applies.
 *
 * @category combinators
 * @since 0.3.0
 */
export const within = setting(CurrentTenant, (_, tenant: Tenant | undefined) => tenant)

const madeState = (tenant: Tenant) =>
  Effect.suspend(() => {
    const state = stateOf(tenant)
    return state === undefined
      ? Effect.die(new Error("A tenant is the value that Tenant.make returned, not a copy"))
      : Effect.succeed(state)
  })

type MapError<E> = E | InvalidConfiguration | Cause.ExceededCapacityError

/**
 * Tenants by name, from {@link makeMap}. Methods fail with the errors of `lookup`, with `InvalidConfiguration` for an
 * invalid option or name, and with `ExceededCapacityError` beyond `capacity`.
 *
 * @category models
 * @since 0.3.0
 */
export interface Map<E = never> {
  /** Returns the tenant with a name, kept until the scope closes. */
  readonly get: (name: string) => Effect.Effect<Tenant, MapError<E>, Scope.Scope>
  /** Runs an effect under the tenant with a name. */
  readonly within: (name: string) => <A, E2, R>(self: Effect.Effect<A, E2, R>) => Effect.Effect<A, MapError<E> | E2, R>
}

/**
 * Makes a map that creates each tenant on first use and releases idle tenants. A released tenant's budget is kept for its next use.
 *
 * @category constructors
 * @since 0.3.0
 */
export const makeMap = Effect.fnUntraced(function*<E = never, R = never>(options: {
  /** Returns the options of a tenant. Failures are not cached. */
  readonly lookup: (name: string) => Effect.Effect<Omit<Options, "name">, E, R>
  /** Maximum number of tenants in the map, including idle tenants. Default: unlimited. */
  readonly capacity?: number | undefined
  /** Time until an idle tenant is released. Default: 10 minutes. */
  readonly idleTimeToLive?: ResiliencePolicy.DurationInput | undefined
}): Effect.fn.Return<Map<E>, never, R | Scope.Scope> {
  const budgets = new globalThis.Map<string, Budget>()
  const tenants: RcMap.RcMap<string, Tenant, MapError<E>> = yield* RcMap
    .make({
      capacity: options.capacity ?? Number.POSITIVE_INFINITY,
      idleTimeToLive: options.idleTimeToLive ?? "10 minutes",
      lookup: (name: string) =>
        Effect.gen(function*() {
          const tenant = yield* make({ ...(yield* options.lookup(name)), name })
          const state = yield* madeState(tenant)
          const kept = budgets.get(name)
          if (kept !== undefined && state.budget !== undefined) {
            kept.characters = state.budget.characters
            state.budget = kept
          }
          yield* Effect.addFinalizer(() =>
            Effect.sync(() => {
              if (state.budget !== undefined && state.budget.used > 0) budgets.set(name, state.budget)
              else budgets.delete(name)
            })
          )
          return tenant
        }).pipe(Effect.tapCause(() => RcMap.invalidate(tenants, name)))
    })
  const get = (name: string) => RcMap.get(tenants, name)
  return {
    get,
    within: (name) => (self) =>
      // The new scope retains only the tenant: `self` runs in the caller's scope.
      Effect.scopedWith((scope) => Effect.flatMap(Scope.provide(get(name), scope), (tenant) => within(self, tenant)))
  }
})

/**
 * A tenant's current state over all clients.
 *
 * @category models
 * @since 0.1.0
 */
export interface State {
  /** The budget in characters: total, used (including calls in flight) and remaining. */
  readonly budget: { readonly characters: number; readonly used: number; readonly remaining: number } | undefined
  /** Number of sent attempts without a complete response, excluding open streams. */
  readonly inFlight: number
  /** Number of attempts that wait for a limit or a connection. */
  readonly queued: number
  /** Time until the last queued attempt gets a slot of the tenant's rate. */
  readonly rateDelay: Duration.Duration
}

/**
 * Reads a tenant's state, without a request.
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
 * Begins a new period with a full budget. Calls in flight and documents in translation count in the period in which they began.
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
