/** The plural categories of languages. */

/** All plural categories of CLDR. */
export const categories = ["zero", "one", "two", "few", "many", "other"]

/** The plural categories of a language (CLDR). */
export const categoriesOf = (language: string, type: Intl.PluralRuleType = "cardinal"): ReadonlyArray<string> =>
  new Intl.PluralRules(language, { type }).resolvedOptions().pluralCategories

/** Whole numbers that have all plurals of a language but those of millions and fractions, which many files leave to `other`. */
export const numbers = Array.from({ length: 201 }, (_, number) => number)

/** The whole numbers of each category of a language. */
export type Numbers = (category: string) => ReadonlyArray<number>

/** The whole numbers that each category of a language stands for. */
export const numbersOf = (language: string, type: Intl.PluralRuleType = "cardinal"): Numbers => {
  const rules = new Intl.PluralRules(language, { type })
  const found = Map.groupBy(numbers, (number): string => rules.select(number))
  // Each language uses `zero` for 0 if it is there.
  return (category) => found.get(category) ?? (category === "zero" ? [0] : [])
}

/** Whether the form for 1 also stands for numbers such as 21, so that it needs the number. */
export const needsNumber = (category: string, numbersOf: Numbers): boolean =>
  category === "one" && numbersOf(category).some((number) => number > 1)
