/**
 * PO and POT of gettext. Read line by line, because the libraries for it print an entry anew: line breaks and the order of comments would
 * change in every file.
 */
import { applyEdits, categoriesOf, checkUnique, type Edit, type Format, Malformed, type Unit } from "./format.ts"

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

/** What an entry says about its text. */
const contextOf = (entry: ReadonlyArray<Part>): string | undefined =>
  [partOf(entry, "msgctxt"), ...entry.filter(({ keyword }) => keyword === commentKeyword)]
    .map((part) => part?.text.trim() ?? "").filter((text) => text !== "").join("\n") || undefined

/** Entries, each a list of parts. A line of flags or of an extracted comment is a part, too. */
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
    } else if (line.startsWith(flagsKeyword) || line.startsWith(commentKeyword)) {
      if (hasStrings) {
        entries.push(entry)
        entry = []
        hasStrings = false
      }
      entry.push({ keyword: line.slice(0, 2), text: line.slice(2), from, to: offset })
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

/** A translation of this program is not fuzzy. */
const notFuzzy = ({ from, keyword, text, to }: Part): ReadonlyArray<Edit> => {
  if (keyword !== flagsKeyword || !flagsOf(text).includes("fuzzy")) return []
  const flags = flagsOf(text).filter((flag) => flag !== "fuzzy")
  return [{ from, to, text: flags.length === 0 ? "" : `${flagsKeyword} ${flags.join(", ")}\n` }]
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
            context: contextOf(entry)
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
        const edited = (entry: ReadonlyArray<Part>): ReadonlyArray<Edit> => {
          const [first, ...more] = stringsOf(entry)
          if (first === undefined) return []
          const { from, text } = first
          const to = more.at(-1)?.to ?? first.to
          if (isHeader(entry)) {
            const named = text.replace(/^Language:.*$/m, `Language: ${language.replaceAll("-", "_")}`)
            const value = headerOf(before) ??
              (hasPlurals ? named.replace(/^Plural-Forms:.*$/m, field) : named)
            return value === text ? [] : [{ from, to, text: header(value, lines) }]
          }
          const id = idOf(entry)
          if (partOf(entry, "msgid_plural") === undefined) {
            const value = texts.get(id) ?? ""
            return value === text ? [] : [{ from, to, text: quoted(value) }]
          }
          const values = Array.from({ length: count }, (_, index) => texts.get(`${id}[${index}]`) ?? "")
          const forms = values.map((value, index) => `${index === 0 ? "" : `msgstr[${index}] `}${quoted(value)}`)
          const same = values.length === more.length + 1 &&
            [first, ...more].every((part, index) => part.text === values[index])
          return same ? [] : [{ from, to, text: forms.join(lines) }]
        }
        return applyEdits(
          text,
          entries.flatMap(edited).concat(entries.flat().flatMap(notFuzzy))
        )
      }
    }
  },
  read: (text) =>
    new Map(
      entriesOf(text).filter((entry) => !isHeader(entry) && !hasFlag(entry, "fuzzy")).flatMap((entry) =>
        stringsOf(entry).filter((part) => part.text !== "").map((part) => [unitId(entry, part), part.text] as const)
      )
    )
}

/** A field on each line. */
function header(text: string, lines: string): string {
  return ["\"\"", ...text.split(/(?<=\n)/).map(quoted)].join(lines)
}
