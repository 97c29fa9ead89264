import { CallError, GlossaryEntries } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { inspect } from "node:util"

const pair = { sourceLanguage: "en", targetLanguage: "de" }

/** The places and reasons of what is refused. */
const problems = (read: Result.Result<unknown, GlossaryEntries.Refusal>) => {
  if (Result.isSuccess(read)) return assert.fail("nothing is refused")
  if (read.failure._tag !== "InvalidEntries") return assert.fail(read.failure.message)
  return read.failure.problems.map(({ column, entry, line, reason }) => [line ?? entry, column, reason] as const)
}

/** Pieces of which terms and texts are made: plain ones, and those that a format has to write in another way. */
const Letter = Schema.Literals(["a", "b", "é", "語", "👋", " ", ",", "\"", "\"\"", ";", "'", "\\t", "=", "a\u0301"])
const Mark = Schema.Literals([
  "a",
  "b",
  "\t",
  ",",
  "\"",
  "\n",
  "\r\n",
  "\r",
  " ",
  "\u2028",
  "\u0085",
  "\ufeff",
  "\ud83d",
  ",en,de\n",
  "a\tb\n",
  "\"a,\"\"\",b\n"
])

const termOf = (letters: ReadonlyArray<string>): string => letters.join("").trim() || "a"

const entriesOf = (
  pairs: ReadonlyArray<{ readonly source: ReadonlyArray<string>; readonly target: ReadonlyArray<string> }>
) => new Map(pairs.map(({ source, target }) => [termOf(source), termOf(target)]))

const Letters = Schema.Array(Letter).check(Schema.isMaxLength(8))
const Pairs = Schema.Array(Schema.Struct({ source: Letters, target: Letters })).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(12)
)
const Marks = Schema.Array(Mark).check(Schema.isMaxLength(24))
const AnyPairs = Schema.Array(Schema.Struct({ source: Marks, target: Marks })).check(Schema.isMaxLength(6))

/** What no term may have, and what only its ends may not. */
const controls = ["\u0000", "\u0001", "\u001b", "\u001f", "\u007f", "\u0080", "\u0085", "\u009f", "\u2028", "\u2029"]
const spaces = [" ", "\u00a0", "\u1680", "\u2003", "\u202f", "\u3000", "\ufeff"]

const code = (character: string): string => (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")

const quoted = (term: string): string => `"${term}"`

/** Entries in each form that they are read from, with the place that the second of them has in it. */
const forms = (
  entries: ReadonlyArray<readonly [source: string, target: string]>
): Readonly<Record<string, Result.Result<unknown, GlossaryEntries.Refusal>>> => {
  const csv = (form: (term: string) => string) => entries.map((entry) => entry.map(form).join(",")).join("\n")
  return {
    tsv: GlossaryEntries.readTsv(entries.map((entry) => entry.join("\t")).join("\n")),
    csv: GlossaryEntries.readCsv(csv((term) => term), pair),
    quotedCsv: GlossaryEntries.readCsv(csv(quoted), pair),
    map: GlossaryEntries.writeTsv(new Map(entries)),
    mapAsCsv: GlossaryEntries.writeCsv(new Map(entries))
  }
}

const readEnglish = (csv: string) => GlossaryEntries.readCsv(csv, { sourceLanguage: "EN", targetLanguage: "De" })

/** What is wrong with the second of two entries, which is the same in each form. */
const inSecond = (source: string, target: string): ReadonlyArray<string> => {
  const [reasons = [], ...others] = Object.values(forms([["a", "b"], [source, target]])).map((read) => {
    for (const [place] of problems(read)) assert.strictEqual(place, 2)
    return problems(read).map(([, , reason]) => reason)
  })
  for (const other of others) assert.deepStrictEqual(other, reasons)
  return reasons
}

/** How a program may write a row, and what it may put before it. */
const Style = Schema.Struct({
  quotes: Schema.Literals(["none", "source", "target", "both"]),
  lineEnd: Schema.Literals(["\n", "\r\n"]),
  languages: Schema.Literals(["", ",en,de", ",EN,\"De\"", ",,", ", en ,de"]),
  before: Schema.Literals(["", "\n", "\r\n", "a,b,en,fr\n", "\"a\n,\",\"\",fr,en\r\n"])
})
const Rows = Schema.Array(Schema.Struct({ source: Letters, target: Letters, style: Style })).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(8)
)

/** Each source once, with how its row is written. */
const uniqueRows = (rows: typeof Rows.Type) =>
  Array.from(
    new Map(rows.map(({ source, style, target }) => [termOf(source), { style, target: termOf(target) }])),
    ([source, { style, target }]) => ({ source, target, style })
  )

/** The text of rows, and the line in which each stands. */
const written = (
  rows: ReturnType<typeof uniqueRows>,
  row: (row: ReturnType<typeof uniqueRows>[number]) => string,
  before: (text: string) => string
) => {
  let text = ""
  const places = rows.map((one) => {
    text += before(one.style.before)
    const place = text.split("\n").length
    text += row(one) + one.style.lineEnd
    return place
  })
  return { text, lines: places }
}

const csvField = (term: string, isQuoted: boolean): string =>
  isQuoted || /[",]/.test(term) ? `"${term.replaceAll("\"", "\"\"")}"` : term

const csvOf = (rows: ReturnType<typeof uniqueRows>) =>
  written(
    rows,
    ({ source, style: { languages, quotes }, target }) =>
      csvField(source, quotes === "source" || quotes === "both") + "," +
      csvField(target, quotes === "target" || quotes === "both") + languages,
    (text) => text
  )

const tsvOf = (rows: ReturnType<typeof uniqueRows>) =>
  written(rows, ({ source, target }) => `${source}\t${target}`, (text) => text.trim() === "" ? text : "")

describe("glossary entries", () => {
  it.prop(
    "are the same however a program writes them, and a mistake has the line in which it stands",
    [Rows],
    ([rows]) => {
      const unique = uniqueRows(rows)
      const entries = unique.map(({ source, target }) => [source, target])
      const [first] = unique
      for (
        const [{ lines, text }, read, mistake] of [
          [csvOf(unique), (text: string) => GlossaryEntries.readCsv(text, pair), csvField(first?.source ?? "", true)],
          [tsvOf(unique), GlossaryEntries.readTsv, first?.source ?? ""]
        ] as const
      ) {
        for (const whole of [text, `\ufeff${text}`, text.replace(/\r?\n$/, "")]) {
          assert.deepStrictEqual([...Result.getOrThrow(read(whole))], entries)
        }
        // A row of one field, and the first source once more.
        const end = text.split("\n").length
        const again = mistake + (read === GlossaryEntries.readTsv ? "\t" : ",")
        assert.deepStrictEqual(
          problems(read(`${text}x\n${again}y\n`)).map((
            [line, , reason]
          ) => [line, reason.replace(/^(?:there|the row) .*/, "alone")]),
          [[end, "alone"], [end + 1, `the source is a duplicate of line ${lines[0]}`]]
        )
      }
    }
  )

  it("have no control characters in a term, whatever they are given as", () => {
    for (const control of controls) {
      const reason = `has a tab, a line break or another control character (U+${code(control)})`
      assert.deepStrictEqual(inSecond(`c${control}d`, "e"), [`the source ${reason}`])
      assert.deepStrictEqual(inSecond("c", `d${control}`), [`the target ${reason}`])
    }
  })

  it("have no white space around a term, of no kind, and any within", () => {
    for (const space of spaces) {
      assert.deepStrictEqual(inSecond(`${space}c`, "d"), ["the source begins or ends with white space"])
      assert.deepStrictEqual(inSecond("c", `d${space}`), ["the target begins or ends with white space"])
      for (const read of Object.values(forms([["a", `b${space}c`]]))) assert.isTrue(Result.isSuccess(read), code(space))
    }
  })

  it("have no empty term and none of more than 1024 bytes, whatever they are given as", () => {
    const [fits, tooLong] = ["👋".repeat(256), `${"👋".repeat(256)}a`]
    for (const read of Object.values(forms([["a", "b"], [fits, fits]]))) assert.isTrue(Result.isSuccess(read))
    assert.deepStrictEqual(inSecond(tooLong, ""), [
      "the source has 1025 bytes in UTF-8, allowed are 1024",
      "the target is empty"
    ])
    assert.isTrue(Result.isSuccess(GlossaryEntries.readTsv(`${tooLong}\tb`, { glossaryTermBytes: 2000 })))
  })

  it("in TSV have a tab in a line and no other, and a line has an end of its own", () => {
    assert.deepStrictEqual(problems(GlossaryEntries.readTsv("a\tb\n\t\n \n\tc\nd\t\ne\tf\t")), [
      [2, 1, "the source is empty"],
      [2, 2, "the target is empty"],
      [3, 2, "there is no tab between a source and a target"],
      [4, 1, "the source is empty"],
      [5, 3, "the target is empty"],
      [6, 4, "there is a second tab"]
    ])
    // A quote is a character like any other.
    assert.deepStrictEqual([...Result.getOrThrow(GlossaryEntries.readTsv("\"a\t\"\"b"))], [["\"a", "\"\"b"]])
    for (const end of ["", "\n", "\r\n", "\r", "\n\n", "\r\n\r\n"]) {
      assert.deepStrictEqual([...Result.getOrThrow(GlossaryEntries.readTsv(`a\tb${end}`))], [["a", "b"]])
      assert.deepStrictEqual([...Result.getOrThrow(GlossaryEntries.readCsv(`a,b${end}`, pair))], [["a", "b"]])
    }
  })

  it("have a byte order mark at the beginning only", () => {
    for (const read of [GlossaryEntries.readTsv("a\tb\n\ufeffc\td"), GlossaryEntries.readCsv("a,b\n\ufeffc,d", pair)]) {
      assert.deepStrictEqual(problems(read), [[2, 1, "the source begins or ends with white space"]])
    }
  })

  it("have each source once, as it is written: nothing is normalised", () => {
    const sources = ["\u00e9", "e\u0301", "Nut", "nut", "\uff4e\uff55\uff54", "a b", "a\u00a0b"]
    const entries = new Map(sources.map((source) => [source, "x"]))
    const tsv = Result.getOrThrow(GlossaryEntries.writeTsv(entries))
    assert.deepStrictEqual([...Result.getOrThrow(GlossaryEntries.readTsv(tsv)).keys()], sources)
    for (const source of sources) {
      // In CSV the same source can be written in two ways.
      const csv = `${source},x\n"${source}",x`
      assert.deepStrictEqual(problems(GlossaryEntries.readCsv(csv, pair)), [
        [2, 1, "the source is a duplicate of line 1"]
      ])
    }
    // The same target with the same source is a source for the second time too, and a target may come again.
    assert.deepStrictEqual(problems(GlossaryEntries.readTsv("a\tx\nb\tx\na\tx")), [
      [3, 1, "the source is a duplicate of line 1"]
    ])
  })

  it("in CSV are of the languages that stand beside them, in any case, or of none", () => {
    assert.deepStrictEqual([
      ...Result.getOrThrow(readEnglish("a,b,en,DE\nc,d,\"en\", de \ne,f,de,en\ng,h,en,de-AT\ni,j,,\nk,l"))
    ], [["a", "b"], ["c", "d"], ["i", "j"], ["k", "l"]])
    assert.deepStrictEqual(problems(readEnglish("a,b,en,\nc,d,,de\ne,f,en,de,\ng,h,")), [
      [1, 1, "the row has one language, allowed are both languages or neither"],
      [2, 1, "the row has one language, allowed are both languages or neither"],
      [3, 1, "the row has 5 fields, allowed are 2 (source, target) or 4 (with the language of each)"],
      [4, 1, "the row has 3 fields, allowed are 2 (source, target) or 4 (with the language of each)"]
    ])
    // A source of another dictionary is not one that comes twice, and a mistake there is not one here.
    assert.deepStrictEqual([...Result.getOrThrow(readEnglish("a,b\na,c,en,fr\n,,en,fr"))], [["a", "b"]])
    assert.deepStrictEqual(problems(readEnglish("\na,b,en,fr\nc,d,en,fr")), [
      [1, undefined, "no row has the languages EN and De"]
    ])
  })

  it.prop("are the same map after they were written and read, in the same order", [Pairs], ([pairs]) => {
    const entries = entriesOf(pairs)
    const tsv = Result.getOrThrow(GlossaryEntries.writeTsv(entries))
    assert.deepStrictEqual([...Result.getOrThrow(GlossaryEntries.readTsv(tsv))], [...entries])
    const csv = Result.getOrThrow(GlossaryEntries.writeCsv(entries))
    assert.deepStrictEqual([...Result.getOrThrow(GlossaryEntries.readCsv(csv, pair))], [...entries])
  })

  it.prop("of any text are read, or refused with the place of each problem", [Marks], ([marks]) => {
    const text = marks.join("")
    const lines = text.split("\n").length
    for (const read of [GlossaryEntries.readTsv(text), GlossaryEntries.readCsv(text, pair)]) {
      if (Result.isSuccess(read)) {
        // What was read can be written and read again.
        const written = Result.getOrThrow(GlossaryEntries.writeTsv(read.success))
        assert.deepStrictEqual(Result.getOrThrow(GlossaryEntries.readTsv(written)), read.success)
      } else if (read.failure instanceof CallError.InvalidEntries) {
        assert.isAbove(read.failure.problems.length, 0)
        for (const { column, line, reason } of read.failure.problems) {
          assert.isTrue(line !== undefined && line >= 1 && line <= lines, reason)
          assert.isTrue(column === undefined || (column >= 1 && column <= text.length + 1), reason)
        }
      }
    }
  })

  it.each([
    "Geheimwort",
    "Geheimwort\t",
    "\tGeheimwort",
    " Geheimwort\tword",
    "Geheimwort\tone\nGeheimwort\ttwo",
    "Geheimwort\u0000\tword",
    `${"Geheimwort".repeat(200)}\tword`,
    "word\tGeheimwort\tGeheimwort",
    "\"Geheimwort,word",
    "Geheimwort,\"word\"Geheimwort"
  ])("are refused without their terms: %j", (text) => {
    const refusals = [GlossaryEntries.readTsv(text), GlossaryEntries.readCsv(text, pair)].filter(Result.isFailure)
    assert.isAbove(refusals.length, 0)
    for (const { failure } of refusals) {
      for (const shown of [failure.message, JSON.stringify(failure), inspect(failure, { depth: 9 })]) {
        assert.notInclude(shown, "Geheim")
      }
    }
  })

  it.prop("that are a map of anything are written, or refused with the number of each", [AnyPairs], ([pairs]) => {
    const entries = new Map(pairs.map(({ source, target }) => [source.join(""), target.join("")]))
    const written = GlossaryEntries.writeCsv(entries)
    if (Result.isSuccess(written)) {
      assert.deepStrictEqual(Result.getOrThrow(GlossaryEntries.readCsv(written.success, pair)), entries)
    } else if (entries.size > 0) {
      for (const [entry = 0] of problems(written)) assert.isTrue(entry >= 1 && entry <= entries.size)
    }
  })

  it.each<[what: string, csv: string]>([
    ["semicolons", `screw;Schraube\r\n"nut; hex";"Mutter, klein"`],
    ["semicolons and a quoted comma", `"screw";Schraube\n"nut; hex";"Mutter, klein"`],
    ["a header", `Source,Target\nscrew,Schraube\nnut; hex,"Mutter, klein"`],
    [
      "a header and languages",
      `source term;target term;source;target\nscrew;Schraube;en;de\n"nut; hex";Mutter, klein;en;de`
    ],
    ["codes as header", `EN;de\nscrew;Schraube\n"nut; hex";Mutter, klein`]
  ])("in CSV are read with %s", (_, csv) => {
    assert.deepStrictEqual([...Result.getOrThrow(GlossaryEntries.readCsv(csv, pair))], [
      ["screw", "Schraube"],
      ["nut; hex", "Mutter, klein"]
    ])
  })

  it("in CSV that look like a header are written in quotes, and read as entries", () => {
    for (const entries of [[["source", "target"]], [["en", "de"], ["a", "b"]], [["a", "b"], ["source", "target"]]]) {
      const map = new Map(entries.map(([source = "", target = ""]) => [source, target]))
      const csv = Result.getOrThrow(GlossaryEntries.writeCsv(map))
      assert.deepStrictEqual(Result.getOrThrow(GlossaryEntries.readCsv(csv, pair)), map)
    }
    // A header is a first row of two such names.
    for (const rows of ["source,Quelle\nsource term,target", "nut,écrou,en,fr\nsource term,target\nsource,Quelle"]) {
      assert.strictEqual(Result.getOrThrow(GlossaryEntries.readCsv(rows, pair)).size, 2)
    }
  })

  it("in TSV that break a rule are named with line and column, all of them", () => {
    const tsv = ["screw Schraube", "a\tb\tc", "\tb", "a \tb", "a\tb\u0007c", "x\ty", "x\tz", "a\tb\rc", "half\t\ud83d"]
    assert.deepStrictEqual(problems(GlossaryEntries.readTsv([...tsv, "ok\tgood"].join("\n"))), [
      [1, 15, "there is no tab between a source and a target"],
      [2, 4, "there is a second tab"],
      [3, 1, "the source is empty"],
      [4, 1, "the source begins or ends with white space"],
      [5, 4, "the target has a tab, a line break or another control character (U+0007)"],
      [7, 1, "the source is a duplicate of line 6"],
      [8, 4, "the target has a tab, a line break or another control character (U+000D)"],
      [9, 6, "the target has an unpaired surrogate, which UTF-8 cannot encode"]
    ])
  })

  it("in CSV that break a rule are named with line and column", () => {
    const csv = `a\na,b,en\n"a\nb",c\nx,"",en,de\ny,z`
    assert.deepStrictEqual(problems(GlossaryEntries.readCsv(csv, pair)), [
      [1, 1, "the row has 1 field, allowed are 2 (source, target) or 4 (with the language of each)"],
      [2, 1, "the row has 3 fields, allowed are 2 (source, target) or 4 (with the language of each)"],
      [3, 1, "the source has a tab, a line break or another control character (U+000A)"],
      [5, 3, "the target is empty"]
    ])
    assert.deepStrictEqual(problems(GlossaryEntries.readCsv("a\u0001,b\n\"c\nd\", e\nf,g\u0001", pair)), [
      [1, 2, "the source has a tab, a line break or another control character (U+0001)"],
      [2, 1, "the source has a tab, a line break or another control character (U+000A)"],
      [3, 4, "the target begins or ends with white space"],
      [4, 4, "the target has a tab, a line break or another control character (U+0001)"]
    ])
    const quotes: ReadonlyArray<readonly [string, number, number, string]> = [
      [`a,b\nc,"d`, 2, 3, "the quote that opens here is not closed"],
      [`a,b\n"c"d,e`, 2, 4, "there is text after the closing quote of the field"],
      [`a"b,c`, 1, 2, "there is a quote in a field that does not begin with one"],
      [`"a\nb"c,d`, 2, 3, "there is text after the closing quote of the field"]
    ]
    for (const [text, line, column, reason] of quotes) {
      assert.deepStrictEqual(problems(GlossaryEntries.readCsv(text, pair)).at(-1), [line, column, reason])
    }
  })

  it("have at most so many bytes in all, as TSV in UTF-8", () => {
    const entries = new Map([["é", "b"], ["c", "d"]])
    assert.isTrue(Result.isSuccess(GlossaryEntries.writeTsv(entries, { glossaryBytes: 8 })))
    for (const read of [GlossaryEntries.writeTsv, GlossaryEntries.writeCsv]) {
      const refused = Result.getOrThrow(Result.flip(read(entries, { glossaryBytes: 7 })))
      assert.deepInclude<object>(refused, { _tag: "LimitExceeded", unit: "bytes", given: 8, allowed: 7 })
    }
  })

  it("are refused where there are none, and where what is given is no text", () => {
    assert.deepStrictEqual(problems(GlossaryEntries.readTsv("\n")), [[1, undefined, "there are no entries"]])
    const odd: GlossaryEntries.GlossaryEntries = new Map(JSON.parse(`[["a",1]]`))
    assert.deepStrictEqual(problems(GlossaryEntries.writeTsv(odd)), [
      [1, undefined, "the target is number, not a text"]
    ])
  })

  it("say how many problems there are beyond those that they keep", () => {
    const refused = Result.getOrThrow(Result.flip(GlossaryEntries.readTsv("x\n".repeat(5000))))
    if (refused._tag !== "InvalidEntries") return assert.fail(refused._tag)
    assert.deepStrictEqual([refused.problems.length, refused.count], [100, 5000])
    assert.include(refused.message, "entries: line 1, column 2: there is no tab")
    assert.include(refused.message, "and 4997 more")
    assert.include(refused.message, "Nothing was sent; correct the entries.")
  })

  it("reads two chosen columns of a file with others, a header and comments", () => {
    const rows = [
      ["id", "DE", "en", "notes"],
      ["1", "Schraube", "screw", "a, b"],
      ["2", "#1", "# one", ""],
      ["", "", "", "to do"],
      ["3", "Mutter"]
    ]
    const columns = ["en", "de"] as const
    const top = `# Terms of the "shop", 2026\n#\n`
    const csv = rows.map((row) => row.map((field) => /[,\s]/.test(field) ? quoted(field) : field).join(";")).join("\n")
    for (
      const read of [
        (rows: string) => GlossaryEntries.readTsv(top + rows.replaceAll(";", "\t").replaceAll("\"", ""), { columns }),
        (rows: string) => GlossaryEntries.readCsv(top + rows, pair, { columns })
      ]
    ) {
      const complete = csv.slice(0, csv.lastIndexOf("\n"))
      assert.deepStrictEqual([...Result.getOrThrow(read(complete))], [["screw", "Schraube"], ["# one", "#1"]])
      assert.deepStrictEqual(problems(read(csv)), [[7, 1, "the row ends before one of the columns"]])
      const reason = "the first row does not name the columns en and de once each"
      assert.deepStrictEqual(problems(read(csv.replace("DE", "en"))), [[3, 1, reason]])
      assert.deepStrictEqual(problems(read(csv.replace("DE", "fr"))), [[3, 1, reason]])
    }
    for (const one of ["en", "1"]) {
      const reason = `the first row does not name the columns ${one} and ${one} once each`
      assert.deepStrictEqual(problems(GlossaryEntries.readTsv("en\tde", { columns: [one, one] })), [[1, 1, reason]])
    }
    const numbered = GlossaryEntries.readTsv("x\tscrew\tSchraube", { columns: ["2", "3"] })
    assert.deepStrictEqual([...Result.getOrThrow(numbered)], [["screw", "Schraube"]])
  })
})
