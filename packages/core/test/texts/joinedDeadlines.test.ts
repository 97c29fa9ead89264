import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import { Detection } from "@effect-lingua/core/texts/Detection"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber, Result, Schedule, Schema } from "effect"
import { TestClock } from "effect/testing"
import { echo, refusing, textsSent } from "../support/bulk.ts"
import { overTime, valueOverTime } from "../support/time.ts"
import * as Wire from "../support/Wire.ts"

const detect = (text: string) => Detection.use((detection) => detection.detect(text))

const translate = (text: string) =>
  Translation.use((translation) => translation.translate(text, { targetLanguage: "de" }))

const within = (deadline: Duration.Input | undefined, fields?: ResiliencePolicy.Options) =>
  Effect.provideService(
    ResiliencePolicy.Override,
    { ...(deadline === undefined ? undefined : { deadline }), ...fields }
  )

/** The name of the result of a call, and the milliseconds after which it arrived. */
const timed = <A, E extends { readonly _tag: string }, R>(call: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const start = yield* Clock.currentTimeMillis
    const result = yield* Effect.result(call)
    const end = yield* Clock.currentTimeMillis
    return [Result.isSuccess(result) ? "success" : result.failure._tag, end - start] as const
  })

const Seconds = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8 }))

const together = { concurrency: "unbounded" } as const

const outcome = ({ _tag, attempts, outcome, possiblyCountedCharacters }: {
  readonly _tag: string
  readonly attempts: ReadonlyArray<{ readonly failure?: string; readonly status?: number }>
  readonly outcome: string
  readonly possiblyCountedCharacters?: number
}) => ({
  _tag,
  outcome,
  possiblyCountedCharacters,
  attempts: attempts.map(({ failure, status }) => failure ?? status)
})

describe("calls that share a request, each with its own deadline", () => {
  it.effect("40 calls for one text make 1 request", () =>
    Effect.gen(function*() {
      const calls = Array.from(
        { length: 40 },
        (_, index) => detect(`text ${index}`).pipe(within(Duration.millis(1000 + index)))
      )
      const results = yield* valueOverTime(Effect.all(calls.map(timed), together))
      assert.strictEqual(yield* Wire.count, 1)
      assert.deepStrictEqual(results, calls.map(() => ["success", 500]))
    }).pipe(Effect.provide(Wire.layer(Wire.late("500 millis", echo())))))

  it.effect.prop(
    "any mix of deadlines: each call ends with the response or at its own deadline, and all share the request",
    [Schema.NonEmptyArray(Schema.UndefinedOr(Seconds)), Seconds],
    ([deadlines, answered]) =>
      Effect.gen(function*() {
        const calls = deadlines.map((seconds, index) =>
          timed(detect(`text ${index}`).pipe(within(seconds === undefined ? undefined : Duration.seconds(seconds))))
        )
        const results = yield* valueOverTime(Effect.all(calls, together))
        assert.deepStrictEqual<ReadonlyArray<unknown>>(
          results,
          // The client's own deadline is 100 seconds, and the response arrives between two deadlines.
          deadlines.map((seconds = 100) =>
            seconds <= answered ? ["DeadlineExceeded", seconds * 1000] : ["success", answered * 1000 + 500]
          )
        )
        assert.deepStrictEqual((yield* textsSent).map(({ length }) => length), [deadlines.length])
      }).pipe(Effect.provide(Wire.layer(Wire.late(Duration.millis(answered * 1000 + 500), echo()))))
  )

  it.effect("a call that ends at its deadline has the attempts so far, and whether they may have been counted", () =>
    Effect.gen(function*() {
      const errors = yield* valueOverTime(Effect.all([
        Effect.flip(translate("four").pipe(within("500 millis"))),
        Effect.flip(translate("four").pipe(within("1500 millis"))),
        Effect.flip(translate("four").pipe(within("5 seconds")))
      ], together))
      assert.deepStrictEqual(errors.map(outcome), [
        {
          _tag: "DeadlineExceeded",
          outcome: "unknown",
          possiblyCountedCharacters: 4,
          attempts: ["DeadlineExceeded"]
        },
        {
          _tag: "DeadlineExceeded",
          outcome: "unknown",
          possiblyCountedCharacters: 4,
          attempts: ["RateLimited"]
        },
        {
          _tag: "DeadlineExceeded",
          outcome: "unknown",
          possiblyCountedCharacters: 4,
          attempts: ["RateLimited", "DeadlineExceeded"]
        }
      ])
      assert.match(errors[0].message, /the deadline of 500 ms passed/)
      assert.deepStrictEqual(errors[2].attempts.map(({ waited }) => Duration.toMillis(waited)), [0, 2000])
      assert.strictEqual(yield* Wire.count, 2)
    }).pipe(
      Effect.provide(
        Wire.layer([Wire.late("1 second", Wire.answer(429, "", { "retry-after": "2" })), Wire.silent])
      )
    ))

  it.effect("nothing was sent before the deadline of one: its text is sent later, so its outcome is unknown", () =>
    Effect.gen(function*() {
      const calls = Effect.all([
        Effect.flip(detect("a").pipe(within("1 second"))),
        detect("b").pipe(within("10 seconds"))
      ], together)
      const busy = yield* Effect.forkChild(detect("first"), { startImmediately: true })
      const [error] = yield* valueOverTime(calls)
      yield* Fiber.join(busy)
      assert.deepStrictEqual(outcome(error), {
        _tag: "DeadlineExceeded",
        outcome: "unknown",
        possiblyCountedCharacters: undefined,
        attempts: []
      })
      assert.match(error.message, /The request that it shares goes on, for other calls/)
      assert.deepStrictEqual(yield* textsSent, [["first"], ["a", "b"]])
    }).pipe(
      Effect.provide(Wire.layer(Wire.late("3 seconds", echo()), { resilience: { concurrency: 1 } }))
    ))

  it.effect("nothing was sent before the deadline of all: it is refused", () =>
    Effect.gen(function*() {
      const calls = Effect.all([
        Effect.flip(translate("a").pipe(within("1 second"))),
        Effect.flip(translate("b").pipe(within("2 seconds")))
      ], together)
      const busy = yield* Effect.forkChild(translate("first"), { startImmediately: true })
      const errors = yield* valueOverTime(calls)
      yield* Fiber.join(busy)
      assert.deepStrictEqual(errors.map(({ outcome }) => outcome), ["unknown", "refused"])
      assert.deepStrictEqual(yield* textsSent, [["first"]])
    }).pipe(
      Effect.provide(
        Wire.layer(Wire.late("3 seconds", Wire.answer(200, { translations: [{ text: "x" }] })), {
          resilience: { concurrency: 1 }
        })
      )
    ))

  it.effect("the request ends once no call waits for it", () =>
    Effect.gen(function*() {
      const long = yield* Effect.forkChild(detect("a").pipe(within("10 seconds")), { startImmediately: true })
      yield* Effect.forkChild(Effect.ignore(detect("b").pipe(within("1 second"))), { startImmediately: true })
      yield* TestClock.adjust("2 seconds")
      const { sent } = yield* Wire.Wire
      assert.deepStrictEqual(sent.map(({ signal }) => signal.aborted), [false])
      yield* Fiber.interrupt(long)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(sent.map(({ signal }) => signal.aborted), [true])
    }).pipe(Effect.provide(Wire.layer(Wire.silent))))

  it.effect("requests that follow a refused one end at the deadline of their calls", () =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(Effect.all([
        Effect.result(detect("bad").pipe(within("4 seconds"))),
        Effect.flip(detect("b").pipe(within("4 seconds")))
      ], together))
      assert.strictEqual(took, 4000)
      const [, error] = yield* exit
      assert.deepStrictEqual(error.message.match(/the deadline of \S+ \S+ passed/)?.[0], "the deadline of 4 s passed")
      assert.deepStrictEqual(yield* textsSent, [["bad", "b"], ["bad"], ["b"]])
    }).pipe(Effect.provide(Wire.layer(Wire.late("1500 millis", refusing(["bad"]))))))

  it.effect("requests that follow a refused one cut the attempt timeout of their calls to what is left", () =>
    Effect.gen(function*() {
      const limits = within("5 seconds", { attemptTimeout: "5 seconds" })
      const results = yield* valueOverTime(
        Effect.all(["good", "bad"].map((text) => timed(limits(detect(text)))), together)
      )
      assert.deepStrictEqual(results.map(([name]) => name), ["success", "BadRequest"])
    }).pipe(Effect.provide(Wire.layer(Wire.late("500 millis", refusing(["bad"]))))))

  it.effect("a defect in the request ends its calls", () =>
    Effect.gen(function*() {
      const broken = Object.defineProperty({}, "deadline", {
        get: () => {
          throw new Error("it cannot be read")
        }
      })
      const call = Effect.provideService(detect("a"), ResiliencePolicy.Override, broken)
      const fiber = yield* Effect.forkChild(Effect.exit(Effect.all([call, call], together)))
      yield* TestClock.adjust("1 hour")
      assert.isDefined(fiber.pollUnsafe())
      assert.match(String(yield* Fiber.join(fiber)), /it cannot be read/)
    }).pipe(Effect.provide(Wire.layer(echo()))))

  it.effect("the schedules of a region are those of its own calls", () =>
    Effect.gen(function*() {
      const never = Effect.provideService(ResiliencePolicy.CurrentSchedules, { transient: Schedule.recurs(0) })
      const calls = Effect.all([timed(never(detect("a"))), timed(detect("b"))], together)
      const results = yield* valueOverTime(calls)
      assert.deepStrictEqual(results.map(([name]) => name), ["ServiceUnavailable", "success"])
    }).pipe(Effect.provide(Wire.layer([Wire.answer(503), Wire.answer(503), echo()]))))

  it.effect("other fields of the override still keep calls apart, and a deadline that has passed fails its call only", () =>
    Effect.gen(function*() {
      const results = yield* Effect.all([
        timed(detect("a").pipe(within("1 second", { attempts: 1 }))),
        timed(detect("b").pipe(within("2 seconds", { attempts: 1, jobDeadline: "3 seconds" }))),
        timed(detect("c").pipe(within("2 seconds"))),
        timed(detect("d").pipe(within(0)))
      ], together)
      assert.deepStrictEqual(results, [["success", 0], ["success", 0], ["success", 0], ["DeadlineExceeded", 0]])
      assert.deepStrictEqual((yield* textsSent).map((texts) => texts.join("")).toSorted(), ["ab", "c"])
    }).pipe(Effect.provide(Wire.layer(echo()))))
})
