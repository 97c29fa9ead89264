/**
 * Model-based tests of stateful systems: sequences of commands are generated, run against the system and against a model
 * of it, and a sequence whose results differ is shrunk to the shortest that still does.
 *
 * **Details**
 *
 * A `Command` has a generator (`input`), its translation to the arguments of a call in the present state of the model
 * (`resolve`), the call (`run`), and the expectation of the model (`expect`). An input refers to existing things by a
 * `reference`, which is resolved when the command runs, so that a sequence stays valid without some of its commands. Each
 * sequence runs on a system of its own: its `layer` is built anew, then `setup` returns the model of that system.
 *
 * Ready-made: `StyleRulesModel`, `DocumentsModel`.
 *
 * **Example** (A counter that forgets to count beyond two)
 *
 * ```ts import.meta.vitest
 * import * as ModelBased from "@effect-lingua/testing/models/ModelBased"
 * import { Arbitrary, Effect, Layer } from "effect"
 *
 * let count = 0
 * const increment = ModelBased.command<number>()({
 *   name: "increment",
 *   input: Arbitrary.Constant({}),
 *   resolve: (_model, input) => input,
 *   run: () => Effect.sync(() => count = Math.min(count + 1, 2)),
 *   expect: (model) => ({ succeeds: () => model + 1, next: () => model + 1 })
 * })
 *
 * const setup = Effect.sync(() => count = 0)
 * const check = ModelBased.check({ layer: Layer.empty, setup, commands: [increment] })
 * const falsified = await Effect.runPromise(Effect.flip(check))
 * falsified._tag === "Falsified" && falsified.commands.map(({ name, result }) => `${name}: ${result}`)
 * // => ["increment: 1", "increment: 2", "increment: 2"]
 * ```
 *
 * @since 0.1.0
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { describe, judge, type Judgement, words } from "./internal/judge.ts"

/**
 * A possible result of a call, and the state after it; without `next` the state is the same as before.
 *
 * **Details**
 *
 * `succeeds` receives the actual value and returns the expected one. So it can copy parts that no model can predict, such as
 * a new id.
 *
 * @category models
 * @since 0.1.0
 */
export type Expectation<Model, A, Tag extends string> =
  | { readonly succeeds: (actual: A) => A; readonly next?: ((actual: A) => Model) | undefined }
  | { readonly fails: Tag; readonly next?: Model | undefined }

/**
 * The parts of a command.
 *
 * @category options
 * @since 0.1.0
 */
export interface CommandOptions<Model, Input, Args, A, E extends { readonly _tag: string }, R> {
  readonly name: string
  /** Its frequency in relation to the others. 1 by default. */
  readonly weight?: number | undefined
  /** Generates the input independently of the state: texts, numbers, references. */
  readonly input: Arbitrary.Arbitrary<Input>
  /** The arguments of the call in a state, or `undefined` to leave the command out in this state. */
  readonly resolve: (model: Model, input: Input) => Args | undefined
  /** The call. */
  readonly run: (args: Args) => Effect.Effect<A, E, R>
  /** The expectation of the model: one result, or several of which one must match. */
  readonly expect: (
    model: Model,
    args: Args
  ) => Expectation<Model, A, E["_tag"]> | ReadonlyArray<Expectation<Model, A, E["_tag"]>>
}

/**
 * An executed command, with its arguments and its result as text.
 *
 * @category models
 * @since 0.1.0
 */
export interface Executed {
  readonly name: string
  readonly args: string
  readonly result: string
}

interface Move<Model> {
  readonly executed: Executed
  readonly result: Judgement<Model>
}

/** Runs a command in a state: returns the result, or nothing if the command is not possible there. */
type Play<Model, R> = (model: Model) => Effect.Effect<Move<Model> | undefined, never, R>

/**
 * A command of a model. The types of its input and its result are hidden, so that different commands fit into one list.
 *
 * @category models
 * @since 0.1.0
 */
export interface Command<Model, out R> {
  readonly name: string
  readonly weight: number
  /** Generates runs of the command. */
  readonly moves: Arbitrary.Arbitrary<Play<Model, R>>
}

/**
 * Makes a command for a model.
 *
 * @category constructors
 * @since 0.1.0
 */
export const command = <Model>() =>
<Input, Args, A, E extends { readonly _tag: string }, R>(
  { expect, input, name, resolve, run, weight = 1 }: CommandOptions<Model, Input, Args, A, E, R>
): Command<Model, R> => ({
  name,
  weight,
  moves: Arbitrary.map(input, (input) =>
    Effect.fnUntraced(function*(model: Model) {
      const args = resolve(model, input)
      if (args === undefined) return undefined
      const expectations = expect(model, args)
      const exit = yield* Effect.exit(Effect.suspend(() => run(args)))
      if (Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)) return yield* Effect.interrupt
      return {
        executed: { name, args: words(args), result: describe(exit) },
        result: judge(
          model,
          exit,
          "succeeds" in expectations || "fails" in expectations ? [expectations] : expectations
        )
      }
    }))
})

const missing = 13

/**
 * Generates references to things that exist when the command runs; {@link pick} resolves them.
 *
 * @category generators
 * @since 0.1.0
 */
export const reference: Arbitrary.Arbitrary<number> = Arbitrary.schema(
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 }))
)

/**
 * Resolves a reference to one of some things, or to `undefined` if there are none, so that the command is left out. One
 * reference in twenty is resolved to `stranger`, a thing that does not exist.
 *
 * @category combinators
 * @since 0.1.0
 */
export const pick = <A>(things: ReadonlyArray<A>, reference: number, stranger: A): A | undefined =>
  reference === missing ? stranger : things[reference % things.length]

/**
 * The system to check, and the extent of the check.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options<Model, R, SetupError, SetupR, ROut, LayerError, RIn> {
  readonly commands: ReadonlyArray<Command<Model, R>>
  /** The system, built anew for each sequence. `Layer.empty` for a system that `setup` resets. */
  readonly layer: Layer.Layer<ROut, LayerError, RIn>
  /** Prepares the system and returns the model of its state. */
  readonly setup: Effect.Effect<Model, SetupError, SetupR>
  /** Sequences. 100 by default. */
  readonly runs?: number | undefined
  /** Commands of the longest sequence. 20 by default; the first sequences are shorter. */
  readonly maxCommands?: number | undefined
  /** The number of attempts to find a shorter failing sequence. 2,000 by default. */
  readonly maxShrinks?: number | undefined
  /** The seed of the sequences. Random by default. */
  readonly seed?: string | number | undefined
  /** The token of a `Falsified`, which runs its sequence again. */
  readonly replay?: string | undefined
}

/**
 * The report of a check without a failing sequence: the number of sequences, and the outcomes of each command.
 *
 * @category models
 * @since 0.1.0
 */
export interface Report {
  readonly runs: number
  /** By command and outcome: `success`, or the name of the error. */
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, number>>>>
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

/**
 * The system and the model differ. `commands` is the shortest failing sequence that was found, `expected` the expectation of
 * the model for its last command.
 *
 * @category errors
 * @since 0.1.0
 */
export class Falsified extends Data.TaggedError("Falsified")<{
  readonly commands: ReadonlyArray<Executed>
  readonly expected: string
  readonly runs: number
  readonly shrinks: number
  readonly replay: string
}> {
  override get message(): string {
    return [
      `The system differs from the model after ${counted(this.commands.length, "command")} ` +
      `(sequence ${this.runs}, made shorter ${counted(this.shrinks, "time")}):`,
      ...this.commands.map(({ args, name, result }, index) => `  ${index + 1}. ${name}(${args}) ended with ${result}`),
      `     expected ${this.expected}`,
      `Replay: ${this.replay}`
    ].join("\n")
  }
}

/**
 * The check has no result: no command could be run, a replay token does not match, or a generator gave up.
 *
 * @category errors
 * @since 0.1.0
 */
export class Inconclusive extends Data.TaggedError("Inconclusive")<{ readonly reason: string }> {
  override get message(): string {
    return this.reason
  }
}

/** One of the commands. The choice does not shrink, as another command would not make a sequence shorter. */
const anyOf = <Model, R>(commands: ReadonlyArray<Command<Model, R>>): Arbitrary.Arbitrary<Play<Model, R>> => {
  const chosen = commands.flatMap((command) => Array.from({ length: command.weight }, () => command))
  return Arbitrary.flatMap(
    Arbitrary.schema(Schema.Literals(chosen.map((_, index) => index))),
    (index) => chosen[index]?.moves ?? Arbitrary.Constant(() => Effect.undefined)
  )
}

/** The placeholder for any command. */
const any = -1

/**
 * The format of a replay token: the commands of the sequence (none for any), and the token of the generators. It contains no
 * quotes, so that it can be copied from the output of a test into a string.
 */
const Token = Schema.StringFromBase64Url.pipe(
  Schema.decodeTo(Schema.fromJsonString(Schema.Tuple([Schema.Array(Schema.Int), Schema.String])))
)
const encodeToken = Schema.encodeSync(Token)
const decodeToken = Schema.decodeUnknownEffect(Token)

/** The reason why commands or options are invalid. */
const flaw = <Model, R>(
  commands: ReadonlyArray<Command<Model, R>>,
  counts: Readonly<Record<string, number>>
): string | undefined => {
  if (commands.length === 0) return "There are no commands to play."
  const names = commands.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) {
    return `Two commands have the name "${twice}". A sequence could not be identified by its names.`
  }
  const whole = {
    ...Object.fromEntries(commands.map(({ name, weight }) => [`The weight of ${name}`, weight])),
    ...counts
  }
  const wrong = Object.entries(whole).find(([, value]) => !Number.isSafeInteger(value) || value < 1)
  return wrong === undefined ? undefined : `${wrong[0]} is a whole number from 1 on, not ${wrong[1]}.`
}

interface Mismatch {
  readonly commands: ReadonlyArray<Executed>
  readonly expected: string
}

/**
 * Runs generated sequences of commands against the system and its model. Succeeds with a report, or fails with the
 * shortest sequence that shows a difference.
 *
 * **Gotchas**
 *
 * A failure of `layer` or `setup` is a defect. A sequence must have the same results each time it runs, so that it can be
 * shortened: use the `TestClock`, and a seed for faults.
 *
 * @category running
 * @since 0.1.0
 */
export const check = Effect.fnUntraced(function*<Model, R, SetupError, SetupR, ROut, LayerError, RIn>(
  { commands, layer, maxCommands = 20, maxShrinks = 2000, replay, runs = 100, seed, setup }: Options<
    Model,
    R,
    SetupError,
    SetupR,
    ROut,
    LayerError,
    RIn
  >
): Effect.fn.Return<
  Report,
  Falsified | Inconclusive,
  Exclude<Exclude<R | SetupR, ROut>, Scope.Scope> | Exclude<RIn, Scope.Scope>
> {
  const reason = flaw(commands, { runs, maxCommands })
  if (reason !== undefined) return yield* new Inconclusive({ reason })
  const outcomes: Record<string, Record<string, number>> = {}
  const count = (name: string, outcome: string) => {
    outcomes[name] = { ...outcomes[name], [outcome]: (outcomes[name]?.[outcome] ?? 0) + 1 }
  }
  const run = Effect.fnUntraced(function*(moves: ReadonlyArray<Play<Model, R>>) {
    let model = yield* Effect.orDie(setup)
    const executed: Array<Executed> = []
    for (const play of moves) {
      const move = yield* play(model)
      if (move === undefined) continue
      executed.push(move.executed)
      if (Result.isFailure(move.result)) {
        return yield* Effect.fail<Mismatch>({ commands: executed, expected: move.result.failure })
      }
      count(move.executed.name, move.result.success.outcome)
      model = move.result.success.model
    }
    return true
  })

  /** Sequences of these commands, or of any. */
  const sequences = (kinds: ReadonlyArray<number>): Arbitrary.Arbitrary<ReadonlyArray<Play<Model, R>>> =>
    kinds.length === 0
      ? Arbitrary.array(anyOf(commands), { minLength: 1, maxLength: maxCommands })
      : Arbitrary.all(kinds.map((kind) => commands[kind]?.moves ?? anyOf(commands)))

  const search = Effect.fnUntraced(function*(kinds: ReadonlyArray<number>, options: Arbitrary.CheckOptions) {
    const result = yield* Arbitrary.checkEffect(
      sequences(kinds),
      (moves) => Effect.provide(run(moves), Layer.orDie(layer), { local: true }).pipe(Effect.scoped),
      { maxShrinks, ...options }
    )
    if (result._tag === "Passed") return undefined
    if (result._tag !== "Falsified" || result.failure._tag !== "PropertyError") {
      return yield* new Inconclusive({ reason: Arbitrary.formatCheckFailure(result) ?? "" })
    }
    return new Falsified({
      ...result.failure.error,
      runs: result.runs,
      shrinks: result.shrinks,
      replay: encodeToken([kinds, result.replay])
    })
  })

  if (replay !== undefined) {
    const [kinds, token] = yield* Effect.mapError(
      decodeToken(replay),
      () => new Inconclusive({ reason: "The replay token is not one of this harness." })
    )
    const falsified = yield* search(kinds, { replay: token })
    return yield* falsified ?? new Inconclusive({ reason: "The sequence did not fail this time." })
  }

  // The size grows from run to run; so three quarters of the runs may have the full length.
  let falsified = yield* search([], { runs, size: 4 * maxCommands, seed })
  if (falsified === undefined) {
    return Object.keys(outcomes).length > 0
      ? { runs, outcomes }
      : yield* new Inconclusive({ reason: "Nothing was played: every command was left out in every state." })
  }
  // A command may be needed only because of the inputs of the others, so they get other inputs without it; and the last may
  // show the difference later than another would.
  const kindsWithout = ({ commands: executed }: Falsified, left: number) => {
    const kinds = executed.map(({ name }) => commands.findIndex((command) => command.name === name))
    return left === kinds.length - 1 ? [...kinds.slice(0, -2), any] : kinds.toSpliced(left, 1)
  }
  const tried = new Set<string>()
  for (let left = 0; left < falsified.commands.length; left++) {
    const kinds = kindsWithout(falsified, left)
    if (kinds.length === falsified.commands.length || tried.has(kinds.join())) continue
    tried.add(kinds.join())
    const shorter: Falsified | undefined = yield* search(kinds, { runs: 50, size: 4 * maxCommands, seed: "shorter" })
    if (shorter === undefined) continue
    const { commands: executed, expected, replay } = shorter
    const shrinks = falsified.shrinks + shorter.shrinks
    falsified = new Falsified({ commands: executed, expected, replay, runs: falsified.runs, shrinks })
    left = -1
  }
  return yield* falsified
})
