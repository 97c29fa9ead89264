/** Calls whose fiber yields to others at any of its steps, as each fiber does after 2048, and what can happen meanwhile. */
import { ClientState, Languages, RequestSignal, Tenant, Translation } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, References } from "effect"
import { echo, Wire } from "../support/index.ts"

/** More steps than a call has before its request. */
const steps = Array.from({ length: 80 }, (_, index) => index + 5)

const yieldingAfter = (step: number) => Effect.provideService(References.MaxOpsBeforeYield, step)

const translated = (text: string) => Translation.use(({ translate }) => translate([text], { targetLanguage: "de" }))

const resources = Languages.use(({ resources }) => resources)

const traffic = Effect.map(ClientState.use((state) => state.get), ({ inFlight, queued }) => ({ inFlight, queued }))

/** Answers at once, but not to slow texts. */
const slowly: Wire.Reply = (request, sent) => sent.body.includes("slow") ? Effect.never : echo()(request, sent)

const run = <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.forkChild(call, { startImmediately: true })

/** A call that comes when all permits are taken, which are free while it yields, and one after it. No time passes. */
const afterOthers = Effect.fnUntraced(function*(step: number, holders: number) {
  const holding = yield* Effect.replicateEffect(run(translated("slow")), holders)
  const second = yield* run(yieldingAfter(step)(translated("second")))
  for (const holder of holding) holder.interruptUnsafe()
  const third = yield* run(translated("third"))
  const ended = () => [second, third].map((fiber) => fiber.pollUnsafe()?._tag)
  yield* Effect.repeat(Effect.yieldNow, { times: 300, until: () => !ended().includes(undefined) })
  return ended()
})

describe("a call that yields at any step", () => {
  it.effect.each([["of the policy", { concurrency: 1 }, 1], ["that is learned", {}, 2]] as const)(
    "is not forgotten when the last permit %s is released meanwhile",
    ([, resilience, holders]) =>
      Effect.forEach(steps, (step) =>
        Effect.map(afterOthers(step, holders), (ended) => {
          assert.deepStrictEqual(ended, ["Success", "Success"], `step ${step}`)
        }).pipe(Effect.provide(Wire.layer(slowly, { resilience }))), { discard: true })
  )

  it.effect("is counted no more when it is interrupted there, by the client or by its tenant", () =>
    Effect.forEach(steps, (step) =>
      Effect.gen(function*() {
        const tenant = yield* Tenant.make({ name: "one" })
        for (const call of [resources, Tenant.within(resources, tenant)]) {
          const fiber = yield* run(yieldingAfter(step)(call))
          fiber.interruptUnsafe()
          yield* Fiber.await(fiber)
          assert.deepStrictEqual(yield* traffic, { inFlight: 0, queued: 0 }, `step ${step}`)
          const { inFlight, queued } = yield* Tenant.state(tenant)
          assert.deepStrictEqual({ inFlight, queued }, { inFlight: 0, queued: 0 }, `step ${step} of a tenant`)
        }
      }), { discard: true }).pipe(Effect.provide(Wire.layer(Wire.answer(200, [])))))
})

it.effect("a transport that reports the progress of a request after its end is not heard", () => {
  const signals: Array<RequestSignal.RequestSignal> = []
  const reporting: Wire.Reply = () =>
    Effect.flatMap(RequestSignal.Current, (signal) => {
      if (signal !== undefined) signals.push(signal)
      signal?.waiting()
      return Effect.never
    })
  return Effect.gen(function*() {
    const fiber = yield* run(resources)
    assert.deepStrictEqual(yield* traffic, { inFlight: 0, queued: 1 })
    yield* Fiber.interrupt(fiber)
    for (const signal of signals) signal.writing()
    assert.lengthOf(signals, 1)
    assert.deepStrictEqual(yield* traffic, { inFlight: 0, queued: 0 })
  }).pipe(Effect.provide(Wire.layer(reporting)))
})
