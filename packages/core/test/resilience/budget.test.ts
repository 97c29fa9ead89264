import { ClientState } from "@effect-lingua/core/client/ClientState"
import * as Events from "@effect-lingua/core/client/Events"
import { defaults, type RetryBudget } from "@effect-lingua/core/config/ResiliencePolicy"
import { Documents } from "@effect-lingua/core/documents/Documents"
import type { Attempt } from "@effect-lingua/core/errors/Attempt"
import { Languages } from "@effect-lingua/core/languages/Languages"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Random, Schema } from "effect"
import { TestClock } from "effect/testing"
import { scaled } from "../../../../test/support/scale.ts"
import * as Budgets from "../../src/resilience/internal/budget.ts"
import { eventsOf } from "../support/events.ts"
import * as Metrics from "../support/metrics.ts"
import * as Sample from "../support/operations.ts"
import { lead, within } from "../support/time.ts"
import * as Wire from "../support/Wire.ts"

const translate = Translation.use((translation) => translation.translate({ text: ["a"], targetLanguage: "de" }))
const read = Languages.use((languages) => languages.resources())
const download = Documents.use((documents) => documents.download(Sample.document))

/** Half of every bound, so that each wait is 125 ms and all sums are exact. */
const evenly = Effect.provideService(Random.Random, {
  nextDoubleUnsafe: () => 0.5,
  nextIntUnsafe: () => 0
})
const wait = 125
const attempts = 4

const policy = (retryBudget: RetryBudget) => ({
  resilience: {
    attempts,
    backoffBase: Duration.millis(2 * wait),
    backoffFactor: 1,
    retryBudget,
    breaker: undefined,
    // Nothing else holds back a call.
    concurrency: Number.POSITIVE_INFINITY
  }
})

/** The number of attempts of a failing call. */
const attemptsOf = <A, E extends { readonly attempts: ReadonlyArray<Attempt> }, R>(
  call: Effect.Effect<A, E, R>
) => Effect.map(within(Effect.flip(evenly(call)), "1 second"), ({ attempts }) => attempts.length)

type Answer = "refused" | "unknown" | "success"

const replies: Readonly<Record<Answer, Wire.Reply>> = {
  refused: Wire.answer(503),
  unknown: Wire.answer(502),
  success: Wire.answer(200, [])
}

/** The attempts of a call with these answers, and the cause of its end. */
interface Expected {
  readonly attempts: number
  readonly stop: "success" | "attempts" | "retry-budget"
}

/** A model of the budget as a sum of deposits and withdrawals. */
class Model {
  readonly policy: RetryBudget
  tokens: number
  at: number
  constructor(policy: RetryBudget, at: number) {
    this.policy = policy
    this.tokens = policy.tokens
    this.at = at
  }
  level(now: number): number {
    this.tokens = Math.min(this.policy.tokens, this.tokens + ((now - this.at) / 1000) * this.policy.perSecond)
    this.at = now
    return this.tokens
  }
  call(start: number, answers: ReadonlyArray<Answer>): Expected {
    for (let number = 1;; number++) {
      const now = start + (number - 1) * wait
      const answer = answers[number - 1] ?? "success"
      const level = this.level(now)
      if (answer === "success") {
        this.tokens = Math.min(this.policy.tokens, level + this.policy.success)
        return { attempts: number, stop: "success" }
      }
      if (number === attempts) return { attempts: number, stop: "attempts" }
      const cost = this.policy[answer]
      if (level < cost) return { attempts: number, stop: "retry-budget" }
      this.tokens -= cost
    }
  }
}

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const Budget = Schema.Struct({
  tokens: between(0, 40),
  refused: between(0, 8),
  unknown: between(0, 16),
  success: between(0, 4),
  perSecond: between(0, 4)
})

const AnswerOf = Schema.Literals(["refused", "unknown", "success"])

/** A call and its answers, after a pause in eighths of a second. */
const Step = Schema.Struct({
  pause: between(0, 40),
  answers: Schema.Array(AnswerOf).check(Schema.isMaxLength(attempts))
})

const Steps = Schema.Array(Step).check(Schema.isMinLength(1), Schema.isMaxLength(12))

/** Answers with the current list of replies. */
const scripted = () => {
  let answers: ReadonlyArray<Answer> = []
  let asked = 0
  const reply: Wire.Reply = (request, sent) => replies[answers[asked++] ?? "success"](request, sent)
  return {
    reply,
    play: (next: ReadonlyArray<Answer>) => {
      answers = next
      asked = 0
    },
    asked: () => asked
  }
}

const always = (status: number) => Wire.answer(status)

const stops = (ledger: ReadonlyArray<Attempt>) => ledger.map(({ stopCause }) => stopCause ?? "")

describe("budget", () => {
  it.effect.prop(
    "calls are repeated exactly if the budget has tokens for it, and the state has them",
    [Budget, Steps],
    ([budget, steps]) => {
      const script = scripted()
      return Effect.gen(function*() {
        let now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        const model = new Model(budget, now)
        for (const { answers, pause } of steps) {
          yield* TestClock.adjust(pause * wait)
          now += pause * wait + lead
          script.play(answers)
          const expected = model.call(now, answers)
          const exit = yield* within(Effect.exit(evenly(read)), attempts * wait)
          now += attempts * wait
          assert.strictEqual(script.asked(), expected.attempts)
          assert.strictEqual(Exit.isSuccess(exit), expected.stop === "success")
          if (Exit.isFailure(exit)) {
            const { attempts: ledger } = yield* Effect.flip(exit)
            assert.strictEqual(ledger.at(-1)?.stopCause, expected.stop)
          }
          const { retryTokens } = yield* ClientState.use((client) => client.get())
          assert.deepStrictEqual(retryTokens, [{
            operation: "Languages.resources",
            tokens: model.level(now),
            capacity: budget.tokens
          }])
        }
      }).pipe(Effect.provide(Wire.layer(script.reply, policy(budget))), Metrics.isolated)
    },
    { arbitrary: { runs: scaled(20, 80) } }
  )

  it.effect("an empty budget stops all calls of the client after their first attempt", () =>
    Effect.gen(function*() {
      const budget = { tokens: 10, refused: 5, unknown: 10, success: 0, perSecond: 0 }
      yield* Effect.gen(function*() {
        const first = yield* within(Effect.flip(evenly(read)), "1 second")
        assert.deepStrictEqual(stops(first.attempts), ["", "", "retry-budget"])
        const second = yield* within(Effect.flip(evenly(read)), "1 second")
        assert.deepStrictEqual(stops(second.attempts), ["retry-budget"])
        assert.include(
          first.message,
          "#1 503 ServiceUnavailable, waited 125 ms (backoff), #2 503 ServiceUnavailable, waited 125 ms (backoff), " +
            "#3 503 ServiceUnavailable, gave up (retry-budget)"
        )
      }).pipe(Effect.provide(Wire.layer(always(503), policy(budget))))
    }))

  it.effect("an unknown outcome costs more than a refusal", () =>
    Effect.gen(function*() {
      const budget = { tokens: 28, refused: 5, unknown: 14, success: 0, perSecond: 0 }
      const attemptsAfter = (status: number) =>
        within(Effect.flip(evenly(read)), "1 second").pipe(
          Effect.map((error) => error.attempts.length),
          Effect.provide(Wire.layer(always(status), policy(budget)))
        )
      assert.strictEqual(yield* attemptsAfter(503), 4)
      assert.strictEqual(yield* attemptsAfter(500), 3)
    }))

  it.effect("an empty budget is refilled by time", () =>
    Effect.gen(function*() {
      yield* within(Effect.flip(evenly(read)), "1 second")
      assert.strictEqual((yield* within(Effect.flip(evenly(read)), "1 second")).attempts.length, 1)
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* within(Effect.flip(evenly(read)), "1 second")).attempts.length, 2)
    }).pipe(Effect.provide(
      Wire.layer(always(503), policy({ tokens: 5, refused: 5, unknown: 14, success: 0, perSecond: 1 }))
    )))

  it.effect("the default gives a failing operation a hundred retries, and then two a second at most", () =>
    Effect.gen(function*() {
      const seconds = 60
      const calls = 10 * seconds
      yield* Effect.forkChild(
        Effect.forEach(
          Array.from({ length: calls }),
          () => Effect.andThen(Effect.sleep("100 millis"), Effect.forkChild(evenly(read)))
        )
      )
      yield* TestClock.adjust(Duration.seconds(seconds))
      const retries = (yield* Wire.count) - calls
      assert.isAtMost(retries, 100 + 2 * seconds)
      assert.isAtLeast(retries, 100 + 2 * seconds - 4)
    }).pipe(Effect.provide(Wire.layer(always(503), policy(defaults.retryBudget ?? assert.fail("there is no budget"))))))

  it.effect("a call that is not repeated costs nothing", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* within(Effect.flip(read), "1 second"))._tag, "InvalidKey")
      assert.strictEqual(yield* Metrics.gauge("retry_budget", { operation: "Languages.resources" }), 5)
    }).pipe(
      Effect.provide(Wire.layer(always(401), policy({ tokens: 5, refused: 5, unknown: 5, success: 0, perSecond: 0 }))),
      Metrics.isolated
    ))

  it.effect.each([400, 404, 456])(
    "an answer of %d refills the budget as a success does",
    (status) =>
      Effect.gen(function*() {
        for (let call = 0; call < 20; call++) {
          const error = yield* within(Effect.flip(evenly(translate)), "1 second")
          assert.deepStrictEqual(error.attempts.map((attempt) => attempt.status), [503, status])
        }
      }).pipe(Effect.provide(Wire.layer(
        Array.from({ length: 40 }, (_, index) => Wire.answer(index % 2 === 0 ? 503 : status)),
        policy({ tokens: 5, refused: 5, unknown: 14, success: 5, perSecond: 0 })
      )))
  )

  it.effect.each([429, 503])("an answer of %d does not refill the budget", (status) =>
    Effect.gen(function*() {
      yield* within(Effect.flip(evenly(read)), "1 second")
      assert.strictEqual(yield* Metrics.gauge("retry_budget", { operation: "Languages.resources" }), 4)
    }).pipe(
      Effect.provide(Wire.layer(
        always(status),
        policy({ tokens: 4, refused: 5, unknown: 14, success: 1, perSecond: 0 })
      )),
      Metrics.isolated
    ))

  it.effect("each operation has a budget of its own: failing polls do not use that of downloads, nor the reverse", () =>
    Effect.gen(function*() {
      const { download, status } = yield* Documents
      const poll = status(Sample.document)
      const bytes = download(Sample.document)
      assert.deepStrictEqual([yield* attemptsOf(poll), yield* attemptsOf(poll)], [4, 1])
      assert.deepStrictEqual([yield* attemptsOf(bytes), yield* attemptsOf(bytes)], [4, 1])
    }).pipe(Effect.provide(
      Wire.layer(always(529), {
        resilience: {
          ...policy({ tokens: 15, refused: 5, unknown: 14, success: 0, perSecond: 0 }).resilience,
          throttleBase: Duration.millis(100)
        }
      })
    )))

  it.effect("polls for a document cost nothing", () =>
    Effect.gen(function*() {
      yield* within(download, "1 minute")
      assert.strictEqual(yield* Metrics.gauge("retry_budget", { operation: "Documents.status" }), 0)
      assert.strictEqual(yield* Wire.count, 10)
    }).pipe(
      Effect.provide(Wire.layer(
        [...Wire.readyAfter(7), Wire.answer(200, "bytes")],
        policy({ tokens: 0, refused: 5, unknown: 5, success: 0, perSecond: 0 })
      )),
      Metrics.isolated
    ))

  it.effect("an empty budget is an event that names the operation", () =>
    Effect.gen(function*() {
      const events = yield* eventsOf(within(Effect.flip(evenly(read)), "1 second"))
      assert.deepStrictEqual(
        events.filter(({ _tag }) => _tag === "BudgetSpent"),
        [Events.Event.BudgetSpent({ operation: "Languages.resources", annotations: {} })]
      )
    }).pipe(Effect.provide(
      Wire.layer(always(503), policy({ tokens: 9, refused: 5, unknown: 14, success: 0, perSecond: 0 }))
    )))

  it("a client keeps a bounded number of budgets, and drops the oldest", () => {
    const { of: budgetOf } = Budgets.makeAll({ tokens: 1, refused: 1, unknown: 1, success: 0, perSecond: 0 }, () => {})
    const [first, last] = [budgetOf("operation 0", 0), budgetOf("operation 255", 0)]
    for (let index = 1; index < 255; index++) budgetOf(`operation ${index}`, 0)
    assert.strictEqual(budgetOf("operation 0", 0), first)
    budgetOf("operation 256", 0)
    assert.notStrictEqual(budgetOf("operation 0", 0), first)
    assert.strictEqual(budgetOf("operation 200", 0), budgetOf("operation 200", 0))
    assert.isTrue(last.spend("refused", 0))
  })
})
