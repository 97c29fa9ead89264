/**
 * PO and POT of gettext. Read line by line, because the libraries for it print an entry anew: line breaks and the order of comments would
 * change in every file.
 */
import { type Format, Malformed, type Unit } from "../Format.ts"
import { applyEdits, categoriesOf, checkUnique, type Edit } from "./edits.ts"

interface Part {
  readonly keyword: string
  text: string
  /** The offsets of its strings, without the keyword. */
  readonly from: number
  to: number
}

/** The text of a string in quotes. */
const unquoted = (quoted: string, number: number): string => {
  try {
    const value: unknown = JSON.parse(
      quoted.replace(/\\(.)/g, (pair, after: string) => /["\\/bfnrtu]/.test(after) ? pair : `\\${pair}`)
    )
    return String(value)
  } catch {
    throw new Malformed({ message: `line ${number}: the string is not closed, or has an unknown escape` })
  }
}

const partOf = (entry: ReadonlyArray<Part>, keyword: string) => entry.find((part) => part.keyword === keyword)

/** The id of an entry: its context and its text. */
const idOf = (entry: ReadonlyArray<Part>): string =>
  [partOf(entry, "msgctxt")?.text, partOf(entry, "msgid")?.text].filter((part) => part !== undefined).join("\u0004")

const stringsOf = (entry: ReadonlyArray<Part>): ReadonlyArray<Part> =>
  entry.filter(({ keyword }) => keyword.startsWith("msgstr"))

const flagsKeyword = "#,"

/** Of a comment that is extracted from the program. */
const commentKeyword = "#."

const flagsOf = (flags: string): ReadonlyArray<string> => flags.split(",").map((flag) => flag.trim())

const hasFlag = (entry: ReadonlyArray<Part>, flag: string): boolean =>
  entry.some(({ keyword, text }) => keyword === flagsKeyword && flagsOf(text).includes(flag))

/** Of a comment by a translator. */
const translatorKeyword = "#"

/** What an entry says about its text. */
const contextOf = (entry: ReadonlyArray<Part>): string | undefined =>
  [partOf(entry, "msgctxt"), ...entry.filter(({ keyword }) => keyword === commentKeyword)]
    .map((part) => part?.text.trim() ?? "").filter((text) => text !== "").join("\n") || undefined

/** Entries, each a list of parts. A line of a comment is a part, too, but those of obsolete entries are not. */
const entriesOf = (text: string): ReadonlyArray<ReadonlyArray<Part>> => {
  const entries: Array<Array<Part>> = []
  let entry: Array<Part> = []
  let hasStrings = false
  let offset = 0
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.replace(/\r$/, "")
    const from = offset
    offset += raw.length + 1
    const found = /^(?<keyword>msgctxt|msgid|msgid_plural|msgstr(?:\[\d+\])?)\s+(?<quoted>".*)$/.exec(line.trim())
      ?.groups
    if (found !== undefined) {
      const { keyword = "", quoted = "" } = found
      if (hasStrings && !keyword.startsWith("msgstr")) {
        entries.push(entry)
        entry = []
        hasStrings = false
      }
      hasStrings ||= keyword.startsWith("msgstr")
      const start = from + line.indexOf("\"")
      entry.push({ keyword, text: unquoted(quoted, index + 1), from: start, to: from + line.trimEnd().length })
    } else if (line.trim().startsWith("\"")) {
      const last = entry.at(-1)
      if (last === undefined) throw new Malformed({ message: `line ${index + 1}: a string without a keyword` })
      last.text += unquoted(line.trim(), index + 1)
      last.to = from + line.trimEnd().length
    } else if (line.startsWith("#~")) {
      // What stands above is about the obsolete entry.
      if (hasStrings) entries.push(entry)
      entry = []
      hasStrings = false
    } else if (/^#(?:[,.:\s]|$)/.test(line)) {
      if (hasStrings) {
        entries.push(entry)
        entry = []
        hasStrings = false
      }
      entry.push({ keyword: line.slice(0, 2).trim(), text: line.slice(2), from, to: Math.min(offset, text.length) })
    } else if (line.trim() !== "" && !line.trim().startsWith("#")) {
      throw new Malformed({ message: `line ${index + 1}: neither a keyword, nor a string, nor a comment` })
    }
  }
  const found = entry.length === 0 ? entries : [...entries, entry]
  checkUnique(
    text,
    found.flatMap((entry) => {
      const part = partOf(entry, "msgid")
      return part === undefined
        ? []
        : [{ id: idOf(entry), name: `the entry of ${JSON.stringify(part.text)}`, offset: part.from }]
    })
  )
  return found
}

const isHeader = (entry: ReadonlyArray<Part>): boolean => idOf(entry) === ""

const unitId = (entry: ReadonlyArray<Part>, { keyword }: Part): string => idOf(entry) + keyword.slice("msgstr".length)

const slavic = "n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2"

/** The plurals of gettext by language, where they are not one and many. Those of CLDR have one form more, for fractions. */
const pluralForms: ReadonlyArray<readonly [languages: string, count: number, expression: string]> = [
  ["id ja ko ms th vi zh", 1, "0"],
  ["fr pt-BR", 2, "n > 1"],
  ["pl", 3, `n==1 ? 0 : ${slavic}`],
  ["be bs hr ru sr uk", 3, `n%10==1 && n%100!=11 ? 0 : ${slavic}`],
  ["cs sk", 3, "n==1 ? 0 : n>=2 && n<=4 ? 1 : 2"],
  ["lt", 3, "n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2"],
  ["lv", 3, "n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2"],
  ["ro", 3, "n==1 ? 0 : n==0 || (n%100>0 && n%100<20) ? 1 : 2"],
  ["sl", 4, "n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3"],
  ["ar", 6, "n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5"]
]

/** The header of a file. */
const headerOf = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : entriesOf(text).find(isHeader)?.find(({ keyword }) => keyword === "msgstr")?.text

/** The number of plurals of a language, and the field of the header. A file that is there has its own. */
const formsOf = (language: string, before: string | undefined): readonly [count: number, field: string] => {
  const [own, given] = /^Plural-Forms:\s*nplurals=(\d+).*$/m.exec(headerOf(before) ?? "") ?? []
  if (own !== undefined) return [Number(given), own]
  const [base = ""] = language.split("-")
  const found = pluralForms.find(([languages]) => languages.split(" ").includes(language)) ??
    pluralForms.find(([languages]) => languages.split(" ").includes(base))
  if (found === undefined && categoriesOf(language).filter((category) => category !== "many").length > 2) {
    throw new Malformed({ message: `the plurals of ${language} in gettext are not known to this program` })
  }
  const [, count, expression] = found ?? ["", 2, "n != 1"]
  return [count, `Plural-Forms: nplurals=${count}; plural=(${expression});`]
}

const quoted = (text: string): string => JSON.stringify(text)

/** PO. */
export const po: Format = {
  parse: (text) => {
    const entries = entriesOf(text).filter((entry) => stringsOf(entry).length > 0)
    const hasPlurals = entries.some((entry) => partOf(entry, "msgid_plural") !== undefined)
    return {
      placeholders: "printf",
      units: (language, before): ReadonlyArray<Unit> => {
        const [count] = hasPlurals ? formsOf(language, before) : [1]
        return entries.filter((entry) => !isHeader(entry)).flatMap((entry) => {
          const text = partOf(entry, "msgid")?.text ?? ""
          const plural = partOf(entry, "msgid_plural")?.text
          const id = idOf(entry)
          const about = {
            ...(hasFlag(entry, "python-brace-format") ? { placeholders: "brace" as const } : undefined),
            context: contextOf(entry),
            offset: partOf(entry, "msgid")?.from ?? 0
          }
          if (plural === undefined) return [{ id, text, ...about }]
          return Array.from(
            { length: count },
            (_, index) => ({
              id: `${id}[${index}]`,
              text: index === 0 && count > 1 ? text : plural,
              plural: id,
              ...about
            })
          )
        })
      },
      print: (language, texts, before) => {
        const [count, field] = hasPlurals ? formsOf(language, before) : [1, ""]
        const lines = /\r\n/.test(text) ? "\r\n" : "\n"
        const present = new Map(
          (before === undefined ? [] : entriesOf(before)).filter((entry) => stringsOf(entry).length > 0)
            .map((entry) => [idOf(entry), entry])
        )
        const valuesOf = (entry: ReadonlyArray<Part>): ReadonlyArray<string> => {
          const id = idOf(entry)
          if (isHeader(entry)) {
            const named = (partOf(entry, "msgstr")?.text ?? "")
              .replace(/^Language:.*$/m, `Language: ${language.replaceAll("-", "_")}`)
            return [headerOf(before) ?? (hasPlurals ? named.replace(/^Plural-Forms:.*$/m, field) : named)]
          }
          return partOf(entry, "msgid_plural") === undefined
            ? [texts.get(id) ?? ""]
            : Array.from({ length: count }, (_, index) => texts.get(`${id}[${index}]`) ?? "")
        }
        const edited = (entry: ReadonlyArray<Part>): ReadonlyArray<Edit> => {
          const old = present.get(idOf(entry)) ?? []
          const values = valuesOf(entry)
          const isSame = (parts: ReadonlyArray<Part>) =>
            parts.length === values.length && parts.every((part, index) => part.text === values[index])
          // A fuzzy translation stays until there is another.
          const isDraft = hasFlag(old, "fuzzy") && values.every((value) => value === "")
          const printed = isDraft || isSame(stringsOf(old))
            ? spelled(before ?? "", stringsOf(old))
            : isSame(stringsOf(entry))
            ? spelled(text, stringsOf(entry))
            : isHeader(entry)
            ? header(values.join(""), lines)
            : values.map((value, index) => `${index === 0 ? "" : `msgstr[${index}] `}${quoted(value)}`).join(lines)
          const [first] = stringsOf(entry)
          return [
            { from: first?.from ?? 0, to: stringsOf(entry).at(-1)?.to ?? 0, text: printed },
            ...flagged(text, entry, isDraft, lines),
            ...(old.length === 0 ? [] : commented(text, entry, before ?? "", old))
          ]
        }
        const after = applyEdits(text, entries.flatMap(edited))
        const own = new Set(obsoleteOf(text))
        const obsolete = obsoleteOf(before ?? "").filter((lines) => !own.has(lines))
        return obsolete.length === 0
          ? after
          : `${after.trimEnd()}${lines}${lines}${obsolete.join("\n\n").replaceAll("\n", lines)}${lines}`
      }
    }
  },
  read: (text) =>
    new Map(
      entriesOf(text).filter((entry) => !isHeader(entry) && !hasFlag(entry, "fuzzy")).flatMap((entry) =>
        stringsOf(entry).filter(({ text }) => text !== "").map((part) =>
          [unitId(entry, part), { text: part.text, offset: part.from }] as const
        )
      )
    )
}

/** Strings as they are spelled. */
function spelled(text: string, strings: ReadonlyArray<Part>): string {
  return text.slice(strings[0]?.from, strings.at(-1)?.to)
}

/** The flags of an entry: only a draft is fuzzy. */
function flagged(text: string, entry: ReadonlyArray<Part>, isDraft: boolean, lines: string): ReadonlyArray<Edit> {
  const parts = entry.filter(({ keyword }) => keyword === flagsKeyword)
  const flags = parts.flatMap(({ text }) => flagsOf(text)).filter((flag) => flag !== "")
  if (flags.includes("fuzzy") === isDraft) return []
  const next = isDraft ? ["fuzzy", ...flags] : flags.filter((flag) => flag !== "fuzzy")
  const start = lineOf(text, (parts[0] ?? entry.find(({ keyword }) => keyword.startsWith("msg")))?.from ?? 0)
  return [
    { from: start, to: start, text: next.length === 0 ? "" : `${flagsKeyword} ${next.join(", ")}${lines}` },
    ...parts.map(({ from, to }) => ({ from, to, text: "" }))
  ]
}

/** The comments of the present translators, in the place of those of the source. */
function commented(
  text: string,
  entry: ReadonlyArray<Part>,
  before: string,
  old: ReadonlyArray<Part>
): ReadonlyArray<Edit> {
  const commentsOf = (parts: ReadonlyArray<Part>) => parts.filter(({ keyword }) => keyword === translatorKeyword)
  const start = lineOf(text, entry[0]?.from ?? 0)
  return [
    { from: start, to: start, text: commentsOf(old).map(({ from, to }) => before.slice(from, to)).join("") },
    ...commentsOf(entry).map(({ from, to }) => ({ from, to, text: "" }))
  ]
}

/** The start of a line. */
function lineOf(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1
}

/** The obsolete entries of a file, with the comments above them. */
function obsoleteOf(text: string): ReadonlyArray<string> {
  const found: Array<string> = []
  let comments: Array<string> = []
  for (const line of [...text.split(/\r?\n/), ""]) {
    if (line.startsWith("#")) {
      comments.push(line)
      continue
    }
    const last = comments.findLastIndex((comment) => comment.startsWith("#~"))
    if (last !== -1) found.push(comments.slice(0, last + 1).join("\n"))
    comments = []
  }
  return found
}

/** A field on each line. */
function header(text: string, lines: string): string {
  return ["\"\"", ...text.split(/(?<=\n)/).map(quoted)].join(lines)
}
