/** The scale of long tests: a sample by default, everything with `TESTS=full`, as in CI at night. */

// @effect-diagnostics-next-line processEnv:off -- read once, before any program runs
export const isFull = process.env["TESTS"] === "full"

/** A number of runs, calls or texts: the first for a sample, the second for everything. */
export const scaled = (sample: number, full: number): number => isFull ? full : sample

/** So many of the items, evenly spread; all of them for everything. */
export const sampled = <A>(items: ReadonlyArray<A>, count: number): ReadonlyArray<A> =>
  isFull
    ? items
    : items.filter((_, index) =>
      Math.floor(index * count / items.length) !== Math.floor((index - 1) * count / items.length)
    )
