/** The state of tenants, for the parts of the client that keep to their limits. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import type { ResiliencePolicy } from "../../config/ResiliencePolicy.ts"
import type * as Limiter from "./limiter.ts"

/** The number of attempts of a client or of a tenant that wait to be sent, and of those that are sent and have not ended. */
export interface Traffic {
  queued: number
  inFlight: number
}

/** A budget of characters of one period. */
export interface Budget {
  /** The name of the tenant. */
  readonly tenant: string
  readonly characters: number
  used: number
}

/** The state of a budget, as users read it. */
export const standingOf = ({ characters, used }: Budget) => ({
  characters,
  used,
  remaining: Math.max(0, characters - used)
})

export interface State {
  /** The name of the queue of its calls for the limits of a client. */
  readonly queue: string
  /** The policy of `limiter`. */
  readonly limits: ResiliencePolicy
  readonly limiter: Effect.Success<ReturnType<typeof Limiter.make>>
  /** Replaced for a new period: calls of the one before settle in its own. */
  budget: Budget | undefined
  readonly traffic: Traffic
}

/**
 * A tenant. Its state is its own, also if several clients are used under it. A copy or an object that `make` did not return is no
 * tenant: it does not compile, and a call under it fails with `InvalidInput`.
 *
 * @category models
 * @since 0.1.0
 */
export class Tenant {
  readonly name: string
  /** Keeps the type apart from objects with the same fields, and from copies. */
  declare private readonly isMade: true
  constructor(name: string) {
    this.name = name
    Equal.byReferenceUnsafe(this)
  }
}

/**
 * The tenant of the calls in a region of a program. Absent by default.
 *
 * @category services
 * @since 0.1.0
 */
export const CurrentTenant = Context.Reference<Tenant | undefined>(
  "@effect-lingua/core/limits/internal/tenants/CurrentTenant",
  {
    defaultValue: () => undefined
  }
)

const states = new WeakMap<Tenant, State>()

export const remember = (tenant: Tenant, state: State): void => {
  states.set(tenant, state)
}

/** The state of a tenant; `undefined` for an object that `Tenant.make` did not return. */
export const stateOf = (tenant: Tenant): State | undefined => states.get(tenant)
