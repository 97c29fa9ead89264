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
 * With `branches`, the last commands of a program run concurrently, in many schedules, and its results must be those of some
 * sequential order of them: it is linearizable. So races are found, such as of two writers of one thing.
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
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scheduler from "effect/Scheduler"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as VirtualTime from "../time/VirtualTime.ts"
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
  /** False for a command that is not one step, such as one that advances the clock: no branch has it. True by default. */
  readonly isConcurrent?: boolean | undefined
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
  /** The concurrent branch of the command, from 1; none for the commands before the branches. */
  readonly branch?: number | undefined
}

/** The result of a command, and what it means in a state. */
interface Played<Model> {
  readonly executed: Executed
  readonly judge: (model: Model) => Judgement<Model>
}

/** Makes a run of a command in a state, or nothing if the command is not possible there. */
type Play<Model, R> = (model: Model) => Effect.Effect<Played<Model>, never, R> | undefined

/**
 * A command of a model. The types of its input and its result are hidden, so that different commands fit into one list.
 *
 * @category models
 * @since 0.1.0
 */
export interface Command<Model, out R> {
  readonly name: string
  readonly weight: number
  readonly isConcurrent: boolean
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
  { expect, input, isConcurrent = true, name, resolve, run, weight = 1 }: CommandOptions<Model, Input, Args, A, E, R>
): Command<Model, R> => ({
  name,
  weight,
  isConcurrent,
  moves: Arbitrary.map(input, (input) => (model: Model) => {
    const args = resolve(model, input)
    return args === undefined ? undefined : Effect.gen(function*() {
      const exit = yield* Effect.exit(Effect.suspend(() => run(args)))
      if (Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)) return yield* Effect.interrupt
      return {
        executed: { name, args: words(args), result: describe(exit) },
        judge: (model) => {
          const expectations = expect(model, args)
          return judge(
            model,
            exit,
            "succeeds" in expectations || "fails" in expectations ? [expectations] : expectations
          )
        }
      }
    })
  })
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
  /** Branches of commands that run concurrently after each sequence: none, or 2 to 4. None by default. */
  readonly branches?: number | undefined
  /** Commands of the longest branch. 3 by default. */
  readonly branchCommands?: number | undefined
  /** Schedules in which each program with branches runs. 10 by default. */
  readonly schedules?: number | undefined
  /** The number of attempts to find a shorter failing sequence. 2,000 by default, 200 with branches. */
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

/** A sequence of commands, and the branches after it. */
type Program<A> = readonly [sequence: A, ...branches: ReadonlyArray<A>]

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

/**
 * The system and the model differ. `commands` is the shortest failing sequence that was found, `expected` the expectation of
 * the model for its last command, or for its branches.
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
  override toJSON(): object {
    return { message: this.message, ...Object(super.toJSON()) }
  }
  override get message(): string {
    return [
      `The system differs from the model after ${counted(this.commands.length, "command")} ` +
      `(sequence ${this.runs}, made shorter ${counted(this.shrinks, "time")}):`,
      ...this.commands.map(({ args, branch, name, result }, index) =>
        `  ${index + 1}. ${branch === undefined ? "" : `in branch ${branch}: `}${name}(${args}) ended with ${result}`
      ),
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
  override toJSON(): object {
    return { message: this.message, ...Object(super.toJSON()) }
  }
  override get message(): string {
    return this.reason
  }
}

/** One of the commands. The choice does not shrink, as another command would not make a sequence shorter. */
const anyOf = <Model, R>(commands: ReadonlyArray<Command<Model, R>>): Arbitrary.Arbitrary<Play<Model, R>> => {
  const chosen = commands.flatMap((command) => Array.from({ length: command.weight }, () => command))
  return Arbitrary.flatMap(
    Arbitrary.schema(Schema.Literals(chosen.map((_, index) => index))),
    (index) => chosen[index]?.moves ?? Arbitrary.Constant(() => undefined)
  )
}

/** The placeholder for any command. */
const any = -1

/**
 * The format of a replay token: the commands of the program (none for any), and the token of the generators. It contains no
 * quotes, so that it can be copied from the output of a test into a string.
 */
const Kinds = Schema.Array(Schema.Int)
const Token = Schema.StringFromBase64Url.pipe(
  Schema.decodeTo(
    Schema.fromJsonString(
      Schema.Tuple([Schema.NullOr(Schema.TupleWithRest(Schema.Tuple([Kinds]), [Kinds])), Schema.String])
    )
  )
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

/**
 * A scheduler that lets fibers yield at random places, the same for the same seed: every 4, 16 or 64 operations on average, as a short
 * command has few.
 */
class Preemptive extends Scheduler.MixedScheduler {
  readonly #random: () => number
  readonly #chance: number

  constructor(seed: number) {
    super("async", (run) => {
      let isCancelled = false
      queueMicrotask(() => {
        if (!isCancelled) run()
      })
      return () => {
        isCancelled = true
      }
    })
    this.#random = numbers(seed)
    this.#chance = 4 ** -(1 + seed % 3)
  }

  override shouldYield(): boolean {
    return this.#random() < this.#chance
  }
}

const anySchedule = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 })))

/** Numbers from 0 to 1 (mulberry32). */
const numbers = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6D2B79F5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The outcomes of branches in an order in which the model explains them all, if there is one. */
const explained = <Model>(
  model: Model,
  branches: ReadonlyArray<ReadonlyArray<Played<Model>>>
): ReadonlyArray<readonly [name: string, outcome: string]> | undefined => {
  if (branches.every(({ length }) => length === 0)) return []
  for (const [index, [first, ...later]] of branches.entries()) {
    const judgement = first?.judge(model)
    if (first === undefined || judgement === undefined || Result.isFailure(judgement)) continue
    const rest = explained(judgement.success.model, branches.with(index, later))
    if (rest !== undefined) return [[first.executed.name, judgement.success.outcome], ...rest]
  }
  return undefined
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
 * shortened: use the `TestClock`, under which each sequence runs in {@link VirtualTime.run | virtual time}, and a seed for faults.
 *
 * @category running
 * @since 0.1.0
 */
export const check = Effect.fnUntraced(function*<Model, R, SetupError, SetupR, ROut, LayerError, RIn>(
  {
    branchCommands = 3,
    branches = 0,
    commands,
    layer,
    maxCommands = 20,
    maxShrinks = branches === 0 ? 2000 : 200,
    replay,
    runs = 100,
    schedules = 10,
    seed,
    setup
  }: Options<Model, R, SetupError, SetupR, ROut, LayerError, RIn>
): Effect.fn.Return<
  Report,
  Falsified | Inconclusive,
  Exclude<Exclude<R | SetupR, ROut>, Scope.Scope> | Exclude<RIn, Scope.Scope>
> {
  const reason = flaw(commands, { runs, maxCommands, branchCommands, schedules }) ??
    (branches === 0 || branches === 2 || branches === 3 || branches === 4
      ? undefined
      : `branches is 0, 2, 3 or 4, not ${branches}.`) ??
    (branches === 0 || commands.some(({ isConcurrent }) => isConcurrent)
      ? undefined
      : "No command may be in a branch.")
  if (reason !== undefined) return yield* new Inconclusive({ reason })
  const outcomes: Record<string, Record<string, number>> = {}
  const count = (name: string, outcome: string) => {
    outcomes[name] = { ...outcomes[name], [outcome]: (outcomes[name]?.[outcome] ?? 0) + 1 }
  }
  const run = Effect.fnUntraced(function*(
    [sequence, ...concurrent]: Program<ReadonlyArray<Play<Model, R>>>,
    schedule: number
  ) {
    let model = yield* Effect.orDie(setup)
    const executed: Array<Executed> = []
    for (const play of sequence) {
      const played = yield* play(model) ?? Effect.undefined
      if (played === undefined) continue
      executed.push(played.executed)
      const judgement = played.judge(model)
      if (Result.isFailure(judgement)) {
        return yield* Effect.fail<Mismatch>({ commands: executed, expected: judgement.failure })
      }
      count(played.executed.name, judgement.success.outcome)
      model = judgement.success.model
    }
    if (concurrent.length === 0) return true
    // As no branch knows the results of another, each refers to what was there before all of them.
    const results = yield* Effect.forEach(
      concurrent.map((plays) => plays.flatMap((play) => play(model) ?? [])),
      (effects) => Effect.all(effects),
      { concurrency: "unbounded" }
    ).pipe(Effect.provideService(Scheduler.Scheduler, new Preemptive(schedule)))
    const outcomes = explained(model, results)
    if (outcomes === undefined) {
      return yield* Effect.fail<Mismatch>({
        commands: [
          ...executed,
          ...results.flatMap((branch, index) => branch.map(({ executed }) => ({ ...executed, branch: index + 1 })))
        ],
        expected: "results of the branches as in some sequential order of their commands"
      })
    }
    for (const [name, outcome] of outcomes) count(name, outcome)
    return true
  })

  /** Nobody adjusts the clock of a test while a sequence waits, for a retry or a poll. */
  const inTime: typeof VirtualTime.run = VirtualTime.isTestClock(yield* Clock.Clock) ? VirtualTime.run : identity

  /** In several schedules, unless there is only one. */
  const inSchedules = ([program, schedule]: readonly [Program<ReadonlyArray<Play<Model, R>>>, number]) =>
    Effect.as(
      Effect.forEach(
        Array.from({ length: program.length === 1 ? 1 : schedules }, (_, index) => schedule + index),
        (schedule) =>
          inTime(Effect.provide(run(program, schedule), Layer.orDie(layer), { local: true }).pipe(Effect.scoped))
      ),
      true
    )

  /** Programs of these commands, or of any. */
  const programs = (
    kinds: Program<ReadonlyArray<number>> | undefined
  ): Arbitrary.Arbitrary<Program<ReadonlyArray<Play<Model, R>>>> => {
    const of = (kinds: ReadonlyArray<number>): Arbitrary.Arbitrary<ReadonlyArray<Play<Model, R>>> =>
      Arbitrary.all(kinds.map((kind) => commands[kind]?.moves ?? anyOf(commands)))
    const alone = (sequence: Arbitrary.Arbitrary<ReadonlyArray<Play<Model, R>>>) =>
      Arbitrary.map(sequence, (sequence): Program<ReadonlyArray<Play<Model, R>>> => [sequence])
    if (kinds !== undefined) {
      return kinds.length === 1 ? alone(of(kinds[0])) : Arbitrary.all([of(kinds[0]), ...kinds.slice(1).map(of)])
    }
    // Not a tuple of one, whose array would be shorter: the generators share their size.
    if (branches === 0) return alone(Arbitrary.array(anyOf(commands), { minLength: 1, maxLength: maxCommands }))
    return Arbitrary.all([
      Arbitrary.array(anyOf(commands), { minLength: 0, maxLength: maxCommands }),
      ...Array.from(
        { length: branches },
        () =>
          Arbitrary.array(anyOf(commands.filter(({ isConcurrent }) => isConcurrent)), {
            minLength: 1,
            maxLength: branchCommands
          })
      )
    ])
  }

  const search = Effect.fnUntraced(
    function*(kinds: Program<ReadonlyArray<number>> | undefined, options: Arbitrary.CheckOptions) {
      const scheduled = (kinds?.length ?? branches + 1) === 1
        ? Arbitrary.map(programs(kinds), (program) => [program, 0] as const)
        : Arbitrary.all([programs(kinds), anySchedule])
      const result = yield* Arbitrary.checkEffect(scheduled, inSchedules, { maxShrinks, ...options })
      if (result._tag === "Passed") return undefined
      if (result._tag !== "Falsified" || result.failure._tag !== "PropertyError") {
        return yield* new Inconclusive({ reason: Arbitrary.formatCheckFailure(result) ?? "" })
      }
      return new Falsified({
        ...result.failure.error,
        runs: result.runs,
        shrinks: result.shrinks,
        replay: encodeToken([kinds ?? null, result.replay])
      })
    }
  )

  if (replay !== undefined) {
    const [kinds, token] = yield* Effect.mapError(
      decodeToken(replay),
      () => new Inconclusive({ reason: "The replay token is not one of this harness." })
    )
    const falsified = yield* search(kinds ?? undefined, { replay: token })
    return yield* falsified ?? new Inconclusive({ reason: "The sequence did not fail this time." })
  }

  // The size grows from run to run; so three quarters of the runs may have the full length.
  let falsified = yield* search(undefined, { runs, size: 4 * maxCommands, seed })
  if (falsified === undefined) {
    return Object.keys(outcomes).length > 0
      ? { runs, outcomes }
      : yield* new Inconclusive({ reason: "Nothing was played: every command was left out in every state." })
  }
  // A command may be needed only because of the inputs of the others, so they get other inputs without it; and the last may
  // show the difference later than another would.
  const kindsWithout = ({ commands: executed }: Falsified, left: number): Program<ReadonlyArray<number>> => {
    const kinds = executed.map(({ branch, name }) => ({
      branch,
      kind: commands.findIndex((command) => command.name === name)
    }))
    const isLast = left === kinds.length - 1 && kinds[left]?.branch === undefined
    const kept = kinds.toSpliced(left, 1)
    const of = (branch: number | undefined) => kept.filter((other) => other.branch === branch).map(({ kind }) => kind)
    if (isLast) return [[...of(undefined).slice(0, -1), any]]
    return [of(undefined), ...[1, 2, 3, 4].map(of).filter(({ length }) => length > 0)]
  }
  const tried = new Set<string>()
  for (let left = 0; left < falsified.commands.length; left++) {
    const kinds = kindsWithout(falsified, left)
    const name = JSON.stringify(kinds)
    if (kinds.flat().length === falsified.commands.length || tried.has(name)) continue
    tried.add(name)
    const shorter: Falsified | undefined = yield* search(kinds, { runs: 50, size: 4 * maxCommands, seed: "shorter" })
    if (shorter === undefined) continue
    const { commands: executed, expected, replay } = shorter
    const shrinks = falsified.shrinks + shorter.shrinks
    falsified = new Falsified({ commands: executed, expected, replay, runs: falsified.runs, shrinks })
    left = -1
  }
  return yield* falsified
})
