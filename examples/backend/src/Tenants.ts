/** A tenant for each customer, which limits the customer's share of the client and budget of characters. */
import { Tenant } from "@effect-lingua/core"
import { Context, Effect, Layer, Schema } from "effect"

/** A real server takes the name from the caller's authentication. */
export const TenantName = Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9-]{0,30}$/))

export class Tenants extends Context.Service<Tenants, Tenant.Map>()("@effect-lingua/example-backend/Tenants") {}

export const layer = Layer.effect(
  Tenants,
  Tenant.makeMap({
    lookup: () =>
      Effect.succeed({ concurrency: 5, rate: { requests: 5, window: "1 second" }, characterBudget: 1_000_000 })
  })
)
