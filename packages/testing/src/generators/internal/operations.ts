/** Generates requests and responses: derived from the contract, then adapted by `Rules`. */
import type * as LanguageServiceApi from "@effect-lingua/core/LanguageServiceApi"
import * as Arbitrary from "effect/Arbitrary"
import { identity } from "effect/Function"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { isNumber, isObject } from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Struct from "effect/Struct"
import type { ServiceState } from "../../fake/internal/model.ts"
import type { OperationName } from "../../faults/Fault.ts"
import { addGroup, allNames, type Operation, operation, resultsOf } from "../../faults/internal/operations.ts"
import type { Failure, Request, Response, Rules } from "./contract.ts"
import { answerOf, derive, type Fields } from "./derive.ts"
import { error } from "./errors.ts"
import * as Leaves from "./leaves.ts"
import { rules } from "./rules.ts"

/** Omits optional fields that refer to other objects, because the objects exist only in a `ServiceState`. */
const references = {
  glossaryId: null,
  glossaryIds: null,
  pageCursor: null,
  styleId: null,
  translationMemoryId: null
}

const partsOf = ({ endpoint: { params, payload, query } }: Operation) => ({
  params,
  query,
  body: Array.from(payload.values())[0]?.schemas[0]
})

const requestFields = (operation: Operation, fields: Fields = {}): Arbitrary.Arbitrary<unknown> => {
  const parts = Object.values(partsOf(operation)).flatMap((part) =>
    part === undefined ? [] : [derive(part, { ...references, ...fields })]
  )
  return parts.length === 0
    ? Arbitrary.Constant(undefined)
    : Arbitrary.map(Arbitrary.all(parts), (parts) => Object.assign({}, ...parts))
}

const required = (schema: Schema.Top | undefined): ReadonlyArray<string> => {
  const ast = schema === undefined ? undefined : SchemaAST.toType(schema.ast)
  return ast !== undefined && SchemaAST.isObjects(ast)
    ? ast.propertySignatures.flatMap(({ name, type }) => type.context?.isOptional === true ? [] : [String(name)])
    : []
}

const isId = (name: string): boolean => /(?:Id|Key|^token)$/.test(name)

const idsOf = (operation: Operation): ReadonlyArray<string> => {
  const { body, params, query } = partsOf(operation)
  const names = [...required(params), ...required(query), ...required(body).filter(isId)]
  return names.some(isId) ? names : []
}

/** Objects and the objects in their lists, each with the fields of enclosing objects. */
const within = (objects: ReadonlyArray<unknown>, outer: object): ReadonlyArray<object> =>
  objects.flatMap((object) => {
    if (!isObject(object)) return []
    const all = { ...outer, ...object }
    return [all, ...Object.values(object).flatMap((value) => Array.isArray(value) ? within(value, all) : [])]
  })

/** The objects of a state, without memory jobs and external resources, which may refer to missing objects. */
const objectsIn = (
  state: ServiceState
): ReadonlyArray<object> => [Struct.omit(state, ["resources", "translationMemoryJobs"])]

/** For each object to which a request can refer, the ids that replace the request's generated ids. */
const choicesIn = <Name extends OperationName>(
  operation: Operation,
  { existing }: Rules<Name>,
  objects: (state: ServiceState) => ReadonlyArray<object>,
  state: ServiceState
): ReadonlyArray<object> => {
  const ids = idsOf(operation)
  if (ids.length === 0) return existing === undefined ? [{}] : existing(state)
  return within((existing ?? objects)(state), {}).flatMap((object) =>
    ids.every((id) => Object.hasOwn(object, id))
      ? [Object.fromEntries(ids.map((id) => [id, Reflect.get(object, id)]))]
      : []
  )
}

const needsNothing = (schema: unknown): schema is Schema.Codec<unknown> => Schema.isSchema(schema)

/** Generates decoded responses, with `texts` results if the operation has one result per text. */
const responses = (
  { operation, successes }: Operation,
  fields: Fields = {},
  texts?: number
): Arbitrary.Arbitrary<unknown> => {
  const [success] = successes.has(204) ? [] : Array.from(successes.values()).flat()
  const results = resultsOf[operation]
  return needsNothing(success)
    ? answerOf(success, results === undefined || texts === undefined ? fields : { ...fields, [results]: texts })
    : Arbitrary.Constant(undefined)
}

export interface OperationGenerators<Known extends OperationName> {
  readonly request: <Name extends Known>(name: Name, state?: ServiceState) => Arbitrary.Arbitrary<Request<Name>>
  readonly response: <Name extends Known>(name: Name) => Arbitrary.Arbitrary<Response<Name>>
  readonly responseTo: <Name extends Known>(
    name: Name,
    request: Request<Name>
  ) => Arbitrary.Arbitrary<Response<Name>>
  readonly error: <Name extends Known>(name: Name) => Arbitrary.Arbitrary<Failure<Name>>
  /** Generates values of a schema. If it is a request body's schema, the fields obey the same rules as in `request`. */
  readonly schema: <A>(schema: Schema.Schema<A>) => Arbitrary.Arbitrary<A>
}

/** Makes generators for the contract's operations or for added groups. */
export const make = <Known extends OperationName>(
  rules: { readonly [Name in Known]?: Rules<Name> },
  groups: ReadonlyArray<HttpApiGroup.Constraint> = [],
  objects: (state: ServiceState) => ReadonlyArray<object> = objectsIn
): OperationGenerators<Known> => {
  for (const group of groups) addGroup(group)
  const hasRules = (name: OperationName): name is Known => Object.hasOwn(rules, name)
  const rulesOf = <Name extends Known>(name: Name): Rules<Name> => rules[name] ?? {}
  const memo = new Map<
    Known,
    readonly [request: Arbitrary.Arbitrary<unknown>, response: Arbitrary.Arbitrary<unknown>]
  >()
  /** Generators from the contract, made once per operation. */
  const derivedOf = (name: Known) => {
    const { fields } = rulesOf(name)
    const derived = memo.get(name) ?? [requestFields(operation(name), fields), responses(operation(name), fields)]
    memo.set(name, derived)
    return derived
  }

  const request: OperationGenerators<Known>["request"] = <Name extends Known>(name: Name, state?: ServiceState) => {
    const { fitting = identity<Request<Name>>, request = identity<unknown> } = rulesOf(name)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- rules have `request` unless the fields are a request
    const valid = request(derivedOf(name)[0]) as Arbitrary.Arbitrary<Request<Name>>
    const choices = state === undefined ? [{}] : choicesIn(operation(name), rulesOf(name), objects, state)
    if (choices.length === 0) {
      throw new Error(`The state has no object for a request of ${name}. Add one to the fake first.`)
    }
    return Arbitrary.map(
      Arbitrary.all([valid, Arbitrary.schema(Leaves.int(0, choices.length - 1))]),
      ([request, index]) => isObject(request) ? fitting(Object.assign({}, request, choices[index])) : request
    )
  }

  const response = <Name extends Known>(name: Name, texts?: number): Arbitrary.Arbitrary<Response<Name>> => {
    const { fields, response } = rulesOf(name)
    const derived = texts === undefined ? derivedOf(name)[1] : responses(operation(name), fields, texts)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- derived from the schema of the type
    const typed = derived as Arbitrary.Arbitrary<Response<Name>>
    return response?.(typed) ?? typed
  }

  return {
    request,
    response: (name) => response(name),
    // Copies fields that request and response share, and limits pages to `pageSize`.
    responseTo: (name, request) => {
      const fields: Readonly<Record<string, unknown>> = isObject(request) ? { ...request } : {}
      const { pageSize, text } = fields
      return Arbitrary.map(response(name, Array.isArray(text) ? text.length : undefined), (response) => {
        if (!isObject(response)) return response
        const equal = Object.entries(response).flatMap(([key, value]) =>
          Array.isArray(value) && isNumber(pageSize)
            ? [[key, value.slice(0, pageSize)]]
            : key in fields && typeof fields[key] !== "object"
            ? [[key, fields[key]]]
            : []
        )
        return Object.assign({}, response, Object.fromEntries(equal))
      })
    },
    error: (name) => error(name, rulesOf(name)),
    schema: (schema) => {
      const name = allNames().filter(hasRules).find((name) => partsOf(operation(name)).body?.ast === schema.ast)
      if (name === undefined) return derive(schema)
      const body = derive(schema, { ...references, ...rulesOf(name).fields })
      if (partsOf(operation(name)).params !== undefined) return body
      const isBody = Schema.is(schema)
      return Arbitrary.map(Arbitrary.all([body, request(name)]), ([body, request]) => isBody(request) ? request : body)
    }
  }
}

export const ofContract = make<LanguageServiceApi.OperationName>(rules)
