import { assert, describe, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { hasProperty } from "effect/Predicate"
import { derive, unsure } from "../../src/contract/internal/derivedDecoder.ts"
import { changes } from "../support/changes.ts"
import { Sample } from "../support/index.ts"

type Codec = Schema.Codec<unknown, unknown>

const isCodec = (value: unknown): value is Codec => Schema.isSchema(value)

/** The successes of the contract that a decoder can be derived for. */
const derived = new Map<string, { readonly schema: Codec; readonly decode: (sent: unknown) => unknown }>()

for (const { operation, successes } of Sample.contract) {
  for (const [status, [codec]] of successes) {
    const schema = hasProperty(codec, "schema") ? codec.schema : undefined
    const decode = isCodec(schema) ? derive(schema.ast) : undefined
    if (isCodec(schema) && decode !== undefined) derived.set(`${operation} ${status}`, { schema, decode })
  }
}

/** The JSON bodies of requests of the contract that an encoder can be derived for. */
const derivedBodies = new Map<string, { readonly schema: Codec; readonly encode: (value: unknown) => unknown }>()

for (const { endpoint, operation } of Sample.contract) {
  for (const { encoding, schemas: [schema] } of endpoint.payload.values()) {
    const encode = encoding._tag === "Json" && isCodec(schema) ? derive(schema.ast, "encode") : undefined
    if (isCodec(schema) && encode !== undefined) derivedBodies.set(operation, { schema, encode })
  }
}

/** The operations that have many texts. */
const frequent = ["Translation.translate 200", "Writing.rephrase 200", "Writing.correct 200", "Detection.detect 200"]

describe("derived decoders", () => {
  it("exist for the operations of many texts", () => {
    for (const name of frequent) assert.isTrue(derived.has(name), name)
  })

  for (const [name, { decode, schema }] of derived) {
    const json = Schema.toCodecJson(schema)
    const interpret = Schema.decodeUnknownExit(json)
    const encode = Schema.encodeSync(json)

    it.prop(`${name}: any answer has the value of the interpreter`, [schema], ([value]) => {
      const sent: unknown = JSON.parse(JSON.stringify(encode(value)))
      const more = typeof sent === "object" && !Array.isArray(sent) ? [{ ...sent, toString: 1, other: null }] : []
      for (const body of [sent, ...more, ...changes(sent, "").map(({ body }) => body)]) {
        const found = decode(body)
        if (found !== unsure) assert.deepStrictEqual(Exit.succeed(found), interpret(body), JSON.stringify(body))
      }
      if (frequent.includes(name)) assert.notStrictEqual(decode(sent), unsure, "a right answer is decoded")
    }, { arbitrary: { runs: 40 } })
  }
})

describe("derived encoders", () => {
  it("exist for the operations of many texts", () => {
    const texts = ["Translation.translate", "Writing.correct", "Detection.detect"]
    assert.deepStrictEqual(texts.filter((name) => !derivedBodies.has(name)), [])
  })

  for (const [name, { encode, schema }] of derivedBodies) {
    const interpret = Schema.encodeUnknownExit(schema)

    it.prop(`${name}: any body has the JSON of the interpreter`, [schema], ([value]) => {
      assert.notStrictEqual(encode(value), unsure, "a valid body is encoded")
      const fields = typeof value === "object" && value !== null ? Object.keys(value) : []
      const undefinedFields = fields.map((field) => Object.assign({}, value, { [field]: undefined }))
      const more = Object.assign({}, value, { toString: 1, other: null })
      for (const body of [value, more, ...undefinedFields, ...changes(value, "").map(({ body }) => body)]) {
        const json = encode(body)
        if (json !== unsure) {
          const interpreted = Exit.map(interpret(body), (json) => JSON.stringify(json))
          assert.deepStrictEqual(Exit.succeed(JSON.stringify(json)), interpreted)
        }
      }
    }, { arbitrary: { runs: 40 } })
  }
})
