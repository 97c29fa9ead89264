/** Options may hold `undefined` where a body must leave the key out. */

/** The same object type with `undefined` allowed for optional keys. */
export type Optional<A> = {
  readonly [K in keyof A]: {} extends Pick<A, K> ? A[K] | undefined : A[K]
}

/** Leaves out the keys that are `undefined`. */
export const defined = <A extends object>(options: Optional<A>): A => {
  const kept = { ...options }
  for (const key in kept) {
    if (kept[key] === undefined) delete kept[key]
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only optional keys can be undefined
  return kept as A
}
