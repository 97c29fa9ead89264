/** `.resx` of .NET: texts and other values by their names. */
import type { Format } from "../Format.ts"
import {
  applyEdits,
  checkUnique,
  type Edit,
  editedPart,
  entriesOf,
  idOf,
  merge,
  type Node as Tree,
  othersOf,
  textsOf
} from "./edits.ts"
import { type Element, elementOf, insertedWith, ownRange, placeOf } from "./xml.ts"

type Node = Tree<Element>

const childOf = ({ children }: Element, name: string): Element | undefined =>
  children.find((child) => child.name === name)

/** False for typed values and values of the form designer (`>>`). */
const isText = ({ attributes: { mimetype, name = "", type } }: Element): boolean =>
  type === undefined && mimetype === undefined && !name.startsWith(">>")

const treeOf = (file: string): Node => {
  const root = elementOf(file, "root")
  const items = root.children.flatMap((data): ReadonlyArray<Node> => {
    const { attributes: { name }, name: tag } = data
    if (tag !== "data" || name === undefined) return []
    const value = childOf(data, "value")
    const text = isText(data) ? value?.text : undefined
    return [{ ...ownRange(file, data), id: idOf([name]), value: value ?? data, text, data }]
  })
  const tree: Node = { from: root.from, to: root.to, id: "", value: placeOf(root), text: undefined, items, data: root }
  checkUnique(file, textsOf(tree).map(({ id, text, value }) => ({ id, text, offset: value.from })))
  return tree
}

const replaced = (data: Element, text: string): ReadonlyArray<Edit> => {
  const value = childOf(data, "value")
  if (value === undefined) return []
  const spelled = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
  const { content, from, tagEnd, to } = value
  return [tagEnd === to ? { from, to, text: `<value>${spelled}</value>` } : { ...content, text: spelled }]
}

export const resx: Format = {
  parse: (text) => {
    const tree = treeOf(text)
    return {
      placeholders: "brace",
      others: othersOf(tree),
      units: () =>
        textsOf(tree).map(({ data, id, text, value }) => ({
          id,
          text,
          offset: value.from,
          context: childOf(data, "comment")?.text.trim() || undefined
        })),
      print: (_, texts, before) => {
        const [file, root] = before === undefined ? [text, tree] : [before, treeOf(before)]
        return applyEdits(
          file,
          merge(root, tree, texts, {
            replaced: ({ data }, value) => replaced(data, value),
            ...insertedWith(file, ({ data, id }) => {
              const value = texts.get(id)
              return value === undefined ? undefined : editedPart(text, data, replaced(data, value))
            })
          })
        )
      }
    }
  },
  read: (text) => entriesOf(treeOf(text))
}
