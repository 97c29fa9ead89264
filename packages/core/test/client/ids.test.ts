import { GlossaryId, TranslationMemoryId } from "@effect-lingua/core/client/Ids"
import { Documents } from "@effect-lingua/core/documents/Documents"
import { DocumentId } from "@effect-lingua/core/documents/DocumentsApi"
import { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import { GlossariesV2 } from "@effect-lingua/core/glossaries/GlossariesV2"
import type { LanguageService } from "@effect-lingua/core/LanguageService"
import { QualityEvaluation } from "@effect-lingua/core/quality-evaluation/QualityEvaluation"
import { EvaluationId } from "@effect-lingua/core/quality-evaluation/QualityEvaluationApi"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { InstructionId, StyleId } from "@effect-lingua/core/style-rules/StyleRulesApi"
import { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
import { JobId } from "@effect-lingua/core/translation-memories/TranslationMemoriesApi"
import { Voice } from "@effect-lingua/core/voice/Voice"
import { VoiceJobId } from "@effect-lingua/core/voice/VoiceApi"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Sample from "../support/operations.ts"
import * as Wire from "../support/Wire.ts"

type Call = Effect.Effect<object | void, Sample.AnyFailure, LanguageService>

const withStyle = (call: (rules: StyleRules["Service"], styleId: StyleId) => Call) => (id: string): Call =>
  StyleRules.use((rules) => call(rules, StyleId.make(id)))

const withInstruction =
  (call: (rules: StyleRules["Service"], instructionId: InstructionId) => Call) => (id: string): Call =>
    StyleRules.use((rules) => call(rules, InstructionId.make(id)))

const withDocument = (method: "status" | "download") => (id: string): Call =>
  Documents.use((documents): Call =>
    documents[method]({ documentId: DocumentId.make(id), documentKey: Redacted.make("k") })
  )

const withMemory = (method: "get" | "listSegmentsPage" | "remove" | "startExport") => (id: string): Call =>
  TranslationMemories.use((memories): Call => memories[method]({ translationMemoryId: TranslationMemoryId.make(id) }))

const withGlossary =
  (call: (glossaries: Glossaries["Service"], glossaryId: GlossaryId) => Call) => (id: string): Call =>
    Glossaries.use((glossaries) => call(glossaries, GlossaryId.make(id)))

const withGlossaryV2 = (method: "get" | "entries" | "remove") => (id: string): Call =>
  GlossariesV2.use((glossaries): Call => glossaries[method]({ glossaryId: GlossaryId.make(id) }))

const { dictionary, instructionId, styleId } = Sample
const texts = { label: "a", prompt: "b" }
const whole = { ...texts, sourceLanguage: "de" }

/** Each method that takes an id, for each of its ids. */
const methods: ReadonlyArray<readonly [method: string, parameter: string, call: (id: string) => Call]> = [
  ["Documents.download", "documentId", withDocument("download")],
  ["Documents.status", "documentId", withDocument("status")],
  ["StyleRules.get", "styleId", withStyle((rules, styleId) => rules.get({ styleId }))],
  ["StyleRules.rename", "styleId", withStyle((rules, styleId) => rules.rename({ styleId, name: "a" }))],
  ["StyleRules.remove", "styleId", withStyle((rules, styleId) => rules.remove({ styleId }))],
  [
    "StyleRules.replaceConfiguredRules",
    "styleId",
    withStyle((rules, styleId) => rules.replaceConfiguredRules({ styleId, configuredRules: {} }))
  ],
  ["StyleRules.addInstruction", "styleId", withStyle((rules, styleId) => rules.addInstruction({ styleId, ...texts }))],
  [
    "StyleRules.getInstruction",
    "styleId",
    withStyle((rules, styleId) => rules.getInstruction({ styleId, instructionId }))
  ],
  [
    "StyleRules.getInstruction",
    "instructionId",
    withInstruction((rules, instructionId) => rules.getInstruction({ styleId, instructionId }))
  ],
  [
    "StyleRules.replaceInstruction",
    "styleId",
    withStyle((rules, styleId) => rules.replaceInstruction({ styleId, instructionId, ...whole }))
  ],
  [
    "StyleRules.replaceInstruction",
    "instructionId",
    withInstruction((rules, instructionId) => rules.replaceInstruction({ styleId, instructionId, ...whole }))
  ],
  [
    "StyleRules.removeInstruction",
    "styleId",
    withStyle((rules, styleId) => rules.removeInstruction({ styleId, instructionId }))
  ],
  [
    "StyleRules.removeInstruction",
    "instructionId",
    withInstruction((rules, instructionId) => rules.removeInstruction({ styleId, instructionId }))
  ],
  ["TranslationMemories.get", "translationMemoryId", withMemory("get")],
  ["TranslationMemories.listSegmentsPage", "translationMemoryId", withMemory("listSegmentsPage")],
  ["TranslationMemories.startExport", "translationMemoryId", withMemory("startExport")],
  ["TranslationMemories.remove", "translationMemoryId", withMemory("remove")],
  [
    "TranslationMemories.status",
    "jobId",
    (id) => TranslationMemories.use((memories) => memories.status({ jobId: JobId.make(id) }))
  ],
  ["Glossaries.get", "glossaryId", withGlossary((glossaries, glossaryId) => glossaries.get({ glossaryId }))],
  [
    "Glossaries.merge",
    "glossaryId",
    withGlossary((glossaries, glossaryId) => glossaries.merge({ glossaryId, dictionary }))
  ],
  ["Glossaries.remove", "glossaryId", withGlossary((glossaries, glossaryId) => glossaries.remove({ glossaryId }))],
  [
    "Glossaries.entries",
    "glossaryId",
    withGlossary((glossaries, glossaryId) => glossaries.entries({ glossaryId, ...dictionary }))
  ],
  [
    "Glossaries.replaceDictionary",
    "glossaryId",
    withGlossary((glossaries, glossaryId) => glossaries.replaceDictionary({ glossaryId, ...dictionary }))
  ],
  [
    "Glossaries.removeDictionary",
    "glossaryId",
    withGlossary((glossaries, glossaryId) => glossaries.removeDictionary({ glossaryId, ...dictionary }))
  ],
  ["GlossariesV2.get", "glossaryId", withGlossaryV2("get")],
  ["GlossariesV2.entries", "glossaryId", withGlossaryV2("entries")],
  ["GlossariesV2.remove", "glossaryId", withGlossaryV2("remove")],
  [
    "QualityEvaluation.status",
    "jobId",
    (id) => QualityEvaluation.use((quality) => quality.status({ jobId: EvaluationId.make(id) }))
  ],
  ["Voice.status", "jobId", (id) => Voice.use((voice) => voice.status({ jobId: VoiceJobId.make(id) }))]
]

const unfit = "an id with control characters or unpaired surrogates"

const ids: ReadonlyArray<readonly [id: string, given: string]> = [
  ["", "empty"],
  [" \t", "empty"],
  [".", "\".\""],
  ["..", "\"..\""],
  ["a\nb", unfit],
  ["\u0000", unfit],
  ["a\u007fb", unfit],
  ["a\ud83d", unfit],
  ["\ude00a", unfit],
  ["../x", "an id with a slash"],
  ["a/b", "an id with a slash"],
  ["..\\x", "an id with a backslash"]
]

describe("ids", () => {
  it("every id of a path is taken by a method here", () => {
    const taken = methods.map(([method, parameter]) => `${method} ${parameter}`)
    const inPaths = Sample.contract.flatMap(({ operation, path }) =>
      [...path.matchAll(/:(\w+)_id/g)].map(([, name = ""]) =>
        `${operation} ${name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}Id`
      )
    )
    assert.deepStrictEqual(taken.toSorted(), inPaths.toSorted())
  })

  it.effect.each(methods)(
    "%s refuses a %s that cannot be a segment of the path",
    ([operation, parameter, call]) =>
      Effect.forEach(ids, ([id, given]) =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(call(id))
          assert.deepInclude<object>(error, {
            _tag: "InvalidInput",
            operation,
            parameter,
            given,
            allowed: "an id as the service issued it",
            outcome: "refused",
            isTransient: false,
            attempts: []
          })
          assert.include(error.message, `${parameter}: given ${given}, allowed an id as the service issued it.`)
          assert.strictEqual(yield* Wire.count, 0)
        })).pipe(Effect.provide(Wire.layer([])))
  )

  it.effect("a token of a voice session stands in the query, where slashes do no harm", () =>
    Effect.gen(function*() {
      yield* Effect.flip(Voice.use((voice) => voice.reconnect({ token: Redacted.make("a/b\\c+d==") })))
      const [sent] = yield* Wire.sent
      assert.strictEqual(new URL(sent?.url ?? "").searchParams.get("token"), "a/b\\c+d==")
    }).pipe(Effect.provide(Wire.layer([Wire.answer(401)]))))
})
