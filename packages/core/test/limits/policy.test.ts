import { LanguageService, LanguageServiceConfig, ResiliencePolicy } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Equal, Layer, Redacted, Result, Schedule, Stream } from "effect"
import { HttpClient } from "effect/http"
import { download, read, rephrase, type Sample, success, Wire } from "../support/index.ts"
import { errorOverTime, overTime, valueOverTime } from "../support/time.ts"

type Policy = ResiliencePolicy.Options

const { defaults } = ResiliencePolicy
const { millis, seconds } = Duration
const negative = millis(-1)
const zero = Duration.zero
const rate = { requests: 10, window: seconds(1) }

/** Invalid policies, by field. */
const invalid: ReadonlyArray<readonly [field: string, policy: Policy, problem: string]> = [
  ...[0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY].map((attempts) =>
    ["attempts", { attempts }, "must be a whole number from 1"] as const
  ),
  ...[zero, negative].map((backoffBase) => ["backoffBase", { backoffBase }, "must be more than 0"] as const),
  ["backoffCap", { backoffBase: millis(500), backoffCap: millis(499) }, "is below backoffBase"],
  ...[zero, negative].map((throttleBase) => ["throttleBase", { throttleBase }, "must be more than 0"] as const),
  ["retryAfterCap", { retryAfterCap: negative }, "must not be negative"],
  ["retryAfterCap", { retryAfterCap: Number.NaN }, "is not a duration such as \"5 seconds\""],
  ...[zero, negative].map((attemptTimeout) => ["attemptTimeout", { attemptTimeout }, "must be more than 0"] as const),
  ...[zero, negative].map((bodyIdleTimeout) =>
    ["bodyIdleTimeout", { bodyIdleTimeout }, "must be more than 0"] as const
  ),
  ["deadline", { attemptTimeout: seconds(2), deadline: seconds(1) }, "is below attemptTimeout"],
  ...[zero, negative].map((pollBase) => ["pollBase", { pollBase }, "must be more than 0"] as const),
  ["pollCap", { pollBase: seconds(2), pollCap: seconds(1) }, "is below pollBase"],
  ...[0, -1, Number.NaN].map((maxBodyBytes) => ["maxBodyBytes", { maxBodyBytes }, "must be more than 0"] as const),
  ...[0, -1, 2.5, Number.NaN, Number.NEGATIVE_INFINITY].map((concurrency) =>
    ["concurrency", { concurrency }, "must be a whole number from 1, or Infinity"] as const
  ),
  ...[0, -1, 2.5, Number.NaN, Number.NEGATIVE_INFINITY].map((openStreams) =>
    ["openStreams", { openStreams }, "must be a whole number from 1, or Infinity"] as const
  ),
  ...[0, 0.5, Number.NaN].map((requests) =>
    ["rate.requests", { rate: { ...rate, requests } }, "must be a whole number from 1"] as const
  ),
  ["rate.requests", { rate: { ...rate, requests: 1001 } }, "must be at most one in a millisecond"],
  ...[zero, Duration.infinity].map((window) =>
    ["rate.window", { rate: { ...rate, window } }, "must be more than 0, and finite"] as const
  )
]

/** Deadlines that have passed. */
const over: ReadonlyArray<readonly [field: string, policy: Policy, problem: string]> = [zero, negative].flatMap((
  time
) => [
  ["deadline", { deadline: time }, "must be more than 0"] as const,
  ["jobDeadline", { jobDeadline: time }, "must be more than 0"] as const
])

const valid: ReadonlyArray<readonly [title: string, policy: Policy]> = [
  ["the defaults", defaults],
  ["none", ResiliencePolicy.none],
  ["equal bounds", {
    backoffBase: seconds(1),
    throttleBase: seconds(1),
    backoffCap: seconds(1),
    pollBase: seconds(1),
    pollCap: seconds(1),
    attemptTimeout: seconds(5),
    deadline: seconds(5),
    jobDeadline: seconds(5)
  }],
  ["a request in each millisecond", { rate: { ...rate, requests: 1000 } }],
  ["no waiting for Retry-After", { retryAfterCap: zero }],
  ["one request at a time and one an hour", { concurrency: 1, rate: { requests: 1, window: Duration.hours(1) } }]
]

const build = (options: Partial<LanguageServiceConfig.Options>) =>
  Effect.scoped(Layer.build(
    LanguageService.layer({ key: Redacted.make("a-key"), baseUrl: Wire.baseUrl, ...options }).pipe(
      Layer.provide(Layer.succeed(HttpClient.HttpClient, HttpClient.make(() => Effect.never)))
    )
  ))

const override = (policy: Policy) => ResiliencePolicy.within(policy)

describe("policy", () => {
  it.effect.each([...invalid, ...over])(
    "a policy of a client or of a service is refused when the layer is built: %s",
    ([field, policy, problem]) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(build({ resilience: policy }))
        assert.strictEqual(error._tag, "InvalidConfiguration")
        assert.strictEqual(error.message, `resilience.${field} ${problem}`)
        const ofService = yield* Effect.flip(build({ serviceResilience: { Writing: policy } }))
        assert.strictEqual(ofService.message, `serviceResilience.Writing.${field} ${problem}`)
      })
  )

  it.effect.each(invalid)(
    "an invalid policy of a region fails its calls, and nothing is sent: %s",
    ([field, fields]) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(override(fields)(read))
        assert.strictEqual(error._tag, "InvalidInput")
        assert.include(error.message, `ResiliencePolicy.within.${field}: `)
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(Wire.layer(success)))
  )

  it.effect.each(over)(
    "a region whose deadline has passed fails its calls as not sent: %s",
    ([, fields]) =>
      Effect.gen(function*() {
        for (const call of [read, rephrase, download] as ReadonlyArray<Sample.Operation["call"]>) {
          const error = yield* Effect.flip(override(fields)(call))
          if (error._tag !== "DeadlineExceeded") return assert.fail(error._tag)
          assert.strictEqual(error.outcome, "refused")
          assert.deepStrictEqual(error.deadline, fields.deadline ?? fields.jobDeadline)
          assert.deepStrictEqual(error.attempts, [])
          assert.include(error.message, "Nothing was sent")
        }
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(Wire.layer(success)))
  )

  it.effect.each(valid)("a policy is accepted: %s", ([, resilience]) =>
    Effect.gen(function*() {
      yield* build({ resilience })
      yield* build({ resilience, serviceResilience: { Languages: resilience } })
    }))

  it.effect.each<readonly [field: string, policy: Policy, off: string]>([
    ["concurrency", { concurrency: 5 }, "Infinity"],
    ["openStreams", { openStreams: 5 }, "Infinity"],
    ["rate", { rate }, "undefined"]
  ])(
    "other numbers of what a client shares are refused for a region or a service: %s",
    ([field, fields, off]) =>
      Effect.gen(function*() {
        const problem = `is shared by all calls of the client: leave it out, or switch it off with ${off}`
        const error = yield* Effect.flip(override(fields)(read))
        assert.strictEqual(error._tag, "InvalidInput")
        assert.include(error.message, `ResiliencePolicy.within.${field}: `)
        assert.include(error.message, problem)
        assert.strictEqual(yield* Wire.count, 0)
        const service = build({ serviceResilience: { Languages: fields } })
        assert.strictEqual((yield* Effect.flip(service)).message, `serviceResilience.Languages.${field} ${problem}`)
      }).pipe(Effect.provide(Wire.layer(success)))
  )

  it.effect("a region may switch off what a client shares, or repeat its numbers", () =>
    Effect.gen(function*() {
      yield* override(ResiliencePolicy.none)(read)
      yield* override(defaults)(read)
      yield* override({ concurrency: 100, openStreams: Number.POSITIVE_INFINITY })(read)
      assert.strictEqual(yield* Wire.count, 3)
    }).pipe(Effect.provide(Wire.layer(success))))

  const { within } = ResiliencePolicy

  it.effect("a region inside another one keeps its fields, and may replace them", () =>
    Effect.gen(function*() {
      const never = within({ repeatMetered: "never" })
      const inner = rephrase.pipe(within({ deadline: "5 seconds" }))
      assert.strictEqual((yield* errorOverTime(never(inner))).attempts.length, 1)
      assert.strictEqual((yield* errorOverTime(never(within(rephrase, { repeatMetered: "once" })))).attempts.length, 2)
    }).pipe(Effect.provide(Wire.layer(Wire.broken("ECONNRESET")))))

  it.effect.each<readonly [title: string, outer: Policy, inner: Policy]>([
    ["the deadline is inside", { attemptTimeout: "20 seconds" }, { deadline: "3 seconds" }],
    ["the deadline is outside", { deadline: "3 seconds" }, { attemptTimeout: "20 seconds" }]
  ])("an attempt timeout is cut to the deadline of another region: %s", ([, outer, inner]) =>
    Effect.gen(function*() {
      const { exit, took } = yield* overTime(read.pipe(within(inner), within(outer)))
      assert.strictEqual((yield* Effect.flip(exit))._tag, "DeadlineExceeded")
      assert.strictEqual(took, 3000)
    }).pipe(Effect.provide(Wire.layer(Wire.silent))))

  it.effect.each<unknown>([undefined, null, 42, []])(
    "a region refuses fields that are no object: %o",
    (fields) =>
      Effect.gen(function*() {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an untyped caller
        const region = within(fields as Policy)
        for (const call of [region(read), region(within(read, { attempts: 2 }))]) {
          const error = yield* Effect.flip(call)
          assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: "ResiliencePolicy.within" })
        }
      }).pipe(Effect.provide(Wire.layer(success)))
  )

  it.effect.each<unknown>([null, 5, [], { transiant: Schedule.recurs(1) }, { transient: 5 }])(
    "a region refuses schedules that are none: %o",
    (schedules) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(within(read, Object.assign({}, { ["schedules" as string]: schedules })))
        assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: "ResiliencePolicy.within.schedules" })
      }).pipe(Effect.provide(Wire.layer(success)))
  )

  it("the default attempt timeout is limited to a given deadline", () => {
    const timeout = (deadline: Duration.Input) =>
      Result.map(ResiliencePolicy.override(defaults, { deadline }), ({ attemptTimeout }) => attemptTimeout)
    assert.deepStrictEqual(timeout("3 seconds"), Result.succeed(seconds(3)))
    assert.deepStrictEqual(timeout("60 seconds"), Result.succeed(defaults.attemptTimeout))
  })

  it.effect.each<readonly [how: string, deadline: Duration.Input]>([
    ["a text", "3 seconds"],
    ["milliseconds", 3000],
    ["an object", { seconds: 3 }],
    ["seconds and nanoseconds", [3, 0]],
    ["a Duration", seconds(3)]
  ])(
    "durations may be %s: in the client's policy, in that of a service and in a region",
    ([, deadline]) =>
      Effect.gen(function*() {
        const key = Redacted.make("a-key")
        const config = yield* LanguageServiceConfig.make({
          key,
          baseUrl: Wire.baseUrl,
          resilience: { deadline, pollBase: "2 seconds", pollCap: deadline, rate: { requests: 1, window: seconds(3) } },
          serviceResilience: {
            Writing: { pollBase: deadline, pollCap: "5 seconds", rate: { requests: 1, window: deadline } }
          }
        })
        assert.isTrue(Equal.equals(config.resilience.deadline, seconds(3)))
        assert.isTrue(Equal.equals(config.resilience.pollCap, seconds(3)))
        assert.isTrue(Equal.equals(config.serviceResilience.Writing?.pollBase, seconds(3)))
        assert.isTrue(Equal.equals(config.serviceResilience.Writing?.rate?.window, seconds(3)))
        const { took } = yield* overTime(Effect.flip(override({ deadline, attempts: 1 })(read)))
        assert.strictEqual(took, 3000)
      }).pipe(Effect.provide(Wire.layer(Wire.silent)))
  )

  it.effect.each<readonly [title: string, policy: string, field: string]>([
    ["an unknown field", `{ "atempts": 3 }`, "atempts"],
    ["a text for a number", `{ "attempts": "3" }`, "attempts"],
    ["null for a number", `{ "attempts": null }`, "attempts"],
    ["a text that is no duration", `{ "deadline": "3 parsecs" }`, "deadline"],
    ["null for a duration", `{ "pollCap": null }`, "pollCap"],
    ["a text for a flag", `{ "polling": "yes" }`, "polling"],
    ["an unknown literal", `{ "repeatMetered": "twice" }`, "repeatMetered"],
    ["another unknown literal", `{ "whenUnavailable": "ask" }`, "whenUnavailable"],
    ["a number for an object", `{ "rate": 1 }`, "rate"],
    ["a missing field of an object", `{ "rate": { "requests": 1 } }`, "rate.window"],
    ["an unknown field of an object", `{ "rate": { "requests": 1, "window": 1000, "burst": 2 } }`, "rate.burst"]
  ])("an invalid field of a caller without types is named: %s", ([, json, field]) =>
    Effect.gen(function*() {
      const fields: Policy = JSON.parse(json)
      assert.strictEqual((yield* Effect.flip(build({ resilience: fields }))).setting, `resilience.${field}`)
      const ofService = yield* Effect.flip(build({ serviceResilience: { Usage: fields } }))
      assert.strictEqual(ofService.setting, `serviceResilience.Usage.${field}`)
      for (const call of [read, download] as ReadonlyArray<Sample.Operation["call"]>) {
        const error = yield* Effect.flip(override(fields)(call))
        assert.strictEqual(error._tag, "InvalidInput")
        assert.include(error.message, `ResiliencePolicy.within.${field}: `)
      }
    }).pipe(Effect.provide(Wire.layer(success))))

  it.effect("a service's policy inherits its other fields from the client's", () =>
    Effect.gen(function*() {
      const { took } = yield* overTime(Effect.flip(read))
      assert.strictEqual(took, 2000)
    }).pipe(Effect.provide(Wire.layer(Wire.silent, {
      resilience: { attemptTimeout: seconds(2) },
      serviceResilience: { Languages: { attempts: 1 } }
    }))))

  it.effect("a region's policy overrides that of the service, for its calls only", () =>
    Effect.gen(function*() {
      const region = Effect.all([Effect.flip(read), Effect.flip(rephrase)]).pipe(override({ attempts: 4 }))
      const errors = yield* valueOverTime(region)
      assert.deepStrictEqual(errors.map(({ attempts }) => attempts.length), [4, 4])
      assert.strictEqual((yield* errorOverTime(read)).attempts.length, 3)
      assert.strictEqual((yield* errorOverTime(rephrase)).attempts.length, 2)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(429), {
      resilience: { attempts: 2 },
      serviceResilience: { Languages: { attempts: 3 } }
    }))))

  describe("none", () => {
    const none = { resilience: ResiliencePolicy.none }

    it.effect.each([408, 429, 500, 502, 503, 504, 529])(
      "one attempt and no wait after %d",
      (status) =>
        Effect.gen(function*() {
          const { exit, took } = yield* overTime(Effect.flip(read))
          assert.strictEqual((yield* exit).attempts.length, 1)
          assert.strictEqual(took, 0)
          assert.strictEqual(yield* Wire.count, 1)
        }).pipe(Effect.provide(Wire.layer(Wire.answer(status, "", { "retry-after": "2" }), none)))
    )

    it.effect("headers and bodies have no timeout", () =>
      Effect.gen(function*() {
        const { took } = yield* overTime(read)
        assert.strictEqual(took, 2 * 3_600_000)
      }).pipe(Effect.provide(Wire.layer(
        Wire.late(
          "1 hour",
          Wire.streamed(200, Stream.fromEffect(Effect.delay(Effect.succeed(new TextEncoder().encode("[]")), "1 hour")))
        ),
        none
      ))))

    it.effect("a hundred failures open no circuit, and a thousand calls are sent at once", () =>
      Effect.gen(function*() {
        for (let call = 0; call < 100; call++) assert.strictEqual((yield* Effect.flip(read))._tag, "Overloaded")
        const { took } = yield* overTime(
          Effect.forEach(Array.from({ length: 1000 }), () => Effect.exit(read), { concurrency: "unbounded" })
        )
        assert.strictEqual(took, 1000)
        assert.strictEqual(yield* Wire.count, 1100)
      }).pipe(Effect.provide(Wire.layer(
        (request, sent) =>
          sent.at === 0 ? Wire.answer(529)(request, sent) : Wire.late("1 second", success)(request, sent),
        none
      ))))

    it.effect("a region without resilience ignores the client's limits", () =>
      Effect.gen(function*() {
        yield* Effect.forEach(Array.from({ length: 4 }), () => Effect.flip(read))
        assert.strictEqual((yield* Effect.flip(read))._tag, "CircuitOpen")
        const [took, error] = yield* Effect.timed(override(ResiliencePolicy.none)(Effect.flip(read)))
        assert.strictEqual(error._tag, "Overloaded")
        assert.isTrue(Duration.isZero(took))
        assert.strictEqual(yield* Wire.count, 5)
      }).pipe(
        valueOverTime,
        Effect.provide(Wire.layer(Wire.answer(529), {
          resilience: { attempts: 1, rate: { requests: 1, window: seconds(10) }, whenUnavailable: "fail" }
        }))
      ))
  })
})
