/** Plural categories of languages. */

/** True for two spellings of the same language, such as `pt_BR` and `pt-br`. */
export const isSame = (one: string, other: string): boolean =>
  one.replaceAll("_", "-").toLowerCase() === other.replaceAll("_", "-").toLowerCase()

export const categories = ["zero", "one", "two", "few", "many", "other"]

type OfLanguage<A> = (language: string, type?: Intl.PluralRuleType) => A

/** Caches results, because `Intl.PluralRules` is slow to create. */
const memoized = <A>(make: (rules: Intl.PluralRules) => A): OfLanguage<A> => {
  const made = new Map<string, A>()
  return (language, type = "cardinal") => {
    const found = made.get(language + type) ?? make(new Intl.PluralRules(language, { type }))
    made.set(language + type, found)
    return found
  }
}

export const categoriesOf: OfLanguage<ReadonlyArray<string>> = memoized((rules) =>
  rules.resolvedOptions().pluralCategories
)

/** Sample numbers for the plural categories. Omits millions and fractions, because many files leave these to `other`. */
export const numbers = Array.from({ length: 201 }, (_, number) => number)

export type Numbers = (category: string) => ReadonlyArray<number>

export const numbersOf: OfLanguage<Numbers> = memoized((rules) => {
  const found = Map.groupBy(numbers, (number): string => rules.select(number))
  // In languages without the category `zero`, a `zero` form applies to 0.
  return (category) => found.get(category) ?? (category === "zero" ? [0] : [])
})

export const categoriesByNumber: OfLanguage<ReadonlyArray<string>> = memoized((rules) =>
  numbers.map((number) => rules.select(number))
)

export const formCountOf = (language: string): number => new Set(categoriesByNumber(language)).size

/** True for the category `one` if it also covers numbers such as 21. */
export const needsNumber = (category: string, numbersOf: Numbers): boolean =>
  category === "one" && numbersOf(category).some((number) => number > 1)
