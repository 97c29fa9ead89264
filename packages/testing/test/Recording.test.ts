import type { Attempt } from "@effect-lingua/core/Attempt"
import { Detection } from "@effect-lingua/core/Detection"
import { Documents } from "@effect-lingua/core/Documents"
import { DocumentId, type DocumentKey } from "@effect-lingua/core/DocumentsApi"
import { Languages } from "@effect-lingua/core/Languages"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import type { Options } from "@effect-lingua/core/LanguageServiceConfig"
import * as ResiliencePolicy from "@effect-lingua/core/ResiliencePolicy"
import { StyleRules } from "@effect-lingua/core/StyleRules"
import { InstructionId, StyleId } from "@effect-lingua/core/StyleRulesApi"
import { Translation } from "@effect-lingua/core/Translation"
import { Writing } from "@effect-lingua/core/Writing"
import { FakeLanguageService } from "@effect-lingua/testing/FakeLanguageService"
import * as Fault from "@effect-lingua/testing/Fault"
import * as NodeFakeLanguageService from "@effect-lingua/testing/NodeFakeLanguageService"
import * as Recording from "@effect-lingua/testing/Recording"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, FileSystem, Layer, Redacted, Stream } from "effect"
import type { HttpClient } from "effect/http"

const key = "a-key-of-an-account"
const unknown = "00000000-0000-4000-8000-000000000000"

/** Waits that a test can bear. */
const resilience: ResiliencePolicy.ResiliencePolicy = {
  ...ResiliencePolicy.defaults,
  backoffBase: Duration.millis(1),
  pollBase: Duration.millis(10),
  pollCap: Duration.millis(10),
  attemptTimeout: Duration.millis(200)
}

const client = (baseUrl: string, options: Partial<Options> = {}) =>
  LanguageService.layer({ key: Redacted.make(key), baseUrl, resilience, ...options })

const temporary = Effect.flatMap(
  FileSystem.FileSystem,
  (fs) => Effect.map(fs.makeTempDirectoryScoped(), (directory) => `${directory}/recording.jsonl`)
)

const read = (path: string) => Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(path))

interface Failure {
  readonly _tag: string
  readonly description: string
  readonly attempts: ReadonlyArray<Attempt>
}

/** How a call ended, without the times that differ from run to run. */
const ended = <A, E extends Failure, R>(call: Effect.Effect<A, E, R>) =>
  Effect.match(call, {
    onSuccess: (value): unknown => value,
    onFailure: ({ _tag, attempts, description }): unknown => ({
      _tag,
      description,
      attempts: attempts.map(({ failure, number, outcome, status, waitCause }) => ({
        failure,
        number,
        outcome,
        status,
        waitCause
      }))
    })
  })

interface Document {
  readonly documentId: DocumentId
  readonly documentKey: DocumentKey
}

const download = (document: Document) =>
  Documents.use((documents) => documents.download(document)).pipe(
    Effect.flatMap(({ contentLength, fileName, stream }) =>
      Effect.map(Stream.mkString(Stream.decodeText(stream)), (text) => ({ contentLength, fileName, text }))
    )
  )

/** A call of each operation, and calls that fail. */
const everything = Effect.fnUntraced(function*(document: Document) {
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
  const ref = { styleId, instructionId: added.id }
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
    yield* ended(languages.list({ resource: "write", include: ["beta", "external"] })),
    yield* ended(languages.resources()),
    yield* ended(languages.listV2({ type: "target" })),
    yield* ended(languages.glossaryPairs()),
    yield* ended(rules.get({ styleId })),
    yield* ended(rules.get(absent)),
    yield* ended(rules.list({ detailed: true })),
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

/** Records a program against the fake on a socket. */
const recorded = <A, E, R>(
  options: Recording.RecordOptions,
  program: Effect.Effect<A, E, R>,
  http: Layer.Layer<HttpClient.HttpClient> = NodeHttpClient.layerUndici
) =>
  Effect.flatMap(FakeLanguageService, ({ url }) =>
    program.pipe(
      Effect.provide(client(url).pipe(Layer.provideMerge(Recording.layerRecord(options)), Layer.provide(http)))
    ))

/** Replays a program with no host there. */
const replayed = <A, E, R>(
  options: Recording.ReplayOptions,
  program: Effect.Effect<A, E, R>,
  config: Partial<Options> = {}
) =>
  program.pipe(
    Effect.provide(client("https://nowhere.invalid", config).pipe(Layer.provideMerge(Recording.layerReplay(options))))
  )

const left = Effect.flatMap(Recording.Recording, ({ left }) => left)

const fake = NodeFakeLanguageService.layer({ keys: [{ key, tier: "paid", detectionEnabled: true }] }).pipe(
  Layer.provideMerge(NodeFileSystem.layer)
)

describe("Recording", () => {
  it.live.each([
    ["undici", NodeHttpClient.layerUndici],
    ["node:http", NodeHttpClient.layerNodeHttp],
    ["fetch", NodeHttpClient.layerFetch]
  ])("replays every operation and every error without a host, recorded over %s", ([, http]) =>
    Effect.gen(function*() {
      const path = yield* temporary
      const { addDocument, requests } = yield* FakeLanguageService
      const content = "Hallo Wörld. ".repeat(20_000)
      const document = yield* addDocument({ content, fileName: "a.txt", readyAfter: "100 millis" })
      const first = yield* recorded({ path }, everything(document), http)
      const sent = (yield* requests).length
      const second = yield* replayed({ path }, Effect.zip(everything(document), left))
      assert.deepStrictEqual(second, [first, []])
      assert.deepInclude(first.at(-3), { text: content, contentLength: new TextEncoder().encode(content).length })
      assert.strictEqual((yield* requests).length, sent)
      const lines = (yield* read(path)).split("\n").filter((line) => line.includes("\"exchange\""))
      assert.strictEqual(lines.length, sent)
    }).pipe(Effect.provide(fake)))

  it.live("replays faults with the same ledger: retries, broken connections, answers that do not come", () =>
    Effect.gen(function*() {
      const path = yield* temporary
      const { script } = yield* FakeLanguageService
      const faults = [Fault.rateLimited(), Fault.overloaded(), Fault.reset(), Fault.unavailable()]
      for (const fault of faults) yield* script({ operation: "Writing.correct", fault })
      yield* script({ operation: "Languages.resources", count: 5, fault: Fault.serverError() })
      yield* script({ operation: "StyleRules.create", fault: Fault.reset({ afterEffect: true }) })
      yield* script({ operation: "Languages.glossaryPairs", fault: Fault.slow("10 seconds") })
      yield* script({ operation: "Languages.listV2", fault: { status: 200, body: "<html>" } })
      const program = Effect.gen(function*() {
        const attempts: Array<Attempt> = []
        const { correct } = yield* Writing
        const { glossaryPairs, listV2, resources } = yield* Languages
        const corrected = yield* correct({ text: ["teh one"], targetLanguage: "en-GB" })
        void attempts
        return [
          corrected,
          yield* ended(resources()),
          yield* ended((yield* StyleRules).create({ name: "House", language: "en" })),
          yield* ended(glossaryPairs()),
          yield* ended(listV2())
        ]
      })
      const first = yield* recorded({ path }, program)
      const second = yield* replayed({ path }, Effect.zip(program, left))
      assert.deepStrictEqual(second, [first, []])
    }).pipe(Effect.provide(fake)))
})
