/** Removes texts of a request from a message of the service that quotes them. */

/** The fields of requests that have texts. Messages need the values of the other fields. */
const textField = /^(text|context|custom_instructions|prompt|entries|source_text|target_text)$/

/** The least bytes in the letters and digits of a removed text: shorter ones, such as `de`, are in too many messages. */
const shortestText = 6

/** The least letters and digits of a removed part of a text. */
const shortestPart = 16

/** A name such as `formality` stays: a message about an option would be useless without it. */
const name = /^[a-z]+(_[a-z]+)*$/i

/** A name or the id of a trace: the fast path of successes, for which the request is not read. */
const plain = /^(?:[a-z_]+|[\da-f-]{32,36})$/i

/** The characters of a message that are read, twice those that are shown. */
const longestMessage = 600

/** Escapes of JSON, addresses and HTML. */
const escape =
  /\\{1,8}(?:u(?:\{([\da-f]{1,6})\}|([\da-f]{4}))|[bfnrt])|((?:%(?:25){0,3}[\da-f]{2})+)|&(?:amp;){0,3}(?:#x([\da-f]{1,6});?|#(\d{1,7});?|[a-z]{2,8};)/gi
const unit = new RegExp(`${escape.source}|[^]`, "giu")

const unescaped = (
  _: string,
  braced?: string,
  json?: string,
  bytes?: string,
  hex?: string,
  decimal?: string
): string => {
  try {
    return bytes === undefined
      ? String.fromCodePoint(Number(decimal ?? Number.parseInt(braced ?? json ?? hex ?? "20", 16)))
      : decodeURIComponent(bytes.replace(/%(25)+/g, "%"))
  } catch {
    return ""
  }
}

/** The letters and digits of a text, which are the same in all forms in which it is quoted. Lines and cells stay divided. */
const lettersOf = (text: string): string =>
  text.replace(escape, unescaped).toLowerCase().replaceAll("ς", "σ").replace(/[^\p{L}\p{N}\t\r\n]+/gu, "")

const encoder = new TextEncoder()

const isLong = (line: string): boolean => encoder.encode(line).length >= shortestText

/** The texts of a body of JSON. */
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
    // Bytes of another format, or JSON of a caller that is too deep.
  }
  return texts
}

/** Makes the function that removes the texts of a request from a message. */
export const remover = (body: Uint8Array, withoutMarkup: (text: string) => string): (text: string) => string => {
  const sent = textsOf(body)
  // A line, and a cell of a glossary, can be quoted alone.
  const lines = [...new Set(sent.concat(sent.map(withoutMarkup)))].flatMap((text) => lettersOf(text).split(/[\t\r\n]+/))
  const whole = lines.join("")
  return (text) => {
    if (plain.test(text)) return text
    const message = text.slice(0, longestMessage)
    const units = Array.from(message.matchAll(unit)).flatMap(({ 0: part, index: start }) =>
      lettersOf(part).trim().split("").map((letter) => ({ letter, start, end: start + part.length }))
    )
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
    // From the last one on, so that the places of the others stay.
    return Array.from(marked.matchAll(/\0+/g)).reduceRight((rest, { 0: { length }, index }) => {
      const [start, end] = [units[index]?.start, units[index + length - 1]?.end]
      return name.test(rest.slice(start, end)) ? rest : `${rest.slice(0, start)}[redacted]${rest.slice(end)}`
    }, message)
  }
}
