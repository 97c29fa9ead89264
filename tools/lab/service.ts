/** The simulated service: its limits and its weather decide on each request, on the clock of the program. */
import type { Fault } from "@effect-lingua/testing/faults/Fault"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Random from "effect/Random"
import type { Operation, Scenario } from "./scenarios.ts"
import { makeTerms, millis, type Terms, weathersOf } from "./terms.ts"

/** The path of each operation, and its response. */
export const calls: Readonly<Record<Operation, { readonly path: string; readonly answer: string }>> = {
  "Translation.translate": {
    path: "/v2/translate",
    answer: JSON.stringify({ translations: [{ detected_source_language: "EN", text: "Gut." }] })
  },
  "Writing.rephrase": { path: "/v2/write/rephrase", answer: JSON.stringify({ improvements: [{ text: "Good." }] }) }
}

const operationOf = (url: string): Operation =>
  url.endsWith(calls["Writing.rephrase"].path) ? "Writing.rephrase" : "Translation.translate"

const draw = (rates: Terms["rates"]): Effect.Effect<Fault | undefined> =>
  Effect.gen(function*() {
    for (const { rates: some } of rates) {
      let chance = yield* Random.next
      const hit = some.find(({ rate }) => (chance -= rate) < 0)?.fault
      if (hit !== undefined) return hit
    }
    return undefined
  })

const respond = (
  request: HttpClientRequest.HttpClientRequest,
  status: number,
  headers: Record<string, string> = {},
  body = "{}"
) =>
  HttpClientResponse.fromWeb(
    request,
    new Response(body, {
      status,
      headers: { "content-type": "application/json", ...headers }
    })
  )

/** The work of the service on queued requests. */
const makeQueue = ({ phases = [] }: Scenario, termsAt: (now: number) => Terms) => {
  const changes = phases.flatMap(({ from, to }) => [millis(from), millis(to)]).toSorted((a, b) => a - b)
  /** The time at which all accepted work is done. */
  let free = 0
  /** The time at which work that begins at a time is done: each part of it at the capacity of its moment. */
  const doneAfter = (start: number): number => {
    let time = start
    for (let left = 1; left > 0;) {
      const { capacity } = termsAt(time)
      const until = changes.find((change) => change > time) ?? Number.POSITIVE_INFINITY
      const done = capacity * (until - time) / 1000
      if (done >= left) return time + left * 1000 / capacity
      left -= done
      time = until
    }
    return time
  }
  return {
    wait: (now: number): number => Math.max(0, free - now),
    work: (now: number): Effect.Effect<void> =>
      Effect.suspend(() => {
        const begin = Math.max(free, now)
        free = doneAfter(begin)
        return Effect.sleep(begin - now)
      })
  }
}

/** The longest time, in milliseconds, after which work is looked at again whose speed may have changed. */
const tick = 500

/** The work of the service, of requests that share its capacity. */
const makeSharing = (termsAt: (now: number) => Terms) => {
  /** The work that each request has had since the beginning, and that at which each of those at work is done. */
  let had = 0
  let last = 0
  const ends: Array<number> = []
  /** Requests in a millisecond, of all of them. */
  const speed = (now: number): number => termsAt(now).capacity / 1000
  const advance = (now: number): void => {
    for (let end = ends[0]; end !== undefined; end = ends[0]) {
      const needed = (end - had) * ends.length / speed(last)
      if (last + needed > now) break
      last += needed
      had = end
      ends.shift()
    }
    if (ends.length > 0) had += (now - last) * speed(last) / ends.length
    last = now
  }
  return {
    wait: (now: number): number => {
      advance(now)
      return ends.length / speed(now)
    },
    work: Effect.fnUntraced(function*(begin: number) {
      advance(begin)
      const end = had + 1
      ends.push(end)
      let now = begin
      for (;;) {
        advance(now)
        if (had >= end) return
        yield* Effect.sleep(Math.max(1, Math.min(tick, (end - had) * ends.length / speed(now))))
        now = yield* Clock.currentTimeMillis
      }
    })
  }
}

/** The HTTP client that leads to the service; `record` is called for each request when it arrives. */
export const make = (scenario: Scenario, record: (now: number, isRefused: boolean) => void): HttpClient.HttpClient => {
  const termsAt = makeTerms(scenario)
  const longestQueue = millis(scenario.longestQueue ?? "5 seconds")
  const hint = millis(scenario.retryAfter ?? "1 second")
  const { wait, work } = scenario.waiting === "sharing" ? makeSharing(termsAt) : makeQueue(scenario, termsAt)
  /** The tokens of the limit, which it earns in a second, and the time of their count. */
  let tokens = Number.POSITIVE_INFINITY
  let counted = 0
  const respondTo = Effect.fnUntraced(function*(request: HttpClientRequest.HttpClientRequest) {
    const now = yield* Clock.currentTimeMillis
    const { latency, limit, rates } = termsAt(now)
    const operation = operationOf(request.url)
    const { answer } = calls[operation]
    const half = latency / 2
    tokens = Number.isFinite(limit) ? Math.min(Math.max(1, limit), tokens + limit * (now - counted) / 1000) : limit
    counted = now
    if (tokens < 1) {
      record(now, true)
      yield* Effect.sleep(half)
      return respond(request, 429, hint === 0 ? {} : { "retry-after": String(Math.ceil(hint / 1000)) })
    }
    tokens--
    const fault = yield* draw(weathersOf(rates, operation))
    record(now, fault !== undefined && "status" in fault && fault.status === 429)
    if (fault !== undefined && "status" in fault) {
      yield* Effect.sleep(half)
      return respond(request, fault.status)
    }
    if (fault !== undefined && "reset" in fault) {
      yield* Effect.sleep(half)
      return yield* new HttpClientError.HttpClientError({
        reason: new HttpClientError.TransportError({ request, description: "connection reset" })
      })
    }
    if (wait(now) > longestQueue) {
      yield* Effect.sleep(half)
      return respond(request, 503)
    }
    yield* Effect.andThen(work(now), Effect.sleep(latency + (fault?.delay === undefined ? 0 : millis(fault.delay))))
    return respond(request, 200, {}, answer)
  })

  return HttpClient.make(respondTo)
}
