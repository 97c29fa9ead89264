/**
 * Weather: random faults at given rates. The same seed and request order give the same faults.
 *
 * **Example** (Bad weather, and worse for downloads)
 *
 * ```ts import.meta.vitest
 * import { FakeLanguageService, Weather } from "@effect-lingua/testing"
 *
 * const downloads: Weather.Weather = { rateTruncated: 0.1, operations: ["Documents.download"] }
 *
 * const layer = FakeLanguageService.layer({ seed: "monday", weather: [Weather.rough, downloads] })
 * void layer
 *
 * Weather.format(downloads) // => "10 % body cut after 50 %, of Documents.download"
 * ```
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import * as Rates from "./internal/rates.ts"
import { closed } from "./internal/schema.ts"

/**
 * Fault rates, each a share (0 to 1) of all requests; their sum is at most 1.
 *
 * **Details**
 *
 * `slowBy` is the delay for `rateSlow` (default: 1 second). `retryAfter` applies to 429, 503 and 529. Without
 * `operations`, all operations are affected. `afterEffect` is the share (default: 0) of faults with an unknown outcome
 * (500, 502, 504, reset, slow) that follow the operation's effect; body faults always follow the effect. Several
 * weathers are tried in order until one plays a fault.
 *
 * **Gotchas**
 *
 * With `rateStalled`, a client hangs unless it has a body timeout, such as `bodyIdleTimeout` of `ResiliencePolicy`.
 *
 * @category models
 * @since 0.1.0
 */
export type Weather = { readonly [Name in keyof Rates.Weather]: Rates.Weather[Name] }

const sum = Schema.makeFilter((weather: Weather) => {
  const sum = Rates.of(weather).reduce((total, { rate }) => total + rate, 0)
  // Floating-point rates may sum up to slightly more than 1.
  return sum <= 1 + 1e-9 || `The rates of a weather sum up to at most 1, not ${sum}.`
})

/**
 * Schema of a {@link Weather}. In JSON, durations are strings such as `"2 seconds"` or milliseconds. Rejects unknown
 * keys and operations.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Weather: Schema.Codec<Weather, unknown> = closed(Rates.fields).check(sum).pipe(
  Schema.refine((_weather): _weather is Weather => true)
)

/**
 * @category models
 * @since 0.1.0
 */
export type Weathers = Weather | ReadonlyArray<Weather>

/**
 * @category schemas
 * @since 0.1.0
 */
export const Weathers: Schema.Codec<Weathers, unknown> = Schema.Union([Weather, Schema.Array(Weather)])

/**
 * No faults.
 *
 * @category constructors
 * @since 0.1.0
 */
export const calm: Weather = {}

/**
 * One request in ten receives a fault: 5 % refusals, 3 % failures with an unknown outcome (half after the effect),
 * 1 % late responses, 1 % cut or malformed bodies.
 *
 * @category constructors
 * @since 0.1.0
 */
export const rough: Weather = {
  rate429: 0.03,
  rate503: 0.01,
  rate529: 0.01,
  rate500: 0.005,
  rate502: 0.005,
  rate504: 0.005,
  rateReset: 0.015,
  rateSlow: 0.01,
  rateTruncated: 0.005,
  rateMalformed: 0.005,
  retryAfter: "1 second",
  slowBy: "2 seconds",
  afterEffect: 0.5
}

/**
 * One request in two receives a fault: 24 % refusals, 18 % failures with an unknown outcome (half after the effect), 4
 * % late responses, 4 % cut or malformed bodies.
 *
 * @category constructors
 * @since 0.1.0
 */
export const storm: Weather = {
  rate429: 0.06,
  rate503: 0.12,
  rate529: 0.06,
  rate500: 0.03,
  rate502: 0.03,
  rate504: 0.03,
  rateReset: 0.09,
  rateSlow: 0.04,
  rateTruncated: 0.03,
  rateMalformed: 0.01,
  slowBy: "5 seconds",
  afterEffect: 0.5
}

/**
 * Describes a weather in one line.
 *
 * @category formatting
 * @since 0.1.0
 */
export const format = (weather: Weather): string => Rates.format(weather)
