/** What a translation keeps of a text: placeholders, and in XML tags. */
import * as Placeholders from "@effect-lingua/core/texts/Placeholders"
import * as Result from "effect/Result"
import type { Unit } from "../Format.ts"
import { argumentsOf, hasSelector } from "./messages.ts"

/** The markup of the texts of a file. */
export interface Markup {
  readonly isXml: boolean
  readonly syntax: Placeholders.Syntax | undefined
}

/** Whether texts can be messages of ICU. */
export const isMessages = ({ isXml, syntax }: Markup): boolean => isXml || syntax === "icu"

/** The markup of a text. */
export const markupOf = ({ placeholders }: Unit, file: Markup): Markup =>
  placeholders === undefined ? file : { ...file, syntax: placeholders }

/** Texts at even places, and tags at odd ones. A tag has no `<`, so that a stray one is not followed to the end of the text. */
export const partsOf = (xml: string): ReadonlyArray<string> => xml.split(/(<(?:"[^"<]*"|'[^'<]*'|[^<>"'])*>)/)

/** The placeholders of a text; none if it has unsupported ones. */
export const placeholdersOf = (text: string, syntax: Placeholders.Syntax | undefined) =>
  syntax === undefined
    ? []
    : Result.match(Placeholders.protect(text, syntax), {
      onFailure: () => [],
      onSuccess: ({ placeholders }) => placeholders
    })

const keptOf = (text: string, { isXml, syntax }: Markup): ReadonlyArray<string> => {
  const parts = isXml ? partsOf(text) : [text]
  return parts.flatMap((part, index) => index % 2 === 1 ? [part] : placeholdersOf(part, syntax).map(({ text }) => text))
    .toSorted()
}

/** Whether a translation has the placeholders and tags of its source. The branches of messages differ by language. */
export const isWhole = (source: string, target: string, markup: Markup): boolean => {
  const [expected, actual] = [keptOf(source, markup), keptOf(target, markup)]
  if (!isMessages(markup) || !hasSelector(source)) {
    return expected.join("\0") === actual.join("\0")
  }
  return argumentsOf(source)?.join() === argumentsOf(target)?.join() &&
    [...new Set(expected)].join("\0") === [...new Set(actual)].join("\0")
}

/** A text of XML with elements for its placeholders, and the way back. */
export const protectInXml = (xml: string, syntax: Placeholders.Syntax | undefined) => {
  const kept: Array<string> = []
  const text = partsOf(xml).map((part, index) => {
    if (index % 2 === 1) return part
    let from = 0
    let out = ""
    for (const { text } of placeholdersOf(part, syntax)) {
      const start = part.indexOf(text, from)
      out += `${part.slice(from, start)}<placeholder n="${kept.push(text) - 1}"/>`
      from = start + text.length
    }
    return out + part.slice(from)
  }).join("")
  return {
    text,
    restore: (translated: string): string =>
      translated.replace(
        /<placeholder n="(\d+)"\s*(?:\/>|>\s*<\/placeholder>)/g,
        (whole, index: string) => kept[Number(index)] ?? whole
      )
  }
}
