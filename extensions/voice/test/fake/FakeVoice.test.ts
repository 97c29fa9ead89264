import { FakeLanguageService, NodeFakeLanguageService, RemoteFakeLanguageService } from "@effect-lingua/testing"
import { SpokenTerms, Voice } from "@effect-lingua/voice"
import * as FakeVoice from "@effect-lingua/voice/FakeVoice"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { send } from "../../../../packages/testing/test/support/client.ts"
import * as Sample from "../support/operations.ts"

/** What a fake tells of speech, with its secrets in the clear. */
const told = Effect.gen(function*() {
  const { effects, secrets, state } = yield* FakeLanguageService
  const { jobs, sessions, spokenTerms } = FakeVoice.stateOf(yield* state)
  return {
    jobs,
    spokenTerms,
    sessions: sessions.map(({ sessionId, token }) => [sessionId, Redacted.value(token)]),
    secrets: (yield* secrets).map((secret) => [secret.label, Redacted.value(secret)]),
    started: (yield* effects)["Voice.start"].count
  }
})

describe("speech in the fake", () => {
  it.effect("is told by the handle until a reset", () =>
    Effect.gen(function*() {
      const voice = yield* Voice
      const { jobId } = yield* voice.start(Sample.speech)
      const { sessionId, token } = yield* voice.requestSession({ sourceMediaContentType: "audio/webm" })
      const { spokenTermsId } = yield* SpokenTerms.use((terms) =>
        terms.create({ name: "Harbour words", termLists: [{ language: "EN", terms: ["fairlead"] }] })
      )
      const { secrets, ...rest } = yield* told
      assert.deepStrictEqual<object>(rest, {
        jobs: [jobId],
        sessions: [[sessionId, Redacted.value(token)]],
        spokenTerms: [{ spokenTermsId, name: "Harbour words", termLists: [{ language: "en", terms: ["fairlead"] }] }],
        started: 1
      })
      assert.includeMembers(secrets.map(([label]) => label), [
        `signature of voice job ${jobId}`,
        `token of voice session ${sessionId}`
      ])
      yield* FakeLanguageService.use((fake) => fake.reset)
      assert.deepInclude<object>(yield* told, { jobs: [], sessions: [], spokenTerms: [], started: 0 })
    }).pipe(Effect.provide(FakeVoice.layerServices())))

  it.live("is told by the handle from another process as by that of its own", () =>
    Effect.gen(function*() {
      yield* send("POST", "/v3/voice/realtime", { body: `{"source_media_content_type":"audio/webm"}` })
      yield* send("POST", "/v3/spoken-terms", { body: `{"name":"a","term_lists":[]}` })
      const { url } = yield* FakeLanguageService
      const near = yield* told
      const far = yield* Effect.provide(told, RemoteFakeLanguageService.layer({ url }))
      assert.lengthOf(near.sessions, 1)
      assert.deepStrictEqual(far, near)
    }).pipe(Effect.provide(
      Layer.provideMerge(NodeFakeLanguageService.layer({ resources: FakeVoice.resources }), FetchHttpClient.layer)
    )))

  it.effect("is not found in a fake without it", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* send("POST", "/v3/voice/realtime", { body: "{}" })).status, 404)
      assert.notProperty((yield* FakeLanguageService.use((fake) => fake.state)).resources, "Voice")
    }).pipe(Effect.provide(FakeLanguageService.layerServices())))

  it.effect.each(Object.entries(Sample.operations))(
    "refuses %s to keys without the right to it",
    ([name, { request }]) =>
      Effect.gen(function*() {
        const [method, path, body] = request
        for (const [key, status] of [["", 403], ["free", 403], ["scoped", 403], ["paid", undefined]] as const) {
          const headers = { authorization: key === "" ? "" : `Service-Auth-Key ${key}` }
          const answer = yield* send(method, path, body === undefined ? { headers } : { headers, body })
          if (status === undefined) assert.include([200, 201, 204, 400, 404], answer.status, `${name} with ${key}`)
          else assert.strictEqual(answer.status, status, `${name} with "${key}"`)
        }
      }).pipe(Effect.provide(FakeVoice.layerServices({
        keys: [
          { key: "paid", tier: "paid" },
          { key: "free", tier: "free" },
          { key: "scoped", tier: "paid", scopes: ["translate:text"] }
        ]
      })))
  )
})
