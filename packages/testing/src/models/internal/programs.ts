/** Runs a sequence of calls, then concurrent branches, on a host and a model. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import * as Scheduler from "effect/Scheduler"
import { differences, formatted, Identities, isOutcomeUnknown, outcomeOf } from "./identities.ts"

export interface Move<out R> {
  readonly name: string
  readonly input: unknown
  readonly reference: number
  /** Replaces the ids in the input, and returns the new input and its call. */
  readonly run: (ids: object) => readonly [input: unknown, call: Effect.Effect<Exit.Exit<unknown, unknown>, never, R>]
}

export type Program<A> = readonly [sequence: A, ...branches: ReadonlyArray<A>]

/** Makes fibers yield at random, every 4, 16 or 64 operations on average, deterministically for each seed. */
class Preemptive extends Scheduler.MixedScheduler {
  readonly #random: Random.Random
  readonly #chance: number

  constructor(random: Random.Random, seed: number) {
    super("async", (run) => {
      let isCancelled = false
      queueMicrotask(() => {
        if (!isCancelled) run()
      })
      return () => {
        isCancelled = true
      }
    })
    this.#random = random
    this.#chance = 4 ** -(1 + seed % 3)
  }

  override shouldYield(): boolean {
    return this.#random.nextDoubleUnsafe() < this.#chance
  }
}

interface Played<R> {
  readonly move: Move<R>
  readonly input: unknown
  readonly exit: Exit.Exit<unknown, unknown>
}

/** Runs a move; `undefined` if no known object has the ids that the input needs. */
const play = <R>(move: Move<R>, known: Identities): Effect.Effect<Played<R>, never, R> | undefined => {
  const ids = known.resolve(move.input, move.reference)
  if (ids === undefined) return undefined
  const [input, call] = move.run(ids)
  return Effect.flatMap(
    call,
    (exit) =>
      Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause) ? Effect.interrupt : Effect.succeed({ move, input, exit })
  )
}

export const runHost = Effect.fnUntraced(
  function*<R>([moves, ...branches]: Program<ReadonlyArray<Move<R>>>, schedule: number) {
    const known = new Identities()
    const sequence: Array<Played<R>> = []
    for (const move of moves) {
      const played = yield* play(move, known) ?? Effect.undefined
      if (played === undefined) continue
      known.see(played.exit, played.input)
      sequence.push(played)
    }
    if (branches.length === 0) return [sequence] as const
    const random = yield* Random.withSeed(Random.Random, schedule)
    // Branches use only ids from the sequence, not from other branches.
    const results = yield* Effect.forEach(
      branches.map((moves) => moves.flatMap((move) => play(move, known) ?? [])),
      (calls) => Effect.all(calls),
      { concurrency: "unbounded" }
    ).pipe(Effect.provideService(Scheduler.Scheduler, new Preemptive(random, schedule)))
    return [sequence, ...results] as const
  }
)

/**
 * An order of calls: at each step, `chosen` is the index among `of` possible calls. `expected` is the model's result if it
 * differs from the host's.
 */
export interface Path {
  readonly steps: ReadonlyArray<{ readonly chosen: number; readonly of: number }>
  readonly expected?: string | undefined
}

const expectation = <R>(ofModel: Played<R> | undefined, expected: unknown, actual: unknown): string => {
  if (ofModel === undefined) return "no call, because no object fits it"
  if (Exit.isFailure(ofModel.exit)) return `failure ${outcomeOf(ofModel.exit)}`
  return [formatted(ofModel.exit.value), ...differences(expected, actual).map((line) => `  ${line}`)].join("\n     ")
}

/**
 * Runs the host's calls against the model until a result differs. `choices` are the indexes of the next calls among the
 * possible calls (default: 0).
 */
export const runModel = Effect.fnUntraced(function*<R>(
  [sequence, ...branches]: Program<ReadonlyArray<Played<R>>>,
  choices: ReadonlyArray<number>
): Effect.fn.Return<Path, never, R> {
  const host = new Identities()
  const model = new Identities()
  const steps: Array<{ readonly chosen: number; readonly of: number }> = []
  for (const lists of [[sequence], branches]) {
    const known = lists === branches ? new Identities(model) : model
    const left = lists.map((list) => list.slice())
    for (;;) {
      const possible = left.flatMap((list) => {
        const [played] = list
        if (played === undefined) return []
        return (isOutcomeUnknown(played.exit) ? ["run", "left out"] : ["compared"]).map((as) => ({ list, played, as }))
      })
      const chosen = choices[steps.length] ?? 0
      const next = possible[chosen]
      if (next === undefined) break
      steps.push({ chosen, of: possible.length })
      next.list.shift()
      if (next.as === "left out") continue
      const ofModel = yield* play(next.played.move, known) ?? Effect.undefined
      if (next.as === "run") continue
      const expected = ofModel && model.see(ofModel.exit, ofModel.input)
      const actual = host.see(next.played.exit, next.played.input)
      if (ofModel === undefined || !Equal.equals(expected, actual)) {
        return { steps, expected: expectation(ofModel, expected, actual) }
      }
    }
  }
  return { steps }
})
