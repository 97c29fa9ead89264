import { Endpoint } from "@effect-lingua/core/extension/Contract"
import { LanguageServiceApi, type OperationName as ContractOperation } from "@effect-lingua/core/LanguageServiceApi"
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as FindMyWay from "effect/http/FindMyWay"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import type { AddedGroups } from "./added.ts"

type NamesOf<Groups> = {
  readonly [G in keyof Groups & string]: Groups[G] extends { readonly endpoints: infer Endpoints }
    ? `${G}.${keyof Endpoints & string}`
    : never
}[keyof Groups & string]

/**
 * An operation of the contract or of an added resource: group and endpoint, such as `Writing.rephrase`.
 *
 * @category models
 * @since 0.1.0
 */
export type OperationName = ContractOperation | NamesOf<AddedGroups> // oxlint-disable-line typescript/no-redundant-type-constituents -- empty in this package

type Body = "none" | "bytes" | "json"

/** An operation and the schemas of its responses by status. A streamed success has no schema. */
export interface Operation {
  readonly operation: OperationName
  readonly endpoint: HttpApiEndpoint.Top
  readonly successes: ReadonlyMap<number, readonly [Schema.Top, ...ReadonlyArray<Schema.Top>]>
  readonly errors: ReadonlyMap<number, ReadonlyArray<Schema.Top>>
}

/** Accepts long ids, because the contract does not limit their length. */
export const routerConfig: Partial<FindMyWay.RouterConfig> = {
  caseSensitive: true,
  ignoreDuplicateSlashes: false,
  ignoreTrailingSlash: true,
  maxParamLength: 8192
}

export const nameOf = (group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top): OperationName =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the contract's types and values have the same names
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
    if (Context.get(annotations, Endpoint.Facts).acceptsPost) router.on("POST", `/${path.slice(1)}`, operation)
  }
  return router
}

add(LanguageServiceApi)

let router: FindMyWay.Router<Operation> | undefined

/** Adds or replaces an extension's operations. `names` are endpoints that start jobs. */
export const addGroup = (group: HttpApiGroup.Constraint, names: ReadonlyArray<string> = []): void => {
  add(HttpApi.make(LanguageServiceApi.identifier).add(group))
  starting.push(...names.map((name) => `${group.identifier}.${name}`).filter((name) => !starting.includes(name)))
  router = undefined
}

export const operation = (name: OperationName): Operation => {
  const operation = known.get(name)
  if (operation === undefined) throw new Error(`${name} is not part of the contract`)
  return operation
}

export const operationNames: ReadonlyArray<OperationName> = Array.from(known.values(), ({ operation }) => operation)

/** The operations of the contract and of added groups. */
export const allNames = (): ReadonlyArray<OperationName> => Array.from(known.values(), ({ operation }) => operation)

export const isOperation = (name: unknown): name is OperationName => typeof name === "string" && known.has(name)

const anOperation = { expected: operationNames.map((name) => JSON.stringify(name)).join(" | ") }

/**
 * @category schemas
 * @since 0.1.0
 */
export const OperationName: Schema.Codec<OperationName, string> = Schema.String.pipe(
  Schema.decodeTo(Schema.declare(isOperation, anOperation), SchemaTransformation.passthroughSupertype())
)

export const operationsOf = (
  operation: OperationName | ReadonlyArray<OperationName> | undefined
): ReadonlyArray<OperationName> => operation === undefined ? [] : Arr.ensure(operation)

export interface Matched extends Operation, Pick<FindMyWay.FindResult<Operation>, "params" | "searchParams"> {}

/** Finds the operation of an HTTP method and a URL without a base path. */
export const find = (method: string, url: string): Matched | undefined => {
  const result = (router ??= makeRouter()).find(method, url)
  return result && { ...result.handler, params: result.params, searchParams: result.searchParams }
}

export const declares = (name: OperationName, status: number): boolean => operation(name).errors.has(status)

export const repeatOf = (name: OperationName): Endpoint.RepeatKind =>
  Context.get(operation(name).endpoint.annotations, Endpoint.Facts).repeat

export const bodyOf = (name: OperationName): Body => {
  const { successes } = operation(name)
  return successes.size === 0 ? "bytes" : successes.has(204) ? "none" : "json"
}

/** Operations whose work can fail after their response. */
export const starting: Array<string> = [
  "Documents.upload",
  "QualityEvaluation.start",
  "TranslationMemories.startImport"
]

/** Response fields with a list of results that contain texts. */
export const withTexts: ReadonlyArray<string> = ["translations", "improvements"]

/** The response field with the results, for operations with one result per text. */
export const resultsOf: Readonly<Partial<Record<OperationName, string>>> = {
  "Detection.detect": "results",
  "Translation.translate": "translations",
  "Writing.correct": "improvements",
  "Writing.rephrase": "improvements"
}
