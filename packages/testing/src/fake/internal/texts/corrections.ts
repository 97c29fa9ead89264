/** Corrects and rewrites texts deterministically and idempotently, with a few real rules. */
import { closings, grammar, hedges, misspellings, plainer, styleWords, variants, type WordTable } from "./wordTables.ts"

const spaced = (root: string): boolean => root !== "ja" && root !== "zh"

const inCaseOf = (original: string, replacement: string): string => {
  if (original.length > 1 && original === original.toUpperCase() && original !== original.toLowerCase()) {
    return replacement.toUpperCase()
  }
  const [first = ""] = original
  return first === first.toLowerCase()
    ? replacement
    : `${replacement.slice(0, 1).toUpperCase()}${replacement.slice(1)}`
}

const word = /[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*/gu

const exchangeWords = (text: string, table: WordTable | undefined): string =>
  table === undefined
    ? text
    : text.replace(word, (found) => {
      const replacement = table.get(found.toLowerCase().replaceAll("’", "'"))
      return replacement === undefined ? found : inCaseOf(found, replacement)
    })

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

const exchangePhrases = (text: string, table: WordTable | undefined): string =>
  Array.from(table ?? []).filter(([from]) => from.includes(" ")).reduce(
    (current, [from, to]) =>
      current.replace(
        new RegExp(`(?<![\\p{L}\\p{M}])${escaped(from)}(?![\\p{L}\\p{M}])`, "giu"),
        (found) => inCaseOf(found, to)
      ),
    text
  )

const exchange = (text: string, table: WordTable | undefined): string =>
  exchangeWords(exchangePhrases(text, table), table)

const capitalize = (text: string): string =>
  text.replace(
    /(^\s*|(?<!\b(?:e\.g|i\.e|z\.B|bzw|etc|ca|vs|approx))[.!?]\s+)(\p{Ll})(?=[\p{Ll}\p{M}'’]*(?:\s|[,;:.!?]?$|[,;:.!?]\s))/gu,
    (_, before: string, letter: string) => `${before}${letter.toUpperCase()}`
  )

/** Adds a missing full stop to two or more words, or to four or more characters in a script without spaces. */
const endSentence = (text: string, root: string): string => {
  const trimmed = text.trimEnd()
  const isSentence = spaced(root)
    ? /\S\s+\S/.test(trimmed) && /[\p{L}\p{N}]$/u.test(trimmed)
    : trimmed.length >= 4 && /\p{Lo}$/u.test(trimmed)
  return isSentence ? `${trimmed}${spaced(root) ? "." : "。"}${text.slice(trimmed.length)}` : text
}

const spacing = (text: string, root: string): string => {
  const single = text.replace(/(?<=\S)[ \t]{2,}(?=\S)/g, " ")
  return root === "fr" ? single : single.replace(/(?<=[\p{L}\p{N}]) +(?=[,.!?](?:\s|$))/gu, "")
}

const english = (text: string): string =>
  grammar.reduce(
    (current, [wrong, right]) => current.replace(wrong, right),
    text.replace(/(?<![\p{L}\p{N}.'’-])i(?=(?:['’](?:m|ve|ll|d))?(?:[\s,;:!?]|$))/gu, "I")
  )

/** Corrects a text, and replaces words of variants other than `target`. */
export const correct = (text: string, target: string): string => {
  if (!/\p{L}/u.test(text)) return text
  const root = target.slice(0, 2)
  const spelled = exchange(spacing(text, root), misspellings[root])
  const improved = exchange(root === "en" ? english(spelled) : spelled, variants[target])
  return endSentence(spaced(root) ? capitalize(improved) : improved, root)
}

const close = (text: string, sentence: string | undefined): string => {
  const trimmed = text.trimEnd()
  return sentence === undefined || trimmed.endsWith(sentence)
    ? text
    : `${trimmed}${/[\p{L}\p{N}]$/u.test(trimmed) ? "." : ""} ${sentence}${text.slice(trimmed.length)}`
}

const splitSentences = (text: string): string =>
  text.replace(/;\s+(\p{L})/gu, (_, letter: string) => `. ${letter.toUpperCase()}`)

const manner = (text: string, name: string, root: string): string => {
  const worded = root === "en" ? exchange(text, styleWords[name]) : text
  const closing = closings[name]?.[root]
  switch (name) {
    case "confident": {
      const bold = capitalize(worded.replace(hedges[root] ?? /$^/, ""))
      return bold === worded ? close(worded, closing) : bold
    }
    case "enthusiastic":
      return worded.replace(/\.(?=\s|$)/g, "!")
    case "simple":
      return splitSentences(worded)
    default:
      return close(worded, closing)
  }
}

export const rephrase = (text: string, target: string, name: string | undefined): string => {
  const root = target.slice(0, 2)
  const plain = correct(exchange(correct(text, target), plainer[root]), target)
  return name === undefined || !/\p{L}/u.test(text) ? plain : manner(plain, name, root)
}
