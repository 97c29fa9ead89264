/** Simulated clients: this library with its real layers, and policies of other clients. */
import * as Deadline from "@effect-lingua/core/config/Deadline"
import { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import * as LanguageServiceClient from "@effect-lingua/core/LanguageServiceClient"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Buffered } from "../../packages/core/src/call/internal/body.ts"
import type { Answer } from "./service.ts"
import type { Call, Kind, Parts } from "./simulation.ts"
import type { Timer } from "./world.ts"

const encode = (body: unknown): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(body))
const failed = encode({})
const translated = encode({ translations: [{ detected_source_language: "EN", text: "Gut." }] })
const improved = encode({ improvements: [{ text: "Good." }] })

/** An `HttpClient` over the simulated service. Bodies are buffered, because the simulation's event loop does not run promises. */
const httpClient = ({ send }: Parts): HttpClient.HttpClient =>
  HttpClient.make((request) => {
    const operation = request.url.endsWith("/rephrase") ? 0 : 1
    return Effect.callback((resume) =>
      send(operation, ({ isSent, retryAfter, status }) => {
        if (status === 0) {
          const cause = isSent ? undefined : Object.assign(new Error("refused"), { code: "ECONNREFUSED" })
          const reason = new HttpClientError.TransportError({ request, description: "no connection", cause })
          return resume(Effect.fail(new HttpClientError.HttpClientError({ reason })))
        }
        const body = status !== 200 ? failed : operation === 0 ? improved : translated
        const headers = Headers.fromInput({
          "content-type": "application/json",
          "content-length": String(body.length),
          ...(retryAfter === 0 ? undefined : { "retry-after": String(retryAfter) })
        })
        const response = HttpClientResponse.fromWeb(request, new Response(null, { status }))
        return resume(Effect.succeed(new Buffered(response, headers, body.buffer)))
      })
    )
  })

/** This library's client with its defaults and the scenario's policy. */
export const library: Kind = {
  name: "Effect Lingua",
  make: (parts) => {
    const { policy, world } = parts
    const layer = LanguageServiceClient.layerOf(Layer.merge(Translation.layer, Writing.layer)).pipe(
      Layer.provide(LanguageServiceConfig.layer({
        key: Redacted.make("key"),
        baseUrl: "https://service.test",
        ...(policy === undefined ? undefined : { resilience: policy })
      })),
      Layer.provide(Layer.succeed(HttpClient.HttpClient, httpClient(parts)))
    )
    let services: Context.Context<Translation | Writing> | undefined
    const waiting: Array<() => void> = []
    world.fork(
      Effect.andThen(Effect.flatMap(Effect.scope, (scope) => Layer.buildWithScope(layer, scope)), (built) => {
        services = built
        for (const start of waiting) start()
        return Effect.never
      }).pipe(Effect.scoped),
      (exit) => {
        throw new Error(`the client could not be made: ${String(exit)}`)
      }
    )
    return ({ end, operation, startedAt, until }) => {
      const start = (): void => {
        if (services === undefined) return void waiting.push(start)
        const call: Effect.Effect<unknown, Translation.TranslateError | Writing.RephraseError> = operation === 0
          ? Context.get(services, Writing).rephrase({ text: ["Good."] })
          : Context.get(services, Translation).translate({ text: ["Good."], targetLanguage: "de" })
        const patience = until - startedAt
        world.fork(
          call.pipe(Deadline.within(patience), Effect.timeout(patience + 1)),
          ({ _tag }) => end(_tag === "Success")
        )
      }
      start()
    }
  }
}

type Outcome = "accepted" | "refused" | "failed" | "lost"

const outcomeOf = ({ isSent, status }: Answer): Outcome =>
  status === 200
    ? "accepted"
    : status === 429 || status === 503 || !isSent
    ? "refused"
    : status === 0
    ? "lost"
    : "failed"

/** The end of an attempt: `answer` is absent after a timeout. */
interface Ended {
  readonly outcome: Outcome
  readonly answer: Answer | undefined
  readonly now: number
  readonly took: number
  /** Includes this attempt. */
  readonly inFlight: number
}

/**
 * A client's limits. `size`: maximum number of attempts in flight. `delay`: milliseconds until the next attempt, or `undefined` to reject the call.
 */
interface Limits {
  readonly size?: () => number
  readonly delay?: (now: number) => number | undefined
  readonly ended?: (end: Ended) => void
  /** True if a retry may be sent. */
  readonly spend?: () => boolean
}

interface Options {
  readonly attempts?: number
  readonly timeout?: number
  /** Maximum number of retries after timeouts and broken connections. */
  readonly afterLoss?: number
  readonly base?: number
  readonly factor?: number
  /** The random share of a wait, from 0 to 1. */
  readonly jitter?: number
  readonly limits?: (random: () => number) => Limits
  /** Sends the newest call first once the oldest call has waited for a quarter of its time; rejects calls with too little time left. */
  readonly isLifo?: boolean
}

const longestWait = 20_000
const meanWeight = 0.2

/** A retrying client with a queue of calls, limits, and exponential backoff. */
const repeating = (name: string, options: Options): Kind => ({
  name,
  make: ({ random, send, world }) => {
    const { afterLoss = 1, attempts = 5, base = 500, factor = 2, isLifo = false, jitter = 1, timeout = 30_000 } =
      options
    const limits = options.limits?.(random) ?? {}
    interface Entry {
      readonly call: Call
      attempts: number
      losses: number
      isOver: boolean
    }
    const queue: Array<Entry> = []
    let inFlight = 0
    let mean = 0
    let wake: Timer | undefined

    const end = (entry: Entry, isUseful: boolean): void => {
      if (entry.isOver) return
      entry.isOver = true
      entry.call.end(isUseful)
    }

    const retry = (entry: Entry, outcome: Outcome, retryAfter: number): void => {
      if (outcome === "lost") entry.losses++
      const bound = Math.min(longestWait, base * factor ** (entry.attempts - 1))
      const wait = Math.max(retryAfter * 1000, bound * (1 - jitter * random()))
      const isLast = entry.attempts >= attempts || entry.losses > afterLoss
      if (isLast || world.now() + wait >= entry.call.until || limits.spend?.() === false) return end(entry, false)
      world.at(world.now() + wait, () => {
        queue.unshift(entry)
        pump()
      })
    }

    const start = (entry: Entry): void => {
      const startedAt = world.now()
      let isOpen = true
      inFlight++
      entry.attempts++
      const ended = (outcome: Outcome, answer: Answer | undefined): void => {
        if (!isOpen) return
        isOpen = false
        const took = world.now() - startedAt
        limits.ended?.({ outcome, answer, now: world.now(), took, inFlight })
        inFlight--
        if (outcome === "accepted" || outcome === "lost") mean += (took - mean) * meanWeight
        if (outcome === "accepted") end(entry, true)
        else if (!entry.isOver) retry(entry, outcome, answer?.retryAfter ?? 0)
        pump()
      }
      // The attempt times out, or its caller gives up.
      world.at(Math.min(startedAt + timeout, entry.call.until), () => ended("lost", undefined))
      send(entry.call.operation, (answer) => ended(outcomeOf(answer), answer))
    }

    const next = (): Entry | undefined => {
      const [oldest] = queue
      if (oldest === undefined) return undefined
      const { startedAt, until } = oldest.call
      return isLifo && world.now() - startedAt > (until - startedAt) / 4 ? queue.pop() : queue.shift()
    }

    const pump = (): void => {
      while (queue.length > 0 && inFlight < (limits.size?.() ?? Number.POSITIVE_INFINITY)) {
        const now = world.now()
        if (queue[0]?.isOver === true) {
          queue.shift()
          continue
        }
        const delay = limits.delay === undefined ? 0 : limits.delay(now)
        if (delay !== undefined && delay > 0) {
          if (wake?.run !== undefined && wake.at > now) return
          wake = world.at(now + Math.max(1, delay), pump)
          return
        }
        const entry = next()
        if (entry === undefined || entry.isOver) continue
        if (delay === undefined || (isLifo && entry.call.until - now < mean)) end(entry, false)
        else start(entry)
      }
    }

    return (call) => {
      const entry: Entry = { call, attempts: 0, losses: 0, isOver: false }
      world.at(call.until, () => end(entry, false))
      queue.push(entry)
      pump()
    }
  }
})

/** Counts the times after a window's start, and removes earlier times. */
const recent = (times: Array<number>, start: number): number => {
  while ((times[0] ?? start) < start) times.shift()
  return times.length
}

/** Adaptive throttling of the SRE book, chapter 21: sends at most twice as many requests as were accepted in the window. */
const sre = (window: number) => (random: () => number): Limits => {
  const asked: Array<number> = []
  const accepted: Array<number> = []
  return {
    delay: (now) => {
      const sent = recent(asked, now - window)
      asked.push(now)
      return random() < (sent - 2 * recent(accepted, now - window)) / (sent + 1) ? undefined : 0
    },
    ended: ({ now, outcome }) => {
      if (outcome === "accepted" || outcome === "failed") accepted.push(now)
    }
  }
}

/** Netflix's gradient2: compares response times with their long-term mean. */
const gradient2 = (): Limits => {
  let size = 20
  let long = 0
  return {
    size: () => Math.max(1, Math.floor(size)),
    ended: ({ answer, inFlight, outcome, took }) => {
      if (outcome !== "accepted" && answer !== undefined) return
      long = long === 0 ? took : long + (took - long) * 2 / 601
      if (long > 2 * took) long *= 0.95
      if (inFlight < size / 2) return
      const gradient = Math.max(0.5, Math.min(1, 1.5 * long / took))
      size = Math.max(1, Math.min(200, size * 0.8 + (size * gradient + 4) * 0.2))
    }
  }
}

/** Netflix's port of TCP Vegas: estimates the queue from the shortest response time. */
const vegas = (): Limits => {
  let size = 20
  let shortest = Number.POSITIVE_INFINITY
  let ends = 0
  return {
    size: () => Math.max(1, Math.floor(size)),
    ended: ({ answer, inFlight, outcome, took }) => {
      const step = Math.max(1, Math.floor(Math.log10(size)))
      if (++ends > 30 * size) {
        ends = 0
        shortest = Number.POSITIVE_INFINITY
      }
      if (outcome === "refused" || answer === undefined) size -= step
      else if (outcome !== "accepted") return
      else if (took < shortest) shortest = took
      else if (inFlight * 2 >= size) {
        const queued = Math.ceil(size * (1 - shortest / took))
        if (queued <= step) size += 6 * step
        else if (queued < 3 * step) size += step
        else if (queued > 6 * step) size -= step
      }
      size = Math.max(1, Math.min(1000, size))
    }
  }
}

/** The standard mode of the AWS SDKs: retries share a bucket of 500 tokens. */
const tokens = (): Limits => {
  let left = 500
  return {
    spend: () => left >= 5 && (left -= 5) >= 0,
    ended: ({ outcome }) => {
      if (outcome === "accepted") left = Math.min(500, left + 1)
    }
  }
}

/** The adaptive mode of the AWS SDKs: a send rate that falls at a 429 and grows as a cubic function of the time since the last 429. */
const cubic = (): Limits => {
  const retries = tokens()
  let [isOn, rate, most, cutAt, budget, filledAt] = [false, 0.5, 0, 0, 0, 0]
  const sent: Array<number> = []
  const fill = (now: number): void => {
    budget = Math.min(Math.max(1, rate), budget + (now - filledAt) * rate / 1000)
    filledAt = now
  }
  return {
    ...retries,
    delay: (now) => {
      if (!isOn) return 0
      fill(now)
      if (budget < 1) return (1 - budget) * 1000 / rate
      budget--
      return 0
    },
    ended: (end) => {
      const { answer, now } = end
      retries.ended?.(end)
      fill(now)
      sent.push(now)
      while ((sent[0] ?? now) < now - 2000) sent.shift()
      const measured = sent.length / 2
      if (answer?.status === 429) {
        most = isOn ? Math.min(measured, rate) : measured
        cutAt = now
        rate = Math.max(0.5, most * 0.7)
        isOn = true
      } else if (isOn) {
        const since = (now - cutAt) / 1000 - Math.cbrt(most * 0.3 / 0.4)
        rate = Math.max(0.5, Math.min(2 * measured, 0.4 * since ** 3 + most))
      }
    }
  }
}

const aws: Options = { attempts: 3, afterLoss: Number.POSITIVE_INFINITY, base: 100 }

/** The policies of other clients. */
export const others: ReadonlyArray<Kind> = [
  repeating("none", { attempts: 1, timeout: Number.POSITIVE_INFINITY }),
  // deepl-node 1.28.0: five attempts of 10 s.
  repeating("deepl-node", {
    afterLoss: Number.POSITIVE_INFINITY,
    timeout: 10_000,
    base: 1200,
    factor: 1.6,
    jitter: 0.4
  }),
  repeating("AWS standard", { ...aws, limits: tokens }),
  repeating("AWS adaptive", { ...aws, limits: cubic }),
  repeating("SRE, 30 s", { limits: sre(30_000) }),
  repeating("gradient2", { timeout: 45_000, limits: gradient2 }),
  repeating("Vegas", { timeout: 45_000, limits: vegas }),
  repeating("2 in flight", { limits: () => ({ size: () => 2 }) }),
  repeating("LIFO", { isLifo: true, timeout: 45_000, limits: () => ({ size: () => 100 }) })
]
