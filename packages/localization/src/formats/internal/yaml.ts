/** YAML of strings. With the code of the language as its root it is one of Rails, with plurals as maps of categories. */
import * as Yaml from "yaml"
import { type Entry, type Format, Malformed, type Unit } from "../Format.ts"
import { applyEdits, categories, categoriesOf, type Edit, idOf, positionOf } from "./edits.ts"

interface Leaf {
  readonly path: ReadonlyArray<string | number>
  readonly scalar: Yaml.Scalar<string>
}

/** A map of plurals by category. */
interface Plural {
  readonly path: ReadonlyArray<string | number>
  readonly forms: ReadonlyMap<string, Yaml.Scalar<string>>
  readonly other: Yaml.Scalar<string>
  /** What stands before a further form. */
  readonly gap: string
}

const isText = (node: unknown): node is Yaml.Scalar<string> => Yaml.isScalar(node) && typeof node.value === "string"

const unitOf = (id: string, scalar: Yaml.Scalar<string>): Unit => ({ id, ...entryOf(scalar) })

const entryOf = ({ range, value }: Yaml.Scalar<string>): Entry => ({ text: value, offset: range?.[0] ?? 0 })

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
  // A description of each of a thousand errors takes long.
  const document = Yaml.parseDocument(text, { prettyErrors: false })
  const [error] = document.errors
  if (error !== undefined) throw new Malformed({ message: `${positionOf(text, error.pos[0])}: ${error.message}` })
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

/** The plurals of a map, if it has no other keys. */
const pluralOf = (text: string, node: unknown, path: ReadonlyArray<string | number>): Plural | undefined => {
  if (!Yaml.isMap(node)) return undefined
  const forms = new Map<string, Yaml.Scalar<string>>()
  for (const { key, value } of node.items) {
    if (!Yaml.isScalar(key) || !categories.includes(String(key.value)) || !isText(value)) return undefined
    forms.set(String(key.value), value)
  }
  const other = forms.get("other")
  const [first] = node.items
  if (other === undefined || !Yaml.isScalar(first?.key) || first.key.range == null) return undefined
  const [from] = first.key.range
  return {
    path,
    forms,
    other,
    gap: node.flow === true ? ", " : `\n${text.slice(text.lastIndexOf("\n", from) + 1, from)}`
  }
}

const pluralsOf = (text: string, node: unknown, path: ReadonlyArray<string | number> = []): ReadonlyArray<Plural> => {
  const found = pluralOf(text, node, path)
  if (found !== undefined) return [found]
  return Yaml.isMap(node)
    ? node.items.flatMap(({ key, value }) =>
      pluralsOf(text, value, [...path, String(Yaml.isScalar(key) ? key.value : key)])
    )
    : []
}

const read = (text: string, language: string) => {
  const document = documentOf(text)
  const root = rootOf(document, language)
  const skipped = root === undefined ? 0 : 1
  const plurals = root === undefined ? [] : pluralsOf(text, document.contents)
  const inPlural = new Set(plurals.flatMap(({ forms }) => Array.from(forms.values())))
  const leaves = leavesOf(document.contents).map(({ path, scalar }) => ({ scalar, id: idOf(path.slice(skipped)) }))
  return {
    root,
    leaves,
    single: leaves.filter(({ scalar }) => !inPlural.has(scalar)),
    plurals: plurals.map(({ forms, gap, other, path }) => ({
      forms,
      gap,
      other,
      idOf: (category: string) => idOf([...path.slice(skipped), category])
    }))
  }
}

interface Spelled {
  readonly spelled: string
  readonly value: string
}

/** Texts of the present file on a line of their own, as they are spelled, where that is possible everywhere. */
const spelledOf = (text: string | undefined, language: string): ReadonlyMap<string, Spelled> =>
  new Map(
    text === undefined ? [] : read(text, language).leaves.flatMap(({ id, scalar: { range, value } }) => {
      const spelled = range == null ? "" : text.slice(range[0], range[1])
      return /^(?:"[^\n]*"|'[^\n]*'|[^\n,[\]{}|>&*!#:"'][^\n,[\]{}#:]*)$/.test(spelled)
        ? [[id, { spelled, value }]]
        : []
    })
  )

const replaced = (
  text: string,
  scalar: Yaml.Scalar<string>,
  value: string | undefined,
  present?: Spelled
): ReadonlyArray<Edit> => {
  const isSame = present !== undefined && present.value === value
  if (value === undefined || scalar.range == null || value === scalar.value && !isSame) return []
  const [from, to] = scalar.range
  // The range of a block includes the line break after it.
  const end = text.slice(from, to).endsWith("\n") ? "\n" : ""
  return [{ from, to, text: (isSame ? present.spelled : printed(value, scalar)) + end }]
}

/** YAML. */
export const yaml: Format = {
  parse: (text, source) => {
    const { plurals, root, single } = read(text, source)
    return {
      placeholders: root === undefined ? "icu" : "printf",
      units: (language): ReadonlyArray<Unit> => [
        ...single.map(({ id, scalar }) => unitOf(id, scalar)),
        ...plurals.flatMap(({ forms, idOf, other }) =>
          categoriesOf(language).map((category) => unitOf(idOf(category), forms.get(category) ?? other))
        )
      ],
      print: (language, texts, before) => {
        const spelled = spelledOf(before, language)
        return applyEdits(text, [
          ...(root?.range == null ? [] : [{ from: root.range[0], to: root.range[1], text: language }]),
          ...single.flatMap(({ id, scalar }) => replaced(text, scalar, texts.get(id), spelled.get(id))),
          // A category that the language does not have is never used; it says what `other` says.
          ...plurals.flatMap(({ forms, idOf }) =>
            Array.from(forms).flatMap(([category, scalar]) =>
              replaced(text, scalar, texts.get(idOf(category)) ?? texts.get(idOf("other")), spelled.get(idOf(category)))
            )
          ),
          ...plurals.flatMap(({ forms, gap, idOf, other }) => {
            const more = categoriesOf(language).filter((category) => !forms.has(category)).map((category) =>
              `${gap}${category}: ${printed(texts.get(idOf(category)) ?? other.value, other)}`
            ).join("")
            const at = other.range?.[1] ?? 0
            const isBlock = text.slice(0, at).endsWith("\n")
            return more === "" ? [] : [{ from: at, to: at, text: isBlock ? `${more.slice(1)}\n` : more }]
          })
        ])
      }
    }
  },
  read: (text, language) => new Map(read(text, language).leaves.map(({ id, scalar }) => [id, entryOf(scalar)]))
}
