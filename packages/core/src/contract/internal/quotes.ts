/** Removes a request's texts from messages of the service. */

/** Request fields whose texts are removed. */
const textField = /^(text|context|custom_instructions|prompt|entries|source|target)$/

/** Minimum UTF-8 bytes of letters and digits in a removed text: many messages contain a text such as `de` by chance. */
const shortestText = 6

/** Minimum letters and digits of a removed part of a text. */
const shortestPart = 16

/** Names such as `formality` are not removed, because messages about options contain names. */
const name = /^[a-z]+(_[a-z]+)*$/i

/** Fast path: a name or trace id is returned without reading the request. */
const plain = /^(?:[a-z_]+|[\da-f-]{32,36})$/i

/** Maximum characters read from a message, twice the characters shown. */
const longestMessage = 600

/** Escapes of JSON, JavaScript, URLs and HTML. */
const escape =
  /\\{1,8}(?:u(?:\{([\da-f]{1,6})\}|(000[01][\da-f]{4}|[\da-f]{4}))|[bfnrt])|((?:(?:%(?:25){0,3}|\\{1,4}x)[\da-f]{2})+)|&(?:amp;){0,3}(?:#x([\da-f]{1,6});?|#(\d{1,7});?|(sz|[a-z])(?:acute|cedil|circ|grave|lig|ring|tilde|uml);|[a-z]{2,8};)/gi
const unit = new RegExp(`${escape.source}|\\.{3}|[^]\\p{M}*`, "giu")

const unescaped = (
  _: string,
  braced?: string,
  json?: string,
  bytes?: string,
  hex?: string,
  decimal?: string,
  letter?: string
): string => {
  if (letter !== undefined) return letter.replace("sz", "ss")
  const digits = bytes?.replace(/\\+x/g, "%").replace(/%(?:25)+(?=[\da-f]{2})/gi, "%") ?? ""
  try {
    return bytes === undefined
      ? String.fromCodePoint(Number(decimal ?? Number.parseInt(braced ?? json ?? hex ?? "20", 16)))
      : decodeURIComponent(digits)
  } catch {
    // JavaScript's `\x` escapes are Latin-1, not UTF-8.
    return digits.replace(/%(..)/g, (_, byte: string) => String.fromCodePoint(Number.parseInt(byte, 16)))
  }
}

/** Returns letters and digits without case and accents, so that a text equals its quotations. Keeps the separators of lines and cells. */
const lettersOf = (text: string): string =>
  text.normalize("NFKD").toUpperCase().toLowerCase().replaceAll("ς", "σ").replace(/[^\p{L}\p{N}\t\r\n]+/gu, "")

const encoder = new TextEncoder()

const isLong = (line: string): boolean => encoder.encode(line).length >= shortestText

const textsOf = (body: Uint8Array): ReadonlyArray<string> => {
  const texts: Array<string> = []
  const visit = (value: unknown, isText: boolean): void => {
    if (typeof value === "string" && isText) texts.push(value)
    if (typeof value !== "object" || value === null) return
    for (const [key, below] of Object.entries(value)) visit(below, isText || textField.test(key))
  }
  try {
    visit(JSON.parse(new TextDecoder().decode(body)), false)
  } catch {
    // The body is not JSON, or is nested too deep.
  }
  return texts
}

export const remover = (body: Uint8Array, withoutMarkup: (text: string) => string): (text: string) => string => {
  const sent = textsOf(body)
  // A message may quote a single line or glossary cell.
  const forms = sent.flatMap((text) => [text, withoutMarkup(text), text.replace(escape, unescaped)])
  const letters = [...new Set(forms)].map((text) => lettersOf(text).split(/[\t\r\n]+/))
  const lines = letters.flat()
  const whole = letters.map((lines) => lines.join("")).join("\n")
  return (text) => {
    if (plain.test(text)) return text
    const message = text.slice(0, longestMessage)
    const cuts: Array<number> = []
    const units: Array<{ readonly letter: string; readonly start: number; readonly end: number }> = []
    for (const { 0: part, index: start } of message.matchAll(unit)) {
      const text = part.replace(escape, unescaped)
      if (text === "…" || /^(?:\.{3}|&hellip;)$/.test(part)) cuts.push(units.length)
      for (const letter of lettersOf(text).trim().split("")) units.push({ letter, start, end: start + part.length })
    }
    const letters = units.map(({ letter }) => letter).join("")
    let marked = letters
    const mark = (start: number, length: number) => {
      marked = marked.slice(0, start) + "\0".repeat(length) + marked.slice(start + length)
    }
    for (const line of lines) {
      for (let at = letters.indexOf(line); at !== -1 && isLong(line); at = letters.indexOf(line, at + 1)) {
        mark(at, line.length)
      }
    }
    for (let at = 0; at + shortestPart <= letters.length; at++) {
      if (whole.includes(letters.slice(at, at + shortestPart))) mark(at, shortestPart)
    }
    // Quoted parts next to an ellipsis may be shorter.
    for (let length = 1; length < shortestPart; length++) {
      for (const at of cuts.flatMap((cut) => [Math.max(0, cut - length), cut])) {
        const part = letters.slice(at, at + length)
        if (isLong(part) && whole.includes(part)) mark(at, part.length)
      }
    }
    // Replaces from the end, so that earlier indices stay valid.
    return Array.from(marked.matchAll(/\0+/g)).reduceRight((rest, { 0: { length }, index }) => {
      const [start, end] = [units[index]?.start, units[index + length - 1]?.end]
      return name.test(rest.slice(start, end)) ? rest : `${rest.slice(0, start)}[redacted]${rest.slice(end)}`
    }, message)
  }
}
