/** A process that makes consecutive translations with one of the clients. Argument: `CallOrder`, as JSON. */
import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import { Translation } from "@effect-lingua/core/texts/Translation"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import Undici from "@effect/platform-node/Undici"
import { DeepLClient } from "deepl-node"
import { Effect, type Layer, ManagedRuntime, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { type CallKind, type CallOrder, onMessage, sendToParent } from "./protocol.ts"

const order: CallOrder = JSON.parse(process.argv[2] ?? "{}")
const texts = order.texts

/** Makes calls until a time, with `inFlight` concurrent calls, and returns the number of calls. */
type Run = (inFlight: number, until: number) => Promise<number>

/** Makes calls with a promise client. */
const promises = (call: () => Promise<unknown>): Run => async (inFlight, until) => {
  let calls = 0
  await Promise.all(Array.from({ length: inFlight }, async () => {
    while (performance.now() < until) {
      // oxlint-disable-next-line no-await-in-loop -- consecutive calls are measured
      await call()
      calls++
    }
  }))
  return calls
}

/** Makes calls with an Effect client. */
const effects = <R, E, E2>(
  layer: Layer.Layer<R, E>,
  make: Effect.Effect<Effect.Effect<unknown, E2>, never, R>
): Run => {
  const runtime = ManagedRuntime.make(layer)
  return (inFlight, until) =>
    runtime.runPromise(Effect.gen(function*() {
      const call = yield* make
      let calls = 0
      const worker = Effect.whileLoop({
        while: () => performance.now() < until,
        body: () => call,
        step: () => {
          calls++
        }
      })
      yield* Effect.all(Array.from({ length: inFlight }, () => worker), { concurrency: "unbounded", discard: true })
      return calls
    }))
}

const ours = (resilience: Partial<ResiliencePolicy.ResiliencePolicy> | undefined): Run =>
  effects(
    NodeLanguageService.layer({
      key: Redacted.make("key"),
      baseUrl: order.url,
      journal: "memory",
      ...(resilience === undefined ? undefined : { resilience })
    }),
    Effect.map(Translation, (translation) => translation.translate({ text: texts, targetLanguage: "de" }))
  )

const body = { text: texts, target_lang: "DE" }
const headers = { authorization: "Key key", "content-type": "application/json" }
const url = `${order.url}/v2/translate`

const Translated = Schema.Struct({
  translations: Schema.Array(
    Schema.Struct({
      text: Schema.String,
      detected_source_language: Schema.String,
      billed_characters: Schema.optionalKey(Schema.Int)
    })
  )
})

const bareEffect = effects(
  NodeHttpClient.layerUndici,
  Effect.map(HttpClient.HttpClient, (client) => {
    const ok = HttpClient.filterStatusOk(client)
    return Effect.flatMap(
      HttpClientRequest.bodyJson(HttpClientRequest.post(url, { headers }), body),
      (request) => Effect.flatMap(ok.execute(request), HttpClientResponse.schemaBodyJson(Translated))
    )
  })
)

const runs: Readonly<Record<CallKind, () => Run>> = {
  "everything on": () => ours(undefined),
  "schemas compiled": () => ours(undefined),
  "resilience off": () => ours(ResiliencePolicy.none),
  effect: () => bareEffect,
  undici: () => {
    const dispatcher = new Undici.Agent()
    return promises(async () => {
      const response = await Undici.request(url, { dispatcher, method: "POST", headers, body: JSON.stringify(body) })
      return JSON.parse(await response.body.text())
    })
  },
  fetch: () =>
    promises(async () => {
      // @effect-diagnostics-next-line globalFetch:off
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
      return response.json()
    }),
  "deepl-node": () => {
    const client = new DeepLClient("key", { serverUrl: order.url })
    return promises(() => client.translateText([...texts], null, "de"))
  }
}

const run = runs[order.kind]()

onMessage((message) => {
  if (message.tag !== "measure") return
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const cpu = process.cpuUsage()
  const started = performance.now()
  void run(message.inFlight, started + message.millis).then((calls) => {
    const { system, user } = process.cpuUsage(cpu)
    const millis = performance.now() - started
    delay.disable()
    const delayMillis = delay.percentile(99) / 1e6
    sendToParent({ tag: "measured", calls, millis, cpuMicros: system + user, delayMillis })
  })
})
sendToParent({ tag: "ready" })
