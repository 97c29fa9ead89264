import { Attempt, Deadline, type Events, ResiliencePolicy } from "@effect-lingua/core"
import { Progress, Reporter } from "@effect-lingua/core/jobs/Progress"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Duration, Effect, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { scaled } from "../../../../test/support/scale.ts"
import { evenly, layer, questions, status, wait } from "../support/documents.ts"
import { errorOverTime, eventsOf, Metrics, overTime, Sample, valueOverTime, watch, Wire } from "../support/index.ts"

const translating = status("translating")
const done = status("done", { billed_characters: 9 })
const estimate = (seconds: unknown) => status("translating", { seconds_remaining: seconds })
const times = <A>(count: number, item: A) => Array.from({ length: count }, () => item)

/** Polls from one second on, half as long again each time, up to 15 seconds. */
const own = [1000, 1500, 2250, 3375, 5063, 7594, 11_391, 15_000, 15_000]

const line = (event: Events.Event): string =>
  event._tag === "Waiting"
    ? `${event.operation} waits ${Attempt.formatDuration(event.wait)} (${event.cause})`
    : event._tag === "AttemptEnded"
    ? `${event.attempt.operation} ${Attempt.format([event.attempt])}`
    : event._tag

describe("the wait for a document", () => {
  it.effect("asks at once, and gives the status when it is done", () =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(wait)
      assert.deepStrictEqual(yield* exit, { documentId: Sample.documentId, status: "done", billedCharacters: 9 })
      assert.strictEqual(took, 0)
      assert.deepStrictEqual(yield* questions, ["status"])
    }).pipe(Effect.provide(layer())))

  it.effect("asks less and less often, up to a longest wait", () =>
    Effect.gen(function*() {
      yield* valueOverTime(evenly(wait))
      assert.deepStrictEqual(yield* Wire.gaps, own)
    }).pipe(Effect.provide(layer({ status: [...times(9, translating), done] }))))

  it.effect.each<readonly [seconds: unknown, gap: number]>([
    [5, 5500],
    [0.2, 1100],
    [600, 16_500],
    [1800, 16_500],
    [1801, 1000],
    [0, 1000],
    [-5, 1000],
    [2 ** 27, 1000],
    [1e308, 1000],
    [null, 1000]
  ])("follows an estimate of %s seconds where it can be believed", ([seconds, gap]) =>
    Effect.gen(function*() {
      yield* valueOverTime(evenly(wait))
      assert.deepStrictEqual(yield* Wire.gaps, [gap])
    }).pipe(Effect.provide(layer({ status: [estimate(seconds), done] }))))

  it.effect("believes an estimate that comes true, until the end", () =>
    Effect.gen(function*() {
      yield* valueOverTime(evenly(wait))
      assert.deepStrictEqual(yield* Wire.gaps, [16_500, 16_500, 5500])
    }).pipe(Effect.provide(layer({ status: [estimate(40), estimate(24), estimate(5), done] }))))

  it.effect("believes no estimate any more when one has proved wrong", () =>
    Effect.gen(function*() {
      yield* valueOverTime(evenly(wait))
      assert.deepStrictEqual(yield* Wire.gaps, [5500, 5500, 2250, 3375, 5063])
    }).pipe(Effect.provide(layer({ status: [...times(5, estimate(5)), done] }))))

  it.effect("believes short estimates for ten seconds", () =>
    Effect.gen(function*() {
      yield* valueOverTime(evenly(wait))
      assert.deepStrictEqual(yield* Wire.gaps, times(5, 1100))
    }).pipe(Effect.provide(layer({ status: [...times(5, estimate(1)), done] }))))

  it.effect("is not kept asking by a short estimate after a long one", () =>
    Effect.gen(function*() {
      yield* errorOverTime(evenly(wait))
      assert.isBelow(yield* Wire.count, 150)
    }).pipe(Effect.provide(layer({ status: [estimate(900), estimate(1)] }))))

  it.effect("goes on in states that it does not know, until the document is done", () =>
    Effect.gen(function*() {
      const { status } = yield* valueOverTime(wait)
      assert.strictEqual(status, "done")
      assert.strictEqual(yield* Wire.count, 4)
    }).pipe(Effect.provide(layer({ status: [status("paused"), status(""), status("finished"), done] }))))

  it.effect("ends by the deadline, with the last state in words", () =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(Effect.flip(wait))
      const error = yield* exit
      assert.deepInclude<object>(error, {
        _tag: "DocumentNotReady",
        operation: "Documents.wait",
        outcome: "pending",
        isTransient: true
      })
      assert.match(
        error.message,
        /Its status is "pau sed"\. The next request is due in \d+ s, after the deadline of 30 min\./
      )
      assert.include(error.message, "Request it later with the same id and key")
      assert.isAtMost(took, 30 * 60_000)
      assert.isAbove(took, 29 * 60_000)
      assert.strictEqual(error.attempts.length, yield* Wire.count)
    }).pipe(Effect.provide(layer({ status: [status("pau\u0007sed")] }))))

  it.effect("does not wait for a question that would come after the deadline", () =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(evenly(Effect.flip(wait)))
      assert.strictEqual((yield* exit)._tag, "DocumentNotReady")
      assert.strictEqual(took, 4750)
      assert.strictEqual(yield* Wire.count, 4)
    }).pipe(
      Effect.provide(layer({ status: [translating], options: { resilience: { jobDeadline: Duration.seconds(8) } } }))
    ))

  it.effect.each<readonly [what: string, reply: Wire.Reply, message: RegExp]>([
    ["has no answer", Wire.silent, /The last request had no response by the deadline of 8 s/],
    ["fails again and again", Wire.answer(500), /the service failed/]
  ])("ends at the deadline with a question that %s", ([, reply, message]) =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(Effect.flip(wait))
      assert.isAtMost(took, 8000)
      assert.match((yield* exit).message, message)
    }).pipe(
      Effect.provide(
        layer({
          status: [translating, reply],
          options: { resilience: { attempts: 100, jobDeadline: Duration.seconds(8) } }
        })
      )
    ))

  it.effect("fails with DeadlineExceeded where the deadline of its region ends a question", () =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(Effect.flip(Deadline.within(wait, "8 seconds")))
      const error = yield* exit
      assert.strictEqual(error._tag, "DeadlineExceeded")
      assert.isAtMost(took, 8000)
    }).pipe(Effect.provide(layer({ status: [translating, Wire.silent] }))))

  it.effect("has the policy of its region", () =>
    Effect.gen(function*() {
      yield* errorOverTime(evenly(wait)).pipe(
        ResiliencePolicy.within({
          pollBase: Duration.seconds(10),
          pollCap: Duration.seconds(10),
          jobDeadline: Duration.minutes(1)
        })
      )
      assert.deepStrictEqual(yield* Wire.gaps, times(5, translating).map(() => 10_000))
    }).pipe(Effect.provide(layer({ status: [translating] }))))

  it.effect("waits for ever where there is no deadline", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(Effect.delay(wait, 1))
      yield* TestClock.adjust("40 minutes")
      assert.isUndefined(fiber.pollUnsafe())
      yield* Fiber.interrupt(fiber)
    }).pipe(
      Effect.provide(layer({ status: [estimate(1e308)], options: { resilience: { jobDeadline: Duration.infinity } } }))
    ))

  it.effect("asks once only when polling is off", () =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(Effect.flip(wait))
      assert.deepInclude<object>(yield* exit, {
        _tag: "DocumentNotReady",
        description: "Its status is \"translating\""
      })
      assert.strictEqual(took, 0)
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(layer({ status: [translating, done], options: { resilience: { polling: false } } }))))

  it.effect("asks no more when it is interrupted", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(Effect.delay(wait, 1))
      yield* TestClock.adjust("10 seconds")
      const before = yield* Wire.count
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("10 minutes")
      assert.isAbove(before, 1)
      assert.strictEqual(yield* Wire.count, before)
    }).pipe(Effect.provide(layer({ status: [translating] }))))

  it.effect("fails with the service's words when the translation failed", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(wait)
      assert.deepInclude<object>(error, {
        _tag: "DocumentFailed",
        operation: "Documents.wait",
        documentId: Sample.documentId,
        description: "Source and target language are equal.",
        traceId: "0AF1",
        outcome: "refused",
        isTransient: false
      })
      assert.include(
        error.message,
        `the translation of document ${Sample.documentId} failed. Source and target language are equal.`
      )
      assert.include(error.message, "Nothing was billed")
      assert.strictEqual(error.attempts.length, 2)
    }).pipe(Effect.provide(layer({
      status: [translating, status("error", { error_message: "Source and target language are equal." })]
    }))))

  it.effect("frees the service's words of control characters and cuts them", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(wait)
      assert.strictEqual(error.description, `bad file ${"x".repeat(291)}…`)
      assert.notMatch(error.message, /\p{Cc}/u)
    }).pipe(Effect.provide(layer({
      status: [status("error", { error_message: `\u001b\r\nbad\u0000 <b>file</b> ${"x".repeat(5000)}` })]
    }))))

  it.effect("refuses the status of another document, whose id it does not repeat", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(wait)
      assert.deepInclude<object>(error, { _tag: "UnexpectedResponse", document: Sample.document })
      assert.notInclude(error.message, "\u001b")
    }).pipe(Effect.provide(layer({ status: [Wire.answer(200, { document_id: "\u001b[2J", status: "error" })] }))))

  it.effect("lets the answers that are failures be repeated as those of any call", () =>
    Effect.gen(function*() {
      yield* valueOverTime(evenly(wait))
      assert.deepStrictEqual(yield* Wire.gaps, [7000, 1000, 250])
    }).pipe(Effect.provide(layer({
      status: [Wire.answer(429, "", { "retry-after": "7" }), translating, Wire.broken("ECONNRESET"), done]
    }))))

  it.effect("is told by events of all questions", () =>
    Effect.gen(function*() {
      const events = yield* eventsOf(Effect.exit(overTime(evenly(wait))))
      assert.deepStrictEqual(events.map(line), [
        "Documents.status #1 200 (trace 0AF1)",
        "Documents.wait waits 1 s (poll)",
        "Documents.status waited 1 s (poll), #2 200 (trace 0AF1)",
        "Documents.wait waits 2.2 s (poll)",
        "Documents.status waited 2.2 s (poll), #3 503 ServiceUnavailable",
        "Documents.status waits 250 ms (backoff)",
        "Documents.status waited 250 ms (backoff), #4 200 (trace 0AF1)"
      ])
    }).pipe(Effect.provide(layer({ status: [status("queued"), estimate(2), Wire.answer(503), status("error")] }))))

  it.effect("is told of a pause when it begins", () =>
    Effect.gen(function*() {
      const seen = yield* watch
      yield* Effect.forkChild(evenly(wait))
      yield* TestClock.adjust("500 millis")
      assert.strictEqual((yield* seen).map(line).at(-1), "Documents.wait waits 1 s (poll)")
    }).pipe(Effect.scoped, Effect.provide(layer({ status: [translating, done] }))))

  it.effect("is counted: its polls, its waits and its duration", () =>
    Metrics.isolated(
      Effect.gen(function*() {
        yield* valueOverTime(evenly(wait))
        const all = yield* Metrics.snapshot
        const of = (name: string) =>
          all.filter((metric) => metric.name === name).map(({ attributes, state }) => [
            attributes["operation"],
            attributes["cause"] ?? attributes["result"],
            "count" in state ? Number(state.count) : undefined,
            "sum" in state ? state.sum : undefined
          ])
        assert.deepStrictEqual(of("polls"), [["Documents.wait", undefined, 2, undefined]])
        assert.deepStrictEqual(of("wait.duration"), [["Documents.wait", "poll", 2, 2.5]])
        assert.deepStrictEqual(of("operation.duration"), [["Documents.wait", "success", 1, 2.5]])
        assert.deepStrictEqual(of("attempts"), [["Documents.status", "success", 3, undefined]])
      }).pipe(Effect.provide(layer({ status: [status("queued"), translating, done] })))
    ))

  it.effect("reports what it sees, with estimates that can be believed only", () =>
    Effect.gen(function*() {
      const seen: Array<Progress> = []
      yield* valueOverTime(evenly(wait)).pipe(
        Effect.provideService(Reporter, (event) => void seen.push(event))
      )
      const id = Sample.documentId
      assert.deepStrictEqual(seen, [
        Progress.Waiting({ id, state: "queued", remaining: Duration.seconds(3) }),
        Progress.Waiting({ id, state: "translating", remaining: Duration.seconds(3) }),
        Progress.Waiting({ id, state: "translating" }),
        Progress.Waiting({ id, state: "paused" }),
        Progress.Completed({ id, billedCharacters: 9 })
      ])
    }).pipe(Effect.provide(layer({
      status: [status("queued", { seconds_remaining: 3 }), estimate(3), estimate(2 ** 27), status("paused"), done]
    }))))

  const Polls = Schema.Array(
    Schema.Struct({
      status: Schema.Literals(["queued", "translating", "paused"]),
      seconds: Schema.Union([Schema.Finite, Schema.Int.check(Schema.isBetween({ minimum: -1, maximum: 2000 }))])
    })
  ).check(Schema.isMinLength(1), Schema.isMaxLength(30))

  const End = Schema.Literals(["done", "error"])

  it.effect.prop(
    "ends as the last status says, whatever came before it",
    [Arbitrary.schema(Polls), Arbitrary.schema(End)],
    ([polls, end]) =>
      Effect.gen(function*() {
        const { exit } = yield* overTime(
          Effect.flip(Effect.flip(wait)).pipe(
            Effect.map(({ status }) => status),
            Effect.catch((error) => Effect.succeed(error._tag))
          )
        )
        assert.strictEqual(yield* exit, end === "done" ? "done" : "DocumentFailed")
        assert.strictEqual(yield* Wire.count, polls.length + 1)
      }).pipe(Effect.provide(layer({
        status: [
          ...polls.map(({ seconds, status: state }) => status(state, { seconds_remaining: seconds })),
          status(end)
        ]
      }))),
    { arbitrary: { runs: scaled(8, 100) } }
  )

  it.effect.prop(
    "asks in its measure, whatever is estimated",
    [Arbitrary.schema(Polls)],
    ([polls]) => {
      let asked = 0
      const lying: Wire.Reply = (request, sent) => {
        const { seconds, status: state } = polls[asked++ % polls.length] ?? { seconds: 0, status: "queued" }
        return status(state, { seconds_remaining: seconds })(request, sent)
      }
      return Effect.gen(function*() {
        const { exit, took } = yield* overTime(Effect.flip(wait))
        assert.strictEqual((yield* exit)._tag, "DocumentNotReady")
        assert.isAtMost(took, 5 * 60_000)
        const gaps = yield* Wire.gaps
        assert.isAtLeast(Math.min(...gaps), 0.8 * 1000)
        assert.isAtMost(Math.max(...gaps), 1.2 * 15_000)
        assert.isAtMost(gaps.length, 10_000 / 800 + 5 * 60_000 / 12_000 + own.length)
      }).pipe(Effect.provide(layer({ status: [lying], options: { resilience: { jobDeadline: Duration.minutes(5) } } })))
    },
    { arbitrary: { runs: scaled(4, 100) } }
  )
})
