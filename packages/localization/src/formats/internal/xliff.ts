/** XLIFF 1.2 and 2.0: a source and its target are in one file, and texts are XML. The texts stay as they are spelled. */
import { SaxesParser } from "saxes"
import { type Format, Malformed } from "../Format.ts"
import { applyEdits, checkUnique, type Edit, spaceBefore } from "./edits.ts"

/** A part of the file. */
interface Range {
  readonly from: number
  readonly to: number
}

/** An element that is open. */
interface Open extends Range {
  readonly name: string
  /** The id of the segment that it may be, without its own place. */
  readonly path: string | undefined
  readonly isTranslated: boolean
  /** True for a note about the place in the program, as Angular writes them. */
  readonly isLocation: boolean
  /** Its segments so far. */
  segments: number
  /** The end of its source, and of the segments of that. */
  sourceEnd: number
  /** The notes of a unit, or the text of a note. */
  notes: string
  source?: Range & { readonly content: Range }
  target?: Range & { readonly content: Range }
}

interface Segment extends Range {
  readonly tagEnd: number
  /** Where a target can be added. */
  readonly sourceEnd: number
  readonly id: string
  readonly source: NonNullable<Open["source"]>
  readonly target: Open["target"]
  readonly context: string | undefined
}

/** Fails at the first error of a text. The tags that a handler is given end at the position of the parser. */
const parserOf = (): SaxesParser => {
  const parser = new SaxesParser({ position: true })
  parser.on("error", ({ message }) => {
    throw new Malformed({ message: message.replace(/^(\d+):(\d+): /, "line $1, column $2: ") })
  })
  return parser
}

const localName = (name: string): string => name.replace(/^.*:/, "")

const isSegment = (name: string): boolean => name === "trans-unit" || name === "segment"

/** The segments of a file, and the tags that name its languages. */
const read = (text: string) => {
  const segments: Array<Segment> = []
  const tags: Array<Range> = []
  const open: Array<Open> = []
  let version = ""
  const parser = parserOf()
  const tag = (): Range => ({ from: text.lastIndexOf("<", parser.position - 1), to: parser.position })
  parser.on("opentag", ({ attributes: { category, id, original, translate, version: of = "" }, name }) => {
    const local = localName(name)
    const parent = open.at(-1)
    if (parent === undefined) {
      if (local !== "xliff") throw new Malformed({ message: "line 1: it has no xliff element" })
      version = of
    }
    if (local === (version.startsWith("2") ? "xliff" : "file")) tags.push(tag())
    // Segments of a unit need no id.
    const index = isSegment(local) && parent !== undefined ? parent.segments++ : 0
    const own = original ?? id ?? (index > 0 ? String(index) : undefined)
    open.push({
      ...tag(),
      name,
      path: own === undefined || parent?.path === undefined ? own ?? parent?.path : `${parent.path}/${own}`,
      isTranslated: translate === undefined ? parent?.isTranslated ?? true : translate === "yes",
      isLocation: category === "location",
      segments: 0,
      sourceEnd: 0,
      notes: ""
    })
  })
  parser.on("text", (content) => {
    const element = open.at(-1)
    if (element !== undefined && localName(element.name) === "note") element.notes += content
  })
  parser.on("closetag", () => {
    const element = open.pop()
    const parent = open.at(-1)
    if (element === undefined || parent === undefined) return
    const { from, name, notes, to } = element
    const local = localName(name)
    if (local === "note" && !element.isLocation) {
      const unit = localName(parent.name) === "notes" ? open.at(-2) : parent
      if (unit !== undefined) unit.notes += `${notes.trim()}\n`
    }
    const end = tag()
    const part = { from, to: end.to, content: { from: to, to: end.to === to ? to : end.from } }
    if (isSegment(localName(parent.name)) && (local === "source" || local === "target")) parent[local] = part
    if (local === "source" || local === "seg-source") parent.sourceEnd = end.to
    if (isSegment(local) && element.source !== undefined && element.isTranslated) {
      const { path, source, target } = element
      segments.push({
        from,
        to: end.to,
        tagEnd: to,
        sourceEnd: element.sourceEnd,
        id: path ?? "",
        source,
        target,
        context: (local === "segment" ? parent.notes : notes).trim() || undefined
      })
    }
  })
  parser.write(text).close()
  checkUnique(text, segments.map(({ id, source }) => ({ id, name: `the unit ${id}`, offset: source.from })))
  return { segments, tags, attribute: version.startsWith("2") ? "trgLang" : "target-language" }
}

/** A tag without its `>` or `/>`, and the space before it. */
const beforeEnd = (tag: string): string => tag.slice(0, tag.endsWith("/>") ? -2 : -1).trimEnd()

const contentOf = (text: string, { content: { from, to } }: NonNullable<Open["source"]>): string => text.slice(from, to)

/** A tag with the state of a translation, if it has one. */
const withState = (tag: string): string => tag.replace(/(\sstate\s*=\s*)(?:"[^"]*"|'[^']*')/, "$1\"translated\"")

/** A translation in the place of the present target, or on a line of its own as the source. */
const edited = (text: string, segment: Segment, value: string, present: string | undefined): ReadonlyArray<Edit> => {
  const { from, source, sourceEnd, tagEnd, target } = segment
  if (target !== undefined && contentOf(text, target) === value) return []
  const name = (/^<[\w.:-]*/.exec(text.slice(source.from))?.[0] ?? "").slice(1).replace(/source$/, "target")
  const tag = target === undefined ? `<${name}` : withState(beforeEnd(text.slice(target.from, target.content.from)))
  const element = present ?? `${tag}>${value}</${name}>`
  return [
    { from, to: tagEnd, text: present === undefined ? withState(text.slice(from, tagEnd)) : text.slice(from, tagEnd) },
    target === undefined
      ? { from: sourceEnd, to: sourceEnd, text: spaceBefore(text, source.from) + element }
      : { from: target.from, to: target.to, text: element }
  ]
}

/** XLIFF. */
export const xliff: Format = {
  parse: (text) => {
    const { attribute, segments, tags } = read(text)
    return {
      placeholders: "xml",
      units: () =>
        segments.map(({ context, id, source }) => ({
          id,
          text: contentOf(text, source),
          offset: source.from,
          context
        })),
      print: (language, texts, before = "") => {
        const present = new Map(before === "" ? [] : read(before).segments.map((segment) => [segment.id, segment]))
        const printed = (segment: Segment, value: string): ReadonlyArray<Edit> => {
          const old = present.get(segment.id)
          if (old?.target === undefined || contentOf(before, old.target) !== value) {
            return edited(text, segment, value, undefined)
          }
          // With its state, its notes and all else that others wrote.
          return contentOf(before, old.source) === contentOf(text, segment.source)
            ? [{ from: segment.from, to: segment.to, text: before.slice(old.from, old.to) }]
            : edited(text, segment, value, before.slice(old.target.from, old.target.to))
        }
        return applyEdits(text, [
          ...tags.map(({ from, to }): Edit => {
            const before = text.slice(from, to)
            const present = new RegExp(`(\\s${attribute}\\s*=\\s*)(?:"[^"]*"|'[^']*')`)
            return {
              from,
              to,
              text: present.test(before)
                ? before.replace(present, `$1"${language}"`)
                : `${beforeEnd(before)} ${attribute}="${language}"${before.slice(beforeEnd(before).length)}`
            }
          }),
          ...segments.flatMap((segment) => {
            const value = texts.get(segment.id)
            return value === undefined ? [] : printed(segment, value)
          })
        ])
      },
      accepts: (translation) => {
        try {
          parserOf().write(`<x>${translation}</x>`).close()
          return true
        } catch {
          return false
        }
      }
    }
  },
  read: (text) =>
    new Map(
      read(text).segments.flatMap(({ id, target }) => {
        const content = target === undefined ? "" : contentOf(text, target)
        return content === "" ? [] : [[id, { text: content, offset: target?.from ?? 0 }] as const]
      })
    )
}
