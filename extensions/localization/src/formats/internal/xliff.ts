/** XLIFF 1.2 and 2.0: source and target in one file. Texts are raw XML. */
import type { Format } from "../Format.ts"
import { isSame } from "./categories.ts"
import * as Edits from "./edits.ts"
import * as Xml from "./xml.ts"

interface Segment {
  readonly element: Edits.Range
  readonly tagEnd: number
  readonly source: Xml.Element
  readonly target: Xml.Element | undefined
  /** Offset at which a new target is inserted. */
  readonly sourceEnd: number
  readonly context: string | undefined
  readonly isDraft: boolean
}

type Node = Edits.Node<Segment | undefined>

const isSegment = (name: string): boolean => name === "trans-unit" || name === "segment"

/** A unit's notes, without Angular's notes on source positions. */
const notesOf = ({ children }: Xml.Element): string | undefined =>
  children.flatMap((child) => child.name === "notes" ? child.children : [child])
    .filter(({ attributes: { category }, name }) => name === "note" && category !== "location")
    .map(({ text }) => text.trim()).join("\n") || undefined

/** With `language`, parses a source file: targets in that language take precedence over sources, which may be keys. */
const treeOf = (text: string, language?: string) => {
  const root = Xml.elementOf(text, "xliff")
  const isSecond = root.attributes["version"]?.startsWith("2") ?? false
  const attribute = isSecond ? "trgLang" : "target-language"
  const tags = isSecond ? [root] : root.children.filter(({ name }) => name === "file")
  const isOfTargets = language === undefined ||
    tags.every((
      { attributes: { [attribute]: own = language, [isSecond ? "srcLang" : "source-language"]: from = language } }
    ) => isSame(own, language) || isSame(own, from))

  const visit = (element: Xml.Element, path: string | undefined, isTranslated: boolean, notes?: string) => {
    const items: Array<Node> = []
    let place = Xml.placeOf(element)
    let count = 0
    for (const child of element.children) {
      const { attributes: { id, original, translate }, children, name } = child
      const index = isSegment(name) ? count++ : 0
      const part = original ?? id ?? (index > 0 ? String(index) : undefined)
      const own = part === undefined || path === undefined ? part ?? path : `${path}/${part}`
      const isText = translate === undefined ? isTranslated : translate === "yes"
      const common = { ...Xml.ownRange(text, child), id: own ?? "" }
      if (isSegment(name)) {
        const [source, target] = ["source", "target"].map((side) => children.find(({ name }) => name === side))
        if (source === undefined) continue
        const sourceEnd = children.findLast(({ name }) => name === "source" || name === "seg-source")?.to ?? 0
        items.push({
          ...common,
          value: child,
          text: isText
            ? (isOfTargets && target !== undefined ? Xml.contentOf(text, target) : "") ||
              (language === undefined ? "" : Xml.contentOf(text, source))
            : undefined,
          data: {
            element: child,
            tagEnd: child.tagEnd,
            source,
            target,
            sourceEnd,
            isDraft: /^(?:new|initial|needs-.*)$/.test(
              (name === "segment" ? child : target)?.attributes["state"] ?? ""
            ),
            context: name === "segment" ? notes : notesOf(child)
          }
        })
        continue
      }
      const inner = visit(child, own, isText, notesOf(child))
      if (part !== undefined && ["file", "group", "unit"].includes(name)) {
        items.push({ ...common, value: inner.place, text: undefined, items: inner.items, data: undefined })
      } else {
        items.push(...inner.items)
        if (name === "body" || inner.items.length > 0) place = inner.place
      }
    }
    return { items, place }
  }
  const { items, place } = visit(root, undefined, true)
  const tree = Edits.rootOf(root, place, items, undefined)
  return { tree: Edits.checked(text, tree, ({ data, value }) => data?.source ?? value, "the unit "), tags, attribute }
}

const changed = (tag: string, name: string, value: string): string =>
  new RegExp(`\\s${name}\\s*=`).test(tag) ? Xml.withAttribute(tag, name, value) : tag

/** Edits that replace the target with a translation, or insert a target after the source. */
const edited = (
  file: string,
  { element, source, sourceEnd, tagEnd, target }: Segment,
  value: string
): ReadonlyArray<Edits.Edit> => {
  const name = (/^<[\w.:-]*/.exec(file.slice(source.from))?.[0] ?? "").slice(1).replace(/source$/, "target")
  const tag = changed(changed(file.slice(element.from, tagEnd), "state", "translated"), "approved", "no")
  const own: Edits.Edit = { from: element.from, to: tagEnd, text: tag }
  if (target === undefined) {
    const text = `${Edits.spaceBefore(file, source.from)}<${name}>${value}</${name}>`
    return [own, { from: sourceEnd, to: sourceEnd, text }]
  }
  const targetTag = changed(file.slice(target.from, target.tagEnd), "state", "translated")
  return [own, { from: target.from, to: target.to, text: `${Xml.beforeEnd(targetTag)}>${value}</${name}>` }]
}

export const xliff: Format = {
  parse: (text, sourceLanguage) => {
    const source = treeOf(text, sourceLanguage).tree
    return {
      placeholders: "xml",
      others: Edits.othersOf(source),
      units: () => Edits.unitsOf(source, ({ data }) => ({ offset: data?.source.from ?? 0, context: data?.context })),
      print: (language, texts, before, removed = new Set()) => {
        const file = before ?? text
        const { attribute, tags, tree } = treeOf(file)
        const print = (node: Node): string | undefined => {
          const found = Edits.textsOf(node).flatMap(({ data, id }) => {
            const value = texts.get(id)
            return data === undefined || value === undefined ? [] : [edited(text, data, value)]
          })
          return found.length === 0
            ? undefined
            : Edits.editedPart(text, node.data?.element ?? node, found.flat()).trim()
        }
        return Edits.applyEdits(file, [
          ...tags.flatMap(({ attributes, from, tagEnd: to }): ReadonlyArray<Edits.Edit> =>
            before !== undefined && attributes[attribute] !== undefined
              ? []
              : [{ from, to, text: Xml.withAttribute(file.slice(from, to), attribute, language) }]
          ),
          ...Edits.merge(tree, source, texts, removed, {
            ...Xml.insertedWith(file, print),
            replaced: ({ data: old }, value, { data }) => {
              if (old === undefined || data === undefined) return []
              const [before, after] = [Xml.contentOf(file, old.source), Xml.contentOf(text, data.source)]
              return [
                ...edited(file, old, value),
                ...(before === after ? [] : [{ ...old.source.content, text: after }])
              ]
            }
          })
        ])
      },
      accepts: Xml.isContent
    }
  },
  read: (text) => Edits.entriesOf(treeOf(text).tree, ({ data }) => data?.isDraft === true)
}
