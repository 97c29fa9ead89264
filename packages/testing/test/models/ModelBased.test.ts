import { Ids, Languages, LanguageService, ResiliencePolicy, StyleRules } from "@effect-lingua/core"
import { FakeLanguageService, Generators, ModelBased } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Context, Data, Effect, Layer, Redacted, Schema, Stream, Struct } from "effect"
import { isFull, scaled } from "../../../../test/support/scale.ts"

class Full extends Data.TaggedError("Full")<{}> {}

/** A stack of numbers that may have a bug. */
class Stack extends Context.Service<Stack, {
  readonly push: (item: number) => Effect.Effect<number, Full>
  readonly pop: Effect.Effect<number | undefined>
}>()("@effect-lingua/testing/test/models/ModelBased.test/Stack") {}

const stack = (options: { readonly room?: number; readonly pop?: (items: Array<number>) => number | undefined } = {}) =>
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

const push = ModelBased.command({
  name: "push",
  input: Arbitrary.schema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
  run: (item) => Stack.use((stack) => stack.push(item))
})

const popping = { name: "pop", input: Arbitrary.Constant({}), run: () => Stack.use((stack) => stack.pop) }
const pop = ModelBased.command(popping)

/** A stack has no ids, so it is left out in every state. */
const never = ModelBased.command({
  ...popping,
  name: "never",
  input: Arbitrary.Constant({ styleId: Ids.StyleId.make("a") })
})

/** Work in steps, during which others can run. */
class Work extends Context.Service<Work, {
  readonly run: Effect.Effect<void>
}>()("@effect-lingua/testing/test/models/ModelBased.test/Work") {}

const work = (orders: Array<Array<number>> = []) =>
  Layer.sync(Work, () => {
    const order: Array<number> = []
    orders.push(order)
    let calls = 0
    return {
      run: Effect.suspend(() => {
        const call = calls++
        return Effect.forEach(Array.from({ length: 20 }), () => Effect.sync(() => order.push(call)), { discard: true })
      })
    }
  })

const options = { commands: [push, pop], model: stack(), seed: "stack" }

const falsifiedBy = <A, E extends { readonly _tag: string; readonly message: string }, R>(
  check: Effect.Effect<A, E, R>
) =>
  Effect.map(Effect.flip(check), (error) => error instanceof ModelBased.Falsified ? error : assert.fail(error.message))

/** Why a check could not say anything. */
const reasonFor = (changed: Partial<ModelBased.Options<Stack, never, never>>) =>
  Effect.map(
    Effect.flip(ModelBased.check({ ...options, host: stack(), ...changed })),
    ({ _tag, message }) => `${_tag}: ${message}`
  )

const reset = FakeLanguageService.use((fake) => fake.reset)

describe("ModelBased", () => {
  it.effect("waits for no clock of a test, whatever the weather of the fake", () =>
    Effect.gen(function*() {
      const { outcomes } = yield* ModelBased.check({
        host: FakeLanguageService.layerServices({ weather: { rate429: 0.3, rate529: 0.2 } }),
        model: FakeLanguageService.layerServices(),
        commands: ModelBased.operations(Languages).filter(({ name }) => name === "Languages.resources"),
        runs: scaled(3, 10)
      })
      assert.deepStrictEqual(Object.keys(outcomes["Languages.resources"] ?? {}), ["success"])
    }))

  it.effect("finds nothing where host and model agree, and reports the outcomes", () =>
    Effect.gen(function*() {
      const { outcomes, runs } = yield* ModelBased.check({ ...options, host: stack(), runs: 50 })
      assert.strictEqual(runs, 50)
      assert.deepStrictEqual(Object.keys(outcomes).toSorted(), ["pop", "push"])
      assert.deepStrictEqual(Object.keys(outcomes["push"] ?? {}).toSorted(), ["Full", "success"])
      assert.deepStrictEqual(Object.keys(outcomes["pop"] ?? {}), ["success"])
    }))

  it.effect("shrinks to the shortest sequence and the smallest arguments, and prints each command", () =>
    Effect.gen(function*() {
      const falsified = yield* falsifiedBy(ModelBased.check({
        ...options,
        host: stack({ pop: (items) => items.length === 3 ? -1 : items.pop() })
      }))
      assert.deepStrictEqual(falsified.commands.map(({ args, name }) => `${name} ${args}`), [
        "push 0",
        "push 0",
        "push 0",
        "pop {}"
      ])
      assert.strictEqual(falsified.expected, "0\n       expected 0, got -1")
      const [first, ...lines] = falsified.message.split("\n")
      assert.match(
        first ?? "",
        /^The system differs from the model after 4 commands \(sequence \d+, made shorter \d+ times?\):$/
      )
      assert.deepStrictEqual(lines, [
        "  1. push(0) ended with 1",
        "  2. push(0) ended with 2",
        "  3. push(0) ended with 3",
        "  4. pop({}) ended with -1",
        "     expected 0",
        "       expected 0, got -1",
        `Replay: ${falsified.replay}`
      ])
    }))

  it.effect("shrinks to few commands where with other arguments these do what many did", () =>
    Effect.gen(function*() {
      const scales = Layer.unwrap(Effect.sync(() => {
        let sum = 0
        const push = (item: number) => Effect.sync(() => (sum += item) >= 20 ? -1 : 0)
        return Layer.succeed(Stack, { push, pop: Effect.undefined })
      }))
      const model = Layer.succeed(Stack, { push: () => Effect.succeed(0), pop: Effect.undefined })
      const input = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 })))
      const add = ModelBased.command({ name: "add", input, run: (item) => Stack.use((stack) => stack.push(item)) })
      for (const seed of ["3", "5", "24"]) {
        const falsified = yield* falsifiedBy(ModelBased.check({ host: scales, model, commands: [pop, add], seed }))
        assert.deepStrictEqual(falsified.commands.map(({ args, name }) => `${name} ${args}`), ["add 10", "add 10"])
      }
      const limits = { branches: 2, maxCommands: 1, schedules: 1, seed: "5" }
      const concurrent = yield* falsifiedBy(ModelBased.check({ host: scales, model, commands: [pop, add], ...limits }))
      assert.lengthOf(concurrent.commands, 2)
    }))

  it.effect("plays a sequence again by its token, without looking for others", () =>
    Effect.gen(function*() {
      let systems = 0
      const broken = Layer.effectDiscard(Effect.sync(() => systems++)).pipe(
        Layer.provideMerge(stack({ pop: (items) => items.length === 2 ? 7 : items.pop() }))
      )
      const falsified = yield* falsifiedBy(ModelBased.check({ ...options, host: broken }))
      systems = 0
      const again = yield* falsifiedBy(
        ModelBased.check({ ...options, seed: 1, host: broken, replay: falsified.replay })
      )
      assert.deepStrictEqual(again.commands, falsified.commands)
      assert.strictEqual(again.runs, 1)
      assert.match(falsified.replay, /^[\w-]+$/, "it can be copied from the message into a string")
      assert.isAtMost(systems, falsified.shrinks + 1)
      const mended = yield* Effect.flip(ModelBased.check({ ...options, host: stack(), replay: falsified.replay }))
      assert.strictEqual(mended._tag, "Inconclusive")
      const other = yield* Effect.flip(ModelBased.check({ ...options, host: stack(), replay: "x" }))
      assert.strictEqual(other.message, "The replay token is not valid.")
    }))

  it.effect("says why nothing could be played", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(
        yield* Effect.all([
          reasonFor({ commands: [] }),
          reasonFor({ commands: [push, pop, push] }),
          reasonFor({ commands: [push, ModelBased.command({ ...popping, name: "never", weight: 0 })] }),
          reasonFor({ runs: 0 }),
          reasonFor({ maxCommands: 1.5 }),
          reasonFor({ commands: [never] })
        ]),
        [
          "Inconclusive: There are no commands to run.",
          "Inconclusive: Two commands have the name \"push\". A sequence could not be identified by its names.",
          "Inconclusive: The weight of never is a whole number from 1 on, not 0.",
          "Inconclusive: runs is a whole number from 1 on, not 0.",
          "Inconclusive: maxCommands is a whole number from 1 on, not 1.5.",
          "Inconclusive: No command ran: no result had the ids that the inputs need."
        ]
      )
    }))

  it.effect("takes another failure, and a defect, for a difference", () =>
    Effect.gen(function*() {
      const early = yield* falsifiedBy(ModelBased.check({ ...options, host: stack({ room: 2 }) }))
      assert.deepStrictEqual(early.commands.map(({ name }) => name), ["push", "push", "push"])
      assert.include(early.commands.at(-1)?.result, "Full")
      assert.strictEqual(early.expected, "3\n       expected 3, got \"failure Full\"")
      const late = yield* falsifiedBy(ModelBased.check({ ...options, host: stack({ room: 6 }) }))
      assert.strictEqual(late.commands.length, 6)
      assert.strictEqual(late.expected, "failure Full")
      const defect = yield* falsifiedBy(ModelBased.check({
        ...options,
        host: stack({
          pop: () => {
            throw new Error("pop is broken")
          }
        })
      }))
      assert.deepStrictEqual(defect.commands.map(({ name }) => name), ["pop"])
      assert.include(defect.commands.at(-1)?.result, "pop is broken")
      const nested = ModelBased.command({
        ...popping,
        run: () => Stack.use(({ pop }) => Effect.map(pop, (top) => ({ stack: { items: [top] } })))
      })
      const within = yield* falsifiedBy(
        ModelBased.check({ ...options, commands: [nested], host: stack({ pop: () => -1 }) })
      )
      assert.match(within.expected, /\n +stack\.items\[0\]: expected undefined, got -1$/)
    }))

  it.effect("builds both systems anew for each sequence, or once if it can empty them", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const logged = (name: string) =>
        Layer.merge(
          stack(),
          Layer.effectDiscard(Effect.acquireRelease(
            Effect.sync(() => log.push(`${name} made`)),
            () => Effect.sync(() => log.push(`${name} gone`))
          ))
        )
      const systems = { host: logged("host"), model: logged("model") }
      yield* ModelBased.check({ ...options, ...systems, runs: 2 })
      const once = ["host made", "host gone", "model made", "model gone"]
      assert.deepStrictEqual(log.splice(0), [...once, ...once])
      yield* ModelBased.check({ ...options, ...systems, runs: 2, reset: Effect.sync(() => log.push("empty")) })
      assert.deepStrictEqual(log.splice(0, 6), ["host made", "model made", "empty", "empty", "empty", "empty"])
      assert.deepStrictEqual(log.toSorted(), ["host gone", "model gone"])
    }))

  it.effect("refers to objects by the ids of each system, and a few times to ones that do not exist", () =>
    Effect.gen(function*() {
      const model = FakeLanguageService.layerServices()
      const commands = ModelBased.operations(StyleRules)
        .filter(({ name }) => isFull || /create|get|remove|Instruction$/.test(name))
      const { outcomes } = yield* ModelBased.check({
        commands,
        host: FakeLanguageService.layerServices({ seed: "other ids" }),
        model,
        reset,
        runs: scaled(8, 60),
        seed: "others"
      })
      for (const name of ["StyleRules.get", "StyleRules.getInstruction", "StyleRules.removeInstruction"]) {
        assert.deepStrictEqual(Object.keys(outcomes[name] ?? {}).toSorted(), ["NotFound", "success"], name)
        assert.isAbove(outcomes[name]?.["success"] ?? 0, scaled(0, 5), name)
      }
      const twins = Layer.effect(
        StyleRules,
        StyleRules.useSync((rules) => ({
          ...rules,
          create: (options) =>
            Effect.map(
              rules.create(options),
              (list) => Struct.assign(list, { styleId: Ids.StyleId.make("always the same") })
            )
        }))
      )
      const falsified = yield* falsifiedBy(
        ModelBased.check({ commands, host: Layer.provideMerge(twins, model), model, reset, runs: 8, seed: "ids" })
      )
      assert.deepStrictEqual(falsified.commands.map(({ name }) => name).slice(0, 1), ["StyleRules.create"])
    }))
})

const count = ModelBased.command({
  name: "count",
  input: Arbitrary.Constant({}),
  run: () => StyleRules.use((rules) => Stream.runCount(rules.list()))
})

const create = ModelBased.command({
  name: "create",
  input: Generators.request("StyleRules.create"),
  run: (request) => StyleRules.use((rules) => rules.create(request))
})

const checkLists = (commands: ReadonlyArray<ModelBased.Command<StyleRules>>, afterEffect: number) =>
  ModelBased.check({
    host: LanguageService.layer({
      key: Redacted.make("fake-key"),
      baseUrl: "https://fake.test",
      resilience: ResiliencePolicy.none
    }).pipe(Layer.provideMerge(FakeLanguageService.layer({
      weather: { rateReset: 0.5, afterEffect, operations: ["StyleRules.create"] }
    }))),
    model: FakeLanguageService.layerServices(),
    commands,
    reset,
    maxCommands: 6,
    runs: scaled(12, 30),
    seed: "weather"
  })

describe("ModelBased in bad weather", () => {
  it.effect("allows for what a call leaves open, and for no more", () =>
    Effect.gen(function*() {
      const { outcomes } = yield* checkLists([create, count], 0.5)
      assert.deepStrictEqual(Object.keys(outcomes["create"] ?? {}).toSorted(), ["OutcomeUnknown", "success"])
      // A creation that says that it failed, and has succeeded.
      const hiding = ModelBased.command({
        name: "create",
        input: Generators.request("StyleRules.create"),
        run: (request) => StyleRules.use((rules) => Effect.mapError(rules.create(request), () => new Full()))
      })
      const falsified = yield* falsifiedBy(checkLists([hiding, count], 1))
      assert.include(falsified.commands.at(-1)?.result, "Full")
    }))
})

/** A gate for two at a time. A crowded one looks and enters in two steps. */
class Gate extends Context.Service<Gate, { readonly enter: Effect.Effect<boolean> }>()(
  "@effect-lingua/testing/test/models/ModelBased.test/Gate"
) {}

const gate = (isCrowded: boolean) =>
  Layer.sync(Gate, () => {
    let inside = 0
    const look = Effect.sync(() => inside < 2)
    const enter = Effect.sync(() => inside += 1)
    return {
      enter: isCrowded
        ? Effect.flatMap(look, (isFree) => Effect.as(isFree ? enter : Effect.void, isFree))
        : Effect.sync(() => inside < 2 && (inside += 1) > 0)
    }
  })

const gates = (isCrowded: boolean) => ({
  commands: [
    ModelBased.command({ name: "enter", input: Arbitrary.Constant({}), run: () => Gate.use(({ enter }) => enter) })
  ],
  host: gate(isCrowded),
  model: gate(false),
  branches: 3,
  seed: "gate"
})

/** Adds to the end of a text: an edit reads, then replaces. */
class Text extends Context.Service<Text, { readonly append: (word: string) => Effect.Effect<string> }>()(
  "@effect-lingua/testing/test/models/ModelBased.test/Text"
) {}

const text = Layer.sync(Text, () => {
  let text = ""
  return {
    append: (word) =>
      Effect.sync(() => text).pipe(
        Effect.map((before) => before + word),
        Effect.tap((after) => Effect.sync(() => text = after))
      )
  }
})

const append = ModelBased.command({
  name: "append",
  input: Arbitrary.schema(Schema.Literals(["a", "b"])),
  run: (word) => Text.use((text) => text.append(word))
})

describe("ModelBased with branches", () => {
  it.effect("finds that a limit admits one too many, and the shortest program that shows it", () =>
    Effect.gen(function*() {
      const falsified = yield* falsifiedBy(ModelBased.check(gates(true)))
      // One is inside, and two come at once; or three come at once.
      assert.strictEqual(falsified.commands.length, 3, falsified.message)
      assert.isTrue(falsified.commands.every(({ result }) => result === "true"), falsified.message)
      assert.include(falsified.message, "in branch 2: enter({}) ended with true")
      const again = yield* Effect.flip(ModelBased.check(gates(true)))
      assert.strictEqual(again.message, falsified.message)
      const replayed = yield* falsifiedBy(ModelBased.check({ ...gates(true), replay: falsified.replay }))
      assert.deepStrictEqual(replayed.commands, falsified.commands)
    }))

  it.effect("finds an edit between a read and a replacement", () =>
    Effect.gen(function*() {
      const falsified = yield* falsifiedBy(
        ModelBased.check({ commands: [append], host: text, model: text, branches: 2, seed: "edits" })
      )
      assert.deepStrictEqual(falsified.commands.map(({ branch, name }) => [branch, name]), [
        [1, "append"],
        [2, "append"]
      ], falsified.message)
    }))

  it.effect("accepts any order that explains the results", () =>
    Effect.gen(function*() {
      const { outcomes, runs } = yield* ModelBased.check({ ...gates(false), runs: scaled(40, 100) })
      assert.strictEqual(runs, scaled(40, 100))
      assert.isAbove(outcomes["enter"]?.["success"] ?? 0, scaled(400, 1000))
    }))

  it.effect("counts the programs that too many orders may explain", () =>
    Effect.gen(function*() {
      // Only the ninth letter shows the order of all.
      const log = Layer.sync(Text, () => {
        let text = ""
        const add = (letter: string) => (text += letter).length < 9 ? "" : text
        return { append: (letter) => Effect.andThen(Effect.yieldNow, Effect.sync(() => add(letter))) }
      })
      const command = ModelBased.command({
        name: "append",
        input: Arbitrary.schema(Schema.Literals(["a", "b", "c", "d", "e", "f", "g", "h"])),
        run: (letter) => Text.use(({ append }) => append(letter))
      })
      const limits = { branches: 3, branchCommands: 8, maxCommands: 4, runs: 20, schedules: 2, seed: "log" }
      const { undecided } = yield* ModelBased.check({ commands: [command], host: log, model: log, ...limits })
      assert.isAbove(undecided, 0)
    }))

  it.effect("plays branches in as many schedules as it is told, and these differ", () =>
    Effect.gen(function*() {
      const command = ModelBased.command({
        name: "work",
        input: Arbitrary.Constant({}),
        run: () => Work.use((work) => work.run)
      })
      const played = Effect.fnUntraced(function*(schedules: number) {
        const orders: Array<Array<number>> = []
        yield* ModelBased.check({
          commands: [command],
          host: work(orders),
          model: work(),
          branches: 2,
          branchCommands: 1,
          maxCommands: 1,
          runs: 1,
          seed: "order",
          schedules
        })
        return orders.map((order) => order.join(""))
      })
      assert.lengthOf(yield* played(1), 1)
      const orders = yield* played(12)
      assert.lengthOf(orders, 12)
      assert.isAbove(new Set(orders).size, 4)
      // Two commands before two branches of three.
      const all: Array<Array<number>> = []
      const limits = { branches: 2, maxCommands: 2, schedules: 1, seed: "order" }
      yield* ModelBased.check({ commands: [command], host: work(all), model: work(), ...limits })
      assert.strictEqual(Math.max(...all.map((order) => new Set(order).size)), 2 + 2 * 3)
      assert.deepInclude(command, { weight: 1, isConcurrent: true })
    }))

  it.effect("refuses branches that cannot be", () =>
    Effect.gen(function*() {
      const one = yield* Effect.flip(ModelBased.check({ ...gates(false), branches: 1 }))
      assert.strictEqual(one.message, "branches is 0, 2, 3 or 4, not 1.")
      const alone = gates(false).commands.map((command) => Struct.assign(command, { isConcurrent: false }))
      const none = yield* Effect.flip(ModelBased.check({ ...gates(false), commands: alone }))
      assert.strictEqual(none.message, "Branches need a command with isConcurrent.")
      const waits = yield* Effect.flip(ModelBased.check({ ...gates(false), commands: [ModelBased.wait] }))
      assert.strictEqual(waits.message, none.message)
    }))
})
