/** Rules for glossary terms and spoken terms. */
import { typeOf, utf8Length } from "./checks.ts"

/** Maximum number of reported problems, because a file in another format can have millions. */
export const keptProblems = 100

const control = /[\p{Cc}\u2028\u2029]/u

/** The first problem of a term, and its offset. `allowed` is in bytes. */
export const fault = (
  text: string,
  allowed = Number.POSITIVE_INFINITY
): readonly [reason: string, offset: number] | undefined => {
  if (typeof text !== "string") return [`is ${typeOf(text)}, not a text`, 0]
  if (text === "") return ["is empty", 0]
  const found = control.exec(text)
  if (found !== null) {
    const code = (found[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")
    return [`has a tab, a line break or another control character (U+${code})`, found.index]
  }
  if (text.trim() !== text) return ["begins or ends with white space", 0]
  if (!text.isWellFormed()) return ["has an unpaired surrogate, which UTF-8 cannot encode", 0]
  // Short texts are not counted: a UTF-16 unit takes at most three bytes in UTF-8.
  const bytes = 3 * text.length <= allowed ? 0 : utf8Length(text)
  return bytes > allowed ? [`has ${bytes} bytes in UTF-8, allowed are ${allowed}`, 0] : undefined
}
