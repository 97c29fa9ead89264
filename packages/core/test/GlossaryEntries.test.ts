import { InvalidEntries } from "@effect-lingua/core/CallError"
import * as GlossaryEntries from "@effect-lingua/core/GlossaryEntries"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

const pair = { sourceLanguage: "en", targetLanguage: "de" }

/** The places and reasons of what is refused. */
const problems = <A>(read: Result.Result<A, GlossaryEntries.Refusal>) => {
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

describe("glossary entries", () => {
  it.prop("are the same map after they were written as TSV and read, in the same order", [Pairs], ([pairs]) => {
    const entries = entriesOf(pairs)
    const text = Result.getOrThrow(GlossaryEntries.writeTsv(entries))
    assert.deepStrictEqual([...Result.getOrThrow(GlossaryEntries.readTsv(text))], [...entries])
  })

  it.prop("are the same map after they were written as CSV and read, in the same order", [Pairs], ([pairs]) => {
    const entries = entriesOf(pairs)
    const text = Result.getOrThrow(GlossaryEntries.writeCsv(entries))
    assert.deepStrictEqual([...Result.getOrThrow(GlossaryEntries.readCsv(text, pair))], [...entries])
  })

  it.prop("of any text are read, or refused with the place of each problem", [Marks], ([marks]) => {
    const text = marks.join("")
    const lines = text.split("\n").length
    for (const read of [GlossaryEntries.readTsv(text), GlossaryEntries.readCsv(text, pair)]) {
      if (Result.isSuccess(read)) {
        // What was read can be written and read again.
        const written = Result.getOrThrow(GlossaryEntries.writeTsv(read.success))
        assert.deepStrictEqual(Result.getOrThrow(GlossaryEntries.readTsv(written)), read.success)
      } else if (read.failure instanceof InvalidEntries) {
        assert.isAbove(read.failure.problems.length, 0)
        for (const { column, line, reason } of read.failure.problems) {
          assert.isTrue(line !== undefined && line >= 1 && line <= lines, reason)
          assert.isTrue(column === undefined || (column >= 1 && column <= text.length + 1), reason)
        }
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

  it("in TSV have line ends of both kinds, empty lines and a byte order mark", () => {
    const read = GlossaryEntries.readTsv("\ufeffscrew\tSchraube\r\n\nnut\tMutter\r\n")
    assert.deepStrictEqual([...Result.getOrThrow(read)], [["screw", "Schraube"], ["nut", "Mutter"]])
  })

  it("in CSV have quotes around commas and quotes, and languages by which other rows are left out", () => {
    const csv = `\ufeff"nut, ""hex""",Mutter,EN,de\r\n\r\nnut,écrou,en,fr\r\nscrew,"Schraube"\r\n"bolt","Bolzen"`
    assert.deepStrictEqual([...Result.getOrThrow(GlossaryEntries.readCsv(csv, pair))], [
      [`nut, "hex"`, "Mutter"],
      ["screw", "Schraube"],
      ["bolt", "Bolzen"]
    ])
  })

  it("in TSV that break a rule are named with line and column, all of them", () => {
    const tsv = ["screw Schraube", "a\tb\tc", "\tb", "a \tb", "a\tb\u0007c", "x\ty", "x\tz", "a\tb\rc", "ok\tgood"]
    assert.deepStrictEqual(problems(GlossaryEntries.readTsv(tsv.join("\n"))), [
      [1, 15, "there is no tab between a source and a target"],
      [2, 4, "there is a second tab"],
      [3, 1, "the source is empty"],
      [4, 1, "the source begins or ends with white space"],
      [5, 4, "the target has a tab, a line break or another control character (U+0007)"],
      [7, 1, "the source stands in line 6 already"],
      [8, 4, "the target has a tab, a line break or another control character (U+000D)"]
    ])
  })

  it("in CSV that break a rule are named with line and column", () => {
    const csv = `a\na,b,en\n"a\nb",c\nx,"",en,de\ny,z`
    assert.deepStrictEqual(problems(GlossaryEntries.readCsv(csv, pair)), [
      [1, 1, "there is 1 field, allowed are a source and a target, or these and their languages"],
      [2, 1, "there are 3 fields, allowed are a source and a target, or these and their languages"],
      [3, 2, "the source has a tab, a line break or another control character (U+000A)"],
      [5, 3, "the target is empty"]
    ])
    const quotes: ReadonlyArray<readonly [string, number, number, string]> = [
      [`a,b\nc,"d`, 2, 3, "a quote that opens here is never closed"],
      [`a,b\n"c"d,e`, 2, 4, "something comes after the quote that closes the field"],
      [`a"b,c`, 1, 2, "a quote stands in a field that does not begin with one"],
      [`"a\nb"c,d`, 2, 3, "something comes after the quote that closes the field"]
    ]
    for (const [text, line, column, reason] of quotes) {
      assert.deepStrictEqual(problems(GlossaryEntries.readCsv(text, pair)).at(-1), [line, column, reason])
    }
  })

  it("have terms of at most 1024 bytes, counted in UTF-8", () => {
    const [fits, tooLong] = ["é".repeat(512), "é".repeat(513)]
    assert.isTrue(Result.isSuccess(GlossaryEntries.writeTsv(new Map([[fits, fits]]))))
    assert.deepStrictEqual(problems(GlossaryEntries.writeTsv(new Map([["a", "b"], [tooLong, "c"]]))), [
      [2, undefined, "the source has 1026 bytes in UTF-8, allowed are 1024"]
    ])
    assert.isTrue(Result.isSuccess(GlossaryEntries.readTsv(`${tooLong}\tb`, { glossaryTermBytes: 2000 })))
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
})
