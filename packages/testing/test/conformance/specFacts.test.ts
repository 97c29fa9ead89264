import { LanguageServiceApi } from "@effect-lingua/core/LanguageServiceApi"
import { assert, describe, it } from "@effect/vitest"
import { HttpApi } from "effect/http-api"
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

const operations = new Set<string>()
HttpApi.reflect(LanguageServiceApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) => {
    operations.add(`${group.identifier}.${endpoint.identifier}`)
  }
})

describe("facts of the specification", () => {
  it("are each shown by tests that there are", () => {
    for (const { id, tests: names } of facts) {
      assert.isAbove(names.length, 0, id)
      assert.strictEqual(new Set(names).size, names.length, id)
      assert.deepStrictEqual(names.filter((name) => !tests.has(name)), [], id)
    }
  })

  it("have ids of their own, of a section of the reference", () => {
    const ids = facts.map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, /^(A(2|4|6|9|10)|B([1-9]|1\d|20)|C[1-5])\/[\w-]+$/)
    // Of usage, B13, the specification says nothing.
    const sections = Array.from({ length: 20 }, (_, index) => `B${index + 1}`).filter((section) => section !== "B13")
    for (const section of [...sections, "C1", "C2", "C3", "C5"]) {
      assert.isTrue(facts.some(({ id }) => id.startsWith(`${section}/`)), section)
    }
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
