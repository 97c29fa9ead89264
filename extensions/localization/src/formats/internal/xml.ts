/** Parses XML into elements with offsets. */
import * as Result from "effect/Result"
import type { Mutable } from "effect/Types"
import { SaxesParser } from "saxes"
import { Malformed } from "../Format.ts"
import * as Edits from "./edits.ts"

export interface Element extends Edits.Range {
  /** Name without the namespace prefix. */
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly tagEnd: number
  /** Range between the start tag and the end tag. */
  readonly content: Edits.Range
  readonly children: ReadonlyArray<Element>
  /** Decoded text directly in the element, without the children's text. */
  readonly text: string
}

const parserOf = (): SaxesParser => {
  const parser = new SaxesParser({ position: true })
  parser.on("error", ({ message }) => {
    throw new Malformed({ message: message.replace(/^(\d+):(\d+): /, "line $1, column $2: ") })
  })
  return parser
}

export const isContent = (text: string): boolean =>
  Result.isSuccess(Result.try(() => parserOf().write(`<x>${text}</x>`).close()))

export const elementOf = (text: string, name: string): Element => {
  const open: Array<Mutable<Element> & { children: Array<Element> }> = []
  let root: Element | undefined
  const parser = parserOf()
  const tag = (): Edits.Range => ({ from: text.lastIndexOf("<", parser.position - 1), to: parser.position })
  parser.on("opentag", ({ attributes, name: full }) => {
    const { from, to } = tag()
    const local = full.replace(/^.*:/, "")
    if (open.length === 0 && local !== name) throw new Malformed({ message: `line 1: it has no ${name} element` })
    const content = { from: to, to }
    open.push({ name: local, attributes, from, to, tagEnd: to, content, children: [], text: "" })
  })
  const write = (content: string) => {
    const element = open.at(-1)
    if (element !== undefined) element.text += content
  }
  parser.on("text", write)
  parser.on("cdata", write)
  parser.on("closetag", () => {
    const element = open.pop()
    if (element === undefined) return
    const end = tag()
    element.to = end.to
    if (end.to > element.tagEnd) element.content = { from: element.tagEnd, to: end.from }
    const parent = open.at(-1)
    if (parent === undefined) root = element
    else parent.children.push(element)
  })
  parser.write(text).close()
  if (root === undefined) throw new Malformed({ message: `line 1: it has no ${name} element` })
  return root
}

export const beforeEnd = (tag: string): string => tag.slice(0, tag.endsWith("/>") ? -2 : -1).trimEnd()

export const withAttribute = (tag: string, name: string, value: string): string => {
  const present = new RegExp(`(\\s${name}\\s*=\\s*)(?:"([^"]*)"|'([^']*)')`)
  const [, , first, second] = present.exec(tag) ?? []
  if ((first ?? second) === value) return tag
  return present.test(tag)
    ? tag.replace(present, `$1"${value}"`)
    : `${beforeEnd(tag)} ${name}="${value}"${tag.slice(beforeEnd(tag).length)}`
}

export const comments: Edits.Comments = { marks: ["<!--", "-->"] }

/** The range to remove with an element: its lines and the comment above, if the lines have no other content. */
export const ownRange = (text: string, { from, to }: Edits.Range): Edits.Range => {
  const end = /[ \t]*\r?\n/y
  end.lastIndex = to
  const start = Edits.indentStart(text, from)
  return start !== undefined && end.test(text)
    ? { from: Edits.commentAbove(text, start, comments), to: end.lastIndex }
    : { from, to }
}

export const placeOf = ({ content, from, tagEnd, to }: Element): Edits.Range =>
  tagEnd === to ? { from, to } : { from: content.to, to: content.to }

export const contentOf = (file: string, { content: { from, to } }: Element): string => file.slice(from, to)

export const withContent = (file: string, { content, from, tagEnd, to }: Element, text: string): Edits.Edit =>
  tagEnd === to ? { from, to, text: opened(file.slice(from, to), text) } : { ...content, text }

/** Gives a self-closing element a content. */
const opened = (tag: string, content: string): string =>
  `${beforeEnd(tag)}>${content}</${/^<([^\s/>]+)/.exec(tag)?.[1]}>`

export const insertedWith = <D>(
  file: string,
  print: (node: Edits.Node<D>) => string | undefined
): Pick<Edits.Spelling<D>, "inserted" | "filled"> => ({
  inserted: (node, { items = [] }, previous) => {
    const element = print(node)
    const like = previous ?? items[0]
    if (element === undefined || like === undefined) return element
    const isOfLine = file.charAt(like.from - 1) === "\n" && file.charAt(like.to - 1) === "\n"
    return isOfLine
      ? `${/^[ \t]*/.exec(file.slice(like.from, like.to))?.[0]}${element}${Edits.lineEndOf(file)}`
      : element
  },
  filled: ({ value: { from, to } }, items) => {
    const tag = file.slice(from, to)
    if (tag !== "") return { from, to, text: opened(tag, items.join("")) }
    const start = Edits.indentStart(file, from)
    if (start === undefined) return { from, to, text: items.join("") }
    const lines = items.map((item) => `${file.slice(start, from)}  ${item}${Edits.lineEndOf(file)}`)
    return { from: start, to: start, text: lines.join("") }
  }
})
