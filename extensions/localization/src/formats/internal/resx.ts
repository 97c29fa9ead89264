/** .NET `.resx` files: named texts and other values. */
import type { Format } from "../Format.ts"
import * as Edits from "./edits.ts"
import { escape } from "./markup.ts"
import { type Element, elementOf, insertedWith, ownRange, placeOf, withContent } from "./xml.ts"

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

const replaced = (file: string, data: Element, text: string): ReadonlyArray<Edits.Edit> => {
  const value = childOf(data, "value")
  return value === undefined ? [] : [withContent(file, value, escape(text))]
}

export const resx: Format = Edits.formatOf(
  "brace",
  treeOf,
  ({ data }) => ({ context: childOf(data, "comment")?.text.trim() || undefined }),
  (file, source, texts) => ({
    replaced: ({ data }, value) => replaced(file, data, value),
    ...insertedWith(file, ({ data, id }) => {
      const value = texts.get(id)
      return value === undefined ? undefined : Edits.editedPart(source, data, replaced(source, data, value))
    })
  })
)
