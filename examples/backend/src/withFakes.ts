/** The server with a fake service for each region, to try it without a key. */
import { FakeLanguageService, NodeFakeLanguageService } from "@effect-lingua/testing"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import * as Server from "./server.ts"

const fake = (seed: number) =>
  Effect.map(
    Layer.build(Layer.fresh(NodeFakeLanguageService.layer({ seed, readyAfter: "2 seconds" }))),
    (context) => Context.get(context, FakeLanguageService).url
  )

const layer = Layer.unwrap(Effect.gen(function*() {
  const [eu, us] = yield* Effect.all([fake(1), fake(2)])
  const fakes = ConfigProvider.fromEnv({
    env: {
      EU_LANGUAGE_SERVICE_KEY: "fake-key",
      EU_LANGUAGE_SERVICE_BASE_URL: eu,
      US_LANGUAGE_SERVICE_KEY: "fake-key",
      US_LANGUAGE_SERVICE_BASE_URL: us
    }
  })
  const provider = ConfigProvider.orElse(fakes, yield* ConfigProvider.ConfigProvider)
  return Layer.provide(Server.layer, ConfigProvider.layer(provider))
}))

Layer.launch(layer).pipe(NodeRuntime.runMain)
