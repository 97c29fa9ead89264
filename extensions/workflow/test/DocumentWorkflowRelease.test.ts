import { DocumentStore, DocumentWorkflow } from "@effect-lingua/workflow"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { WorkflowEngine } from "effect/workflow"
import * as Documents from "../../../packages/core/test/support/documents.ts"
import * as Wire from "../../../packages/core/test/support/Wire.ts"
import { digests, turns } from "../../../test/support/virtual.ts"

/** A body of which 1000 bytes arrive each second, without an end. */
const dripping = Stream.forever(Stream.fromEffect(Effect.as(Effect.sleep("1 second"), new Uint8Array(1000))))

const request = { id: "one", source: "letter.txt", target: "one.txt", fields: { targetLanguage: "en-US" } }

/** Lets time pass until a condition holds. */
const until = (condition: Effect.Effect<boolean, never, Wire.Wire>) =>
  Effect.repeat(Effect.andThen(Effect.andThen(TestClock.adjust("1 second"), turns), condition), {
    until: (holds) => holds
  })

describe("the release of the layer of DocumentWorkflow", () => {
  it.effect("begins no download", () =>
    Effect.gen(function*() {
      const engine = Layer.provideMerge(DocumentWorkflow.layer(), WorkflowEngine.layerMemory)
      const running = yield* Effect.forkChild(
        Effect.provide(DocumentWorkflow.execute(request), engine, { local: true })
      )
      yield* until(Effect.map(Documents.questions, (questions) => questions.includes("status")))
      const releasing = yield* Effect.forkChild(Fiber.interrupt(running))
      yield* until(Effect.sync(() => releasing.pollUnsafe() !== undefined))
      assert.deepStrictEqual(yield* Documents.questions, ["upload", "status"])
    }).pipe(Effect.provide([
      digests,
      DocumentStore.layerMemory({ "letter.txt": "Guten Tag" }),
      Documents.layer({ status: [Documents.status("translating"), Documents.status("done")] })
    ])))

  it.effect("ends after a minute if a download drips, which keeps what arrived and its entry", () =>
    Effect.gen(function*() {
      const store = yield* DocumentStore
      const engine = Layer.provideMerge(DocumentWorkflow.layer(), WorkflowEngine.layerMemory)
      const run = Effect.provide(DocumentWorkflow.execute(request), engine, { local: true })
      const running = yield* Effect.forkChild(run)
      yield* until(Effect.map(Documents.questions, (questions) => questions.includes("result")))
      const before = yield* Clock.currentTimeMillis
      const releasing = yield* Effect.forkChild(Fiber.interrupt(running))
      yield* until(
        Effect.map(Clock.currentTimeMillis, (now) => releasing.pollUnsafe() !== undefined || now > before + 600_000)
      )
      assert.isAtMost((yield* Clock.currentTimeMillis) - before, 62_000)
      assert.isAtLeast((yield* store.part("one.txt"))?.size ?? 0, 59_000)
      assert.deepStrictEqual(yield* Documents.states, ["Downloading"])
    }).pipe(Effect.provide([
      digests,
      DocumentStore.layerMemory({ "letter.txt": "Guten Tag" }),
      Documents.layer({ result: [Wire.streamed(200, dripping)] })
    ])))
})
