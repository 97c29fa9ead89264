/** Markup in texts: placeholders and XML tags. */
import * as Placeholders from "@effect-lingua/core/texts/Placeholders"
import { identity } from "effect/Function"
import * as Result from "effect/Result"
import type { Unit } from "../Format.ts"
import { formCountOf } from "./categories.ts"
import { hasTypes } from "./messages.ts"

type Syntax = Placeholders.Syntax

export interface Markup {
  readonly isXml: boolean
  readonly syntax: Syntax
}

/** Library-specific placeholders, protected in every text. */
const references = new RegExp(
  [
    // i18next: `$t(key)`, `__name__`; Chrome: `$NAME$`.
    /\$t\([^()]*\)|\b__[a-z][a-zA-Z\d]*__\b|\$[A-Za-z_]\w*\$/,
    // vue-i18n: `{'@'}`, `@:key`, `@.lower:(key)`.
    /(?<!\{)\{'[^']*'\}(?!\})|@(?:\.\w+)?:(?:\([\w.]+\)|\w+(?:\.\w+)*)/,
    // Laravel: `:name`; Qt: `%1`.
    /(?<![\w:/@]):[A-Za-z]\w+(?![\w:])|(?<![\w%])%\d\d?(?![\w%$]|\.\d)/
  ].map(({ source }) => source).join("|"),
  "g"
)

const withoutReferences = (text: string): string => text.replace(references, ({ length }) => "·".repeat(length))

/** The problem of a text with a part that cannot be protected. */
export const unkeptOf = (text: string, syntax: Syntax): string | undefined => {
  const found = Placeholders.protect(withoutReferences(text), syntax)
  return Result.isFailure(found) ? `it has ${found.failure.what}` : undefined
}

/** True for plural forms with intervals, such as `{0} none|]1,Inf] %count%`, or of another number than the language's. */
export const hasOtherForms = (text: string, language: string): boolean =>
  text.includes("|") && (
    /(?:^|\|)\s*[[\]]\s*-?(?:\d+|Inf)\s*,\s*(?:-?\d+|\+?Inf|\*)\s*[[\]]/.test(text) ||
    /[%:]count\b/.test(text) && (
        /(?:^|\|)\s*\{[\d, -]+\}/.test(text) ||
        language !== "" && text.split("|").length !== formCountOf(language)
      )
  )

/** Why a text is not translated: an unpaired surrogate, unsupported plural forms, or an unparsed ICU plural or selection. */
export const unreadOf = (text: string, language: string): string | undefined =>
  !text.isWellFormed()
    ? "it has an unpaired surrogate"
    : hasOtherForms(text, language)
    ? "its plural forms have intervals, or another number than the language; translate it by hand"
    : /(?<!\{)\{\s*\w+\s*,\s*(?:plural|select|selectordinal)\s*,/.test(text)
    ? "it looks like an ICU message, but cannot be parsed"
    : undefined

export const placeholdersOf = (text: string, syntax: Syntax) => {
  const plain = withoutReferences(text)
  const { placeholders } = Result.getOrElse(Placeholders.protect(plain, syntax), () => ({ placeholders: [] }))
  const others = Array.from(text.matchAll(references), ({ 0: text, index }) => ({ start: index, text, inOrder: false }))
  let end = 0
  return [...placeholders, ...others].toSorted((one, other) => one.start - other.start).flatMap((found) => {
    if (found.start < end) return []
    end = found.start + found.text.length
    return [{ ...found, text: text.slice(found.start, end) }]
  })
}

const hasSyntax: Readonly<Record<Syntax, (text: string) => boolean>> = {
  icu: (text) => hasTypes(text) !== undefined && !text.includes("%{"),
  mustache: (text) => /\{\{[^{}]+\}\}/.test(text),
  // `%` after a letter or digit is a percent sign: `100%ig`.
  printf: (text) =>
    placeholdersOf(text, "printf").some(({ start, text: found }) =>
      found !== "%%" && !/[\w%]/.test(text.charAt(start - 1))
    ),
  brace: (text) => /(?<!\{)\{[\w.[\]-]*(?:[:!][^{}]*)?\}(?!\})/.test(text)
}

/**
 * Detects a text's syntax: ICU if an argument has a type, else the first syntax found in the text, beginning with the
 * file's syntax, which is also the default.
 */
const syntaxOf = (text: string, file: Syntax): Syntax => {
  const plain = withoutReferences(text)
  if (hasTypes(plain) === true) return "icu"
  return ([file, "icu", "mustache", "printf", "brace"] as const).find((syntax) => hasSyntax[syntax](plain)) ?? file
}

/** The syntax of most texts of a file. vue-i18n is `brace`, because its apostrophes do not quote. */
export const syntaxOfTexts = (texts: ReadonlyArray<string>, fallback: Syntax): Syntax => {
  if (texts.some((text) => /\{'[^']*'\}|@(?:\.\w+)?:[\w(]/.test(text))) return "brace"
  const [icu, mustache] = [hasSyntax.icu, hasSyntax.mustache].map((isOf) => texts.filter(isOf).length)
  return icu === mustache ? fallback : (icu ?? 0) > (mustache ?? 0) ? "icu" : "mustache"
}

/** Splits XML into texts at even and tags at odd indexes. A tag has no second `<`. */
export const partsOf = (xml: string): ReadonlyArray<string> => xml.split(/(<(?:"[^"<]*"|'[^'<]*'|[^<>"'])*>)/)

export const withoutTags = (text: string, isXml: boolean): string =>
  isXml ? partsOf(text).filter((_, index) => index % 2 === 0).join(" ") : text

/** A text's markup: a declared syntax takes precedence over the detected syntax. */
export const markupOf = ({ placeholders, text }: Unit, { isXml, syntax }: Markup): Markup => ({
  isXml,
  syntax: placeholders ?? syntaxOf(withoutTags(text, isXml), syntax)
})

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;" }

/** Escapes a text for XML, and removes characters that XML does not allow. */
export const escape = (text: string): string =>
  text.replace(/[&<>\r\ufffe\uffff]|(?![\t\n\u007f-\u009f])\p{Cc}/gu, (found) => escapes[found] ?? "")

/** Wraps each placeholder in an XML element; `restore` unwraps a translation. With `isEmpty`, the elements are empty. */
export const protect = (text: string, { isXml, syntax }: Markup, isEmpty = false) => {
  // The element is not `x` in XML, because XLIFF texts contain `x` elements.
  const name = isXml ? "placeholder" : "x"
  const [spell, read] = isXml ? [identity, identity] : [escape, Placeholders.unescape]
  const kept: Array<string> = []
  const sent = (isXml ? partsOf(text) : [text]).map((part, index) => {
    if (index % 2 === 1) return part
    let from = 0
    let out = ""
    for (const { start, text } of placeholdersOf(part, syntax)) {
      const content = isEmpty ? "" : spell(text)
      out += `${spell(part.slice(from, start))}<${name} id="${kept.push(text) - 1}">${content}</${name}>`
      from = start + text.length
    }
    return out + spell(part.slice(from))
  })
  const element = new RegExp(`<${name}\\b[^<>]*?\\bid\\s*=\\s*["']?(\\d+)["']?\\s*(?:/>|>([^<]*)</${name}\\s*>)`, "g")
  return {
    text: sent.join(""),
    // `split` alternates texts, ids and contents. The service may move characters into an element, so a
    // nonempty content is used.
    restore: (translated: string): string =>
      translated.split(element).map((part, index, parts) =>
        index % 3 === 1 ? "" : read(part ?? "") || (index % 3 === 2 ? kept[Number(parts[index - 1])] ?? "" : "")
      ).join("")
  }
}

/** A text with spaces in place of its tags and placeholders. */
export const restOf = (text: string, { isXml, syntax }: Markup): string => {
  const { text: sent } = protect(withoutTags(text, isXml), { isXml: false, syntax }, true)
  return Placeholders.unescape(sent.replaceAll(/<x id="\d+"><\/x>/g, " "))
}

/** The first unprotected part of a text that looks like a placeholder, prefixed with the text's id. */
export const unprotectedIn = (text: string, markup: Markup, id: string): ReadonlyArray<string> => {
  const look = /\{[^{}]+\}|(?<![\d%])%(?:\w+%|(?:\d+\$|\(\w+\))?[sd@])/i
  const found = markup.syntax === "icu" && hasTypes(text) === true ? null : look.exec(restOf(text, markup))
  return found === null ? [] : [`${id}: ${found[0]}`]
}
