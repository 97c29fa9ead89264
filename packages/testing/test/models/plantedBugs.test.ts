// The harness proves itself: it finds bugs that are planted in a copy of the fake, and shrinks each to the shortest sequence.
import * as LanguageService from "@effect-lingua/core/LanguageService"
import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
import * as DocumentsModel from "@effect-lingua/testing/models/DocumentsModel"
import * as ModelBased from "@effect-lingua/testing/models/ModelBased"
import * as StyleRulesModel from "@effect-lingua/testing/models/StyleRulesModel"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
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

const instructionsPerList = 3

const options = { layer: Layer.empty, runs: scaled(70, 150), maxCommands: 20, seed: "sown" }

const service = (fake: Module, options?: FakeLanguageService.Options) =>
  LanguageService.layer({ key: Redacted.make("fake-key"), baseUrl: "https://fake.test" }).pipe(
    Layer.provideMerge(fake.layer(options))
  )

/** Few commands before few concurrent ones, of those that may race. */
const races = {
  branches: 2,
  branchCommands: 2,
  runs: scaled(100, 200),
  maxCommands: 3,
  names: ["create", "rename"]
}

interface Extent extends Partial<Omit<typeof races, "names">> {
  readonly names?: ReadonlyArray<string>
}

const checkStyleRules = (fake: Module, { names, ...extent }: Extent = {}) =>
  ModelBased.check({
    ...options,
    ...extent,
    setup: Effect.as(
      FakeLanguageService.FakeLanguageService.use(({ reset }) => reset()),
      { ...StyleRulesModel.empty, instructionsPerList }
    ),
    commands: StyleRulesModel.commands.filter(({ name }) => names?.includes(name) ?? true)
  }).pipe(Effect.provide(service(fake, { limits: { instructionsPerList } })))

const checkDocuments = (fake: Module, extent: Extent = {}) =>
  ModelBased.check({ ...options, ...extent, setup: DocumentsModel.setup, commands: DocumentsModel.commands }).pipe(
    Effect.provide(service(fake, { quota: { characters: 30_000 } }))
  )

const styleRules = { file: "fake/internal/style-rules/styleRules.ts", check: checkStyleRules }
const documents = { file: "fake/internal/documents/documents.ts", check: checkDocuments }

const bugs = [
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
    shortest: ["create", "rename", "*"]
  },
  {
    ...styleRules,
    name: "a replaced instruction leaves the version as it was",
    text: "version: list.version + 1 }",
    bug:
      "version: list.version + (Object.is(changed.customInstructions?.length, list.customInstructions.length) ? 0 : 1) }",
    shortest: ["create", "replaceInstruction", "*"]
  },
  {
    ...styleRules,
    name: "a replaced instruction moves to the end",
    text: "list.customInstructions.map((other) => other.instructionId === id ? instruction : other)",
    bug: "[...list.customInstructions.filter((other) => other.instructionId !== id), instruction]",
    shortest: ["create", "replaceInstruction", "*"]
  },
  {
    ...styleRules,
    name: "an addition that is refused raises the version",
    text: "yield* checkCount(settings, list.customInstructions.length + 1)",
    bug: "if (list.customInstructions.length >= settings.limits.instructionsPerList) change(fake, list, now, {})\n"
      + "            yield* checkCount(settings, list.customInstructions.length + 1)",
    shortest: ["create", "addInstruction", "*"]
  },
  {
    ...styleRules,
    name: "the neighbour goes too when one of three or more instructions is removed",
    text: "list.customInstructions.filter((other) => other.instructionId !== id)",
    bug: "list.customInstructions.filter((other, index, all) =>"
      + " other.instructionId !== id && (all.length < 3 || all[index - 1]?.instructionId !== id))",
    shortest: ["create", "removeInstruction", "*"]
  },
  {
    ...styleRules,
    file: "fake/internal/resources.ts",
    name: "the second page begins with the last item of the first",
    text: "slice(page * size, (page + 1) * size)",
    bug: "slice(page * size - (page === 1 ? 1 : 0), (page + 1) * size - (page === 1 ? 1 : 0))",
    shortest: ["create", "listPage"]
  },
  {
    ...styleRules,
    name: "no list gets beyond version 3",
    text: "version: list.version + 1 }",
    bug: "version: Math.min(list.version + 1, 3) }",
    shortest: ["create", "*", "*", "*"]
  },
  {
    ...documents,
    name: "a document can be taken twice",
    text: "document.taken = true",
    bug: "document.taken = false",
    shortest: ["add", "download", "*"]
  },
  {
    ...documents,
    name: "a document that could not be billed is gone",
    text: "yield* Quota.charge(fake, exchange, \"document\", now, document.characters)",
    bug: "document.taken = true\n    yield* Quota.charge(fake, exchange, \"document\", now, document.characters)",
    shortest: ["add", "download", "*"]
  },
  {
    ...documents,
    name: "an upload in its own language is translated",
    text: "if (isSame && form.sourceLanguage !== undefined",
    bug: "if (isSame && form.sourceLanguage === undefined",
    shortest: ["upload"]
  },
  {
    ...documents,
    name: "a status counts a character too many",
    text: "{ billedCharacters: characters }",
    bug: "{ billedCharacters: characters + 1 }",
    shortest: ["upload", "wait", "status"]
  }
]

describe("the harness", () => {
  it.effect("finds nothing in the fake as it is", () =>
    Effect.gen(function*() {
      const reports = [
        [StyleRulesModel.commands, yield* checkStyleRules(FakeLanguageService)],
        [DocumentsModel.commands, yield* checkDocuments(FakeLanguageService)]
      ] as const
      for (const [commands, report] of reports) {
        assert.strictEqual(report.runs, options.runs)
        for (const { name } of commands) {
          const { [name]: outcomes = {} } = report.outcomes
          assert.isAbove(
            outcomes[name === "downloadWithWrongKey" ? "DocumentNotFound" : "success"] ?? 0,
            scaled(0, 5),
            name
          )
        }
      }
      for (const outcome of ["success", "DocumentNotReady", "DocumentAlreadyDownloaded", "QuotaExceeded"]) {
        assert.isAbove(reports[1][1].outcomes["download"]?.[outcome] ?? 0, 0, outcome)
      }
      const extent = { branches: 2, branchCommands: 2, runs: scaled(10, 60), maxCommands: 5 }
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
