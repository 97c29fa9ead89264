import type { StoredSegment } from "../state.ts"
import { canonicalCode, rootOf } from "../text.ts"

export interface Contents {
  readonly source: string
  readonly segments: ReadonlyArray<StoredSegment>
  /** Number of units that lack the source language or a translation. */
  readonly skipped: number
}

const entities: ReadonlyMap<string, string> = new Map([["amp", "&"], ["lt", "<"], ["gt", ">"], ["quot", "\""], [
  "apos",
  "'"
]])

const reference = /&(?:#(\d+|x[0-9a-f]+)|(\w+));/gi

const codeOf = (number: string): number => Number(/^x/i.test(number) ? `0${number}` : number)

const hasCharacters = (xml: string): boolean =>
  Array.from(xml.matchAll(reference)).every(([, number]) => {
    const code = number === undefined ? 0 : codeOf(number)
    return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  })

/** An element's text, without tags of inner elements. */
const textOf = (xml: string): string =>
  xml.replace(/<[^>]*>/g, "").replace(
    reference,
    (all, number: string | undefined, name: string) =>
      number === undefined ? entities.get(name) ?? all : String.fromCodePoint(codeOf(number))
  )

const escaped = (text: string): string =>
  text.replace(
    /[&<>"]/g,
    (character) => `&${Array.from(entities).find(([, of]) => of === character)?.[0] ?? ""};`
  )

const decode = (content: Uint8Array): string => {
  const [first, second] = content
  const encoding = first === 0xff && second === 0xfe
    ? "utf-16le"
    : first === 0xfe && second === 0xff
    ? "utf-16be"
    : "utf-8"
  return new TextDecoder(encoding).decode(content)
}

export const parse = (content: Uint8Array): Contents | { readonly error: string } => {
  const text = decode(content).replace(
    /<!--[^]*?-->|<!\[CDATA\[([^]*?)\]\]>/g,
    (_, literal: string | undefined) => escaped(literal ?? "")
  )
  if (!/<tmx[\s>]/.test(text) || !/<\/tmx\s*>/.test(text) || !hasCharacters(text)) {
    return { error: "The file is not a valid TMX file." }
  }
  const units = Array.from(text.matchAll(/<tu[\s>][\s\S]*?<\/tu\s*>/g), ([unit]) =>
    Array.from(
      unit.matchAll(/<tuv\b[^>]*?\blang\s*=\s*["']([^"']+)["'][^>]*>[\s\S]*?<seg\b[^>]*>([\s\S]*?)<\/seg\s*>/g),
      ([, language = "", segment = ""]) => [canonicalCode(language), textOf(segment)] as const
    ))
  const declared = /<header\b[^>]*?\bsrclang\s*=\s*["']([^"']+)["']/.exec(text)?.[1]
  const source = declared === undefined || declared === "*all*" ? units[0]?.[0]?.[0] : canonicalCode(declared)
  if (source === undefined) return { error: "The file has no translation units." }
  const segments = units.flatMap((unit): ReadonlyArray<StoredSegment> => {
    const original = unit.find(([language]) => rootOf(language) === rootOf(source))
    const targets = new Map(unit.filter((variant) => variant !== original))
    return original === undefined || targets.size === 0 ? [] : [{ source: original[1], targets }]
  })
  return segments.length === 0
    ? { error: "The file has no translation units." }
    : { source, segments, skipped: units.length - segments.length }
}

const variant = (language: string, text: string): string =>
  `      <tuv xml:lang="${escaped(language)}"><seg>${escaped(text)}</seg></tuv>\n`

export const format = (source: string, segments: ReadonlyArray<StoredSegment>): Uint8Array =>
  new TextEncoder().encode(
    `<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n  <header srclang="${
      escaped(source)
    }" adminlang="en" datatype="plaintext" segtype="sentence" o-tmf="fake" creationtool="fake" creationtoolversion="1"/>\n  <body>\n${
      segments.map((segment) =>
        `    <tu>\n${variant(source, segment.source)}${
          Array.from(segment.targets, ([language, text]) => variant(language, text)).join("")
        }    </tu>\n`
      ).join("")
    }  </body>\n</tmx>\n`
  )
