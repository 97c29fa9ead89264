/** Adds to the OpenAPI document: error bodies, trace ids, operations that also accept POST, required fields. */
import { isObject } from "effect/Predicate"

const errorResponse = {
  type: "object",
  properties: {
    message: { type: "string", description: "A message for people." },
    code: { type: "string", description: "A code for programs." },
    detail: { type: "string" }
  },
  description: "Any of the fields may be absent, and the body may be empty or not JSON."
}

const traceId = { "x-trace-id": { schema: { type: "string" }, required: false } }

const content = { "application/json": { schema: { $ref: "#/components/schemas/ErrorResponse" } } }

const isRecord = (value: unknown): value is Record<string, unknown> => isObject(value)

/** True for the empty schema, which accepts anything. */
const isAnything = (member: unknown): boolean => isRecord(member) && Object.keys(member).length === 0

/** The documented members of a union that also accepts anything; `undefined` for any other schema. */
const promised = (schema: unknown): ReadonlyArray<unknown> | undefined =>
  isRecord(schema) && Array.isArray(schema["anyOf"]) && schema["anyOf"].some(isAnything)
    ? schema["anyOf"].filter((member) => !isAnything(member))
    : undefined

const withRequired = (schema: Record<string, unknown>): Record<string, unknown> => {
  const { properties } = schema
  if (!isRecord(properties)) return schema
  const listed: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
  const required = Object.keys(properties).filter((name) =>
    listed.includes(name) || promised(properties[name])?.length === 1
  )
  return required.length === 0 ? schema : { ...schema, required }
}

/** Removes details of JavaScript: query booleans and integers are strings, and integers have safe bounds. */
const plain = (schema: Record<string, unknown>): Record<string, unknown> => {
  if (String(schema["enum"]) === "true,false") return { type: "boolean" }
  if (schema["type"] === "string" && String(schema["pattern"]).includes("[Ee]")) return { type: "integer" }
  return Object.fromEntries(
    Object.entries(schema).filter(([, value]) =>
      !Number.isInteger(value) || Math.abs(Number(value)) < Number.MAX_SAFE_INTEGER
    )
  )
}

/** Makes documented fields required, and removes the members that accept anything. */
const promises = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(promises)
  if (!isRecord(schema)) return schema
  const members = promised(schema)
  if (members !== undefined) return promises(members.length === 1 ? members[0] : { ...schema, anyOf: members })
  return Object.fromEntries(Object.entries(plain(withRequired(schema))).map(([key, value]) => [key, promises(value)]))
}

/** Adds `Retry-After` to the 202 response of an operation that starts or polls a job. */
export const withRetryAfter = (operation: Record<string, unknown>): Record<string, unknown> => {
  const accepted = isRecord(operation["responses"]) ? operation["responses"]["202"] : undefined
  if (isRecord(accepted)) accepted["headers"] = { "retry-after": { schema: { type: "integer" }, required: false } }
  return operation
}

/** The POST form of an operation, with the query in the body. */
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

/** Makes the published OpenAPI document from the derived document. */
export const describe = (spec: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(describeResponses(spec)).map(([key, value]) => [key, promises(value)]))
