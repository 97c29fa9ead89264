/** The facts of an endpoint that its calls need, read once from the contract. */
import * as Context from "effect/Context"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Operation from "../../client/Operation.ts"
import { makeDecoder } from "./ending.ts"

/** True if a success needs no body. None is described where it has none. */
const mayBeEmpty = ({ success }: HttpApiEndpoint.Top): boolean =>
  success.size === 0 || Array.from(success).some(({ ast }) => HttpApiSchema.isNoContent(ast))

const planOf = (group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top) => ({
  operation: `${group.identifier}.${endpoint.identifier}`,
  /** The path as OpenAPI writes it. */
  template: endpoint.path.replace(/:(\w+)/g, "{$1}"),
  repeat: Context.get(endpoint.annotations, Operation.Repeat),
  requiredTier: Context.get(endpoint.annotations, Operation.RequiredTier),
  transfers: Context.get(endpoint.annotations, Operation.Transfers),
  /** True if a repeat that is answered with 404 has done its work. */
  removes: endpoint.method === "DELETE" && mayBeEmpty(endpoint),
  decode: makeDecoder(group, endpoint.identifier)
})

/** Makes a memoized reader of plans. The memo is weak, as a request outside of the contract has an endpoint of its own. */
export const make = () => {
  const plans = new WeakMap<HttpApiEndpoint.Top, ReturnType<typeof planOf>>()
  return (group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top) => {
    const plan = plans.get(endpoint) ?? planOf(group, endpoint)
    plans.set(endpoint, plan)
    return plan
  }
}
