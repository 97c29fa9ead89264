/** JSON files with i18next plurals, and ARB files with ICU plurals. */
import * as Json from "jsonc-parser"
import { type Format, Malformed } from "../Format.ts"
import { categories } from "./categories.ts"
import * as Edits from "./edits.ts"
import { syntaxOfTexts } from "./markup.ts"
import { type Find, inLanguage, type Plural, pluralOfMap, unitsOf, withUnused } from "./plurals.ts"

export type Node = Edits.Node<Edits.Range | undefined>

const rangeOf = ({ length, offset }: Json.Node): Edits.Range => ({ from: offset, to: offset + length })

const nodeOf = (
  text: string,
  json: Json.Node,
  path: ReadonlyArray<string | number> = [],
  own: Edits.Range & Pick<Node, "comma" | "data"> = { ...rangeOf(json), comma: undefined, data: undefined }
): Node => {
  let from = json.offset + 1
  const itemOf = (child: Json.Node, index: number): ReadonlyArray<Node> => {
    const [key, value] = child.type === "property" ? child.children ?? [] : [undefined, child]
    if (value === undefined) return []
    const { comma, to } = Edits.ending(text, rangeOf(value))
    const data = key === undefined ? undefined : rangeOf(key)
    const item = nodeOf(text, value, [...path, String(key?.value ?? index)], { from, to, comma, data })
    from = to
    return [item]
  }
  return {
    ...own,
    id: Edits.idOf(path),
    value: rangeOf(json),
    text: json.type === "string" ? String(json.value) : undefined,
    items: json.type === "object" || json.type === "array" ? (json.children ?? []).flatMap(itemOf) : undefined,
    isList: json.type === "array",
    hasCommas: true
  }
}

export const treeOf = (file: string): Node => {
  const text = Edits.withoutMark(file)
  const errors: Array<Json.ParseError> = []
  const root = Json.parseTree(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first !== undefined || root === undefined) {
    const what = first === undefined ? "it is empty" : Json.printParseErrorCode(first.error)
    throw Edits.malformed(text, first?.offset ?? 0, what)
  }
  return Edits.checked(text, nodeOf(text, root), ({ data, value }) => data ?? value)
}

const spellingOf = (
  file: string,
  root: Node,
  source: string,
  texts: ReadonlyMap<string, string>
): Edits.Spelling<Edits.Range | undefined> => {
  const lineAt = Edits.linesOf(file)
  const [first] = root.items ?? []
  const colon = first?.data === undefined ? ": " : file.slice(first.data.to, first.value.from)
  const unit = /\n([ \t]+)/.exec(file.slice(root.value.from))?.[1] ?? "  "
  const spaceOf = ({ from }: Node) => /^\s*/.exec(file.slice(from, from + 1000))?.[0] ?? ""
  const newLine = ({ value: { from } }: Node): string =>
    Edits.lineEndOf(file) + (/^[ \t]*/.exec(file.slice(lineAt(from).start, from))?.[0] ?? "")
  /** White space before a new item, copied from its neighbour. */
  const gapOf = (container: Node, previous: Node | undefined): string => {
    const like = Edits.neighbourOf(container, previous)
    return like === undefined ? newLine(container) + unit : spaceOf(like)
  }
  const valueOf = (node: Node, gap: string): string | undefined => {
    const { from, to } = node.value
    if (node.items === undefined) {
      if (node.text === undefined) return source.slice(from, to)
      const text = texts.get(node.id)
      return text === undefined ? undefined : JSON.stringify(text)
    }
    const inner = gap.includes("\n") ? gap + unit : gap
    const parts = Edits.printedItems(node, (item) => itemOf(item, inner))
    const [open, close] = node.isList === true ? "[]" : "{}"
    return parts.length === 0 && node.items.length > 0
      ? undefined
      : `${open}${parts.join(",")}${parts.length === 0 ? "" : gap}${close}`
  }
  const itemOf = (node: Node, gap: string): string | undefined => {
    const value = valueOf(node, gap)
    if (value === undefined) return undefined
    if (node.data === undefined) return gap + value
    return `${gap}${JSON.stringify(Edits.keyOf(node))}${colon}${value}`
  }
  return {
    replaced: ({ value }, text) => [{ ...value, text: JSON.stringify(text) }],
    inserted: (node, container, previous) => Edits.hasText(node) ? itemOf(node, gapOf(container, previous)) : undefined,
    filled: (container, items) => {
      const [from, to] = [container.value.from + 1, container.value.to - 1]
      const isBlank = file.slice(from, to).trim() === ""
      return { from, to: isBlank ? to : from, text: items.join(",") + (isBlank ? newLine(container) : "") }
    }
  }
}

const checkRoot = (source: Node, before: string | undefined): void => {
  const root = before === undefined ? source : treeOf(before)
  if ((root.items === undefined) !== (source.items === undefined) || root.isList !== source.isList) {
    throw new Malformed({ message: "line 1, column 1: its root and its source's root are of different kinds" })
  }
}

export const printed = (
  file: string,
  root: Node,
  source: string,
  wanted: Node,
  texts: ReadonlyMap<string, string>,
  removed: ReadonlySet<string> = new Set()
) => Edits.applyEdits(file, Edits.merge(root, wanted, texts, removed, spellingOf(file, root, source, texts)))

const pluralKey = new RegExp(`^(?<prefix>.*_)(?<category>${categories.join("|")})$`, "s")

/** Finds plurals that are maps, and i18next plurals, such as `item_one` and `place_ordinal_other`. */
const pluralsOf: Find<Edits.Range | undefined> = ({ isList = false, items = [] }) => {
  if (isList) return []
  const map = items.length > 1 ? pluralOfMap(items) : []
  if (map.length > 0) return map
  const groups = new Map<string, Map<string, Node>>()
  const bare = new Set(items.map(({ id }) => `${id}_`))
  const beginnings = Map.groupBy(items, ({ id }) => id.slice(0, id.lastIndexOf("_") + 1))
  for (const item of items) {
    const { category = "", prefix = "" } = item.text === undefined ? {} : pluralKey.exec(item.id)?.groups ?? {}
    if (category !== "") groups.set(prefix, (groups.get(prefix) ?? new Map()).set(category, item))
  }
  return [...groups].flatMap(([prefix, forms]): ReadonlyArray<Plural<Edits.Range | undefined>> => {
    const other = forms.get("other")
    const type = prefix.endsWith("_ordinal_") ? "ordinal" : "cardinal"
    // `gender_other` next to `gender_male` is a plural only if its text contains the count.
    const isPlural = forms.size > 1 || /\{\{-?\s*count\b/.test(other?.text ?? "") ||
      !bare.has(prefix) && beginnings.get(prefix)?.length === 1
    return other === undefined || !isPlural ? [] : [{ prefix, type, forms, other }]
  })
}

const untranslated = (node: Node): Node => ({ ...node, text: undefined, items: node.items?.map(untranslated) })

export const removable = (node: Node): Node => ({ ...node, text: "", items: undefined })

/** True for a Chrome extension's `messages.json`. */
const isOfChrome = ({ items = [] }: Node): boolean =>
  items.length > 0 &&
  items.every(({ items = [] }) =>
    items.some((item) => Edits.keyOf(item) === "message" && item.text !== undefined) &&
    items.every((item) => /^(?:message|description|placeholders)$/.test(Edits.keyOf(item)))
  )

const withoutDescriptions = (tree: Node): Node =>
  isOfChrome(tree)
    ? {
      ...tree,
      items: tree.items?.map((message): Node => ({
        ...message,
        items: message.items?.map((item) => Edits.keyOf(item) === "message" ? item : untranslated(item))
      }))
    }
    : tree

export const json: Format = {
  parse: (text) => {
    const whole = treeOf(text)
    const tree = withoutDescriptions(whole)
    const syntax = syntaxOfTexts(Edits.textsOf(tree).map(({ text }) => text), "mustache")
    const descriptions = new Map(tree === whole ? [] : Edits.textsOf(whole).map(({ id, text }) => [id, text]))
    const contextOf = ({ id }: Node) => descriptions.get(id.replace(/message$/, "description"))
    return {
      placeholders: syntax,
      others: Edits.othersOf(whole),
      units: (language, before) => {
        checkRoot(tree, before)
        return unitsOf(tree, pluralsOf, language, syntax, contextOf)
      },
      print: (language, texts, before, removed) => {
        const [file, root] = before === undefined ? [text, tree] : [before, withoutDescriptions(treeOf(before))]
        const all = withUnused(tree, pluralsOf, language, texts, root)
        const wanted = inLanguage(tree, pluralsOf, language, true)
        return printed(file, inLanguage(root, pluralsOf, language), text, wanted, all, removed)
      }
    }
  },
  read: (text, language) => Edits.entriesOf(inLanguage(withoutDescriptions(treeOf(text)), pluralsOf, language))
}

/** Excludes ARB metadata: a key with `@` describes another key. */
const withoutAbout = (tree: Node): Node => ({
  ...tree,
  items: tree.items?.map((item) => item.id.startsWith("@") ? untranslated(item) : item)
})

export const arb: Format = {
  parse: (text) => {
    const tree = treeOf(text)
    const wanted = withoutAbout(tree)
    const about = new Map(Edits.textsOf(tree).map(({ id, text }) => [id, text]))
    return {
      placeholders: "icu",
      others: Edits.othersOf(tree),
      units: (_, before) => {
        checkRoot(tree, before)
        return Edits.unitsOf(wanted, ({ id }) => ({ context: about.get(`@${id}/description`) }))
      },
      print: (language, texts, before, removed = new Set()) => {
        const [file, root] = before === undefined ? [text, tree] : [before, treeOf(before)]
        const locale = before === undefined ? [["@@locale", language.replaceAll("-", "_")] as const] : []
        // A text's metadata is removed with the text.
        const gone = new Set([...removed].flatMap((id) => [id, `@${id}`]))
        const items = withoutAbout(root).items?.map((item) => gone.has(item.id) ? removable(item) : item)
        return printed(file, { ...root, items }, text, wanted, new Map([...texts, ...locale]), gone)
      }
    }
  },
  read: (text) => Edits.entriesOf(withoutAbout(treeOf(text)))
}
