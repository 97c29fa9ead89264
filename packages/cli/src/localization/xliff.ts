/** XLIFF 1.2 and 2.0: a source and its target are in one file, and texts are XML. */
import { DOMParser, type Element, type Node, XMLSerializer } from "@xmldom/xmldom"
import { type Format, Malformed } from "./format.ts"

const parseXml = (text: string) => {
  try {
    return new DOMParser({
      onError: (level, message) => {
        if (level !== "warning") throw new Malformed({ message: message.replace(/\s+/g, " ") })
      }
    }).parseFromString(text, "text/xml")
  } catch (error) {
    throw new Malformed({ message: error instanceof Error ? error.message.replace(/\s+/g, " ") : String(error) })
  }
}

const isElement = (node: Node): node is Element => node.nodeType === 1

const childrenOf = (element: Node): ReadonlyArray<Element> => Array.from(element.childNodes).filter(isElement)

const childOf = (element: Element, name: string): Element | undefined =>
  childrenOf(element).find(({ localName }) => localName === name)

const serializer = new XMLSerializer()

/** The content of an element as XML, without the namespace that its file declares. */
const innerOf = (element: Element): string =>
  Array.from(element.childNodes).map((node) => serializer.serializeToString(node)).join("").replace(
    / xmlns="[^"]*"/g,
    ""
  )

interface Segment {
  readonly id: string
  readonly element: Element
  readonly source: Element
}

/** The segments below an element. The id has those of the elements around it. */
const segmentsOf = (element: Element, path: ReadonlyArray<string> = []): ReadonlyArray<Segment> => {
  const own = element.getAttribute("original") ?? element.getAttribute("id")
  const here = own === null ? path : [...path, own]
  if (element.localName === "trans-unit" || element.localName === "segment") {
    const source = childOf(element, "source")
    return source === undefined || element.getAttribute("translate") === "no"
      ? []
      : [{ id: here.join("/"), element, source }]
  }
  const segments = childrenOf(element).filter(({ localName }) => localName === "segment")
  return childrenOf(element).flatMap((child) =>
    segmentsOf(
      child,
      segments.length > 1 && child.getAttribute("id") === null ? [...here, String(segments.indexOf(child))] : here
    )
  )
}

const rootOf = (text: string): Element => {
  const root = parseXml(text).documentElement
  if (root === null || root.localName !== "xliff") throw new Malformed({ message: "line 1: it has no xliff element" })
  return root
}

const setTarget = ({ element, source }: Segment, xml: string): void => {
  const document = element.ownerDocument
  if (document === null) return
  const present = childOf(element, "target")
  const target = present ?? document.createElementNS(element.namespaceURI, "target")
  for (const node of Array.from(target.childNodes)) target.removeChild(node)
  const content = parseXml(`<target xmlns="${element.namespaceURI ?? ""}">${xml}</target>`).documentElement
  for (const node of Array.from(content?.childNodes ?? [])) target.appendChild(document.importNode(node, true))
  if (present !== undefined) return
  const before = source.previousSibling
  const next = source.nextSibling
  // In the line and indentation of the source.
  if (before?.nodeType === 3) element.insertBefore(before.cloneNode(false), next)
  element.insertBefore(target, next)
}

/** XLIFF. */
export const xliff: Format = {
  extensions: [".xlf", ".xliff"],
  placeholders: "xml",
  parse: (text) => {
    const segments = segmentsOf(rootOf(text))
    return {
      units: () => segments.map(({ id, source }) => ({ id, text: innerOf(source) })),
      print: (language, texts) => {
        const root = rootOf(text)
        for (const segment of segmentsOf(root)) {
          const value = texts.get(segment.id)
          if (value !== undefined) setTarget(segment, value)
        }
        if (root.getAttribute("version")?.startsWith("2") === true) root.setAttribute("trgLang", language)
        else {
          for (const file of childrenOf(root).filter(({ localName }) => localName === "file")) {
            file.setAttribute("target-language", language)
          }
        }
        const end = text.endsWith("\n") ? "\n" : ""
        return serializer.serializeToString(root.ownerDocument ?? root).trimEnd().replace(
          /(<\?xml[^>]*\?>)(?=<)/,
          "$1\n"
        ) + end
      }
    }
  },
  read: (text) =>
    new Map(
      segmentsOf(rootOf(text)).flatMap(({ element, id }) => {
        const target = childOf(element, "target")
        return target === undefined || target.childNodes.length === 0 ? [] : [[id, innerOf(target)] as const]
      })
    )
}
