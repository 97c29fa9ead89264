/** A lint of words: phrases and names that only their surroundings explain. */
import { assert, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"

const patterns: Readonly<Record<string, RegExp>> = {
  "repeat the noun": /\b(?:that|those) of\b|\bthe ones? (?:of|before|after|above|below)\b/gi,
  "is not a, or has no": /\b(?:is|are|was|were) none\b/gi,
  "because": /, as (?:it|its|they|their|there|nobody|nothing|no|some|many|most|all|otherwise|each|only|both|any)\b/gi,
  "because, or like": /, as the (?:\w+ )?\w+ (?:is|are|has|have|can|cannot|may|does|do)\b/gi,
  "from, under or in": /\bby (?:the |its |their )?(?:contract|schemas?|specification|clock|conventions?)\b/gi,
  "is, continues or follows":
    /\b(?:goes|go on|going on|went on|stands for|lies in|comes (?:about|first|last|with))\b/gi,
  "its, another or a separate": /\b(?:its|their|your|an?|each) own\b|\bof \w+'s own\b/gi,
  "its, or apart from": /\b(?:whoever|whatever|so many|besides)\b|\bsuch an? (?!\w+ as)/gi,
  "receives, reports or requests": /\b(?:is|are|was|were|be|been) (?:told|asked)\b/gi,
  "a noun with its unit, or a verb":
    /\b(?:const|let|readonly) (?:given|held|told|early|crowded|hopeless|most|least|many|slow|silent|ours|begun|turn)\b/g
}

/** A public name, and titles of tests. */
const allowed = /export const slow = |^<!-- shown by /

it("sources and pages have no words that only their surroundings explain", () => {
  const files = globSync(["{packages,extensions}/*/{src/**/*.ts,README.md}", "README.md", "docs/**/*.md"])
  const found = files.flatMap((file) =>
    readFileSync(file, "utf8").split("\n").flatMap((line, index) =>
      Object.entries(patterns).flatMap(([advice, pattern]) =>
        Array.from(
          allowed.test(line) ? [] : line.matchAll(pattern),
          ([words]) => `${file}:${index + 1}: "${words}" (write: ${advice})`
        )
      )
    )
  )
  assert.isAbove(files.length, 400)
  assert.deepStrictEqual(found, [])
})
