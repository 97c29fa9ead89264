import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { facts } from "../support/specFacts.ts"

/** A test that runs: `it` or one of its kinds, but none that is skipped, expected to fail or still to be written. */
const running = /(?<![\w.$])it(?:\.(?:effect|live|prop))*\(\s*"((?:[^"\\]|\\.)*)"/g

/** The titles of the tests in a source. Comments are none, and a file that leaves out a group has none. */
const titlesIn = (source: string): ReadonlyArray<string> => {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "")
  return /\bdescribe\.(skip|todo)/.test(code) ? [] : Array.from(code.matchAll(running), ([, title = ""]) => title)
}

const folder = join(import.meta.dirname, "..")

const tests = new Set(
  globSync("**/*.test.ts", { cwd: folder }).flatMap((path) =>
    titlesIn(readFileSync(join(folder, path), "utf8")).map((title) => `${basename(path, ".test.ts")} > ${title}`)
  )
)

describe("facts of the specification", () => {
  it("are each shown by tests that there are", () => {
    for (const { fact, tests: names } of facts) {
      assert.isAbove(names.length, 0, fact)
      assert.strictEqual(new Set(names).size, names.length, fact)
      assert.deepStrictEqual(names.filter((name) => !tests.has(name)), [], fact)
    }
  })

  it("are sentences that differ", () => {
    const sentences = facts.map(({ fact }) => fact)
    assert.deepStrictEqual(sentences.filter((fact, index) => sentences.indexOf(fact) !== index), [])
    for (const fact of sentences) assert.match(fact, /[.;]$/)
  })

  it("are looked for among tests that run", () => {
    const source = `
      it.effect("one \\"two\\"", () => {})
      it.effect.prop(
        "three", [], () => {})
      it("four", () => {})
      it.effect.skip("skipped", () => {})
      it.todo("to do")
      // it("commented", () => {})
      /* it("commented too") */
      submit("no test")
    `
    assert.deepStrictEqual(titlesIn(source), [`one \\"two\\"`, "three", "four"])
    assert.deepStrictEqual(titlesIn(`describe.skip("all", () => { it("skipped", () => {}) })`), [])
    assert.isAbove(tests.size, 100)
  })
})
