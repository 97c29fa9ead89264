/**
 * Fields of responses that this version does not know: found in a body, and counted in production.
 *
 * **Example** (A client that counts them)
 *
 * ```ts import.meta.vitest
 * import * as UnknownFields from "@effect-lingua/core/client/UnknownFields"
 * import * as LanguageService from "@effect-lingua/core/LanguageService"
 * import { Layer, Redacted } from "effect"
 *
 * const client = LanguageService.layer({ key: Redacted.make("key"), baseUrl: "https://service.test" }).pipe(
 *   Layer.provide(UnknownFields.layer)
 * )
 * Layer.isLayer(client) // => true
 * ```
 *
 * @since 0.3.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isObject } from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { alternatives } from "../contract/internal/schema.ts"
import { Inspector } from "./internal/extra.ts"
import * as Telemetry from "./internal/telemetry.ts"

/** The most fields of a body that are told, and the items of a list that are looked at. */
const most = 100

const collect = (asts: ReadonlyArray<SchemaAST.AST>, value: unknown, path: string, found: Set<string>): void => {
  if (Array.isArray(value)) {
    const items = asts.flatMap((ast) => SchemaAST.isArrays(ast) ? [...ast.elements, ...ast.rest] : [])
      .flatMap(alternatives)
    for (const item of value.slice(0, most)) collect(items, item, `${path}[]`, found)
    return
  }
  const structs = asts.filter(SchemaAST.isObjects)
  // A record has any name.
  if (!isObject(value) || structs.length === 0 || structs.some((ast) => ast.indexSignatures.length > 0)) return
  for (const [name, below] of Object.entries(value)) {
    const fields = structs.flatMap((ast) => ast.propertySignatures.filter((field) => field.name === name))
    const place = path === "" ? name : `${path}.${name}`
    if (fields.length > 0) collect(fields.flatMap(({ type }) => alternatives(type)), below, place, found)
    // A name of the service may be of any length.
    else if (found.size < most) found.add(place.slice(0, most))
  }
}

/**
 * Finds the fields of a body that a schema does not have, by their paths: `translations[].confidence`. Values are not among them.
 *
 * @category getters
 * @since 0.3.0
 */
export const find = (schema: Schema.Top, body: Schema.Json): ReadonlyArray<string> => {
  const found = new Set<string>()
  collect(alternatives(SchemaAST.toEncoded(schema.ast)), body, "", found)
  return Array.from(found)
}

/**
 * Counts the unknown fields of the responses of a client: the metric `language_service.client.unknown_fields` has operation and path of each.
 *
 * **Details**
 *
 * It is provided to the layer of a client. At most 100 fields are told apart, and more are counted as `other`, so that no response can fill
 * the memory. Each response in JSON is parsed once more for it.
 *
 * @category layers
 * @since 0.3.0
 */
export const layer: Layer.Layer<never> = Layer.effect(
  Inspector,
  Effect.contextWith((context) => {
    const known = new Set<string>()
    return Effect.succeed((operation, schema, body) => {
      for (const path of find(schema, body)) {
        const name = `${operation} ${path}`
        if (known.size < most) known.add(name)
        const field = known.has(name) ? path : "other"
        Telemetry.update("unknownFields", 1, { operation, field }, context)
      }
    })
  })
)
