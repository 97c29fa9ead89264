import { Glossaries, GlossariesPlan, ResiliencePolicy } from "@effect-lingua/core"
import { FakeLanguageService, Fault } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema, Stream } from "effect"
import { scaled } from "../../../../../test/support/scale.ts"

const { layerServices } = FakeLanguageService

const withFake = Effect.provide(layerServices({ client: { resilience: ResiliencePolicy.none } }))

const pair = { sourceLanguage: "en", targetLanguage: "de" }
const back = { sourceLanguage: "de", targetLanguage: "en" }
const entries = (...pairs: ReadonlyArray<readonly [string, string]>) => new Map(pairs)

const Dictionary = Schema.Struct({
  pair: Schema.Literals(["en-de", "de-en", "EN-fr"]),
  terms: Schema.Array(Schema.Literals(["a", "b", "c"])).check(Schema.isMinLength(1), Schema.isMaxLength(3)),
  target: Schema.Literals(["x", "y"])
})
const Wanted = Schema.Array(Schema.Struct({
  name: Schema.Literals(["A", "B", "C"]),
  dictionaries: Schema.Array(Dictionary).check(Schema.isMaxLength(3))
})).check(Schema.isMaxLength(4))

/** Each name once, and each pair. */
const wantable = (given: typeof Wanted.Type): ReadonlyArray<GlossariesPlan.DesiredGlossary> =>
  [...new Map(given.map((glossary) => [glossary.name, glossary])).values()].map(({ dictionaries, name }) => ({
    name,
    dictionaries: [...new Map(dictionaries.map((dictionary) => [dictionary.pair, dictionary])).values()].map((
      { pair, target, terms }
    ) => {
      const [sourceLanguage = "", targetLanguage = ""] = pair.split("-")
      return { sourceLanguage, targetLanguage, entries: new Map(terms.map((term) => [term, target])) }
    })
  }))

const there = Effect.map(FakeLanguageService.use((fake) => fake.state), ({ glossaries }) => glossaries)

/** What glossaries come to, whatever their order. */
const contents = (
  glossaries: ReadonlyArray<{
    readonly name: string
    readonly dictionaries: ReadonlyArray<
      { readonly sourceLanguage: string; readonly targetLanguage: string; readonly entries: unknown }
    >
  }>
) =>
  glossaries.map(({ dictionaries, name }) => ({
    name,
    dictionaries: new Map(dictionaries.map(({ entries, sourceLanguage, targetLanguage }) => [
      `${sourceLanguage}-${targetLanguage}`.toLowerCase(),
      entries
    ]))
  })).toSorted((one, other) => one.name.localeCompare(other.name))

const effects = Effect.map(
  FakeLanguageService.use((fake) => fake.effects),
  (all) => Object.entries(all).reduce((sum, [, { count }]) => sum + count, 0)
)

describe("Glossaries.sync", () => {
  it.effect(
    "makes any glossaries any others, with a call for each difference, and nothing the second time",
    () =>
      Effect.gen(function*() {
        const service = yield* Glossaries
        const becomes = Effect.fnUntraced(function*(given: typeof Wanted.Type) {
          const glossaries = wantable(given)
          const before = yield* effects
          const { glossaries: synced, steps } = yield* service.sync({ glossaries, removeOthers: true })
          assert.strictEqual((yield* effects) - before, steps.length)
          const state = yield* there
          assert.deepStrictEqual(contents(state), contents(glossaries))
          assert.deepStrictEqual(
            synced.map(({ glossaryId }) => glossaryId),
            glossaries.map(({ name }) => state.find((glossary) => glossary.name === name)?.glossaryId)
          )
          assert.deepStrictEqual((yield* service.sync({ glossaries, removeOthers: true })).steps, [])
          return true
        })
        const result = yield* Arbitrary.checkEffect(Arbitrary.schema(Wanted), becomes, {
          runs: scaled(30, 100),
          size: 6,
          seed: "glossaries"
        })
        assert.isUndefined(Arbitrary.formatCheckFailure(result))
        assert.isAbove(yield* effects, scaled(30, 100))
      }).pipe(withFake)
  )

  it.effect("says what it does, and does no more", () =>
    Effect.gen(function*() {
      const service = yield* Glossaries
      const { glossaries: [terms] } = yield* service.sync({
        glossaries: [
          {
            name: "Terms",
            dictionaries: [{ ...pair, entries: entries(["a", "b"]) }, { ...back, entries: entries(["b", "a"]) }]
          },
          { name: "Other", dictionaries: [] }
        ]
      })
      const plan = yield* service.plan({
        glossaries: [
          { name: "New", dictionaries: [{ ...pair, entries: { tsv: "x\ty\nz\tw" } }] },
          { name: "Hardware", glossaryId: terms?.glossaryId, dictionaries: [{ ...pair, entries: entries(["a", "c"]) }] }
        ],
        removeOthers: true
      })
      const other = (yield* Stream.runCollect(service.list)).find(({ name }) => name === "Other")
      assert.deepStrictEqual(GlossariesPlan.format(plan), [
        "create \"New\" with en-de (2 entries)",
        `rename "Terms" to "Hardware" (${terms?.glossaryId})`,
        "delete the dictionary de-en of \"Terms\"",
        "replace the dictionary of \"Terms\" by en-de (1 entry)",
        `delete "Other" (${other?.glossaryId})`
      ])
      const { glossaries } = yield* service.apply(plan)
      assert.deepStrictEqual(glossaries.map(({ name }) => name), ["New", "Hardware"])
      assert.strictEqual(glossaries[1]?.glossaryId, terms?.glossaryId)
    }).pipe(withFake))

  it.effect("reads entries only where their number is the same, and leaves alone what is not wanted", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const service = yield* Glossaries
      yield* fake.addGlossary({ ...pair, name: "A", entries: entries(["a", "b"]) })
      yield* fake.addGlossary({ ...pair, name: "B", entries: entries(["a", "b"], ["c", "d"]) })
      yield* fake.addGlossary({ ...pair, name: "C" })
      const wanted = [{ ...pair, entries: entries(["a", "b"]) }]
      yield* service.sync({ glossaries: [{ name: "A", dictionaries: wanted }, { name: "B", dictionaries: wanted }] })
      assert.deepStrictEqual((yield* fake.requests).map(({ operation }) => operation), [
        "Glossaries.list",
        "Glossaries.entries",
        "Glossaries.replaceDictionary"
      ])
      assert.strictEqual((yield* there).length, 3)
    }).pipe(withFake))

  it.effect("goes on after lost answers, and makes nothing twice", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const service = yield* Glossaries
      const terms = entries(["a", "b"])
      const glossaries = [
        { name: "A", dictionaries: [{ ...pair, entries: terms }, { ...back, entries: terms }] },
        { name: "B", dictionaries: [{ ...back, entries: terms }] }
      ]
      yield* fake.addGlossary({ ...pair, name: "B", entries: entries(["x", "y"]) })
      for (const operation of ["Glossaries.create", "Glossaries.replaceDictionary"] as const) {
        yield* fake.script({ fault: Fault.reset({ afterEffect: true }), operation })
      }
      // The creation is seen by looking; the replacement is what the run fails with.
      const error = yield* Effect.flip(service.sync({ glossaries }))
      assert.deepInclude<object>(error, { _tag: "ConnectionLost", operation: "Glossaries.replaceDictionary" })
      const { steps } = yield* service.sync({ glossaries })
      // The dictionary of the other pair was removed before the replacement.
      assert.deepStrictEqual(steps, [])
      assert.deepStrictEqual(contents(yield* there), contents(glossaries))
      assert.strictEqual((yield* fake.effects)["Glossaries.create"].count, 1)
    }).pipe(withFake))

  it.effect("does not take what another program made for a creation that was lost", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const service = yield* Glossaries
      const plan = yield* service.plan({
        glossaries: [{ name: "A", dictionaries: [{ ...pair, entries: entries(["a", "b"]) }] }]
      })
      const glossaryId = yield* fake.addGlossary({ ...pair, name: "A", entries: entries(["a", "b"], ["c", "d"]) })
      const lost = fake.script({ fault: Fault.reset(), operation: "Glossaries.create" })
      const errors = [yield* Effect.andThen(lost, Effect.flip(service.apply(plan)))]
      for (const languages of [pair, back]) {
        yield* service.replaceDictionary({ glossaryId, ...languages, entries: entries(["a", "b"]) })
      }
      errors.push(yield* Effect.andThen(lost, Effect.flip(service.apply(plan))))
      for (const error of errors) {
        assert.deepInclude<object>(error, { _tag: "OutcomeUnknown", operation: "Glossaries.create" })
      }
    }).pipe(withFake))

  it.effect("does not take a glossary that was there before for a creation that was lost", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const dictionaries = [{ ...pair, entries: entries(["a", "b"]) }]
      const glossaryId = yield* fake.addGlossary({ ...pair, name: "A", entries: entries(["a", "b"]) })
      yield* fake.script({ fault: Fault.reset(), operation: "Glossaries.create" })
      const glossaries = [{ name: "A", dictionaries }, { glossaryId, name: "B", dictionaries }]
      const error = yield* Effect.flip(Glossaries.use((service) => service.sync({ glossaries })))
      assert.deepInclude<object>(error, { _tag: "OutcomeUnknown", operation: "Glossaries.create" })
    }).pipe(withFake))

  it.effect("says of a failure which call it was, which were made and which were not", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const service = yield* Glossaries
      const glossaryId = yield* fake.addGlossary({ ...back, name: "A", entries: entries(["x", "y"]) })
      const other = yield* fake.addGlossary({ ...pair, name: "Other" })
      const glossaries = [
        {
          name: "A",
          dictionaries: [{ ...pair, entries: entries(["a", "b"]) }, { ...back, entries: entries(["x", "z"]) }]
        },
        { name: "B", dictionaries: [] }
      ]
      yield* fake.script({ fault: { status: 456 }, operation: "Glossaries.replaceDictionary" })
      const error = yield* Effect.flip(service.sync({ glossaries, removeOthers: true }))
      const failed = `replace the dictionary of "A" by en-de (1 entry)`
      assert.deepInclude<object>(error, {
        _tag: "TooManyGlossaryRequests",
        operation: "Glossaries.replaceDictionary",
        plan: {
          failed,
          done: [`create "B" with no dictionaries`],
          left: [`replace the dictionary of "A" by de-en (1 entry)`, `delete "Other" (${other})`]
        }
      })
      assert.include(error.message, `The failed call was to ${failed}. Calls of the plan: 1 made, 2 left.`)
      // Nothing was begun after it, and the rest is what is left.
      assert.strictEqual(yield* effects, 1)
      const { steps } = yield* service.sync({ glossaries, removeOthers: true })
      assert.deepStrictEqual(GlossariesPlan.format({ steps }), [
        failed,
        `replace the dictionary of "A" by de-en (1 entry)`,
        `delete "Other" (${other})`
      ])
      assert.isTrue((yield* there).some((glossary) => glossary.glossaryId === glossaryId))
      // What fails before the first call is about no plan.
      yield* fake.script({ fault: { status: 456 }, operation: "Glossaries.list" })
      assert.notProperty(yield* Effect.flip(service.sync({ glossaries })), "plan")
    }).pipe(withFake))

  it.effect("does what was planned, whatever came between, and looks again the next time", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const service = yield* Glossaries
      const wanted = [{ ...pair, entries: entries(["a", "b"]) }]
      const glossaries = ["A", "B"].map((name) => ({ name, dictionaries: wanted }))
      const edited = yield* fake.addGlossary({ ...pair, name: "A", entries: entries(["a", "c"]) })
      const emptied = yield* fake.addGlossary({ ...back, name: "B", entries: entries(["a", "c"]) })
      const other = yield* fake.addGlossary({ ...pair, name: "Other" })
      const plan = yield* service.plan({ glossaries, removeOthers: true })
      // Another program changes everything.
      yield* service.merge({ glossaryId: edited, dictionary: { ...pair, entries: entries(["a", "d"], ["e", "f"]) } })
      yield* service.replaceDictionary({ glossaryId: edited, ...back, entries: entries(["x", "y"]) })
      yield* service.removeDictionary({ glossaryId: emptied, ...back })
      yield* service.remove({ glossaryId: other })
      yield* service.apply(plan)
      assert.deepStrictEqual((yield* there).map(({ dictionaries }) => dictionaries.length), [2, 1])
      const { steps } = yield* service.sync({ glossaries, removeOthers: true })
      assert.deepStrictEqual(GlossariesPlan.format({ steps }), ["delete the dictionary de-en of \"A\""])
      assert.deepStrictEqual(contents(yield* there), contents(glossaries))
    }).pipe(withFake))

  it.effect("fails when a glossary that was to be changed is gone, and makes it the next time", () =>
    Effect.gen(function*() {
      const service = yield* Glossaries
      const glossaries = [{ name: "A", dictionaries: [{ ...pair, entries: entries(["a", "b"]) }] }]
      const glossaryId = yield* (yield* FakeLanguageService).addGlossary({ ...pair, name: "A" })
      const plan = yield* service.plan({ glossaries })
      yield* service.remove({ glossaryId })
      const error = yield* Effect.flip(service.apply(plan))
      assert.deepInclude<object>(error, { _tag: "NotFound", operation: "Glossaries.replaceDictionary" })
      const { steps } = yield* service.sync({ glossaries })
      assert.deepStrictEqual(GlossariesPlan.format({ steps }), [`create "A" with en-de (1 entry)`])
    }).pipe(withFake))

  it.effect("by two programs at the same time can make a glossary twice, and says so the next time", () =>
    Effect.gen(function*() {
      const service = yield* Glossaries
      const glossaries = [{ name: "A", dictionaries: [{ ...pair, entries: entries(["a", "b"]) }] }]
      const plans = [yield* service.plan({ glossaries }), yield* service.plan({ glossaries })]
      yield* Effect.forEach(plans, service.apply)
      const made = yield* there
      assert.deepStrictEqual(contents(made), [...contents(glossaries), ...contents(glossaries)])
      const error = yield* Effect.flip(service.sync({ glossaries }))
      assert.deepInclude<object>(error, {
        _tag: "DuplicateGlossaries",
        glossaryIds: made.map(({ glossaryId }) => glossaryId)
      })
      // Named by its id it is one of them, and the other goes.
      const [{ glossaryId } = { glossaryId: undefined }] = made
      yield* service.sync({ glossaries: [{ glossaryId, name: "A", dictionaries: [] }], removeOthers: true })
      assert.deepStrictEqual((yield* there).map((glossary) => glossary.glossaryId), [glossaryId])
    }).pipe(withFake))

  it.effect("refuses what nobody can mean, before anything is changed", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const service = yield* Glossaries
      const ids = [
        yield* fake.addGlossary({ ...pair, name: "A" }),
        yield* fake.addGlossary({ ...pair, name: "A" })
      ]
      const [glossaryId] = ids
      const one = { name: "A", dictionaries: [] }
      const duplicate = yield* Effect.flip(service.sync({ glossaries: [one] }))
      assert.deepInclude<object>(duplicate, {
        _tag: "DuplicateGlossaries",
        operation: "Glossaries.sync",
        glossaryIds: ids
      })
      assert.include(duplicate.message, "choose one by its glossaryId")
      const refused: ReadonlyArray<readonly [ReadonlyArray<GlossariesPlan.DesiredGlossary>, string, string]> = [
        [[{ ...one, name: "B" }, { ...one, name: "B" }], "InvalidInput", "glossaries[1]"],
        [[{ ...one, glossaryId }, { ...one, name: "B", glossaryId }], "InvalidInput", "glossaries[1]"],
        [
          [{ name: "B", dictionaries: [{ ...pair, entries: { tsv: "a" } }] }],
          "InvalidEntries",
          "glossaries[0].dictionaries[0].entries"
        ]
      ]
      for (const [glossaries, tag, parameter] of refused) {
        const error = yield* Effect.flip(service.plan({ glossaries }))
        assert.deepInclude<object>(error, { _tag: tag, parameter, operation: "Glossaries.plan" })
      }
      assert.strictEqual(yield* effects, 0)
    }).pipe(withFake))
})
