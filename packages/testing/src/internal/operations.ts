/** The operations of the contract by name. */
import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { OperationName } from "../Fault.ts"

interface Route {
  readonly name: string
  readonly errors: ReadonlySet<number>
  readonly method: string
  readonly path: RegExp
}

const found: Array<Route> = []

HttpApi.reflect(LanguageServiceApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, errors, group }) => {
    found.push({
      name: `${group.identifier}.${endpoint.identifier}`,
      method: endpoint.method,
      errors: new Set(errors.keys()),
      path: new RegExp(`^${endpoint.path.replace(/:\w+/g, "[^/]+")}$`)
    })
  }
})

const known: ReadonlySet<string> = new Set(found.map(({ name }) => name))

export const isOperationName = (name: string): name is OperationName => known.has(name)

export const operationNames: ReadonlyArray<OperationName> = Array.from(known).filter(isOperationName)

/** The name of an endpoint of the contract. */
export const nameOf = (group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top): OperationName => {
  const name = `${group.identifier}.${endpoint.identifier}`
  if (!isOperationName(name)) throw new Error(`${name} is not part of the contract`)
  return name
}

/** The deprecated list of languages is the same with POST (spec, Deprecated language endpoints). */
const alsoAt = (path: string): ReadonlyArray<string> => path === "/v2/languages" ? ["POST"] : []

/** The methods that operations have at a path. */
export const methodsAt = (
  path: string
): ReadonlyArray<string> => [
  ...found.filter((route) => route.path.test(path)).map(({ method }) => method),
  ...alsoAt(path)
]

/** Whether the contract lists a status among the errors of an operation. */
export const declares = (name: OperationName, status: number): boolean =>
  found.some((route) => route.name === name && route.errors.has(status))
