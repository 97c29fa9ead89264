/** Formats with a key and a text on each line, below its comments. */
import type { Syntax } from "@effect-lingua/core/texts/Placeholders"
import type { Format } from "../Format.ts"
import * as Edits from "./edits.ts"

export interface Line extends Edits.Range {
  readonly key: string
  readonly value: Edits.Range
  /** The value from which `text` is decoded. */
  readonly raw: string
  readonly text: string
  readonly before: string
  readonly after: string
  readonly context: string | undefined
  readonly placeholders?: Syntax | undefined
}

/** `read` parses a file; `spellIn` serializes a translation of the line `source` for a target file. */
export const formatOfLines = (
  placeholders: Syntax,
  read: (file: string) => ReadonlyArray<Line>,
  spellIn: (file: string) => (text: string, source: Line) => string
): Format =>
  Edits.formatOf<Line | undefined>(
    placeholders,
    (file) => {
      const range = { from: 0, to: file.length }
      const items = read(file).map((data) => Object.assign({ id: Edits.idOf([data.key]), data }, data))
      return Edits.checked(file, Edits.rootOf(range, range, items, undefined))
    },
    ({ data }) => ({ context: data?.context, placeholders: data?.placeholders }),
    (file, _, texts) => {
      const end = Edits.lineEndOf(file)
      const spell = spellIn(file)
      return {
        replaced: ({ value }, text, { data }) => data === undefined ? [] : [{ ...value, text: spell(text, data) }],
        inserted: ({ data, id }, { items: [first] = [] }, previous) => {
          const text = texts.get(id)
          const at = previous?.to ?? first?.from ?? file.length
          if (text === undefined || data === undefined) return undefined
          const line = data.before + spell(text, data) + data.after
          return Edits.isLineStart(file, at) ? line + end : end + line
        },
        filled: (_, items) => ({ from: file.length, to: file.length, text: items.join("") })
      }
    }
  )
