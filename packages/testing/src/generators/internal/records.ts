/** The generators of all operations: of their records, and derived from the contract. */
import type * as LanguageServiceApi from "@effect-lingua/core/LanguageServiceApi"
import * as Arbitrary from "effect/Arbitrary"
import { identity } from "effect/Function"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { isObject } from "effect/Predicate"
import * as SchemaAST from "effect/SchemaAST"
import * as Struct from "effect/Struct"
import type { ServiceState } from "../../fake/internal/model.ts"
import type { OperationName } from "../../faults/Fault.ts"
import { addGroup, operation } from "../../faults/internal/operations.ts"
import { account } from "./account.ts"
import { type Endpoint, type Failure, type Request, type Response, successOf } from "./contract.ts"
import { answerOf, derive } from "./derive.ts"
import { documents } from "./documents.ts"
import { failures } from "./failures.ts"
import { glossaries } from "./glossaries.ts"
import { languages } from "./languages.ts"
import { type JsonName, laterBodies } from "./laterBodies.ts"
import * as Leaves from "./leaves.ts"
import { qualityEvaluation } from "./quality-evaluation.ts"
import { type Breach, idBreaches, type OperationRecord } from "./record.ts"
import { styleRules } from "./style-rules.ts"
import { texts } from "./texts.ts"
import { translationMemories } from "./translation-memories.ts"

const all = {
  ...account,
  ...documents,
  ...glossaries,
  ...languages,
  ...qualityEvaluation,
  ...styleRules,
  ...texts,
  ...translationMemories
}

/** The operations whose input has rules, by default of the contract. */
export type CheckedName<Known extends OperationName = LanguageServiceApi.OperationName> = {
  [Name in Known]: HttpApiEndpoint.Params<Endpoint<Name>>["Type"] extends never
    ? Name extends keyof typeof all ? (typeof all)[Name] extends { readonly breaches: unknown } ? Name : never : Name
    : Name
}[Known]

/** A request that breaks a rule, and the error that the call fails with. */
export interface InvalidRequest<Name extends OperationName> {
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

/** The fields of a request that a response has too. */
const shared = (request: unknown, response: unknown): object =>
  isObject(request) && isObject(response)
    ? Object.fromEntries(Object.entries(request).filter(([key]) => Object.hasOwn(response, key)))
    : {}

/** The rules of the ids in a path. */
const idsInPath = ({ params }: HttpApiEndpoint.Top): ReadonlyArray<Breach> => {
  const ast = params === undefined ? undefined : SchemaAST.toType(params.ast)
  return ast !== undefined && SchemaAST.isObjects(ast)
    ? ast.propertySignatures.flatMap(({ name }) => idBreaches(String(name)))
    : []
}

/** Generators by the name of an operation. Each does what its namesake of `Generators` does. */
export interface OperationGenerators<Known extends OperationName> {
  readonly request: <Name extends Known>(name: Name, state?: ServiceState) => Arbitrary.Arbitrary<Request<Name>>
  readonly response: <Name extends Known>(name: Name) => Arbitrary.Arbitrary<Response<Name>>
  readonly responseTo: <Name extends Known>(
    name: Name,
    request: Request<Name>
  ) => Arbitrary.Arbitrary<Response<Name>>
  readonly laterBodyTo: <Name extends Known & JsonName<Known>>(
    name: Name,
    request: Request<Name>
  ) => Arbitrary.Arbitrary<string>
  readonly error: <Name extends Known>(name: Name) => Arbitrary.Arbitrary<Failure<Name>>
  readonly invalidRequest: <Name extends Known & CheckedName<Known>>(
    name: Name
  ) => Arbitrary.Arbitrary<InvalidRequest<Name>>
}

/** Makes the generators of operations with a record each, of the contract or of groups from outside. */
export const make = <Known extends OperationName>(
  records: { readonly [Name in Known]: OperationRecord<Name> },
  groups: ReadonlyArray<HttpApiGroup.Constraint> = []
): OperationGenerators<Known> => {
  for (const group of groups) addGroup(group)
  const table = (of: (name: Known) => unknown): object =>
    Object.fromEntries(Struct.keys(records).map((name) => [name, of(name)]))

  // The types of an operation are those of the schemas that are derived from, where its record has nothing else.
  /* oxlint-disable typescript/no-unsafe-type-assertion */
  const requests = table((name) => records[name].request ?? derivedRequest(name)) as {
    readonly [Name in Known]: Arbitrary.Arbitrary<Request<Name>>
  }
  const responses = table((name) => records[name].response ?? derivedResponse(name)) as {
    readonly [Name in Known]: Arbitrary.Arbitrary<Response<Name>>
  }
  /* oxlint-enable typescript/no-unsafe-type-assertion */

  const request: OperationGenerators<Known>["request"] = <Name extends Known>(name: Name, state?: ServiceState) => {
    const request: Arbitrary.Arbitrary<Request<Name>> = requests[name]
    const { existing, fitting = identity<Request<Name>> } = records[name]
    if (state === undefined || existing === undefined) return request
    const choices = existing(state)
    if (choices.length === 0) {
      throw new Error(`The state has no object for a request of ${name}. Add one to the fake first.`)
    }
    return Arbitrary.map(
      Arbitrary.all([request, Arbitrary.schema(Leaves.int(0, choices.length - 1))]),
      ([request, index]) => fitting(Object.assign({}, request, choices[index]))
    )
  }

  const responseTo: OperationGenerators<Known>["responseTo"] = <Name extends Known>(
    name: Name,
    request: Request<Name>
  ) => {
    const { answers, responseTo } = records[name]
    const any: Arbitrary.Arbitrary<Response<Name>> = responses[name]
    return responseTo?.(request) ?? Arbitrary.map(any, (response) => {
      const fields = { ...shared(request, response), ...answers?.(request, response) }
      return Object.keys(fields).length === 0 ? response : Object.assign({}, response, fields)
    })
  }

  const invalidRequest = <Name extends Known & CheckedName<Known>>(name: Name) => {
    const rules = [...idsInPath(operation(name).endpoint), ...records[name].breaches ?? []]
    return Arbitrary.flatMap(Arbitrary.schema(Leaves.int(0, rules.length - 1)), (index) => {
      const [rule, error, fields] = rules[index] ?? idBreaches("id")[0]
      const valid: Arbitrary.Arbitrary<Request<Name>> = requests[name]
      return Arbitrary.map(valid, (request) => ({ rule, error, request: Object.assign({}, request, fields) }))
    })
  }

  return {
    request,
    response: (name) => responses[name],
    responseTo,
    laterBodyTo: (name, request) => laterBodies(name, responseTo(name, request)),
    error: (name) => failures(name, records[name]),
    invalidRequest
  }
}

const records: { readonly [Name in LanguageServiceApi.OperationName]: OperationRecord<Name> } = all

/** The generators of the contract itself. */
export const ofContract = make<LanguageServiceApi.OperationName>(records)
