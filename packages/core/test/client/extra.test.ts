import { Usage } from "@effect-lingua/core/account/Usage"
import * as ResultCache from "@effect-lingua/core/caching/ResultCache"
import { Requests } from "@effect-lingua/core/client/Requests"
import { Documents } from "@effect-lingua/core/documents/Documents"
import * as Extra from "@effect-lingua/core/Extra"
import { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import { Languages } from "@effect-lingua/core/languages/Languages"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream } from "effect"
import { inspect } from "node:util"
import * as Sample from "../support/operations.ts"
import { valueOverTime } from "../support/time.ts"
import * as Wire from "../support/Wire.ts"

const translated = (...texts: ReadonlyArray<string>) =>
  Wire.answer(200, { translations: texts.map((text) => ({ text, confidence: 0.5 })), region: "eu" })

const translate = Translation.use(({ translate }) => translate("Good day", { targetLanguage: "de" }))

const bodies = Effect.map(Wire.sent, (sent) => sent.map(({ body }): unknown => JSON.parse(body)))

describe("extra fields", () => {
  it.effect("are in the body of their operation, and of no other", () =>
    Effect.gen(function*() {
      yield* translate.pipe(
        Extra.fields({ "Translation.translate": { new_option: [1, { deep: null }] }, "Writing.correct": { other: 1 } })
      )
      assert.deepStrictEqual(yield* bodies, [
        { text: ["Good day"], target_lang: "de", new_option: [1, { deep: null }] }
      ])
    }).pipe(Effect.provide(Wire.layer(translated("Guten Tag")))))

  it.effect("of regions within others add up, and the inner one wins", () =>
    Effect.gen(function*() {
      yield* translate.pipe(
        Extra.fields({ "Translation.translate": { a: 1, b: 1 } }),
        Extra.fields({ "Translation.translate": { b: 2, c: 2 } })
      )
      assert.deepInclude((yield* bodies)[0] ?? {}, { a: 1, b: 1, c: 2 })
    }).pipe(Effect.provide(Wire.layer(translated("Guten Tag")))))

  it.effect("are in the query of a request without a body", () =>
    Effect.gen(function*() {
      yield* Usage.use(({ get }) => get()).pipe(Extra.fields({ "Usage.get": { period: "last month", deep: [1] } }))
      const [{ url } = { url: "" }] = yield* Wire.sent
      assert.deepStrictEqual(Object.fromEntries(new URL(url).searchParams), { period: "last month", deep: "[1]" })
    }).pipe(Effect.provide(Wire.layer(Wire.answer(200, { character_count: 1, character_limit: 2 })))))

  it.effect("are in the form of an upload, where no name can change it", () =>
    Effect.gen(function*() {
      yield* Documents.use(({ upload }) =>
        upload({ content: new Uint8Array(3), fileName: "a.txt", targetLanguage: "de" })
      ).pipe(Extra.fields({ "Documents.upload": { enable_x: true, "a\"\r\nb": "c" } }))
      const [{ body: form } = { body: "" }] = yield* Wire.sent
      assert.include(form, "name=\"enable_x\"\r\n\r\ntrue\r\n")
      assert.include(form, "name=\"a%22%0D%0Ab\"\r\n\r\nc\r\n")
    }).pipe(Effect.provide(
      Wire.layer(Wire.answer(200, { document_id: Sample.documentId, document_key: "A".repeat(64) }))
    )))

  it.effect.each<
    readonly [
      what: string,
      call: Effect.Effect<
        unknown,
        { readonly _tag: string; readonly message: string },
        Translation | Documents | Languages | Glossaries
      >
    ]
  >([
    ["a body", translate.pipe(Extra.fields({ "Translation.translate": { target_lang: "fr" } }))],
    [
      "a query",
      Languages.use((all) => Stream.runDrain(all.list({ resource: "translate_text" }))).pipe(
        Extra.fields({ "Languages.list": { resource: "write" } })
      )
    ],
    [
      "a form",
      Documents.use(({ upload }) => upload({ content: new Uint8Array(3), fileName: "a.txt", targetLanguage: "de" }))
        .pipe(
          Extra.fields({ "Documents.upload": { target_lang: "fr" } })
        )
    ],
    [
      "a body that may have one of several shapes",
      Glossaries.use(({ merge }) => merge({ glossaryId: Sample.glossaryId, name: "a" })).pipe(
        Extra.fields({ "Glossaries.merge": { name: "b" } })
      )
    ]
  ])("that %s has by itself are refused before anything is sent", ([, call]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Effect.asVoid(call))
      assert.strictEqual(error._tag, "InvalidInput")
      assert.match(error.message, /a field that the operation has.* its option of the method/)
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(500)))))

  const cycle: Record<string, unknown> = {}
  cycle["a"] = [cycle]
  let deep: unknown = 1
  for (let level = 0; level < 20_000; level++) deep = [deep]

  it.effect.each<readonly [what: string, given: object]>([
    ["a bigint", { a: [1n] }],
    ["a cycle", cycle],
    ["great depth", { deep }],
    ["a function", { a: () => 1 }],
    ["a method in place of the whole", { toJSON: () => ({ other: 1 }) }],
    ["no number", { a: Number.NaN }]
  ])("that are no JSON are refused before anything is sent: %s", ([, given]) =>
    Effect.gen(function*() {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an untyped caller
      const fields = given as Extra.Fields
      const all = Extra.fields({ "Translation.translate": fields, "Usage.get": fields, "Documents.upload": fields })
      const upload = { content: new Uint8Array(3), fileName: "a.txt", targetLanguage: "de" } as const
      const calls: ReadonlyArray<
        Effect.Effect<unknown, { readonly _tag: string }, Translation | Usage | Documents | Requests>
      > = [
        translate,
        Extra.fields({ "Translation.translate": { b: 1 } })(translate),
        Translation.use(({ translate }) => translate(["a"], { targetLanguage: "de" })),
        Usage.use(({ get }) => get()),
        Documents.use((documents) => documents.upload(upload)),
        Requests.use(({ send }) => send({ method: "POST", path: "/v2/x", body: fields, repeat: "Read" }))
      ]
      for (const call of calls) {
        const error = yield* Effect.flip(Effect.asVoid(all(call)))
        assert.strictEqual(error._tag, "InvalidInput")
      }
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(500)).pipe(Layer.provide(ResultCache.layerMemory())))))

  it.effect("are a part of what a cache knows a result by", () =>
    Effect.gen(function*() {
      const formal = Extra.fields({ "Translation.translate": { tone: "formal" } })
      for (const call of [translate, formal(translate), translate, formal(translate)]) yield* call
      assert.strictEqual(yield* Wire.count, 2)
    }).pipe(
      valueOverTime,
      Effect.provide(
        Wire.layer(translated("Guten Tag")).pipe(Layer.provide(ResultCache.layerMemory()))
      )
    ))
})

describe("raw responses", () => {
  it.effect("have the fields that this version does not know, in the order of the requests", () =>
    Effect.gen(function*() {
      const program = Effect.gen(function*() {
        const { text } = yield* translate
        yield* Usage.use(({ get }) => get())
        return text
      })
      const [text, raw] = yield* Extra.raw(program)
      assert.strictEqual(text, "Guten Tag")
      assert.notInclude(inspect(raw, { depth: null }), "Guten Tag")
      assert.deepStrictEqual(raw.map(({ body, operation }) => ({ operation, body: Redacted.value(body) })), [
        {
          operation: "Translation.translate",
          body: { translations: [{ text: "Guten Tag", confidence: 0.5 }], region: "eu" }
        },
        { operation: "Usage.get", body: { character_count: 1, character_limit: 2, news: true } }
      ])
    }).pipe(Effect.provide(
      Wire.layer([translated("Guten Tag"), Wire.answer(200, { character_count: 1, character_limit: 2, news: true })])
    )))

  it.effect("are those of the caller alone, also where others translate the same text or a cache has it", () =>
    Effect.gen(function*() {
      yield* translate
      const [[, raw], [, other]] = yield* Effect.all([Extra.raw(translate), Extra.raw(translate), translate], {
        concurrency: "unbounded"
      })
      assert.lengthOf(raw, 1)
      assert.lengthOf(other, 1)
      assert.strictEqual(yield* Wire.count, 3)
    }).pipe(
      valueOverTime,
      Effect.provide(
        Wire.layer(translated("Guten Tag")).pipe(Layer.provide(ResultCache.layerMemory()))
      )
    ))

  it.effect("have no response that failed", () =>
    Effect.gen(function*() {
      const [, raw] = yield* Extra.raw(Effect.exit(translate))
      assert.deepStrictEqual(raw, [])
    }).pipe(Effect.provide(Wire.layer(Wire.answer(400, { message: "no" })))))

  it.effect("of a download are none, and its stream stays whole", () =>
    Effect.gen(function*() {
      const [bytes, raw] = yield* Extra.raw(
        Effect.flatMap(
          Documents.use((documents) => documents.download(Sample.document)),
          ({ stream }) => Stream.mkString(Stream.decodeText(stream))
        )
      )
      assert.strictEqual(bytes, "the document")
      assert.deepStrictEqual(raw, [])
    }).pipe(valueOverTime, Effect.provide(Wire.layer([Wire.answer(200, "the document")]))))
})
