/** Which fault, if any, hits a request, and what it does to the answer. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { type Answer, type Fault, InvalidFault, type OperationName, type Script } from "../Fault.ts"
import type { Weather } from "../Weather.ts"
import { failure } from "./answers.ts"
import type { Exchange } from "./exchange.ts"
import { isOperationName, operationNames } from "./operations.ts"
import type { FakeState } from "./state.ts"

type Fake = FakeState["Service"]

const descriptions: Readonly<Record<number, string>> = {
  400: "Bad request",
  401: "Missing or invalid key",
  403: "Forbidden",
  404: "Not found",
  408: "Request timeout",
  413: "Request entity too large",
  429: "Too many requests",
  456: "Quota Exceeded",
  500: "Internal server error.",
  502: "Bad Gateway.",
  503: "Service unavailable",
  504: "Resource currently unavailable",
  529: "Too many requests"
}

const unknownOperation = (name: string): string =>
  `There is no operation "${name}". The operations are ${operationNames.join(", ")}.`

const invalidScript = ({ count = 1, fault, operation }: Script): string | undefined => {
  if (operation !== undefined && !isOperationName(operation)) return unknownOperation(operation)
  if (!Number.isSafeInteger(count) || count < 1) {
    return `The count of a script is a whole number from 1 on, not ${count}.`
  }
  if ("status" in fault && !(Number.isInteger(fault.status) && fault.status >= 200 && fault.status <= 599)) {
    return `The status of a fault is between 200 and 599, not ${fault.status}.`
  }
  return "status" in fault || "reset" in fault || "delay" in fault
    ? undefined
    : "A fault has a status, a reset or a delay."
}

export const addScript = (fake: Fake, script: Script): Effect.Effect<void, InvalidFault> =>
  Effect.suspend(() => {
    const reason = invalidScript(script)
    if (reason !== undefined) return Effect.fail(new InvalidFault({ reason }))
    fake.store.script.push({ operation: script.operation, remaining: script.count ?? 1, fault: script.fault })
    return Effect.void
  })

/** What a weather holds, as faults with their rates. */
const rates = (weather: Weather): ReadonlyArray<readonly [name: string, rate: number, fault: Fault]> => [
  ["rate429", weather.rate429 ?? 0, { status: 429, retryAfter: weather.retryAfter }],
  ["rate529", weather.rate529 ?? 0, { status: 529, retryAfter: weather.retryAfter }],
  ["rate503", weather.rate503 ?? 0, { status: 503, retryAfter: weather.retryAfter }],
  ["rate500", weather.rate500 ?? 0, { status: 500 }],
  ["rate502", weather.rate502 ?? 0, { status: 502 }],
  ["rate504", weather.rate504 ?? 0, { status: 504 }],
  ["rateReset", weather.rateReset ?? 0, { reset: true }]
]

/** Statuses that leave it open whether the operation took effect. */
const unknownOutcome = (fault: Fault): boolean =>
  "reset" in fault || ("status" in fault && [500, 502, 504].includes(fault.status))

const invalidWeather = (weather: Weather): string | undefined => {
  const named = [...rates(weather), ["afterEffect", weather.afterEffect ?? 0, undefined] as const]
  const outside = named.find(([, rate]) => !(rate >= 0 && rate <= 1))
  if (outside !== undefined) return `A rate is between 0 and 1, but ${outside[0]} is ${outside[1]}.`
  const sum = rates(weather).reduce((total, [, rate]) => total + rate, 0)
  if (sum > 1 + 1e-9) return `The rates of a weather sum up to at most 1, not ${sum}.`
  const unknown = weather.operations?.find((name) => !isOperationName(name))
  return unknown === undefined ? undefined : unknownOperation(unknown)
}

export const checkWeather = (weather: Weather): Effect.Effect<void, InvalidFault> =>
  Effect.suspend(() => {
    const reason = invalidWeather(weather)
    return reason === undefined ? Effect.void : Effect.fail(new InvalidFault({ reason }))
  })

const fromScript = (fake: Fake, operation: OperationName): Fault | undefined => {
  const { script } = fake.store
  const index = script.findIndex((entry) => entry.operation === undefined || entry.operation === operation)
  const entry = script[index]
  if (entry === undefined) return undefined
  entry.remaining -= 1
  if (entry.remaining === 0) script.splice(index, 1)
  return entry.fault
}

const fromWeather = (fake: Fake, operation: OperationName): Fault | undefined => {
  const { chances, weather } = fake.store
  if (weather.operations !== undefined && !weather.operations.includes(operation)) return undefined
  let chance = chances.chance()
  const after = chances.chance()
  for (const [, rate, fault] of rates(weather)) {
    if (chance < rate) {
      return unknownOutcome(fault) && after < (weather.afterEffect ?? 0) ? { ...fault, afterEffect: true } : fault
    }
    chance -= rate
  }
  return undefined
}

/** A script goes before the weather. */
export const next = (fake: Fake, operation: OperationName): Fault | undefined =>
  fromScript(fake, operation) ?? fromWeather(fake, operation)

const answer = ({ body, description, headers, retryAfter, status }: Answer): HttpServerResponse.HttpServerResponse => {
  const response = body === undefined
    ? failure(status, description ?? descriptions[status] ?? "")
    : HttpServerResponse.text(body, { status, contentType: headers?.["content-type"] ?? "text/plain" })
  const wait = retryAfter === undefined
    ? undefined
    : Headers.formatRetryAfter(
      DateTime.isDateTime(retryAfter) ? Headers.retryAfterDateTime(retryAfter) : Headers.retryAfterDuration(retryAfter)
    )
  return HttpServerResponse.setHeaders(response, {
    ...(wait === undefined ? undefined : { "retry-after": wait }),
    ...headers
  })
}

/** Puts a fault around the work of an operation. */
export const apply = <E, R>(
  exchange: Exchange,
  fault: Fault | undefined,
  work: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> => {
  if (fault === undefined) return work
  exchange.note.fault = fault
  const late = fault.delay === undefined ? Effect.void : Effect.sleep(fault.delay)
  if (!("status" in fault || "reset" in fault)) return Effect.andThen(late, work)
  const before = fault.afterEffect === true ? Effect.andThen(Effect.exit(work), late) : late
  return Effect.andThen(
    before,
    Effect.sync(() => {
      if ("status" in fault) return answer(fault)
      exchange.broken = true
      return HttpServerResponse.empty({ status: 500 })
    })
  )
}
