// The wire names of bodies, paths and queries follow from the names of their fields.
import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { expectTypeOf } from "vitest"
import { body, struct } from "../../src/contract/internal/body.ts"

const fields = {
  styleId: Schema.String,
  sourceLanguage: Schema.optionalKey(Schema.String),
  speechToTextMilliseconds: Schema.NumberFromString
}

class Example extends body<Example>()("Example", fields, { sourceLanguage: "source_lang" }) {}

const example: Example = { styleId: "1", sourceLanguage: "en", speechToTextMilliseconds: 2 }
const onTheWire = { style_id: "1", source_lang: "en", speech_to_text_milliseconds: "2" }

describe("bodies", () => {
  it("have snake_case on the wire, except for the names that are given", () => {
    assert.deepStrictEqual(Schema.encodeSync(Example)(example), onTheWire)
    assert.deepStrictEqual(Schema.decodeSync(Example)(onTheWire), example)
    expectTypeOf<typeof Example.Encoded>().toEqualTypeOf<{
      readonly style_id: string
      readonly source_lang?: string
      readonly speech_to_text_milliseconds: string
    }>()
  })

  it("show their fields as plain types", () => {
    expectTypeOf<Example["sourceLanguage"]>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Example["speechToTextMilliseconds"]>().toEqualTypeOf<number>()
  })

  it("do not compile with a name for an unknown field, nor with one that follows from the field", () => {
    // @ts-expect-error -- no field has this name
    struct(fields, { sourceLang: "source_lang" })
    // @ts-expect-error -- the name is already the one on the wire
    struct(fields, { styleId: "style_id" })
    assert.deepStrictEqual(Schema.encodeSync(struct(fields))(example), {
      style_id: "1",
      source_language: "en",
      speech_to_text_milliseconds: "2"
    })
  })
})
