/** Finds the placeholders of a text. */
import * as Result from "effect/Result"

interface Found {
  readonly start: number
  readonly text: string
  /** True if the order is significant: for an argument without a name, or the edge of a section. */
  readonly inOrder: boolean
}

/** A construct that cannot be protected: `what` at `start`. */
export interface Unkept {
  readonly start: number
  readonly what: string
}

type Finder = (text: string) => Result.Result<ReadonlyArray<Found>, Unkept>

const byPattern = (pattern: RegExp, isInOrder: (text: string) => boolean): Finder => (text) =>
  Result.succeed(
    Array.from(text.matchAll(pattern), (match) => ({
      start: match.index,
      text: match[0],
      inOrder: isInOrder(match[0])
    }))
  )

/**
 * Finds conversions, including Apple's plural variables (`%#@count@`) and the named arguments of Ruby and Symfony, but none with a space flag, because
 * `100% discount` has no argument.
 */
const printf = byPattern(
  /(?<![\w%])%(?!(?:hh?|ll?|[Lqjzt])[a-zA-Z]%)[A-Za-z_][\w.-]*\w%(?![\w%$@(])|%(?:\d+\$)?#@\w+@|%\{\w+\}|%(?:\([^()%]+\)|<\w+>|\d+\$)?[-+0#']*(?:\*(?:\d+\$)?|[1-9]\d*)?(?:\.(?:\*(?:\d+\$)?|\d+))?(?:hh?|ll?|[Lqjzt])?[diouxXeEfFgGaAcCsSpr@]|%%/g,
  (text) => !/%$|^%(\(|\{|<|\d+\$|#@)/.test(text)
)

/** Scans, because a pattern would take quadratic time for unclosed braces. */
const mustache: Finder = (text) => {
  const found: Array<Found> = []
  const last = { two: text.lastIndexOf("}}"), three: text.lastIndexOf("}}}") }
  for (let start = text.indexOf("{{"); start !== -1;) {
    const isTriple = text.startsWith("{{{", start) && last.three >= start + 3
    const from = start + (isTriple ? 3 : 2)
    if (!isTriple && last.two < from) break
    const end = isTriple ? text.indexOf("}}}", from) + 3 : text.indexOf("}}", from) + 2
    const placeholder = text.slice(start, end)
    found.push({ start, text: placeholder, inOrder: edgeOf(placeholder) !== undefined })
    start = text.indexOf("{{", end)
  }
  return Result.succeed(found)
}

/** Whether a placeholder opens, continues or closes a section. `else` and the tilde are Handlebars syntax. */
export const edgeOf = (placeholder: string): "open" | "else" | "close" | undefined => {
  const [, sign] = /^\{\{~?\s*([#^/]|else\b)/.exec(placeholder) ?? []
  return sign === undefined ? undefined : sign === "/" ? "close" : sign === "else" ? "else" : "open"
}

/** The end of the quoted text at `start`; two apostrophes are a literal apostrophe. */
const endOfQuoted = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] !== "'") continue
    if (text[at + 1] !== "'") return at + 1
    at++
  }
  return text.length
}

/** The end of the argument at `start`, if closed. */
const endOfArgument = (text: string, start: number): number | undefined => {
  let depth = 0
  for (let at = start; at < text.length;) {
    const character = text[at]
    if (character === "'" && /^'[{}]/.test(text.slice(at, at + 2))) {
      at = endOfQuoted(text, at)
      continue
    }
    at++
    if (character === "{") depth++
    if (character === "}" && --depth === 0) return at
  }
  return undefined
}

const icu: Finder = (text) => {
  const found: Array<Found> = []
  for (let at = 0; at < text.length;) {
    const isQuoted = /^'[{}]/.test(text.slice(at, at + 2))
    if (!isQuoted && text[at] !== "{") {
      at += text.startsWith("''", at) ? 2 : 1
      continue
    }
    const end = isQuoted ? endOfQuoted(text, at) : endOfArgument(text, at)
    if (end === undefined) return Result.fail({ start: at, what: "an unclosed brace" })
    const whole = text.slice(at, end)
    const [, type] = /^\{[^{},]*,\s*(\w*)/.exec(whole) ?? []
    if (type !== undefined && /^(plural|select|selectordinal|choice)$/.test(type)) {
      return Result.fail({ start: at, what: `an argument of type ${type}, which contains texts` })
    }
    if (!isQuoted && whole.slice(1).includes("{")) return Result.fail({ start: at, what: "a brace within braces" })
    found.push({ start: at, text: whole, inOrder: false })
    at = end
  }
  return Result.succeed(found)
}

/** Matches fields, whose format may contain nested fields. */
const brace = byPattern(/\{\{|\}\}|\{(?:[^{}]|\{[^{}]*\})*\}/g, (text) => /^\{[!:}]/.test(text))

export const finders = { brace, icu, mustache, printf } satisfies Record<string, Finder>
