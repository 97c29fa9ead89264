// The layer of resilience knows nothing of the service: it serves any contract.
import { Deadline, LanguageServiceClient, LanguageServiceConfig } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import * as Operations from "../../src/call/internal/operation.ts"
import * as Endpoint from "../../src/contract/internal/endpoint.ts"
import * as codecs from "../../src/errors/internal/codecs.ts"
import { errorOverTime, valueOverTime, Wire } from "../support/index.ts"

const Weather = Schema.Struct({ celsius: Schema.Number })
const { get } = Endpoint.of({ error: codecs.common })
const params = Schema.Struct({ city: Schema.String })
const today = get("today", "/weather/:city", "The weather of a city", { params, success: Weather })

const makeForecast = Operations.make(Endpoint.group("Forecast", today))
class Forecast extends Context.Service<Forecast, Effect.Success<typeof makeForecast>>()(
  "@effect-lingua/core/test/limits/otherContract.test/Forecast"
) {}

const layer = (script: Wire.Script) =>
  LanguageServiceClient.layerOf(Layer.effect(Forecast, makeForecast)).pipe(
    Layer.provide(LanguageServiceConfig.layer({ key: Redacted.make("k"), baseUrl: "https://weather.test" })),
    Layer.provideMerge(Wire.make(script))
  )

const weather = Forecast.use(({ today }) => today({ params: { city: "Ulm" } }))

describe("a contract of another service", () => {
  it.effect("is retried, and waits for what the service asks", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* valueOverTime(weather), { celsius: 21 })
      assert.deepStrictEqual(
        (yield* Wire.sent).map(({ url }) => url),
        Array(3).fill("https://weather.test/weather/Ulm")
      )
      const [first = 0, second = 0] = yield* Wire.gaps
      assert.isAtMost(first, 1000)
      assert.isAtLeast(second, 7000)
    }).pipe(Effect.provide(layer([
      Wire.answer(503),
      Wire.answer(429, "", { "retry-after": "7" }),
      Wire.answer(200, { celsius: 21 })
    ]))))

  it.effect("has the deadline of a region, and errors of its operation", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(Deadline.within(weather, "3 seconds"))
      assert.strictEqual(error._tag, "DeadlineExceeded")
      assert.strictEqual(error.operation, "Forecast.today")
    }).pipe(Effect.provide(layer(Wire.silent))))

  it.effect("is refused where the response is not that of the contract", () =>
    Effect.gen(function*() {
      const error = yield* errorOverTime(weather)
      assert.strictEqual(error._tag, "UnexpectedResponse")
      assert.include(error.message, "celsius")
    }).pipe(Effect.provide(layer(Wire.answer(200, { fahrenheit: 70 })))))
})
