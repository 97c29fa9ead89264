/**
 * Finds claims of README.md and docs that no test is named for: sentences with a limit, a time or a size, with "never", "always",
 * "every", "at most", "at least", "twice", with "each" at the start of a clause,
 * or with "No" at that of a sentence. A mark after the paragraph, list or table names what shows them:
 *
 *     <!-- shown by packages/core/test/texts/joining.test.ts: a call joins a request that has room -->
 *     <!-- shown by tools/bench/memory.ts -->
 *     <!-- shown by the specification -->
 *
 * A file of tests is followed by the title of one. The last mark is for facts about the service that the client does not depend on.
 */
import { existsSync, globSync, readFileSync } from "node:fs"

const units = [
  "ms|milliseconds?|seconds?|minutes?|hours?|days?|weeks?|months?|%|percent|times",
  "[kMG]B|[KMG]iB|bytes?|characters?|code points|texts?|lines?|segments?|entries|files?|documents?|languages?",
  "requests?|calls?|attempts?|retries|connections?|keys?|turns?|messages?|rounds?|steps?|statements|commits"
].join("|")
const numbers = "\\d[\\d,.]*|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|half a"
const claim = new RegExp(
  [
    "\\b(?:[Nn]ever|[Aa]lways|[Ee]very|[Aa]t (?:most|least)|exactly once|only \\w+ once|[Tt]wice)\\b",
    "(?:^|\\*\\*)No \\w+ \\w",
    "\\ban? (?:minute|hour|day|week|month)\\b",
    "(?:^|\\*\\*|[,;] (?:and |so |but )?)[Ee]ach (?!with\\b|by\\b|as\\b)\\w+ \\w",
    `(?<![\\w.#])(?:${numbers})[ -](?:${units})(?![\\w-])`
  ].join("|")
)

interface Block {
  readonly line: number
  readonly text: string
}

const withoutText = (text: string) => text.replaceAll(/[^\n]/g, "")

/** The paragraphs, lists, tables and marks of a page, without code, headings, and what is generated. */
const blocksOf = (page: string): ReadonlyArray<Block> => {
  const text = readFileSync(page, "utf8")
    .replaceAll(/^ *```[^]*?^ *```$/gm, withoutText)
    .replaceAll(/^<!-- begin [^]*?^<!-- end .*$/gm, withoutText)
    .replaceAll(/^(?:#| {4}(?! *(?:[-*]|\d+\.) )).*$/gm, withoutText)
  return Array.from(text.matchAll(/(?:^.*\S.*\n?)+/gm), (match) => ({
    line: text.slice(0, match.index).split("\n").length,
    text: match[0].trimEnd()
  }))
}

/** The first sentence or cell of a block that is a claim. */
const claimOf = ({ text }: Block): string | undefined =>
  text
    .replaceAll(/`[^`]*`/g, (code) => code.replaceAll(" ", "\u00a0"))
    .split(/\n(?= *[-*|] | *\d+\. )|\n\|/)
    .flatMap((item) => item.startsWith("|") || item.endsWith("|") ? item.split("|") : item.split(/(?<=[.:;])[ \n]+/))
    .map((sentence) => sentence.replaceAll(/\s+/g, " ").replace(/^[-* ]+/, "").trim())
    .find((sentence) => claim.test(sentence.replaceAll(/`[^`]*`/g, "``")))

/** What is wrong with a mark. */
const problemOf = (mark: string): string | undefined => {
  const [, file = "", title] = /^<!-- shown by (.+?)(?:: (.+))? -->$/.exec(mark) ?? []
  if (file === "the specification") return undefined
  if (!existsSync(file)) return `there is no file "${file}"`
  if (title === undefined) return file.endsWith(".test.ts") ? "the title of the test is missing" : undefined
  const source = readFileSync(file, "utf8")
  const isTitle = [JSON.stringify(title), `\`${title}\``].some((literal) => source.includes(literal))
  return isTitle ? undefined : `${file} has no test "${title}": name the one that shows the claim, or correct the claim`
}

const problems: Array<string> = []
let claims = 0
let marks = 0
for (const page of globSync(["README.md", "docs/*.md", "docs/testing/*.md"])) {
  const blocks = blocksOf(page)
  for (const [index, block] of blocks.entries()) {
    const report = (problem: string) => problems.push(`${page}:${block.line}: ${problem}`)
    const isMark = (other: Block | undefined) => other?.text.startsWith("<!-- shown by ") ?? false
    const found = isMark(block) ? undefined : claimOf(block)
    if (isMark(block)) {
      for (const mark of block.text.split("\n")) {
        marks += 1
        const problem = problemOf(mark)
        if (problem !== undefined) report(problem)
      }
      const before = blocks[index - 1]
      if (before === undefined || claimOf(before) === undefined) report("the mark has no claim before it: remove it")
    } else if (found !== undefined) {
      claims += 1
      if (!isMark(blocks[index + 1])) {
        report(`"${found}" has no mark: add <!-- shown by file: title of a test --> after the paragraph, or remove it`)
      }
    }
  }
}
process.stdout.write(problems.map((problem) => `${problem}\n`).join(""))
if (problems.length > 0) process.exitCode = 1
else process.stdout.write(`${claims} claims have ${marks} marks\n`)
