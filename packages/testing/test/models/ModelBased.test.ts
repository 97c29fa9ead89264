import * as ResiliencePolicy from "@effect-lingua/core/client/ResiliencePolicy"
import { Languages } from "@effect-lingua/core/languages/Languages"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Generators from "@effect-lingua/testing/generators/Generators"
import * as ModelBased from "@effect-lingua/testing/models/ModelBased"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Context, Data, Effect, Layer, Redacted, Schema, Stream, Struct } from "effect"

class Full extends Data.TaggedError("Full")<{}> {}

/** A stack of numbers that may have a bug. */
class Stack extends Context.Service<Stack, {
  readonly push: (item: number) => Effect.Effect<number, Full>
  readonly pop: Effect.Effect<number | undefined>
}>()("@effect-lingua/testing/test/models/ModelBased.test/Stack") {}

const layer = (options: { readonly room?: number; readonly pop?: (items: Array<number>) => number | undefined } = {}) =>
  Layer.sync(Stack, () => {
    const items: Array<number> = []
    return {
      push: (item) =>
        Effect.suspend(() =>
          items.length === (options.room ?? 5) ? Effect.fail(new Full()) : Effect.succeed(items.push(item))
        ),
      pop: Effect.sync(() => options.pop === undefined ? items.pop() : options.pop(items))
    }
  })

type Model = ReadonlyArray<number>
const define = ModelBased.command<Model>()

const push = define({
  name: "push",
  input: Arbitrary.schema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  resolve: (_model, item) => ({ item }),
  run: ({ item }) => Stack.use((stack) => stack.push(item)),
  expect: (model, { item }) =>
    model.length === 5
      ? { fails: "Full" }
      : { succeeds: () => model.length + 1, next: () => [...model, item] }
})

const pop = define({
  name: "pop",
  input: Arbitrary.Constant({}),
  resolve: (model, input) => model.length === 0 ? undefined : input,
  run: () => Stack.use((stack) => stack.pop),
  expect: (model) => ({ succeeds: () => model.at(-1), next: () => model.slice(0, -1) })
})

const leftOut = {
  input: Arbitrary.Constant({}),
  resolve: () => undefined,
  run: () => Stack.use((stack) => stack.pop),
  expect: () => ({ succeeds: () => undefined })
}

const options = { commands: [push, pop], setup: Effect.succeed<Model>([]), seed: "stack" }

const falsifiedBy = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  check: Effect.Effect<A, E, R>
) =>
  Effect.map(Effect.flip(check), (error) => error instanceof ModelBased.Falsified ? error : assert.fail(error.message))

/** Why a check could not say anything. */
const reasonFor = (changed: Partial<ModelBased.Options<Model, Stack, never, never, Stack, never, never>>) =>
  Effect.map(
    Effect.flip(ModelBased.check({ ...options, layer: layer(), ...changed })),
    ({ _tag, message }) => `${_tag}: ${message}`
  )

describe("ModelBased", () => {
  it.effect("waits for no clock of a test, whatever the weather of the fake", () =>
    Effect.gen(function*() {
      const look = ModelBased.command<null>()({
        name: "look",
        input: Arbitrary.Constant({}),
        resolve: (_model, input) => input,
        run: () => Effect.map(Languages.use(({ resources }) => resources()), ({ length }) => length > 0),
        expect: () => ({ succeeds: () => true })
      })
      const { outcomes } = yield* ModelBased.check({
        layer: FakeLanguageService.layerServices({ weather: { rate429: 0.3, rate529: 0.2 } }),
        setup: Effect.succeed(null),
        commands: [look],
        runs: 10
      })
      assert.deepStrictEqual(Object.keys(outcomes["look"] ?? {}), ["success"])
    }))

  it.effect("finds nothing where system and model agree, and tells what was played", () =>
    Effect.gen(function*() {
      const { outcomes, runs } = yield* ModelBased.check({ ...options, layer: layer(), runs: 50 })
      assert.strictEqual(runs, 50)
      assert.deepStrictEqual(Object.keys(outcomes).toSorted(), ["pop", "push"])
      assert.deepStrictEqual(Object.keys(outcomes["push"] ?? {}).toSorted(), ["Full", "success"])
      assert.deepStrictEqual(Object.keys(outcomes["pop"] ?? {}), ["success"])
    }))

  it.effect("shrinks to the shortest sequence and the smallest arguments, and prints each command", () =>
    Effect.gen(function*() {
      const falsified = yield* falsifiedBy(ModelBased.check({
        ...options,
        layer: layer({ pop: (items) => items.length === 3 ? -1 : items.pop() })
      }))
      assert.deepStrictEqual(falsified.commands.map(({ args, name }) => `${name} ${args}`), [
        "push {\"item\":0}",
        "push {\"item\":0}",
        "push {\"item\":0}",
        "pop {}"
      ])
      assert.strictEqual(falsified.expected, "0\n       expected 0, got -1")
      const [first, ...lines] = falsified.message.split("\n")
      assert.match(
        first ?? "",
        /^The system differs from the model after 4 commands \(sequence \d+, made shorter \d+ times?\):$/
      )
      assert.deepStrictEqual(lines, [
        "  1. push({\"item\":0}) ended with 1",
        "  2. push({\"item\":0}) ended with 2",
        "  3. push({\"item\":0}) ended with 3",
        "  4. pop({}) ended with -1",
        "     expected 0",
        "       expected 0, got -1",
        `Replay: ${falsified.replay}`
      ])
    }))

  it.effect("plays a sequence again by its token, without looking for others", () =>
    Effect.gen(function*() {
      let systems = 0
      const broken = Layer.effectDiscard(Effect.sync(() => systems++)).pipe(
        Layer.provideMerge(layer({ pop: (items) => items.length === 2 ? 7 : items.pop() }))
      )
      const falsified = yield* falsifiedBy(ModelBased.check({ ...options, layer: broken }))
      systems = 0
      const again = yield* falsifiedBy(
        ModelBased.check({ ...options, seed: 1, layer: broken, replay: falsified.replay })
      )
      assert.deepStrictEqual(again.commands, falsified.commands)
      assert.match(falsified.replay, /^[\w-]+$/, "it can be copied from the message into a string")
      assert.isAtMost(systems, falsified.shrinks + 1)
      const mended = yield* Effect.flip(ModelBased.check({ ...options, layer: layer(), replay: falsified.replay }))
      assert.strictEqual(mended._tag, "Inconclusive")
      const other = yield* Effect.flip(ModelBased.check({ ...options, layer: layer(), replay: "x" }))
      assert.strictEqual(other.message, "The replay token is not one of this harness.")
    }))

  it.effect("says why nothing could be played", () =>
    Effect.gen(function*() {
      const never = define({ ...leftOut, name: "never" })
      assert.deepStrictEqual(
        yield* Effect.all([
          reasonFor({ commands: [] }),
          reasonFor({ commands: [push, pop, push] }),
          reasonFor({ commands: [push, define({ ...leftOut, name: "never", weight: 0 })] }),
          reasonFor({ runs: 0 }),
          reasonFor({ maxCommands: 1.5 }),
          reasonFor({ commands: [never] })
        ]),
        [
          "Inconclusive: There are no commands to play.",
          "Inconclusive: Two commands have the name \"push\". A sequence could not be identified by its names.",
          "Inconclusive: The weight of never is a whole number from 1 on, not 0.",
          "Inconclusive: runs is a whole number from 1 on, not 0.",
          "Inconclusive: maxCommands is a whole number from 1 on, not 1.5.",
          "Inconclusive: Nothing was played: every command was left out in every state."
        ]
      )
    }))

  it.effect("takes another failure, and a defect, for a difference", () =>
    Effect.gen(function*() {
      const early = yield* falsifiedBy(ModelBased.check({ ...options, layer: layer({ room: 2 }) }))
      assert.deepStrictEqual(early.commands.map(({ name }) => name), ["push", "push", "push"])
      assert.include(early.commands.at(-1)?.result, "Full")
      assert.strictEqual(early.expected, "success")
      const late = yield* falsifiedBy(ModelBased.check({ ...options, layer: layer({ room: 6 }) }))
      assert.strictEqual(late.commands.length, 6)
      assert.strictEqual(late.expected, "failure Full")
      const defect = yield* falsifiedBy(ModelBased.check({
        ...options,
        layer: layer({
          pop: () => {
            throw new Error("pop is broken")
          }
        })
      }))
      assert.deepStrictEqual(defect.commands.map(({ name }) => name), ["push", "pop"])
      assert.include(defect.commands.at(-1)?.result, "pop is broken")
    }))

  it.effect("builds the system anew for each sequence, and lets it go", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const logged = Layer.effectDiscard(Effect.acquireRelease(
        Effect.sync(() => log.push("made")),
        () => Effect.sync(() => log.push("gone"))
      ))
      yield* ModelBased.check({ ...options, layer: Layer.merge(layer(), logged), runs: 3 })
      assert.deepStrictEqual(log, ["made", "gone", "made", "gone", "made", "gone"])
    }))

  it.effect("resolves references to what is there", () =>
    Effect.gen(function*() {
      assert.isUndefined(ModelBased.pick([], 4, "stranger"))
      assert.strictEqual(ModelBased.pick(["a", "b", "c"], 4, "stranger"), "b")
      const references = yield* Arbitrary.sampleEffect(ModelBased.reference, { count: 200, seed: 1 })
      const meant = new Set(references.map((reference) => ModelBased.pick(["a", "b", "c"], reference, "stranger")))
      assert.deepStrictEqual(meant, new Set<string | undefined>(["a", "b", "c", "stranger"]))
    }))
})

/** Lists that are there for sure, and those of which it is not known. */
interface Lists {
  readonly sure: number
  readonly open: number
}

const create = ModelBased.command<Lists>()({
  name: "create",
  input: Generators.request("StyleRules.create"),
  resolve: (_model, input) => input,
  run: (args) => StyleRules.use((rules) => rules.create(args)),
  expect: (model) => [
    { succeeds: (came) => came, next: () => ({ ...model, sure: model.sure + 1 }) },
    { fails: "OutcomeUnknown", next: { ...model, open: model.open + 1 } }
  ]
})

const count = ModelBased.command<Lists>()({
  name: "count",
  input: Arbitrary.Constant({}),
  resolve: (_model, input) => input,
  run: () => StyleRules.use((rules) => Stream.runCount(rules.list())),
  expect: ({ open, sure }) => ({
    succeeds: (came) => Math.min(Math.max(came, sure), sure + open),
    next: (came) => ({ sure: came, open: 0 })
  })
})

const checkLists = (commands: ReadonlyArray<ModelBased.Command<Lists, StyleRules>>) =>
  ModelBased.check({
    layer: Layer.empty,
    setup: Effect.as(
      FakeLanguageService.FakeLanguageService.use(({ reset }) => reset()),
      { sure: 0, open: 0 }
    ),
    commands,
    runs: 50,
    seed: "weather"
  }).pipe(Effect.provide(
    LanguageService.layer({
      key: Redacted.make("fake-key"),
      baseUrl: "https://fake.test",
      resilience: ResiliencePolicy.none
    }).pipe(Layer.provideMerge(FakeLanguageService.layer({
      weather: { rateReset: 0.5, afterEffect: 0.5, operations: ["StyleRules.create"] }
    })))
  ))

describe("ModelBased in bad weather", () => {
  it.effect("allows for what a call leaves open, and for no more", () =>
    Effect.gen(function*() {
      const { outcomes } = yield* checkLists([create, count])
      assert.deepStrictEqual(Object.keys(outcomes["create"] ?? {}).toSorted(), ["OutcomeUnknown", "success"])
      const trusting = ModelBased.command<Lists>()({
        name: "create",
        input: Generators.request("StyleRules.create"),
        resolve: (_model, input) => input,
        run: (args) => StyleRules.use((rules) => rules.create(args)),
        expect: (model) => [
          { succeeds: (came) => came, next: () => ({ ...model, sure: model.sure + 1 }) },
          { fails: "OutcomeUnknown" }
        ]
      })
      const falsified = yield* falsifiedBy(checkLists([trusting, count]))
      assert.strictEqual(falsified.commands.at(-1)?.name, "count")
      assert.isTrue(falsified.commands.some(({ result }) => result.startsWith("OutcomeUnknown")))
    }))
})

/** A gate for two at a time. A crowded one looks and enters in two steps. */
const gate = (isCrowded: boolean) => {
  let inside = 0
  const look = Effect.sync(() => inside < 2)
  const enter = Effect.sync(() => inside += 1)
  const commands = [
    ModelBased.command<number>()({
      name: "enter",
      input: Arbitrary.Constant({}),
      resolve: (_model, input) => input,
      run: () =>
        isCrowded
          ? Effect.flatMap(look, (isFree) => Effect.as(isFree ? enter : Effect.void, isFree))
          : Effect.sync(() => inside < 2 && (inside += 1) > 0),
      expect: (model) => model < 2 ? { succeeds: () => true, next: () => model + 1 } : { succeeds: () => false }
    })
  ]
  const setup = Effect.sync(() => inside = 0)
  return { commands, layer: Layer.empty, setup, branches: 3, seed: "gate" }
}

/** Adds to the end of a text: an edit reads, then replaces. */
const edits = () => {
  let text = ""
  const commands = [
    ModelBased.command<string>()({
      name: "append",
      input: Arbitrary.schema(Schema.Literals(["a", "b"])),
      resolve: (_model, word) => ({ word }),
      run: ({ word }) =>
        Effect.sync(() => text).pipe(
          Effect.map((before) => before + word),
          Effect.tap((after) => Effect.sync(() => text = after))
        ),
      expect: (model, { word }) => ({ succeeds: () => model + word, next: () => model + word })
    })
  ]
  return { commands, layer: Layer.empty, setup: Effect.sync(() => text = ""), branches: 2, seed: "edits" }
}

describe("ModelBased with branches", () => {
  it.effect("finds that a limit admits one too many, and the shortest program that shows it", () =>
    Effect.gen(function*() {
      const falsified = yield* Effect.flip(ModelBased.check(gate(true)))
      if (falsified._tag !== "Falsified") return assert.fail(falsified.message)
      // One is inside, and two come at once; or three come at once.
      assert.strictEqual(falsified.commands.length, 3, falsified.message)
      assert.isTrue(falsified.commands.every(({ result }) => result === "true"), falsified.message)
      assert.include(falsified.message, "in branch 2: enter({}) ended with true")
      const again = yield* Effect.flip(ModelBased.check(gate(true)))
      assert.strictEqual(again.message, falsified.message)
      const replayed = yield* Effect.flip(ModelBased.check({ ...gate(true), replay: falsified.replay }))
      assert.deepStrictEqual(replayed._tag === "Falsified" && replayed.commands, falsified.commands)
    }))

  it.effect("finds an edit between a read and a replacement", () =>
    Effect.gen(function*() {
      const falsified = yield* Effect.flip(ModelBased.check(edits()))
      if (falsified._tag !== "Falsified") return assert.fail(falsified.message)
      assert.deepStrictEqual(falsified.commands.map(({ branch, name }) => [branch, name]), [
        [1, "append"],
        [2, "append"]
      ], falsified.message)
    }))

  it.effect("accepts any order that explains the results", () =>
    Effect.gen(function*() {
      const { outcomes, runs } = yield* ModelBased.check(gate(false))
      assert.strictEqual(runs, 100)
      assert.isAbove(outcomes["enter"]?.["success"] ?? 0, 1000)
    }))

  it.effect("refuses branches that cannot be", () =>
    Effect.gen(function*() {
      const one = yield* Effect.flip(ModelBased.check({ ...gate(false), branches: 1 }))
      assert.strictEqual(one.message, "branches is 0, 2, 3 or 4, not 1.")
      const alone = gate(false).commands.map((command) => Struct.assign(command, { isConcurrent: false }))
      const none = yield* Effect.flip(ModelBased.check({ ...gate(false), commands: alone }))
      assert.strictEqual(none.message, "No command may be in a branch.")
    }))
})
