/** What the OpenAPI description says about error bodies: to the codecs they are text, to a reader they have a shape. */
import { hasProperty, isObject } from "effect/Predicate"

const errorResponse = {
  type: "object",
  properties: {
    message: { type: "string", description: "What happened, for people." },
    code: { type: "string", description: "What happened, for programs." },
    detail: { type: "string" }
  },
  description: "Any of the fields may be absent, and the body may be empty or no JSON."
}

const content = { "application/json": { schema: { $ref: "#/components/schemas/ErrorResponse" } } }

const isRecord = (value: unknown): value is Record<string, unknown> => isObject(value)

/** Adds the shape of error bodies to every response from 400 on. */
export const describeErrors = (spec: Record<string, unknown>): Record<string, unknown> => {
  const { components, paths } = spec
  if (!isRecord(paths) || !isRecord(components)) return spec
  for (const operations of Object.values(paths).filter(isRecord)) {
    for (const operation of Object.values(operations)) {
      if (!hasProperty(operation, "responses") || !isRecord(operation.responses)) continue
      for (const [status, response] of Object.entries(operation.responses)) {
        if (Number(status) >= 400 && isRecord(response)) response["content"] = content
      }
    }
  }
  const schemas = isRecord(components["schemas"]) ? components["schemas"] : {}
  return { ...spec, components: { ...components, schemas: { ...schemas, ErrorResponse: errorResponse } } }
}
