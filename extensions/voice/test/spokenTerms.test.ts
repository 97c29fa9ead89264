import * as Limits from "@effect-lingua/core/contract/Limits"
import { SpokenTerms } from "@effect-lingua/voice/SpokenTerms"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Sample from "./support/operations.ts"
import * as Wire from "./support/wire.ts"

type Service = SpokenTerms["Service"]

const { spokenTermsId, termList } = Sample
const use = <A, E>(call: (service: Service) => Effect.Effect<A, E>) => SpokenTerms.use(call)

/** Each way to send a list, with the parameter that errors name. */
const ways: ReadonlyArray<
  readonly [name: "create" | "merge" | "replaceList", path: string, send: (list: SpokenTerms.TermListOptions) => Call]
> = [
  ["create", "termLists[0].", (list) => use((service) => service.create({ name: "a", termLists: [list] }))],
  ["merge", "termLists[0].", (list) => use((service) => service.merge({ spokenTermsId, termLists: [list] }))],
  ["replaceList", "", (list) => use((service) => service.replaceList({ spokenTermsId, ...list }))]
]

type Call = Effect.Effect<object | void, SpokenTerms.AnyError, SpokenTerms>

const untyped = (value: unknown): never => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- callers without types pass anything
  return value as never
}

/** Fails with the error of a call that must not send anything. */
const refused = (call: Call, fields: object) =>
  Effect.gen(function*() {
    assert.deepInclude<object>(yield* Effect.flip(call), fields)
    assert.strictEqual(yield* Wire.count, 0)
  }).pipe(Effect.provide(Wire.layer([])))

const entry = (number: number, reason: string) => ({ entry: number, reason: `the term ${reason}` })

describe("a list of spoken terms", () => {
  const control = "has a tab, a line break or another control character"
  const broken: ReadonlyArray<readonly [rule: string, terms: ReadonlyArray<unknown>, problems: ReadonlyArray<object>]> =
    [
      ["an empty term", ["a", ""], [entry(2, "is empty")]],
      ["a repeated term", ["a", "b", "a", "a"], [
        entry(3, "is a duplicate of entry 1"),
        entry(4, "is a duplicate of entry 1")
      ]],
      ["white space around a term", [" a", "b\u00a0"], [1, 2].map((n) => entry(n, "begins or ends with white space"))],
      ["a tab", ["a\tb"], [entry(1, `${control} (U+0009)`)]],
      ["a line break", ["a\nb"], [entry(1, `${control} (U+000A)`)]],
      ["a control character of C1", ["a\u0085b"], [entry(1, `${control} (U+0085)`)]],
      ["half a character", ["a", "\ud83d"], [entry(2, "has an unpaired surrogate, which UTF-8 cannot encode")]],
      ["a term that is no text", ["a", 5, null], [entry(2, "is number, not a text"), entry(3, "is null, not a text")]]
    ]

  for (const [name, path, send] of ways) {
    it.effect.each(broken)(
      `with %s is refused by ${name}`,
      ([, terms, problems]) =>
        refused(send({ language: "en", terms: untyped(terms) }), {
          _tag: "InvalidEntries",
          operation: `SpokenTerms.${name}`,
          parameter: `${path}terms`,
          problems,
          count: problems.length
        })
    )

    it.effect.each([["none", []], ["null", null], ["string", "a"]])(
      `with the terms %s is refused by ${name}`,
      ([given, terms]) =>
        refused(send({ language: "en", terms: untyped(terms) }), {
          _tag: "InvalidInput",
          parameter: `${path}terms`,
          given
        })
    )

    it.effect(`of a language that is no text is refused by ${name}`, () =>
      refused(send({ language: untyped(null), terms: ["a"] }), {
        _tag: "InvalidInput",
        parameter: `${path}language`
      }))

    it.effect(`of more than 300 characters is refused by ${name}, counted by code points with its line breaks`, () =>
      Effect.gen(function*() {
        const terms = ["👋".repeat(100), "b".repeat(99), "c".repeat(99)]
        yield* refused(send({ language: "en", terms: [...terms.slice(0, 2), "c".repeat(100)] }), {
          _tag: "LimitExceeded",
          parameter: `${path}terms`,
          unit: "characters",
          given: 301,
          allowed: 300
        })
        yield* send({ language: "en", terms }).pipe(
          Effect.provide(Wire.layer([Sample.operation(`SpokenTerms.${name}`).success]))
        )
      }))
  }

  it.effect("names the first hundred of many problems, and counts all", () =>
    Effect.gen(function*() {
      const terms = Array.from({ length: 1000 }, () => "a")
      const error = yield* Effect.flip(use((service) => service.replaceList({ spokenTermsId, language: "en", terms })))
      if (error._tag !== "InvalidEntries") return assert.fail(error._tag)
      assert.deepStrictEqual([error.problems.length, error.count], [100, 999])
      assert.include(error.message, "terms: entry 2: the term is a duplicate of entry 1; entry 3")
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect("can be a term in two cases", () =>
    use((service) => service.replaceList({ spokenTermsId, language: "en", terms: ["Cleat", "cleat"] })).pipe(
      Effect.provide(Wire.layer([Sample.operation("SpokenTerms.replaceList").success]))
    ))

  it.effect("is allowed once for a language", () => {
    const termLists = [termList, { language: "EN", terms: ["a"] }]
    const error = { _tag: "InvalidInput", parameter: "termLists[1]", given: "a repeated language" }
    return Effect.andThen(
      refused(use((service) => service.create({ name: "a", termLists })), error),
      refused(use((service) => service.merge({ spokenTermsId, termLists })), error)
    )
  })
})

describe("a collection of spoken terms", () => {
  it.effect.each<readonly [what: string, name: string, fields: object]>([
    ["a name of more than 1024 bytes", "é".repeat(513), { _tag: "LimitExceeded", unit: "bytes", given: 1026 }],
    ["a name that UTF-8 cannot carry", "\ud83d", { _tag: "InvalidInput" }]
  ])("with %s is refused", ([, name, fields]) =>
    Effect.andThen(
      refused(use((service) => service.create({ name, termLists: [] })), { parameter: "name", ...fields }),
      refused(use((service) => service.merge({ spokenTermsId, name })), { parameter: "name", ...fields })
    ))

  it.effect("is not changed by a merge without anything", () =>
    refused(use((service) => service.merge({ spokenTermsId })), {
      _tag: "InvalidInput",
      parameter: "name and termLists"
    }))

  it.effect("can have any name of 1024 bytes, and no lists", () =>
    Effect.gen(function*() {
      yield* use((service) => service.create({ name: "é".repeat(512), termLists: [] }))
      assert.deepStrictEqual((yield* Wire.sent).map(({ body }) => body), [
        `{"name":"${"é".repeat(512)}","term_lists":[]}`
      ])
    }).pipe(Effect.provide(Wire.layer([Sample.operation("SpokenTerms.create").success]))))

  it.effect("has other limits where they are configured", () =>
    Effect.gen(function*() {
      const service = yield* SpokenTerms
      const errors = [
        yield* Effect.flip(service.create({ name: "ab", termLists: [] })),
        yield* Effect.flip(service.create({ name: "a", termLists: [{ language: "en", terms: ["a", "b"] }] }))
      ]
      assert.deepStrictEqual(errors.map((error) => error._tag === "LimitExceeded" && [error.unit, error.allowed]), [
        ["bytes", 1],
        ["characters", 2]
      ])
    }).pipe(
      Effect.provide(
        Wire.layer([], { limits: { ...Limits.defaults, spokenTermsNameBytes: 1, spokenTermsCharacters: 2 } })
      )
    ))

  it.effect("has terms in lines of any kind, and none where the service sends none", () =>
    Effect.gen(function*() {
      const terms = use((service) => service.terms({ spokenTermsId, language: "EN" }))
      assert.deepStrictEqual(yield* Effect.all([terms, terms, terms]), [["a", "b"], ["a"], []])
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(200, { lang: "en", entries: "a\r\nb\r\n" }),
      Wire.answer(200, { entries: "a" }),
      Wire.answer(200, { lang: null, entries: "" })
    ]))))

  it.effect.each(["terms", "replaceList"])(
    "with another language in the response to %s is an error",
    (name) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(Sample.call(`SpokenTerms.${name}`))
        assert.strictEqual(error._tag, "UnexpectedResponse")
        assert.include(error.message, "the response has another language")
      }).pipe(Effect.provide(Wire.layer([Wire.answer(200, { lang: "de", entries: "a", entry_count: 1 })])))
  )

  it.effect("keeps its id when nothing else is understood", () =>
    Effect.gen(function*() {
      const [whole, bare, odd] = yield* Effect.all(
        [1, 2, 3].map(() => use((service) => service.get({ spokenTermsId })))
      )
      assert.deepStrictEqual(whole?.termLists, [{ language: "en" }])
      assert.deepStrictEqual(Object(bare), { spokenTermsId, name: "", termLists: [] })
      assert.deepStrictEqual(Object(odd), { spokenTermsId, name: "" })
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(200, { spoken_terms_id: spokenTermsId, term_lists: [{ lang: "en", entry_count: "many" }] }),
      Wire.answer(200, { spoken_terms_id: spokenTermsId, name: null, term_lists: null, creation_time: null }),
      Wire.answer(200, { spoken_terms_id: spokenTermsId, name: 1, term_lists: "none", creation_time: "soon" })
    ]))))
})
