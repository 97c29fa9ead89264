/** Formats with a key and a text on each line, comments above. */
import type { Syntax } from "@effect-lingua/core/texts/Placeholders"
import type { Format } from "../Format.ts"
import {
  applyEdits,
  checkUnique,
  entriesOf,
  idOf,
  isLineStart,
  lineEndOf,
  merge,
  type Node,
  type Range,
  textsOf
} from "./edits.ts"

export interface Line extends Range {
  readonly key: string
  readonly value: Range
  /** The value with its quotes, and its text. */
  readonly raw: string
  readonly text: string
  readonly before: string
  readonly after: string
  readonly context: string | undefined
  readonly placeholders?: Syntax | undefined
}

/** A format whose lines `read` finds. `spellIn` is given the target, and a line of the source with its text. */
export const formatOfLines = (
  placeholders: Syntax,
  read: (file: string) => ReadonlyArray<Line>,
  spellIn: (file: string) => (text: string, source: Line) => string
): Format => {
  const treeOf = (file: string): Node<Line | undefined> => {
    const range = { from: 0, to: file.length }
    const items = read(file).map((line): Node<Line | undefined> => {
      const { from, key, text, to, value } = line
      return { id: idOf([key]), from, to, value, text, data: line }
    })
    const tree: Node<Line | undefined> = { ...range, id: "", value: range, text: undefined, items, data: undefined }
    checkUnique(file, textsOf(tree).map(({ id, text, value }) => ({ id, text, offset: value.from })))
    return tree
  }
  return {
    parse: (source) => {
      const tree = treeOf(source)
      return {
        placeholders,
        units: () =>
          textsOf(tree).map(({ data, id, text, value }) => ({
            id,
            text,
            offset: value.from,
            context: data?.context,
            placeholders: data?.placeholders
          })),
        print: (_, texts, before) => {
          const [file, root] = before === undefined ? [source, tree] : [before, treeOf(before)]
          const end = lineEndOf(file)
          const spell = spellIn(file)
          return applyEdits(
            file,
            merge(root, tree, texts, {
              replaced: ({ value }, text, { data }) =>
                data === undefined ? [] : [{ ...value, text: spell(text, data) }],
              inserted: ({ data, id }, { items: [first] = [] }, previous) => {
                const text = texts.get(id)
                const at = previous?.to ?? first?.from ?? file.length
                if (text === undefined || data === undefined) return undefined
                const line = data.before + spell(text, data) + data.after
                return isLineStart(file, at) ? line + end : end + line
              },
              filled: (_, items) => ({ from: file.length, to: file.length, text: items.join("") })
            })
          )
        }
      }
    },
    read: (text) => entriesOf(treeOf(text))
  }
}
