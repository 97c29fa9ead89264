/** The operations of the contract by name. */
import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import * as Arr from "effect/Array"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { OperationName } from "../Fault.ts"

/** What the body of a success is: nothing, bytes of any kind, or JSON. */
type Body = "none" | "bytes" | "json"

interface Route {
  readonly name: string
  readonly body: Body
  readonly errors: ReadonlySet<number>
  readonly method: string
  readonly path: RegExp
}

const found: Array<Route> = []

HttpApi.reflect(LanguageServiceApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, errors, group, successes }) => {
    found.push({
      name: `${group.identifier}.${endpoint.identifier}`,
      // Successes that are streams are not among those of the reflection.
      body: successes.size === 0 ? "bytes" : successes.has(204) ? "none" : "json",
      method: endpoint.method,
      errors: new Set(errors.keys()),
      path: new RegExp(`^${endpoint.path.replace(/:\w+/g, "[^/]+")}$`)
    })
  }
})

const known: ReadonlySet<string> = new Set(found.map(({ name }) => name))

const isOperationName = (name: string): name is OperationName => known.has(name)

export const operationNames: ReadonlyArray<OperationName> = Array.from(known).filter(isOperationName)

/** What is limited to one operation, to several, or to none. */
export const operationsOf = (
  operation: OperationName | ReadonlyArray<OperationName> | undefined
): ReadonlyArray<OperationName> => operation === undefined ? [] : Arr.ensure(operation)

/** The name of an endpoint of the contract. */
export const nameOf = (group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top): OperationName => {
  const name = `${group.identifier}.${endpoint.identifier}`
  if (!isOperationName(name)) throw new Error(`${name} is not part of the contract`)
  return name
}

/** The methods that operations have at a path. */
export const methodsAt = (path: string): ReadonlyArray<string> =>
  found.filter((route) => route.path.test(path)).map(({ method }) => method)

/** Whether the contract lists a status among the errors of an operation. */
export const declares = (name: OperationName, status: number): boolean =>
  found.some((route) => route.name === name && route.errors.has(status))

const bodies: ReadonlyMap<string, Body> = new Map(found.map(({ body, name }) => [name, body]))

/** What the body of a success of an operation is. */
export const bodyOf = (name: OperationName): Body => bodies.get(name) ?? "none"

/** The key of the results in the answer of an operation that gives one for each text. */
export const resultsOf: Readonly<Partial<Record<OperationName, string>>> = {
  "Detection.detect": "results",
  "Translation.translate": "translations",
  "Writing.correct": "improvements",
  "Writing.rephrase": "improvements"
}
