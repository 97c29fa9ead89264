/** The policies of other clients. */
import { Clock, Effect, Random, Schedule } from "effect"
import * as Simulation from "./simulation.ts"

/** deepl-node 1.28.0: five attempts (`maxRetries: 5` counts the first), and waits from a second on that grow by 1.6, without `Retry-After`. */
export const deeplNode = Simulation.retrying("deepl-node", {
  attemptTimeout: "10 seconds",
  schedule: Schedule.exponential("1 second", 1.6).pipe(Schedule.jittered, Schedule.upTo({ times: 4 }))
})

export const naive = Simulation.retrying("naive loop", {
  attemptTimeout: "30 seconds",
  schedule: Schedule.upTo(Schedule.spaced("1 second"), { times: 10 })
})

const threeAttempts = Schedule.exponential("100 millis").pipe(Schedule.jittered, Schedule.upTo({ times: 2 }))

const capacity = 500
const cost = 5

/** The SDKs of AWS: three attempts with full jitter, and a bucket of tokens that retries share. */
const aws = (name: string, limit: () => (attempt: Simulation.Attempt) => Simulation.Attempt): Simulation.Client => ({
  name,
  make: Effect.suspend(() => {
    let tokens = capacity
    const spend = () => {
      if (tokens < cost) return false
      tokens -= cost
      return true
    }
    const earn = Effect.sync(() => {
      tokens = Math.min(capacity, tokens + 1)
    })
    return Simulation.retrying(name, {
      attemptTimeout: "30 seconds",
      schedule: Schedule.while(threeAttempts, () => Effect.sync(spend)),
      around: () => {
        const limited = limit()
        return (attempt) => limited(Effect.tap(attempt, earn))
      }
    }).make
  })
})

export const awsStandard = aws("AWS standard", () => (attempt) => attempt)

const beta = 0.7
const scale = 0.4
const smoothing = 0.8

/** The rate of the adaptive mode of the SDKs of AWS, which 429s teach: a cubic function of the time since the last one. */
export const awsAdaptive = aws("AWS adaptive", () => {
  let isLimited = false
  let fill = 0
  let most = 0
  let tokens = 0
  let refilled = 0
  let lastMost = 0
  let cutAt = 0
  let window = 0
  let measured = 0
  let sent = 0
  let bucket = 0
  const refill = (now: number) => {
    tokens = Math.min(most, tokens + (now - refilled) * fill)
    refilled = now
  }
  const ended = (now: number, isThrottled: boolean) => {
    sent++
    const half = Math.floor(now * 2) / 2
    if (half > bucket) {
      measured = sent / (half - bucket) * smoothing + measured * (1 - smoothing)
      sent = 0
      bucket = half
    }
    let rate: number
    if (isThrottled) {
      lastMost = isLimited ? Math.min(measured, fill) : measured
      window = Math.cbrt(lastMost * (1 - beta) / scale)
      cutAt = now
      isLimited = true
      rate = lastMost * beta
    } else rate = scale * (now - cutAt - window) ** 3 + lastMost
    refill(now)
    fill = Math.max(0.5, Math.min(rate, 2 * measured))
    most = Math.max(1, fill)
    tokens = Math.min(tokens, most)
  }
  const seconds = Effect.map(Clock.currentTimeMillis, (now) => now / 1000)
  const acquire = Effect.gen(function*() {
    if (!isLimited) return
    refill(yield* seconds)
    const missing = Math.max(0, 1 - tokens)
    tokens -= 1
    yield* Effect.sleep(1000 * missing / fill)
  })
  return (attempt) =>
    acquire.pipe(
      Effect.andThen(attempt),
      Effect.tap(() => Effect.map(seconds, (now) => ended(now, false))),
      Effect.tapError(({ status }) => Effect.map(seconds, (now) => ended(now, status === 429)))
    )
})

const minutes = 2

/** Client-side throttling of the SRE book (chapter 21): sends about twice as many as were accepted in two minutes. */
export const sre = Simulation.retrying("SRE throttling", {
  attemptTimeout: "30 seconds",
  schedule: threeAttempts,
  around: () => {
    const ends: Array<{ readonly at: number; readonly isAccepted: boolean }> = []
    let accepted = 0
    const record = (at: number, isAccepted: boolean) => {
      ends.push({ at, isAccepted })
      if (isAccepted) accepted++
    }
    return (attempt) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        while ((ends[0]?.at ?? now) < now - minutes * 60_000) if (ends.shift()?.isAccepted === true) accepted--
        if ((yield* Random.next) < (ends.length - 2 * accepted) / (ends.length + 1)) {
          record(now, false)
          return yield* Effect.fail({ _tag: "Throttled" })
        }
        return yield* Effect.onExit(attempt, (exit) =>
          Effect.map(Clock.currentTimeMillis, (at) => record(at, exit._tag === "Success")))
      })
  }
})
