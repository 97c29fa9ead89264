// Glossaries, style lists and memories that are given by their names.
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe } from "@effect/vitest"
import { liveWith } from "../../../../test/support/tests.ts"
import { exitCodes } from "../../src/screen/failures.ts"
import { fakeWith, lines, ran, run } from "../support/cliFake.ts"

const addTerms = FakeLanguageService.use(({ addGlossary }) =>
  addGlossary({ name: "Terms", sourceLanguage: "en", targetLanguage: "de", entries: new Map([["bolt", "Bolzen"]]) })
)

const test = liveWith(fakeWith({}))

describe("a name", () => {
  test("stands for the id of a glossary in a translation", function*() {
    const { requestsOf } = yield* FakeLanguageService
    const glossaryId = yield* addTerms
    for (const glossary of ["Terms", glossaryId]) {
      assert.strictEqual(
        yield* run(["translate", "--from", "en", "-t", "de", "--glossary", glossary, "bolt"]),
        "[de] Bolzen\n"
      )
      assert.strictEqual(
        yield* run(["translate", "--from", "en", "-t", "de", "--glossary", glossary, "--lines"], { stdin: "bolt\n" }),
        "[de] Bolzen\n"
      )
    }
    // An id of the usual form needs no list.
    assert.strictEqual((yield* requestsOf("Glossaries.list")).length, 2)
    const unknown = yield* ran(["translate", "--from", "en", "-t", "de", "--glossary", "Term", "bolt"])
    assert.strictEqual(unknown.code, exitCodes.usage)
    assert.include(unknown.err, `there is no glossary "Term"; there are "Terms"`)
    yield* addTerms
    const two = yield* ran(["translate", "--from", "en", "-t", "de", "--glossary", "Terms", "bolt"])
    assert.strictEqual(two.code, exitCodes.usage)
    assert.include(two.err, `several have the name "Terms"; give an id: ${glossaryId}, `)
  })

  test("stands for the id of a glossary in its commands", function*() {
    const pair = ["--from", "en", "-t", "de"]
    yield* addTerms
    assert.include(yield* run(["glossaries", "show", "Terms"]), "en      de      1")
    yield* run(["glossaries", "merge", "Terms", "-", ...pair], { stdin: "nut\tMutter\n" })
    assert.strictEqual(yield* run(["glossaries", "entries", "Terms", ...pair]), "bolt\tBolzen\nnut\tMutter\n")
    yield* run(["glossaries", "replace", "Terms", "-", ...pair], { stdin: "nut\tMutter\n" })
    yield* run(["glossaries", "rename", "Terms", "New terms"])
    assert.strictEqual(yield* run(["glossaries", "entries", "New terms", ...pair]), "nut\tMutter\n")
    assert.strictEqual((yield* ran(["glossaries", "delete-dictionary", "New terms", ...pair, "--yes"])).code, 0)
    assert.strictEqual((yield* ran(["glossaries", "delete", "New terms", "--yes"])).code, 0)
    assert.strictEqual(yield* run(["glossaries", "list", "--json"]), "")
  })

  test("stands for the id of a list of style rules", function*() {
    yield* run(["style-rules", "create", "House style", "--language", "en"])
    const [created] = lines(
      yield* run(`style-rules instructions create "House style" --label Dashes --prompt "Use short dashes" --json`)
    )
    assert.include(yield* run(["style-rules", "show", "House style"]), "Dashes")
    assert.strictEqual(
      yield* run(["translate", "-t", "en-GB", "--style-rules", "House style", "Hallo"]),
      "[en-GB] Hallo\n"
    )
    const instruction = String(created?.["instructionId"])
    assert.include(yield* run(["style-rules", "instructions", "show", "House style", instruction]), "Dashes")
    yield* run(["style-rules", "edit", "House style", "--name", "Our style"])
    assert.strictEqual((yield* ran(["style-rules", "delete", "Our style", "--yes"])).code, 0)
  })
})
