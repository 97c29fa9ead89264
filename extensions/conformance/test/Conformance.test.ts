import { Checks, Conformance } from "@effect-lingua/conformance"
import { Glossaries, StyleRules } from "@effect-lingua/core"
import { GlossaryId } from "@effect-lingua/core/contract/Ids"
import { Dialect, FakeLanguageService, Fault } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { isFull, sampled } from "../../../test/support/scale.ts"
import { effect, effectWith } from "../../../test/support/tests.ts"

const fake = FakeLanguageService

const lines = (outcomes: ReadonlyArray<Conformance.Outcome>) => outcomes.map(Conformance.format)

const named = (...names: ReadonlyArray<RegExp>) =>
  Conformance.checks.filter((check) => names.some((name) => name.test(check.name)))

/** The names of all lists that the host has. */
const listNames = Effect.gen(function*() {
  const lists = yield* Stream.runCollect((yield* StyleRules).list())
  return lists.map(({ name }) => name)
})

const inProcess = Conformance.layerFake({ advance: TestClock.adjust })

/** Operations that the fake does not count characters for, though a host might. */
const uncounted = (check: Conformance.Check) => check.name.startsWith("Detection: ")

const test = effectWith(inProcess)

describe("Conformance", () => {
  it.effect("passes against the fake, with every operation and every error seen, and the characters of its plan", () =>
    Effect.gen(function*() {
      const seen: Array<Conformance.Outcome> = []
      const { characters, checks } = yield* Conformance.plan()
      const detected = checks.filter(uncounted).reduce((sum, check) => sum + check.characters, 0)
      const report = yield* Conformance.run({ onOutcome: (outcome) => Effect.sync(() => seen.push(outcome)) })
      assert.deepStrictEqual(lines(report.failed), [])
      assert.deepStrictEqual(lines(report.skipped), [])
      assert.strictEqual(report.characters, characters)
      assert.isAbove(detected, 0)
      assert.strictEqual((yield* (yield* fake).quota()).used, characters - detected)
      assert.deepStrictEqual(report.passed.map(({ check }) => check), Conformance.checks)
      assert.deepStrictEqual(seen, [...report.passed])
      assert.deepStrictEqual(report.coverage.unseenOperations, [])
      assert.deepStrictEqual(report.coverage.unseenErrors, [])
      assert.deepStrictEqual(yield* listNames, [])
    }).pipe(Effect.provide(inProcess)))

  it.effect("runs checks from outside, each in the states that require it, and reports their failures with the others'", () =>
    Effect.gen(function*() {
      const { check, refused, same } = Checks.Claims
      const older = check("Clock: it shows the time", { source: "Clocks" }, () => same("the hour", 13, 12))
      const newer = check("Clock: an unknown path is refused", { since: "2026-07" }, function*() {
        yield* Checks.Requests.refusal(yield* Checks.Requests.send("GET", "/v9/clock"), 404)
        yield* refused(
          Glossaries.use(({ get }) => get({ glossaryId: GlossaryId.make(Checks.Claims.nothing) })),
          "NotFound"
        )
      })
      const [spec, later] = (["spec", "2026-07"] as const).map((state) => Conformance.checksOf(state, [older, newer]))
      assert.deepStrictEqual(spec, [...Conformance.checks, older])
      assert.deepStrictEqual(later, [...Conformance.checksOf("2026-07"), older, newer])
      const { coverage, failed, passed } = yield* Conformance.run({ checks: [older, newer] })
      assert.deepStrictEqual(lines(failed), [
        "FAILED   Clock: it shows the time. Expected: the hour: 12 (specification, Clocks). Got: 13"
      ])
      assert.deepStrictEqual(passed.map(({ check }) => check), [newer])
      assert.deepStrictEqual([coverage.operations, coverage.errors], [["Glossaries.get"], ["NotFound"]])
    }).pipe(Effect.provide(inProcess)))

  test("tells the operations that each check calls, and uses characters up only where it says so", function*() {
    const { quota, requests } = yield* fake
    yield* Effect.forEach(sampled(Conformance.checks, 20), (check) =>
      Effect.gen(function*() {
        const before = (yield* requests).length
        const { used } = yield* quota()
        const { operations } = yield* check.effect
        const called = new Set((yield* requests).slice(before).flatMap(({ operation }) => operation ?? []))
        // Removals after the end of a check are no part of it.
        for (const operation of ["StyleRules.remove", "Glossaries.remove", "Admin.deactivateKey"] as const) {
          if (!operations.includes(operation)) called.delete(operation)
        }
        assert.deepStrictEqual([...operations].toSorted(), [...called].toSorted(), check.name)
        assert.strictEqual((yield* quota()).used - used, uncounted(check) ? 0 : check.characters, check.name)
        // An upload counts nothing, but can only be removed by a download, which counts.
        const uploads = check.name.includes("an upload returns an id")
        assert.strictEqual(check.characters > 0 || uploads, check.needs.includes("characters"), check.name)
      }), { discard: true })
    assert.deepStrictEqual(yield* listNames, [], "each check removes what it made, also without a run around it")
  })

  it.effect("has a name and a source for each check", () =>
    Effect.sync(() => {
      const names = Conformance.checks.map(({ name }) => name)
      assert.strictEqual(new Set(names).size, names.length)
      for (const { name, source, states } of Dialect.states.flatMap((state) => Conformance.checksOf(state))) {
        assert.match(name, /^[A-Z]\w+: [a-z]/)
        assert.match(source, /^(specification, [A-Z]|public descriptions(, state 2026-07)?$)/)
        assert.strictEqual(
          source.startsWith("specification") && states.length === 1,
          source.endsWith("; later states differ")
        )
      }
    }))

  it.effect.skipIf(!isFull)("passes in a newer state against the fake of that state", () =>
    Effect.gen(function*() {
      const checks = Conformance.checksOf("2026-07")
      const report = yield* Conformance.run({ checks })
      assert.deepStrictEqual(lines([...report.failed, ...report.skipped]), [])
      assert.deepStrictEqual(report.passed.map(({ check }) => check), checks)
      assert.deepStrictEqual([report.coverage.unseenOperations, report.coverage.unseenErrors], [[], []])
      assert.deepStrictEqual(yield* listNames, [])
    }).pipe(Effect.provide(Conformance.layerFake({ advance: TestClock.adjust, dialect: Dialect.ofState["2026-07"] }))))

  effect.skipIf(!isFull)(
    "names the description that decides each failing check, of a host in the other state",
    function*() {
      for (
        const [state, other, expected] of [
          ["spec", "2026-07", ["specification, Style rules; later states differ"]],
          ["2026-07", "spec", Array.from({ length: 5 }, () => "public descriptions, state 2026-07")]
        ] as const
      ) {
        const { failed } = yield* Conformance.run({ checks: Conformance.checksOf(state) }).pipe(
          Effect.provide(Conformance.layerFake({ advance: TestClock.adjust, dialect: Dialect.ofState[other] }))
        )
        assert.deepStrictEqual(failed.map(({ failure }) => failure.source), expected)
        for (const line of lines(failed)) assert.match(line, new RegExp(`\\(${expected[0]}\\)\\. Got: `))
      }
    }
  )

  it("has errors whose JSON begins with the message, and whose print has the fields", () => {
    const failed = new Conformance.CheckFailed({ check: "a", source: "b", expected: "c", got: "d" })
    const skipped = new Conformance.NotOffered({ need: "fake", reason: "it needs a fake" })
    for (const error of [failed, skipped]) {
      assert.isTrue(JSON.stringify(error).startsWith(`{"message":${JSON.stringify(error.message)}`))
      assert.isTrue(inspect(error).startsWith(error.stack ?? "none"))
    }
    assert.include(inspect(failed), "expected: 'c'")
  })

  it.effect("skips what the host does not offer, and says what is missing", () =>
    Effect.gen(function*() {
      const from = named(/becomes ready/, /unknown document/)
      const plan = yield* Conformance.plan(from)
      const report = yield* Conformance.run({ checks: from })
      assert.deepStrictEqual(report.skipped, plan.skipped)
      assert.deepStrictEqual(lines(report.skipped), [
        "skipped  Documents: a document becomes ready as time passes: it needs a host whose time can be advanced"
      ])
      assert.deepStrictEqual(lines(report.passed), [
        "passed   Documents: an unknown document is refused with 404, and so is its status"
      ])
      assert.deepStrictEqual(report.passed[0]?.errors, ["DocumentNotFound"])
    }).pipe(Effect.provide(Conformance.layerFake())))

  it.effect("leaves nothing behind when it is interrupted", () =>
    Effect.gen(function*() {
      const { effects } = yield* fake
      const [check] = named(/a rename changes/)
      if (check === undefined) return assert.fail("there is such a check")
      const running = yield* Effect.forkChild(Conformance.run({ checks: [check] }))
      yield* TestClock.adjust("2500 millis")
      assert.strictEqual((yield* effects)["StyleRules.create"].count, 1)
      assert.strictEqual((yield* effects)["StyleRules.remove"].count, 0)
      const interruption = yield* Effect.forkChild(Fiber.interrupt(running))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(interruption)
      assert.strictEqual((yield* effects)["StyleRules.rename"].count, 0)
      assert.strictEqual((yield* effects)["StyleRules.remove"].count, 1)
    }).pipe(Effect.provide(Conformance.layerFake({ latency: "1 second" }))))

  it.effect("passes against a fake with another scheme word and a base path", () =>
    Effect.gen(function*() {
      const checks = Conformance.checks.filter(({ name }) => /^(Access|Wire)/.test(name))
      const { failed, passed } = yield* Conformance.run({ checks })
      assert.deepStrictEqual(failed.map(Conformance.format), [])
      assert.isAbove(passed.length, 5)
    }).pipe(Effect.provide(Conformance.layerFake({ authScheme: "Other-Key", basePath: "/lingua" }))))

  test("removes a list whose creation had no answer", function*() {
    const { effects, script } = yield* fake
    yield* script({ operation: "StyleRules.create", fault: Fault.reset({ afterEffect: true }) })
    const report = yield* Conformance.run({ checks: named(/accepted in any case$/) })
    assert.match(lines(report.failed).join(), /Expected: the call succeeds .* Got: OutcomeUnknown: /)
    assert.strictEqual((yield* effects)["StyleRules.create"].count, 1)
    assert.deepStrictEqual(yield* listNames, [])
  })

  test("says so when lists may be left, and does not fail for it", function*() {
    const { requests, script } = yield* fake
    yield* script({ operation: "StyleRules.listPage", count: 2, fault: { status: 403 } })
    const report = yield* Conformance.run({ checks: named(/a rename changes/) })
    assert.deepStrictEqual([report.passed.length, report.failed.length], [1, 0])
    assert.deepInclude((yield* requests).at(-1), { operation: "StyleRules.listPage", status: 403 })
    const error = yield* Effect.flip(Conformance.cleanUp())
    assert.strictEqual(error._tag, "AccessDenied")
  })

  test("cleans up after aborted runs, and touches nothing else", function*() {
    const { create } = yield* StyleRules
    const own = "effect-lingua-conformance 0123456789abcdef"
    const others = [
      "House",
      "effect-lingua-conformance",
      "effect-lingua-conformance notes",
      "effect-lingua-conformance 0123456789abcdef0 list",
      `my ${own} list`
    ]
    for (const name of [...others, `${own} list`, `${own} renamed`]) yield* create({ name, language: "en" })
    yield* TestClock.adjust("2 hours")
    yield* create({ name: `${own} young`, language: "en" })
    assert.deepStrictEqual(yield* Conformance.cleanUp(), [`${own} list`, `${own} renamed`])
    assert.deepStrictEqual(yield* listNames, [...others, `${own} young`])
    assert.deepStrictEqual(yield* Conformance.cleanUp({ olderThan: 0 }), [`${own} young`])
    assert.deepStrictEqual(yield* listNames, others)
  })

  test("names a list that is gone, and not one that it could not remove", function*() {
    const own = "effect-lingua-conformance 0123456789abcdef"
    for (const name of [`${own} kept`, `${own} gone`]) yield* (yield* StyleRules).create({ name, language: "en" })
    const { script } = yield* fake
    yield* script({ operation: "StyleRules.remove", fault: { status: 403 } })
    yield* script({ operation: "StyleRules.remove", fault: { status: 404 } })
    assert.deepStrictEqual(yield* Conformance.cleanUp({ olderThan: 0 }), [`${own} gone`])
  })

  test("cleans up the glossaries of aborted runs too", function*() {
    const glossaries = yield* Glossaries
    const dictionaries = [{ sourceLanguage: "en", targetLanguage: "de", entries: new Map([["a", "b"]]) }]
    const own = "effect-lingua-conformance 0123456789abcdef glossary"
    for (const name of ["Terms", own]) yield* glossaries.create({ name, dictionaries })
    yield* TestClock.adjust("2 hours")
    assert.deepStrictEqual(yield* Conformance.cleanUp(), [own])
    assert.deepStrictEqual((yield* Stream.runCollect(glossaries.list)).map(({ name }) => name), ["Terms"])
  })

  test("does not touch the lists of others while it runs", function*() {
    const { create, get } = yield* StyleRules
    const list = yield* create({ name: "House", language: "en" })
    const report = yield* Conformance.run({ checks: named(/^StyleRules/) })
    assert.deepStrictEqual(lines(report.failed), [])
    assert.deepStrictEqual(yield* get({ styleId: list.styleId }), list)
  })
})
