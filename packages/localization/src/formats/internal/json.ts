/** JSON of strings, nested or flat, with the plurals of i18next; and ARB, whose plurals are those of ICU. */
import * as Json from "jsonc-parser"
import { type Entry, type Format, Malformed, type Unit } from "../Format.ts"
import { applyEdits, categories, categoriesOf, checkUnique, type Edit, idOf, positionOf, spaceBefore } from "./edits.ts"

/** A string of the file, and the property that it is the value of. */
interface Leaf {
  readonly path: ReadonlyArray<string | number>
  readonly node: Json.Node
  readonly text: string
}

const treeOf = (text: string): Json.Node => {
  const errors: Array<Json.ParseError> = []
  const root = Json.parseTree(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first !== undefined || root === undefined) {
    const what = first === undefined ? "it is empty" : Json.printParseErrorCode(first.error)
    throw new Malformed({ message: `${positionOf(text, first?.offset ?? 0)}: ${what}` })
  }
  return root
}

const leavesOf = (node: Json.Node, path: ReadonlyArray<string | number> = []): ReadonlyArray<Leaf> => {
  if (node.type === "string") return [{ path, node, text: String(node.value) }]
  if (node.type === "array") return (node.children ?? []).flatMap((child, index) => leavesOf(child, [...path, index]))
  if (node.type !== "object") return []
  return (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key === undefined || value === undefined ? [] : leavesOf(value, [...path, String(key.value)])
  )
}

/** The strings of a file, each of which has its own path. */
const stringsOf = (text: string): ReadonlyArray<Leaf> => {
  const leaves = leavesOf(treeOf(text))
  checkUnique(
    text,
    leaves.map(({ node, path }) => {
      const id = idOf(path)
      return { id, name: id, offset: (node.parent ?? node).offset }
    })
  )
  return leaves
}

/** Prints a text, as it is spelled in the present file if it is the same there. */
const printerOf = (before: string | undefined) => {
  const present = new Map(before === undefined ? [] : stringsOf(before).map((leaf) => [idOf(leaf.path), leaf]))
  return (id: string, text: string): string => {
    const found = present.get(id)
    return found?.text === text && before !== undefined
      ? before.slice(found.node.offset, found.node.offset + found.node.length)
      : JSON.stringify(text)
  }
}

const pluralKey = new RegExp(`^(?<base>.*)_(?<category>${categories.join("|")})$`, "s")

/** Plurals of i18next by the id of their `other`: `item_one`, `item_other`. */
const pluralsOf = (leaves: ReadonlyArray<Leaf>) => {
  const groups = new Map<string, { readonly other: Leaf; readonly forms: Map<string, Leaf> }>()
  const baseOf = ({ path }: Leaf): readonly [id: string, category: string] | undefined => {
    const found = pluralKey.exec(String(path.at(-1)))?.groups
    return found === undefined
      ? undefined
      : [idOf([...path.slice(0, -1), found["base"] ?? ""]), found["category"] ?? ""]
  }
  for (const leaf of leaves) {
    const found = baseOf(leaf)
    if (found?.[1] === "other") groups.set(found[0], { other: leaf, forms: new Map() })
  }
  for (const leaf of leaves) {
    const found = baseOf(leaf)
    if (found !== undefined) groups.get(found[0])?.forms.set(found[1], leaf)
  }
  return groups
}

/** The categories of a plural, whose ordinals have a key of their own: `place_ordinal_other`. */
const categoriesIn = (language: string, base: string) =>
  categoriesOf(language, base.endsWith("_ordinal") ? "ordinal" : "cardinal")

const propertyOf = ({ node }: Leaf): Json.Node => node.parent ?? node

const parse = (text: string) => {
  const leaves = stringsOf(text)
  const groups = pluralsOf(leaves)
  const inGroup = new Set([...groups.values()].flatMap(({ forms }) => Array.from(forms.values())))
  const single = leaves.filter((leaf) => !inGroup.has(leaf))
  return {
    placeholders: "mustache" as const,
    units: (language: string): ReadonlyArray<Unit> => {
      const plurals = [...groups].flatMap(([base, { forms, other }]) =>
        categoriesIn(language, base).map((category) => ({
          id: `${base}_${category}`,
          text: forms.get(category)?.text ?? other.text,
          offset: (forms.get(category) ?? other).node.offset
        }))
      )
      return single.map(({ node: { offset }, path, text }) => ({ id: idOf(path), text, offset })).concat(plurals)
    },
    print: (language: string, texts: ReadonlyMap<string, string>, before?: string): string => {
      const edits: Array<Edit> = []
      const printed = printerOf(before)
      const replace = ({ node, path, text }: Leaf, value: string): void => {
        // A text that stays keeps its spelling.
        if (value === text && before === undefined) return
        edits.push({ from: node.offset, to: node.offset + node.length, text: printed(idOf(path), value) })
      }
      for (const leaf of single) {
        const found = texts.get(idOf(leaf.path))
        if (found !== undefined) replace(leaf, found)
      }
      for (const [base, { forms, other }] of groups) {
        const textOf = (category: string) => texts.get(`${base}_${category}`)
        // A category that the language does not have is never used; it says what `other` says.
        for (const [category, leaf] of forms) replace(leaf, textOf(category) ?? textOf("other") ?? leaf.text)
        const property = propertyOf(other)
        const name = String(other.path.at(-1)).replace(/other$/, "")
        // The line break and indentation before the property, or the space between two on a line.
        const gap = spaceBefore(text, property.offset)
        const more = categoriesIn(language, base).filter((category) => !forms.has(category)).map((category) =>
          `,${gap}${JSON.stringify(name + category)}: ${JSON.stringify(textOf(category) ?? other.text)}`
        )
        const end = property.offset + property.length
        if (more.length > 0) edits.push({ from: end, to: end, text: more.join("") })
      }
      return applyEdits(text, edits)
    }
  }
}

const entriesOf = (leaves: ReadonlyArray<Leaf>): ReadonlyMap<string, Entry> =>
  new Map(leaves.map(({ node: { offset }, path, text }) => [idOf(path), { text, offset }]))

/** JSON. */
export const json: Format = { parse, read: (text) => entriesOf(stringsOf(text)) }

/** Keys with `@` describe others. */
const isAbout = ({ path: [first] }: Leaf): boolean => String(first).startsWith("@")

/** ARB, the format of Flutter. */
export const arb: Format = {
  parse: (text) => {
    const leaves = stringsOf(text)
    const texts = leaves.filter((leaf) => !isAbout(leaf))
    const about = new Map(leaves.map(({ path, text }) => [idOf(path), text]))
    return {
      placeholders: "icu",
      units: () =>
        texts.map(({ node: { offset }, path, text }) => ({
          id: idOf(path),
          text,
          offset,
          context: about.get(`@${idOf(path)}/description`)
        })),
      print: (language, translated, before) => {
        const printed = printerOf(before)
        return applyEdits(
          text,
          leaves.flatMap(({ node, path, text }) => {
            const value = path.length === 1 && path[0] === "@@locale"
              ? language.replaceAll("-", "_")
              : translated.get(idOf(path))
            return value === undefined || value === text || String(path[0]).startsWith("@") && path[0] !== "@@locale"
              ? []
              : [{ from: node.offset, to: node.offset + node.length, text: printed(idOf(path), value) }]
          })
        )
      }
    }
  },
  read: (text) => entriesOf(stringsOf(text).filter((leaf) => !isAbout(leaf)))
}
