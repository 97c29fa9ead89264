/** Android `strings.xml`. Texts are XML, because a text can contain tags. */
import { decodeXML } from "entities/decode"
import type { Format } from "../Format.ts"
import * as Edits from "./edits.ts"
import { partsOf } from "./markup.ts"
import { type Find, inLanguage, pluralOfMap, unitsOf, withUnused } from "./plurals.ts"
import * as Xml from "./xml.ts"

interface Data {
  readonly element: Xml.Element
  readonly context: string | undefined
}

type Node = Edits.Node<Data | undefined>

const characters: Readonly<Record<string, string>> = { n: "\n", t: "\t", "\\": "\\" }

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;" }

const escaped = (text: string): string => text.replaceAll(/[&<]/g, (found) => entities[found] ?? found)

const cdata = /<!\[CDATA\[([^]*?)\]\]>/g

const isCdata = (raw: string): boolean => raw.replace(cdata, "").trim() === "" && raw.trim() !== ""

/** Private-use character for collapsed white space, which Android trims at the ends of a text. */
const space = "\ue000"

/** Decodes the escapes and quotes of an element's content. Compose has fewer escapes, and no quotes. */
const decoded = (raw: string, isCompose: boolean): string => {
  let out = ""
  let isQuoted = false
  for (const [index, part] of partsOf(raw.replaceAll(cdata, (_, text: string) => escaped(text))).entries()) {
    const isTag = index % 2 === 1
    const tokens = isTag ? [[part]] : part.matchAll(/\\(?:u([\da-fA-F]{4})|([^]))|"|[ \t\r\n]+|[^\\" \t\r\n]+|\\/g)
    for (const [token = "", code, escape] of tokens) {
      if (token === "\"" && !isCompose) isQuoted = !isQuoted
      else if (code !== undefined) out += escaped(String.fromCharCode(Number.parseInt(code, 16)))
      else if (escape !== undefined) out += characters[escape] ?? (isCompose ? token : escape)
      else out += /^[ \t\r\n]/.test(token) && !isQuoted ? space : token
    }
  }
  return out.replace(/^\ue000+|(?<!\ue000)\ue000+$/g, "").replaceAll(space, " ")
}

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t" }

/** Escapes a text that replaces the content `like`; as CDATA if `like` is CDATA. */
const encoded = (text: string, like: string, isCompose: boolean): string => {
  const [special, first] = isCompose ? [/[\\\n\t]/g, /(?!)/] : [/['"\\\n\t]/g, /^[@?]/]
  const content = partsOf(text).map((part, index) =>
    index % 2 === 1 ? part : part.replaceAll("&quot;", "\"").replaceAll(/&(?:apos|#39);/g, "'").replaceAll(
      special,
      (found) => escapes[found] ?? `\\${found}`
    )
  ).join("").replaceAll("\r", "").replace(first, "\\$&").replaceAll(/^ | $|(?<= ) /g, "\\u0020")
  const plain = decodeXML(content)
  return isCdata(like) && !plain.includes("]]>") && partsOf(text).length === 1 ? `<![CDATA[${plain}]]>` : content
}

/** True for a reference to a resource or theme attribute. */
const isReference = (raw: string): boolean => /^\s*[@?][\w:+.]+\/[\w.]+\s*$/.test(raw) || raw.trim() === "@null"

const treeOf = (file: string, isCompose: boolean): Node => {
  const root = Xml.elementOf(file, "resources")
  const nodeOf = (element: Xml.Element, id: string, isText: boolean): Node => {
    const raw = Xml.contentOf(file, element)
    const range = Xml.ownRange(file, element)
    return {
      ...range,
      id,
      value: element,
      text: isText && !isReference(raw) ? decoded(raw, isCompose) : undefined,
      data: { element, context: Edits.commentOf(file, range, element.from, Xml.comments) }
    }
  }
  const items = root.children.flatMap((element): ReadonlyArray<Node> => {
    const { attributes: { name, product, translatable }, children } = element
    if (name === undefined) return []
    const path = product === undefined ? name : `${name}@${product}`
    const isText = translatable !== "false" && root.attributes["translatable"] !== "false"
    if (element.name === "string") return [nodeOf(element, Edits.idOf([path]), isText)]
    if (element.name !== "plurals" && element.name !== "string-array") return []
    const isList = element.name === "string-array"
    return [{
      ...nodeOf(element, Edits.idOf([path]), false),
      value: Xml.placeOf(element),
      isList,
      items: children.filter(({ name }) => name === "item").map((item, index) =>
        nodeOf(item, Edits.idOf([path, isList ? index : item.attributes["quantity"] ?? "other"]), isText)
      )
    }]
  })
  return Edits.checked(file, Edits.rootOf(root, Xml.placeOf(root), items, undefined))
}

const pluralsOf: Find<Data | undefined> = ({ data, items = [] }) =>
  data?.element.name === "plurals" ? pluralOfMap(items) : []

const withText = (file: string, element: Xml.Element, text: string, isCompose: boolean): Edits.Edit =>
  Xml.withContent(file, element, encoded(text, Xml.contentOf(file, element), isCompose))

/** Declares the source's prefixes in a target. */
const withPrefixes = (file: string, source: string): string => {
  const namesIn = (pattern: RegExp) => new Set(Array.from(file.matchAll(pattern), ([, name]) => name))
  const [used, declared] = [namesIn(/[<\s]([\w.-]+):/g), namesIn(/\sxmlns:([\w.-]+)=/g)]
  const all = new Map(Array.from(source.matchAll(/\sxmlns:([\w.-]+)="[^"]*"/g), ([whole, name]) => [name, whole]))
  const missing = [...all].flatMap(([name, whole]) => used.has(name) && !declared.has(name) ? whole : [])
  return file.replace("<resources", (tag) => tag + missing.join(""))
}

const formatOf = (isCompose: boolean): Format => ({
  parse: (text) => {
    const tree = treeOf(text, isCompose)
    return {
      placeholders: "xml",
      others: Edits.othersOf(tree),
      units: (language) => unitsOf(tree, pluralsOf, language, "printf", ({ data }) => data?.context),
      print: (language, texts, before, removed = new Set()) => {
        const [file, root] = before === undefined ? [text, tree] : [before, treeOf(before, isCompose)]
        const wanted = inLanguage(tree, pluralsOf, language, true)
        const all = withUnused(tree, pluralsOf, language, texts, root)
        const spelling = (file: string): Edits.Spelling<Data | undefined> => ({
          replaced: ({ data }, value) => data === undefined ? [] : [withText(file, data.element, value, isCompose)],
          ...Xml.insertedWith(file, (node) => {
            const { data, id, items } = node
            if (data === undefined) return undefined
            if (items !== undefined) {
              const own = tree.items?.find((item) => item.id === id)
              const isWritten = Edits.textsOf(node).some(({ id }) => all.has(id))
              return own === undefined || !isWritten
                ? undefined
                : Edits.editedPart(text, data.element, Edits.merge(own, node, all, removed, spelling(text)))
            }
            const value = all.get(id)
            if (value === undefined) return undefined
            const element = Edits.editedPart(text, data.element, [withText(text, data.element, value, isCompose)])
            const { attributes: { quantity }, from, tagEnd } = data.element
            const tag = text.slice(from, tagEnd)
            return quantity === undefined || quantity === Edits.keyOf({ id })
              ? element
              : Xml.withAttribute(tag, "quantity", Edits.keyOf({ id })) + element.slice(tag.length)
          })
        })
        // A new target omits untranslatable texts, but not their comments, which may describe the texts that follow.
        const elements = before === undefined ? Xml.elementOf(text, "resources").children : []
        const untranslatable = elements.flatMap((element) =>
          element.attributes["translatable"] === "false"
            ? [{
              ...Xml.ownRange(text, element),
              from: Edits.indentStart(text, element.from) ?? element.from,
              text: ""
            }]
            : []
        )
        const edits = Edits.merge(inLanguage(root, pluralsOf, language), wanted, all, removed, spelling(file))
        return withPrefixes(Edits.applyEdits(file, [...untranslatable, ...edits]), text)
      },
      accepts: Xml.isContent
    }
  },
  read: (text, language) => Edits.entriesOf(inLanguage(treeOf(text, isCompose), pluralsOf, language))
})

export const android = formatOf(false)

/** `strings.xml` of Compose Multiplatform. */
export const compose = formatOf(true)
