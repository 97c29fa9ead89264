// The commands of glossaries against the fake on a socket.
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../../../packages/node/test/support/documents.ts"
import { isFull } from "../../../../../test/support/scale.ts"
import { exitCodes } from "../../../src/screen/failures.ts"
import { fake, lines, ran, run, test } from "../../support/cliFake.ts"

const pair = ["--from", "en", "-t", "de"] as const
const french = ["--from", "en", "-t", "fr"] as const

const terms = Effect.flatMap(FakeLanguageService, (fake) =>
  fake.addGlossary({
    name: "Terms 語",
    sourceLanguage: "en",
    targetLanguage: "de",
    entries: new Map([["screw", "Schraube"], ["nut, \"hex\"", "Mutter"]])
  }))

const there = FakeLanguageService.use(({ state }) => Effect.map(state, ({ glossaries }) => glossaries))

const operations = FakeLanguageService.use(({ requests }) =>
  Effect.map(requests, (all) => all.map(({ operation }) => operation))
)

const create = (...args: ReadonlyArray<string>) => ["glossaries", "create", "Terms", ...pair, ...args]

/** What is there, as plain data. */
const contents = Effect.map(there, (glossaries) =>
  glossaries.map(({ dictionaries, name }) => ({
    name,
    dictionaries: dictionaries.map(({ entries, sourceLanguage, targetLanguage }) => ({
      pair: `${sourceLanguage}-${targetLanguage}`,
      entries: [...entries]
    }))
  })))

describe("glossaries", () => {
  test("are listed, and shown with their dictionaries", function*() {
    const id = yield* terms
    assert.match(
      yield* run(["glossaries", "list"]),
      new RegExp(`^ID +CREATED +DICTIONARIES +NAME\\n${id}  \\S+ \\S+  en-de +Terms 語\\n$`)
    )
    const out = yield* run(["glossaries", "show", id])
    assert.match(out, /^name {5}Terms 語$/m)
    assert.match(out, /^SOURCE +TARGET +ENTRIES\nen +de +2\n$/m)
    for (const command of [["list"], ["show", id]]) {
      const [json] = lines(yield* run(["glossaries", ...command, "--json"]))
      assert.deepInclude(json, {
        glossaryId: id,
        dictionaries: [{ sourceLanguage: "en", targetLanguage: "de", entryCount: 2 }]
      })
    }
  })

  test("are made of files: TSV and CSV, known by their ending or told by a flag, and standard input", function*() {
    const directory = yield* folder
    const [tsv, csv, other] = ["a.tsv", "a.CSV", "a.txt"].map((name) => join(directory, name))
    writeFileSync(tsv ?? "", "\ufeffscrew\tSchraube\r\nnut, hex\tMutter\r\n")
    writeFileSync(csv ?? "", "screw,vis,en,fr\r\nscrew,Schraube,en,de\r\n\"nut, hex\",Mutter\r\n")
    writeFileSync(other ?? "", "screw,Schraube\n\"nut, hex\",Mutter\n")
    const people = join(directory, "people.csv")
    writeFileSync(people, "# by us\nen,notes,de\nscrew,\"a, b\",Schraube\n\"nut, hex\",,Mutter\n")
    const id = yield* run(create(tsv ?? ""))
    yield* run(create(people, "--columns", "en,de"))
    assert.include((yield* ran(create(people, "--columns", "en"))).err, "--columns takes two names, such as en,de")
    yield* run(create(csv ?? ""))
    yield* run(create(other ?? "", "--format", "csv"))
    yield* run(create("-"), { stdin: "screw\tSchraube\nnut, hex\tMutter" })
    yield* run(create("-", "--format", "csv"), { stdin: "screw,Schraube\n\"nut, hex\",Mutter" })
    assert.strictEqual(id, `${(yield* there)[0]?.glossaryId}\n`)
    const expected = {
      name: "Terms",
      dictionaries: [{ pair: "en-de", entries: [["screw", "Schraube"], ["nut, hex", "Mutter"]] }]
    }
    assert.deepStrictEqual(yield* contents, Array.from({ length: 6 }, () => expected))
  })

  test("have no names of columns among their entries", function*() {
    const directory = yield* folder
    const named = { tsv: "\ufeffEN\tDE\nscrew\tSchraube\n", csv: "English;Deutsch\r\nscrew;Schraube\r\n" }
    for (const [format, text] of Object.entries(named)) {
      const { code, err } = yield* ran(create("-", "--format", format), { stdin: text })
      assert.strictEqual(code, exitCodes.usage)
      assert.include(err, format === "tsv" ? "--columns EN,DE" : "--columns English,Deutsch")
      yield* run(create("-", "--format", format, "--columns", "1,2"), { stdin: text })
    }
    const stdin = "target\tsource\nSchraube\tscrew"
    assert.include((yield* ran(create("-"), { stdin })).err, "--columns source,target")
    yield* run(create("-", "--columns", "source,target"), { stdin })
    // A language in two languages.
    yield* run(create("-"), { stdin: "German\tDeutsch" })
    const entries = (yield* contents).map(({ dictionaries }) => dictionaries[0]?.entries)
    const screw: [string, string] = ["screw", "Schraube"]
    assert.deepStrictEqual(entries, [
      [["EN", "DE"], screw],
      [["English", "Deutsch"], screw],
      [screw],
      [["German", "Deutsch"]]
    ])
    const wanted = join(directory, "glossaries.json")
    const dictionary = { sourceLanguage: "en", targetLanguage: "de" }
    writeFileSync(join(directory, "a.tsv"), stdin)
    for (
      const own of [{ file: "a.tsv", tsv: undefined }, {}, ...["source", "1"].map((one) => ({ columns: [one, one] }))]
    ) {
      writeFileSync(wanted, JSON.stringify([{ name: "A", dictionaries: [{ ...dictionary, tsv: stdin, ...own }] }]))
      const { code, err } = yield* ran(["glossaries", "sync", wanted])
      assert.strictEqual(code, exitCodes.usage)
      assert.include(err, "columns")
    }
    for (const columns of ["source,source", "1,1"]) {
      const { code, err } = yield* ran(create("-", "--columns", columns), { stdin: `${columns}\nscrew,Schraube` })
      assert.strictEqual(code, exitCodes.usage)
      assert.include(err, "--columns takes two names, such as en,de")
    }
  })

  test("with a mistake in a file are refused with its name and line, and nothing is sent", function*() {
    const directory = yield* folder
    const file = join(directory, "terms.tsv")
    writeFileSync(file, "screw\tSchraube\nnut Mutter\nscrew\tBolzen\n")
    const wanted = join(directory, "glossaries.json")
    writeFileSync(
      wanted,
      JSON.stringify([
        { name: "A", dictionaries: [{ sourceLanguage: "en", targetLanguage: "de", tsv: "a\tb" }] },
        {
          name: "B",
          dictionaries: [
            { sourceLanguage: "en", targetLanguage: "de", tsv: "a\tb" },
            { sourceLanguage: "en", targetLanguage: "fr", file }
          ]
        }
      ])
    )
    const id = yield* terms
    for (
      const args of [["create", "A", file, ...pair], ["merge", id, file, ...pair], ["replace", id, file, ...pair], [
        "sync",
        wanted
      ]]
    ) {
      const { code, err, out } = yield* ran(["glossaries", ...args])
      assert.deepStrictEqual([code, out], [2, ""])
      assert.include(
        err,
        `${file}: line 2, column 11: there is no tab between a source and a target; ` +
          "line 3, column 1: the source is a duplicate of line 1. Nothing was sent"
      )
    }
    const others = join(yield* folder, "glossaries.json")
    copyFileSync(wanted, others)
    const elsewhere = yield* ran(["glossaries", "sync", others])
    assert.strictEqual(elsewhere.code, 3)
    assert.include(elsewhere.err, `${file} is outside of`)
    const { err } = yield* ran(["glossaries", "merge", id, file, ...pair, "--json"])
    const error = JSON.parse(err)
    assert.deepInclude(error, { error: "InvalidEntries", parameter: file, count: 2, exitCode: 2 })
    assert.deepStrictEqual(error.problems.map(({ line }: { readonly line: number }) => line), [2, 3])
    assert.deepStrictEqual(yield* operations, [])
  })

  it.live.skipIf(!isFull)("have files of up to 10 MiB and more, and a bound beyond", () =>
    Effect.gen(function*() {
      const indices = Array.from({ length: 10_000 }, (_, index) => String(index))
      const stdin = indices.map((index) => `${index.padStart(500, "a")}\t${"b".repeat(500)}\r\n`).join("")
      assert.isAbove(stdin.length, 10_000_000)
      yield* run(["glossaries", "create", "Large", "-", ...pair], { stdin })
      assert.strictEqual((yield* there)[0]?.dictionaries[0]?.entries.size, 10_000)
      assert.deepStrictEqual(
        yield* ran(["glossaries", "create", "Larger", "-", ...pair], { stdin: new Uint8Array(32 * 1024 * 1024 + 1) }),
        {
          code: 2,
          out: "",
          err: "effect-lingua: standard input exceeds 32 MiB of input; a glossary has 10 MiB of entries at most\n"
        }
      )
    }).pipe(Effect.provide(fake)))

  test("are merged into, replaced and renamed", function*() {
    const id = yield* terms
    const merged = yield* run(["glossaries", "merge", id, "-", ...pair], { stdin: "screw\tBolzen\nwasher\tScheibe" })
    assert.match(merged, /^en +de +3$/m)
    const replaced = yield* run(["glossaries", "replace", id, "-", ...french], { stdin: "screw\tvis" })
    assert.match(replaced, /^SOURCE +TARGET +ENTRIES\nen +fr +1\n$/)
    yield* run(["glossaries", "replace", id, "-", ...french, "--json"], { stdin: "nut\técrou" })
    assert.match(yield* run(["glossaries", "rename", id, "Hardware"]), /^name {5}Hardware$/m)
    assert.deepStrictEqual(yield* contents, [{
      name: "Hardware",
      dictionaries: [
        { pair: "en-de", entries: [["screw", "Bolzen"], ["nut, \"hex\"", "Mutter"], ["washer", "Scheibe"]] },
        { pair: "en-fr", entries: [["nut", "écrou"]] }
      ]
    }])
  })

  test("give their entries as TSV, CSV and JSON, which are read again", function*() {
    const id = yield* terms
    const entries = ["glossaries", "entries", id, ...pair]
    const tsv = yield* run(entries)
    assert.strictEqual(tsv, "screw\tSchraube\nnut, \"hex\"\tMutter\n")
    const csv = yield* run([...entries, "--format", "csv"])
    assert.strictEqual(csv, "screw,Schraube\n\"nut, \"\"hex\"\"\",Mutter\n")
    assert.deepStrictEqual(lines(yield* run([...entries, "--json"])), [
      { source: "screw", target: "Schraube" },
      { source: "nut, \"hex\"", target: "Mutter" }
    ])
    const file = join(yield* folder, "terms.csv")
    yield* run([...entries, "--output", file])
    assert.strictEqual(readFileSync(file, "utf8"), csv)
    for (const given of [["-"], [file]]) {
      yield* run(["glossaries", "replace", id, ...given, ...pair], { stdin: tsv })
      assert.strictEqual(yield* run(entries), tsv)
    }
  })

  test("whose entries break the rules are given as TSV all the same", function*() {
    const id = yield* (yield* FakeLanguageService).addGlossary({
      sourceLanguage: "en",
      targetLanguage: "de",
      entries: new Map([["screw", " Schraube"]])
    })
    const entries = ["glossaries", "entries", id, ...pair]
    assert.strictEqual(yield* run(entries), "screw\t Schraube\n")
    const { code, err } = yield* ran([...entries, "--format", "csv"])
    assert.strictEqual(code, 2)
    assert.include(err, "use --format tsv")
  })

  test("are deleted with --yes where nobody can be asked, whole or for two languages", function*() {
    const id = yield* terms
    yield* run(["glossaries", "replace", id, "-", ...french], { stdin: "screw\tvis" })
    const refused = {
      code: 2,
      out: "",
      err: "effect-lingua: it cannot be undone, and there is no terminal to ask for confirmation: give --yes\n"
    }
    const one = ["glossaries", "delete-dictionary", id, ...french]
    const all = ["glossaries", "delete", id]
    assert.deepStrictEqual(yield* ran(one), refused)
    assert.deepStrictEqual(yield* ran(all), refused)
    // A program reads standard error, whatever the terminal.
    const terminal = { stdin: true, stderr: true }
    assert.deepInclude(JSON.parse((yield* ran([...all, "--json"], { terminal })).err), { error: "InvalidUsage" })
    assert.strictEqual((yield* there)[0]?.dictionaries.length, 2)

    assert.deepStrictEqual(yield* ran([...one, "--yes"]), {
      code: 0,
      out: "",
      err: `effect-lingua: the dictionary en-fr of the glossary ${id} is deleted\n`
    })
    assert.strictEqual((yield* there)[0]?.dictionaries.length, 1)
    assert.deepStrictEqual(lines(yield* run([...all, "--yes", "--json", "--quiet"])), [
      { glossaryId: id, deleted: true }
    ])
    assert.deepStrictEqual(yield* there, [])
  })

  test("become what a file says, with files beside it, shown before and with nothing to do then", function*() {
    const id = yield* terms
    yield* (yield* FakeLanguageService).addGlossary({ name: "Other", sourceLanguage: "en", targetLanguage: "de" })
    const directory = yield* folder
    mkdirSync(join(directory, "terms"))
    writeFileSync(join(directory, "terms", "en-de.tsv"), "screw\tBolzen\n")
    writeFileSync(join(directory, "terms", "en-fr.txt"), "\"nut, hex\",écrou\nnut,Mutter,en,de\n")
    const file = join(directory, "glossaries.json")
    const languages = { sourceLanguage: "en", targetLanguage: "de" }
    writeFileSync(
      file,
      JSON.stringify([
        {
          glossaryId: id,
          name: "Terms",
          dictionaries: [
            { ...languages, file: "terms/en-de.tsv" },
            { sourceLanguage: "en", targetLanguage: "fr", file: "terms/en-fr.txt", format: "csv" }
          ]
        },
        { name: "New", dictionaries: [{ ...languages, tsv: "a\tb" }] }
      ])
    )
    const plan = [
      "create \"New\" with en-de (1 entry)",
      `rename "Terms 語" to "Terms" (${id})`,
      "replace the dictionary of \"Terms 語\" by en-de (1 entry)",
      "replace the dictionary of \"Terms 語\" by en-fr (1 entry)",
      ""
    ].join("\n")
    const before = yield* contents
    assert.deepStrictEqual(yield* ran(["glossaries", "sync", "--dry-run", file]), {
      code: 0,
      out: plan,
      err: "effect-lingua: this is a dry run; nothing was changed\n"
    })
    assert.deepStrictEqual(yield* contents, before)
    assert.strictEqual(yield* run(["glossaries", "sync", file]), plan)
    assert.strictEqual(yield* run(["glossaries", "sync", file]), "")
    assert.deepStrictEqual((yield* contents).filter(({ name }) => name !== "Other"), [
      {
        name: "Terms",
        dictionaries: [
          { pair: "en-de", entries: [["screw", "Bolzen"]] },
          { pair: "en-fr", entries: [["nut, hex", "écrou"]] }
        ]
      },
      { name: "New", dictionaries: [{ pair: "en-de", entries: [["a", "b"]] }] }
    ])
    const stdin = JSON.stringify([{ name: "New", dictionaries: [{ ...languages, csv: "a,c" }] }])
    const steps = lines(yield* run(["glossaries", "sync", "--remove-others", "--json", "-"], { stdin }))
    assert.deepStrictEqual(steps.map(({ _tag, glossary }) => [_tag, glossary]), [
      ["ReplaceDictionary", "New"],
      ["Remove", "Terms"],
      ["Remove", "Other"]
    ])
    assert.deepStrictEqual(steps[0]?.["dictionary"], { ...languages, entryCount: 1 })
    assert.strictEqual((yield* there).length, 1)
  })

  test("of which one fails say what was made before, and what is left", function*() {
    yield* terms
    const dictionaries = [{ sourceLanguage: "en", targetLanguage: "de", tsv: "a\tb" }]
    const stdin = JSON.stringify([{ name: "New", dictionaries }, { name: "Terms 語", dictionaries }])
    const { script } = yield* FakeLanguageService
    yield* script({ fault: { status: 456 }, operation: "Glossaries.replaceDictionary", count: 2 })
    const failed = "replace the dictionary of \"Terms 語\" by en-de (1 entry)"
    const plan = { failed, done: ["create \"New\" with en-de (1 entry)"], left: [] }
    const { code, err } = yield* ran(["glossaries", "sync", "--json", "-"], { stdin })
    assert.strictEqual(code, 7)
    assert.deepInclude(JSON.parse(err), { error: "TooManyGlossaryRequests", plan })
    const again = yield* ran(["glossaries", "sync", "-"], { stdin })
    assert.include(again.err, `The failed call was to ${failed}. Calls of the plan: 0 made, 0 left.`)
  })

  test("are not guessed: a key that is not known, entries that are given twice or not at all", function*() {
    const pair = { sourceLanguage: "en", targetLanguage: "de" }
    for (
      const [dictionary, reason] of [
        [{ ...pair, tsv: "a\tb", entries: {} }, "entries"],
        [{ ...pair, tsv: "a\tb", csv: "a,b" }, "Expected one of file, tsv and csv"],
        [pair, "Expected one of file, tsv and csv"]
      ] as const
    ) {
      const stdin = JSON.stringify([{ name: "A", dictionaries: [dictionary] }])
      const { code, err } = yield* ran(["glossaries", "sync", "-"], { stdin })
      assert.strictEqual(code, 2)
      assert.include(err, reason)
    }
    assert.deepStrictEqual(yield* operations, [])
  })
})
