// The executable as a process: pipes, signals, exit codes.
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../packages/node/test/support/documents.ts"
import { live, liveWith } from "../../../test/support/tests.ts"
import { exitCodes } from "../src/screen/failures.ts"
import { inProcess } from "./support/cli.ts"
import { asProcess, bin, ending, start, startCli } from "./support/cliProcess.ts"

const key = "key-that-nobody-sees"
const fake = NodeFakeLanguageService.layer({ keys: [{ key, tier: "paid" }] })

const environment = Effect.map(FakeLanguageService, ({ url }) => ({
  LANGUAGE_SERVICE_KEY: key,
  LANGUAGE_SERVICE_BASE_URL: url
}))

/** More than a pipe holds, so that it is gone only when the reader has begun to read. */
const much = "a ".repeat(256 * 1024)

/** Asks for the version on a Node.js that says it is another one. */
const versionOn = (node: string) => {
  const versions = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${node}'}})`
  return asProcess(["--version"], { env: { NODE_OPTIONS: `--import=data:text/javascript,${versions}` } })
}

const test = liveWith(fake)

describe.concurrent("effect-lingua", () => {
  test("reads a pipe, calls the service and ends with 0", function*() {
    const env = yield* environment
    assert.deepStrictEqual(yield* asProcess(["correct"], { env, stdin: "teh house\n" }), {
      code: 0,
      out: "The house.\n",
      err: ""
    })
  })

  test("ends with the code of a failure, in one line", function*() {
    assert.deepStrictEqual(yield* asProcess(["correct"]), {
      code: 2,
      out: "",
      err: "effect-lingua: standard input is empty\n"
    })
    const ran = yield* asProcess(["detect", "--json", "a"], { env: yield* environment })
    assert.strictEqual(ran.code, 4)
    assert.deepInclude(JSON.parse(ran.err), { error: "AccessDenied", exitCode: 4 })
  })

  live("refuses arguments that are not text in UTF-8, like input that is not", function*() {
    const script = `"$0" "$1" correct --fake --quiet --json "teh house" $'caf\\xe9'`
    const process = yield* start(["bash", "--norc", "-c", script, globalThis.process.execPath, bin], { stdin: "" })
    assert.deepStrictEqual(yield* ending(process), {
      code: 2,
      out: "",
      err: JSON.stringify({
        type: "error",
        error: "InvalidUsage",
        message: "argument 6 is not text in UTF-8; give a text with U+FFFD on standard input",
        exitCode: 2
      }) + "\n"
    })
    const given = yield* asProcess(["correct", "--fake", "--quiet"], { stdin: "teh \ufffd" })
    assert.deepStrictEqual(given, { code: 0, out: "The \ufffd\n", err: "" })
  })

  live("ends quietly when nobody reads on", function*() {
    // The pipe is closed before anything is written, and the shell says how the writer ended.
    const script = `{ "$0" "$1" languages --fake --quiet --json; echo "code $?" >&2; } | true`
    const process = yield* start(["sh", "-c", script, globalThis.process.execPath, bin], { stdin: "" })
    assert.deepStrictEqual(yield* ending(process), { code: 0, out: "", err: "code 0\n" })
    const head = yield* start(
      ["sh", "-c", script.replace("| true", "| head -n 1"), globalThis.process.execPath, bin],
      { stdin: "" }
    )
    const { err, out } = yield* ending(head)
    assert.match(out, /^\{[^\n]+\}\n$/)
    assert.strictEqual(err, "code 0\n")
  })

  test("ends with 130 or 143 when it is told to while it waits for another attempt", function*() {
    const { effects, script } = yield* FakeLanguageService
    const env = yield* environment
    for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
      yield* script({ fault: { status: 429, retryAfter: "50 seconds" } })
      const process = yield* startCli(["correct", "teh house"], { env, stdin: "" })
      const [line] = yield* Effect.promise(() => once(process.child.stderr, "data"))
      assert.strictEqual(String(line), "effect-lingua: Writing.correct: waiting 50 s (requested by the service)\n")
      process.child.kill(signal)
      const { out, ...ended } = yield* ending(process)
      assert.deepStrictEqual([out, ended.code], ["", code])
      assert.strictEqual(ended.err, String(line))
    }
    assert.strictEqual((yield* effects)["Writing.correct"].count, 0)
  })

  live("ends with 130 while it reads standard input", function*() {
    const process = yield* startCli(["correct", "--fake"])
    yield* Effect.callback<void>((resume) => {
      process.child.stdin.write(much, () => resume(Effect.void))
    })
    process.child.kill("SIGINT")
    assert.deepStrictEqual(yield* ending(process), { code: 130, out: "", err: "" })
  })

  live("completes the names of profiles and values of flags", function*() {
    const home = yield* folder
    const file = join(home, "settings.json")
    writeFileSync(file, JSON.stringify({ profiles: { work: {}, home: {} } }))
    const env = { LANGUAGE_SERVICE_CONFIG: file }
    const complete = (...words: ReadonlyArray<string>) => inProcess(["--complete", ...words], { env })
    assert.strictEqual((yield* complete("--profile", "")).out, "work\nhome\n")
    assert.strictEqual((yield* complete("--tier=fr")).out, "--tier=free\n")
    assert.strictEqual((yield* complete("translate", "--", "--")).out, "")
    assert.notMatch((yield* complete("translate", "--")).out, /^--(undefined|false)\b/m)
    assert.deepStrictEqual(yield* complete(), { code: 0, out: (yield* complete("")).out, err: "" })
    writeFileSync(file, "{")
    assert.deepStrictEqual(yield* complete("--profile", ""), { code: 0, out: "", err: "" })
  })

  live("prints the help of a command for help and --help alike, and its version", function*() {
    const { code, out } = yield* inProcess(["help", "documents", "translate"])
    assert.strictEqual(code, 0)
    assert.include(out, "--template")
    assert.strictEqual((yield* inProcess(["documents", "translate", "--help"])).out, out)
    assert.strictEqual((yield* inProcess(["help"])).out, (yield* inProcess(["--help"])).out)
    assert.strictEqual((yield* inProcess(["help", "dokument"])).code, 2)
    assert.match((yield* inProcess(["--version"])).out, /^effect-lingua v\d+\.\d+\.\d+\n$/)
  })

  live("starts on Node.js 22.19 and newer, and says so on an older one", function*() {
    const [old, ...recent] = yield* Effect.forEach(["22.18.0", "22.19.0", "23.0.0"], versionOn, { concurrency: 3 })
    assert.include(old?.err, "it needs Node.js 22.19 or newer, and this is 22.18.0")
    assert.deepStrictEqual([old, ...recent].map((ran) => ran?.code), [2, 0, 0])
  })

  live("says its version, and prints short scripts for shells", function*() {
    assert.match((yield* asProcess(["--version"])).out, /^effect-lingua v\d+\.\d+\.\d+\n$/)
    for (const shell of ["bash", "zsh", "fish", "powershell"]) {
      const { code, err, out } = yield* inProcess(["--completions", shell])
      assert.deepStrictEqual([code, err], [0, ""])
      assert.isBelow(out.length, 1000)
    }
  })

  live("--lines counts no result that could not be written", function*() {
    const command = `"$0" "$1" translate --fake -t de --lines > /dev/full`
    const { code, err } = yield* ending(
      yield* start(["sh", "-c", command, globalThis.process.execPath, bin], { stdin: "line 1\nline 2\nline 3\n" })
    )
    assert.strictEqual(code, 13)
    assert.include(err, "stopped at line 1: the results of 0 are written; continue with --skip 0")
  })

  test("takes the key from a command, which may ask its user, and shows neither of them when that fails", function*() {
    const { url } = yield* FakeLanguageService
    const config = join(yield* folder, "config.json")
    const ends = (keyCommand: string) => {
      writeFileSync(config, JSON.stringify({ baseUrl: url, keyCommand, to: "de" }), { mode: 0o600 })
      return inProcess(["translate", "Hello", "--config", config])
    }
    assert.strictEqual((yield* ends(`sleep 0.2; printf '${key}\\n'`)).out, "[de] Hello\n")
    const failed = yield* ends(`echo ${key}; exit 3`)
    assert.strictEqual(failed.code, exitCodes.configuration)
    assert.include(failed.err, "keyCommand ended with 3")
    assert.notInclude(failed.err, key)
    assert.include((yield* ends("true")).err, "keyCommand printed no key")
  })
})
