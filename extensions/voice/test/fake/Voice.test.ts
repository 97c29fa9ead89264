import { Progress, ResiliencePolicy } from "@effect-lingua/core"
import { FakeLanguageService, VirtualTime } from "@effect-lingua/testing"
import * as FakeVoice from "@effect-lingua/voice/FakeVoice"
import { Voice } from "@effect-lingua/voice/Voice"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import { send } from "../../../../packages/testing/test/support/client.ts"
import { effectWith } from "../../../../test/support/tests.ts"

const content = new TextEncoder().encode("a talk")
const file = { content, fileName: "talk.mp3", contentType: "audio/mpeg" }
const targets = [{ language: "de", type: "text/plain" }, { language: "fr", type: "audio/ogg;codecs=opus" }]
const speech = { fileName: "talk.mp3", contentType: "audio/mpeg", size: content.length, targets }

const translate = Voice.use((voice) => voice.translate({ ...file, targets, sourceLanguage: "en" }))

const requests = FakeLanguageService.use((fake) => fake.requests)

/** Requests a job for a target, without the client. */
const startRaw = (target: object, parameters = {}) =>
  send("POST", "/v1/jobs/voice/translate", {
    body: JSON.stringify({
      source_file: { name: "a.mp3", content_type: "audio/mpeg", content_length: 1 },
      parameters,
      targets: [target]
    })
  })

/** Requests a session, without the client. */
const sessionRaw = (fields: object) =>
  send("POST", "/v3/voice/realtime", { body: JSON.stringify({ source_media_content_type: "audio/ogg", ...fields }) })

const test = effectWith(FakeVoice.layerServices())

describe("Voice", () => {
  it.effect("tells how far a job is, and asks every 5 seconds or later", () =>
    Effect.gen(function*() {
      const seen = yield* VirtualTime.run(Stream.runCollect(Progress.stream(translate)))
      assert.deepStrictEqual(
        seen.map((event) => event._tag === "Waiting" ? event.state : event._tag),
        ["Started", "Sent", "uploaded", "processing", "processing", "Completed", "Finished"]
      )
      const asked = (yield* requests).flatMap(({ operation, time }) => operation === "Voice.status" ? [time] : [])
      assert.deepStrictEqual(asked, [0, 5000, 10_000, 15_000])
    }).pipe(Effect.provide(FakeVoice.layerServices({ readyAfter: "15 seconds" }))))

  test("fails where the file is not what was said, or does not come", function*() {
    const voice = yield* Voice
    const job = yield* voice.start({ ...speech, size: 400 })
    const early = yield* Effect.flip(Stream.runDrain(voice.download({ jobId: job.jobId, targetIndex: 0 })))
    assert.strictEqual(early._tag, "JobNotDone")
    yield* voice.upload({ job, content })
    const error = yield* Effect.flip(VirtualTime.run(voice.wait(job)))
    assert.strictEqual(error._tag, "JobFailed")
    assert.include(error.message, "6 bytes instead of 400")
    const late = yield* voice.start(speech)
    yield* TestClock.adjust("5 minutes")
    assert.strictEqual((yield* Effect.flip(voice.wait(late)))._tag, "JobFailed")
    const failed = yield* Effect.flip(voice.upload({ job: late, content }))
    assert.strictEqual(failed._tag, "TransferFailed")
  })

  test("works at 10 jobs at a time", function*() {
    const voice = yield* Voice
    const create = voice.start(speech)
    for (const _ of Array.from({ length: 10 })) {
      yield* voice.upload({ job: yield* create, content })
    }
    const error = yield* create.pipe(ResiliencePolicy.within({ attempts: 1 }), Effect.flip)
    assert.strictEqual(error._tag, "RateLimited")
    yield* TestClock.adjust("3 seconds")
    yield* create
  })

  test("refuses languages that speech does not have, unknown types of results, and unknown glossaries", function*() {
    const refusals = [
      yield* startRaw({ language: "xx", type: "text/plain" }),
      yield* startRaw({ language: "de", type: "text/html" }),
      yield* startRaw({ language: "de", type: "text/plain" }, { source_language: "xx" }),
      yield* sessionRaw({ target_languages: ["de", "xx"] }),
      yield* sessionRaw({ source_language: "xx" }),
      yield* sessionRaw({ target_media_languages: ["xx"] }),
      yield* sessionRaw({ glossary_id: "00000000-0000-4000-8000-000000000000" })
    ]
    assert.deepStrictEqual(refusals.map(({ json, status }) => [status, json.message]), [
      [400, "/targets/0/language: Value is not valid"],
      [400, "/targets/0/type: Value is not valid"],
      [400, "/parameters/source_language: Value is not valid"],
      [400, "Value for 'target_languages' not supported."],
      [400, "Value for 'source_language' not supported."],
      [400, "Value for 'target_media_languages' not supported."],
      [400, "Glossary not found"]
    ])
    assert.strictEqual((yield* startRaw({ language: "DE", type: "audio/pcm;encoding=s16le;rate=16000" })).status, 201)
  })
})
