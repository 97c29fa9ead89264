import { assert, describe, it } from "@effect/vitest"
import { starsOf } from "../src/projects/internal/pattern.ts"

describe("the stars of a pattern", () => {
  it.each<[pattern: string, path: string, stars: ReadonlyArray<string>]>([
    ["locales/en.json", "locales/en.json", []],
    ["locales/*/en.json", "locales/a/en.json", ["a"]],
    ["src/**/en/*.json", "src/a/en/b/en/c.json", ["a/en/b", "c"]],
    ["src/**/en/*.json", "src/en/a.json", ["", "a"]],
    ["src/**/en/**/*.json", "src/en/garden/a.json", ["", "garden", "a"]],
    ["src/*/en/**/x.json", "src/a/en/b/en/x.json", ["a", "b/en"]],
    ["**/*.json", "a/b/c.json", ["a/b", "c"]],
    ["a/**", "a/b/c", ["b/c"]],
    ["*-*.json", "a-b-c.json", ["a-b", "c"]],
    ["a*", "abc", ["bc"]],
    ["*", "", [""]],
    ["a*b", "acd", []],
    ["ab*ba", "aba", []]
  ])("%s in %s: the first takes as much as it can", (pattern, path, stars) => {
    assert.deepStrictEqual(starsOf(pattern, path), stars)
  })
})
