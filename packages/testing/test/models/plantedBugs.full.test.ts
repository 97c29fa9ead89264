// The harness proves itself: it finds bugs that are planted in a copy of the fake, and shrinks each to the shortest sequence.
import { Documents } from "@effect-lingua/core/documents/Documents"
import { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import { GlossariesV2 } from "@effect-lingua/core/glossaries/GlossariesV2"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import * as OtherServices from "@effect-lingua/core/OtherServices"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Generators from "@effect-lingua/testing/generators/Generators"
import * as ModelBased from "@effect-lingua/testing/models/ModelBased"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Layer, Redacted, Schema } from "effect"
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sampled, scaled } from "../../../../test/support/scale.ts"

type Module = typeof FakeLanguageService

/** Git ignores it; the copies stand in the package, so that their imports resolve. */
const folder = join(import.meta.dirname, ".tmp", `bugs-${process.pid}`)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Copies the package with one text replaced by another, and gives the fake of the copy. */
const plant = async (name: string, file: string, text: string, bug: string): Promise<Module> => {
  const copy = join(folder, name.replace(/\W+/g, "-"))
  cpSync(join(import.meta.dirname, "../../src"), copy, { recursive: true })
  const path = join(copy, file)
  const source = readFileSync(path, "utf8")
  assert.strictEqual(source.split(text).length, 2, `the text that makes room for a bug stands once in ${file}`)
  writeFileSync(path, source.replace(text, () => bug))
  return import(/* @vite-ignore */ join(copy, "fake/FakeLanguageService.ts"))
}

const options = { runs: scaled(30, 150), maxCommands: 20, seed: "seeds" }

const service = (fake: Module, options: FakeLanguageService.Options) =>
  OtherServices.layer.pipe(
    Layer.provideMerge(LanguageService.layer({ key: Redacted.make("fake-key"), baseUrl: "https://fake.test" })),
    Layer.provideMerge(fake.layer(options))
  )

/** Few commands before few concurrent ones, of those that may race. */
const races = {
  branches: 2,
  branchCommands: 2,
  runs: scaled(100, 200),
  maxCommands: 3,
  names: ["StyleRules.create", "StyleRules.rename"]
}

interface Extent extends Partial<Omit<typeof races, "names">> {
  readonly names?: ReadonlyArray<string>
}

type Services = FakeLanguageService.FakeLanguageService | LanguageService.LanguageService | OtherServices.OtherServices

const checkAgainst = (
  commands: ReadonlyArray<ModelBased.Command<Services>>,
  settings: FakeLanguageService.Options
) =>
(fake: Module, { names, ...extent }: Extent = {}) =>
  ModelBased.check({
    ...options,
    ...extent,
    commands: commands.filter(({ name }) => names?.includes(name) ?? true),
    host: service(fake, settings),
    model: service(FakeLanguageService, settings),
    reset: FakeLanguageService.FakeLanguageService.use((fake) => fake.reset())
  })

const add = ModelBased.command({
  name: "add",
  input: Generators.document,
  run: (document) =>
    FakeLanguageService.FakeLanguageService.use((fake) =>
      fake.addDocument({ ...document, readyAfter: document.readyAfter ?? 0 })
    )
})

/** A translation into the language of the document, which is refused. */
const uploadSame = ModelBased.command({
  name: "uploadSame",
  input: Arbitrary.schema(Schema.Struct({
    text: Schema.String.check(Schema.isMinLength(1), Schema.isPattern(/^\P{Cs}*$/u)),
    sourceLanguage: Schema.Literals(["en", "EN"])
  })),
  run: ({ sourceLanguage, text }) =>
    Documents.use((documents) =>
      documents.upload({
        content: new TextEncoder().encode(text),
        fileName: "document.html",
        sourceLanguage,
        targetLanguage: "en-US"
      })
    )
})

const quota = ModelBased.command({
  name: "quota",
  input: Arbitrary.Constant({}),
  run: () => FakeLanguageService.FakeLanguageService.use((fake) => fake.quota())
})

const styleRuleCommands = ModelBased.operations(StyleRules)
/** A document is added instead of uploaded, as it is ready then. */
const documentCommands = [
  ...ModelBased.operations(Documents).filter(({ name }) => name !== "Documents.upload"),
  ModelBased.wait,
  add,
  uploadSame,
  quota
]

const checkStyleRules = checkAgainst(styleRuleCommands, { limits: { instructionsPerList: 4 } })
const checkGlossaries = checkAgainst([
  ...ModelBased.operations(Glossaries),
  ...ModelBased.operations(GlossariesV2)
], {})
const checkDocuments = checkAgainst(documentCommands, { quota: { characters: 3_000 } })

const styleRules = { file: "fake/internal/style-rules/styleRules.ts", check: checkStyleRules }
const glossaries = { file: "fake/internal/glossaries/glossaries.ts", check: checkGlossaries }
const documents = { file: "fake/internal/documents/documents.ts", check: checkDocuments }

// The first, which the short run has, is found soon.
const bugs = [
  {
    ...documents,
    name: "a status counts a character too many",
    text: "{ billedCharacters: characters, ...",
    bug: "{ billedCharacters: characters + 1, ...",
    shortest: ["add", "Documents.status"]
  },
  {
    ...styleRules,
    check: (fake: Module) => checkStyleRules(fake, races),
    name: "a list is read, and written with what was read a moment later",
    text: `const list = yield* fake.store.styleLists.find(account, params.styleId)
        const name = payload.name ?? list.name
        yield* checkLength("name", name, settings.limits.styleRuleListNameCharacters)
        tookEffect(fake, note, list.styleId)
        return change(fake, list, now, { name })
      }),`,
    bug: `const list = yield* fake.store.styleLists.find(account, params.styleId)
        return { list, now, note }
      }).pipe(Effect.flatMap(({ list, now, note }) => {
        const name = payload.name ?? list.name
        tookEffect(fake, note, list.styleId)
        return Effect.andThen(Effect.yieldNow, Effect.sync(() => change(fake, list, now, { name })))
      })),`,
    shortest: ["StyleRules.create", "StyleRules.rename", "*"]
  },
  {
    ...styleRules,
    name: "a replaced instruction leaves the version as it was",
    text: "version: list.version + 1 }",
    bug:
      "version: list.version + (Object.is(changed.customInstructions?.length, list.customInstructions.length) ? 0 : 1) }",
    shortest: ["StyleRules.create", "StyleRules.replaceInstruction", "*"]
  },
  {
    ...styleRules,
    name: "a replaced instruction moves to the end",
    text: "list.customInstructions.map((other) => other.instructionId === id ? instruction : other)",
    bug: "[...list.customInstructions.filter((other) => other.instructionId !== id), instruction]",
    shortest: ["StyleRules.create", "StyleRules.replaceInstruction", "*"]
  },
  {
    ...styleRules,
    name: "an addition that is refused raises the version",
    text: "yield* checkCount(settings, list.customInstructions.length + 1)",
    bug: "if (list.customInstructions.length >= settings.limits.instructionsPerList) change(fake, list, now, {})\n"
      + "            yield* checkCount(settings, list.customInstructions.length + 1)",
    shortest: ["StyleRules.create", "StyleRules.addInstruction", "*"]
  },
  {
    ...styleRules,
    name: "the neighbour goes too when an instruction is removed",
    text: "list.customInstructions.filter((other) => other.instructionId !== id)",
    bug: "list.customInstructions.filter((other, index, all) =>"
      + " other.instructionId !== id && all[index - 1]?.instructionId !== id)",
    shortest: ["StyleRules.create", "StyleRules.removeInstruction", "*"]
  },
  {
    ...styleRules,
    file: "fake/internal/resources.ts",
    name: "the second page begins with the last item of the first",
    text: "slice(page * size, (page + 1) * size)",
    bug: "slice(page * size - (page === 1 ? 1 : 0), (page + 1) * size - (page === 1 ? 1 : 0))",
    shortest: ["StyleRules.create", "StyleRules.listPage"]
  },
  {
    ...styleRules,
    name: "no list gets beyond version 3",
    text: "version: list.version + 1 }",
    bug: "version: Math.min(list.version + 1, 3) }",
    shortest: ["StyleRules.create", "*", "*", "*"]
  },
  {
    ...glossaries,
    name: "a merge without a name removes the name",
    text: "...(name === undefined ? undefined : { name }),",
    bug: "name: name ?? \"\",",
    shortest: ["Glossaries.create", "Glossaries.merge"]
  },
  {
    ...glossaries,
    name: "version 2 lists what version 3 has edited",
    text: "filter(({ edited, version }) => version === 2 && !edited)",
    bug: "filter(({ version }) => version === 2)",
    shortest: ["GlossariesV2.create", "*", "GlossariesV2.list"]
  },
  {
    ...documents,
    name: "a document can be taken twice",
    text: "document.taken = true",
    bug: "document.taken = false",
    shortest: ["add", "Documents.download", "*"]
  },
  {
    ...documents,
    name: "a document that could not be billed is gone",
    text: "yield* Quota.charge(fake, exchange, \"document\", now, document.characters)",
    bug: "document.taken = true\n    yield* Quota.charge(fake, exchange, \"document\", now, document.characters)",
    shortest: ["add", "Documents.download", "*"]
  },
  {
    ...documents,
    name: "an upload in its own language is translated",
    text: "if (isSame && form.sourceLanguage !== undefined",
    bug: "if (isSame && form.sourceLanguage === undefined",
    shortest: ["uploadSame"]
  }
]

describe("the harness", () => {
  it.effect("finds nothing in the fake as it is", () =>
    Effect.gen(function*() {
      const reports = [
        [styleRuleCommands, yield* checkStyleRules(FakeLanguageService)],
        [documentCommands, yield* checkDocuments(FakeLanguageService)]
      ] as const
      for (const [commands, report] of reports) {
        assert.strictEqual(report.runs, options.runs)
        for (const { name } of commands.filter(({ name }) => name !== "uploadSame")) {
          const { [name]: outcomes = {} } = report.outcomes
          assert.isAbove(outcomes["success"] ?? 0, scaled(0, 5), name)
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
        assert.isAbove(reports[1][1].outcomes["Documents.download"]?.[outcome] ?? 0, 0, outcome)
      }
      const extent = { branches: 2, branchCommands: 2, runs: scaled(5, 40), maxCommands: 5 }
      yield* checkStyleRules(FakeLanguageService, extent)
      yield* checkDocuments(FakeLanguageService, extent)
    }), 600_000)

  for (const { bug, check, file, name, shortest, text } of sampled(bugs, 1)) {
    it.effect(`finds that ${name}`, () =>
      Effect.gen(function*() {
        const fake = yield* Effect.promise(() => plant(name, file, text, bug))
        const falsified = yield* Effect.flip(check(fake))
        if (falsified._tag !== "Falsified") return assert.fail(falsified.message)
        assert.deepStrictEqual(
          falsified.commands.map((command, index) => shortest[index] === "*" ? "*" : command.name),
          shortest,
          falsified.message
        )
      }))
  }
})
