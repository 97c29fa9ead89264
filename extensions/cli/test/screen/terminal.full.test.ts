// The command line in a real terminal: what is typed, and what the screen shows.
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../../packages/node/test/support/documents.ts"
import { rawServer, slowly, whole } from "../../../../packages/node/test/support/rawServer.ts"
import { has } from "../../../../test/support/has.ts"
import { sampled } from "../../../../test/support/scale.ts"
import { live } from "../../../../test/support/tests.ts"
import { glossaryId, spokenTermsId, styleId, translationMemoryId } from "../../src/client/sample.ts"

import { key, test } from "../support/cliFake.ts"
import { type Options, terminal } from "../support/tmux.ts"

/** A terminal in a folder of its own, with a service that gives a document slowly, and then another at once. */
const setup = Effect.fnUntraced(function*({ env, ...options }: Options = {}) {
  const cwd = yield* folder
  const server = yield* rawServer([slowly(300_000, 300_000_000), whole("200 OK", "hello")])
  const service = {
    LANGUAGE_SERVICE_KEY: "key-that-nobody-sees",
    LANGUAGE_SERVICE_BASE_URL: server.url,
    LANGUAGE_SERVICE_DOCUMENT_KEY: "document-key-that-nobody-sees",
    XDG_STATE_HOME: yield* folder
  }
  writeFileSync(join(cwd, "letter.txt"), "Good morning\n")
  writeFileSync(join(cwd, "note.txt"), "Good evening\n")
  return { cwd, ...yield* terminal({ cwd, env: { ...service, ...env }, ...options }) }
})

const download = "clear; effect-lingua documents download doc-1 --output letter.docx; echo \"code $?\""

const bar = /^doc-1: (?:downloading {2})?\[[#-]+\] {2}\d+% .*left$/m

const escape = "\u001b["

describe.skipIf(!has("a terminal"))("effect-lingua in a terminal", { concurrent: true }, () => {
  live("draws a bar with rate and time left on one line, redraws it, and takes it away on Ctrl-C", function*() {
    const { coloured, cwd, hasCursor, keys, run, shows, type } = yield* setup()
    yield* type(download)
    const first = yield* shows(bar)
    const [line] = bar.exec(first) ?? []
    assert.match(
      line ?? "",
      /^doc-1: downloading {2}\[[#-]{20}\] {2}\d+% {2}[\d.]+ [KM]iB of 286\.1 MiB {2}[\d.]+ [KM]iB\/s {2}\d.* left$/
    )
    assert.isTrue((yield* coloured).includes(`${escape}2mdoc-1: `))
    let second = first
    while (bar.exec(second)?.[0] === line) second = yield* shows(bar)
    // The line of the command, which the shell may show again, is no part of it.
    assert.strictEqual(second.split("\n").filter((text) => text.startsWith("doc-1:")).length, 1)
    yield* keys("C-c")
    const last = yield* shows(/^code 130\nready>$/m)
    assert.notMatch(last, bar)
    assert.match(last, /^effect-lingua: doc-1: to resume: effect-lingua documents resume doc-1$/m)
    assert.isTrue(yield* hasCursor)
    assert.isFalse(existsSync(join(cwd, "letter.docx")))
    const resumed = yield* run("effect-lingua documents resume doc-1")
    assert.deepStrictEqual(resumed, { code: 0, lines: [join(cwd, "letter.docx")] })
  })

  live("has a line for each of several documents, and in the end their paths alone", function*() {
    const { cwd, shows, type, written } = yield* setup()
    yield* type("clear; effect-lingua documents translate --fake --to de letter.txt note.txt; echo \"code $?\"")
    const last = yield* shows(/^code 0\nready>$/m)
    const lines = /letter\.txt: (?:waiting|translating)[^\n]*\n[^\n]*note\.txt: (?:waiting|translating)/
    yield* Effect.repeat(Effect.delay(written, "50 millis"), { until: (text) => lines.test(text) })
    const paths = ["letter", "note"].map((name) => join(cwd, `${name}.de.txt`))
    assert.deepStrictEqual(last.split("\n").slice(1, 3).toSorted(), paths)
    assert.notInclude(last, "translating")
  })

  live("has no colours with NO_COLOR, the bar included, and others without it", function*() {
    const colourless = yield* setup({ env: { NO_COLOR: "1" } })
    yield* colourless.type(download)
    yield* colourless.shows(bar)
    assert.notInclude(yield* colourless.coloured, escape)
    yield* colourless.keys("C-c")
    yield* colourless.shows("code 130")
    yield* colourless.run("effect-lingua languages --fake; effect-lingua corect; effect-lingua --help | tail -3")
    assert.notInclude(yield* colourless.coloured, escape)
    const { coloured, run } = yield* setup()
    yield* run("effect-lingua corect")
    assert.include(yield* coloured, `${escape}31meffect-lingua:`)
  })

  live("keeps the bar on one line where that is narrow", function*() {
    const { keys, shows, type } = yield* setup({ columns: 40 })
    yield* type(download)
    let seen = yield* shows(bar)
    for (const [first] = bar.exec(seen) ?? []; bar.exec(seen)?.[0] === first;) seen = yield* shows(bar)
    assert.match(seen, /^doc-1: \[[#-]{10}\] {2}\d+% {2}.*left$/m)
    assert.strictEqual(seen.split("\n").filter((text) => text.includes("left")).length, 1)
    yield* keys("C-c")
    yield* shows("code 130")
  })

  live("asks for a text at once, instead of waiting for one to be typed", function*() {
    const { run } = yield* setup()
    for (const command of ["correct", "rephrase", "translate -t de", "detect"]) {
      assert.deepStrictEqual(yield* run(`effect-lingua ${command}`), {
        code: 2,
        lines: ["effect-lingua: no text: give it as an argument, with --file, or on standard input (see --help)"]
      })
    }
  })

  live("asks before it deletes, and takes nothing but yes for yes", function*() {
    const { keys, shows, type, until } = yield* setup()
    const question = {
      [`glossaries delete --fake ${glossaryId}`]: "delete the glossary \"Hardware\" with en-de (2)?",
      [`style-rules delete --fake ${styleId}`]: "delete the list \"House style\" (en)?",
      [`voice terms delete --fake ${spokenTermsId}`]: "delete the spoken terms \"Harbour words\" (en)?",
      [`memories delete --fake ${translationMemoryId}`]: "delete the memory \"Manuals\" (2)?"
    }
    const answers = [
      [["y", "Enter"], 0, "is deleted"],
      [["n", "Enter"], 2, "it was not confirmed; nothing was changed"],
      [["Enter"], 2, "it was not confirmed; nothing was changed"],
      [["C-d"], 2, "it was not confirmed; nothing was changed"],
      [["C-c"], 130, ""]
    ] as const
    for (const [index, [command, asked]] of Object.entries(question).entries()) {
      for (const [answer, code, end] of sampled(answers, index === 0 ? 3 : 1)) {
        yield* type(`clear; effect-lingua ${command}; echo "code $?"`)
        // The screen of the run before ends with a prompt.
        yield* until((screen) => screen.endsWith(`${asked} It cannot be undone. [y/N]`))
        yield* keys(...answer)
        assert.include(yield* shows(new RegExp(`^.*code ${code}\\nready>$`, "m")), end)
      }
    }
  })

  live("has help that fits 80 columns, with whole words", function*() {
    const { run } = yield* setup({ columns: 80, rows: 100 })
    for (const command of ["documents translate", "documents download", "translate", "doctor", ""]) {
      const { code, lines } = yield* run(`effect-lingua ${command} --help`)
      assert.strictEqual(code, 0)
      // A line that a terminal had to break would be followed by a rest without an indent.
      const examples = lines.indexOf("EXAMPLES")
      const text = lines.slice(0, examples)
      assert.isAbove(text.length, 5)
      for (const line of text) assert.match(line, /^(?: {2}.*|[A-Z ]+:?|Run .*|)$/, command)
    }
  })

  live("shows a text with control sequences as harmless text", function*() {
    const { coloured, run } = yield* setup()
    const { lines } = yield* run(
      "printf 'a\\033[31mred\\033[2Jb\\033]0;title\\007' | effect-lingua translate --fake --quiet -t de"
    )
    assert.deepStrictEqual(lines, ["[de] a[31mred[2Jb]0;title"])
    assert.notInclude(yield* coloured, `${escape}31m`)
  })

  test("asks for settings, checks them, and keeps them for the next commands", function*() {
    const { url } = yield* FakeLanguageService
    const home = yield* folder
    const path = join(home, "effect-lingua/config.json")
    const { run, screen, shows, type } = yield* terminal({ env: { XDG_CONFIG_HOME: home } })
    const answer = Effect.fnUntraced(function*(key: string, flags = "") {
      yield* type(`clear; effect-lingua init${flags}; echo "code $?"`)
      yield* shows("Address of the service")
      yield* type(url)
      yield* shows("Key (it is not shown)")
      yield* type(key)
      yield* shows("Language to translate to")
      yield* type("de")
      return yield* shows(/^code \d+\nready>$/m)
    })
    const refused = yield* answer("wrong-key")
    assert.match(refused, /^code 4$/m)
    assert.include(refused.replaceAll(/\s/g, ""), "thekeywasnotconfirmed,sonothingwassaved")
    assert.isFalse(existsSync(path))
    assert.match(yield* answer(key), /^code 0$/m)
    assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    assert.notInclude(yield* screen, key)
    assert.deepStrictEqual((yield* run("effect-lingua translate Hello")).lines, ["[de] Hello"])
    // In a profile the new key replaces the other forms of a key; headers of another address go.
    const work = { keyFile: "old", headers: { "x-a": "a" }, tier: "paid", baseUrl: "https://a.test" }
    writeFileSync(path, JSON.stringify({ to: "fr", profiles: { work, other: { to: "it" } } }))
    chmodSync(path, 0o644)
    assert.match(yield* answer(key, " --profile work"), /^code 0$/m)
    assert.deepStrictEqual(JSON.parse(readFileSync(path, "utf8")), {
      to: "fr",
      profiles: { work: { tier: "paid", baseUrl: url, key, to: "de" }, other: { to: "it" } }
    })
    assert.strictEqual(statSync(path).mode & 0o777, 0o600)
    // It would check the key of the profile in place of the new one.
    writeFileSync(join(home, "effect-lingua.json"), JSON.stringify({ settings: { profile: "work" } }))
    const { lines } = yield* run(`cd ${home} && effect-lingua init`)
    assert.include(lines.join("").replaceAll(/\s/g, ""), "whichcommandsuse:add--profilework")
  })
})
