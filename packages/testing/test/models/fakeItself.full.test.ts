// The fake as its own model: sequences of all commands have the same outcomes in two of them, and each outcome occurs.
import { Documents, LanguageService, OtherServices, StyleRules } from "@effect-lingua/core"
import { FakeLanguageService, Generators, ModelBased } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Layer, Redacted } from "effect"
import { scaled } from "../../../../test/support/scale.ts"

const options = { runs: scaled(30, 150), maxCommands: 20, seed: "seeds" }

type Services = FakeLanguageService | LanguageService.LanguageService | OtherServices.OtherServices

const checkAgainst = (commands: ReadonlyArray<ModelBased.Command<Services>>, settings: FakeLanguageService.Options) => {
  const service = OtherServices.layer.pipe(
    Layer.provideMerge(LanguageService.layer({ key: Redacted.make("fake-key"), baseUrl: "https://fake.test" })),
    Layer.provideMerge(FakeLanguageService.layer(settings))
  )
  return (extent: Partial<Record<"branchCommands" | "branches" | "maxCommands" | "runs", number>> = {}) =>
    ModelBased.check({
      ...options,
      ...extent,
      commands,
      host: service,
      model: service,
      reset: FakeLanguageService.use((fake) => fake.reset)
    })
}

const add = ModelBased.command({
  name: "add",
  input: Generators.document,
  run: (document) =>
    FakeLanguageService.use((fake) => fake.addDocument({ ...document, readyAfter: document.readyAfter ?? 0 }))
})

const quota = ModelBased.command({
  name: "quota",
  input: Arbitrary.Constant({}),
  run: () => FakeLanguageService.use((fake) => fake.quota())
})

const styleRuleCommands = ModelBased.operations(StyleRules)
/** A document is added instead of uploaded, because it is ready then. */
const documentCommands = [
  ...ModelBased.operations(Documents).filter(({ name }) => name !== "Documents.upload"),
  ModelBased.wait,
  add,
  quota
]

const checkStyleRules = checkAgainst(styleRuleCommands, { limits: { instructionsPerList: 4 } })
const checkDocuments = checkAgainst(documentCommands, { quota: { characters: 3_000 } })

describe("the fake", () => {
  it.effect("does not differ from another fake, and has each outcome", () =>
    Effect.gen(function*() {
      const [rules, documents] = [yield* checkStyleRules(), yield* checkDocuments()]
      for (const [commands, report] of [[styleRuleCommands, rules], [documentCommands, documents]] as const) {
        assert.strictEqual(report.runs, options.runs)
        for (const { name } of commands) {
          assert.isAbove(report.outcomes[name]?.["success"] ?? 0, scaled(0, 5), name)
        }
      }
      for (
        const outcome of [
          "success",
          "DocumentNotFound",
          "DocumentNotReady",
          "DocumentAlreadyDownloaded",
          "QuotaExceeded"
        ]
      ) {
        assert.isAbove(documents.outcomes["Documents.download"]?.[outcome] ?? 0, 0, outcome)
      }
      const extent = { branches: 2, branchCommands: 2, runs: scaled(5, 40), maxCommands: 5 }
      yield* checkStyleRules(extent)
      yield* checkDocuments(extent)
    }), 600_000)
})
