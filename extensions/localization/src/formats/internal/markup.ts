/** Markup of texts: placeholders, and tags of XML. */
import * as Placeholders from "@effect-lingua/core/texts/Placeholders"
import * as Result from "effect/Result"
import type { Unit } from "../Format.ts"
import { argumentsOf, hasSelector } from "./messages.ts"

export interface Markup {
  readonly isXml: boolean
  readonly syntax: Placeholders.Syntax | undefined
}

export const isMessages = ({ isXml, syntax }: Markup): boolean => isXml || syntax === "icu"

export const markupOf = ({ placeholders }: Unit, file: Markup): Markup =>
  placeholders === undefined ? file : { ...file, syntax: placeholders }

/** Splits into texts at even and tags at odd indexes. A tag has no `<`. */
export const partsOf = (xml: string): ReadonlyArray<string> => xml.split(/(<(?:"[^"<]*"|'[^'<]*'|[^<>"'])*>)/)

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

/** True if a translation has the placeholders and tags of its source. */
export const isWhole = (source: string, target: string, markup: Markup): boolean => {
  const [expected, actual] = [keptOf(source, markup), keptOf(target, markup)]
  if (!isMessages(markup) || !hasSelector(source)) {
    return expected.join("\0") === actual.join("\0")
  }
  return argumentsOf(source)?.join() === argumentsOf(target)?.join() &&
    [...new Set(expected)].join("\0") === [...new Set(actual)].join("\0")
}

/** Replaces placeholders by elements of XML, and back. */
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
