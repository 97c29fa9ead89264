/** The operations of the contract by name, and by method and path of a request. */
import { AcceptsPost, Repeat, type RepeatKind } from "@effect-lingua/core/contract/Operation"
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

const found: Array<Operation> = []
const router = FindMyWay.make<Operation>(routerConfig)

HttpApi.reflect(LanguageServiceApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, errors, group, successes }) => {
    const operation = { operation: nameOf(group, endpoint), endpoint, successes, errors }
    found.push(operation)
    const path: FindMyWay.PathInput = `/${endpoint.path.slice(1)}`
    router.on(endpoint.method, path, operation)
    if (Context.get(endpoint.annotations, AcceptsPost)) router.on("POST", path, operation)
  }
})

const known: ReadonlyMap<OperationName, Operation> = new Map(found.map((operation) => [operation.operation, operation]))

/** An operation by its name. */
export const operation = (name: OperationName): Operation => {
  const operation = known.get(name)
  if (operation === undefined) throw new Error(`${name} is not part of the contract`)
  return operation
}

export const operationNames: ReadonlyArray<OperationName> = found.map(({ operation }) => operation)

/** One operation, several or none as a list. */
export const operationsOf = (
  operation: OperationName | ReadonlyArray<OperationName> | undefined
): ReadonlyArray<OperationName> => operation === undefined ? [] : Arr.ensure(operation)

/** The operation of a request, with the parameters in path and query. */
export interface Matched extends Operation, Pick<FindMyWay.FindResult<Operation>, "params" | "searchParams"> {}

/** The operation that a method and a URL without a base path request. */
export const find = (method: string, url: string): Matched | undefined => {
  const result = router.find(method, url)
  return result && { ...result.handler, params: result.params, searchParams: result.searchParams }
}

/** True if the contract lists a status among the errors of an operation. */
export const declares = (name: OperationName, status: number): boolean => operation(name).errors.has(status)

/** The effect of sending an operation again. */
export const repeatOf = (name: OperationName): RepeatKind => Context.get(operation(name).endpoint.annotations, Repeat)

/** The body of a success of an operation. */
export const bodyOf = (name: OperationName): Body => {
  const { successes } = operation(name)
  return successes.size === 0 ? "bytes" : successes.has(204) ? "none" : "json"
}

/** The operations whose work continues after their response, and can fail then. */
export const starting: ReadonlyArray<OperationName> = [
  "Documents.upload",
  "QualityEvaluation.start",
  "TranslationMemories.startImport",
  "Voice.start"
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
