import { Documents, type LanguageService, type ResiliencePolicy } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Random, Schedule, Stream } from "effect"
import { TestClock } from "effect/testing"
import { sampled, scaled } from "../../../../test/support/scale.ts"
import { clockWith, read, Sample, Wire } from "../support/index.ts"

const download = Documents.use((documents) => documents.download(Sample.document)).pipe(
  Effect.flatMap(({ stream }) => Stream.mkString(Stream.decodeText(stream)))
)

const hours = 3_600_000

/** The test clock with an adjustable time of day. */
const settable = (clock: Clock.Clock) => {
  let ahead = 10 * hours
  const millis = () => clock.currentTimeMillisUnsafe() + ahead
  const nanos = () => clock.currentTimeNanosUnsafe() + BigInt(ahead) * 1_000_000n
  const ofDay = clockWith(clock, {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos)
  })
  const set = (by: number) => void (ahead += by)
  return { ofDay, set }
}

/** The times at which the time of day is set, in milliseconds after the second request. */
const jumps = [0, 500, 5000]

/** The results and times of consecutive calls, while the time of day is set from the second request on. */
const history = Effect.fnUntraced(function*(
  by: number,
  reply: Wire.Reply,
  resilience: Partial<ResiliencePolicy.ResiliencePolicy>,
  call: Effect.Effect<unknown, Sample.AnyFailure, LanguageService.LanguageService>,
  calls: number
) {
  const clock = yield* Clock.Clock
  const { ofDay, set } = settable(clock)
  const seen: Array<string> = []
  const note = (event: string) => Effect.sync(() => void seen.push(`${clock.currentTimeMillisUnsafe()}: ${event}`))
  let requests = 0
  const setting = Effect.forEach(
    jumps,
    (after) => Effect.forkDetach(Effect.delay(Effect.sync(() => set(by)), after), { startImmediately: true })
  )
  const answering: Wire.Reply = (request, sent) =>
    Effect.gen(function*() {
      yield* note("sent")
      if (++requests === 2) yield* setting
      return yield* reply(request, sent)
    })
  const one = call.pipe(
    Effect.match({ onFailure: String, onSuccess: () => "success" }),
    Effect.flatMap(note),
    Effect.delay("1 second")
  )
  yield* one.pipe(
    Effect.repeat({ times: calls - 1 }),
    Random.withSeed("jumps"),
    Effect.provide(Wire.layer(answering, { resilience })),
    Effect.provideService(Clock.Clock, ofDay),
    Effect.forkChild
  )
  yield* TestClock.adjust("2 hours")
  return seen
})

/** A body in parts at intervals of a second, which then stalls. */
const stalling = Wire.streamed(
  200,
  Stream.concat(
    Stream.repeat(Stream.make(new Uint8Array(10)), Schedule.spaced("1 second")).pipe(Stream.take(4)),
    Stream.never
  )
)

const cases: Readonly<
  Record<
    string,
    readonly [
      reply: Wire.Reply,
      resilience: Partial<ResiliencePolicy.ResiliencePolicy>,
      call: Effect.Effect<unknown, Sample.AnyFailure, LanguageService.LanguageService>
    ]
  >
> = {
  "repeats and their waits": [Wire.answer(503), {}, read],
  "Retry-After": [Wire.answer(429, "", { "retry-after": "7" }), {}, read],
  "the deadline": [Wire.silent, { attempts: 100 }, read],
  "the attempt timeout": [Wire.silent, { attemptTimeout: Duration.seconds(10) }, read],
  "polling": [Wire.inTranslation, {}, download],
  "the breaker": [Wire.answer(503), { whenUnavailable: "fail" }, read],
  "a rate": [
    Wire.answer(200, []),
    { rate: { requests: 1, window: Duration.seconds(5) }, deadline: Duration.minutes(1) },
    read
  ],
  "the idle timeout of a body": [stalling, { attempts: 1 }, read],
  "the idle timeout of a download": [stalling, { attempts: 1 }, download]
}

describe("a jump of the time of day", () => {
  it.effect.each(Object.entries(cases))(
    "changes nothing about %s",
    ([, [reply, resilience, call]]) =>
      Effect.gen(function*() {
        const calls = scaled(3, 4)
        const undisturbed = yield* history(0, reply, resilience, call, calls)
        assert.strictEqual(undisturbed.filter((entry) => !entry.endsWith("sent")).length, calls)
        assert.isAtLeast(undisturbed.filter((entry) => entry.endsWith("sent")).length, 2)
        for (const by of sampled([3 * hours, 20_000, 400, -400, -20_000, -3 * hours], 2)) {
          const start = yield* Clock.currentTimeMillis
          const shifted = undisturbed.map((entry) => entry.replace(/^\d+/, (at) => String(Number(at) + start)))
          assert.deepStrictEqual(yield* history(by, reply, resilience, call, calls), shifted, `${by} ms`)
        }
      })
  )
})
