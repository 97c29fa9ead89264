/** The completions of an editor in unfinished calls, and its hovers over errors: those of TypeScript 5.9, whose service most editors use. */
import { assert, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import ts from "typescript-5"

const services = `
declare const translation: import("@effect-lingua/core/texts/Translation").Translation["Service"]
declare const writing: import("@effect-lingua/core/texts/Writing").Writing["Service"]
`

const cases = [
  ["translation.", "", "translate"],
  [`translation.translate("Hello", { targ`, "})", "targetLanguage"],
  [`translation.translate({ text: "Hello", targ`, "})", "targetLanguage"],
  [`translation.translate({ text: ["Hello"], targetLanguage: "`, `"})`, "pt-BR"],
  [`writing.rephrase("Hello", { to`, "})", "tone"],
  [`writing.rephrase({ text: ["Hello"], to`, "})", "tone"]
] as const

const file = resolve("test/completed.ts")
let text = ""
let version = 0

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.NodeNext,
  allowImportingTsExtensions: true,
  strict: true,
  types: []
}

const service = ts.createLanguageService({
  ...ts.sys,
  useCaseSensitiveFileNames: () => true,
  getScriptFileNames: () => [file],
  getScriptVersion: (name) => name === file ? String(version) : "",
  getScriptSnapshot: (name) =>
    name === file
      ? ts.ScriptSnapshot.fromString(text)
      : existsSync(name)
      ? ts.ScriptSnapshot.fromString(readFileSync(name, "utf8"))
      : undefined,
  getCompilationSettings: () => options,
  getDefaultLibFileName: ts.getDefaultLibFilePath
})

const hovers = [
  [`(text: string) => writing.rephrase(text)`, [
    "RateLimited",
    "QuotaExceeded",
    "UnknownOutcomeError",
    "OtherCallError"
  ]],
  [`(id) => glossaries.get({ glossaryId: id })`, ["NotFound", "RateLimited", "OtherCallError", "UnknownOutcomeError"]],
  [`() => Effect.all([writing.rephrase("a"), writing.correct("b")])`, [
    "RateLimited",
    "OtherCallError",
    "UnknownOutcomeError"
  ]],
  [`null as ErrorOf<typeof Writing, "rephrase">`, ["RateLimited", "OtherCallError", "UnknownOutcomeError"]],
  [`null as ErrorOf<typeof Writing>`, ["ErrorOf<typeof Writing>"]]
] as const

const edit = (code: string) => {
  text = code
  version++
}

it.each(cases)("%s%s completes to %s", (before, after, name) => {
  edit(services + before + after)
  const completed = service.getCompletionsAtPosition(file, services.length + before.length, undefined)
  assert.include(completed?.entries.map((entry) => entry.name) ?? [], name)
})

it.each(hovers)("the errors of %s have names", (expression, names) => {
  const before = `import { Effect } from "effect"
import { Writing } from "@effect-lingua/core/texts/Writing"
import type { ErrorOf } from "@effect-lingua/core/errors/CallError"
import type { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
declare const glossaries: Glossaries["Service"]
declare const writing: Writing["Service"]
const `
  edit(`${before}shown = ${expression}`)
  const shown = ts.displayPartsToString(service.getQuickInfoAtPosition(file, before.length)?.displayParts)
  assert.includeMembers(shown.match(/\w+(?:<typeof \w+>)?/g) ?? [], [...names])
  assert.notInclude(shown, "Overloaded")
})
