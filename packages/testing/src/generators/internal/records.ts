/** The generators of all operations: of their records, and derived from the contract. */
import type { OperationName } from "@effect-lingua/core/LanguageServiceApi"
import * as Arbitrary from "effect/Arbitrary"
import { identity } from "effect/Function"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import { isObject } from "effect/Predicate"
import * as SchemaAST from "effect/SchemaAST"
import type { ServiceState } from "../../fake/internal/model.ts"
import { operation, operationNames } from "../../faults/internal/operations.ts"
import { account } from "./account.ts"
import { type Endpoint, type Request, type Response, successOf } from "./contract.ts"
import { answerOf, derive } from "./derive.ts"
import { documents } from "./documents.ts"
import { glossaries } from "./glossaries.ts"
import { languages } from "./languages.ts"
import * as Leaves from "./leaves.ts"
import { qualityEvaluation } from "./quality-evaluation.ts"
import { type Breach, idBreaches, type OperationRecord } from "./record.ts"
import { styleRules } from "./style-rules.ts"
import { texts } from "./texts.ts"
import { translationMemories } from "./translation-memories.ts"
import { voice } from "./voice.ts"

const all = {
  ...account,
  ...documents,
  ...glossaries,
  ...languages,
  ...qualityEvaluation,
  ...styleRules,
  ...texts,
  ...translationMemories,
  ...voice
}

/** The record of each operation. */
export const records: { readonly [Name in OperationName]: OperationRecord<Name> } = all

/** The operations whose input has rules. */
export type CheckedName = {
  [Name in OperationName]: HttpApiEndpoint.Params<Endpoint<Name>>["Type"] extends never
    ? (typeof all)[Name] extends { readonly breaches: unknown } ? Name : never
    : Name
}[OperationName]

/** A request that breaks a rule, and the error that the call fails with. */
export interface InvalidRequest<Name extends CheckedName> {
  readonly request: Request<Name>
  readonly rule: string
  readonly error: Breach[1]
}

/** Generates path, query and body of a request in one object. */
const derivedRequest = (name: OperationName): Arbitrary.Arbitrary<unknown> => {
  const { params, payload, query } = operation(name).endpoint
  const body = Array.from(payload.values())[0]?.schemas[0]
  const parts = [params, query, body].flatMap((part) => part === undefined ? [] : [derive(part)])
  return parts.length === 0
    ? Arbitrary.Constant(undefined)
    : Arbitrary.map(Arbitrary.all(parts), (parts) => Object.assign({}, ...parts))
}

const derivedResponse = (name: OperationName): Arbitrary.Arbitrary<unknown> => {
  const success = successOf(name)
  return success === undefined ? Arbitrary.Constant(undefined) : answerOf(success)
}

const table = (of: (name: OperationName) => unknown): object =>
  Object.fromEntries(operationNames.map((name) => [name, of(name)]))

// The types of an operation are those of the schemas that are derived from, where its record has nothing else.
/* oxlint-disable typescript/no-unsafe-type-assertion */
export const requests = table((name) => records[name].request ?? derivedRequest(name)) as {
  readonly [Name in OperationName]: Arbitrary.Arbitrary<Request<Name>>
}

export const responses = table((name) => records[name].response ?? derivedResponse(name)) as {
  readonly [Name in OperationName]: Arbitrary.Arbitrary<Response<Name>>
}
/* oxlint-enable typescript/no-unsafe-type-assertion */

/** Generates requests that a state accepts. */
export const requestIn = <Name extends OperationName>(
  name: Name,
  state: ServiceState
): Arbitrary.Arbitrary<Request<Name>> => {
  const request: Arbitrary.Arbitrary<Request<Name>> = requests[name]
  const { existing, fitting = identity<Request<Name>> } = records[name]
  if (existing === undefined) return request
  const choices = existing(state)
  if (choices.length === 0) {
    throw new Error(`The state has no object for a request of ${name}. Add one to the fake first.`)
  }
  return Arbitrary.map(
    Arbitrary.all([request, Arbitrary.schema(Leaves.int(0, choices.length - 1))]),
    ([request, index]) => fitting(Object.assign({}, request, choices[index]))
  )
}

/** The fields of a request that a response has too. */
const shared = (request: unknown, response: unknown): object =>
  isObject(request) && isObject(response)
    ? Object.fromEntries(Object.entries(request).filter(([key]) => Object.hasOwn(response, key)))
    : {}

/** Generates responses to a request. */
export const responseTo = <Name extends OperationName>(
  name: Name,
  request: Request<Name>
): Arbitrary.Arbitrary<Response<Name>> => {
  const { answers, responseTo } = records[name]
  const any: Arbitrary.Arbitrary<Response<Name>> = responses[name]
  return responseTo?.(request) ?? Arbitrary.map(any, (response) => {
    const fields = { ...shared(request, response), ...answers?.(request, response) }
    return Object.keys(fields).length === 0 ? response : Object.assign({}, response, fields)
  })
}

/** The rules of the ids in a path. */
const idsInPath = ({ params }: HttpApiEndpoint.Top): ReadonlyArray<Breach> => {
  const ast = params === undefined ? undefined : SchemaAST.toType(params.ast)
  return ast !== undefined && SchemaAST.isObjects(ast)
    ? ast.propertySignatures.flatMap(({ name }) => idBreaches(String(name)))
    : []
}

/** Generates requests that break one rule. */
export const invalidRequest = <Name extends CheckedName>(name: Name): Arbitrary.Arbitrary<InvalidRequest<Name>> => {
  const rules = [...idsInPath(operation(name).endpoint), ...records[name].breaches ?? []]
  return Arbitrary.flatMap(Arbitrary.schema(Leaves.int(0, rules.length - 1)), (index) => {
    const [rule, error, fields] = rules[index] ?? idBreaches("id")[0]
    const valid: Arbitrary.Arbitrary<Request<Name>> = requests[name]
    return Arbitrary.map(valid, (request) => ({ rule, error, request: Object.assign({}, request, fields) }))
  })
}
