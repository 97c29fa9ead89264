import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { SpokenTerms, Voice } from "@effect-lingua/voice"
import * as FakeVoice from "@effect-lingua/voice/FakeVoice"
import { generators } from "@effect-lingua/voice/VoiceGenerators"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Equal, Schema } from "effect"
import { holds, sample } from "../../../packages/testing/test/support/properties.ts"
import { scaled } from "../../../test/support/scale.ts"
import { effect } from "../../../test/support/tests.ts"
import * as Sample from "./support/operations.ts"
import * as Wire from "./support/wire.ts"

type Name = Parameters<typeof generators.request>[0]

const isName = (name: string): name is Name => name in Sample.operations
const names = Object.keys(Sample.operations).filter(isName)

/** The codec of the JSON of a success, by operation. */
const successes = new Map<string, Schema.Codec<unknown, unknown>>()
for (const { operation, successes: all } of Sample.contract) {
  const [success] = all.has(204) ? [] : [...all.values()].flat()
  if (success === undefined) continue
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the codecs of the contract need no services
  successes.set(operation, Schema.toCodecJson(success) as unknown as Schema.Codec<unknown, unknown>)
}

/** A job, a session and two collections, of which one has a list. */
const state = Effect.gen(function*() {
  const spokenTerms = yield* SpokenTerms
  const voice = yield* Voice
  const fake = yield* FakeLanguageService
  yield* fake.reset
  yield* voice.start(Sample.speech)
  yield* voice.requestSession({ sourceMediaContentType: "audio/webm" })
  yield* spokenTerms.create({ name: "a", termLists: [{ language: "en", terms: ["fairlead"] }] })
  yield* spokenTerms.create({ name: "b", termLists: [] })
  return yield* fake.state
})

const once = { resilience: { attempts: 1 } } as const

describe("the generators of speech", () => {
  it.effect.each(names)(
    "%s: requests are accepted, those of a state by what it holds",
    (name) =>
      Effect.gen(function*() {
        const seeds = Arbitrary.schema(Schema.Int)
        yield* holds(
          seeds,
          (seed) =>
            Effect.flatMap(state, (state) =>
              holds(generators.request(name, state), (request) =>
                Sample.call(name, request), {
                runs: 1,
                size: 5,
                seed
              })),
          { runs: scaled(2, 5) }
        )
      }).pipe(Effect.provide(FakeVoice.layerServices({ client: once })))
  )

  it.effect.each(names)("%s: responses come through the codec as they were, and are read for their request", (name) => {
    const codec = successes.get(name)
    return codec === undefined ? Effect.void : Effect.gen(function*() {
      yield* holds(generators.response(name), (response) =>
        Schema.encodeEffect(codec)(response).pipe(
          Effect.flatMap((json) => Schema.decodeUnknownEffect(codec)(JSON.parse(JSON.stringify(json)))),
          Effect.map((decoded) => Equal.equals(decoded, response))
        ))
      yield* holds(
        Arbitrary.flatMap(
          generators.request(name),
          (request) => Arbitrary.map(generators.responseTo(name, request), (response) => ({ request, response }))
        ),
        ({ request, response }) =>
          Effect.flatMap(
            Schema.encodeEffect(codec)(response),
            (json) => Sample.call(name, request).pipe(Effect.provide(Wire.layer([Wire.answer(200, json)], once)))
          )
      )
    })
  })

  effect.each(names)("%s: errors are those of the method", function*(name) {
    const errors = yield* sample<{ readonly _tag: string; readonly operation: string }>(
      generators.error(name),
      scaled(75, 300)
    )
    const tags = new Set(errors.map(({ _tag }) => _tag))
    assert.isAtLeast(tags.size, 12)
    assert.isTrue(errors.every(({ operation }) => operation === name))
    const creates = ["SpokenTerms.create", "Voice.start", "Voice.requestSession", "Voice.reconnect"].includes(name)
    assert.strictEqual(tags.has("OutcomeUnknown"), creates)
    assert.strictEqual(tags.has("InternalServerError"), !creates)
  })

  effect("sessions have up to five languages, and results of jobs a known state", function*() {
    const sessions = yield* sample(generators.request("Voice.requestSession"), scaled(50, 100))
    assert.strictEqual(Math.max(...sessions.map(({ targetLanguages = [] }) => targetLanguages.length)), 5)
    assert.deepStrictEqual(
      new Set(sessions.map(({ messageFormat }) => messageFormat)),
      new Set([undefined, "json", "msgpack"])
    )
    const jobs = yield* sample(generators.response("Voice.status"), scaled(50, 100))
    const states = new Set(jobs.flatMap(({ results }) => results.map(({ state }) => state)))
    assert.includeMembers([...states], ["pending", "complete", "failed"])
  })
})
