/** Makes texts from the service safe to print. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import { identity } from "effect/Function"
import type * as Headers from "effect/http/Headers"
import type { HttpBody } from "effect/http/HttpBody"
import * as Quotes from "./quotes.ts"
import { once } from "./values.ts"

export interface Sanitizer {
  /** Removes secrets in all encodings that servers use. */
  readonly clean: (text: string) => string
  /** Returns at most the first 16,384 characters of the cleaned text. */
  readonly beginning: (text: string) => string
  /** Removes secrets, the request's texts, queries of URLs, markup and control characters. Returns one line of bounded length. */
  readonly fit: (text: string) => string
}

/** Minimum characters of a removed secret: shorter secrets match too many texts. */
const shortestSecret = 8

/** Maximum characters read from a text; the rest is markup or noise. */
const longestText = 16 * 1024

/** Additional characters read, because a secret may cross the end of `longestText`. */
const longestSecret = 4 * 1024

/** Maximum characters of a result, so that log lines are readable. */
const longestShown = 300

const encoder = new TextEncoder()

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, "0")

const entities: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", "\"": "quot", "'": "apos" }

/** Line breaks, invisible characters, and the space that replaces markup. */
const divider = /[\s\p{Cc}\p{Cf}]/u

/** Makes a pattern for a text with optional dividers between characters, except before a divider of the text itself. */
const divided = (text: string, pattern: (char: string) => string): string =>
  Array.from(text, (char, index) => {
    const gap = index === 0 || divider.test(char)
      ? ""
      : "[\\s\\x00-\\x1f\\x7f-\\x9f\\xad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]{0,8}"
    return gap + pattern(char)
  }).join("")

/** The pattern of a character that is plain, or escaped for JSON, URLs, HTML or mail, up to four times. */
const charPattern = (char: string): string => {
  const code = char.codePointAt(0) ?? 0
  const bytes = Array.from(encoder.encode(char))
  const units = Array.from({ length: char.length }, (_, index) => `\\\\{1,4}u${hex(char.charCodeAt(index), 4)}`)
  const named = entities[char]
  const forms = [
    char === "\\" ? "\\\\{0,8}" : `\\\\{0,4}${char === " " ? "[\\s+]" : escaped(char)}`,
    units.join(""),
    `\\\\{1,4}(?:u\\{0{0,4}${hex(code, 1)}\\}|x${hex(code, 2)}|${code.toString(8).padStart(3, "0")})`,
    bytes.map((byte) => `%(?:25){0,3}${hex(byte, 2)}`).join(""),
    bytes.map((byte) => `=${hex(byte, 2)}`).join(""),
    `&(?:amp;){0,3}(?:#0{0,4}${code}|#x0{0,4}${hex(code, 1)}${named === undefined ? "" : `|${named}`});?`
  ]
  return `(?:${forms.join("|")})`
}

/** Patterns of bytes in base64 at each of three offsets: the characters that encode only these bytes, and adjacent characters. */
const base64Patterns = (bytes: Uint8Array): ReadonlyArray<string> =>
  [0, 1, 2].map((before) => {
    const whole = new Uint8Array(before + bytes.length)
    whole.set(bytes, before)
    const core = Base64.encode(whole).slice(Math.ceil(before * 8 / 6), Math.floor(whole.length * 8 / 6))
    const pattern = divided(core, (char) =>
      char === "+" ? `(?:-|${charPattern(char)})` : char === "/" ? `(?:_|${charPattern(char)})` : char)
    return `[\\w+/-]{0,3}${pattern}[\\w+/-]{0,3}={0,2}`
  })

const patternOf = (secret: string): RegExp => {
  const bytes = encoder.encode(secret)
  return new RegExp(
    [
      divided(secret, charPattern),
      ...base64Patterns(bytes),
      divided(Array.from(bytes, (byte) => hex(byte, 2)).join(""), identity)
    ].join("|"),
    "gi"
  )
}

const unfit = /[\p{Cc}\s]+/gu
const bidiControls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
// The search for an element's end stops at the next element of that name, so that many unclosed elements are read once.
const markup = /<(style|script)(?:(?!<\1)[^])*?<\/\1>|<[^<>]*>/gi

/** The query of a URL, which may contain a signature. */
const query = /(:\\?\/\\?\/[^\s?"'<>]{0,1000}\?)[^\s"'<>]+/g

const isFit = (text: string): boolean =>
  text.length <= longestShown && !/[^\x20-\x3b\x3d-\x3e\x40-\x7e]| {2}/.test(text)

const withoutMarkup = (text: string): string => text.replace(markup, " ")

const withFit = (clean: Sanitizer["clean"], withoutQuotes: (text: string) => string = identity): Sanitizer => {
  const beginning = (text: string) => clean(text.slice(0, longestText + longestSecret)).slice(0, longestText)
  return {
    clean,
    beginning,
    fit: (text) => {
      if (isFit(text)) return withoutQuotes(clean(text).trim())
      const plain = withoutMarkup(beginning(text)).replace(bidiControls, "").replace(unfit, " ").trim()
      // Cleaned again, because removing markup can join the parts of a secret.
      const shown = withoutQuotes(clean(plain).replace(query, "$1[redacted]"))
      return shown.length > longestShown ? `${shown.slice(0, longestShown)}…` : shown
    }
  }
}

/** Makes a sanitizer. Compiles a secret's pattern for the first text that may contain the secret. */
export const make = (secrets: ReadonlyArray<string>): Sanitizer => {
  const hidden = Array.from(new Set(secrets.filter((secret) => secret.length >= shortestSecret)))
    .toSorted((one, other) => other.length - one.length)
    .map((secret) => ({ minLength: secret.replaceAll("\\", "").length, pattern: once(() => patternOf(secret)) }))
  const clean = (text: string): string => {
    let rest = text
    for (const { minLength, pattern } of hidden) {
      // A text shorter than a secret without its backslashes cannot contain the secret.
      if (minLength <= rest.length) rest = rest.replace(pattern(), "[redacted]")
    }
    return rest
  }
  return withFit(clean)
}

export const ofRequest = ({ clean }: Sanitizer, body: HttpBody): Sanitizer => {
  if (body._tag !== "Uint8Array") return withFit(clean)
  let remove: ((text: string) => string) | undefined
  return withFit(clean, (text) => (remove ??= Quotes.remover(body.body, withoutMarkup))(text))
}

/** A sanitizer to which secrets can be added, such as headers of a client transform. */
export const extensible = (base: Sanitizer) => {
  const known = new Set<string>()
  let more: Sanitizer | undefined
  return {
    ...withFit((text) => base.clean(more?.clean(text) ?? text)),
    add: (secrets: ReadonlyArray<string>): void => {
      const before = known.size
      for (const secret of secrets) known.add(secret)
      if (known.size > before) more = make([...known])
    }
  }
}

export const withoutSecrets: Sanitizer = make([])

export const traceOf = (
  answer: { readonly headers: Headers.Headers } | undefined,
  sanitizer: Sanitizer
): { readonly traceId: string } | undefined => {
  const id = answer?.headers["x-trace-id"]
  return id === undefined ? undefined : { traceId: sanitizer.fit(id) }
}

export const CurrentSanitizer = Context.Reference<{ readonly sanitizer: Sanitizer }>(
  "@effect-lingua/core/contract/internal/sanitizer/CurrentSanitizer",
  { defaultValue: () => ({ sanitizer: withoutSecrets }) }
)

export const sanitizer: Effect.Effect<Sanitizer> = Effect.map(CurrentSanitizer, ({ sanitizer }) => sanitizer)
