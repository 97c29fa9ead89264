import { CustomRequests } from "@effect-lingua/core/call/CustomRequests"
import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Fault from "@effect-lingua/testing/faults/Fault"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const make = CustomRequests.use((requests) =>
  requests.send({
    method: "POST",
    path: "/v3/style_rules",
    body: { name: "House style", language: "en" },
    success: Schema.Struct({ style_id: Schema.String })
  })
)

describe("requests outside of the contract, against the fake", () => {
  it.effect("an operation that is asked for by its path is the operation that the fake knows", () =>
    Effect.gen(function*() {
      const { style_id } = yield* make
      yield* CustomRequests.use((requests) =>
        requests.send({
          method: "DELETE",
          path: "/v3/style_rules/:style_id",
          params: { style_id },
          repeat: "Replace"
        })
      )
      const { requests } = yield* FakeLanguageService.FakeLanguageService
      assert.deepStrictEqual((yield* requests()).map(({ operation, status }) => [operation, status]), [
        ["StyleRules.create", 201],
        ["StyleRules.remove", 204]
      ])
    }).pipe(Effect.provide(FakeLanguageService.layerServices())))

  it.effect("a path that the service does not have is NotFound", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(
        CustomRequests.use((requests) => requests.send({ method: "GET", path: "/v1/voice/jobs", repeat: "Read" }))
      )
      assert.strictEqual(error._tag, "NotFound")
      assert.isDefined(error.attempts[0]?.traceId)
    }).pipe(Effect.provide(FakeLanguageService.layerServices())))

  it.effect("what may have made something is not sent again", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService.FakeLanguageService
      yield* fake.script({ operation: "StyleRules.create", fault: Fault.serverError({ afterEffect: true }) })
      const error = yield* Effect.flip(make)
      assert.strictEqual(error._tag, "OutcomeUnknown")
      assert.strictEqual((yield* fake.requestsOf("StyleRules.create")).length, 1)
    }).pipe(Effect.provide(FakeLanguageService.layerServices())))
})
