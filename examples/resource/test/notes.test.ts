import { Contract } from "@effect-lingua/core/extension"
import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import { FakeLanguageService } from "@effect-lingua/testing/fake"
import { Fault } from "@effect-lingua/testing/faults"
import { VirtualTime } from "@effect-lingua/testing/time"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { OpenApi } from "effect/http-api"
import { resource } from "../src/fakeNotes.ts"
import * as Notes from "../src/Notes.ts"

const services = (options: FakeLanguageService.ServicesOptions = {}) =>
  Layer.provideMerge(Notes.layer, FakeLanguageService.layerServices({ resources: [resource], ...options }))

describe("a resource from outside", () => {
  it("is a part of the description of the service", () => {
    const { paths } = OpenApi.fromApi(LanguageServiceApi.add(Contract.httpGroup(Notes.NotesApi)))
    assert.containsAllKeys(paths, ["/v1/notes", "/v1/notes/{note_id}", "/v2/translate"])
  })

  layer(services())((it) => {
    it.effect("is called, meets a scripted fault, and is sent again", () =>
      VirtualTime.run(Effect.gen(function*() {
        const fake = yield* FakeLanguageService.FakeLanguageService
        const notes = yield* Notes.Notes
        const { noteId } = yield* notes.create({ text: "Call the printer" })
        yield* fake.script({ operation: "Notes.get", fault: Fault.unavailable() })
        const { text } = yield* notes.get(noteId)
        const [first, second] = yield* fake.requestsOf("Notes.get")
        const effects = yield* fake.effects()
        assert.strictEqual(text, "Call the printer")
        assert.deepStrictEqual([first?.status, second?.status], [503, 200])
        assert.strictEqual(second?.decoded?.params.noteId, noteId)
        assert.strictEqual(effects["Notes.create"].count, 1)
      })))

    it.effect("fails with the errors of the contract, and is forgotten at a reset", () =>
      VirtualTime.run(Effect.gen(function*() {
        const fake = yield* FakeLanguageService.FakeLanguageService
        const notes = yield* Notes.Notes
        const { noteId } = yield* notes.create({ text: "Call the printer" })
        yield* fake.script({ operation: "Notes.create", fault: Fault.reset({ afterEffect: true }) })
        const lost = yield* Effect.flip(notes.create({ text: "Call the printer" }))
        yield* fake.reset()
        const gone = yield* Effect.flip(notes.get(noteId))
        assert.deepStrictEqual(
          [lost, gone].map(({ _tag, operation }) => `${operation} ${_tag}`),
          ["Notes.create OutcomeUnknown", "Notes.get NotFound"]
        )
      })))
  })

  layer(services({ keys: [{ key: "reader", tier: "paid", scopes: ["notes:read"] }] }))((it) => {
    it.effect("is closed to a key without its scope", () =>
      Effect.gen(function*() {
        const notes = yield* Notes.Notes
        const { _tag } = yield* Effect.flip(notes.create({ text: "Call the printer" }))
        assert.strictEqual(_tag, "MissingScope")
      }))
  })
})
