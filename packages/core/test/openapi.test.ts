// The OpenAPI description has every operation that the specification or the reference names, and no other.
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"

/** The operations of the reference by its sections. A part in braces is a parameter, whatever its name. */
const operations: Readonly<Record<string, ReadonlyArray<string>>> = {
  "B1 Download": ["POST /v2/document/{id}/result"],
  "B2 and B3 Text improvement": ["POST /v2/write/rephrase", "POST /v2/write/correct"],
  "B4 Style rules": [
    "POST /v3/style_rules",
    "GET /v3/style_rules",
    "GET /v3/style_rules/{id}",
    "PATCH /v3/style_rules/{id}",
    "DELETE /v3/style_rules/{id}",
    "PUT /v3/style_rules/{id}/configured_rules",
    "POST /v3/style_rules/{id}/custom_instructions",
    "GET /v3/style_rules/{id}/custom_instructions/{id}",
    "PUT /v3/style_rules/{id}/custom_instructions/{id}",
    "DELETE /v3/style_rules/{id}/custom_instructions/{id}"
  ],
  "B5 Detection": ["POST /v3/detect/language"],
  "B6 to B9 Languages": [
    "GET /v3/languages",
    "GET /v3/languages/resources",
    "GET /v2/languages",
    "POST /v2/languages",
    "GET /v2/glossary-language-pairs"
  ],
  "B10 Translation": ["POST /v2/translate"],
  "B11 and B12 Documents": ["POST /v2/document", "POST /v2/document/{id}"],
  "B13 Usage": ["GET /v2/usage"],
  "B14 Glossaries, version 3": [
    "POST /v3/glossaries",
    "GET /v3/glossaries",
    "GET /v3/glossaries/{id}",
    "PATCH /v3/glossaries/{id}",
    "DELETE /v3/glossaries/{id}",
    "GET /v3/glossaries/{id}/entries",
    "PUT /v3/glossaries/{id}/dictionaries",
    "DELETE /v3/glossaries/{id}/dictionaries"
  ],
  "B15 Glossaries, version 2": [
    "POST /v2/glossaries",
    "GET /v2/glossaries",
    "GET /v2/glossaries/{id}",
    "GET /v2/glossaries/{id}/entries",
    "DELETE /v2/glossaries/{id}"
  ],
  "B16 Translation memories": [
    "GET /v3/translation_memories",
    "GET /v3/translation_memories/{id}",
    "GET /v3/translation_memories/{id}/segments",
    "POST /v3/translation_memories/import",
    "POST /v3/translation_memories/{id}/export",
    "GET /v3/translation_memories/jobs/{id}",
    "DELETE /v3/translation_memories/{id}"
  ],
  "B17 Administration": [
    "POST /v2/admin/developer-keys",
    "GET /v2/admin/developer-keys",
    "PUT /v2/admin/developer-keys/deactivate",
    "PUT /v2/admin/developer-keys/label",
    "PUT /v2/admin/developer-keys/limits",
    "GET /v2/admin/analytics",
    "GET /v2/admin/analytics/custom-tags"
  ],
  "B19 Quality evaluation": ["POST /v1/quality-evaluation", "GET /v1/quality-evaluation/{id}"]
}

const file = new URL("../../../docs/openapi.json", import.meta.url)

interface Described {
  readonly deprecated?: boolean
  readonly responses: Readonly<Record<string, { readonly headers?: object }>>
  readonly parameters?: ReadonlyArray<{ readonly name: string; readonly schema: { readonly type: string } }>
  readonly requestBody?: { readonly content: object }
}

const description: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties: object }>> }
} = JSON.parse(readFileSync(file, "utf8"))

const described = new Set(
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, "{id}")}`)
  )
)

describe("the OpenAPI description", () => {
  it.each(Object.entries(operations))("names the operations of %s", (_, named) => {
    assert.deepStrictEqual(named.filter((operation) => !described.has(operation)), [])
  })

  it("names no others", () => {
    const known = new Set(Object.values(operations).flat())
    assert.deepStrictEqual(
      [...described].filter((operation) => !known.has(operation)),
      [],
      "the table `operations` of this file has each operation below its source"
    )
  })

  it("declares the trace id of every response", () => {
    const undeclared = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) =>
        Object.entries(responses).filter(([, { headers = {} }]) => !("x-trace-id" in headers))
          .map(([status]) => `${method} ${path} ${status}`)
      )
    )
    assert.deepStrictEqual(undeclared, [])
  })

  it("declares the time until the next poll of an evaluation", () => {
    for (const [path, method] of [["/v1/quality-evaluation", "post"], ["/v1/quality-evaluation/{job_id}", "get"]]) {
      assert.property(description.paths[path ?? ""]?.[method ?? ""]?.responses["202"]?.headers, "retry-after")
    }
  })

  it("has numbers, flags and integers as the service reads them", () => {
    const { parameters } = description.paths["/v3/style_rules"]?.["get"] ?? {}
    assert.deepStrictEqual(parameters?.map(({ name, schema }) => [name, schema.type]), [
      ["page", "integer"],
      ["page_size", "integer"],
      ["detailed", "boolean"]
    ])
    const text = JSON.stringify(description)
    assert.notInclude(text, String(Number.MAX_SAFE_INTEGER))
    assert.notInclude(text, "[Ee]")
    assert.notInclude(text, `"enum":["true","false"]`)
  })

  it("has the deprecated POST of the list of languages, with its type in the body", () => {
    const { get, post } = description.paths["/v2/languages"] ?? {}
    assert.deepStrictEqual([get?.deprecated, post?.deprecated], [true, true])
    const body = { schema: { type: "object", properties: { type: { type: "string", enum: ["source", "target"] } } } }
    assert.deepStrictEqual(post?.requestBody?.content, {
      "application/x-www-form-urlencoded": body,
      "application/json": body
    })
    assert.deepStrictEqual(post?.responses, get?.responses)
  })

  it("has the deprecated fields that clients still send and the service still sends", () => {
    const { CurrentUsage, ProductUsage, UploadForm } = description.components.schemas
    assert.containsAllKeys(UploadForm?.properties, ["filename", "enable_beta_languages"])
    assert.containsAllKeys(ProductUsage?.properties, ["character_count", "api_key_character_count"])
    assert.containsAllKeys(CurrentUsage?.properties, [
      "speech_to_text_milliseconds_count",
      "speech_to_text_milliseconds_limit"
    ])
  })
})
