import type { Format } from "../../src/formats/Format.ts"

export const lines = (...all: ReadonlyArray<string>) => all.map((line) => `${line}\n`).join("")

export const textsOf = (format: Format, text: string, language = "de") =>
  Object.fromEntries([...format.read(text, language)].map(([id, { text }]) => [id, text]))

/** The target after a run that translates the chosen texts, keeps all others, and wrote what the source lacks. */
export const run = (
  format: Format,
  source: string,
  before: string | undefined,
  texts: Readonly<Record<string, string>> = {},
  language = "de"
): string => {
  const parsed = format.parse(source, "en")
  const present = before === undefined ? {} : textsOf(format, before, language)
  const ids = new Set(parsed.units(language, before).map(({ id }) => id))
  const all = Object.entries({ ...present, ...texts })
  const removed = Object.keys(present).filter((id) => !ids.has(id))
  return parsed.print(language, new Map(all.filter(([id]) => ids.has(id))), before, new Set(removed))
}
