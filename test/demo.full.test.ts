import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestConsole } from "effect/testing"
import { demo } from "../examples/demo/demo.ts"

it.live("the demo runs over real sockets to its end", () =>
  Effect.gen(function*() {
    yield* demo
    const lines = (yield* TestConsole.logLines).map(String)
    const has = (pattern: RegExp) => assert.isTrue(lines.some((line) => pattern.test(line)), String(pattern))
    has(/Detection\.detect +#1 429 RateLimited +trace [0-9a-f]{32}/)
    has(/#2 200 +trace [0-9a-f]{32} +after 1000 ms \(retry-after\)/)
    has(/Writing\.rephrase +#1 529 Overloaded/)
    has(/Documents\.download +#1 503 DocumentNotReady/)
    has(/Documents\.status +#\d+ 200 .* after \d+ ms \(poll\)/)
    has(/caught QuotaExceeded: Writing\.correct: the quota is used up \(status 456\)/)
    has(/attempts, every step succeeded/)
  }).pipe(Effect.provide(Layer.merge(NodeServices.layer, TestConsole.layer))))
