/** Gettext PO and POT. Files are edited in place, because PO libraries change line breaks and the order of comments. */
import type { Syntax } from "@effect-lingua/core/texts/Placeholders"
import { type Format, Malformed, type Unit } from "../Format.ts"
import { categories, categoriesOf, numbersOf } from "./categories.ts"
import * as Edits from "./edits.ts"
import { formOf, withId } from "./plurals.ts"

interface Part {
  readonly keyword: string
  text: string
  readonly from: number
  to: number
}

/** Decodes the strings of a line: `"a" "b"` is `ab`. */
const unquoted = (quoted: string, number: number): string => {
  try {
    return (quoted.match(/"(?:[^"\\]|\\[^])*"|\S+/g) ?? []).map((string): unknown =>
      JSON.parse(
        (string.startsWith("\"") ? string : "")
          .replace(/\\([^])/g, (pair, after: string) => /["\\/bfnrtu]/.test(after) ? pair : `\\${pair}`)
          .replace(/\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1))
      )
    ).join("")
  } catch {
    throw new Malformed({ message: `line ${number}: the string is not closed, or has an unknown escape` })
  }
}

const partOf = (entry: ReadonlyArray<Part>, keyword: string) => entry.find((part) => part.keyword === keyword)

const idOf = (entry: ReadonlyArray<Part>): string =>
  [partOf(entry, "msgctxt")?.text, partOf(entry, "msgid")?.text].filter((part) => part !== undefined).join("\u0004")

const stringsOf = (entry: ReadonlyArray<Part>): ReadonlyArray<Part> =>
  entry.filter(({ keyword }) => keyword.startsWith("msgstr"))

const flagsKeyword = "#,"

/** A fuzzy entry's previous `msgid`. */
const previousKeyword = "#|"

/** A comment extracted from source code. */
const commentKeyword = "#."

const flagsOf = (flags: string): ReadonlyArray<string> => flags.split(",").map((flag) => flag.trim())

const hasFlag = (entry: ReadonlyArray<Part>, flag: string): boolean =>
  entry.some(({ keyword, text }) => keyword === flagsKeyword && flagsOf(text).includes(flag))

/** Entry flags that declare a placeholder syntax, such as `python-brace-format`. */
const syntaxFlags = {
  printf: /^(?:awk|c|gcc-internal|go|java-printf|javascript|lua|objc|object-pascal|perl|php|python|ruby)-format$/,
  brace: /^(?:c\+\+|csharp|perl-brace|python-brace|rust)-format$/,
  icu: /^(?:icu|java)-format$/
}

const syntaxOf = (entry: ReadonlyArray<Part>): Syntax | undefined => {
  const flags = entry.filter(({ keyword }) => keyword === flagsKeyword).flatMap(({ text }) => flagsOf(text))
  return (["printf", "brace", "icu"] as const).find((syntax) => flags.some((flag) => syntaxFlags[syntax].test(flag)))
}

/** An entry's context, and the text of a comment `Default: "…"`, which Zope and Plone write for a `msgid` that is a key. */
const commentsOf = (entry: ReadonlyArray<Part>): Pick<Unit, "context"> & { readonly text: string | undefined } => {
  const [own = "", id = ""] = ["msgctxt", "msgid"].map((keyword) => partOf(entry, keyword)?.text)
  const comments = entry.flatMap(({ keyword, text }) => keyword === commentKeyword ? text.trim() || [] : []).join("\n")
  const [whole = "", strings, plain] =
    /^Default: *(?:((?:"(?:[^"\\\n]|\\(?:[^u]|u[\da-fA-F]{4}))*"\s*)+)$|([^" \n].*))/m.exec(comments) ?? []
  const text = strings !== undefined ? unquoted(strings, 0) : /^[\w.:-]+$/.test(id) && plain !== id ? plain : undefined
  const rest = comments.replace(text === undefined ? "" : whole, "").trim()
  return { context: `${own}\n${rest}`.trim() || undefined, text }
}

/** Splits a file into entries. Skips obsolete entries (`#~`). */
const entriesOf = (text: string): ReadonlyArray<ReadonlyArray<Part>> => {
  const entries: Array<Array<Part>> = []
  let entry: Array<Part> = []
  let hasStrings = false
  let offset = 0
  const end = () => {
    if (hasStrings) entries.push(entry)
    entry = []
    hasStrings = false
  }
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.replace(/\r$/, "")
    const from = offset
    offset += raw.length + 1
    const found = /^(?<keyword>msgctxt|msgid|msgid_plural|msgstr(?:\[\d+\])?)\s+(?<quoted>".*)$/s.exec(line.trim())
      ?.groups
    if (found !== undefined) {
      const { keyword = "", quoted = "" } = found
      if (hasStrings && !keyword.startsWith("msgstr")) end()
      hasStrings ||= keyword.startsWith("msgstr")
      const start = from + line.indexOf("\"")
      entry.push({ keyword, text: unquoted(quoted, index + 1), from: start, to: from + line.trimEnd().length })
    } else if (line.trim().startsWith("\"")) {
      const last = entry.at(-1)
      if (last === undefined) throw new Malformed({ message: `line ${index + 1}: a string without a keyword` })
      last.text += unquoted(line.trim(), index + 1)
      last.to = from + line.trimEnd().length
    } else if (line.startsWith("#~")) {
      end()
    } else if (/^#(?:[,.:|\s]|$)/.test(line)) {
      if (hasStrings) end()
      entry.push({ keyword: line.slice(0, 2).trim(), text: line.slice(2), from, to: Math.min(offset, text.length) })
    } else if (line.trim() !== "" && !line.trim().startsWith("#")) {
      throw new Malformed({ message: `line ${index + 1}: neither a keyword, nor a string, nor a comment` })
    }
  }
  end()
  return entries
}

const isHeader = (entry: ReadonlyArray<Part>): boolean => idOf(entry) === ""

const unitId = (entry: ReadonlyArray<Part>, { keyword }: Part): string => idOf(entry) + keyword.slice("msgstr".length)

type Node = Edits.Node<ReadonlyArray<Part>>

const nodeOf = (text: string, entry: ReadonlyArray<Part>): Node => {
  const [first] = entry
  const strings = stringsOf(entry)
  const end = Edits.nextLine(text, strings.at(-1)?.to ?? 0)
  const start = Edits.lineStart(text, first?.from ?? 0)
  return {
    id: idOf(entry) + (partOf(entry, "msgid_plural") === undefined ? "" : "\u0000"),
    from: start - Edits.spaceBefore(text, start).replace(/^[^\n]*\n/, "").length,
    to: end,
    value: { from: start, to: end },
    text: undefined,
    data: entry,
    items: isHeader(entry) ? undefined : strings.map((part) => ({
      id: unitId(entry, part),
      from: Edits.lineStart(text, part.from),
      to: Edits.nextLine(text, part.to),
      value: part,
      text: part.text,
      data: entry
    }))
  }
}

const treeOf = (text: string): Node => {
  const range = { from: 0, to: text.length }
  const items = entriesOf(Edits.withoutMark(text)).map((entry) => nodeOf(text, entry))
  Edits.checkUnique(
    text,
    items.map(({ data, id }) => ({
      id,
      text: stringsOf(data).map(({ text }) => text).join(""),
      name: `the entry of ${JSON.stringify(partOf(data, "msgid")?.text)}`,
      offset: partOf(data, "msgid")?.from ?? 0
    }))
  )
  return Edits.rootOf(range, range, items, [])
}

const slavic = "n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2"

/** Gettext plural forms. CLDR may have one more category, for fractions. */
const pluralForms: ReadonlyArray<readonly [languages: string, count: number, expression: string]> = [
  ["id ja ko ms th vi zh", 1, "0"],
  ["fr pt-BR", 2, "n > 1"],
  ["pl", 3, `n==1 ? 0 : ${slavic}`],
  ["be bs hr ru sr uk", 3, `n%10==1 && n%100!=11 ? 0 : ${slavic}`],
  ["cs sk", 3, "n==1 ? 0 : n>=2 && n<=4 ? 1 : 2"],
  ["lt", 3, "n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2"],
  ["lv", 3, "n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2"],
  ["ro", 3, "n==1 ? 0 : n==0 || (n%100>0 && n%100<20) ? 1 : 2"],
  ["dsb hsb sl", 4, "n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3"],
  [
    "br",
    5,
    "n%10==1 && n%100!=11 && n%100!=71 && n%100!=91 ? 0 : n%10==2 && n%100!=12 && n%100!=72 && n%100!=92 ? 1 : " +
    "(n%10==3 || n%10==4 || n%10==9) && (n%100<10 || n%100>19) && (n%100<70 || n%100>79) && n%100<90 ? 2 : " +
    "n!=0 && n%1000000==0 ? 3 : 4"
  ],
  ["is mk", 2, "n%10!=1 || n%100==11"],
  ["ga", 5, "n==1 ? 0 : n==2 ? 1 : n<7 ? 2 : n<11 ? 3 : 4"],
  ["gd", 4, "n==1 || n==11 ? 0 : n==2 || n==12 ? 1 : n>2 && n<20 ? 2 : 3"],
  ["mt", 4, "n==1 ? 0 : n==0 || (n%100>1 && n%100<11) ? 1 : n%100>10 && n%100<20 ? 2 : 3"],
  ["cy", 4, "n==1 ? 0 : n==2 ? 1 : n!=8 && n!=11 ? 2 : 3"],
  ["he", 2, "n != 1"],
  ["ar", 6, "n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5"]
]

const headerOf = (tree: Node | undefined): Node | undefined => tree?.items?.find(({ data }) => isHeader(data))

const fieldsOf = (header: Node | undefined): string => stringsOf(header?.data ?? []).map(({ text }) => text).join("")

/** Number of plural forms and the `Plural-Forms` value, from the target file or the language's default. */
const formsOf = (language: string, before: string | undefined): readonly [count: number, field: string] => {
  const [, field, formCount] = /^Plural-Forms:\s*(nplurals=(\d+).*)$/m.exec(
    before === undefined ? "" : fieldsOf(headerOf(treeOf(before)))
  ) ?? []
  if (field !== undefined) return [Number(formCount), field]
  const [base = ""] = language.split("-")
  const found = pluralForms.find(([languages]) => languages.split(" ").includes(language)) ??
    pluralForms.find(([languages]) => languages.split(" ").includes(base))
  if (found === undefined && categoriesOf(language).filter((category) => category !== "many").length > 2) {
    throw new Malformed({ message: `this program does not know the gettext plural forms of ${language}` })
  }
  const [, count, expression] = found ?? ["", 2, "n != 1"]
  return [count, `nplurals=${count}; plural=(${expression});`]
}

const quotedFields = (text: string): string =>
  text.split(/(?<=\n)/).filter((field) => field !== "").map((field) => `\n${JSON.stringify(field)}`).join("")

const rangeOf = (parts: ReadonlyArray<Part>) => ({ from: parts[0]?.from ?? 0, to: parts.at(-1)?.to ?? 0 })

/** Edits that remove an entry's `fuzzy` flag and previous `msgid`. */
const withoutFuzzy = (text: string, entry: ReadonlyArray<Part>): ReadonlyArray<Edits.Edit> =>
  !hasFlag(entry, "fuzzy") ? [] : entry.flatMap(({ from, keyword, text: content, to }) => {
    const flags = flagsOf(content).filter((flag) => flag !== "fuzzy" && flag !== "")
    if (keyword !== flagsKeyword) return keyword === previousKeyword ? [{ from, to, text: "" }] : []
    const rest = flags.length === 0 ? "" : `${flagsKeyword} ${flags.join(", ")}${Edits.lineEndOf(text)}`
    return [{ from, to, text: rest }]
  })

/** Sets a header field, unless `isRight` accepts the present value. */
const withField = (header: string, name: string, value: string, isRight: (value: string) => boolean): string => {
  const line = new RegExp(`^${name}:[^\\S\\n]*(.*)$`, "m")
  const [, present] = line.exec(header) ?? []
  if (present !== undefined) return isRight(present) ? header : header.replace(line, () => `${name}: ${value}`)
  return `${header}${header === "" || header.endsWith("\n") ? "" : "\n"}${name}: ${value}\n`
}

const isUtf8 = (contentType: string): boolean => /=utf-?8\s*$/i.test(contentType)

const categoryOf = (index: number, count: number): string =>
  count === categories.length ? categories[index] ?? "other" : index === 0 && count > 1 ? "one" : "other"

const isPlural = ({ data }: Pick<Node, "data">): boolean => partOf(data, "msgid_plural") !== undefined

export const po: Format = {
  parse: (text) => {
    const tree = treeOf(text)
    const entries = tree.items ?? []
    const hasPlurals = entries.some(isPlural)
    const byId = new Map(entries.map((entry) => [idOf(entry.data), entry]))
    const withForms = (count: number): Node => ({
      ...tree,
      items: entries.map((entry) => {
        const [form] = entry.items ?? []
        if (form === undefined || !isPlural(entry)) return entry
        const forms = Array.from({ length: count }, (_, index) => withId(form, `${idOf(entry.data)}[${index}]`))
        return Object.assign({}, entry, { items: forms })
      })
    })
    return {
      placeholders: "printf",
      units: (language, before): ReadonlyArray<Unit> => {
        const [count] = hasPlurals ? formsOf(language, before) : [1]
        const numbers = numbersOf(language)
        return (withForms(count).items ?? []).flatMap(({ data, items = [] }) => {
          const msgid = partOf(data, "msgid")
          // If `msgid` is a key, the source file has the text in `msgstr`.
          const own = hasFlag(data, "fuzzy") ? [] : byId.get(idOf(data))?.items ?? []
          const { context, text } = commentsOf(data)
          const singular = own[0]?.text || text || msgid?.text || ""
          const plural = isPlural({ data }) ? own.at(-1)?.text || partOf(data, "msgid_plural")?.text : undefined
          const about = { placeholders: syntaxOf(data), context, offset: msgid?.from ?? 0 }
          return items.map(({ id }, index): Unit => {
            if (plural === undefined) return { id, text: singular, ...about }
            const category = categoryOf(index, count)
            const form = index === 0 && count > 1 ? singular : undefined
            return { id, plural: idOf(data), ...about, ...formOf(category, form, plural, "printf", numbers) }
          })
        })
      },
      print: (language, texts, before, removed = new Set()) => {
        const isNew = before === undefined
        const [file, root] = isNew ? [text, tree] : [before, treeOf(before)]
        const [count, forms] = hasPlurals ? formsOf(language, before) : [1, ""]
        const end = Edits.lineEndOf(file)
        const textOf = (id: string) => texts.get(id) ?? ""

        const header = headerOf(root)
        const own = withForms(count)
        // The header must be a target file's first entry.
        const wanted = { ...own, items: [...(header === undefined ? [] : [header]), ...own.items ?? []] }
        const fields = fieldsOf(header)
        const named = withField(fields, "Language", language.replaceAll("-", "_"), (value) => !isNew && value !== "")
        const encoded = withField(named, "Content-Type", "text/plain; charset=UTF-8", isUtf8)
        const complete = forms === ""
          ? encoded
          : withField(encoded, "Plural-Forms", forms, (value) => !isNew && /nplurals=\d/.test(value))
        const headerEdits = (): ReadonlyArray<Edits.Edit> => {
          const spelled = Edits.withLineEnds(`""${quotedFields(complete)}`, end)
          if (header === undefined) {
            const at = file.startsWith("\ufeff") ? 1 : 0
            return [{ from: at, to: at, text: `msgid ""${end}msgstr ${spelled}${end}${end}` }]
          }
          const strings = rangeOf(stringsOf(header.data))
          const isLonger = fields.endsWith("\n") && complete.startsWith(fields)
          const more = Edits.withLineEnds(quotedFields(complete.slice(fields.length)), end)
          return [
            isLonger ? { from: strings.to, to: strings.to, text: more } : { ...strings, text: spelled },
            ...withoutFuzzy(file, header.data)
          ]
        }

        const gone = new Set(removed)
        for (const entry of root.items ?? []) {
          const like = byId.get(idOf(entry.data))
          if (like === undefined) continue
          // For gettext, `msgid_plural` is not a part of an entry's id.
          const isOther = isPlural(like) !== isPlural(entry)
          for (const { id, text, value } of Edits.textsOf(entry)) {
            if (isOther && text !== "" && !removed.has(id) && !hasFlag(entry.data, "fuzzy")) {
              throw Edits.malformed(file, value.from, "only one of source and target is a plural; move or delete it")
            }
            if (isOther || isNew || text === "") gone.add(id)
          }
        }
        const entryEdits = (entry: Node): ReadonlyArray<Edits.Edit> => {
          if (!isNew && !(entry.items ?? []).some(({ id }) => textOf(id) !== "")) return []
          const [old, now] = [entry, byId.get(idOf(entry.data))].map((node) => partOf(node?.data ?? [], "msgid_plural"))
          const isOther = old !== undefined && now !== undefined && old.text !== now.text
          return [
            ...withoutFuzzy(file, entry.data),
            ...(isOther ? [{ from: old.from, to: old.to, text: JSON.stringify(now.text) }] : [])
          ]
        }
        const entryOf = ({ data, items = [], value: { from } }: Node): string => {
          const strings = rangeOf(stringsOf(data))
          const values = items.map(({ id }, index) =>
            `${index === 0 ? "" : `msgstr[${index}] `}${JSON.stringify(textOf(id))}`
          )
          const edits = [...withoutFuzzy(text, data), { ...strings, text: values.join("\n") }]
          return Edits.withLineEnds(Edits.editedPart(text, { from, to: strings.to }, edits), end)
        }
        const all = isNew ? new Map(Edits.textsOf(wanted).map(({ id }) => [id, textOf(id)])) : texts
        return Edits.applyEdits(file, [
          ...(complete === fields || header === undefined && !isNew && !hasPlurals ? [] : headerEdits()),
          ...(root.items ?? []).flatMap(entryEdits),
          ...Edits.merge(root, wanted, all, gone, {
            replaced: ({ value: { from, to } }, text) => {
              const [empty = ""] = /^""\r?\n/.exec(file.slice(from, to)) ?? []
              return [{ from, to, text: empty + JSON.stringify(text) }]
            },
            inserted: (node, { items: [first] = [] }, previous) => {
              if (isHeader(node.data)) return undefined
              if (node.text !== undefined) {
                return `msgstr${node.id.slice(idOf(node.data).length)} ${JSON.stringify(textOf(node.id))}${end}`
              }
              const at = previous?.to ?? first?.from ?? 0
              const entry = entryOf(node)
              return at === 0 ? entry + end + end : Edits.isLineStart(file, at) ? end + entry + end : end + end + entry
            },
            filled: (_, items) => ({ from: file.length, to: file.length, text: items.join("") })
          })
        ])
      }
    }
  },
  read: (text) => Edits.entriesOf(treeOf(text), ({ data }) => hasFlag(data, "fuzzy"))
}
