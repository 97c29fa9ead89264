/** Languages and their plural categories. */

/** True for two spellings of a language, such as `pt_BR` and `pt-br`. */
export const isSame = (one: string, other: string): boolean =>
  one.replaceAll("_", "-").toLowerCase() === other.replaceAll("_", "-").toLowerCase()

export const categories = ["zero", "one", "two", "few", "many", "other"]

export const categoriesOf = (language: string, type: Intl.PluralRuleType = "cardinal"): ReadonlyArray<string> =>
  new Intl.PluralRules(language, { type }).resolvedOptions().pluralCategories

/** Samples with all plurals except of millions and fractions, which many files leave to `other`. */
export const numbers = Array.from({ length: 201 }, (_, number) => number)

export type Numbers = (category: string) => ReadonlyArray<number>

/** The sample numbers of each category. */
export const numbersOf = (language: string, type: Intl.PluralRuleType = "cardinal"): Numbers => {
  const rules = new Intl.PluralRules(language, { type })
  const found = Map.groupBy(numbers, (number): string => rules.select(number))
  // Every language uses a present `zero` for 0.
  return (category) => found.get(category) ?? (category === "zero" ? [0] : [])
}

/** True if the form for 1 also covers numbers such as 21. */
export const needsNumber = (category: string, numbersOf: Numbers): boolean =>
  category === "one" && numbersOf(category).some((number) => number > 1)
