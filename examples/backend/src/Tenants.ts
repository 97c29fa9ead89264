/** A tenant for each customer: its share of the client, and its budget of characters. */
import { Tenant } from "@effect-lingua/core"
import { Cache, Context, Duration, Effect, Layer, Schema } from "effect"

/** In a real server the name comes from the authentication of the caller. */
export const TenantName = Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9-]{0,30}$/))

const make = Effect.map(
  Cache.make({
    // A tenant that a bounded cache forgets would start again with a full budget.
    capacity: Number.POSITIVE_INFINITY,
    lookup: (name: string) =>
      Tenant.make({
        name,
        concurrency: 5,
        rate: { requests: 5, window: Duration.seconds(1) },
        characterBudget: 1_000_000
      })
  }),
  (tenants) => ({ get: (name: string) => Effect.orDie(Cache.get(tenants, name)) })
)

/** The tenants of this server. */
export class Tenants
  extends Context.Service<Tenants, Effect.Success<typeof make>>()("@effect-lingua/example-backend/Tenants")
{}

export const layer = Layer.effect(Tenants, make)
