/** Two fakes of the service: one without faults, for the expected results, and one with faults. */
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import * as Weather from "@effect-lingua/testing/faults/Weather"
import { Context, Effect, Layer } from "effect"
import { onMessage, sendToParent } from "./protocol.ts"

const { retryAfter: _, ...rough } = Weather.rough

/** All faults of the fake, together for two requests in fifteen. Without `Retry-After`, so that more calls are made. */
const weather: Weather.Weather = {
  ...rough,
  rateReset: 0.03,
  rateTruncated: 0.01,
  rateStalled: 0.005,
  rateWrongLength: 0.005
}

const start = (weather: Weather.Weather) =>
  Effect.map(
    Layer.build(
      Layer.fresh(NodeFakeLanguageService.layer({
        seed: "soak",
        weather,
        readyAfter: "100 millis",
        expiresAfter: "1 minute",
        remembered: 100,
        docs: false,
        control: false
      }))
    ),
    (services) => Context.get(services, FakeLanguageService).url
  )

const program = Effect.gen(function*() {
  const calmUrl = yield* start(Weather.calm)
  const url = yield* start(weather)
  yield* Effect.sync(() => sendToParent({ tag: "ready", url, calmUrl }))
  return yield* Effect.never
})

onMessage(() => undefined)
Effect.runFork(Effect.scoped(program))
