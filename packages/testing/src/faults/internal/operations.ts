/** The operations of the contract by name, and by what a request asks for. */
import * as Operation from "@effect-lingua/core/client/Operation"
import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as FindMyWay from "effect/http/FindMyWay"
import type { OperationName } from "../Fault.ts"

/** The body of a success: none, bytes of any kind, or JSON. */
type Body = "none" | "bytes" | "json"

interface Route {
  readonly operation: OperationName
  readonly body: Body
  readonly errors: ReadonlySet<number>
  readonly endpoint: HttpApiEndpoint.Top
}

/** Paths are those of the contract, to the letter. Ids are opaque, so even long ones are looked up. */
export const routerConfig: Partial<FindMyWay.RouterConfig> = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: false,
  maxParamLength: 8192
}

/** The name of an endpoint of the contract. */
export const nameOf = (group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top): OperationName =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the contract's types are those of its values
  `${group.identifier}.${endpoint.identifier}` as OperationName

const found: Array<Route> = []
const router = FindMyWay.make<Route>(routerConfig)

HttpApi.reflect(LanguageServiceApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, errors, group, successes }) => {
    const route: Route = {
      operation: nameOf(group, endpoint),
      // Successes that are streams are not among those of the reflection.
      body: successes.size === 0 ? "bytes" : successes.has(204) ? "none" : "json",
      errors: new Set(errors.keys()),
      endpoint
    }
    found.push(route)
    router.on(endpoint.method, `/${endpoint.path.slice(1)}`, route)
  }
})

// The deprecated list of languages accepts POST too.
for (const route of found.filter(({ operation }) => operation === "Languages.listV2")) {
  router.on("POST", `/${route.endpoint.path.slice(1)}`, route)
}

const known: ReadonlyMap<OperationName, Route> = new Map(found.map((route) => [route.operation, route]))

export const operationNames: ReadonlyArray<OperationName> = found.map(({ operation }) => operation)

/** One operation, several or none as a list. */
export const operationsOf = (
  operation: OperationName | ReadonlyArray<OperationName> | undefined
): ReadonlyArray<OperationName> => operation === undefined ? [] : Arr.ensure(operation)

/** The operation of a request, with the parameters in path and query. */
export interface Asked extends Route, Pick<FindMyWay.FindResult<Route>, "params" | "searchParams"> {}

/** The operation that a method and a URL without a base path request. */
export const find = (method: string, url: string): Asked | undefined => {
  const result = router.find(method, url)
  return result && { ...result.handler, params: result.params, searchParams: result.searchParams }
}

/** The methods that operations have at a path. */
export const methodsAt = (path: string): ReadonlyArray<string> =>
  Array.from(new Set(found.map(({ endpoint }) => endpoint.method))).filter((method) => find(method, path) !== undefined)
    .toSorted()

/** True if the contract lists a status among the errors of an operation. */
export const declares = (name: OperationName, status: number): boolean => known.get(name)?.errors.has(status) === true

/** The effect of repeating an operation. */
export const repeatOf = (name: OperationName): Operation.RepeatKind =>
  Context.get(known.get(name)?.endpoint.annotations ?? Context.empty(), Operation.Repeat)

/** The body of a success of an operation. */
export const bodyOf = (name: OperationName): Body => known.get(name)?.body ?? "none"

/** The key of the results in the answer of an operation that gives one for each text. */
export const resultsOf: Readonly<Partial<Record<OperationName, string>>> = {
  "Detection.detect": "results",
  "Translation.translate": "translations",
  "Writing.correct": "improvements",
  "Writing.rephrase": "improvements"
}
