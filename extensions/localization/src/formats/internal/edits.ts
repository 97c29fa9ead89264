/** Trees of a file's texts, and edits that keep all unedited bytes. */
import { type Entry, type Format, Malformed, type Source, type Unit } from "../Format.ts"

export interface Range {
  readonly from: number
  readonly to: number
}

export interface Edit extends Range {
  readonly text: string
}

/** Applies edits that do not overlap. At the same offset, insertions precede other edits. */
export const applyEdits = (text: string, edits: ReadonlyArray<Edit>): string => {
  let at = 0
  let out = ""
  for (const edit of edits.toSorted((one, other) => one.from - other.from || one.to - other.to)) {
    out += text.slice(at, edit.from) + edit.text
    at = edit.to
  }
  return out + text.slice(at)
}

export const editedPart = (text: string, { from, to }: Range, edits: ReadonlyArray<Edit>): string =>
  applyEdits(text.slice(from, to), edits.map((edit) => ({ ...edit, from: edit.from - from, to: edit.to - from })))

/** A text or a container of texts. Removing the node deletes the range `from` to `to`. */
export interface Node<D> extends Range {
  /** Unique in the file; equal in source and targets. */
  readonly id: string
  readonly value: Range
  /** `undefined` for containers and untranslatable values. */
  readonly text: string | undefined
  /** Child nodes; `undefined` for a leaf. */
  readonly items?: ReadonlyArray<Node<D>> | undefined
  /** True for an array, whose items are identified by position. */
  readonly isList?: boolean
  readonly hasCommas?: boolean
  /** Offset of the comma after the value. */
  readonly comma?: number | undefined
  readonly isNamed?: boolean
  readonly data: D
}

/** Serializes new texts for a target file. */
export interface Spelling<D> {
  readonly replaced: (node: Node<D>, text: string, source: Node<D>) => ReadonlyArray<Edit>
  /** Serializes a source node as a container's item, with preceding white space; `undefined` for a node without new texts. */
  readonly inserted: (node: Node<D>, container: Node<D>, previous: Node<D> | undefined) => string | undefined
  readonly filled: (container: Node<D>, items: ReadonlyArray<string>) => Edit
}

export const textsOf = <D>(node: Node<D>): ReadonlyArray<Node<D> & { readonly text: string }> =>
  node.items === undefined
    ? node.text === undefined ? [] : [{ ...node, text: node.text }]
    : node.items.flatMap(textsOf)

export const unitsOf = <D>(tree: Node<D>, detailsOf: (node: Node<D>) => Partial<Unit>): ReadonlyArray<Unit> =>
  textsOf(tree).map((node) => Object.assign({ id: node.id, text: node.text, offset: node.value.from }, detailsOf(node)))

/** Ids of untranslatable values. */
export const othersOf = ({ id, items, text }: Node<unknown>): ReadonlyArray<string> =>
  items === undefined ? text === undefined ? [id] : [] : items.flatMap(othersOf)

/** Texts keyed by id. With `isDraft`, omits drafts, and empty texts, which mean a missing translation. */
export const entriesOf = <D>(node: Node<D>, isDraft?: (node: Node<D>) => boolean): ReadonlyMap<string, Entry> => {
  const found = new Map<string, Entry>()
  for (const one of textsOf(node)) {
    const { id, text, value } = one
    if (isDraft !== undefined && (text === "" || isDraft(one))) continue
    if (text !== "" || !found.has(id)) found.set(id, { text, offset: value.from })
  }
  return found
}

/** True if a YAML alias may reference the node or a descendant. */
const isKept = ({ isNamed = false, items = [] }: Node<unknown>): boolean => isNamed || items.some(isKept)

export const hasText = (node: Node<unknown>): boolean => node.text !== undefined || (node.items ?? []).some(hasText)

/** Items keyed by occurrence number and id, because ids can repeat. */
const keyed = <D>(items: ReadonlyArray<Node<D>> = []): ReadonlyMap<string, Node<D>> => {
  const counts = new Map<string, number>()
  return new Map(items.map((item) => {
    const count = counts.get(item.id) ?? 0
    counts.set(item.id, count + 1)
    return [`${count} ${item.id}`, item]
  }))
}

/**
 * Edits that replace changed texts, insert missing nodes after their predecessor in the source, and remove the texts with ids in
 * `gone`. Throws {@link Malformed} if a source node would replace a node of another kind that has texts to keep.
 */
export const merge = <D>(
  file: Node<D>,
  source: Node<D>,
  texts: ReadonlyMap<string, string>,
  gone: ReadonlySet<string>,
  spelling: Spelling<D>
): ReadonlyArray<Edit> => {
  const edits: Array<Edit> = []
  const isLost = ({ id, text }: Node<D>) => text !== "" && !gone.has(id) && !texts.has(id)
  const isGone = (node: Node<D>): boolean => {
    const all = textsOf(node)
    return !isKept(node) && all.some(({ id }) => gone.has(id)) &&
      all.every(({ id, text }) => text === "" || gone.has(id))
  }
  const visit = (container: Node<D>, source: Node<D>): void => {
    const items = container.items ?? []
    const wanted = keyed(source.items)
    const present = keyed(items)
    const keys = [...present.keys()]
    const canGo = items.map((item, index) => !wanted.has(keys[index] ?? "") && isGone(item))
    // Removing a list item would change the ids of later items.
    const end = container.isList === true ? canGo.lastIndexOf(false) : -1
    const removed = new Set(items.filter((_, index) => index > end && canGo[index]))
    for (const [index, item] of container.isList === true ? [] : items.entries()) {
      if (!wanted.has(keys[index] ?? "") && !removed.has(item) && !isKept(item)) visit(item, { ...item, items: [] })
    }
    const inserted = new Map<Node<D> | undefined, Array<string>>()
    let previous: Node<D> | undefined
    for (const [key, node] of wanted) {
      const found = present.get(key)
      const isSameKind = (found?.items === undefined) === (node.items === undefined) &&
        (found?.isList ?? false) === (node.isList ?? false)
      const spelled = found !== undefined && isSameKind ? undefined : spelling.inserted(node, container, previous)
      if (found !== undefined && !isSameKind && (spelled !== undefined || isGone(found))) {
        const lost = isKept(found) ? found : textsOf(found).find(isLost)
        if (lost !== undefined) {
          throw new Malformed({ message: `${lost.id} has another form than its source ${node.id}; move or delete it` })
        }
        removed.add(found)
      }
      if (spelled !== undefined) {
        const list = inserted.get(previous) ?? []
        list.push(spelled)
        inserted.set(previous, list)
        continue
      }
      if (found === undefined || removed.has(found)) {
        if (source.isList === true) break
        continue
      }
      previous = found
      const text = texts.get(node.id)
      if (isSameKind && found.items !== undefined && node.items !== undefined) visit(found, node)
      else if (isSameKind && text !== undefined && text !== found.text) {
        edits.push(...spelling.replaced(found, text, node))
      }
    }
    const first = inserted.get(undefined)
    if (items.length === 0) {
      if (first !== undefined) edits.push(spelling.filled(container, first))
      return
    }
    const kept = items.filter((item) => !removed.has(item))
    const last = inserted.has(kept.at(-1)) ? undefined : kept.at(-1)
    const separator = container.hasCommas === true ? "," : ""
    const insert = (at: number, found: ReadonlyArray<string> | undefined, isLast: boolean): void => {
      const text = (found ?? []).map((item, index, { length }) =>
        isLast && index === length - 1 && items.at(-1)?.comma === undefined ? item : item + separator
      )
      if (text.length > 0) edits.push({ from: at, to: at, text: text.join("") })
    }
    insert(items[0]?.from ?? 0, first, kept.length === 0)
    for (const item of items) {
      if (removed.has(item)) {
        edits.push({ from: item.from, to: item.to, text: "" })
        continue
      }
      const { comma, value: { to } } = item
      if (item !== last && comma === undefined && separator !== "") edits.push({ from: to, to, text: separator })
      if (item === last && comma !== undefined && items.at(-1)?.comma === undefined) {
        edits.push({ from: comma, to: comma + 1, text: "" })
      }
      insert(item.to, inserted.get(item), item === kept.at(-1))
    }
  }
  visit(file, source)
  return edits
}

/** A format whose source and targets have the same structure. */
export const formatOf = <D>(
  placeholders: Source["placeholders"],
  treeOf: (file: string) => Node<D>,
  detailsOf: (node: Node<D>) => Partial<Unit>,
  spellingIn: (file: string, source: string, texts: ReadonlyMap<string, string>) => Spelling<D>
): Format => ({
  parse: (source) => {
    const tree = treeOf(source)
    return {
      placeholders,
      others: othersOf(tree),
      units: () => unitsOf(tree, detailsOf),
      print: (_, texts, before, removed = new Set()) => {
        const [file, root] = before === undefined ? [source, tree] : [before, treeOf(before)]
        return applyEdits(file, merge(root, tree, texts, removed, spellingIn(file, source, texts)))
      }
    }
  },
  read: (text) => entriesOf(treeOf(text))
})

/** `comma`: offset of the comma after a value. `to`: offset after the comma and a trailing comment. */
export const ending = (text: string, value: Range): { readonly comma: number | undefined; readonly to: number } => {
  const comma = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/|#[^\n]*)*,/y
  comma.lastIndex = value.to
  const found = comma.test(text) ? comma.lastIndex : undefined
  const rest = /[ \t]*(?:\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*|#[^\r\n]*)(?=\r?\n)/y
  rest.lastIndex = found ?? value.to
  return {
    comma: found === undefined ? undefined : found - 1,
    to: rest.test(text) ? rest.lastIndex : found ?? value.to
  }
}

/** Serializes items. A list, whose items have no names, ends before the first item without a translation. */
export const printedItems = <D>(
  { isList = false, items = [] }: Node<D>,
  print: (item: Node<D>) => string | undefined
): ReadonlyArray<string> => {
  const all = items.map(print)
  const end = isList ? all.indexOf(undefined) : -1
  return (end === -1 ? all : all.slice(0, end)).filter((item) => item !== undefined)
}

/** The item whose white space a new item copies. */
export const neighbourOf = <D>({ items: [first, second] = [] }: Node<D>, previous: Node<D> | undefined) =>
  previous === undefined || previous === first ? second ?? first : previous

export const lineStart = (text: string, offset: number): number =>
  offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1

export const isLineStart = (text: string, offset: number): boolean => offset === 0 || text.charAt(offset - 1) === "\n"

/** Start of the offset's line; `undefined` unless only white space precedes the offset. */
export const indentStart = (text: string, offset: number): number | undefined => {
  let from = offset
  while (/[ \t]/.test(text.charAt(from - 1))) from--
  return isLineStart(text, from) ? from : undefined
}

export const nextLine = (text: string, offset: number): number => {
  const found = text.indexOf("\n", offset)
  return found === -1 ? text.length : found + 1
}

/** A format's comment syntax: a pattern for comment lines, or marks that enclose a comment. */
export interface Comments {
  readonly line?: RegExp
  readonly marks?: readonly [open: string, close: string]
}

/** Start of the comments directly above a line, except for comments that begin the file. */
export const commentAbove = (text: string, start: number, { line, marks }: Comments): number => {
  let from = start
  while (from > 0) {
    const above = text.slice(lineStart(text, from - 1), from).trim()
    const open = marks !== undefined && above.endsWith(marks[1]) ? text.lastIndexOf(marks[0], from - 1) : -1
    const begin = lineStart(text, line?.test(above) === true ? from - 1 : open)
    if (line?.test(above) !== true && (open === -1 || text.slice(begin, open).trim() !== "")) return from
    from = begin
  }
  return start
}

export const commentOf = (
  text: string,
  { from }: Range,
  value: number,
  { marks = ["", ""] }: Comments
): string | undefined =>
  // Drops the value's line. Calling `lineStart` for each value would be slow in a one-line file.
  text.slice(from, value).split("\n").slice(0, -1).map((line) =>
    line.trim().replace(/^[#!]+|^\/\//, "").replace(marks[0], "").replace(marks[1], "").trim()
  ).filter((line) => line !== "").join("\n") || undefined

export const lineEndOf = (text: string): string => text.charAt(text.indexOf("\n") - 1) === "\r" ? "\r\n" : "\n"

export const withLineEnds = (text: string, end: string): string => text.replaceAll(/\r?\n/g, end)

/** Replaces the byte order mark with a space, so that offsets stay valid. */
export const withoutMark = (text: string): string => text.replace(/^\ufeff/, " ")

export const spaceBefore = (text: string, offset: number): string => {
  let from = offset
  while (/[ \t\r\n]/.test(text.charAt(from - 1))) from--
  return text.slice(from, offset)
}

/** Finds an offset's line number and line start by binary search. */
export const linesOf = (text: string): (offset: number) => { readonly line: number; readonly start: number } => {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]
  return (offset) => {
    let [line, end] = [1, starts.length]
    while (line < end) {
      const middle = (line + end) >> 1
      if ((starts[middle] ?? 0) > offset) end = middle
      else line = middle + 1
    }
    return { line, start: starts[line - 1] ?? 0 }
  }
}

const positionOf = (text: string, offset: number): string => {
  const before = text.slice(0, offset).split("\n")
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

export const malformed = (text: string, offset: number, problem: string): Malformed =>
  new Malformed({ message: `${positionOf(text, offset)}: ${problem}` })

/** Throws {@link Malformed} for two different, nonempty texts with the same id. */
export const checkUnique = (
  file: string,
  found: ReadonlyArray<Pick<Node<unknown>, "id" | "text"> & { readonly name?: string; readonly offset: number }>,
  kind = ""
): void => {
  const seen = new Map<string, (typeof found)[number]>()
  for (const one of found) {
    const { id, name = kind + id, offset, text } = one
    const first = seen.get(id)
    if (first !== undefined && (text === undefined || text !== "" && first.text !== "" && text !== first.text)) {
      throw malformed(file, offset, `${name} is defined twice, first at ${positionOf(file, first.offset)}`)
    }
    if (first === undefined || first.text === "") seen.set(id, one)
  }
}

/** Returns the tree after {@link checkUnique}. */
export const checked = <D>(
  file: string,
  tree: Node<D>,
  placeOf: (node: Node<D>) => Range = ({ value }) => value,
  kind = ""
): Node<D> => {
  checkUnique(file, textsOf(tree).map((one) => ({ id: one.id, text: one.text, offset: placeOf(one).from })), kind)
  return tree
}

export const rootOf = <D>({ from, to }: Range, value: Range, items: Node<D>["items"], data: D): Node<D> => {
  return { from, to, id: "", value, text: undefined, items, data }
}

export const idOf = (path: ReadonlyArray<string | number>): string =>
  path.map((part) => String(part).replaceAll("~", "~0").replaceAll("/", "~1")).join("/")

/** The last part of an id. */
export const keyOf = ({ id }: Pick<Node<unknown>, "id">): string =>
  id.slice(id.lastIndexOf("/") + 1).replaceAll("~1", "/").replaceAll("~0", "~")
