// Every example of every help and of the documentation runs, as it stands there.
import { Admin } from "@effect-lingua/core/account/Admin"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as FakeVoice from "@effect-lingua/voice/FakeVoice"
import { SpokenTerms } from "@effect-lingua/voice/SpokenTerms"
import { Voice } from "@effect-lingua/voice/Voice"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { CliOutput, type Command } from "effect/cli"
import { spawnSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { folder } from "../../../../packages/node/test/support/documents.ts"
import { isFull, sampled } from "../../../../test/support/scale.ts"
import { live } from "../../../../test/support/tests.ts"
import { layer, layerAdmin } from "../../src/client/fake.ts"
import {
  documentId,
  evaluationId,
  glossaryId,
  instructionId,
  keyId,
  spokenTermsId,
  styleId,
  translationMemoryId,
  voiceJobId
} from "../../src/client/sample.ts"
import * as fakeSpeech from "../../src/commands/voice/fake.ts"
import { commandFor } from "../../src/main.ts"
import { exitCodes } from "../../src/screen/failures.ts"
import { inProcess, workIn } from "../support/cli.ts"

const pathsOf = (
  command: Command.Command.Any,
  path: ReadonlyArray<string> = []
): ReadonlyArray<ReadonlyArray<string>> => [
  path,
  ...command.subcommands.flatMap(({ commands }) => commands).flatMap((sub) => pathsOf(sub, [...path, sub.name]))
]

const names = pathsOf(await Effect.runPromise(commandFor([]))).flat()
const paths = pathsOf(await Effect.runPromise(commandFor(names)))

/** The commands that a help names as examples. */
const examplesOf = (help: string): ReadonlyArray<string> =>
  (help.split("EXAMPLES\n")[1] ?? "").split("\n").filter((line) => /^ {2}\S/.test(line) && !line.startsWith("  #"))
    .map((line) => line.trim())

/** The pages of the command line. */
const documentation = globSync(fileURLToPath(new URL("../../../../docs/cli{,-*}.md", import.meta.url))).toSorted()
  .map((page) => readFileSync(page, "utf8")).join("\n")

const file = (block: string): string => block.split("\n").map((line) => line.slice(4)).join("\n")

/** Commands that only have others. */
const groups = new Set([
  ..."admin cache config documents glossaries memories quality style-rules voice".split(" "),
  "admin keys",
  "style-rules instructions",
  "voice terms"
])

describe("the pages of the command line", () => {
  it("has the code of each kind of ending, and no other", () => {
    const codes = [...documentation.matchAll(/^\| +(\d+) \|/gm)].map(([, code]) => Number(code))
    assert.deepStrictEqual(codes, Object.values(exitCodes))
  })

  live("shows a settings file that can be used", function*() {
    const [block = ""] = /^ {4}\{\n(?: {4}.*\n)+/m.exec(documentation) ?? []
    const path = join(yield* folder, "settings.json")
    writeFileSync(path, file(block))
    const env = { LANGUAGE_SERVICE_KEY: "key", LANGUAGE_SERVICE_BASE_URL: "http://127.0.0.1:1" }
    const { code, err } = yield* inProcess(["languages", "--config", path, "--attempts", "1"], { env })
    assert.strictEqual(code, exitCodes.unavailable, err)
  })
})

/** Stands for the executable where a shell runs an example: keeps the words and the input that the shell gives it. */
const shim = `#!/bin/sh
printf '%s\\0' "$@" > words
exec cat > input
`

/** Runs an example in the current folder. A shell takes it apart, and the command line runs in this process. */
const runExample = (example: string) =>
  Effect.suspend(() => {
    const { status } = spawnSync("sh", ["-c", example], { env: { PATH: `${process.cwd()}:/usr/bin:/bin` }, input: "" })
    assert.strictEqual(status, 0, example)
    const env = { XDG_CACHE_HOME: join(process.cwd(), "kept"), XDG_CONFIG_HOME: join(process.cwd(), "kept") }
    return inProcess(readFileSync("words", "utf8").split("\0").slice(0, -1), { env, stdin: readFileSync("input") })
  })

/** These need a terminal. */
const asks = /^effect-lingua init\b/

/** Lines that are wider than a screen and could be broken. A flag stays on a line with its values. */
const tooWide = (text: string, columns: number): ReadonlyArray<string> =>
  text.split("\n").filter((line) =>
    CliOutput.displayWidth(line) > columns && line.trim().includes(" ") && !/^ {2}--\S+ <\S+>$/.test(line)
  )

describe("a terminal of 80 and of 40 columns", () => {
  const terminal = { stdout: true, stderr: true }

  live("has the help of each command, in whole words", function*() {
    for (const path of paths) {
      const helpOf = (columns: number) =>
        Effect.map(inProcess([...path, "--help"], { columns, terminal, env: { NO_COLOR: "1" } }), ({ out }) => {
          const [help = "", examples] = out.split("EXAMPLES")
          return [help, examples] as const
        })
      const [whole, examples] = yield* helpOf(300)
      assert.deepStrictEqual(tooWide(whole, 100), [], path.join(" "))
      for (const columns of [80, 40]) {
        const [help, copied] = yield* helpOf(columns)
        assert.strictEqual(copied, examples, path.join(" "))
        assert.deepStrictEqual(tooWide(help, columns), [], path.join(" "))
        assert.deepStrictEqual(help.split(/\s+/), whole.split(/\s+/), path.join(" "))
      }
    }
  })

  live("has the table or list of each command that prints one", function*() {
    yield* Effect.flatMap(folder, workIn)
    writeFileSync("effect-lingua.json", `{"source":"en","targets":["de"],"files":["{language}.json"]}`)
    writeFileSync("en.json", `{"a":"b"}`)
    writeFileSync("letter.txt", "Good morning\n")
    const wide: Array<string> = []
    const show = (commands: ReadonlyArray<ReadonlyArray<string>>, concurrency: number | "unbounded") =>
      Effect.forEach(
        commands.flatMap((args) => [80, 40].map((columns) => ({ args, columns }))),
        ({ args, columns }) =>
          Effect.gen(function*() {
            const { err, out } = yield* inProcess([...args, "--fake"], {
              columns,
              terminal,
              env: { NO_COLOR: "1", XDG_CACHE_HOME: process.cwd(), XDG_CONFIG_HOME: process.cwd() },
              stdin: "We pay 42 euros\tWir zahlen 24 Euro\n"
            })
            assert.notStrictEqual(out, "", `${args.join(" ")}: ${err}`)
            wide.push(...tooWide(out, columns))
          }),
        { concurrency, discard: true }
      )
    // Jobs take their time.
    yield* show(
      [
        ["admin", "keys", "list"],
        ["cache", "stats"],
        ["config", "list"],
        ["detect", "Wo ist der Bahnhof?"],
        ["documents", "pending"],
        ["documents", "translate", "--to", "de,fr", "letter.txt", "--dry-run"],
        ["glossaries", "list"],
        ["glossaries", "show", glossaryId],
        ["languages"],
        ["languages", "--resource", "write"],
        ["memories", "list"],
        ["memories", "show", translationMemoryId],
        ["quality", "resume", evaluationId, "-"],
        ["style-rules", "list"],
        ["style-rules", "show", styleId],
        ["style-rules", "instructions", "list", styleId],
        ["usage"],
        ["voice", "resume", voiceJobId],
        ["voice", "terms", "list"],
        ["voice", "terms", "show", spokenTermsId]
      ],
      "unbounded"
    )
    yield* show([["localize", "--dry-run"], ["localize"], ["localize", "check"]], 1)
    assert.deepStrictEqual(wide, [])
  })
})

describe("examples", () => {
  live("stand in the help of each command and in the documentation, and all of them run", function*() {
    yield* Effect.flatMap(folder, workIn)
    writeFileSync("effect-lingua", shim, { mode: 0o755 })
    for (const name of ["letter.txt", "note.txt"]) writeFileSync(name, "teh letter has  arrived\n")
    writeFileSync(
      "manuals.tmx",
      `<tmx version="1.4"><header srclang="en"/><body><tu><tuv xml:lang="en"><seg>Screw</seg></tuv>` +
        `<tuv xml:lang="de"><seg>Schraube</seg></tuv></tu></body></tmx>`
    )
    writeFileSync("talk.mp3", "speech")
    mkdirSync("app")
    for (const name of ["", "app/"]) {
      writeFileSync(`${name}effect-lingua.json`, `{"source":"en","targets":["de"],"files":["{language}.json"]}`)
      writeFileSync(`${name}en.json`, `{"":""}`)
      writeFileSync(`${name}de.json`, `{"":""}`)
    }
    mkdirSync("web/locales", { recursive: true })
    for (const language of ["en", "en-US", "de"]) writeFileSync(`web/locales/${language}.json`, "{}")
    mkdirSync("kept/effect-lingua", { recursive: true })
    const settings = { baseUrl: "https://service.example", to: "fr", profiles: { work: { to: "de" } } }
    writeFileSync("kept/effect-lingua/config.json", JSON.stringify(settings))
    const examples = new Set<string>()
    for (const path of paths) {
      const { code, err, out } = yield* inProcess([...path, "--help"])
      assert.deepStrictEqual([code, err], [0, ""])
      const own = examplesOf(out)
      const group = groups.has(path.join(" "))
      assert.strictEqual(own.length > 0, !group, path.join(" "))
      for (const example of own) examples.add(example)
    }
    for (const [, line = ""] of documentation.matchAll(/^ {4}(.*effect-lingua .*--fake.*)$/gm)) examples.add(line)
    assert.isAbove(examples.size, 20)
    yield* Effect.forEach(
      sampled(Array.from(examples).filter((example) => !asks.test(example)), 10),
      (example) =>
        Effect.gen(function*() {
          // Each of these writes a project file, in a folder that has none.
          const own = example.includes(" localize init") ? ` --project web/${example.length}.json` : ""
          const { code, err, out } = yield* runExample(example + own)
          assert.strictEqual(code, 0, `${example}: ${err}`)
          if (example.includes("--fake")) {
            assert.include(err, "requests go to the embedded fake", example)
          }
          const isQuiet = / (delete|delete-dictionary|delete-list|forget|adopt|mcp|set|unset) /.test(example) ||
            (example.includes(" --output ") && !/ (documents|memories) /.test(example))
          assert.strictEqual(out === "", isQuiet, example)
        }),
      { concurrency: 8, discard: true }
    )
    if (isFull) {
      assert.isTrue(existsSync("letter.de.txt"))
    }
  })

  it.effect("the ids that they name are those of the embedded fake, each time", () =>
    Effect.gen(function*() {
      const state = yield* FakeLanguageService.use(({ state }) => state)
      const { glossaries, styleRuleLists, translationMemories } = state
      const [document] = yield* FakeLanguageService.use(({ documents }) => documents)
      assert.deepStrictEqual(
        [
          styleRuleLists[0]?.styleId,
          styleRuleLists[0]?.customInstructions[0]?.instructionId,
          glossaries[0]?.glossaryId,
          translationMemories[0]?.translationMemoryId,
          FakeVoice.stateOf(state).spokenTerms[0]?.spokenTermsId,
          document?.documentId
        ].map(String),
        [styleId, instructionId, glossaryId, translationMemoryId, spokenTermsId, documentId]
      )
      const keys = yield* Effect.provide(Admin.use((admin) => Stream.runCollect(admin.listKeys)), layerAdmin({}))
      assert.deepStrictEqual(keys.map((key) => String(key.keyId)), [keyId])
    }).pipe(Effect.provide(layer({}, Layer.merge(Voice.layer, SpokenTerms.layer), fakeSpeech))))
})
