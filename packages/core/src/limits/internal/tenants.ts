import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import type { ResiliencePolicy } from "../../config/ResiliencePolicy.ts"
import type * as Limiter from "./limiter.ts"

/** Numbers of attempts that wait to be sent, and of sent attempts that have not ended. */
export interface Traffic {
  queued: number
  inFlight: number
}

export interface Budget {
  readonly tenant: string
  characters: number
  used: number
}

export const standingOf = ({ characters, used }: Budget) => ({
  characters,
  used,
  remaining: Math.max(0, characters - used)
})

export interface State {
  /** The name of the tenant's queue in a client's limits. */
  readonly queue: string
  readonly limits: ResiliencePolicy
  readonly limiter: Effect.Success<ReturnType<typeof Limiter.make>>
  /** Each period has a new object, so that calls count in the period in which they began. */
  budget: Budget | undefined
  readonly traffic: Traffic
}

/**
 * A tenant of one or more clients, from `make`. A copy of the object does not compile, and calls under a copy fail with `InvalidInput`.
 *
 * @category models
 * @since 0.1.0
 */
export class Tenant {
  readonly name: string
  /** A private field makes the type nominal. */
  declare private readonly isMade: true
  constructor(name: string) {
    this.name = name
    Equal.byReferenceUnsafe(this)
  }
}

export const CurrentTenant = Context.Reference<Tenant | undefined>(
  "@effect-lingua/core/limits/internal/tenants/CurrentTenant",
  { defaultValue: () => undefined }
)

export const states = new WeakMap<Tenant, State>()

/** The state of a tenant; `undefined` for any object that `Tenant.make` did not return. */
export const stateOf = (tenant: Tenant): State | undefined => states.get(tenant)
