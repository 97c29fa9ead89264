/**
 * Tenants of one client: a budget of characters and limits for each customer, team or feature that shares an account, so that
 * the burst or the empty budget of one does not affect the others.
 *
 * **Details**
 *
 * A tenant is a value with a state, and a region of a program runs under it: {@link Current}. Its calls wait for the limits of the
 * tenant first and then for those of the client, which serves the waiting tenants in fair order. Breaker, retry budgets and
 * connections are the client's.
 *
 * **Gotchas**
 *
 * Make each tenant once and keep it, as a new one has a full budget and an empty queue. With a `SharedState` in the context of {@link make}
 * the rate is that of all processes together.
 *
 * **Example** (A budget for each customer)
 *
 * ```ts import.meta.vitest
 * import * as Tenant from "@effect-lingua/core/resilience/Tenant"
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
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import type * as Result from "effect/Result"
import * as Rules from "../client/internal/options.ts"
import * as PolicyRules from "../client/internal/policyRules.ts"
import * as Settings from "../client/internal/settings.ts"
import { InvalidConfiguration } from "../client/LanguageServiceConfig.ts"
import * as ResiliencePolicy from "../client/ResiliencePolicy.ts"
import * as Limiter from "./internal/limiter.ts"
import { remember } from "./internal/tenants.ts"

export { CurrentTenant as Current } from "./internal/tenants.ts"

/**
 * A tenant. Its state is its own, also if several clients are used under it.
 *
 * @category models
 * @since 0.1.0
 */
export interface Tenant {
  readonly name: string
}

/**
 * The name and the limits of a tenant.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** The name, for errors: 1 to 64 letters, digits, `.`, `_` or `-`. */
  readonly name: string
  /** Upper limit of the characters that the calls of the tenant count. Default: none besides that of the client. */
  readonly characterBudget?: number | undefined
  /** A limit of the requests of the tenant, spread evenly. Default: none besides that of the client. */
  readonly rate?: ResiliencePolicy.Options["rate"]
  /** Most requests of the tenant in flight. Default: none besides that of the client. */
  readonly concurrency?: number | undefined
}

const decode = Rules.struct({
  name: Settings.name,
  characterBudget: Settings.characterBudget,
  rate: Rules.optional(PolicyRules.rate),
  concurrency: Rules.optional(PolicyRules.countOrInfinity)
})

const usable = <A>(result: Result.Result<A, Rules.Problem>): Effect.Effect<A, InvalidConfiguration> =>
  Effect.mapError(
    Effect.fromResult(result),
    ({ field, problem }) => new InvalidConfiguration({ setting: field, problem })
  )

/**
 * Makes a tenant with a full budget. Fails with `InvalidConfiguration` for an invalid option.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (options: Options) => Effect.Effect<Tenant, InvalidConfiguration> = Effect.fnUntraced(
  function*(options) {
    const { characterBudget, concurrency = Number.POSITIVE_INFINITY, name, rate } = yield* usable(decode(options, ""))
    const policy = yield* usable(PolicyRules.check({ ...ResiliencePolicy.none, rate, concurrency }))
    const tenant = Equal.byReferenceUnsafe<Tenant>({ name })
    remember(tenant, {
      queue: `tenant ${name}`,
      limits: policy,
      limiter: yield* Limiter.make(policy, `tenant ${name}`),
      budget: characterBudget === undefined ? undefined : { tenant: name, characters: characterBudget, used: 0 }
    })
    return tenant
  }
)
