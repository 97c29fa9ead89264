/** A process that makes calls as fast as its client allows. Argument: `Order`, as JSON. */
import type { InvalidConfiguration } from "@effect-lingua/core/config/LanguageServiceConfig"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { layerHttpClient } from "@effect-lingua/node/http/NodePool"
import * as NodeSharedRate from "@effect-lingua/node/NodeSharedRate"
import { DeepLClient } from "deepl-node"
import { Context, Effect, Latch, Layer, Redacted, type Scope } from "effect"
import { policyOf } from "./goodputPolicy.ts"
import { onMessage, type Order, sendToParent } from "./protocol.ts"

const order: Order = JSON.parse(process.argv[2] ?? "")
const text = "Good."
const warmUpCalls = 40

const layer = (baseUrl: string) =>
  LanguageService.layer({ key: Redacted.make("key"), baseUrl, resilience: policyOf(order) }).pipe(
    Layer.provide(layerHttpClient()),
    Layer.provide(
      order.kind === "redis" ? NodeSharedRate.layerRedis({ url: Redacted.make(order.redisUrl) }) : Layer.empty
    )
  )

const ours = (url: string) =>
  Effect.map(Layer.build(layer(url)), (services) => {
    const translation = Context.get(services, Translation)
    return translation.translate({ text: [text], targetLanguage: "de" })
  })

const theirs = (url: string) =>
  Effect.sync(() => {
    const client = new DeepLClient("key", { serverUrl: url })
    return Effect.tryPromise(() => client.translateText(text, null, "de"))
  })

type Made = Effect.Effect<
  Effect.Effect<unknown, Effect.Error<Effect.Success<ReturnType<typeof ours | typeof theirs>>>>,
  InvalidConfiguration,
  Scope.Scope
>

/** Creates a client and returns its call. */
const make = (url: string): Made => order.kind === "deepl-node" ? theirs(url) : ours(url)

const program = Effect.gen(function*() {
  // Warms up, because a new process is slow until its code is compiled.
  yield* Effect.scoped(
    Effect.flatMap(make(order.warmUpUrl), (call) =>
      Effect.all(
        Array.from({ length: warmUpCalls }, () => call),
        { concurrency: order.inFlight }
      ))
  )
  const call = yield* make(order.url)
  const started = yield* Latch.make()
  let useful = 0
  let failed = 0
  onMessage((message) => {
    if (message.tag === "start") started.openUnsafe()
    if (message.tag === "count") sendToParent({ tag: "clientCounts", counts: { useful, failed } })
  })
  const count = Effect.matchCause(call, {
    onFailure: () => {
      failed++
    },
    onSuccess: () => {
      useful++
    }
  })
  sendToParent({ tag: "ready" })
  yield* started.await
  yield* Effect.forEach(Array.from({ length: order.inFlight }), () => Effect.forever(count), {
    concurrency: "unbounded"
  })
})

Effect.runFork(Effect.scoped(program))
