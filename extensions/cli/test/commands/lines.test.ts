import { FakeLanguageService, Fault } from "@effect-lingua/testing"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname as directoryOf, join } from "node:path"
import { folder } from "../../../../packages/node/test/support/documents.ts"
import { isFull } from "../../../../test/support/scale.ts"
import { live } from "../../../../test/support/tests.ts"
import { inProcess } from "../support/cli.ts"
import { fakeWith, key, lines, run, test } from "../support/cliFake.ts"

const translate = ["translate", "-t", "de"]

/** Lines of a file, and their translations. */
const numbered = (count: number, prefix = "") =>
  Array.from({ length: count }, (_, index) => `${prefix}line ${index + 1}\n`).join("")

/** A run whose end is of interest, with what it wrote. */
const ended = Effect.fnUntraced(function*(args: ReadonlyArray<string>, stdin?: string) {
  const { url } = yield* FakeLanguageService
  const env = { LANGUAGE_SERVICE_KEY: key, LANGUAGE_SERVICE_BASE_URL: url }
  return yield* inProcess([...args, "--attempts", "1"], { env, stdin })
})

/** A disk that takes no byte of a new file, nor of one that is written anew. */
const fullDisk = Layer.effect(
  FileSystem.FileSystem,
  Effect.map(FileSystem.FileSystem, (fs): FileSystem.FileSystem => ({
    ...fs,
    writeFileString: (path, _text, options) =>
      Effect.andThen(fs.writeFileString(path, "", options), fs.writeFileString(directoryOf(path), ""))
  }))
).pipe(Layer.provide(NodeFileSystem.layer))

describe.concurrent("many texts", () => {
  it.live("are sent in as many requests as they need, and long ones in parts", () =>
    Effect.gen(function*() {
      const sixty = Array.from({ length: 60 }, (_, index) => `text ${index}`)
      assert.strictEqual(yield* run([...translate, ...sixty]), sixty.map((text) => `[de] ${text}\n`).join(""))
      const sentence = "All human beings are born free and equal in dignity and rights. "
      const long = yield* run(translate, { stdin: sentence.repeat(3500) })
      assert.isAbove(long.length, 200_000)
      const requests = yield* (yield* FakeLanguageService).requests
      assert.isAtLeast(requests.length, 4)
    }).pipe(Effect.scoped, Effect.provide(fakeWith({}))))

  test("are printed as far as they are paid for, if one of their requests fails", function*() {
    const fake = yield* FakeLanguageService
    const texts = Array.from({ length: 60 }, (_, index) => `text ${index}`)
    yield* fake.script([{ count: 1, fault: Fault.slow(0) }, { count: 100, fault: Fault.serverError() }])
    const stopped = yield* ended([...translate, ...texts])
    assert.notStrictEqual(stopped.code, 0)
    assert.strictEqual(stopped.out, texts.slice(0, 50).map((text) => `[de] ${text}\n`).join(""))
    yield* fake.reset
    yield* fake.script([{ count: 100, fault: Fault.serverError() }])
    assert.strictEqual((yield* ended([...translate, ...texts])).out, "")
  })
})

describe.concurrent("--lines", () => {
  test("gives a result for each line, in order, blank ones included", function*() {
    const stdin = `\nA\r\n\n  \nB\nC`
    assert.strictEqual(yield* run([...translate, "--lines"], { stdin }), "\n[de] A\n\n\n[de] B\n[de] C\n")
    assert.strictEqual(yield* run([...translate, "--lines"], { stdin: numbered(500) }), numbered(500, "[de] "))
    const objects = lines(yield* run([...translate, "--lines", "--json"], { stdin: "A\n\nB\n" }))
    assert.deepStrictEqual(objects.map(({ text }) => text), ["[de] A", "", "[de] B"])
    assert.strictEqual(
      yield* run(["correct", "--lines"], { stdin: "teh house\nteh tree\n" }),
      "The house.\nThe tree.\n"
    )
    assert.strictEqual(
      yield* run(["detect", "--lines"], { stdin: "Guten Morgen\n\n12345\n" }),
      "de\n\nunknown (no_language_detected)\n"
    )
  })

  test("takes records of several lines with --null", function*() {
    assert.strictEqual(
      yield* run([...translate, "--null"], { stdin: "one\nmore\0two\0" }),
      "[de] one\nmore\0[de] two\0"
    )
  })

  test("prints what is paid for, and says where to go on", function*() {
    const fake = yield* FakeLanguageService
    let out = ""
    // Each run ends after one request, and the next goes on as its advice says.
    const on = Effect.fnUntraced(function*(...advice: ReadonlyArray<string>) {
      yield* fake.reset
      yield* fake.script([{ count: 1, fault: Fault.slow(0) }, { count: 100, fault: Fault.serverError() }])
      const ran = yield* ended([...translate, "--lines", ...advice], numbered(120))
      out += ran.out
      return { code: ran.code, advice: / continue with (.*)\n/.exec(ran.err)?.[1] }
    })
    assert.deepInclude(yield* on(), { advice: "--skip 50" })
    assert.strictEqual(out, numbered(50, "[de] "))
    assert.deepInclude(yield* on("--skip", "50"), { advice: "--skip 100" })
    assert.deepStrictEqual(yield* on("--skip", "100"), { code: 0, advice: undefined })
    assert.strictEqual(out, numbered(120, "[de] "))
  })

  test("goes on in a file, which is there when all is done", function*() {
    const fake = yield* FakeLanguageService
    const directory = yield* folder
    const [input, output] = [join(directory, "in.txt"), join(directory, "out.txt")]
    writeFileSync(input, numbered(120))
    const args = [...translate, "--lines", "--file", input, "--output", output]
    yield* fake.script([{ count: 1, fault: Fault.slow(0) }, { count: 100, fault: Fault.serverError() }])
    const stopped = yield* ended(args)
    assert.include(stopped.err, "continue with --resume")
    assert.isFalse(existsSync(output))
    assert.strictEqual(readFileSync(`${output}.part`, "utf8"), numbered(50, "[de] "))
    yield* fake.reset
    assert.match(
      (yield* ended(args)).err,
      /has the results of a run that stopped; continue with --resume, or delete it/
    )
    // A kill in the middle of a line.
    writeFileSync(`${output}.part`, `${numbered(50, "[de] ")}[de] li`)
    assert.strictEqual((yield* ended([...args, "--resume"])).code, 0)
    assert.strictEqual(readFileSync(output, "utf8"), numbered(120, "[de] "))
    // What was paid for is not sent again.
    const resent = (yield* fake.requests).map(({ body }) => body).join()
    assert.deepStrictEqual(["line 1", "line 50", "line 51", "line 120"].map((line) => resent.includes(`"${line}"`)), [
      false,
      false,
      true,
      true
    ])
    assert.isFalse(existsSync(`${output}.part`))
    assert.match((yield* ended(args)).err, /out\.txt exists; name another file or replace it with --overwrite/)
  })

  test("goes on only with the same input and options", function*() {
    const fake = yield* FakeLanguageService
    const directory = yield* folder
    const [input, output] = [join(directory, "in.txt"), join(directory, "out.txt")]
    writeFileSync(input, numbered(120))
    writeFileSync(output, "", { mode: 0o600 })
    chmodSync(output, 0o664)
    const rest = ["--lines", "--file", input, "--output", output, "--overwrite"]
    const skip = ["--skip", "3"]
    yield* fake.script([{ count: 1, fault: Fault.slow(0) }, { count: 100, fault: Fault.serverError() }])
    assert.notStrictEqual((yield* ended([...translate, ...rest, ...skip])).code, 0)
    yield* fake.reset
    const refused = Effect.fnUntraced(function*(difference: string, ...args: ReadonlyArray<string>) {
      const format = args.includes("--null") ? rest.slice(1) : rest
      const { code, err } = yield* ended([...args, ...format, ...args.includes("--skip") ? [] : skip, "--resume"])
      assert.strictEqual(code, 2, err)
      assert.include(err, `--resume: ${difference}`)
    })
    yield* refused(`targetLanguage was "de" and is "fr"`, "translate", "-t", "fr")
    yield* refused(`context was absent and is "a letter"`, ...translate, "--context", "a letter")
    yield* refused(`command was "translate" and is "correct"`, "correct")
    yield* refused("json was false and is true", ...translate, "--json")
    yield* refused("null was false and is true", ...translate, "--null")
    yield* refused("skip was 3 and is 4", ...translate, "--skip", "4")
    const address = JSON.stringify(new URL(fake.url).origin)
    yield* refused(`service was ${address} and is "the fake"`, ...translate, "--fake")
    writeFileSync(input, numbered(120).replace("line 7", "line seven"))
    yield* refused("line 7 of the input differs from the run of", ...translate)
    writeFileSync(input, numbered(20))
    yield* refused("the input ends before line 21", ...translate)
    assert.deepStrictEqual(yield* fake.requests, [])
    // What follows may have changed.
    writeFileSync(input, `${numbered(120)}line 121\n`)
    assert.strictEqual((yield* ended([...translate, ...rest, ...skip, "--resume"])).code, 0)
    assert.strictEqual(readFileSync(output, "utf8"), numbered(121, "[de] ").slice(numbered(3, "[de] ").length))
    assert.strictEqual(statSync(output).mode & 0o777, 0o664)
    assert.deepStrictEqual(readdirSync(directory).toSorted(), ["in.txt", "out.txt"])
  })

  test("goes on after a run that stopped while it continued another, or before its first result", function*() {
    const { reset, script, url } = yield* FakeLanguageService
    const directory = yield* folder
    const [input, output] = [join(directory, "in.txt"), join(directory, "out.txt")]
    writeFileSync(input, numbered(120))
    const args = [...translate, "--lines", "--file", input, "--output", output]
    writeFileSync(`${output}.part`, "")
    yield* script([{ count: 1, fault: Fault.slow(0) }, { count: 100, fault: Fault.serverError() }])
    assert.include((yield* ended([...args, "--resume"])).err, "stopped at line 51")
    yield* reset
    yield* script([{ count: 100, fault: Fault.serverError() }])
    const env = { LANGUAGE_SERVICE_KEY: key, LANGUAGE_SERVICE_BASE_URL: url }
    assert.notStrictEqual((yield* inProcess([...args, "--resume"], { env, files: fullDisk })).code, 0)
    yield* reset
    assert.strictEqual((yield* ended([...args, "--resume"])).code, 0)
    assert.strictEqual(readFileSync(output, "utf8"), numbered(120, "[de] "))
    assert.deepStrictEqual(readdirSync(directory).toSorted(), ["in.txt", "out.txt"])
  })

  live("counts no result before whose write the run was interrupted", function*() {
    const { err, out } = yield* inProcess([...translate, "--fake", "--lines"], {
      stdin: numbered(5),
      interruptedAt: 3
    })
    assert.strictEqual(out, numbered(2, "[de] "))
    assert.include(err, "stopped at line 3: the results of 2 are written; continue with --skip 2")
  })

  test("sends nothing for a file that another run is writing", function*() {
    const fake = yield* FakeLanguageService
    const directory = yield* folder
    const output = join(directory, "out.txt")
    yield* fake.script([{ every: 1, fault: Fault.slow("300 millis") }])
    const once = ended([...translate, "--lines", "--output", output], numbered(50))
    const both = yield* Effect.all([once, once], { concurrency: "unbounded" })
    assert.deepStrictEqual(both.map(({ code }) => code).toSorted((one, other) => one - other), [0, 13])
    assert.match(both.map(({ err }) => err).join(""), /out\.txt is being written by process \d+ /)
    assert.lengthOf(yield* fake.requests, 1)
    assert.strictEqual(readFileSync(output, "utf8"), numbered(50, "[de] "))
    assert.deepStrictEqual(readdirSync(directory), ["out.txt"])
  })

  test.skipIf(!isFull)("refuses a line that no service takes before anything is sent", function*() {
    const { code, err } = yield* ended([...translate, "--lines"], `A\n${"b".repeat(16 * 1024 * 1024 + 1)}`)
    assert.strictEqual(code, 2)
    assert.include(err, "line 2 of standard input has more than 16 Mi characters")
    assert.deepStrictEqual(yield* (yield* FakeLanguageService).requests, [])
  })

  test("refuses what does not go together", function*() {
    const refusal = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
      const { code, err } = yield* ended([...translate, ...args], "A\n")
      assert.strictEqual(code, 2)
      return err
    })
    assert.include(yield* refusal("--lines", "A"), "read files or standard input, not texts")
    assert.include(yield* refusal("--lines", "--null"), "exclude each other")
    assert.include(yield* refusal("--lines", "-t", "fr"), "take one language")
    assert.include(yield* refusal("--lines", "--resume"), "else give --skip")
    assert.include(yield* refusal("--skip", "2"), "go with --lines or --null")
  })
})
