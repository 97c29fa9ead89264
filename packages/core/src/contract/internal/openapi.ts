/**
 * The OpenAPI description beyond the codecs of the bodies: the contents of error bodies, the trace id of each response, the
 * second method of an operation, and the fields that the interface promises.
 */
import { isObject } from "effect/Predicate"

const errorResponse = {
  type: "object",
  properties: {
    message: { type: "string", description: "A message for people." },
    code: { type: "string", description: "A code for programs." },
    detail: { type: "string" }
  },
  description: "Any of the fields may be absent, and the body may be empty or no JSON."
}

const traceId = { "x-trace-id": { schema: { type: "string" }, required: false } }

const content = { "application/json": { schema: { $ref: "#/components/schemas/ErrorResponse" } } }

const isRecord = (value: unknown): value is Record<string, unknown> => isObject(value)

/** The member of a union that accepts anything: see `openWire` in schema.ts. */
const isAnything = (member: unknown): boolean => isRecord(member) && Object.keys(member).length === 0

/** The promised members of an open union, or nothing for another schema. */
const promised = (schema: unknown): ReadonlyArray<unknown> | undefined =>
  isRecord(schema) && Array.isArray(schema["anyOf"]) && schema["anyOf"].some(isAnything)
    ? schema["anyOf"].filter((member) => !isAnything(member))
    : undefined

const withRequired = (schema: Record<string, unknown>): Record<string, unknown> => {
  const { properties } = schema
  if (!isRecord(properties)) return schema
  const given: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
  const required = Object.keys(properties).filter((name) =>
    given.includes(name) || promised(properties[name])?.length === 1
  )
  return required.length === 0 ? schema : { ...schema, required }
}

/** A schema without what JavaScript adds: a number or a flag of a query is a text for the codec, and each integer is a safe one. */
const plain = (schema: Record<string, unknown>): Record<string, unknown> => {
  if (String(schema["enum"]) === "true,false") return { type: "boolean" }
  if (schema["type"] === "string" && String(schema["pattern"]).includes("[Ee]")) return { type: "integer" }
  return Object.fromEntries(
    Object.entries(schema).filter(([, value]) =>
      !Number.isInteger(value) || Math.abs(Number(value)) < Number.MAX_SAFE_INTEGER
    )
  )
}

/** The same description for a server: promised fields are required, and the leniency of the client is removed. */
const promises = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(promises)
  if (!isRecord(schema)) return schema
  const members = promised(schema)
  if (members !== undefined) return promises(members.length === 1 ? members[0] : { ...schema, anyOf: members })
  return Object.fromEntries(Object.entries(plain(withRequired(schema))).map(([key, value]) => [key, promises(value)]))
}

/** Adds the time until the next poll to the responses of an operation that starts or polls a job. */
export const withRetryAfter = (operation: Record<string, unknown>): Record<string, unknown> => {
  const accepted = isRecord(operation["responses"]) ? operation["responses"]["202"] : undefined
  if (isRecord(accepted)) accepted["headers"] = { "retry-after": { schema: { type: "integer" }, required: false } }
  return operation
}

/** An operation that also accepts POST, with its query as the fields of a body. */
const asPost = ({ operationId, parameters, ...operation }: Record<string, unknown>) => {
  const query: ReadonlyArray<unknown> = Array.isArray(parameters) ? parameters : []
  const properties = Object.fromEntries(query.filter(isRecord).map(({ name, schema }) => [String(name), schema]))
  const body = { schema: { type: "object", properties } }
  return {
    ...operation,
    operationId: `${String(operationId)}.post`,
    parameters: [],
    requestBody: { content: { "application/x-www-form-urlencoded": body, "application/json": body }, required: false }
  }
}

/** Adds the trace id to every response, and the shape of error bodies from 400 on. */
const describeResponses = (spec: Record<string, unknown>): Record<string, unknown> => {
  const { components, paths } = spec
  if (!isRecord(paths) || !isRecord(components)) return spec
  for (const operations of Object.values(paths).filter(isRecord)) {
    for (const operation of Object.values(operations).filter(isRecord)) {
      const { responses } = operation
      for (const [status, response] of Object.entries(isRecord(responses) ? responses : {})) {
        if (!isRecord(response)) continue
        response["headers"] = { ...traceId, ...(isRecord(response["headers"]) ? response["headers"] : undefined) }
        if (Number(status) >= 400) response["content"] = content
      }
      if (operation["x-accepts-post"] === true) {
        delete operation["x-accepts-post"]
        operations["post"] = asPost(operation)
      }
    }
  }
  const schemas = isRecord(components["schemas"]) ? components["schemas"] : {}
  return { ...spec, components: { ...components, schemas: { ...schemas, ErrorResponse: errorResponse } } }
}

/** Transforms the OpenAPI description derived from the contract into the published one. */
export const describe = (spec: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(describeResponses(spec)).map(([key, value]) => [key, promises(value)]))
