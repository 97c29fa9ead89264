import { Glossaries, GlossaryEntries, Ids } from "@effect-lingua/core"
import { FakeLanguageService, Fault } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Fiber, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import { isFull, scaled } from "../../../../../test/support/scale.ts"
import { send } from "../../support/client.ts"

const { layerServices } = FakeLanguageService

const pair = { sourceLanguage: "en", targetLanguage: "de" }
const back = { sourceLanguage: "de", targetLanguage: "en" }
const terms = new Map([["screw", "Schraube"], ["nut", "Mutter"]])

const entry = (source: string, target: string) => new Map([[source, target]])

/** Terms and files that are nearly as they have to be. */
const Piece = Schema.Literals([
  "a",
  "é",
  "\t",
  ",",
  "\"",
  "\n",
  "\r\n",
  " ",
  "\u0085",
  "a\tb\n",
  "c,d\n",
  "e,\"f, g\",en,de\n",
  "h,i,en,fr\n"
])
const Pieces = Schema.Array(Piece).check(Schema.isMaxLength(4))

const form = (fields: Readonly<Record<string, string>>) => ({
  body: new URLSearchParams(fields).toString(),
  contentType: "application/x-www-form-urlencoded"
})

describe("Glossaries", () => {
  it.effect("have limits of bytes", () =>
    Effect.gen(function*() {
      // A client that lets everything pass, so that it is the service that refuses.
      const glossaries = yield* Glossaries
      const long = "é".repeat(513)
      const create = (name: string, ...all: ReadonlyArray<ReadonlyMap<string, string>>) =>
        glossaries.create({
          name,
          dictionaries: all.map((entries, index) => ({
            sourceLanguage: index === 0 ? "en" : "de",
            targetLanguage: index === 0 ? "de" : "en",
            entries
          }))
        })
      yield* create("é".repeat(512), entry("é".repeat(512), "é".repeat(512)))
      for (
        const refused of [create(long, terms), create("a", entry(long, "b")), create("a", entry("b", long))]
      ) {
        assert.strictEqual((yield* Effect.flip(refused))._tag, "BadRequest")
      }
      if (!isFull) return
      // 5 MiB each, and a byte more than both may have together.
      const lines = Array.from({ length: 5 * 1024 }, (_, index) => [`${index}`, ""] as const)
      const half = (extra: number) =>
        new Map(lines.map(([source], index) => [
          source,
          "x".repeat(1022 - source.length + (index === 0 ? 1 + extra : 0))
        ]))
      yield* create("b", half(0), half(0))
      assert.strictEqual((yield* Effect.flip(create("b", half(0), half(1))))._tag, "PayloadTooLarge")
    }).pipe(Effect.provide(layerServices({
      client: { limits: { glossaryBytes: Infinity, glossaryNameBytes: Infinity, glossaryTermBytes: Infinity } }
    }))))

  it.effect("have a limit of number", () =>
    Effect.gen(function*() {
      const glossaries = yield* Glossaries
      const create = (name: string) => glossaries.create({ name, dictionaries: [{ ...pair, entries: terms }] })
      const { addGlossary } = yield* FakeLanguageService
      for (let count = 1; count < 1000; count++) yield* addGlossary(pair)
      yield* create("c")
      assert.strictEqual((yield* Effect.flip(create("d")))._tag, "QuotaExceeded")
    }).pipe(Effect.provide(layerServices())))

  it.effect.skipIf(!isFull)(
    "of 10 MiB go up and come down, though JSON makes twice as much of them",
    () =>
      Effect.gen(function*() {
        const glossaries = yield* Glossaries
        const entries = new Map(
          Array.from({ length: 10 * 1024 }, (_, index) => [`${index}`.padStart(511, "\""), "\"".repeat(511)])
        )
        const { glossaryId } = yield* glossaries.create({ name: "Large", dictionaries: [{ ...pair, entries }] })
        assert.strictEqual((yield* glossaries.entries({ glossaryId, ...pair })).size, entries.size)
        const tsv = Result.getOrThrow(GlossaryEntries.writeTsv(entries))
        assert.isAbove(JSON.stringify(tsv).length, 19 * 1024 * 1024)
      }).pipe(Effect.provide(layerServices()))
  )

  it.effect("are refused before anything is sent, with the place", () =>
    Effect.gen(function*() {
      const glossaries = yield* Glossaries
      const { glossaryId } = yield* glossaries.create({ name: "a", dictionaries: [{ ...pair, entries: terms }] })
      const { length } = yield* (yield* FakeLanguageService).requests
      const errors = [
        yield* Effect.flip(glossaries.create({
          name: "b",
          dictionaries: [{ ...pair, entries: terms }, { ...back, entries: { tsv: "a\tb\nc d" } }]
        })),
        yield* Effect.flip(glossaries.merge({ glossaryId, dictionary: { ...pair, entries: { csv: "a,b\na,c" } } })),
        yield* Effect.flip(glossaries.replaceDictionary({ glossaryId, ...pair, entries: entry("a".repeat(1025), "b") }))
      ]
      assert.deepStrictEqual(errors.map(({ message }) => message), [
        "Glossaries.create: dictionaries[1].entries: line 2, column 4: there is no tab between a source and a target. " +
        "Nothing was sent; correct the entries.",
        "Glossaries.merge: dictionary.entries: line 2, column 1: the source is a duplicate of line 1. " +
        "Nothing was sent; correct the entries.",
        "Glossaries.replaceDictionary: entries: entry 1: the source has 1025 bytes in UTF-8, allowed are 1024. " +
        "Nothing was sent; correct the entries."
      ])
      assert.strictEqual((yield* (yield* FakeLanguageService).requests).length, length)
    }).pipe(Effect.provide(layerServices())))

  it.effect("have one dictionary for a pair, in either case of letters", () =>
    Effect.gen(function*() {
      const dictionary = { source_lang: "en", target_lang: "de", entries: "a\tb", entries_format: "tsv" }
      const body = JSON.stringify({ name: "a", dictionaries: [dictionary, { ...dictionary, target_lang: "DE" }] })
      const { json, status } = yield* send("POST", "/v3/glossaries", { body })
      assert.strictEqual(status, 400)
      assert.include(json.message, "several dictionaries for a language pair")
    }).pipe(Effect.provide(layerServices())))

  it.effect(
    "are taken as TSV and CSV exactly when the client takes them, and are the same entries",
    () =>
      Effect.gen(function*() {
        const glossaries = yield* Glossaries
        const agree = Effect.fnUntraced(function*(text: string, format: "tsv" | "csv") {
          const read = format === "tsv" ? GlossaryEntries.readTsv(text) : GlossaryEntries.readCsv(text, pair)
          const body = JSON.stringify({
            name: "a",
            dictionaries: [{ source_lang: "en", target_lang: "de", entries: text, entries_format: format }]
          })
          const { json, status } = yield* send("POST", "/v3/glossaries", { body })
          assert.strictEqual(status, Result.isSuccess(read) ? 201 : 400)
          if (Result.isFailure(read)) return
          const glossaryId = Ids.GlossaryId.make(json.glossary_id)
          assert.deepStrictEqual(yield* glossaries.entries({ glossaryId, ...pair }), read.success)
          yield* glossaries.remove({ glossaryId })
        })
        const result = yield* Arbitrary.checkEffect(
          Arbitrary.schema(Pieces),
          (pieces) => Effect.as(Effect.andThen(agree(pieces.join(""), "tsv"), agree(pieces.join(""), "csv")), true),
          { runs: scaled(100, 600), size: 4, seed: "glossaries" }
        )
        assert.isUndefined(Arbitrary.formatCheckFailure(result))
        const { "Glossaries.create": { count } } = yield* (yield* FakeLanguageService).effects
        assert.isAbove(count, scaled(4, 40))
      }).pipe(Effect.provide(layerServices()))
  )

  it.effect("name the place of a source that comes twice, as the service does", () =>
    Effect.gen(function*() {
      const body = JSON.stringify({
        name: "a",
        source_lang: "en",
        target_lang: "de",
        entries: "Hello\tHallo\nHello\tServus",
        entries_format: "tsv"
      })
      const { json, status } = yield* send("POST", "/v2/glossaries", { body })
      assert.strictEqual(status, 400)
      assert.deepStrictEqual(json, {
        message: "Invalid glossary entries provided",
        detail:
          "Key with the index 1 (starting at position 12) duplicates key with the index 0 (starting at position 0)"
      })
    }).pipe(Effect.provide(layerServices())))

  it.effect("can come as forms, with dictionaries in fields of their own", () =>
    Effect.gen(function*() {
      const made = yield* send(
        "POST",
        "/v3/glossaries",
        form({
          name: "Terms",
          "dictionaries[0].source_lang": "EN",
          "dictionaries[0].target_lang": "de",
          "dictionaries[0].entries": "screw\tSchraube",
          "dictionaries[1].source_lang": "de",
          "dictionaries[1].target_lang": "en",
          "dictionaries[1].entries": "\"Mutter, f\",nut",
          "dictionaries[1].entries_format": "csv"
        })
      )
      assert.strictEqual(made.status, 201)
      const glossaryId = Ids.GlossaryId.make(made.json.glossary_id)
      const patched = yield* send("PATCH", `/v3/glossaries/${glossaryId}`, form({ name: "Other" }))
      assert.strictEqual(patched.json.name, "Other")
      const glossaries = yield* Glossaries
      assert.deepStrictEqual(yield* glossaries.entries({ glossaryId, ...back }), entry("Mutter, f", "nut"))
      assert.deepStrictEqual(yield* glossaries.entries({ glossaryId, ...pair }), entry("screw", "Schraube"))
    }).pipe(Effect.provide(layerServices())))

  it.effect("have entries that are read in a list or by themselves", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const glossaryId = yield* fake.addGlossary({ ...pair, entries: terms })
      assert.deepStrictEqual(
        yield* Glossaries.use((glossaries) => glossaries.entries({ glossaryId, ...pair })),
        terms
      )
      const { json } = yield* send("GET", `/v3/glossaries/${glossaryId}/entries?source_lang=en&target_lang=de`)
      assert.strictEqual(json.entries, "screw\tSchraube\nnut\tMutter")
    }).pipe(Effect.provide(layerServices({ dialect: { glossaryEntries: "bare" } }))))

  it.effect("are the same after a change whose answer was lost", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const glossaries = yield* Glossaries
      const glossaryId = yield* fake.addGlossary({ ...pair, entries: terms })
      yield* fake.script({ fault: Fault.reset({ afterEffect: true }), operation: "Glossaries.merge" })
      yield* fake.script({ fault: Fault.reset({ afterEffect: true }), operation: "Glossaries.removeDictionary" })
      const work = yield* Effect.forkChild(Effect.gen(function*() {
        yield* glossaries.merge({ glossaryId, dictionary: { ...pair, entries: entry("nut", "Nuss") } })
        const after = yield* glossaries.entries({ glossaryId, ...pair })
        yield* glossaries.removeDictionary({ glossaryId, ...pair })
        return after
      }))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Fiber.join(work), new Map([["screw", "Schraube"], ["nut", "Nuss"]]))
      const { "Glossaries.merge": merges, "Glossaries.removeDictionary": removals } = yield* fake.effects
      assert.deepStrictEqual([merges.count, removals.count], [2, 1])
    }).pipe(Effect.provide(layerServices())))
})
