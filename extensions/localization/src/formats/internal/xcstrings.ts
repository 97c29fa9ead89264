/** Apple string catalogs (`.xcstrings`), which contain all languages. */
import type { Format, Unit } from "../Format.ts"
import { numbersOf } from "./categories.ts"
import { idOf, keyOf } from "./edits.ts"
import { type Node, printed, removable, treeOf } from "./json.ts"
import { formOf, neededOf } from "./plurals.ts"

const childOf = (node: Node | undefined, ...path: ReadonlyArray<string>): Node | undefined =>
  path.reduce((found, name) => found?.items?.find((item) => keyOf(item) === name), node)

const textOf = (node: Node | undefined, ...path: ReadonlyArray<string>): string | undefined =>
  childOf(node, ...path)?.text

/** A string's forms keyed by plural category, or one form with key `""`; `undefined` for device variations and substitutions. */
const formsOf = (string: Node, language: string): ReadonlyMap<string, Node> | undefined => {
  const localization = childOf(string, "localizations", language)
  const plural = childOf(localization, "variations", "plural")
  const unsupported = localization?.items?.find((item) =>
    keyOf(item) === "substitutions" || keyOf(item) === "variations" && plural === undefined
  )
  const isNested = plural?.items?.some((form) => childOf(form, "variations") !== undefined) ?? false
  if (unsupported !== undefined || isNested) return undefined
  return plural === undefined
    ? new Map(localization === undefined ? [] : [["", localization]])
    : new Map((plural.items ?? []).map((form) => [keyOf(form), form]))
}

const valueOf = (form: Node | undefined): string | undefined => textOf(form, "stringUnit", "value")

/** The strings to translate, with their forms. Omits a translated string if only one of source and target is plural. */
const stringsIn = (tree: Node, file: string, source: string, language: string, target = tree) => {
  const others = new Map(childOf(target, "strings")?.items?.map((string) => [string.id, string]))
  return (childOf(tree, "strings")?.items ?? []).flatMap((string) => {
    const { from, to } = childOf(string, "shouldTranslate")?.value ?? { from: 0, to: 0 }
    const isText = file.slice(from, to) !== "false" && keyOf(string).trim() !== "" &&
      textOf(string, "extractionState") !== "stale"
    const forms = formsOf(string, source)
    const present = formsOf(others.get(string.id) ?? string, language)
    if (!isText || forms === undefined || present === undefined) return []
    const isPlural = valueOf(forms.get("other")) !== undefined
    const isDraft = [...present.values()].every((form) => textOf(form, "stringUnit", "state") !== "translated")
    return !isDraft && present.has("") === isPlural ? [] : [{ string, forms, present, isPlural }]
  })
}

const unitId = (string: Node, category: string): string =>
  idOf(category === "" ? [keyOf(string)] : [keyOf(string), category])

const pathOf = (string: Node, language: string, category: string): ReadonlyArray<string> => [
  "strings",
  keyOf(string),
  "localizations",
  language,
  ...(category === "" ? [] : ["variations", "plural", category]),
  "stringUnit"
]

const { compare } = new Intl.Collator("en")

/** New texts, in Xcode's order among the file's items. */
const nodeOf = (values: ReadonlyArray<ReadonlyArray<string>>, file?: Node, path: ReadonlyArray<string> = []): Node => {
  const range = { from: 0, to: 0 }
  const byName = Map.groupBy(values.filter((value) => value.length > path.length), (value) => value[path.length] ?? "")
  const own = { ...range, id: idOf(path), value: range, data: range }
  if (byName.size === 0) return { ...own, text: "" }
  const found = new Map(file?.items?.flatMap((item) => item.text === "" ? [] : [[keyOf(item), item] as const]))
  const all = path.length < 2 ? [...byName.keys()] : [...new Set([...byName.keys(), ...found.keys()])].toSorted(compare)
  const itemOf = (name: string) => nodeOf(byName.get(name) ?? [], found.get(name), [...path, name])
  return { ...own, text: undefined, items: all.map(itemOf) }
}

const withRemovable = (node: Node, ids: ReadonlySet<string>): Node =>
  ids.has(node.id) ? removable(node) : { ...node, items: node.items?.map((item) => withRemovable(item, ids)) }

export const xcstrings: Format = {
  parse: (text, language) => {
    const tree = treeOf(text)
    const source = textOf(tree, "sourceLanguage") ?? language
    const wantedIn = (target: string, before: Node) => {
      const numbers = numbersOf(target)
      return stringsIn(tree, text, source, target, before).flatMap(({ forms, isPlural, string }) => {
        const context = textOf(string, "comment")
        const unitOf = (category: string, rest: Pick<Unit, "text" | "alternatives">) => ({
          string,
          category,
          unit: { id: unitId(string, category), offset: string.value.from, context, ...rest }
        })
        if (!isPlural) return [unitOf("", { text: valueOf(forms.get("")) ?? keyOf(string) })]
        return neededOf(target, { forms, type: "cardinal" }).map((category) => {
          const [own, other = ""] = [category, "other"].map((one) => valueOf(forms.get(one)))
          return unitOf(category, formOf(category, own, other, "printf", numbers))
        })
      })
    }
    const own = new Set(stringsIn(tree, text, source, source).map(({ string }) => string))
    return {
      placeholders: "printf",
      others: (childOf(tree, "strings")?.items ?? []).flatMap((string) => own.has(string) ? [] : unitId(string, "")),
      units: (target, before) =>
        wantedIn(target, before === undefined || before === text ? tree : treeOf(before)).map(({ unit }) => unit),
      print: (target, texts, before, removed = new Set()) => {
        const file = before ?? text
        const root = before === undefined ? tree : treeOf(before)
        const wanted = wantedIn(target, root)
        const values = wanted.flatMap(({ category, string, unit }) => {
          const value = texts.get(unit.id)
          const path = pathOf(string, target, category)
          const state = [path.concat("state"), "translated"] as const
          return value === undefined ? [] : [state, [path.concat("value"), value] as const]
        })
        const all = new Map(values.map(([path, value]) => [idOf(path), value]))
        const drafts = wanted.flatMap(({ category, string, unit }) => {
          const name = category === "" ? "variations" : "stringUnit"
          return texts.has(unit.id) ? [idOf([...pathOf(string, target, "").slice(0, -1), name])] : []
        })
        const others = childOf(root, "strings")?.items?.flatMap((string) => {
          const categories = [...formsOf(string, target)?.keys() ?? []]
          const isOurs = categories.length > 0 && categories.every((category) => removed.has(unitId(string, category)))
          return isOurs ? string.id : []
        }) ?? []
        const replaced = new Set([...drafts, ...others])
        const kept = withRemovable(root, replaced)
        return printed(file, kept, text, nodeOf(values.map(([path]) => path), kept), all, replaced)
      }
    }
  },
  read: (text, language) => {
    const tree = treeOf(text)
    const source = textOf(tree, "sourceLanguage") ?? language
    const found = stringsIn(tree, text, source, language).flatMap(({ present, string }) =>
      [...present].flatMap(([category, form]) => {
        const value = childOf(form, "stringUnit", "value")
        return value?.text === undefined || textOf(form, "stringUnit", "state") !== "translated"
          ? []
          : [[unitId(string, category), { text: value.text, offset: value.value.from }] as const]
      })
    )
    return new Map(found)
  }
}
