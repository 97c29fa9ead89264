import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import { assert, describe, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { HttpApi } from "effect/http-api"
import { hasProperty } from "effect/Predicate"
import { derive, unsure } from "../../src/client/internal/derivedDecoder.ts"
import { changes } from "../support/changes.ts"

type Codec = Schema.Codec<unknown, unknown>

const isCodec = (value: unknown): value is Codec => Schema.isSchema(value)

/** The successes of the contract that a decoder can be derived for. */
const derived = new Map<string, { readonly schema: Codec; readonly decode: (sent: unknown) => unknown }>()

HttpApi.reflect(LanguageServiceApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group, successes }) => {
    for (const [status, [codec]] of successes) {
      const schema = hasProperty(codec, "schema") ? codec.schema : undefined
      const decode = isCodec(schema) ? derive(schema.ast) : undefined
      if (isCodec(schema) && decode !== undefined) {
        derived.set(`${group.identifier}.${endpoint.identifier} ${status}`, { schema, decode })
      }
    }
  }
})

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
