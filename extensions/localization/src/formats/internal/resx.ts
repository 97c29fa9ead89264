/** .NET `.resx` files: named texts and other values. */
import type { Format } from "../Format.ts"
import * as Edits from "./edits.ts"
import { type Element, elementOf, insertedWith, ownRange, placeOf } from "./xml.ts"

type Node = Edits.Node<Element>

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
    return [{ ...ownRange(file, data), id: Edits.idOf([name]), value: value ?? data, text, data }]
  })
  return Edits.checked(file, Edits.rootOf(root, placeOf(root), items, root))
}

const replaced = (data: Element, text: string): ReadonlyArray<Edits.Edit> => {
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
      others: Edits.othersOf(tree),
      units: () =>
        Edits.textsOf(tree).map(({ data, id, text, value }) => ({
          id,
          text,
          offset: value.from,
          context: childOf(data, "comment")?.text.trim() || undefined
        })),
      print: (_, texts, before, removed = new Set()) => {
        const [file, root] = before === undefined ? [text, tree] : [before, treeOf(before)]
        return Edits.applyEdits(
          file,
          Edits.merge(root, tree, texts, removed, {
            replaced: ({ data }, value) => replaced(data, value),
            ...insertedWith(file, ({ data, id }) => {
              const value = texts.get(id)
              return value === undefined ? undefined : Edits.editedPart(text, data, replaced(data, value))
            })
          })
        )
      }
    }
  },
  read: (text) => Edits.entriesOf(treeOf(text))
}
