/** Plurals with one text for each CLDR plural category. */
import type { Syntax } from "@effect-lingua/core/texts/Placeholders"
import type { Unit } from "../Format.ts"
import { categories, categoriesOf, needsNumber, type Numbers, numbersOf } from "./categories.ts"
import * as Edits from "./edits.ts"
import { markupOf, placeholdersOf } from "./markup.ts"

const number =
  /^(?:\{\{-?\s*count\b.*|%[{<]count[}>].*|%\(\w*count\w*\)s|%(?:\d+\$|\([^()]*\))?[^%@(){}<>]*[diu]|\{\w*\})$/

/** The source text for a target's plural form: `own`, or `other` if `own` is missing or omits a required number. */
export const formOf = (
  category: string,
  own: string | undefined,
  other: string,
  file: Syntax,
  numbersOf: Numbers
): Pick<Unit, "text" | "alternatives"> => {
  const { syntax } = markupOf({ id: "", text: other }, { isXml: false, syntax: file })
  const [ownCount, otherCount] = [own ?? other, other].map((text) => placeholdersOf(text, syntax).length)
  const isWithout = (ownCount ?? 0) < (otherCount ?? 0)
  const text = own === undefined || isWithout && needsNumber(category, numbersOf) ? other : own
  const found = numbersOf(category).length === 1
    ? placeholdersOf(other, syntax).find(({ text }) => number.test(text))
    : undefined
  return {
    text,
    alternatives: [other, ...(found === undefined ? [] : [other.replace(found.text, ""), text.replace(found.text, "")])]
  }
}

type Node<D> = Edits.Node<D>

export interface Plural<D> {
  readonly prefix: string
  readonly type: Intl.PluralRuleType
  readonly forms: ReadonlyMap<string, Node<D>>
  readonly other: Node<D>
}

export type Find<D> = (container: Node<D>) => ReadonlyArray<Plural<D>>

/** The plural in a map whose keys are all plural categories. */
export const pluralOfMap = <D>(items: ReadonlyArray<Node<D>>): ReadonlyArray<Plural<D>> => {
  const forms = new Map(items.map((item) => [Edits.keyOf(item), item]))
  const other = forms.get("other")
  const isPlural = items.every((item) => item.items === undefined && categories.includes(Edits.keyOf(item)))
  return isPlural && other?.text !== undefined
    ? [{ prefix: other.id.replace(/other$/, ""), type: "cardinal", forms, other }]
    : []
}

/** The plural categories of a language, and `zero` if `forms` has it. */
export const neededOf = (
  language: string,
  { forms, type }: Pick<Plural<unknown>, "type"> & { readonly forms: ReadonlyMap<string, unknown> }
): ReadonlyArray<string> => {
  const own = categoriesOf(language, type)
  return forms.has("zero") && !own.includes("zero") ? ["zero", ...own] : own
}

export const withId = <D>(node: Node<D>, id: string): Node<D> => ({ ...node, id })

/** Excludes plural forms that a language does not use. With `isSource`, adds the missing forms. */
export const inLanguage = <D>(tree: Node<D>, find: Find<D>, language: string, isSource = false): Node<D> => {
  const unused = new Set<string>()
  const added = new Map<string, ReadonlyArray<Node<D>>>()
  for (const plural of find(tree)) {
    const { forms, other, prefix } = plural
    const needed = neededOf(language, plural)
    for (const category of forms.keys()) if (!needed.includes(category)) unused.add(prefix + category)
    const last = [...forms.values()].at(-1)?.id
    if (!isSource || last === undefined) continue
    const more = needed.filter((category) => !forms.has(category))
    added.set(last, more.map((category) => withId(other, prefix + category)))
  }
  return tree.items === undefined ? tree : {
    ...tree,
    items: tree.items.flatMap((item) => [
      unused.has(item.id) ? { ...item, text: undefined } : inLanguage(item, find, language, isSource),
      ...added.get(item.id) ?? []
    ])
  }
}

const pluralsIn = <D>(tree: Node<D>, find: Find<D>): ReadonlyArray<Plural<D>> => [
  ...find(tree),
  ...(tree.items ?? []).flatMap((item) => pluralsIn(item, find))
]

export const unitsOf = <D>(
  tree: Node<D>,
  find: Find<D>,
  language: string,
  syntax: Syntax,
  contextOf: (node: Node<D>) => string | undefined = () => undefined
): ReadonlyArray<Unit> => {
  const numbers = { cardinal: numbersOf(language), ordinal: numbersOf(language, "ordinal") }
  const forms = new Map(
    pluralsIn(tree, find).flatMap((plural) => {
      const { forms, other, prefix, type } = plural
      return neededOf(language, plural).map((category) =>
        [
          prefix + category,
          formOf(category, forms.get(category)?.text, other.text ?? "", syntax, numbers[type])
        ] as const
      )
    })
  )
  return Edits.unitsOf(
    inLanguage(tree, find, language, true),
    (node) => ({ context: contextOf(node), ...forms.get(node.id) })
  )
}

/**
 * Adds the translation of `other` for a target's plural forms that the language does not use, because tools with other plural rules show these
 * forms. A form that differs from `other` in an existing target stays.
 */
export const withUnused = <D>(
  source: Node<D>,
  find: Find<D>,
  language: string,
  texts: ReadonlyMap<string, string>,
  target: Node<D>
): ReadonlyMap<string, string> => {
  const all = new Map(texts)
  const present = new Map(Edits.textsOf(target).map(({ id, text }) => [id, text]))
  for (const plural of pluralsIn(source, find)) {
    const { forms, prefix } = plural
    const needed = neededOf(language, plural)
    const other = texts.get(`${prefix}other`)
    for (const category of forms.keys()) {
      const id = prefix + category
      const own = present.get(id)
      const follows = own !== undefined && (target === source || own === present.get(`${prefix}other`))
      if (!needed.includes(category) && other !== undefined && follows && own !== other) all.set(id, other)
    }
  }
  return all
}
