import { Deadline, Detection, Documents, Languages, type Writing } from "@effect-lingua/core"
import { within } from "@effect-lingua/core/config/ResiliencePolicy"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Option, Result, Schema } from "effect"
import { scaled } from "../../../../test/support/scale.ts"
import { download, echo, read, rephrase, Sample, success, valueOverTime, Wire } from "../support/index.ts"

const detect = (text: string) => Detection.use((detection) => detection.detect(text))
const repliesOf = (url: string): Wire.Reply => {
  if (url.includes("detect")) return echo()
  return url.includes("rephrase") ? Wire.answer(200, Sample.improvements) : success
}

/** The milliseconds of an effect, and its error. */
const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const start = yield* Clock.currentTimeMillis
    const result = yield* Effect.result(effect)
    return { took: (yield* Clock.currentTimeMillis) - start, error: Option.getOrUndefined(Result.getFailure(result)) }
  })

describe("a region with a deadline", () => {
  it.effect("has one for its calls, with their waits; its error says what was left", () =>
    Effect.gen(function*() {
      const handler = Effect.all([read, Effect.sleep("100 millis"), read, rephrase])
      const { error, took } = yield* timed(Deadline.within(handler, "2 seconds"))
      assert.strictEqual(took, 2000)
      assert.isTrue(error?._tag === "DeadlineExceeded")
      if (error?._tag !== "DeadlineExceeded") return
      assert.deepStrictEqual(error.deadline, Duration.millis(500))
      assert.strictEqual(error.outcome, "unknown")
      assert.match(error.message, /^Writing\.rephrase: the deadline of 500 ms passed/)
    }).pipe(valueOverTime, Effect.provide(Wire.layer(Wire.late("700 millis", success)))))

  it.effect.each<
    readonly [
      time: string,
      replies: Wire.Script,
      call: Effect.Effect<unknown, { readonly _tag: string }, Documents | Languages>
    ]
  >([
    ["waits for retries", Wire.answer(503), read],
    ["polls", Wire.answer(503), download],
    ["the upload of a document", Wire.silent, Documents.use(({ upload }) => upload(Sample.upload))],
    ["a response that does not come", Wire.silent, read]
  ])("bounds %s", ([, replies, call]) =>
    Effect.gen(function*() {
      const { error, took } = yield* timed(Deadline.within(Effect.andThen(Effect.sleep("1 second"), call), "3 seconds"))
      assert.isDefined(error)
      assert.isAtMost(took, 3000)
    }).pipe(valueOverTime, Effect.provide(Wire.layer(replies))))

  const Calls = Schema.Array(Schema.Literals(["read", "rephrase", "detect"])).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(8)
  )
  const Millis = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2000 }))
  const byName: Readonly<
    Record<string, Effect.Effect<unknown, { readonly _tag: string }, Detection | Languages | Writing>>
  > = { read, rephrase, detect: detect("text") }

  it.effect.prop(
    "ends any calls, one after the other or at once, when it is over, and no sooner",
    [Calls, Schema.Boolean, Millis, Millis],
    ([calls, atOnce, latency, time]) => {
      const handler = Effect.forEach(calls, (name) => byName[name] ?? read, { concurrency: atOnce ? "unbounded" : 1 })
      return Effect.gen(function*() {
        const free = yield* timed(handler)
        const { error, took } = yield* timed(Deadline.within(handler, time))
        assert.strictEqual(took, Math.min(free.took, time))
        assert.strictEqual(error?._tag, free.took <= time ? undefined : "DeadlineExceeded")
      }).pipe(
        valueOverTime,
        Effect.provide(
          Wire.layer((request, sent) => Wire.late(latency, repliesOf(sent.url))(request, sent), {
            resilience: { concurrency: Number.POSITIVE_INFINITY }
          })
        )
      )
    },
    { arbitrary: { runs: scaled(20, 100) } }
  )

  it.effect("is the nearest of those around it, and the deadline of a policy still applies", () =>
    Effect.gen(function*() {
      const inner = yield* timed(read.pipe(Deadline.within("1 second"), Deadline.within("3 seconds")))
      const outer = yield* timed(read.pipe(Deadline.within("3 seconds"), Deadline.within("1 second")))
      assert.deepStrictEqual([inner.took, outer.took], [1000, 1000])
      const own = yield* timed(read.pipe(within({ deadline: "1 second" }), Deadline.within("3 seconds")))
      assert.strictEqual(own.took, 1000)
      assert.strictEqual(own.error?._tag, "DeadlineExceeded")
    }).pipe(valueOverTime, Effect.provide(Wire.layer(Wire.silent))))

  it.effect("that is over, or is none, fails calls before anything is sent", () =>
    Effect.gen(function*() {
      for (const time of [0, "-1 seconds"] as const) {
        const error = yield* Effect.flip(Deadline.within(read, time))
        assert.strictEqual(error._tag, "DeadlineExceeded")
        assert.strictEqual(error.outcome, "refused")
      }
      for (const given of ["soon", Number.NaN, null]) {
        const { time: invalid = 0 }: { readonly time?: Duration.Input } = Object.assign({}, {
          ["time" as string]: given
        })
        for (
          const [parameter, region] of [
            ["Deadline.within", Deadline.within(read, invalid)],
            [
              "Deadline.within",
              read.pipe(within({ deadline: "1 second" }), Deadline.within("1 second"), Deadline.within(invalid))
            ],
            ["ResiliencePolicy.within.deadline", within(read, { deadline: invalid })]
          ] as const
        ) {
          assert.deepInclude<object>(yield* Effect.flip(region), { _tag: "InvalidInput", parameter })
        }
      }
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer(success))))

  it.effect("does not end the load of a list for others", () =>
    Effect.gen(function*() {
      const list = Languages.use((languages) => languages.sources({ resource: "translate_text" }))
      const [hasty, other] = yield* Effect.all([timed(Deadline.within(list, "1 second")), timed(list)], {
        concurrency: 2
      })
      assert.strictEqual(hasty.error?._tag, "DeadlineExceeded")
      assert.isUndefined(other.error)
    }).pipe(valueOverTime, Effect.provide(Wire.layer(Wire.late("3 seconds", success)))))

  it.effect("shows what is left", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* Deadline.remaining, Option.none())
      const left = Effect.andThen(Effect.sleep("300 millis"), Deadline.remaining)
      assert.deepStrictEqual(yield* Deadline.within(left, "1 second"), Option.some(Duration.millis(700)))
      assert.deepStrictEqual(yield* Deadline.within(left, "100 millis"), Option.some(Duration.zero))
    }).pipe(valueOverTime))
})
