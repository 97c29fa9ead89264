// The commands of spoken terms against the fake on a socket.
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as FakeVoice from "@effect-lingua/voice/FakeVoice"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../../../packages/node/test/support/documents.ts"
import { exitCodes } from "../../../src/screen/failures.ts"
import { lines, ran, run, test } from "../../support/cliFake.ts"

const english = ["--language", "en"] as const
const there = FakeLanguageService.use(({ state }) => Effect.map(state, (all) => FakeVoice.stateOf(all).spokenTerms))
const terms = (...args: ReadonlyArray<string>) => ["voice", "terms", ...args]

/** Creates terms, and returns their id. */
const create = Effect.map(
  run(terms("create", "Harbour 語", "-", ...english), { stdin: "Plimsoll line\nfairlead\n" }),
  (out) => out.trim()
)

describe("voice terms", () => {
  test("are created of a file, listed and shown with their languages", function*() {
    const id = yield* create
    assert.deepStrictEqual((yield* there).map(({ spokenTermsId, termLists }) => [String(spokenTermsId), termLists]), [
      [id, [{ language: "en", terms: ["Plimsoll line", "fairlead"] }]]
    ])
    assert.match(
      yield* run(terms("list")),
      new RegExp(`^ID +CREATED +LANGUAGES +NAME\\n${id}  \\S+ \\S+  en +Harbour 語\\n$`)
    )
    const out = yield* run(terms("show", id))
    assert.match(out, /^name {5}Harbour 語$/m)
    assert.match(out, /^LANGUAGE +TERMS\nen +2\n$/m)
    for (const command of [["list"], ["show", id]]) {
      const [json] = lines(yield* run(terms(...command, "--json")))
      assert.deepInclude(json, { spokenTermsId: id, termLists: [{ language: "en", entryCount: 2 }] })
    }
  })

  test("are renamed, added, replaced and printed as they are read", function*() {
    const id = yield* create
    assert.match(yield* run(terms("rename", id, "Port")), /^name {5}Port$/m)
    assert.match(yield* run(terms("merge", id, "-", ...english), { stdin: "bollard\nfairlead" }), /^en +3$/m)
    const printed = yield* run(terms("entries", id, ...english))
    assert.strictEqual(printed, "Plimsoll line\nfairlead\nbollard\n")
    assert.deepStrictEqual(
      (yield* run(terms("entries", id, ...english, "--json"))).trimEnd().split("\n").map((line) => JSON.parse(line)),
      ["Plimsoll line", "fairlead", "bollard"]
    )
    const file = join(yield* folder, "terms.txt")
    writeFileSync(file, `\ufeff${printed.replaceAll("\n", "\r\n")}`)
    assert.match(yield* run(terms("replace", id, file, "--language", "DE")), /^LANGUAGE +TERMS\nde +3\n$/)
    assert.strictEqual(yield* run(terms("entries", id, "--language", "de")), printed)
  })

  test("are deleted with --yes only, all or those of a language", function*() {
    const id = yield* create
    for (const args of [["delete", id], ["delete-list", id, ...english]]) {
      const { code, err } = yield* ran(terms(...args))
      assert.strictEqual(code, exitCodes.usage)
      assert.include(err, "give --yes")
    }
    const list = yield* ran(terms("delete-list", "--yes", id, ...english))
    assert.deepStrictEqual(list, { code: 0, out: "", err: `effect-lingua: the terms in en of ${id} are deleted\n` })
    assert.deepStrictEqual((yield* there).map(({ termLists }) => termLists), [[]])
    const all = yield* ran(terms("delete", "--yes", id))
    assert.deepStrictEqual(all, { code: 0, out: "", err: `effect-lingua: the collection ${id} is deleted\n` })
    assert.deepStrictEqual(yield* there, [])
  })

  test("with a mistake are refused with file and number, and nothing is sent", function*() {
    const file = join(yield* folder, "terms.txt")
    writeFileSync(file, "fairlead\n\nbollard\nfairlead\n")
    const id = "11111111-0000-4000-8000-000000000000"
    for (const args of [["create", "A", file], ["merge", id, file], ["replace", id, file]]) {
      const { code, err, out } = yield* ran(terms(...args, ...english))
      assert.deepStrictEqual([code, out], [exitCodes.usage, ""])
      assert.include(
        err,
        `${file}: entry 2: the term is empty; entry 4: the term is a duplicate of entry 1. Nothing was sent`
      )
    }
    const long = yield* ran(terms("create", "A", "-", ...english), { stdin: "a".repeat(301) })
    assert.strictEqual(long.code, exitCodes.usage)
    assert.include(long.err, "301 characters")
    assert.deepStrictEqual(yield* FakeLanguageService.use(({ requests }) => requests), [])
  })
})
