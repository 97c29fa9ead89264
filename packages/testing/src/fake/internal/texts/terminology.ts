import * as RegularExpression from "effect/RegExp"
import type { Fake } from "../state.ts"
import { canonicalCode, rootOf } from "../text.ts"
import { sourceOf } from "./detection.ts"
import type { References } from "./references.ts"
import * as Taught from "./taught.ts"

/**
 * A pattern for any term as a whole word. One pair of boundaries surrounds all alternatives, because a pair for each of
 * thousands of terms would take seconds to compile.
 */
const anyOf = (terms: ReadonlyArray<string>): string => {
  const inWord = String.raw`[\p{L}\p{M}\p{N}]`
  return `(?<!${inWord})(?:${terms.map((term) => RegularExpression.escape(term)).join("|")})(?!${inWord})`
}

/** The glossary entries for a language pair. For a term in several glossaries, the first glossary wins. */
const entriesOf = (
  fake: Fake,
  account: string,
  { glossaryId, glossaryIds = [], targetLanguage }: References,
  sourceLanguage: string
): ReadonlyMap<string, string> => {
  const entries = new Map<string, string>()
  for (const id of glossaryId === undefined ? glossaryIds : [glossaryId]) {
    for (const dictionary of fake.store.glossaries.lookUp(account, id)?.dictionaries ?? []) {
      const { sourceLanguage: source, targetLanguage: target } = dictionary
      if (source !== rootOf(sourceLanguage) || target !== rootOf(targetLanguage)) continue
      for (const [term, translation] of dictionary.entries) {
        if (!entries.has(term)) entries.set(term, translation)
      }
    }
  }
  return entries
}

/** Replaces terms outside markup, case-sensitively, the longest term first. */
const replacing = (entries: ReadonlyMap<string, string>, hasMarkup: boolean): (text: string) => string => {
  if (entries.size === 0) return (text) => text
  const terms = Array.from(entries.keys()).toSorted((a, b) => b.length - a.length)
  const pattern = new RegExp([...(hasMarkup ? ["<[^<>]*>"] : []), anyOf(terms)].join("|"), "gu")
  return (text) => text.replace(pattern, (found) => entries.get(found) ?? found)
}

interface Terms {
  readonly entries: ReadonlyMap<string, string>
  readonly replace: (text: string) => string
}

/** A memory's translations, keyed by exact source text. */
const remembered = (
  fake: Fake,
  account: string,
  { targetLanguage, translationMemoryId }: References
): ReadonlyMap<string, string> => {
  const segments = translationMemoryId === undefined
    ? []
    : fake.store.memories.lookUp(account, translationMemoryId)?.segments ?? []
  const target = canonicalCode(targetLanguage)
  return new Map(segments.flatMap(({ source, targets }) => {
    const translation = targets.get(target) ?? targets.get(rootOf(target))
    return translation === undefined ? [] : [[source, translation]]
  }))
}

/** Translates with the memory or taught answers; otherwise prefixes the target code and replaces glossary terms. */
export const translator = (
  fake: Fake,
  account: string,
  references: References & { readonly tagHandling?: string }
): (text: string) => string => {
  const memory = remembered(fake, account, references)
  const { sourceLanguage, targetLanguage } = references
  const hasGlossary = references.glossaryId !== undefined || references.glossaryIds !== undefined
  const terms = new Map<string, Terms>()
  const termsOf = (source: string): Terms => {
    const known = terms.get(source)
    if (known !== undefined) return known
    const entries = entriesOf(fake, account, references, source)
    const found = { entries, replace: replacing(entries, references.tagHandling !== undefined) }
    terms.set(source, found)
    return found
  }
  const mark = `[${canonicalCode(targetLanguage)}] `
  return (text) => {
    const source = () => sourceLanguage ?? sourceOf(fake, text)
    // Without a source language, the text's detected language selects the dictionaries.
    const { entries, replace } = termsOf(hasGlossary ? source() : "")
    return memory.get(text) ??
      Taught.translation(fake.store.taught, text, source, targetLanguage, (line) => entries.get(line)) ??
      (text === "" ? "" : `${mark}${replace(text)}`)
  }
}
