/** Makes a value with its first use, and returns the same from then on. */
export const once = <A extends object>(make: () => A): () => A => {
  let made: A | undefined
  return () => made ??= make()
}
