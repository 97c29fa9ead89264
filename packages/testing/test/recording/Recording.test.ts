import { Attempt, Detection, Languages, ResiliencePolicy, StyleRules, Translation, Writing } from "@effect-lingua/core"
import { DocumentId, InstructionId, StyleId } from "@effect-lingua/core/contract/Ids"
import { FakeLanguageService, Fault, NodeFakeLanguageService } from "@effect-lingua/testing"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { sampled, scaled } from "../../../../test/support/scale.ts"
import { download, ended, key, left, read, recorded, replayed, temporary } from "../support/recordings.ts"

const unknown = "00000000-0000-4000-8000-000000000000"

/** A call of each operation, and calls that fail. */
const everything = Effect.fnUntraced(function*(document: Parameters<typeof download>[0]) {
  const [detection, languages, rules, translation, writing] = [
    yield* Detection,
    yield* Languages,
    yield* StyleRules,
    yield* Translation,
    yield* Writing
  ]
  const list = yield* rules.create({
    name: "House & Co",
    language: "en",
    customInstructions: [{ label: "a", prompt: "b" }]
  })
  const { styleId } = list
  const added = yield* rules.addInstruction({ styleId, label: "c", prompt: "d" })
  const ref = { styleId, instructionId: added.instructionId }
  const absent = { styleId: StyleId.make(unknown), instructionId: InstructionId.make(unknown) }
  return [
    list,
    added,
    yield* ended(writing.rephrase({ text: ["teh colour", "i am"], targetLanguage: "en-GB", tone: "friendly" })),
    yield* ended(writing.correct({ text: ["teh one"], targetLanguage: "en-GB" })),
    yield* ended(writing.rephrase({ text: ["猫"], targetLanguage: "ja", tone: "friendly" })),
    yield* ended(detection.detect({ text: ["Das ist ein Haus und das ist gut."] })),
    yield* ended(translation.translate({ text: ["tea"], targetLanguage: "de", showBilledCharacters: true })),
    yield* ended(translation.translate({ text: ["tea"], targetLanguage: "de", styleId: absent.styleId })),
    yield* ended(Stream.runCollect(languages.list({ resource: "write", include: ["beta", "external"] }))),
    yield* ended(languages.resources),
    yield* ended(Stream.runCollect(languages.listV2({ type: "target" }))),
    yield* ended(languages.glossaryPairs),
    yield* ended(rules.get({ styleId })),
    yield* ended(rules.get(absent)),
    yield* ended(rules.listPage({ detailed: true })),
    yield* ended(rules.rename({ styleId, name: "New" })),
    // The same call twice, with two answers.
    yield* ended(rules.rename({ styleId, name: "New" })),
    yield* ended(rules.replaceConfiguredRules({ styleId, configuredRules: { punctuation: {} } })),
    yield* ended(rules.getInstruction(ref)),
    yield* ended(rules.replaceInstruction({ ...ref, label: "e", prompt: "f", sourceLanguage: "de" })),
    yield* ended(rules.removeInstruction(ref)),
    yield* ended(rules.removeInstruction(ref)),
    yield* ended(rules.remove({ styleId })),
    // Polls until the document is ready.
    yield* ended(download(document)),
    yield* ended(download(document)),
    yield* ended(download({ ...document, documentId: DocumentId.make("none") }))
  ]
})

const fake = NodeFakeLanguageService.layer({ keys: [{ key, tier: "paid", detectionEnabled: true }] }).pipe(
  Layer.provideMerge(NodeFileSystem.layer)
)

describe("Recording", () => {
  const clients = [
    ["undici", NodeHttpClient.layerUndici],
    ["node:http", NodeHttpClient.layerNodeHttp],
    ["fetch", NodeHttpClient.layerFetch]
  ] as const

  it.live.each(sampled(clients, 2))(
    "replays every operation and every error without a host, recorded over %s",
    ([, http]) =>
      Effect.gen(function*() {
        const path = yield* temporary
        const { addDocument, requests, url } = yield* FakeLanguageService
        const content = "Hallo Wörld. ".repeat(20_000)
        const document = yield* addDocument({ content, fileName: "a.txt", readyAfter: "100 millis" })
        const first = yield* recorded({ path }, everything(document), http, { baseUrl: url })
        const sent = (yield* requests).length
        const second = yield* replayed({ path }, Effect.zip(everything(document), left))
        assert.deepStrictEqual(second, [first, []])
        assert.deepInclude(first.at(-3), { text: content, contentLength: new TextEncoder().encode(content).length })
        assert.strictEqual((yield* requests).length, sent)
        const lines = (yield* read(path)).split("\n").filter((line) => line.includes("\"exchange\""))
        // An attempt whose connection broke before the fake saw it is an exchange too.
        assert.isAtLeast(lines.length, sent)
      }).pipe(Effect.provide(fake))
  )

  it.live("replays faults with the same ledger: retries, broken connections, answers that do not come", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const { script, url } = yield* FakeLanguageService
      const faults = [Fault.rateLimited(), Fault.overloaded(), Fault.reset(), Fault.unavailable()]
      for (const fault of faults) yield* script({ operation: "Writing.correct", fault })
      yield* script({ operation: "Languages.resources", count: 5, fault: Fault.serverError() })
      yield* script({ operation: "StyleRules.create", fault: Fault.reset({ afterEffect: true }) })
      yield* script({ operation: "Languages.glossaryPairs", fault: Fault.slow("10 seconds") })
      yield* script({ operation: "Languages.listV2", fault: { status: 200, body: "<html>" } })
      yield* script({ operation: "Detection.detect", fault: Fault.rateLimited({ retryAfter: "2 hours" }) })
      const program = Effect.gen(function*() {
        const { correct } = yield* Writing
        const { glossaryPairs, listV2, resources } = yield* Languages
        const [corrected, ledger] = yield* Attempt.record(correct({ text: ["teh one"], targetLanguage: "en-GB" }))
        return [
          corrected,
          ledger.map(({ number, outcome, status }) => [number, status, outcome]),
          yield* ended(resources),
          yield* ended((yield* StyleRules).create({ name: "House", language: "en" })),
          yield* ended(ResiliencePolicy.within(glossaryPairs, { attemptTimeout: "200 millis" })),
          yield* ended(Stream.runCollect(listV2())),
          yield* ended((yield* Detection).detect({ text: ["a"] }))
        ]
      })
      const first = yield* recorded({ path }, program, NodeHttpClient.layerUndici, { baseUrl: url })
      const second = yield* replayed({ path }, Effect.zip(program, left))
      assert.deepStrictEqual(second, [first, []])
      assert.deepStrictEqual(first[1], [
        [1, 429, "refused"],
        [2, 529, "refused"],
        [3, undefined, "unknown"],
        [4, 503, "refused"],
        [5, 200, undefined]
      ])
    }).pipe(Effect.provide(fake)))

  it.live("replays a stormy afternoon call by call, with the same ledger", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const { requests, url, weather } = yield* FakeLanguageService
      yield* weather({ rate429: 0.1, rate500: 0.1, rate503: 0.1, rate529: 0.1, rateReset: 0.1, afterEffect: 0.5 })
      const program = Effect.gen(function*() {
        const { correct } = yield* Writing
        const { create, rename } = yield* StyleRules
        const results: Array<unknown> = []
        for (let index = 0; index < scaled(10, 30); index++) {
          const corrected = Attempt.record(correct({ text: [`teh ${index % 3}`], targetLanguage: "en-GB" }))
          results.push(
            yield* ended(Effect.map(corrected, ([value, ledger]) => [value, ledger.map(({ failure }) => failure)]))
          )
          const list = yield* Effect.option(create({ name: "House", language: "en" }))
          if (list._tag === "Some") {
            results.push(yield* ended(rename({ styleId: list.value.styleId, name: `${index}` })))
          }
        }
        return results
      })
      const first = yield* recorded({ path }, program, NodeHttpClient.layerUndici, { baseUrl: url })
      assert.isAbove((yield* requests).length, scaled(25, 85), "the weather was bad")
      const second = yield* replayed({ path }, Effect.zip(program, left))
      assert.deepStrictEqual(second, [first, []])
    }).pipe(Effect.provide(fake)))
})
