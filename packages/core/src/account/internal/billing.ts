/** Estimates of the characters that the service counts. */
import { countCharacters } from "../../errors/internal/checks.ts"

/** The characters of texts. Tags are free with `tagHandling`. */
export const ofTexts = (texts: ReadonlyArray<string>, tagHandling: string | undefined): number =>
  texts.reduce(
    (sum, text) => sum + countCharacters(tagHandling === undefined ? text : text.replace(/<[^<>]*>/g, "")),
    0
  )

/** The minimum count of office files. */
const office = new Set(["docx", "doc", "pptx", "xlsx", "pdf"])
const officeMinimum = 50_000

/** Types that are not counted, as they are beta. */
const images = new Set(["jpeg", "jpg", "png"])

/** Each code point has exactly one byte that is not a continuation byte. */
const countEncoded = (bytes: Uint8Array): number => {
  let count = 0
  for (const byte of bytes) {
    if ((byte & 0xc0) !== 0x80) count++
  }
  return count
}

/** The characters of a file, from its bytes or their number. */
export const ofFile = (fileName: string, content: Uint8Array | number): number => {
  const extension = /\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase() ?? ""
  return office.has(extension)
    ? officeMinimum
    : images.has(extension)
    ? 0
    : typeof content === "number"
    ? content
    : countEncoded(content)
}
