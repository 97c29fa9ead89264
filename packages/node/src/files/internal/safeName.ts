/** File names suggested by a service or a user, made safe: they cannot leave their folder on any system. */

/** Names that Windows opens as a device, with any extension. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?=\.|$)/i

/** The longest name that leaves room for a number or the marks of a temporary file. */
const maxBytes = 255 - 25

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** The first characters of a text that fit into so many bytes of UTF-8. */
const cut = (text: string, bytes: number): string => {
  let left = bytes
  let kept = ""
  for (const char of text) {
    left -= bytesOf(char)
    if (left < 0) break
    kept += char
  }
  return kept
}

/** Splits a name into stem and extension. An extension is short: a longer last part belongs to the stem. */
export const split = (name: string): readonly [stem: string, extension: string] => {
  const [, stem = name, extension = ""] = /^(.+?)(\.[^.\s]{1,16})$/u.exec(name) ?? []
  return [stem, extension]
}

/**
 * The last segment of a name without characters of special meaning for a file system or a terminal: control characters,
 * characters that change the direction of text or that Windows forbids, dots and spaces at the ends. `undefined` if nothing remains.
 */
export const safeName = (name: string): string | undefined => {
  const base = (name.split(/[/\\]/).at(-1) ?? "")
    .replace(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, "")
    .replace(/[<>:"|?*]/g, "_")
    .replace(/^[.\s]+|(?<![.\s])[.\s]+$/g, "")
  if (base === "") return undefined
  const own = base.replace(device, "$1_")
  const [stem, extension] = split(own)
  return bytesOf(own) <= maxBytes ? own : cut(stem, maxBytes - bytesOf(extension)).trimEnd() + extension
}

/** The names to try in order: the name itself, then numbered ones. */
export const numbered = (name: string, number: number): string => {
  const [stem, extension] = split(name)
  return number === 0 ? name : `${stem} (${number})${extension}`
}

/** The name of the hidden temporary file for a name, within the length limit of file systems. */
export const partName = (name: string, mark: string): string => `.${cut(name, 192)}.${mark}.part`
