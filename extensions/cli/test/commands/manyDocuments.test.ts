import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { folder } from "../../../../packages/node/test/support/documents.ts"
import { liveWith } from "../../../../test/support/tests.ts"
import { exitCodes } from "../../src/screen/failures.ts"
import { fakeWith, lines, ran } from "../support/cliFake.ts"

/** A folder with documents and other files. */
const letters = Effect.gen(function*() {
  const directory = yield* folder
  const state = yield* folder
  for (const name of ["a.txt", "more/b.txt", "more/deep/c.html", ".hidden/d.txt", "more/picture.bin"]) {
    mkdirSync(join(directory, name, ".."), { recursive: true })
    writeFileSync(join(directory, name), `Guten Tag, wie geht es Ihnen und Ihrer Familie? ${name}`)
  }
  symlinkSync(directory, join(directory, "more/circle"))
  const run = (...args: ReadonlyArray<string>) =>
    ran(["documents", "translate", ...args], { env: { XDG_STATE_HOME: state } })
  const uploads = FakeLanguageService.use((fake) =>
    Effect.map(fake.effects, (effects) => effects["Documents.upload"].count)
  )
  return { directory, run, uploads }
})

const fake = fakeWith({})

const test = liveWith(fake)

describe("documents translate", () => {
  test("translates a folder into another in several languages, with its structure", function*() {
    const { directory, run, uploads } = yield* letters
    const out = join(yield* folder, "out")
    const planned = yield* run("--to", "en-US,fr", directory, "--output-dir", out, "--dry-run")
    assert.strictEqual(planned.code, 0)
    assert.strictEqual(planned.out.trimEnd().split("\n").length, 7)
    assert.match(planned.err, /6 documents, about \d+ characters/)
    assert.strictEqual(yield* uploads, 0)
    assert.isFalse(existsSync(out))
    const { code, err } = yield* run("--to", "en-US,fr", directory, "--output-dir", out)
    assert.strictEqual(code, 0, err)
    assert.deepStrictEqual(globSync("**/*.*", { cwd: out }).toSorted(), [
      "a.en-US.txt",
      "a.fr.txt",
      "more/b.en-US.txt",
      "more/b.fr.txt",
      "more/deep/c.en-US.html",
      "more/deep/c.fr.html"
    ])
    assert.strictEqual(
      readFileSync(join(out, "more/b.fr.txt"), "utf8"),
      "[fr] Guten Tag, wie geht es Ihnen und Ihrer Familie? more/b.txt"
    )
  })

  test("takes patterns and templates, and does not translate its own translations", function*() {
    const { directory, run, uploads } = yield* letters
    assert.strictEqual((yield* run("-t", "fr", join(directory, "**/*.txt"))).code, 0)
    assert.isTrue(existsSync(join(directory, "a.fr.txt")))
    assert.isTrue(existsSync(join(directory, "more/b.fr.txt")))
    const before = yield* uploads
    const again = yield* run("-t", "fr", directory, "--template", join(directory, "{language}/{name}.{extension}"))
    assert.strictEqual(again.code, 0, again.err)
    assert.strictEqual(yield* uploads, before + 3)
    assert.deepStrictEqual(globSync("*", { cwd: join(directory, "fr") }).toSorted(), ["a.txt", "b.txt", "c.html"])
  })

  test("says what it skips, and leaves out translations that exist with --skip-existing", function*() {
    const { directory, run, uploads } = yield* letters
    const first = yield* run("-t", "fr", directory)
    assert.strictEqual(first.code, 0, first.err)
    assert.include(first.err, `skipped because they are not documents: ${join(directory, "more/picture.bin")}\n`)
    const before = yield* uploads
    writeFileSync(join(directory, "e.txt"), "Neu")
    const again = yield* run("-t", "fr,it", directory, "--skip-existing")
    assert.strictEqual(again.code, 0, again.err)
    assert.match(again.err, /skipped because they are translations of others: .*a\.fr\.txt, /)
    assert.match(again.err, /skipped because they exist: .*a\.fr\.txt, /)
    assert.strictEqual(yield* uploads, before + 5)
    const out = yield* folder
    assert.strictEqual((yield* run("-t", "fr", join(directory, "e.txt"), "--output-dir", out)).code, 0)
    const none = yield* run("-t", "fr", join(directory, "e.txt"), "--output-dir", out, "--skip-existing")
    assert.deepStrictEqual([none.code, none.out], [0, ""])
    assert.strictEqual(yield* uploads, before + 6)
  })

  test("leaves out what version control ignores, dependencies and files of tools, and says so", function*() {
    const directory = yield* folder
    const project = join(directory, "project")
    const files = {
      ".git/description.txt": "",
      ".github/workflow.yaml": "",
      ".gitignore": "/out/\n*.draft.txt\n",
      "letter.txt": "",
      "node_modules/library/readme.txt": "",
      "out/made.txt": "",
      "package.json": "",
      "pages/.gitignore": "!kept.draft.txt\nsecret.*\n",
      "pages/home.html": "",
      "pages/kept.draft.txt": "",
      "pages/node_modules/other/a.json": "",
      "pages/out/also.txt": "",
      "pages/secret.txt": "",
      "pages/tsconfig.build.json": "",
      "pnpm-lock.yaml": "",
      "robots.txt": "",
      "secret.txt": "",
      "some.draft.txt": ""
    }
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(join(project, name, ".."), { recursive: true })
      writeFileSync(join(project, name), content === "" ? "Guten Tag" : content)
    }
    const planned = Effect.fnUntraced(function*(...sources: ReadonlyArray<string>) {
      const args = ["documents", "translate", "-t", "fr", "--dry-run", "--json", ...sources]
      const { code, err, out } = yield* ran(args)
      assert.strictEqual(code, 0, err)
      return { err, files: Array.from(lines(out), ({ file }) => relative(project, String(file))) }
    })
    const kept = ["letter.txt", "pages/home.html", "pages/kept.draft.txt", "pages/out/also.txt", "secret.txt"]
    const all = yield* planned(project)
    assert.deepStrictEqual(all.files, kept)
    const skipped = (why: string) =>
      lines(all.err).flatMap(({ files, message, type }) =>
        type === "skipped" && String(message).startsWith(`skipped because ${why}: ${project}`) && Array.isArray(files)
          ? files.map((file) => relative(project, String(file)))
          : []
      )
    assert.deepStrictEqual(skipped("version control ignores them"), ["out", "pages/secret.txt", "some.draft.txt"])
    assert.deepStrictEqual(skipped("they are dependencies or files of tools"), [
      "node_modules",
      "package.json",
      "pages/node_modules",
      "pages/tsconfig.build.json",
      "pnpm-lock.yaml",
      "robots.txt"
    ])
    assert.deepStrictEqual(skipped("they are hidden"), [".github"])
    assert.deepStrictEqual((yield* planned(join(project, "**/*.{txt,html}"))).files, kept)
    // The names of the arguments are not left out.
    assert.deepStrictEqual((yield* planned(join(project, "package.json"))).files, ["package.json"])
    assert.deepStrictEqual((yield* planned(join(project, "out"))).files, ["out/made.txt"])
    assert.deepStrictEqual((yield* planned(join(project, "out/*.txt"))).files, ["out/made.txt"])
    assert.deepStrictEqual((yield* planned(join(project, ".github/*"))).files, [".github/workflow.yaml"])
    // Rules of a folder that is no repository are those of the folder alone.
    rmSync(join(project, ".git"), { recursive: true })
    writeFileSync(join(directory, ".gitignore"), "*")
    assert.deepStrictEqual((yield* planned(project)).files, kept)
    const none = yield* ran(["documents", "translate", "-t", "fr", join(project, "n*/**"), "--dry-run"])
    assert.strictEqual(none.code, exitCodes.usage)
    assert.match(none.err, /skipped because they are dependencies .*node_modules\n.*no document matches/s)
  })

  test("translates a document once, and names a link that leads in a circle", function*() {
    const { directory, run, uploads } = yield* letters
    symlinkSync("a.txt", join(directory, "link.txt"))
    const { code, err } = yield* run("-t", "fr", directory, "--output-dir", yield* folder)
    assert.strictEqual(code, 0, err)
    assert.match(err, /skipped because they are links to others: .*link\.txt, .*circle/)
    assert.match(err, /skipped because they are hidden: .*\.hidden\n/)
    assert.strictEqual(yield* uploads, 3)
    symlinkSync("loop.txt", join(directory, "loop.txt"))
    for (const more of [[], ["--dry-run"]]) {
      const { code, err } = yield* run("-t", "fr", join(directory, "l*.txt"), ...more)
      assert.strictEqual(code, exitCodes.file, err)
      assert.include(err, `${join(directory, "loop.txt")} cannot be read: its links lead in a circle`)
    }
  })

  test("refuses what would be written twice or lead around in a circle, and sends nothing", function*() {
    const { directory, run, uploads } = yield* letters
    const fails = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
      const { code, err } = yield* run(...args)
      assert.strictEqual(code, exitCodes.usage, err)
      return err
    })
    assert.include(
      yield* fails("-t", "de", "-t", "fr", directory, "--template", "{name}.txt"),
      "several translations"
    )
    assert.include(yield* fails("-t", "de,de", directory), "given twice")
    assert.include(yield* fails("-t", "de", join(directory, "*.nothing")), "no document matches")
    assert.include(yield* fails("-t", "de", directory, "--output", "x"), "--output is for a single file")
    const two = [join(directory, "a.txt"), join(directory, "more/b.txt")]
    assert.include(yield* fails("-t", "de,fr", ...two, "--output", "x"), "--output is for a single file")
    assert.include(yield* fails(directory), "no language to translate to")
    mkdirSync(join(directory, "empty"))
    assert.include(yield* fails("-t", "de", join(directory, "empty")), "has no documents")
    for (const inside of ["more", "new", "."]) {
      assert.include(
        yield* fails("-t", "de", directory, "--output-dir", join(directory, inside)),
        `is inside ${directory}, so the next run would translate translations`
      )
    }
    writeFileSync(join(directory, "A.txt"), "Guten Tag")
    assert.match(
      yield* fails("-t", "de", directory, "--output-dir", yield* folder),
      /a\.de\.txt and .*A\.de\.txt differ only in case/
    )
    assert.strictEqual(yield* uploads, 0)
  })
})
