/** Path patterns: `*` matches part of a name, and `**` any folders. */

/** Splits a pattern into texts at even and wildcards at odd indexes; `**` includes its slash. */
const partsOf = (pattern: string): ReadonlyArray<string> => pattern.split(/((?<![^/])\*\*\/|\*+)/)

export const countStars = (pattern: string): number => (partsOf(pattern).length - 1) / 2

/** Returns a function that finds the end of a wildcard's next longer match. */
const stepsOf = (path: string) => {
  const folders: Array<number | undefined> = []
  for (let at = path.length - 1; at >= 0; at--) folders[at] = path[at] === "/" ? at + 1 : folders[at + 1]
  return (star: string, at: number): number | undefined =>
    star === "**/" ? folders[at] : at === path.length || star === "*" && path[at] === "/" ? undefined : at + 1
}

/**
 * The path piece that each wildcard of a pattern matches. Earlier wildcards match as much as possible. Empty for a path that does not match.
 */
export const starsOf = (pattern: string, path: string): ReadonlyArray<string> => {
  const parts = partsOf(pattern)
  const step = stepsOf(path)
  /** For each part, the offsets from which the part and all later parts match to the path's end. */
  const fits = [Array.from({ length: path.length + 1 }, (_, at) => at === path.length)]
  for (const [index, part] of [...parts.entries()].toReversed()) {
    const [after = []] = fits
    const own: Array<boolean> = []
    for (let at = path.length; at >= 0; at--) {
      own[at] = index % 2 === 0
        ? path.startsWith(part, at) && after[at + part.length] === true
        : after[at] === true || own[step(part, at) ?? -1] === true
    }
    fits.unshift(own)
  }
  if (fits[0]?.[0] !== true) return []
  const stars: Array<string> = []
  let from = 0
  for (const [index, part] of parts.entries()) {
    let end = from + (index % 2 === 0 ? part.length : 0)
    if (index % 2 === 1) {
      for (let at = step(part, from); at !== undefined; at = step(part, at)) {
        if (fits[index + 1]?.[at] === true) end = at
      }
      stars.push(path.slice(from, end).replace(/\/$/, ""))
    }
    from = end
  }
  return stars
}

export const isMatch = (pattern: string, path: string): boolean => pattern === path || starsOf(pattern, path).length > 0

/** Replaces a pattern's wildcards with path pieces. */
export const withStars = (pattern: string, stars: ReadonlyArray<string>): string =>
  partsOf(pattern).map((part, index) => {
    const piece = stars[(index - 1) / 2] ?? ""
    return index % 2 === 0 ? part : part === "**/" && piece !== "" ? `${piece}/` : piece
  }).join("").replace(/\/{2,}/g, "/")
