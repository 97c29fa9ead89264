/** Groups of endpoints. */
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { Authorization } from "../Authorization.ts"
import { Resilience } from "../Resilience.ts"

type WithMiddleware<Endpoint> = HttpApiEndpoint.AddMiddleware<
  HttpApiEndpoint.AddMiddleware<Endpoint, Authorization>,
  Resilience
>

/**
 * A group whose endpoints have the middleware of the contract. The endpoints are a tuple: the order of a union would change
 * between compilations, and all dependents would be compiled again.
 */
export interface Group<Name extends string, Endpoints extends ReadonlyArray<HttpApiEndpoint.Constraint>>
  extends HttpApiGroup.HttpApiGroup<Name, WithMiddleware<Endpoints[number]>>
{}

/** Makes a group of endpoints with authorization and resilience, to be extended by a class. */
export const group = <
  const Name extends string,
  const Endpoints extends readonly [HttpApiEndpoint.Constraint, ...Array<HttpApiEndpoint.Constraint>]
>(name: Name, ...endpoints: Endpoints): Group<Name, Endpoints> =>
  HttpApiGroup.make(name).add(...endpoints).middleware(Authorization).middleware(Resilience)
