/** The messages of the compiler for the mistakes of a first hour, which `docs/contributing/compiler-messages.md` has as a table. */
import { assert, it } from "@effect/vitest"
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { API, type Diagnostic } from "typescript/unstable/sync"

const imports = `
import { Documents } from "@effect-lingua/core/documents/Documents"
import { Lingua } from "@effect-lingua/core/promise"
import * as Deadline from "@effect-lingua/core/config/Deadline"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Generators from "@effect-lingua/testing/generators/Generators"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"`.trim().split("\n")

/** Of fast-check, which is not installed, the parts that its messages name. */
const context = `
declare module "fast-check" {
  export abstract class Arbitrary<T> {
    generate(random: unknown, bias: number | undefined): { value: T }
    canShrinkWithoutContext(value: unknown): value is T
    shrink(value: T, context: unknown): Iterable<{ value: T }>
    filter(holds: (value: T) => boolean): Arbitrary<T>
    map<U>(to: (value: T) => U): Arbitrary<U>
    chain<U>(to: (value: T) => Arbitrary<U>): Arbitrary<U>
  }
  export const string: () => Arbitrary<string>
  export const asyncProperty: <T>(arbitrary: Arbitrary<T>, holds: (value: T) => Promise<unknown>) => unknown
}
declare const isTest: boolean
declare const lingua: import("@effect-lingua/core/promise").Lingua
declare const translation: import("@effect-lingua/core/texts/Translation").Translation["Service"]
declare const writing: import("@effect-lingua/core/texts/Writing").Writing["Service"]
declare const program: ReturnType<typeof translated>
declare const translated: () => import("effect").Effect.Effect<
  import("@effect-lingua/core/texts/Translation").Translated,
  import("@effect-lingua/core/errors/CallError").ErrorOf<import("@effect-lingua/core/texts/Translation").Translation, "translate">,
  import("@effect-lingua/core/texts/Translation").Translation
>
`

const compilerOptions = {
  target: "ES2024",
  module: "NodeNext",
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: ["node"]
}

const root = realpathSync(".")

/** The first line that is about the code and not about its overloads; a long one without its middle. */
const lineOf = ({ code, messageChain, text }: Diagnostic): string => {
  const [next] = messageChain ?? []
  if ((code === 2769 || code === 2770) && next !== undefined) return lineOf(next)
  const line = text.replaceAll(`${root}/packages/`, "@effect-lingua/").replaceAll("/src/", "/")
  return line.length > 200 ? `${line.slice(0, 130)}…${line.slice(-60)}` : line
}

/** The first message for each of the snippets, which are the files of one program. */
const messagesOf = (snippets: ReadonlyArray<string>): ReadonlyArray<string> => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "mistakes-")))
  const api = new API({ cwd: folder })
  try {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
    writeFileSync(join(folder, "context.d.ts"), context)
    const files = snippets.map((snippet, index) => {
      const file = join(folder, `${index}.ts`)
      writeFileSync(file, `${imports.join("\n")}\n${snippet.replaceAll("; ", "\n")}\nexport {}`)
      return file
    })
    const [project] = api.updateSnapshot({ openProjects: [join(folder, "tsconfig.json")] }).getProjects()
    // Only these files are checked, not the packages that they import.
    return files.map((file) => {
      const [first] = project?.program.getSemanticDiagnostics(file) ?? []
      return first === undefined ? "none" : lineOf(first)
    })
  } finally {
    api.close()
    rmSync(folder, { recursive: true })
  }
}

const cellsOf = (row: string): ReadonlyArray<string> =>
  row.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim().replaceAll("\\|", "|"))

const quoted = (cell = "") => cell.replace(/^`+ ?/, "").replace(/ ?`+$/, "")

it("the page of the messages has those of the compiler", () => {
  const page = readFileSync("docs/contributing/compiler-messages.md", "utf8")
  const rows = page.split("\n").filter((line) => /^\| \d+ +\|/.test(line)).map(cellsOf)
  const messages = messagesOf(rows.map(([, , code]) => quoted(code)))
  assert.deepStrictEqual(
    rows.map(([number, , , message]) => [number, quoted(message)]),
    messages.map((message, index) => [String(index + 1), message])
  )
  assert.lengthOf(rows, 24)
})
