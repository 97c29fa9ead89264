/** A lint of words: patterns after which a sentence makes no sense without its surroundings, and names that are participles. */
import { assert, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"

const patterns: Readonly<Record<string, RegExp>> = {
  "repeat the noun": /\b(?:that|those) of\b|\bthe ones? (?:of|before|after|above|below)\b/gi,
  "say what it is, or that it has none": /\b(?:is|are|was|were) none\b/gi,
  "because, not as":
    /, as (?:it|its|they|their|there|nobody|nothing|no|some|many|most|all|otherwise|each|only|both|any|the \w+ (?:is|are|has|have|can|cannot|may|does|do))\b/gi,
  "from, under, in or keyed by, not by": /\bby (?:the |its |their )?(?:contract|schemas?|specification|clock|conventions?)\b/gi,
  "is, not goes, stands, comes": /\b(?:goes|go on|going on|went on|stands for|lies in|comes (?:about|first|last|with)|come about)\b/gi,
  "no own": /\b(?:its|their|your|of|an?|each|\w+'s) own\b/gi,
  "name it": /\b(?:whoever|such an? (?!\w+ as)|so many|besides|as in)\b/gi,
  "receives, reports, requests": /\b(?:is|are|was|were|be|been) (?:told|asked)\b/gi,
  "a noun or a verb as a name":
    /\b(?:const|let|readonly) (?:given|held|told|early|crowded|hopeless|most|least|many|slow|silent|ours|begun|turn)\b/g
}

/** Places where the words are right: a name of a public fault, quotations of the service. */
const allowed: ReadonlyArray<string> = []

it("sources and pages have no words that only their surroundings explain", () => {
  const files = globSync(["{packages,extensions}/*/src/**/*.ts", "{packages,extensions}/*/README.md", "README.md", "docs/**/*.md"])
  const found = files.flatMap((file) => {
    const text = readFileSync(file, "utf8")
    return Object.entries(patterns).flatMap(([advice, pattern]) =>
      Array.from(text.matchAll(pattern), ({ 0: words, index }) =>
        `${file}:${text.slice(0, index).split("\n").length}: "${words}": ${advice}`)
    )
  })
  assert.deepStrictEqual(found.filter((line) => !allowed.some((place) => line.startsWith(place))), [])
})
