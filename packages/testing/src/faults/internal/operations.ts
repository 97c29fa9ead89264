/** The operations of the contract by name, and by method and path of a request. */
import { Operation as Annotation } from "@effect-lingua/core/extension/Contract"
import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as FindMyWay from "effect/http/FindMyWay"
import type * as Schema from "effect/Schema"
import type { OperationName } from "../Fault.ts"

/** The body of a success: none, bytes of any kind, or JSON. */
type Body = "none" | "bytes" | "json"

/** An operation of the contract, with its schemas by status. Successes that are streams are not among them. */
export interface Operation {
  readonly operation: OperationName
  readonly endpoint: HttpApiEndpoint.Top
  readonly successes: ReadonlyMap<number, readonly [Schema.Top, ...ReadonlyArray<Schema.Top>]>
  readonly errors: ReadonlyMap<number, ReadonlyArray<Schema.Top>>
}

/** Paths are those of the contract, with or without a slash at the end. Ids are opaque, so even long ones are looked up. */
export const routerConfig: Partial<FindMyWay.RouterConfig> = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: true,
  maxParamLength: 8192
}

/** The name of an endpoint of the contract. */
export const nameOf = (group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top): OperationName =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the contract's types are those of its values
  `${group.identifier}.${endpoint.identifier}` as OperationName

const known = new Map<string, Operation>()

const add = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>): void =>
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors, group, successes }) => {
      const operation = nameOf(group, endpoint)
      known.set(operation, { operation, endpoint, successes, errors })
    }
  })

const makeRouter = (): FindMyWay.Router<Operation> => {
  const router = FindMyWay.make<Operation>(routerConfig)
  for (const operation of known.values()) {
    const { annotations, method, path } = operation.endpoint
    router.on(method, `/${path.slice(1)}`, operation)
    if (Context.get(annotations, Annotation.Facts).acceptsPost) router.on("POST", `/${path.slice(1)}`, operation)
  }
  return router
}

add(LanguageServiceApi)

let router: FindMyWay.Router<Operation> | undefined

/** Adds the operations of a group from outside, in place of those of its name. */
export const addGroup = (group: HttpApiGroup.Constraint, names: ReadonlyArray<string> = []): void => {
  add(HttpApi.make(LanguageServiceApi.identifier).add(group))
  starting.push(...names.map((name) => `${group.identifier}.${name}`).filter((name) => !starting.includes(name)))
  router = undefined
}

/** An operation by its name. */
export const operation = (name: OperationName): Operation => {
  const operation = known.get(name)
  if (operation === undefined) throw new Error(`${name} is not part of the contract`)
  return operation
}

/** The operations of the contract itself. */
export const operationNames: ReadonlyArray<OperationName> = Array.from(known.values(), ({ operation }) => operation)

/** All operations, those of groups from outside included. */
export const allNames = (): ReadonlyArray<OperationName> => Array.from(known.values(), ({ operation }) => operation)

/** True for an operation. */
export const isOperation = (name: unknown): name is OperationName => typeof name === "string" && known.has(name)

/** One operation, several or none as a list. */
export const operationsOf = (
  operation: OperationName | ReadonlyArray<OperationName> | undefined
): ReadonlyArray<OperationName> => operation === undefined ? [] : Arr.ensure(operation)

/** The operation of a request, with the parameters in path and query. */
export interface Matched extends Operation, Pick<FindMyWay.FindResult<Operation>, "params" | "searchParams"> {}

/** The operation that a method and a URL without a base path request. */
export const find = (method: string, url: string): Matched | undefined => {
  const result = (router ??= makeRouter()).find(method, url)
  return result && { ...result.handler, params: result.params, searchParams: result.searchParams }
}

/** True if the contract lists a status among the errors of an operation. */
export const declares = (name: OperationName, status: number): boolean => operation(name).errors.has(status)

/** The effect of sending an operation again. */
export const repeatOf = (name: OperationName): Annotation.RepeatKind =>
  Context.get(operation(name).endpoint.annotations, Annotation.Facts).repeat

/** The body of a success of an operation. */
export const bodyOf = (name: OperationName): Body => {
  const { successes } = operation(name)
  return successes.size === 0 ? "bytes" : successes.has(204) ? "none" : "json"
}

/** The operations whose work continues after their response, and can fail then. */
export const starting: Array<string> = [
  "Documents.upload",
  "QualityEvaluation.start",
  "TranslationMemories.startImport"
]

/** The keys of results that are texts. */
export const withTexts: ReadonlyArray<string> = ["translations", "improvements"]

/** The key of the results in the response of an operation that returns one for each text. */
export const resultsOf: Readonly<Partial<Record<OperationName, string>>> = {
  "Detection.detect": "results",
  "Translation.translate": "translations",
  "Writing.correct": "improvements",
  "Writing.rephrase": "improvements"
}
