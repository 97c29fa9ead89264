import { ClientState, Documents, Problem, ResiliencePolicy, SharedRate, Tenant, Translation } from "@effect-lingua/core"
import type { Options } from "@effect-lingua/core/config/LanguageServiceConfig"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, Fiber, Result, Stream } from "effect"
import * as RateLimiter from "effect/persistence/RateLimiter"
import { TestClock } from "effect/testing"
import { scaled } from "../../../../test/support/scale.ts"
import { download, echo, overTime, read, Sample, textsSent, valueOverTime, Wire } from "../support/index.ts"

const translate = (text: string) =>
  Translation.use((translation) => translation.translate(text, { targetLanguage: "de" }))
const translateList = (text: string) =>
  Translation.use((translation) => translation.translate({ text: [text], targetLanguage: "de" }))
const used = (tenant: Tenant.Tenant) => Effect.map(Tenant.state(tenant), ({ budget }) => budget?.used)

const under = (tenant: Tenant.Tenant) => Tenant.within(tenant)

const byName = (optionsOf: (name: string) => Omit<Tenant.Options, "name">) =>
  Tenant.makeMap({ lookup: (name) => Effect.succeed(optionsOf(name)) })

const many = <A, E, R>(count: number, call: Effect.Effect<A, E, R>) =>
  Effect.forEach(Array.from({ length: count }), () => call, { concurrency: "unbounded", discard: true })

/** The milliseconds that a call takes. */
const timed = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const start = yield* Clock.currentTimeMillis
    yield* call
    return (yield* Clock.currentTimeMillis) - start
  })

/** The milliseconds that two calls of each tenant take. */
const took = (tenants: ReadonlyArray<Tenant.Tenant>) =>
  Effect.map(
    overTime(Effect.forEach(tenants, (tenant) => under(tenant)(many(2, read)), { concurrency: "unbounded" })),
    ({ took }) => took
  )

/** Runs a call that may take some time, in one attempt. */
const within = (deadline: Duration.Input) => ResiliencePolicy.within({ deadline, attemptTimeout: deadline })

const refused: ReadonlyArray<readonly [setting: string, options: object, problem: string]> = [
  ["name", { name: "" }, "must be 1 to 64 letters"],
  ["name", { name: "Ann & Co" }, "must be 1 to 64 letters"],
  ["characterBudget", { characterBudget: -1 }, "must be a whole number from 0"],
  ["charactersUsed", { charactersUsed: 0.5 }, "must be a whole number from 0"],
  ["concurrency", { concurrency: 0 }, "must be a whole number from 1, or Infinity"],
  ["rate.requests", { rate: { requests: 0, window: "1 second" } }, "must be a whole number from 1"],
  ["rate.requests", { rate: { requests: 10, window: 9 } }, "must be at most one in a millisecond"],
  ["rate.window", { rate: { requests: 1, window: "soon" } }, "is not a duration"],
  ["rate.window", { rate: { requests: 1, window: "Infinity" } }, "must be more than 0, and finite"],
  ["attempts", { attempts: 3 }, "is not an option"]
]

describe("tenants", () => {
  it.effect.each(refused)(
    "an invalid option is refused: %s %j",
    ([setting, options, problem]) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(Tenant.make({ name: "a", ...options }))
        assert.strictEqual(error.setting, setting)
        assert.include(error.problem, problem)
      })
  )

  it.effect("one that make did not return is no tenant, and its calls are refused", () =>
    Effect.gen(function*() {
      const tenant = yield* Tenant.make({ name: "one", characterBudget: 3 })
      // @ts-expect-error -- a tenant is the value that make returned
      const literal: Tenant.Tenant = { name: "one" }
      // @ts-expect-error -- a copy has no limits
      // oxlint-disable-next-line typescript/no-misused-spread -- that is the mistake
      const copy: Tenant.Tenant = { ...tenant }
      for (const other of [literal, copy]) {
        const error = yield* Effect.flip(under(other)(translate("123456")))
        assert.strictEqual(error._tag, "InvalidInput")
        assert.include(error.message, "Tenant.make")
        assert.isTrue(Exit.hasDies(yield* Effect.exit(Tenant.reset(other))))
        assert.isTrue(Exit.hasDies(yield* Effect.exit(Tenant.state(other))))
      }
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer(echo()))))

  describe("budgets", () => {
    it.effect("concurrent calls near the end of a budget are sent as far as they fit", () =>
      Effect.gen(function*() {
        const tenant = yield* Tenant.make({ name: "one", characterBudget: 100 })
        const texts = Array.from({ length: 11 }, (_, index) => `text ${index}`.padEnd(10, "."))
        const results = yield* Effect.forEach(texts, (text) => Effect.result(translate(text)), {
          concurrency: "unbounded"
        }).pipe(Tenant.within(tenant))
        const failures = results.flatMap((result) => Result.isFailure(result) ? [result.failure] : [])
        assert.lengthOf(failures, 1)
        assert.deepInclude<unknown>(failures[0], { _tag: "BudgetExceeded", given: 10, remaining: 0, budget: 100 })
        assert.deepStrictEqual((yield* textsSent).flat().toSorted(), texts.slice(0, 10).toSorted())
      }).pipe(Effect.provide(Wire.layer(echo()))))

    it.effect("each tenant has its own", () =>
      Effect.gen(function*() {
        const [one, other] = yield* Effect.all([
          Tenant.make({ name: "one", characterBudget: 10 }),
          Tenant.make({ name: "other", characterBudget: 20 })
        ])
        yield* under(one)(translateList("123456"))
        const error = yield* Effect.flip(under(one)(translateList("12345")))
        assert.deepInclude<object>(error, { _tag: "BudgetExceeded", tenant: "one", given: 5, remaining: 4, budget: 10 })
        yield* under(other)(translateList("12345"))
        yield* translateList("12345")
        assert.deepStrictEqual((yield* Tenant.state(one)).budget, { characters: 10, used: 6, remaining: 4 })
        assert.deepStrictEqual((yield* Tenant.state(other)).budget, { characters: 20, used: 5, remaining: 15 })
        assert.strictEqual(yield* Wire.count, 3)
      }).pipe(Effect.provide(Wire.layer(echo()))))

    it.effect("starts with the characters used before a restart", () =>
      Effect.gen(function*() {
        const tenant = yield* Tenant.make({ name: "one", characterBudget: 10, charactersUsed: 6 })
        const error = yield* Effect.flip(under(tenant)(translateList("12345")))
        assert.deepInclude<object>(error, { _tag: "BudgetExceeded", tenant: "one", given: 5, remaining: 4 })
        yield* under(tenant)(translateList("1234"))
        assert.deepStrictEqual((yield* Tenant.state(tenant)).budget, { characters: 10, used: 10, remaining: 0 })
      }).pipe(Effect.provide(Wire.layer(echo()))))

    it.effect("is full again in a new period, and what began in the last one settles there", () =>
      Effect.gen(function*() {
        const tenant = yield* Tenant.make({ name: "one", characterBudget: 10 })
        const refused = yield* Effect.forkChild(Effect.exit(under(tenant)(translateList("1234567890"))))
        yield* Effect.yieldNow
        assert.strictEqual(yield* used(tenant), 10)
        yield* Tenant.reset(tenant)
        assert.strictEqual(yield* used(tenant), 0)
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(refused)
        assert.deepStrictEqual((yield* Tenant.state(tenant)).budget, { characters: 10, used: 0, remaining: 10 })
      }).pipe(Effect.provide(Wire.layer(Wire.late("1 second", Wire.answer(400))))))

    it.effect("is absent from the state of a tenant without one, also after a reset", () =>
      Effect.gen(function*() {
        const tenant = yield* Tenant.make({ name: "one", charactersUsed: 5 })
        yield* Tenant.reset(tenant)
        assert.isUndefined((yield* Tenant.state(tenant)).budget)
      }))

    it.effect("is one for all calls of a name in a map, also at the same time and after its tenant was released", () =>
      Effect.gen(function*() {
        let characterBudget = 100
        const tenants = yield* byName(() => ({ characterBudget }))
        const call = (name: string) => translateList("12345").pipe(tenants.within(name))
        yield* Effect.all([call("one"), call("other"), call("one")], { concurrency: "unbounded" })
        yield* call("one")
        const usedBy = (name: string) => Effect.scoped(Effect.flatMap(tenants.get(name), used))
        assert.deepStrictEqual([yield* usedBy("one"), yield* usedBy("other")], [15, 5])
        const early = yield* Effect.scoped(tenants.get("one"))
        yield* TestClock.adjust("9 minutes")
        assert.strictEqual(yield* Effect.scoped(tenants.get("one")), early)
        yield* TestClock.adjust("10 minutes")
        characterBudget = 16
        assert.notStrictEqual(yield* Effect.scoped(tenants.get("one")), early)
        assert.deepInclude<object>(yield* Effect.flip(call("one")), { _tag: "BudgetExceeded", remaining: 1 })
      }).pipe(Effect.provide(Wire.layer(echo()))))

    it.effect("a map has no more tenants than its capacity, and keeps no failure of its lookup", () =>
      Effect.gen(function*() {
        const lookups = [Effect.fail("down" as const), Effect.die("a defect")]
        const tenants = yield* Tenant.makeMap({
          capacity: 1,
          idleTimeToLive: "1 minute",
          lookup: () => lookups.shift() ?? Effect.succeed({ concurrency: 1 })
        })
        const tagOf = (name: string) =>
          Effect.match(Effect.void.pipe(tenants.within(name)), {
            onFailure: (error) => typeof error === "string" ? error : error._tag,
            onSuccess: () => "served"
          })
        assert.strictEqual(yield* tagOf("one"), "down")
        assert.isTrue(Exit.hasDies(yield* Effect.exit(tagOf("one"))))
        assert.strictEqual(yield* tagOf("not a name"), "InvalidConfiguration")
        assert.deepStrictEqual([yield* tagOf("one"), yield* tagOf("two")], ["served", "ExceededCapacityError"])
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* tagOf("two"), "served")
      }))

    it.effect("a document settles in the budget of its upload, whoever asks for its status", () =>
      Effect.gen(function*() {
        const tenant = yield* Tenant.make({ name: "one", characterBudget: 60_000 })
        const { status, upload } = yield* Documents
        yield* under(tenant)(upload({ ...Sample.upload, fileName: "letter.pdf" }))
        assert.strictEqual(yield* used(tenant), 50_000)
        const sized = yield* Effect.flip(
          under(tenant)(upload({ ...Sample.upload, content: Stream.make(new Uint8Array(1)) }))
        )
        assert.deepInclude<object>(sized, { _tag: "InvalidInput", parameter: "size" })
        yield* status(Sample.document)
        assert.strictEqual(yield* used(tenant), 20_000)
      }).pipe(Effect.provide(Wire.layer([
        Wire.answer(200, { document_id: Sample.documentId, document_key: Sample.documentKey }),
        Wire.answer(200, { document_id: Sample.documentId, status: "done", billed_characters: 20_000 })
      ]))))
  })

  describe("limits", () => {
    const service = Wire.late("100 millis", Wire.answer(200, []))
    const concurrency = scaled(40, 100)
    const patient = { concurrency, deadline: Duration.hours(1), retryAfterCap: Duration.hours(1) }

    /** The longest time of any of two calls of each of many tenants, while another makes many more at once. */
    const longest = (calls: number, limits: Omit<Tenant.Options, "name">, options: Partial<Options> = {}) =>
      valueOverTime(Effect.gen(function*() {
        const tenants = yield* byName((name) => name === "noisy" ? limits : {})
        // Until the client has as many in flight as it may.
        yield* many(3 * concurrency, read)
        const noise = yield* Effect.forkChild(many(calls, read.pipe(tenants.within("noisy"))))
        const quiet = Array.from({ length: scaled(24, 199) }, (_, index) => index)
        const times = yield* Effect.forEach(quiet, (index) => {
          const call = timed(read).pipe(tenants.within(`quiet-${index}`))
          return Effect.delay(Effect.all([call, Effect.delay(call, "300 millis")]), Duration.millis(20 + 5 * index))
        }, { concurrency: "unbounded" })
        assert.isUndefined(noise.pollUnsafe(), "the noise has not ended")
        yield* Fiber.interrupt(noise)
        return Math.max(...times.flat())
      })).pipe(Effect.provide(Wire.layer(service, { ...options, resilience: { ...patient, ...options.resilience } })))

    it.effect("a noisy tenant with a limit does not delay many others at all", () =>
      Effect.gen(function*() {
        const noise = scaled(150, 300)
        assert.strictEqual(yield* longest(noise, { concurrency: 10 }), 100)
        assert.strictEqual(yield* longest(noise, { rate: { requests: 100, window: "1 second" } }), 100)
      }))

    it.effect("without a limit of its own it delays them by one request, as places are given in fair order", () =>
      Effect.gen(function*() {
        assert.isAtMost(yield* longest(scaled(450, 2500), {}), 200)
      }))

    it.effect("turns of the rate of the client are given in fair order too", () =>
      Effect.gen(function*() {
        const rate = { requests: scaled(250, 500), window: Duration.seconds(1) }
        assert.isAtMost(yield* longest(scaled(300, 1500), {}, { resilience: { rate } }), 400)
      }))

    it.effect("a tenant has no more requests in flight than its limit, and takes no place of the client while it waits", () =>
      Effect.gen(function*() {
        const tenant = yield* Tenant.make({ name: "one", concurrency: 2 })
        yield* valueOverTime(many(10, read))
        const fiber = yield* Effect.forkChild(under(tenant)(many(10, read)))
        yield* Effect.yieldNow
        assert.strictEqual(yield* Wire.count, 12)
        // An instance whose client has a queue may be taken out of rotation, which the queue of one tenant must not cause.
        assert.deepInclude(yield* ClientState.use((state) => state.get), { inFlight: 2, queued: 0 })
        assert.deepInclude(yield* Tenant.state(tenant), { inFlight: 2, queued: 8 })
        yield* Effect.forkChild(read)
        yield* Effect.yieldNow
        assert.strictEqual(yield* Wire.count, 13)
        assert.deepInclude(yield* Tenant.state(tenant), { inFlight: 2, queued: 8 })
        yield* TestClock.adjust("500 millis")
        yield* Fiber.join(fiber)
        assert.strictEqual(yield* Wire.count, 21)
        assert.deepInclude(yield* ClientState.use((state) => state.get), { inFlight: 0, queued: 0 })
        assert.deepInclude(yield* Tenant.state(tenant), { inFlight: 0, queued: 0 })
      }).pipe(Effect.provide(Wire.layer(service, { resilience: { concurrency: 3 } }))))

    it.effect("a download that waits for its tenant keeps no other download waiting", () =>
      Effect.gen(function*() {
        const tenant = yield* Tenant.make({ name: "one", concurrency: 1 })
        yield* Effect.forEach([under(tenant)(read), under(tenant)(download), download], (call) =>
          Effect.forkChild(call, { startImmediately: true }))
        assert.strictEqual(yield* Wire.count, 2)
      }).pipe(Effect.provide(Wire.layer(service, { resilience: { openStreams: 1 } }))))

    it.effect("its calls that wait for the limits of the client are queued as well, until they are interrupted", () =>
      Effect.gen(function*() {
        const tenant = yield* Tenant.make({ name: "one" })
        const fiber = yield* Effect.forkChild(under(tenant)(many(3, read)))
        yield* Effect.yieldNow
        assert.deepInclude(yield* Tenant.state(tenant), { inFlight: 1, queued: 2 })
        yield* Fiber.interrupt(fiber)
        assert.deepInclude(yield* Tenant.state(tenant), { inFlight: 0, queued: 0 })
      }).pipe(Effect.provide(Wire.layer(service, { resilience: { concurrency: 1 } }))))

    it.effect("the delay by its rate grows with its calls that wait", () =>
      Effect.gen(function*() {
        const tenant = yield* Tenant.make({ name: "one", rate: { requests: 1, window: "1 second" } })
        const fiber = yield* Effect.forkChild(under(tenant)(many(4, read)))
        yield* TestClock.adjust(1)
        assert.strictEqual(Duration.toMillis((yield* Tenant.state(tenant)).rateDelay), 2999)
        yield* TestClock.adjust("10 seconds")
        yield* Fiber.join(fiber)
        assert.strictEqual(Duration.toMillis((yield* Tenant.state(tenant)).rateDelay), 0)
      }).pipe(Effect.provide(Wire.layer(service))))

    it.effect("a turn after the deadline is refused at once", () =>
      Effect.gen(function*() {
        const tenant = yield* Tenant.make({ name: "one", rate: { requests: 1, window: "1 minute" } })
        yield* valueOverTime(under(tenant)(read))
        const { exit, took } = yield* overTime(
          Effect.all([read, read].map((call) => Effect.result(under(tenant)(call))), { concurrency: "unbounded" })
        )
        assert.strictEqual(took, 100)
        const [sent, refused] = yield* exit
        assert.strictEqual(sent?._tag, "Success")
        if (refused?._tag !== "Failure") return assert.fail("it has a turn")
        assert.deepInclude<object>(refused.failure, { _tag: "RateLimited", tenant: "one", outcome: "refused" })
        assert.include(
          refused.failure.message,
          "Nothing was sent: the rate limit of the tenant one has no free slot in time"
        )
        // It is the customer's own limit, and no failure of the server.
        const { body, headers, status } = Problem.toProblem(refused.failure)
        assert.deepStrictEqual([status, body.title, headers["retry-after"]], [429, "Too Many Requests", "60"])
      }).pipe(Effect.provide(Wire.layer(service, { resilience: { deadline: Duration.seconds(20) } }))))

    it.effect("a rate is that of several processes if their tenants have a shared store", () =>
      Effect.gen(function*() {
        // As a second process has another value for the same tenant.
        const make = Tenant.make({ name: "one", rate: { requests: 1, window: "1 second" } })
        const alone = yield* Effect.all([make, make])
        const together = yield* Effect.provide(
          Effect.all([make, make]),
          SharedRate.layerWithFallback(RateLimiter.layerStoreMemory)
        )
        assert.strictEqual(yield* took(alone), 1100)
        assert.strictEqual(yield* took(together), 3100)
      }).pipe(Effect.provide(Wire.layer(service))))

    it.effect("a wait for its own limit and for that of the client ends at the same deadline", () =>
      Effect.gen(function*() {
        const tenant = yield* Tenant.make({ name: "one", concurrency: 1 })
        const { exit, took } = yield* overTime(Effect.gen(function*() {
          // The only place of the client is taken for an hour, and that of the tenant for 15 s.
          yield* Effect.forkChild(Effect.exit(within("1 hour")(read)))
          yield* Effect.forkChild(Effect.exit(within("15 seconds")(under(tenant)(read))))
          yield* Effect.sleep(1)
          return yield* Effect.flip(under(tenant)(read))
        }))
        assert.deepInclude<object>(yield* exit, { _tag: "DeadlineExceeded", outcome: "refused" })
        assert.strictEqual(took, 20_001)
      }).pipe(Effect.provide(Wire.layer(Wire.silent, {
        resilience: { concurrency: 1, attempts: 1, deadline: Duration.seconds(20) }
      }))))
  })
})
