import { Ids, Limits, ResiliencePolicy, StyleRules, StyleRulesPlan } from "@effect-lingua/core"
import { FakeLanguageService, Fault } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import { scaled } from "../../../../../test/support/scale.ts"

const { layerServices } = FakeLanguageService

/** As many instructions as a list may have. */
const full = (prompt: string) =>
  Array.from({ length: Limits.defaults.instructionsPerList }, (_, index) => ({ label: `${prompt} ${index}`, prompt }))

const withFake = Effect.provide(layerServices({ client: { resilience: ResiliencePolicy.none } }))

const Instruction = Schema.Struct({
  label: Schema.Literals(["a", "b", "c"]),
  prompt: Schema.Literals(["p", "q"]),
  sourceLanguage: Schema.optionalKey(Schema.Literals(["en", "fr"]))
})

const Option = Schema.optionalKey(Schema.Literals(["x", "y"]))
const Options = Schema.Struct({ calendar_era: Option, time_format: Option })

const List = Schema.Struct({
  name: Schema.Literals(["A", "B", "C"]),
  language: Schema.Literals(["en", "de"]),
  configuredRules: Schema.optionalKey(Schema.Struct({
    punctuation: Schema.optionalKey(Options),
    dates_and_times: Schema.optionalKey(Options)
  })),
  customInstructions: Schema.optionalKey(Schema.Array(Instruction).check(Schema.isMaxLength(4)))
})
type List = typeof List.Type

const Lists = Schema.Array(List).check(Schema.isMaxLength(5))

/** Answers that are lost: how many come before each of them, and after the one before. */
const Losses = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 }))).check(Schema.isMaxLength(4))

const once = <A>(items: ReadonlyArray<A>, key: (item: A) => string): ReadonlyArray<A> => [
  ...new Map(items.map((item) => [key(item), item])).values()
]

const nameOf = ({ language, name }: { readonly language?: string; readonly name: string }) => `${name} ${language}`
const labelOf = ({ label }: { readonly label: string }) => label

/** A set of lists that can be wanted. */
const wantable = (lists: ReadonlyArray<List>): ReadonlyArray<List> =>
  once(lists, nameOf).map((list) =>
    list.customInstructions === undefined
      ? list
      : Object.assign({}, list, { customInstructions: once(list.customInstructions, labelOf) })
  )

const there = Effect.map(FakeLanguageService.use((fake) => fake.state), ({ styleRuleLists }) => styleRuleLists)

const rulesOf = (rules: object | undefined): ReadonlyArray<string> =>
  Object.entries(rules ?? {}).flatMap(([category, options]) =>
    Object.entries(options ?? {}).map(([rule, option]) => `${category}.${rule}=${String(option)}`)
  ).toSorted()

/** What is wanted and not there, and what is there and not wanted. */
const difference = (wanted: List["customInstructions"], found: StyleRules.StyleRuleList["customInstructions"]) => {
  const left = [...found ?? []]
  const missing = (wanted ?? []).filter((instruction) => {
    const index = left.findIndex((other) =>
      other.label === instruction.label && other.prompt === instruction.prompt &&
      (instruction.sourceLanguage ?? other.sourceLanguage) === other.sourceLanguage
    )
    if (index !== -1) left.splice(index, 1)
    return index === -1
  })
  return { missing: missing.length, left: left.length }
}

/** The fewest calls that can make a list as it is wanted. */
const fewest = (wanted: List, found: StyleRules.StyleRuleList | undefined): number => {
  if (found === undefined) return 1
  const rules = wanted.configuredRules === undefined ||
    rulesOf(wanted.configuredRules).join() === rulesOf(found.configuredRules).join()
  const { left, missing } = difference(wanted.customInstructions, found.customInstructions)
  return (rules ? 0 : 1) + (wanted.customInstructions === undefined ? 0 : Math.max(left, missing))
}

/** Fails unless all is as it is wanted. */
const assertSynced = Effect.fnUntraced(function*(
  wanted: ReadonlyArray<List>,
  before: ReadonlyArray<StyleRules.StyleRuleList>,
  removeOthers: boolean
) {
  const lists = yield* there
  for (const list of wanted) {
    const found = lists.filter((other) => nameOf(other) === nameOf(list))
    assert.strictEqual(found.length, 1, nameOf(list))
    for (const one of found) assert.strictEqual(fewest(list, one), 0, nameOf(list))
  }
  const names = new Set(wanted.map(nameOf))
  assert.deepStrictEqual(
    lists.filter((list) => !names.has(nameOf(list))),
    removeOthers ? [] : before.filter((list) => !names.has(nameOf(list)))
  )
})

const changes = Effect.map(
  FakeLanguageService.use((fake) => fake.requests),
  (requests) => requests.filter(({ method }) => method !== "GET").length
)

const sync = (options: StyleRulesPlan.PlanOptions) => StyleRules.use((rules) => rules.sync(options))

const add = (lists: ReadonlyArray<List>) =>
  FakeLanguageService.use((fake) => Effect.forEach(lists, (list) => fake.addStyleRuleList(list)))

describe("StyleRules.sync", () => {
  it.effect.prop(
    "makes any lists as they are wanted with the fewest calls, and then has nothing to do",
    [Lists, Lists, Schema.Boolean],
    ([existing, lists, removeOthers]) =>
      Effect.gen(function*() {
        const wanted = wantable(lists)
        yield* add(once(existing, nameOf))
        const before = yield* there
        const { lists: synced, steps } = yield* sync({ lists: wanted, removeOthers })
        yield* assertSynced(wanted, before, removeOthers)
        const others = before.filter((list) => !wanted.some((other) => nameOf(other) === nameOf(list))).length
        const expected = wanted.reduce(
          (sum, list) => sum + fewest(list, before.find((other) => nameOf(other) === nameOf(list))),
          removeOthers ? others : 0
        )
        assert.strictEqual(steps.length, expected)
        assert.strictEqual(yield* changes, expected)
        assert.strictEqual(StyleRulesPlan.format({ steps }).length, expected)
        const ids = new Map((yield* there).map((list) => [nameOf(list), list.styleId]))
        assert.deepStrictEqual(synced.map(({ styleId }) => styleId), wanted.map((list) => ids.get(nameOf(list))))
        assert.deepStrictEqual((yield* sync({ lists: wanted, removeOthers })).steps, [])
        assert.strictEqual(yield* changes, expected)
      }).pipe(withFake),
    { arbitrary: { runs: scaled(10, 60) } }
  )

  it.effect.prop(
    "is run once more at most for each answer that is lost, and does nothing twice",
    [Lists, Lists, Schema.Boolean, Losses],
    ([existing, lists, removeOthers, losses]) =>
      Effect.gen(function*() {
        const fake = yield* FakeLanguageService
        const wanted = wantable(lists)
        yield* add(once(existing, nameOf))
        const before = yield* there
        const { steps } = yield* StyleRules.use((rules) => rules.plan({ lists: wanted, removeOthers }))
        yield* fake.script(losses.map((skip) => ({ skip, fault: Fault.reset({ afterEffect: true }) })))
        let runs = 1
        while (Result.isFailure(yield* Effect.result(sync({ lists: wanted, removeOthers })))) runs++
        const lost = losses.length - (yield* fake.unplayed).length
        assert.isAtMost(runs, lost + 1)
        yield* assertSynced(wanted, before, removeOthers)
        const effects = Object.values(yield* fake.effects).reduce((sum, { count }) => sum + count, 0)
        assert.strictEqual(effects, steps.length)
      }).pipe(withFake),
    { arbitrary: { runs: scaled(10, 60) } }
  )

  it.effect.prop(
    "needs no second run for lost answers where calls are repeated",
    [Lists, Lists, Losses],
    ([existing, lists, losses]) =>
      Effect.gen(function*() {
        const fake = yield* FakeLanguageService
        const wanted = wantable(lists)
        yield* add(once(existing, nameOf))
        const before = yield* there
        yield* fake.script(losses.map((skip) => ({ skip, fault: Fault.reset({ afterEffect: true }) })))
        const fiber = yield* Effect.forkChild(sync({ lists: wanted, removeOthers: true }))
        yield* TestClock.adjust("10 minutes")
        yield* Fiber.join(fiber)
        yield* assertSynced(wanted, before, true)
      }).pipe(Effect.provide(layerServices())),
    { arbitrary: { runs: scaled(10, 40) } }
  )

  it.effect("replaces all instructions of a list that is full, which is never longer meanwhile", () =>
    Effect.gen(function*() {
      yield* FakeLanguageService.use((fake) =>
        fake.addStyleRuleList({ name: "A", language: "en", customInstructions: full("p") })
      )
      yield* sync({ lists: [{ name: "A", language: "en", customInstructions: full("q") }] })
      const [list] = yield* there
      assert.deepStrictEqual(new Set(list?.customInstructions?.map(({ prompt }) => prompt)), new Set(["q"]))
      assert.strictEqual(yield* changes, Limits.defaults.instructionsPerList)
    }).pipe(withFake))

  it.effect("does not create a list again that may still come about", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.script({ operation: "StyleRules.create", fault: Fault.reset() })
      const lists = [{ name: "House", language: "en" }]
      assert.strictEqual((yield* Effect.flip(sync({ lists })))._tag, "OutcomeUnknown")
      assert.strictEqual((yield* fake.requestsOf("StyleRules.create")).length, 1)
      yield* sync({ lists })
      assert.strictEqual((yield* there).length, 1)
    }).pipe(withFake))

  it.effect("renames the list with an id, and takes none from another", () =>
    Effect.gen(function*() {
      const [old] = yield* add([{ name: "A", language: "en", customInstructions: [{ label: "a", prompt: "p" }] }])
      if (old === undefined) return assert.fail("there is no list")
      const lists = [{ styleId: old.styleId, name: "New", language: "en" }, { name: "A", language: "en" }]
      const plan = yield* StyleRules.use((rules) => rules.plan({ lists }))
      assert.deepStrictEqual(StyleRulesPlan.format(plan), [
        `create "A" (en) with 0 rules and 0 instructions`,
        `rename "A" to "New" (${old.styleId})`
      ])
      const synced = yield* sync({ lists })
      const named = (yield* there).map(({ name, styleId }) => [name, styleId])
      assert.deepStrictEqual(named, [["New", old.styleId], ["A", synced.lists[1]?.styleId]])
      assert.strictEqual((yield* there)[0]?.customInstructions.length, 1)
      assert.deepStrictEqual((yield* sync({ lists })).steps, [])
    }).pipe(withFake))

  it.effect("refuses lists of which nobody knows which is meant, and changes nothing", () =>
    Effect.gen(function*() {
      const made = yield* add([{ name: "A", language: "en" }, { name: "A", language: "en" }, {
        name: "A",
        language: "de"
      }])
      const lists = [{ name: "B", language: "en" }, { name: "A", language: "EN" }]
      const error = yield* Effect.flip(sync({ lists }))
      const ids = made.slice(0, 2).map(({ styleId }) => styleId)
      assert.deepInclude(error, { _tag: "DuplicateStyleRules", operation: "StyleRules.sync", styleIds: ids })
      assert.include(error.message, `2 lists for EN are named "A": ${ids.join(", ")}.`)
      assert.strictEqual(yield* changes, 0)
      const [styleId] = ids
      yield* sync({ lists: [{ styleId, name: "A", language: "en" }], removeOthers: true })
      assert.deepStrictEqual((yield* there).map((list) => list.styleId), [styleId])
    }).pipe(withFake))

  it.effect("refuses what cannot be, before anything is changed", () =>
    Effect.gen(function*() {
      const [list] = yield* add([{ name: "A", language: "en" }])
      const one = { name: "B", language: "en" }
      const label = { label: "a", prompt: "p" }
      const refused: ReadonlyArray<readonly [lists: ReadonlyArray<StyleRulesPlan.DesiredList>, parameter: string]> = [
        [[one, one], "lists[1]"],
        [[{ ...one, customInstructions: [label, label] }], "lists[0].customInstructions[1].label"],
        [[one, { ...one, language: "xx" }], "lists[1].language"],
        [[{ ...one, name: "a".repeat(1025) }], "lists[0].name"],
        [
          [one, { ...one, customInstructions: [{ ...label, prompt: "a".repeat(301) }] }],
          "lists[1].customInstructions[0].prompt"
        ],
        [[{ ...one, styleId: Ids.StyleId.make("unknown") }], "lists[0].styleId"],
        [[{ styleId: list?.styleId, name: "A", language: "de" }], "lists[0].language"],
        [[{ styleId: list?.styleId, ...one }, { styleId: list?.styleId, name: "A", language: "en" }], "lists[1]"],
        [JSON.parse(`"all"`), "lists"]
      ]
      for (const [lists, parameter] of refused) {
        const error = yield* Effect.flip(sync({ lists }))
        assert.deepInclude(error, { parameter, operation: "StyleRules.sync" })
      }
      assert.strictEqual(yield* changes, 0)
    }).pipe(withFake))

  it.effect("creates first and deletes last, so that a failure leaves what is there", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const [, other] = yield* add([{ name: "A", language: "en" }, { name: "B", language: "en" }])
      const lists = [{ name: "C", language: "en" }, {
        name: "A",
        language: "en",
        configuredRules: { punctuation: { a: "b" } }
      }]
      yield* fake.script({ operation: "StyleRules.replaceConfiguredRules", fault: { status: 400 } })
      assert.deepInclude<object>(yield* Effect.flip(sync({ lists, removeOthers: true })), {
        _tag: "BadRequest",
        plan: {
          failed: `replace the rules of "A" by 1 rule`,
          done: [`create "C" (en) with 0 rules and 0 instructions`],
          left: [`delete "B" (en, ${other?.styleId})`]
        }
      })
      assert.deepStrictEqual((yield* there).map(({ name }) => name), ["A", "B", "C"])
      yield* fake.script({ operation: "StyleRules.create", count: 1, fault: { status: 400 } })
      const more = [...lists, { name: "D", language: "en" }]
      assert.strictEqual((yield* Effect.flip(sync({ lists: more, removeOthers: true })))._tag, "BadRequest")
      assert.deepStrictEqual((yield* there).map(({ name }) => name), ["A", "B", "C"])
      yield* sync({ lists: more, removeOthers: true })
      assert.deepStrictEqual((yield* there).map(({ name }) => name), ["A", "C", "D"])
    }).pipe(withFake))

  it.effect("asks for the whole of a list that the listing only names", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const [made] = yield* add([{ name: "A", language: "en", customInstructions: [{ label: "a", prompt: "p" }] }])
      if (made === undefined) return assert.fail("there is no list")
      yield* fake.script({
        operation: "StyleRules.listPage",
        fault: {
          status: 200,
          body: JSON.stringify({
            style_rules: [{
              style_id: made.styleId,
              name: "A",
              creation_time: "2026-03-01T08:00:00Z",
              updated_time: "2026-03-01T08:00:00Z",
              language: "en",
              version: 1
            }]
          }),
          headers: { "content-type": "application/json" }
        }
      })
      const lists = [{ name: "A", language: "en", customInstructions: [{ label: "a", prompt: "p" }] }]
      assert.deepStrictEqual((yield* sync({ lists })).steps, [])
      assert.strictEqual((yield* fake.requestsOf("StyleRules.get")).length, 1)
    }).pipe(withFake))

  it.effect("does not mind that what is to be removed is gone", () =>
    Effect.gen(function*() {
      const rules = yield* StyleRules
      yield* add([{ name: "A", language: "en", customInstructions: [{ label: "a", prompt: "p" }] }, {
        name: "B",
        language: "en"
      }])
      const plan = yield* rules.plan({
        lists: [{ name: "A", language: "en", customInstructions: [] }],
        removeOthers: true
      })
      yield* rules.apply(plan)
      yield* rules.apply(plan)
      assert.strictEqual((yield* there).length, 1)
    }).pipe(withFake))

  it.effect("minds the source language where it is given, and never an order", () =>
    Effect.gen(function*() {
      yield* add([{
        name: "A",
        language: "en",
        configuredRules: {
          punctuation: { calendar_era: "x", time_format: "y" },
          dates_and_times: { calendar_era: "x" }
        },
        customInstructions: [{ label: "a", prompt: "p", sourceLanguage: "fr" }, { label: "b", prompt: "q" }]
      }])
      const same = {
        name: "A",
        language: "en",
        configuredRules: {
          numbers: {},
          dates_and_times: { calendar_era: "x" },
          punctuation: { time_format: "y", calendar_era: "x" }
        },
        customInstructions: [{ label: "b", prompt: "q" }, { label: "a", prompt: "p", sourceLanguage: "FR" }]
      }
      assert.deepStrictEqual((yield* sync({ lists: [same] })).steps, [])
      const other = { ...same, customInstructions: [{ label: "b", prompt: "q" }, { label: "a", prompt: "p" }] }
      assert.deepStrictEqual((yield* sync({ lists: [other] })).steps, [])
      const german = { ...same, customInstructions: [{ label: "a", prompt: "p", sourceLanguage: "de" }] }
      assert.deepStrictEqual((yield* sync({ lists: [german] })).steps.map(({ _tag }) => _tag), [
        "ReplaceInstruction",
        "RemoveInstruction"
      ])
      assert.deepStrictEqual((yield* there)[0]?.customInstructions.map(({ sourceLanguage }) => sourceLanguage), ["de"])
    }).pipe(withFake))

  it.effect("does not take a list with an id for one whose creation was answered by nothing", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const [old] = yield* add([{ name: "A", language: "en" }])
      yield* fake.script({ operation: "StyleRules.create", fault: Fault.reset() })
      const lists = [{ styleId: old?.styleId, name: "New", language: "en" }, { name: "A", language: "en" }]
      assert.strictEqual((yield* Effect.flip(sync({ lists })))._tag, "OutcomeUnknown")
    }).pipe(withFake))

  it.effect("does not take another's instruction of the same label for one that was answered by nothing", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const rules = yield* StyleRules
      const [list] = yield* add([{ name: "A", language: "en" }])
      const lists = [{ name: "A", language: "en", customInstructions: [{ label: "a", prompt: "p" }] }]
      const plan = yield* rules.plan({ lists })
      yield* rules.addInstruction({ styleId: Ids.StyleId.make(list?.styleId ?? ""), label: "a", prompt: "q" })
      yield* fake.script({ operation: "StyleRules.addInstruction", fault: Fault.reset() })
      assert.strictEqual((yield* Effect.flip(rules.apply(plan)))._tag, "OutcomeUnknown")
    }).pipe(withFake))

  it.effect("begins nothing new after a failure", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.script({ operation: "StyleRules.create", count: 10, fault: { status: 400, delay: "1 second" } })
      const lists = Array.from({ length: 10 }, (_, index) => ({ name: `List ${index}`, language: "en" }))
      const fiber = yield* Effect.forkChild(Effect.flip(sync({ lists })))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "BadRequest")
      assert.strictEqual((yield* fake.requestsOf("StyleRules.create")).length, 4)
    }).pipe(withFake))

  it.effect("begins no further change of a list after a failure of another list", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* add([{ name: "A", language: "en" }, { name: "B", language: "en" }])
      for (const fault of [{ status: 400, delay: "1 second" }, Fault.slow("2 seconds")] as const) {
        yield* fake.script({ operation: "StyleRules.replaceConfiguredRules", fault })
      }
      const configuredRules = { punctuation: { a: "b" } }
      const customInstructions = [{ label: "a", prompt: "p" }]
      const lists = ["A", "B"].map((name) => ({ name, language: "en", configuredRules, customInstructions }))
      const fiber = yield* Effect.forkChild(Effect.flip(sync({ lists })))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "BadRequest")
      assert.strictEqual((yield* fake.requestsOf("StyleRules.addInstruction")).length, 0)
    }).pipe(withFake))

  it.effect("shows each call in a line", () =>
    Effect.gen(function*() {
      const rules = yield* StyleRules
      const made = yield* add([
        { name: "A", language: "en", customInstructions: [{ label: "a", prompt: "p" }, { label: "b", prompt: "p" }] },
        { name: "B", language: "en", customInstructions: [{ label: "a", prompt: "p" }] },
        { name: "C", language: "de" }
      ])
      const plan = yield* rules.plan({
        removeOthers: true,
        lists: [
          { name: "A", language: "en", customInstructions: [{ label: "c", prompt: "q" }] },
          {
            name: "B",
            language: "en",
            configuredRules: { punctuation: { a: "b" } },
            customInstructions: [{ label: "a", prompt: "q" }, { label: "\u001b[31m", prompt: "p" }]
          }
        ]
      })
      assert.deepStrictEqual(StyleRulesPlan.format(plan), [
        `replace instruction "a" of "A" by "c"`,
        `remove instruction "b" from "A"`,
        `replace the rules of "B" by 1 rule`,
        `replace instruction "a" of "B"`,
        `add instruction "\\u001b[31m" to "B"`,
        `delete "C" (de, ${made[2]?.styleId})`
      ])
    }).pipe(withFake))
})
