/**
 * Model-based tests: run generated sequences of commands against a host (the system to check) and a model of the host,
 * and shrink a sequence whose results differ.
 *
 * **Details**
 *
 * The model is a layer of the same services, such as the fake. Ids and times in results are not compared; errors are
 * compared by class. Inputs get ids from earlier results when the command runs, so a shortened sequence is valid. Some
 * ids belong to no object.
 *
 * After an error with an unknown outcome, later results must match the model with or without the call's effect. With
 * `branches`, the last commands run concurrently in many schedules, and their results must be linearizable.
 *
 * @since 0.1.0
 */
import type { Admin } from "@effect-lingua/core/account/Admin"
import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import { Failure } from "@effect-lingua/core/extension/Service"
import type { LanguageService } from "@effect-lingua/core/LanguageService"
import type { OtherServices } from "@effect-lingua/core/OtherServices"
import * as Arbitrary from "effect/Arbitrary"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import { hasProperty, isFunction } from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { OperationName } from "../faults/Fault.ts"
import { operationNames, repeatOf } from "../faults/internal/operations.ts"
import * as Generators from "../generators/Generators.ts"
import * as VirtualTime from "../time/VirtualTime.ts"
import { describe, formatted, outcomeOf } from "./internal/identities.ts"
import { type Move, type Path, type Program, runHost, runModel } from "./internal/programs.ts"

/**
 * @category options
 * @since 0.1.0
 */
export interface CommandOptions<Input, A, E, R> {
  readonly name: string
  /** The relative frequency. Default: 1. */
  readonly weight?: number | undefined
  /** False excludes a command from branches, because it is not atomic, such as a wait. Default: true. */
  readonly isConcurrent?: boolean | undefined
  /**
   * Generates the input. Fields whose names end in `Id` or `Key` receive returned ids of the same name; without such ids
   * the command is skipped.
   */
  readonly input: Generators.EffectArbitrary<Input>
  readonly run: (input: Input) => Effect.Effect<A, E, R>
}

/**
 * An executed command, formatted for messages.
 *
 * @category models
 * @since 0.1.0
 */
export interface Executed {
  readonly name: string
  readonly args: string
  readonly result: string
  /** The concurrent branch, from 1; absent before the branches. */
  readonly branch?: number | undefined
}

/**
 * A command, without the input's type, so that lists can contain different commands.
 *
 * @category models
 * @since 0.1.0
 */
export interface Command<out R> {
  readonly name: string
  readonly weight: number
  readonly isConcurrent: boolean
  readonly moves: Arbitrary.Arbitrary<Move<R>>
}

const reference = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })))

/**
 * @category constructors
 * @since 0.1.0
 */
export const command = <Input, A, E, R>(
  { input, isConcurrent = true, name, run, weight = 1 }: CommandOptions<Input, A, E, R>
): Command<R> => ({
  name,
  weight,
  isConcurrent,
  moves: Arbitrary.map(Arbitrary.all([input, reference]), ([input, reference]) => ({
    name,
    input,
    reference,
    run: (ids) => {
      const resolved = Object.keys(ids).length === 0 ? input : Object.assign({}, input, ids)
      return [resolved, Effect.exit(Effect.suspend(() => run(resolved)))]
    }
  }))
})

type AnyError = { readonly _tag: string }
type Call = Effect.Effect<unknown, AnyError>
type Chunks = Stream.Stream<unknown, AnyError>

const isCall = (value: unknown): value is Call => Effect.isEffect(value)
const isStream = (value: unknown): value is Chunks => Stream.isStream(value)

const collected = (value: unknown): Call =>
  isStream(value)
    ? Stream.runCollect(value)
    : hasProperty(value, "stream")
    ? Effect.map(collected(value.stream), (chunks) => ({ ...value, stream: formatted(chunks) }))
    : Effect.succeed(value)

/**
 * A command for each operation of a client's service. Creating operations have weight 3. Commands read streams to the end
 * and do not poll.
 *
 * @category constructors
 * @since 0.3.0
 */
export const operations = <R extends Admin | LanguageService | OtherServices>(
  service: Context.Key<R, object>
): ReadonlyArray<Command<R>> => {
  const group = `${service.key.slice(service.key.lastIndexOf("/") + 1)}.`
  return operationNames.filter((name) => name.startsWith(group)).map((name) =>
    command({
      name,
      weight: repeatOf(name) === "Create" ? 3 : 1,
      input: Generators.request<OperationName>(name),
      run: (request) =>
        Effect.flatMap(service, (methods) => {
          const method: unknown = Object.entries(methods).find(([key]) => `${group}${key}` === name)?.[1]
          const call: unknown = isFunction(method) ? method(request) : method
          return isCall(call) ? Effect.flatMap(call, collected) : collected(call)
        }).pipe(ResiliencePolicy.within({ polling: false }))
    })
  )
}

/**
 * A command that waits for up to half an hour on the check's clock.
 *
 * @category constructors
 * @since 0.3.0
 */
export const wait: Command<never> = command({
  name: "wait",
  isConcurrent: false,
  input: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1800 }))),
  run: (seconds) => Effect.sleep(seconds * 1000)
})

/**
 * @category options
 * @since 0.1.0
 */
export interface Options<R, HostIn, ModelIn> {
  readonly commands: ReadonlyArray<Command<NoInfer<R> | Scope.Scope>>
  /** The system to check. */
  readonly host: Layer.Layer<R, AnyError, HostIn>
  /** The model of the host, such as `FakeLanguageService.layerServices()`. */
  readonly model: Layer.Layer<R, AnyError, ModelIn>
  /** Resets a system before each sequence. Default: builds both layers for each sequence, which is slower. */
  readonly reset?: Effect.Effect<unknown, AnyError, NoInfer<R> | Scope.Scope> | undefined
  /** Number of sequences. Default: 100. */
  readonly runs?: number | undefined
  /** Maximum commands per sequence. Default: 20. The first sequences are shorter. */
  readonly maxCommands?: number | undefined
  /** Concurrent branches after each sequence: 0 (default), or 2 to 4. */
  readonly branches?: number | undefined
  /** Maximum commands per branch. Default: 3. */
  readonly branchCommands?: number | undefined
  /** Schedules per sequence with branches. Default: 10. */
  readonly schedules?: number | undefined
  /** Maximum attempts to shrink a failing sequence. Default: 2,000, or 200 with branches. */
  readonly maxShrinks?: number | undefined
  /** The sequences' seed. Default: random. */
  readonly seed?: string | number | undefined
  /** The `replay` token of a `Falsified`, which runs the failing sequence again. */
  readonly replay?: string | undefined
}

/** Maximum number of possible orders of calls that are tried for one schedule. */
const maxOrders = 500

/**
 * The result of a check without a failing sequence.
 *
 * @category models
 * @since 0.1.0
 */
export interface Report {
  readonly runs: number
  /**
   * Number of schedules for which none of the first 500 possible orders of calls matches the model. An unknown outcome
   * doubles the orders.
   */
  readonly undecided: number
  /** Number of calls, keyed by command and outcome: `success`, or the error's tag. */
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, number>>>>
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

/**
 * The host and the model differ. `commands` is the shortest failing sequence; `expected` is the model's result of the
 * last command, or describes the branches' possible results.
 *
 * @category errors
 * @since 0.1.0
 */
export class Falsified extends Failure.messageFirst(Data.TaggedError("Falsified"))<{
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
      ...this.commands.map(({ args, branch, name, result }, index) =>
        `  ${index + 1}. ${branch === undefined ? "" : `in branch ${branch}: `}${name}(${args}) ended with ${result}`
      ),
      `     expected ${this.expected}`,
      `Replay: ${this.replay}`
    ].join("\n")
  }
}

/**
 * An option is invalid, no command could run, a replay token does not match, or a generator gave up.
 *
 * @category errors
 * @since 0.1.0
 */
export class Inconclusive extends Failure.messageFirst(Data.TaggedError("Inconclusive"))<{ readonly reason: string }> {
  override get message(): string {
    return this.reason
  }
}

/** Generates a command. The choice does not shrink, because another command makes no sequence shorter. */
const anyOf = <R>(commands: ReadonlyArray<Command<R>>): Arbitrary.Arbitrary<Move<R>> => {
  const chosen = commands.flatMap(({ moves, weight }) => Array.from({ length: weight }, () => moves))
  return Arbitrary.flatMap(
    Arbitrary.schema(Schema.Literals(chosen.map((_, index) => index))),
    (index) => Arr.getUnsafe(chosen, index)
  )
}

const any = -1

const Kinds = Schema.Array(Schema.Int)
/** The commands' indexes (`null`: any commands), and the `Arbitrary`'s replay token. */
const Token = Schema.StringFromBase64Url.pipe(
  Schema.decodeTo(
    Schema.fromJsonString(
      Schema.Tuple([Schema.NullOr(Schema.TupleWithRest(Schema.Tuple([Kinds]), [Kinds])), Schema.String])
    )
  )
)
const encodeToken = Schema.encodeSync(Token)
const decodeToken = Schema.decodeUnknownEffect(Token)

const flaw = <R>(
  commands: ReadonlyArray<Command<R>>,
  counts: Readonly<Record<string, number>>
): string | undefined => {
  if (commands.length === 0) return "There are no commands to run."
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

const anySchedule = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 })))

interface Mismatch {
  readonly commands: ReadonlyArray<Executed>
  readonly expected: string
}

/**
 * Runs generated sequences of commands against the host and the model. Succeeds with a report, or fails with the
 * shortest differing sequence.
 *
 * **Gotchas**
 *
 * A layer's failure is a defect. Repeated runs of a sequence must have the same results: use the `TestClock`, which
 * runs sequences in {@link VirtualTime.run | virtual time}, and a seed for faults.
 *
 * @category running
 * @since 0.1.0
 */
export const check = Effect.fnUntraced(
  function*<R, HostIn, ModelIn>(
    {
      branchCommands = 3,
      branches = 0,
      commands,
      host,
      maxCommands = 20,
      maxShrinks = branches === 0 ? 2000 : 200,
      model,
      replay,
      reset,
      runs = 100,
      schedules = 10,
      seed
    }: Options<R, HostIn, ModelIn>
  ): Effect.fn.Return<
    Report,
    Falsified | Inconclusive,
    HostIn | ModelIn | Scope.Scope
  > {
    const reason = flaw(commands, { runs, maxCommands, branchCommands, schedules }) ??
      (branches === 0 || branches === 2 || branches === 3 || branches === 4
        ? undefined
        : `branches is 0, 2, 3 or 4, not ${branches}.`) ??
      (branches === 0 || commands.some(({ isConcurrent }) => isConcurrent)
        ? undefined
        : "Branches need a command with isConcurrent.")
    if (reason !== undefined) return yield* new Inconclusive({ reason })
    const outcomes: Record<string, Record<string, number>> = {}
    /** Runs on virtual time under a `TestClock`, which nothing adjusts while a sequence waits. */
    const inTime: typeof VirtualTime.run = hasProperty(yield* Clock.Clock, "adjust") ? VirtualTime.run : identity
    const prepare = <In>(
      system: Layer.Layer<R, AnyError, In>
    ): Effect.Effect<Layer.Layer<R, never, In>, never, In | Scope.Scope> =>
      reset === undefined
        ? Effect.succeed(Layer.orDie(system))
        : Effect.map(Layer.build(Layer.fresh(Layer.orDie(system))), Layer.succeedContext)
    const hosts = yield* prepare(host)
    const models = yield* prepare(model)
    const on = <A, In>(system: Layer.Layer<R, never, In>, program: Effect.Effect<A, never, R | Scope.Scope>) =>
      Effect.andThen(Effect.orDie(reset ?? Effect.void), program).pipe(
        Effect.provide(system, { local: true }),
        Effect.scoped,
        inTime
      )

    let undecided = 0
    const run = Effect.fnUntraced(function*(program: Program<ReadonlyArray<Move<R | Scope.Scope>>>, schedule: number) {
      const played = yield* on(hosts, runHost(program, schedule))
      const calls = played.flat()
      let best: Path = { steps: [] }
      let tried = 0
      for (let choices: ReadonlyArray<number> | undefined = []; choices !== undefined;) {
        if (++tried > maxOrders) {
          undecided++
          return
        }
        const path: Path = yield* on(models, runModel(played, choices))
        if (path.expected === undefined) {
          for (const { exit, move: { name } } of calls) {
            const outcome = outcomeOf(exit)
            outcomes[name] = { ...outcomes[name], [outcome]: (outcomes[name]?.[outcome] ?? 0) + 1 }
          }
          return
        }
        if (path.steps.length > best.steps.length) best = path
        const last = path.steps.findLastIndex(({ chosen, of }) => chosen + 1 < of)
        choices = last === -1
          ? undefined
          : path.steps.slice(0, last + 1).map(({ chosen }, index) => index === last ? chosen + 1 : chosen)
      }
      const isInSequence = best.steps.length <= played[0].length
      return yield* Effect.fail<Mismatch>({
        commands: played.flatMap((calls, branch) =>
          calls.map(({ exit, input, move: { name } }) => ({
            name,
            args: formatted(input),
            result: describe(exit),
            branch: branch === 0 ? undefined : branch
          }))
        ).slice(0, isInSequence ? best.steps.length : undefined),
        expected: isInSequence
          ? best.expected ?? ""
          : "results that some sequential order of the branches' commands gives"
      })
    })

    const inSchedules = ([program, schedule]: readonly [Program<ReadonlyArray<Move<R | Scope.Scope>>>, number]) =>
      Effect.as(
        Effect.forEach(
          Array.from({ length: program.length === 1 ? 1 : schedules }, (_, index) => schedule + index),
          (schedule) => run(program, schedule)
        ),
        true
      )

    const programs = (
      kinds: Program<ReadonlyArray<number>> | undefined
    ): Arbitrary.Arbitrary<Program<ReadonlyArray<Move<R | Scope.Scope>>>> => {
      const of = (kinds: ReadonlyArray<number>): Arbitrary.Arbitrary<ReadonlyArray<Move<R | Scope.Scope>>> =>
        Arbitrary.all(kinds.map((kind) => commands[kind]?.moves ?? anyOf(commands)))
      const alone = (sequence: Arbitrary.Arbitrary<ReadonlyArray<Move<R | Scope.Scope>>>) =>
        Arbitrary.map(sequence, (sequence): Program<ReadonlyArray<Move<R | Scope.Scope>>> => [sequence])
      if (kinds !== undefined) {
        return kinds.length === 1 ? alone(of(kinds[0])) : Arbitrary.all([of(kinds[0]), ...kinds.slice(1).map(of)])
      }
      // Not a tuple of one generator, because tuples divide the size among members, which shortens arrays.
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
        () => new Inconclusive({ reason: "The replay token is not valid." })
      )
      const falsified = yield* search(kinds ?? undefined, { replay: token })
      return yield* falsified ?? new Inconclusive({ reason: "The sequence did not fail this time." })
    }

    // The size grows to 4 times `maxCommands`, so only the first quarter of runs has sequences shorter than
    // `maxCommands`.
    let falsified = yield* search(undefined, { runs, size: 4 * maxCommands, seed })
    if (falsified === undefined) {
      return Object.keys(outcomes).length > 0
        ? { runs, undecided, outcomes }
        : yield* new Inconclusive({ reason: "No command ran: no result had the ids that the inputs need." })
    }
    // Searches for a shorter failing sequence with new inputs: omits a command, or replaces the last two by one.
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
  },
  Effect.scoped
)
