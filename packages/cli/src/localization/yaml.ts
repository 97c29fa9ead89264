/** YAML of strings, as of Rails: a root with the code of the language is renamed. */
import * as Yaml from "yaml"
import { applyEdits, type Format, idOf, Malformed } from "./format.ts"

interface Leaf {
  readonly path: ReadonlyArray<string | number>
  readonly scalar: Yaml.Scalar<string>
}

const isText = (node: unknown): node is Yaml.Scalar<string> => Yaml.isScalar(node) && typeof node.value === "string"

const leavesOf = (node: unknown, path: ReadonlyArray<string | number> = []): ReadonlyArray<Leaf> => {
  if (isText(node)) return [{ path, scalar: node }]
  if (Yaml.isMap(node)) {
    return node.items.flatMap(({ key, value }) =>
      leavesOf(value, [...path, String(Yaml.isScalar(key) ? key.value : key)])
    )
  }
  return Yaml.isSeq(node) ? node.items.flatMap((item, index) => leavesOf(item, [...path, index])) : []
}

const documentOf = (text: string): Yaml.Document.Parsed => {
  const document = Yaml.parseDocument(text)
  const [error] = document.errors
  if (error !== undefined) throw new Malformed({ message: error.message.split("\n", 1)[0]?.replace(/:$/, "") ?? "" })
  return document
}

/** The only key of the root, if it is the code of the language. */
const rootOf = ({ contents }: Yaml.Document.Parsed, language: string): Yaml.Scalar | undefined => {
  const key = Yaml.isMap(contents) && contents.items.length === 1 ? contents.items[0]?.key : undefined
  return Yaml.isScalar(key) && key.value === language ? key : undefined
}

/** In the style of the scalar that it replaces, where that is possible everywhere. */
const printed = (text: string, { type }: Yaml.Scalar): string =>
  type === "PLAIN" && /^\p{L}[\p{L}\p{N} .!?-]*(?<! )$/u.test(text) && Yaml.parse(text) === text
    ? text
    : type === "QUOTE_SINGLE" && !/\p{Cc}/u.test(text)
    ? `'${text.replaceAll("'", "''")}'`
    : JSON.stringify(text)

const texts = (text: string, language: string) => {
  const document = documentOf(text)
  const root = rootOf(document, language)
  const leaves = leavesOf(document.contents)
  return {
    root,
    leaves: leaves.map(({ path, scalar }) => ({ scalar, id: idOf(root === undefined ? path : path.slice(1)) }))
  }
}

/** YAML. */
export const yaml: Format = {
  extensions: [".yaml", ".yml"],
  placeholders: "icu",
  parse: (text, source) => {
    const { leaves, root } = texts(text, source)
    return {
      units: () => leaves.map(({ id, scalar }) => ({ id, text: scalar.value })),
      print: (language, translated) =>
        applyEdits(text, [
          ...(root?.range == null ? [] : [{ from: root.range[0], to: root.range[1], text: language }]),
          ...leaves.flatMap(({ id, scalar }) => {
            const value = translated.get(id)
            if (value === undefined || value === scalar.value || scalar.range == null) return []
            const [from, to] = scalar.range
            // The range of a block includes the line break after it.
            const end = text.slice(from, to).endsWith("\n") ? "\n" : ""
            return [{ from, to, text: printed(value, scalar) + end }]
          })
        ])
    }
  },
  read: (text, language) => new Map(texts(text, language).leaves.map(({ id, scalar }) => [id, scalar.value]))
}
