// Where texts come from and where results go.
import { assert, describe } from "@effect/vitest"
import { Effect, Stream } from "effect"
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { folder } from "../../../../packages/node/test/support/documents.ts"
import { isFull } from "../../../../test/support/scale.ts"
import { live } from "../../../../test/support/tests.ts"
import { bytesOf } from "../../src/files/input.ts"
import { why } from "../../src/settings/errors.ts"
import { inProcess, workIn } from "../support/cli.ts"
import { fakeWith, ran } from "../support/cliFake.ts"

const correct = ["correct", "--fake", "--quiet"]

const succeeded = (out: string) => ({ code: 0, out, err: "" })

const refused = (code: number, message: string) => ({ code, out: "", err: `effect-lingua: ${message}\n` })

describe("texts", () => {
  live("come from standard input when there are neither arguments nor files", function*() {
    assert.deepStrictEqual(
      yield* inProcess(correct, { stdin: "teh house\nteh car\n" }),
      succeeded("The house\nthe car.\n")
    )
    assert.deepStrictEqual(yield* inProcess(correct, { stdin: "\ufeffteh house\r\n" }), succeeded("The house.\n"))
  })

  live("of a file that changes while it is read are refused, and not those of one that is replaced", function*() {
    const file = join(yield* folder, "a.txt")
    const reading = Effect.fnUntraced(function*(change: () => void) {
      writeFileSync(file, "a".repeat(300_000))
      return yield* bytesOf(file).pipe(
        Stream.mapAccum(() => 0, (count, chunk) => {
          if (count === 0) change()
          return [count + 1, [chunk.length]] as const
        }),
        Stream.runSum,
        Effect.mapError(why),
        Effect.result
      )
    })
    assert.deepInclude(yield* reading(() => undefined), { success: 300_000 })
    assert.deepInclude(yield* reading(() => appendFileSync(file, "b")), {
      failure: "it changed while it was read; try again"
    })
    const replace = () => {
      writeFileSync(`${file}.new`, "c")
      renameSync(`${file}.new`, file)
    }
    assert.deepInclude(yield* reading(replace), { success: 300_000 })
  })

  live("come from arguments and then from files, - being standard input", function*() {
    const file = join(yield* folder, "a.txt")
    writeFileSync(file, "teh car\n")
    assert.deepStrictEqual(
      yield* inProcess([...correct, "--file", file, "teh house", "--file", "-"], { stdin: "teh cat" }),
      succeeded("The house.\nThe car.\nThe cat.\n")
    )
  })

  live("that name a file are not sent, and - is standard input everywhere", function*() {
    const directory = yield* folder
    writeFileSync(join(directory, "letter.txt"), "teh car\n")
    mkdirSync(join(directory, "house"))
    yield* workIn(directory)
    assert.deepStrictEqual(
      yield* inProcess([...correct, "letter.txt"]),
      refused(2, "letter.txt is a file: give --file letter.txt, or write the name itself to standard input")
    )
    assert.deepStrictEqual(yield* inProcess([...correct, "house"]), succeeded("House\n"))
    assert.deepStrictEqual(yield* inProcess([...correct, "-"], { stdin: "teh cat\n" }), succeeded("The cat.\n"))
    assert.deepStrictEqual(
      yield* inProcess([...correct, "--lines", "-"], { stdin: "letter.txt\n" }),
      succeeded("letter.txt\n")
    )
    for (const command of ["documents translate -t de -", "memories import -", "voice translate -t de -"]) {
      const { code, err } = yield* inProcess(`${command} --fake --quiet`, { stdin: "a" })
      assert.deepStrictEqual([code, /standard input has no size/.test(err)], [2, true], err)
    }
    assert.deepStrictEqual(yield* inProcess([...correct, "teh cat", "--output", "-"]), succeeded("The cat.\n"))
    assert.deepStrictEqual(readdirSync(directory).toSorted(), ["house", "letter.txt"])
  })

  live("are asked for in one line at a terminal", function*() {
    assert.deepStrictEqual(
      yield* inProcess(correct, { terminal: { stdin: true } }),
      refused(2, "no text: give it as an argument, with --file, or on standard input (see --help)")
    )
  })

  live("that are empty, no UTF-8 or too much are refused", function*() {
    assert.deepStrictEqual(yield* inProcess(correct, { stdin: " \n" }), refused(2, "standard input is empty"))
    assert.deepStrictEqual(yield* inProcess([...correct, "a", " "]), refused(2, "text 2 is empty"))
    assert.deepStrictEqual(
      yield* inProcess(correct, { stdin: Uint8Array.of(0x61, 0xff) }),
      refused(2, "standard input is not text in UTF-8")
    )
    assert.deepStrictEqual(
      // The end of a character is missing.
      yield* inProcess(correct, { stdin: Uint8Array.of(0x61, 0xc3) }),
      refused(2, "standard input is not text in UTF-8")
    )
    assert.deepStrictEqual(
      yield* inProcess(correct, { stdin: "a".repeat(16 * 1024 * 1024 + 1) }),
      refused(2, "standard input exceeds 16 MiB of input; --lines takes any number of lines")
    )
    if (isFull) assert.include((yield* inProcess(correct, { stdin: "a".repeat(16 * 1024 * 1024) })).err, "given 16")
  })

  live("over the limit of the service are its typed error", function*() {
    const { code, err } = yield* inProcess(correct, { stdin: "a".repeat(11_000) })
    assert.strictEqual(code, 2)
    assert.match(
      err,
      /^effect-lingua: Writing\.correct: text\[0\]: given 11\d{3} bytes, allowed 102\d\d\. It cannot be split [^\n]+\n$/
    )
  })

  live("in files that cannot be read end with a code of their own", function*() {
    const directory = yield* folder
    assert.deepStrictEqual(
      yield* inProcess([...correct, "--file", join(directory, "none")]),
      refused(13, `${join(directory, "none")} cannot be read: there is no such file or folder`)
    )
    assert.deepStrictEqual(
      yield* inProcess([...correct, "--file", directory]),
      refused(13, `${directory} cannot be read: it is a folder`)
    )
  })
})

describe("results", () => {
  live("go to a file that was not there, and to one that was only with --overwrite", function*() {
    const directory = yield* folder
    const file = join(directory, "out.txt")
    const to = [...correct, "--output", file]
    assert.deepStrictEqual(yield* inProcess([...to, "teh house"]), succeeded(""))
    assert.strictEqual(readFileSync(file, "utf8"), "The house.\n")
    assert.deepStrictEqual(
      yield* inProcess([...to, "teh car"]),
      refused(13, `${file} exists; name another file or replace it with --overwrite`)
    )
    assert.strictEqual(readFileSync(file, "utf8"), "The house.\n")
    chmodSync(file, 0o664)
    assert.deepStrictEqual(yield* inProcess([...to, "--overwrite", "--json", "teh car"]), succeeded(""))
    assert.deepInclude(JSON.parse(readFileSync(file, "utf8")), { text: "The car." })
    assert.strictEqual(statSync(file).mode & 0o777, 0o664)
    assert.deepStrictEqual(readdirSync(directory), ["out.txt"])
  })

  live("leave a file as it is when the call fails, and nothing beside it", function*() {
    const directory = yield* folder
    const file = join(directory, "out.txt")
    writeFileSync(file, "before")
    const { code } = yield* inProcess([...correct, "--output", file, "--overwrite", "--to", "xx", "a"])
    assert.strictEqual(code, 2)
    assert.strictEqual(readFileSync(file, "utf8"), "before")
    assert.deepStrictEqual(readdirSync(directory), ["out.txt"])
  })

  live("are not asked for when the file cannot be written", function*() {
    const directory = yield* folder
    // A limit that every text is over shows that nothing was checked yet, let alone sent.
    const much = "a".repeat(11_000)
    const nowhere = join(directory, "none", "out.txt")
    assert.deepStrictEqual(
      yield* inProcess([...correct, "--output", nowhere, much]),
      refused(13, `${nowhere} cannot be written: there is no such file or folder`)
    )
    mkdirSync(join(directory, "sub"))
    assert.deepStrictEqual(
      yield* inProcess([...correct, "--output", join(directory, "sub"), "--overwrite", much]),
      refused(13, `${join(directory, "sub")} cannot be written: it is a folder`)
    )
  })

  live("follow a link to the file it leads to", function*() {
    const directory = yield* folder
    const [file, link] = [join(directory, "file"), join(directory, "link")]
    writeFileSync(file, "before")
    symlinkSync(file, link)
    assert.deepStrictEqual(
      yield* inProcess([...correct, "--output", link, "--overwrite", "teh house"]),
      succeeded("")
    )
    assert.strictEqual(readFileSync(file, "utf8"), "The house.\n")
    assert.isTrue(existsSync(link))
  })
})

describe("a terminal", () => {
  const escaping = "a\u001b]0;title\u0007 b\u009b2J\tc\nd\u202ee\u2066f\u200f"

  live("gets no control sequences of a text; a pipe gets every byte", function*() {
    const translate = ["translate", "--fake", "--quiet", "-t", "de", escaping]
    assert.strictEqual((yield* inProcess(translate)).out, `[de] ${escaping}\n`)
    assert.strictEqual(
      (yield* inProcess(translate, { terminal: { stdout: true } })).out,
      "[de] a]0;title b2J\tc\ndef\u200f\n"
    )
    const { out } = yield* inProcess([...translate, "--json"])
    assert.match(out, /^\P{Cc}+\n$/u)
    assert.deepInclude(JSON.parse(out), { text: `[de] ${escaping}` })
  })

  live("gets colours, unless NO_COLOR is set or it is a dumb one; pipes get them with FORCE_COLOR", function*() {
    const escape = "\u001b["
    const terminal = { stdout: true, stderr: true }
    const file = join(yield* folder, "letter.txt")
    writeFileSync(file, "teh house")
    const coloured = yield* inProcess(["languages", "--fake"], { terminal })
    assert.isTrue(coloured.out.startsWith(`${escape}1mCODE`), coloured.out)
    assert.isTrue(coloured.err.startsWith(`${escape}2meffect-lingua: requests go to the embedded fake`), coloured.err)
    assert.include((yield* inProcess(["--help"], { terminal })).out, escape)
    assert.include((yield* inProcess(["corect"], { terminal })).err, escape)
    assert.include((yield* inProcess(["languages", "--fake"], { env: { FORCE_COLOR: "1" } })).out, escape)
    for (
      const surroundings of [
        { terminal, env: { NO_COLOR: "1" } },
        { terminal, env: { TERM: "dumb" } },
        {},
        { env: { FORCE_COLOR: "0" } },
        { env: { FORCE_COLOR: "1", NO_COLOR: "1" } }
      ]
    ) {
      for (const args of [["--help"], ["corect"]]) {
        const { err, out } = yield* inProcess(args, surroundings)
        assert.notInclude(out + err, escape)
      }
    }
    const plain = yield* inProcess(["languages", "--fake"], { terminal, env: { NO_COLOR: "1" } })
    assert.notInclude(plain.out + plain.err, escape)
    const env = { TERM: "dumb", XDG_STATE_HOME: yield* folder }
    const translating = ran(["documents", "translate", "--to", "de", file], { terminal, env })
    const dumb = yield* Effect.provide(translating, fakeWith({}))
    assert.match(dumb.err, /: saved\n$/)
    assert.notMatch(dumb.out + dumb.err, /(?!\n)\p{Cc}/u)
  })
})
