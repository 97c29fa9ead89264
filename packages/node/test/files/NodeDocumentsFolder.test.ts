import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { live } from "../../../../test/support/tests.ts"
import { about, folder, inTwo, setup } from "../support/documents.ts"
import { whole } from "../support/rawServer.ts"

const named = (header: string) => whole("200 OK", "hello", { "content-disposition": header })

const plain = (name: string) => named(`attachment; filename="${name}"`)

const extended = (name: string) => named(`attachment; filename*=UTF-8''${encodeURIComponent(name)}`)

describe("a folder as target of NodeDocuments.downloadToFile", () => {
  live.each<readonly [given: string, name: string]>([
    ["letter.txt", "letter.txt"],
    ["../../letter.txt", "letter.txt"],
    ["..\\..\\letter.txt", "letter.txt"],
    ["/etc/passwd", "passwd"],
    ["C:\\boot.ini", "boot.ini"],
    ["..", "doc-1"],
    ["...", "doc-1"],
    ["a/..", "doc-1"],
    [".bashrc", "bashrc"],
    ["letter.txt. .", "letter.txt"],
    ["letter.txt:stream", "letter.txt_stream"],
    ["con.txt", "con_.txt"],
    ["LPT1", "LPT1_"],
    ["a\nb\u0000c.txt", "abc.txt"],
    ["txt.\u202Eexe", "txt.exe"],
    ["  ", "doc-1"],
    ["Grüße 😀.txt", "Grüße 😀.txt"],
    ["a".repeat(300) + ".docx", `${"a".repeat(225)}.docx`],
    ["語".repeat(100), "語".repeat(76)]
  ])("gives the name %j the file %j", function*([given, name]) {
    const outer = yield* folder
    const inner = join(outer, "inner")
    mkdirSync(inner)
    const { download } = yield* setup([extended(given)])
    const saved = yield* download({ folder: inner })
    assert.strictEqual(saved.path, join(inner, name))
    assert.deepStrictEqual(readdirSync(inner), [name])
    assert.deepStrictEqual(readdirSync(outer), ["inner"])
  })

  live("takes the name of the file that was uploaded when the service gives none", function*() {
    const { directory, journal, resume, server } = yield* setup([whole("200 OK", "hello")])
    const target = { folder: directory, overwrite: false }
    yield* journal.put({ _tag: "Uploaded", ...about(server.url), fileName: "../brief.docx", target })
    assert.strictEqual((yield* resume("doc-1")).path, join(directory, "brief.docx"))
  })

  live("gives numbers to names that are taken, also by a folder or a link that leads nowhere", function*() {
    const { directory, download } = yield* setup([plain("letter.txt")])
    mkdirSync(join(directory, "letter.txt"))
    symlinkSync("nowhere", join(directory, "letter (1).txt"))
    const paths = [yield* download({ folder: directory }), yield* download({ folder: directory })]
    assert.deepStrictEqual(paths.map(({ path }) => basename(path)), ["letter (2).txt", "letter (3).txt"])
  })

  live("looks for a free name when the document has come, and not before", function*() {
    let watched = ""
    const { directory, download } = yield* setup([
      inTwo("hel", "lo", () => watched, { "content-disposition": "attachment; filename=letter.txt" })
    ])
    watched = directory
    const saving = download({ folder: directory })
    const taking = Effect.sync(() => writeFileSync(join(directory, "letter.txt"), "other"))
    const [saved] = yield* Effect.all([saving, taking], { concurrency: 2 })
    assert.strictEqual(basename(saved.path), "letter (1).txt")
    assert.strictEqual(readFileSync(join(directory, "letter.txt"), "utf8"), "other")
  })

  live("replaces the file of that name when told to overwrite", function*() {
    const { directory, download, target } = yield* setup([plain("letter.txt")])
    writeFileSync(target, "old")
    assert.strictEqual((yield* download({ folder: directory, overwrite: true })).path, target)
    assert.strictEqual(readFileSync(target, "utf8"), "hello")
    assert.deepStrictEqual(readdirSync(directory), ["letter.txt"])
  })

  live("is refused when it is missing or no folder, before the document is asked for", function*() {
    const { directory, download, server } = yield* setup([plain("letter.txt")])
    writeFileSync(join(directory, "file"), "")
    for (const name of ["missing", "file", "a\0b"]) {
      const error = yield* Effect.flip(download({ folder: join(directory, name) }))
      assert.strictEqual(error._tag, "TargetUnusable", name)
    }
    assert.strictEqual(server.requests.length + server.questions.length, 0)
  })

  live("is refused together with a file, and nothing is", function*() {
    const { directory, download, target } = yield* setup([plain("letter.txt")])
    const odd: ReadonlyArray<string> = [
      JSON.stringify({ target, folder: directory }),
      "{}",
      "{\"target\":\"\"}",
      "{\"folder\":7}"
    ]
    for (const text of odd) {
      const error = yield* Effect.flip(download(JSON.parse(text)))
      assert.strictEqual(error._tag, "InvalidInput", text)
    }
  })
})
