/** Counts Unicode code points. */
export const countCharacters = (text: string): number => {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** A language code with the case that BCP 47 recommends: `en`, `en-GB`, `zh-Hant`. */
export const canonicalCode = (code: string): string =>
  code.split("-").map((part, index) =>
    index === 0
      ? part.toLowerCase()
      : part.length === 4
      ? `${part.slice(0, 1).toUpperCase()}${part.slice(1).toLowerCase()}`
      : part.toUpperCase()
  ).join("-")

/** A language code without script and region: `en` for `en-GB`. */
export const rootOf = (code: string): string => code.split("-", 1).join("").toLowerCase()
