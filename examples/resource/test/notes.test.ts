import { Contract, LanguageServiceApi } from "@effect-lingua/core"
import { FakeLanguageService, Fault, NodeFakeLanguageService, VirtualTime } from "@effect-lingua/testing"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { OpenApi } from "effect/http-api"
import { inProcess } from "../../../extensions/cli/test/support/cli.ts"
import { resources } from "../src/fakeNotes.ts"
import * as Notes from "../src/Notes.ts"
import { notes } from "../src/notesCommands.ts"

const services = (options: FakeLanguageService.ServicesOptions = {}) =>
  Layer.provideMerge(Notes.Notes.layer, FakeLanguageService.layerServices({ resources, ...options }))

const run = (args: ReadonlyArray<string>, env = {}) => inProcess(["notes", ...args], { added: { NOTES: [notes] }, env })

describe("a resource from outside", () => {
  it("is a part of the description of the service", () => {
    const { paths } = OpenApi.fromApi(LanguageServiceApi.LanguageServiceApi.add(Contract.httpGroup(Notes.NotesApi)))
    assert.containsAllKeys(paths, ["/v1/notes", "/v1/notes/{note_id}", "/v2/translate"])
  })

  layer(services())((it) => {
    it.effect("is called, meets a scripted fault, and is sent again", () =>
      VirtualTime.run(Effect.gen(function*() {
        const fake = yield* FakeLanguageService
        const notes = yield* Notes.Notes
        const { noteId } = yield* notes.create({ text: "Call the printer" })
        yield* fake.script({ operation: "Notes.get", fault: Fault.unavailable() })
        const { text } = yield* notes.get(noteId)
        const [first, second] = yield* fake.requestsOf("Notes.get")
        const effects = yield* fake.effects
        assert.strictEqual(text, "Call the printer")
        assert.deepStrictEqual([first?.status, second?.status], [503, 200])
        assert.strictEqual(second?.decoded?.params.noteId, noteId)
        assert.strictEqual(effects["Notes.create"].count, 1)
      })))

    it.effect("fails with the errors of the contract, and is forgotten at a reset", () =>
      VirtualTime.run(Effect.gen(function*() {
        const fake = yield* FakeLanguageService
        const notes = yield* Notes.Notes
        const { noteId } = yield* notes.create({ text: "Call the printer" })
        yield* fake.script({ operation: "Notes.create", fault: Fault.reset({ afterEffect: true }) })
        const lost = yield* Effect.flip(notes.create({ text: "Call the printer" }))
        yield* fake.reset
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

  layer(NodeFakeLanguageService.layer({ resources }))((it) => {
    it.effect("has commands, which call the service with the settings of the run", () =>
      Effect.gen(function*() {
        const { url } = yield* FakeLanguageService
        const env = { LANGUAGE_SERVICE_KEY: "fake-key", LANGUAGE_SERVICE_BASE_URL: url }
        const created = yield* run(["create", "--text", "Call the printer"], env)
        const shown = yield* run(["get", created.out.trim(), "--json"], env)
        const unknown = yield* run(["get", "unknown"], env)
        assert.deepStrictEqual([created.code, JSON.parse(shown.out).text], [0, "Call the printer"])
        assert.deepStrictEqual([unknown.code, unknown.out], [5, ""])
        assert.include(unknown.err, "effect-lingua: Notes.get: not found (status 404)")
      }))
  })

  it.effect("has commands, whose help is from the contract, and which call the embedded fake", () =>
    Effect.gen(function*() {
      const faked = yield* run(["create", "--fake", "--text", "Call the printer"])
      const help = yield* run(["create", "--help"])
      const misused = yield* run(["create", "--fake"])
      const all = yield* inProcess(["--help"], { added: { NOTES: [notes] } })
      assert.match(faked.out, /^[\da-f-]{36}\n$/)
      assert.include(help.out, "Create a note")
      assert.match(help.out, /--text text +The text of the note/)
      assert.deepStrictEqual([misused.code, misused.out], [2, ""])
      assert.match(all.out, /NOTES:?\n +notes +Notes of this account/)
    }))
})
