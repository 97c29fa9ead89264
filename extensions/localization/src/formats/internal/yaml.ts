/** YAML files. With the language code as its only root key, a file is a Rails file, with plurals as maps. */
import * as Yaml from "yaml"
import { type Format, Malformed } from "../Format.ts"
import { isSame } from "./categories.ts"
import * as Edits from "./edits.ts"
import { type Find, inLanguage, pluralOfMap, unitsOf, withUnused } from "./plurals.ts"

interface Style {
  readonly name: string
  readonly key: string
  readonly type: Yaml.Scalar.Type | undefined
  readonly isFlow: boolean
  readonly column: number
}

type Node = Edits.Node<Style>

/** True for plain scalars that YAML 1.1 (Ruby, Python) does not read as strings: `no`, `12:30`, dates; and for Ruby symbols. */
const isOther = (plain: string): boolean =>
  /^:\w+$/.test(plain) ||
  /^(?:[yntof~]\w{0,5}|[-+.\d].*)$/i.test(plain) && Yaml.parse(plain, { version: "1.1", logLevel: "silent" }) !== plain

const textOf = (node: unknown): string | undefined =>
  Yaml.isScalar(node) && typeof node.value === "string" && !(node.type === "PLAIN" && isOther(node.value))
    ? node.value
    : undefined

const rangeOf = (node: unknown, end: number): Edits.Range => {
  const [from, to] = Yaml.isNode(node) && node.range != null ? node.range : [end, end]
  return { from, to }
}

const nodeOf = (
  text: string,
  node: unknown,
  path: ReadonlyArray<string | number>,
  own: Edits.Range & Pick<Node, "comma" | "data" | "value">
): Node => {
  const isFlow = Yaml.isCollection(node) && node.flow === true
  const isList = Yaml.isSeq(node)
  let from = own.value.from + 1
  const names = new Set<string>()
  const itemOf = (key: unknown, value: unknown, index: number, next: unknown): Node => {
    const name = isList ? String(index) : String(Yaml.isScalar(key) ? key.value : key)
    const named = rangeOf(key, own.value.from)
    if (names.size === names.add(name).size) throw Edits.malformed(text, named.from, "Map keys must be unique")
    const range = rangeOf(value, named.to)
    const start = !isList ? named.from : isFlow ? range.from : text.lastIndexOf("-", range.from - 1)
    const line = isFlow ? start : Edits.lineStart(text, start)
    const data: Style = {
      name,
      key: isList ? "" : text.slice(named.from, named.to),
      type: Yaml.isScalar(value) ? value.type ?? undefined : undefined,
      isFlow,
      column: start - line
    }
    const itemPath = [...path, isList ? index : name]
    if (isFlow) {
      const { comma, to } = Edits.ending(text, range)
      const item = nodeOf(text, value, itemPath, { from, to, comma, data, value: range })
      from = to
      return item
    }
    const isFirstOfItem = text.slice(line, start).trim() !== ""
    const item = nodeOf(text, value, itemPath, { from: start, to: range.to, comma: undefined, data, value: range })
    const last = item.data.isFlow || item.items?.at(-1)?.data.isFlow === true ? undefined : item.items?.at(-1)
    const end = last?.to ?? (text.charAt(range.to - 1) === "\n" ? range.to : Edits.nextLine(text, range.to))
    return {
      ...item,
      from: isFirstOfItem ? start : Edits.commentAbove(text, line, { line: /^#/ }),
      // If the key after a list item's dash is removed, the next key moves up to the dash.
      to: isFirstOfItem && Yaml.isNode(next) && next.range != null ? next.range[0] : end
    }
  }
  const items = Yaml.isMap(node)
    ? node.items.map(({ key, value }, index, all) => itemOf(key, value ?? undefined, index, all[index + 1]?.key))
    : Yaml.isSeq(node)
    ? node.items.map((value, index) => itemOf(undefined, value, index, undefined))
    : undefined
  return {
    ...own,
    id: Edits.idOf(path),
    // `strftime` patterns are not texts.
    text: /^(?:date|time)\/formats\//.test(path.join("/")) ? undefined : textOf(node),
    items,
    isList,
    hasCommas: isFlow,
    isNamed: (Yaml.isScalar(node) || Yaml.isCollection(node)) && node.anchor !== undefined
  }
}

const treeOf = (text: string, language: string) => {
  // `prettyErrors` is slow for many errors, and `uniqueKeys` compares each key with all other keys.
  const document = Yaml.parseDocument(text, { prettyErrors: false, uniqueKeys: false })
  const [error] = document.errors
  if (error !== undefined) throw Edits.malformed(text, error.pos[0], error.message)
  const { contents } = document
  const pair = Yaml.isMap(contents) && contents.items.length === 1 ? contents.items[0] : undefined
  const root = Yaml.isScalar(pair?.key) && isSame(String(pair.key.value), language) ? rangeOf(pair.key, 0) : undefined
  const node = root === undefined ? contents : pair?.value
  const value = rangeOf(node, root?.to ?? text.length)
  const data: Style = { name: "", key: "", type: undefined, isFlow: false, column: 0 }
  const tree = nodeOf(text, node, [], { ...value, value, comma: undefined, data })
  const isEmpty = !Yaml.isNode(node) || Yaml.isScalar(node) && node.value === null
  return { root, tree: isEmpty ? { ...tree, items: [] } : tree }
}

/** Characters that need a double-quoted scalar. */
const special = /[\p{Cc}\p{Cs}\u2028\u2029\ufeff\ufffe\uffff]/u

const isPlain = (text: string): boolean =>
  /^\p{L}/u.test(text) && !/[,[\]{}]|: |:$| #/.test(text) && !special.test(text) && !isOther(text) &&
  Yaml.parse(text) === text

const blockOf = (text: string, type: Style["type"], indent: string): string | undefined => {
  if (type !== "BLOCK_LITERAL" && type !== "BLOCK_FOLDED") return undefined
  const content = text.replace(/\n$/, "")
  if (/^\s|\s$|\n[ \t]/.test(content) || special.test(content.replaceAll("\n", "")) || content === "") return undefined
  const lines = (type === "BLOCK_FOLDED" ? content.replaceAll(/\n+/g, (ends) => `${ends}\n`) : content).split("\n")
  return `${type === "BLOCK_FOLDED" ? ">" : "|"}${text === content ? "-" : ""}\n${
    lines.map((line) => line === "" ? "" : indent + line).join("\n")
  }\n`
}

const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    new RegExp(special, "gu"),
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** Serializes a scalar in the style `type`, or in double quotes. */
const spelled = (text: string, type: Style["type"]): string =>
  type === "PLAIN" && isPlain(text)
    ? text
    : type === "QUOTE_SINGLE" && !special.test(text)
    ? `'${text.replaceAll("'", "''")}'`
    : quoted(text)

const pluralsOf: Find<Style> = ({ isList = false, items = [] }) => isList ? [] : pluralOfMap(items)

const pluralsIn = (root: unknown): Find<Style> => root === undefined ? () => [] : pluralsOf

const unitOf = ({ data: { isFlow }, items = [] }: Node, column: number | undefined): number | undefined => {
  const [first] = items
  const unit = first === undefined || isFlow || first.data.isFlow
    ? 0
    : first.data.column - (column ?? first.data.column)
  if (unit > 0) return unit
  for (const item of items) {
    const found = unitOf(item, item.data.column)
    if (found !== undefined) return found
  }
  return undefined
}

const spellingOf = (
  file: string,
  root: Edits.Range | undefined,
  tree: Node,
  source: string,
  texts: ReadonlyMap<string, string>
): Edits.Spelling<Style> => {
  const end = Edits.lineEndOf(file)
  const unit = unitOf(tree, root === undefined ? undefined : 0) ?? 2
  const keyOf = ({ data: { key, name }, id }: Node): string => Edits.keyOf({ id }) === name ? key : Edits.keyOf({ id })
  const valueOf = (node: Node, column: number, isFlow: boolean): string | undefined => {
    const text = node.text === undefined ? undefined : texts.get(node.id)
    if (node.text !== undefined && text === undefined) return undefined
    if (text === undefined) return source.slice(node.value.from, node.value.to)
    const block = isFlow ? undefined : blockOf(text, node.data.type, " ".repeat(column + unit))
    return block?.replace(/\n$/, "") ?? spelled(text, node.data.type)
  }
  const blockItem = (node: Node, column: number): string | undefined => {
    const indent = " ".repeat(column)
    const isItem = node.data.key === ""
    const before = isItem ? `${indent}- ` : `${indent}${keyOf(node)}:`
    if (node.items === undefined || !Edits.hasText(node)) {
      const value = valueOf(node, column, false)
      return value === undefined ? undefined : Edits.withLineEnds(`${before}${isItem ? "" : " "}${value}\n`, end)
    }
    const inner = Edits.printedItems(node, (item) => blockItem(item, column + unit)).join("")
    return inner === "" ? undefined : isItem ? before + inner.slice(column + unit) : before + end + inner
  }
  const flowItem = (node: Node): string | undefined => {
    const key = node.data.key === "" ? "" : `${keyOf(node)}: `
    if (node.items === undefined || !Edits.hasText(node)) {
      const value = valueOf(node, 0, true)
      return value === undefined ? undefined : key + value
    }
    const inner = Edits.printedItems(node, flowItem).join(", ")
    return inner === "" ? undefined : `${key}${node.isList === true ? `[${inner}]` : `{${inner}}`}`
  }
  return {
    replaced: ({ data, value: { from, to } }, text) => {
      const old = file.slice(from, to)
      const indent = /\n([ \t]+)/.exec(old)?.[1] ?? " ".repeat(data.column + unit)
      const block = Edits.withLineEnds(blockOf(text, data.type, indent) ?? "", end)
      if (block !== "") return [{ from, to, text: old.endsWith("\n") ? block : block.slice(0, -end.length) }]
      return [{
        from,
        to,
        text: `${from === to ? " " : ""}${spelled(text, data.type)}${old.endsWith("\n") ? end : ""}`
      }]
    },
    inserted: (node, container, previous) => {
      if (!Edits.hasText(node)) return undefined
      const [first] = container.items ?? []
      if (container.hasCommas === true) {
        const item = flowItem(node)
        const like = Edits.neighbourOf(container, previous)
        const gap = like === undefined ? "" : /^\s*/.exec(file.slice(like.from))?.[0] ?? ""
        return item === undefined ? undefined : (gap === "" && previous !== undefined ? " " : gap) + item
      }
      const column = first?.data.column ?? (root === undefined ? 0 : unit)
      const item = blockItem(node, column)
      const at = previous?.to ?? first?.from ?? Edits.lineStart(file, file.length)
      if (item === undefined || Edits.isLineStart(file, at)) return item
      return at === file.length ? end + item.slice(0, -end.length) : item.trimStart() + " ".repeat(column)
    },
    filled: (container, items) => {
      if (container.hasCommas === true) {
        return { from: container.value.from + 1, to: container.value.from + 1, text: items.join(",") }
      }
      const at = root === undefined ? file.length : Edits.nextLine(file, root.to)
      return { from: at, to: at, text: (Edits.isLineStart(file, at) ? "" : end) + items.join("") }
    }
  }
}

export const yaml: Format = {
  parse: (text, sourceLanguage) => {
    const source = treeOf(text, sourceLanguage)
    const find = pluralsIn(source.root)
    return {
      placeholders: source.root === undefined ? "icu" : "printf",
      others: Edits.othersOf(source.tree),
      units: (language, before) => {
        const target = before === undefined ? undefined : treeOf(before, language)
        if (
          source.root !== undefined && target !== undefined && target.root === undefined && Edits.hasText(target.tree)
        ) {
          throw new Malformed({ message: `the root of the translation is not ${language}, the language code` })
        }
        return unitsOf(source.tree, find, language, "printf")
      },
      print: (language, texts, before, removed = new Set()) => {
        const file = before ?? text
        const { root, tree } = before === undefined ? source : treeOf(before, language)
        const all = withUnused(source.tree, find, language, texts, tree)
        const spelling = spellingOf(file, root, tree, text, all)
        const wanted = inLanguage(source.tree, find, language, true)
        return Edits.applyEdits(file, [
          ...(before !== undefined || root === undefined ? [] : [{ ...root, text: spelled(language, "PLAIN") }]),
          ...Edits.merge(inLanguage(tree, find, language), wanted, all, removed, spelling)
        ])
      }
    }
  },
  read: (text, language) => {
    const { root, tree } = treeOf(text, language)
    return Edits.entriesOf(inLanguage(tree, pluralsIn(root), language))
  }
}
