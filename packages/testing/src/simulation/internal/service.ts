/** The simulated service: its limits and its weather decide on each request, on the clock of the program. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import type { Fault } from "../../faults/Fault.ts"
import * as Rates from "../../faults/internal/rates.ts"
import type { Scenario } from "../Scenario.ts"

/** The outcome of a request. */
export type Ending = "answered" | "throttled" | "failed"

const translation = JSON.stringify({ translations: [{ detected_source_language: "EN", text: "Gut." }] })

const millis = (input: Duration.Input): number => Duration.toMillis(Duration.fromInputUnsafe(input))

interface Terms {
  readonly latency: number
  readonly capacity: number
  readonly limit: number
  readonly rates: ReadonlyArray<Rates.Compiled>
}

/** The conditions at a time. */
const makeTerms = ({ capacity, latency = 100, limit, phases = [] }: Scenario): (now: number) => Terms => {
  const usual: Terms = {
    latency: millis(latency),
    capacity: capacity ?? Number.POSITIVE_INFINITY,
    limit: limit ?? Number.POSITIVE_INFINITY,
    rates: []
  }
  const parts = phases.map((phase) => ({
    from: millis(phase.from),
    to: millis(phase.to),
    terms: {
      latency: phase.latency === undefined ? usual.latency : millis(phase.latency),
      capacity: phase.capacity ?? usual.capacity,
      limit: phase.limit ?? usual.limit,
      rates: phase.weather === undefined ? usual.rates : Rates.compile(phase.weather)
    }
  })).toReversed()
  return (now) => parts.find(({ from, to }) => from <= now && now < to)?.terms ?? usual
}

/** The calls of the simulated clients. */
const operation = "Translation.translate"

const draw = (rates: ReadonlyArray<Rates.Compiled>): Effect.Effect<Fault | undefined> =>
  Effect.gen(function*() {
    for (const { operations, rates: some } of rates) {
      if (operations !== undefined && !operations.includes(operation)) continue
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
  body: BodyInit = status === 200 ? translation : "{}"
) =>
  HttpClientResponse.fromWeb(
    request,
    new Response(body, {
      status,
      headers: { "content-type": "application/json", ...headers }
    })
  )

/** The start of a body that breaks off after a time. */
const brokenBody = (after: Duration.Input) =>
  Stream.toReadableStreamEffect(Stream.concat(
    Stream.make(new TextEncoder().encode(translation.slice(0, 20))),
    Stream.fromEffect(Effect.delay(Effect.die("the connection was closed"), after))
  ))

/** The time after which something on the way closes a connection that is silent. */
const longestSilence = "2 minutes"

/** The body of a response that no client can use, if the fault is of the body. */
const unusableBody = (fault: Fault | undefined): Effect.Effect<BodyInit | undefined> => {
  if (fault === undefined) return Effect.undefined
  if ("truncated" in fault) return brokenBody(0)
  if ("stalled" in fault) return brokenBody(longestSilence)
  if ("malformed" in fault) return Effect.succeed(translation.slice(0, translation.length / 2))
  return "wrongLength" in fault ? Effect.succeed(JSON.stringify({ translations: [] })) : Effect.undefined
}

/** The HTTP client that leads to the service; `record` is told of each request when it arrives. */
export const make = (scenario: Scenario, record: (now: number, ending: Ending) => void): HttpClient.HttpClient => {
  const termsAt = makeTerms(scenario)
  const changes = (scenario.phases ?? []).flatMap(({ from, to }) => [millis(from), millis(to)]).toSorted((a, b) =>
    a - b
  )
  const longestQueue = millis(scenario.longestQueue ?? "5 seconds")
  /** The requests admitted in the present second. */
  let second = 0
  let admitted = 0
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

  const respondTo = Effect.fnUntraced(function*(request: HttpClientRequest.HttpClientRequest) {
    const now = yield* Clock.currentTimeMillis
    const { latency, limit, rates } = termsAt(now)
    const half = latency / 2
    const ends = (ending: Ending) => record(now, ending)
    const thisSecond = Math.floor(now / 1000)
    if (thisSecond !== second) admitted = 0
    second = thisSecond
    if (admitted >= limit) {
      ends("throttled")
      yield* Effect.sleep(half)
      return respond(request, 429, { "retry-after": "1" })
    }
    admitted++
    const fault = yield* draw(rates)
    if (fault !== undefined && "status" in fault) {
      ends(fault.status === 429 || fault.status === 529 ? "throttled" : "failed")
      yield* Effect.sleep(half)
      const { retryAfter } = fault
      return respond(
        request,
        fault.status,
        retryAfter === undefined || typeof retryAfter === "object" && "epochMilliseconds" in retryAfter
          ? {}
          : { "retry-after": String(Math.ceil(millis(retryAfter) / 1000)) }
      )
    }
    if (fault !== undefined && "reset" in fault) {
      ends("failed")
      yield* Effect.sleep(half)
      return yield* new HttpClientError.HttpClientError({
        reason: new HttpClientError.TransportError({ request, description: "connection reset" })
      })
    }
    const queued = Math.max(0, free - now)
    if (queued > longestQueue) {
      ends("failed")
      yield* Effect.sleep(half)
      return respond(request, 503)
    }
    free = doneAfter(Math.max(free, now))
    const body = yield* unusableBody(fault)
    ends(body === undefined ? "answered" : "failed")
    const slow = fault?.delay === undefined ? 0 : millis(fault.delay)
    yield* Effect.sleep(queued + latency + slow)
    return respond(request, 200, {}, body)
  })

  return HttpClient.make(respondTo)
}
