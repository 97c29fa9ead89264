// The document commands against the fake on a socket: files, results, wrong input, the journal.
import { idOf } from "@effect-lingua/core/documents/Journal"
import { FakeLanguageService, Fault } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { about } from "../../../../../packages/node/test/support/documents.ts"
import { rawServer, unframed } from "../../../../../packages/node/test/support/rawServer.ts"
import { isFull } from "../../../../../test/support/scale.ts"
import { liveWith } from "../../../../../test/support/tests.ts"
import { inProcess } from "../../support/cli.ts"
import { fakeWith, key, lines } from "../../support/cliFake.ts"
import { folderFor } from "../../support/cliFolder.ts"

const fake = fakeWith({})

const setup = folderFor("documents", "Good morning")

const again = (command: string, id: string) =>
  `to upload it again: effect-lingua documents ${command} ${id}; a first upload is never billed`

const upload = Effect.fnUntraced(function*({ file, run }: Effect.Success<typeof setup>) {
  const { code, out } = yield* run(["upload", "--to", "de", file("letter.txt"), "--quiet"])
  assert.strictEqual(code, 0)
  return out.trim()
})

const test = liveWith(fake)

describe.concurrent("documents translate", () => {
  test("puts a translation beside its file, prints its path, and leaves nothing in the journal", function*() {
    const { directory, file, journal, run } = yield* setup
    const { code, err, out } = yield* run(["translate", "--to", "de", file("letter.txt")])
    const path = join(directory, "letter.de.txt")
    assert.deepStrictEqual([code, out], [0, `${path}\n`])
    assert.strictEqual(readFileSync(path, "utf8"), "[de] Good morning")
    const told = err.trimEnd().split("\n")
    for (const line of told) assert.isTrue(line.startsWith("effect-lingua: "), line)
    assert.match(err, /: started as [0-9A-F]{32}\n/)
    assert.match(told.at(-1) ?? "", /letter\.txt: saved$/)
    assert.deepStrictEqual(yield* journal.entries(), [])
    assert.deepStrictEqual(readdirSync(directory).toSorted(), ["letter.de.txt", "letter.txt"])
    yield* run(["translate", "--to", "de", file("letter.txt", "Good evening"), "--overwrite"])
    assert.strictEqual(readFileSync(path, "utf8"), "[de] Good evening")
  })

  test("sends whatever can be said of a translation", function*() {
    const { addGlossary, addStyleRuleList, addTranslationMemory, requestsOf } = yield* FakeLanguageService
    const pair = { sourceLanguage: "en", targetLanguage: "de" }
    const glossaries = [yield* addGlossary(pair), yield* addGlossary(pair)]
    const memory = yield* addTranslationMemory({ sourceLanguage: "en", targetLanguages: ["de"] })
    const { styleId } = yield* addStyleRuleList({ name: "a", language: "de" })
    const { file, run } = yield* setup
    const said = ["--to", "de", "--from", "en", "--formality", "less", "--style-rules", styleId]
    const more = ["--memory", memory, "--memory-threshold", "80", "--output-format", "docx"]
    const ran = yield* run([
      "translate",
      ...said,
      ...glossaries.flatMap((id) => ["--glossary", id]),
      ...more,
      file("a.pdf")
    ])
    assert.strictEqual(ran.code, 0, ran.err)
    const [request] = yield* requestsOf("Documents.upload")
    assert.deepStrictEqual(request?.decoded?.payload, {
      file: "a.pdf",
      targetLanguage: "de",
      sourceLanguage: "en",
      formality: "less",
      glossaryIds: glossaries,
      styleId,
      translationMemoryId: memory,
      translationMemoryThreshold: 80,
      outputFormat: "docx"
    })
  })

  test("gives an object for each file with --json, and only objects beside", function*() {
    const { directory, file, run } = yield* setup
    const target = join(directory, "out.txt")
    const source = file("letter.txt")
    const { code, err, out } = yield* run(["translate", "-t", "de", source, "--output", target, "--json"])
    const [saved] = lines(out)
    assert.strictEqual(code, 0)
    assert.deepInclude(saved, { path: target, bytes: 17, billedCharacters: 12, source, fileName: "letter.txt" })
    assert.match(String(saved?.["documentId"]), /^[0-9A-F]{32}$/)
    const states = lines(err).map(({ state, type }) => {
      assert.strictEqual(type, "progress")
      return state
    })
    assert.deepStrictEqual([...new Set(states)], ["Sent", "Started", "Completed", "Received", "Saved"])
  })

  test("goes on with the others when one fails, says how many, and ends with the code of the first", function*() {
    const { directory, file, run } = yield* setup
    const out = join(directory, "out")
    mkdirSync(out)
    const files = [file("a.txt"), join(directory, "none.txt"), file("b.xyz"), file("c.txt")]
    const ran = yield* run(["translate", "-t", "de", ...files, "--output-dir", out, "--concurrency", "1", "--quiet"])
    assert.strictEqual(ran.code, 13)
    assert.strictEqual(ran.out, `${join(out, "a.txt")}\n${join(out, "c.txt")}\n`)
    const [first, second, end] = ran.err.split("\n")
    assert.strictEqual(
      first,
      `effect-lingua: ${files[1]} cannot be read: there is no such file or folder. Nothing was sent`
    )
    assert.isTrue(second?.startsWith(`effect-lingua: ${files[2]}: Documents.upload: `), second)
    assert.strictEqual(end, "")
    const said = yield* run(["translate", "-t", "de", file("d.txt"), file("e.xyz")])
    assert.isTrue(said.err.endsWith("\neffect-lingua: 1 of 2 failed\n"), said.err)
    const again = yield* run(["translate", "-t", "de", file("f.txt"), file("g.xyz"), "--json"])
    assert.strictEqual(again.code, 2)
    assert.deepInclude(lines(again.err).at(-1), { type: "failed", failed: 1, of: 2 })
  })

  test("says how to go on with what a failure leaves in the journal, with the same account", function*() {
    const { script, url } = yield* FakeLanguageService
    const { directory, file, journal, run } = yield* setup
    yield* script({ operation: "Documents.download", fault: { status: 456 } })
    const config = file("settings.json", JSON.stringify({ profiles: { work: {} } }))
    const account = ["--config", config, "--profile", "work", "--base-url", url, "--tier", "paid"]
    const { code, err } = yield* run(["translate", "-t", "de", file("letter.txt"), ...account])
    const [entry] = yield* journal.entries()
    const id = entry !== undefined && entry._tag === "Uploaded" ? entry.documentId : ""
    assert.strictEqual(code, 6)
    assert.isTrue(
      err.endsWith(`letter.txt: to resume: effect-lingua documents resume ${id} ${account.join(" ")}\n`),
      err
    )
    const resumed = yield* run(["resume", id])
    assert.deepStrictEqual([resumed.code, resumed.out], [0, `${join(directory, "letter.de.txt")}\n`])
    assert.deepStrictEqual(yield* journal.entries(), [])
  })

  test("leaves nothing to go on with of what cannot be translated", function*() {
    const { script } = yield* FakeLanguageService
    const { file, journal, run } = yield* setup
    yield* script({ operation: "Documents.upload", fault: { jobFails: "The file is damaged" } })
    const { code, err } = yield* run(["translate", "-t", "de", file("letter.txt")])
    assert.strictEqual(code, 11)
    assert.include(err, "The file is damaged")
    assert.notInclude(err, "documents forget")
    assert.deepStrictEqual(yield* journal.entries(), [])
  })

  test("names the document of a failure after its upload in JSON, without its key", function*() {
    const { script } = yield* FakeLanguageService
    const { file, journal, run } = yield* setup
    yield* script({ operation: "Documents.status", fault: { status: 403 } })
    const { err } = yield* run(["translate", "-t", "de", file("letter.txt"), "--json"])
    const [entry] = yield* journal.entries()
    assert(entry?._tag === "Uploaded")
    const failed = lines(err).find(({ type }) => type === "error") ?? {}
    assert.deepInclude(failed, { error: "AccessDenied", documentId: entry.documentId })
    assert.notInclude(err, Redacted.value(entry.documentKey))
  })

  test("names the command that needs no place for an upload that had none", function*() {
    const { script } = yield* FakeLanguageService
    const { directory, file, journal, run } = yield* setup
    yield* script({ operation: "Documents.upload", fault: Fault.reset() })
    const { code, err } = yield* run(["upload", "-t", "de", file("letter.txt")])
    assert.strictEqual(code, 9)
    const [entry] = yield* journal.entries()
    const id = entry?._tag === "Uploading" ? entry.uploadId : ""
    assert.isTrue(err.endsWith(`: ${again("download", id)}\n`), err)
    const { code: ended, out } = yield* run(["download", id, "--output", join(directory, "out.txt")])
    assert.deepStrictEqual([ended, out], [0, `${join(directory, "out.txt")}\n`])
  })

  test("uploads again what was cut off before its answer", function*() {
    const { documents, script } = yield* FakeLanguageService
    const { directory, file, journal, run } = yield* setup
    yield* script({ operation: "Documents.upload", fault: Fault.reset({ afterEffect: true }) })
    const { code, err } = yield* run(["translate", "-t", "de", file("letter.txt")])
    assert.strictEqual(code, 9)
    const [entry] = yield* journal.entries()
    const id = entry?._tag === "Uploading" ? entry.uploadId : ""
    assert.isTrue(err.endsWith(`: ${again("resume", id)}\n`), err)
    assert.include(
      (yield* run(["status", id])).out,
      "letter.txt: its upload was interrupted; resume uploads it again"
    )
    // What another run left of the same file is not advised after this failure.
    yield* script({ operation: "Documents.upload", fault: { status: 403 } })
    const refused = yield* run(["translate", "-t", "de", join(directory, "letter.txt")])
    assert.deepStrictEqual([refused.code, refused.err.includes(id)], [4, false], refused.err)
    const resumed = yield* run(["resume"])
    assert.deepStrictEqual([resumed.code, resumed.out], [0, `${join(directory, "letter.de.txt")}\n`])
    assert.strictEqual((yield* documents).length, 2)
  })
})

describe.concurrent("documents upload, status and download", () => {
  test("work one after the other, by the id alone", function*() {
    const surroundings = yield* setup
    const { directory, run } = surroundings
    const id = yield* upload(surroundings)
    assert.match(id, /^[0-9A-F]{32}$/)
    assert.deepStrictEqual(yield* run(["status", id]), {
      code: 0,
      out: "letter.txt: done, 12 characters will be billed\n",
      err: ""
    })
    assert.deepStrictEqual(lines((yield* run(["status", id, "--json"])).out), [
      { documentId: id, status: "done", billedCharacters: 12 }
    ])
    mkdirSync(join(directory, "sub"))
    const downloaded = yield* run(["download", id, "--output-dir", join(directory, "sub")])
    assert.deepStrictEqual([downloaded.code, downloaded.out], [0, `${join(directory, "sub", "letter.txt")}\n`])
    const again = yield* run(["download", id, "--output-dir", directory])
    assert.deepStrictEqual([again.code, again.out], [5, ""])
  })

  test("work on another machine, which is given the key, from a file, standard input or the environment", function*() {
    const { documents } = yield* FakeLanguageService
    const here = yield* setup
    const there = yield* setup
    const upload = ["upload", "--to", "de", here.file("letter.txt"), "--show-key", "--quiet"]
    const [id = "", documentKey = ""] = (yield* here.unchecked(upload)).out.trim().split(" ")
    const [json] = lines((yield* here.unchecked([...upload, "--json"])).out)
    assert.deepStrictEqual(
      [[id, documentKey], [json?.["documentId"], json?.["documentKey"]]],
      (yield* documents).map((document) => [document.documentId, Redacted.value(document.documentKey)])
    )
    const keyFile = there.file("key.txt", `${documentKey}\n`)
    const done = `${id}: done, 12 characters will be billed\n`
    assert.strictEqual((yield* there.run(["status", id, "--document-key-file", keyFile])).out, done)
    assert.strictEqual(
      (yield* there.run(["status", id, "--document-key-file", "-"], { stdin: documentKey })).out,
      done
    )
    const env = { LANGUAGE_SERVICE_DOCUMENT_KEY: documentKey }
    assert.strictEqual((yield* there.run(["status", id], { env })).out, done)
    const target = join(there.directory, "out.txt")
    const downloaded = yield* there.run(["download", id, "--output", target], { env })
    assert.deepStrictEqual([downloaded.code, downloaded.out], [0, `${target}\n`])
  })
})

describe.concurrent("documents pending, resume and forget", () => {
  test("pending lists what is on its way, for people and for programs, without a key", function*() {
    const surroundings = yield* setup
    const { file, journal, run } = surroundings
    assert.deepStrictEqual(yield* run(["pending"]), {
      code: 0,
      out: "",
      err: "effect-lingua: no document is pending\n"
    })
    const id = yield* upload(surroundings)
    yield* journal.put({ _tag: "Uploaded", ...about("http://elsewhere.test", key) })
    const { err, out } = yield* run(["pending"])
    const [header, row, end] = out.split("\n")
    assert.match(header ?? "", /^ID +STATE +AGE +TO +FILE$/)
    assert.match(row ?? "", new RegExp(`^${id} +uploaded +\\d+ s +de +letter\\.txt$`))
    assert.strictEqual(end, "")
    assert.strictEqual(
      err,
      "effect-lingua: to download one that was uploaded without a target: effect-lingua documents download <id>\n" +
        "effect-lingua: there are more at http://elsewhere.test/\n"
    )
    const settings = file("settings.json", "{}")
    const chosen = yield* run(["pending", "--config", settings, "--allow-http"])
    assert.include(chosen.err, `documents download <id> --config ${settings} --allow-http\n`)
    const [json, ...others] = lines((yield* run(["pending", "--json"])).out)
    assert.deepInclude(json, { id, state: "Uploaded", fileName: "letter.txt", targetLanguage: "de" })
    assert.deepStrictEqual(others, [])
  })

  test("say of one whose end cannot be told from a cut that it may not be complete", function*() {
    const { directory, env } = yield* setup
    const server = yield* rawServer([unframed("hel")])
    const path = join(directory, "letter.txt")
    const ran = yield* inProcess(["documents", "download", "doc-1", "--output", path, "--json"], {
      env: { ...env, LANGUAGE_SERVICE_BASE_URL: server.url, LANGUAGE_SERVICE_DOCUMENT_KEY: "document-key" }
    })
    assert.strictEqual(ran.code, 0, ran.err)
    assert.deepInclude(lines(ran.out)[0], { path, bytes: 3, completeness: "unknown" })
    const warning = lines(ran.err).find(({ type }) => type === "warning")
    assert.include(String(warning?.["message"]), `whether ${path} has all of document doc-1 is not known`)
  })

  it.live("are those of the key alone, until another key of the account adopts them", () =>
    Effect.gen(function*() {
      const surroundings = yield* setup
      const { directory, journal, run } = surroundings
      const id = yield* upload(surroundings)
      const other = { env: { LANGUAGE_SERVICE_KEY: "another-key-of-it" } }
      const pending = yield* run(["pending"], other)
      assert.strictEqual(pending.out, "")
      assert.include(
        pending.err,
        `there are more of another key: ${id}; to take one over: effect-lingua documents adopt <id>\n`
      )
      const foreign = "is a document of another key. Adopt it, if both keys are of one account"
      for (const args of [["status", id], ["resume", id, "--output-dir", directory], ["forget", id]]) {
        const { code, err } = yield* run(args, other)
        assert.strictEqual(code, 5, err)
        assert.include(err.toLowerCase(), foreign.slice(3).toLowerCase(), args.join(" "))
      }
      assert.strictEqual((yield* journal.entries()).length, 1)
      assert.strictEqual((yield* run(["adopt", id], other)).code, 0)
      assert.include((yield* run(["pending"])).err, `of another key: ${id}`)
      const { code } = yield* run(["resume", id, "--output-dir", directory], other)
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(yield* journal.entries(), [])
    }).pipe(
      Effect.scoped,
      Effect.provide(fakeWith({ keys: [{ key, tier: "paid" }, { key: "another-key-of-it", tier: "paid" }] }))
    ))

  test("resume brings all to their places but those that are lost, and says when there are none", function*() {
    const { awaitRequest, requestsOf, script, url } = yield* FakeLanguageService
    const { directory, file, journal, run } = yield* setup
    assert.deepStrictEqual(yield* run(["resume"]), {
      code: 0,
      out: "",
      err: "effect-lingua: there is nothing to resume\n"
    })
    for (const name of ["a.txt", "b.txt"]) {
      yield* script({ operation: "Documents.status", fault: { status: 403 } })
      assert.strictEqual((yield* run(["translate", "-t", "de", file(name)])).code, 4)
    }
    yield* script({ operation: "Documents.status", fault: Fault.slow("1 hour"), count: 4 })
    for (const [index, given] of [[], (yield* journal.entries()).map(idOf)].entries()) {
      const both = yield* Effect.forkChild(run(["resume", ...given, "--concurrency", "2"]))
      yield* awaitRequest("Documents.status", { count: 4 + 2 * index })
      yield* Fiber.interrupt(both)
      // One document after the other, the second request would be a retry of the first.
      const ids = (yield* requestsOf("Documents.status")).slice(-2).map(({ decoded }) => decoded?.params.documentId)
      assert.strictEqual(new Set(ids).size, 2)
    }
    yield* journal.put({ _tag: "Lost", ...about(url, key), reason: "gone", bytesReceived: 5, parts: [] })
    const { code, err, out } = yield* run(["resume", "--concurrency", "1"])
    assert.strictEqual(code, 0, err)
    assert.strictEqual(out, `${join(directory, "a.de.txt")}\n${join(directory, "b.de.txt")}\n`)
    assert.include(err, "effect-lingua: 1 lost, not resumed; see documents pending\n")
    assert.deepStrictEqual((yield* journal.entries()).map(({ _tag }) => _tag), ["Lost"])
    const pending = yield* run(["pending"])
    assert.match(pending.out, /^doc-1 +lost /m)
    assert.include(pending.err, "effect-lingua documents forget <id>")
  })

  test("fail with the reason where the journal cannot be read", function*() {
    const { directory, file, run } = yield* setup
    const { requests } = yield* FakeLanguageService
    file("file")
    const env = { XDG_STATE_HOME: join(directory, "file") }
    const id = "0123456789ABCDEF0123456789ABCDEF"
    for (const args of [["pending"], ["resume"], ["resume", id], ["status", id], ["download", id], ["forget", id]]) {
      const { code, err, out } = yield* run(args, { env })
      assert.deepStrictEqual([code, out], [13, ""], err)
      assert.match(err, /effect-lingua: the journal of documents cannot be read: .*ENOTDIR[^\n]*\n$/)
      assert.notInclude(err, "no document")
    }
    assert.deepStrictEqual(yield* requests, [])
  })

  test("resume says what is lost, and forget takes it off the list", function*() {
    const { url } = yield* FakeLanguageService
    const { directory, journal, run } = yield* setup
    const target = { folder: directory, overwrite: false }
    const parts = [{ path: "/tmp/x.part", bytes: 5 }]
    yield* journal.put({ _tag: "Lost", ...about(url, key), target, reason: "gone", bytesReceived: 5, parts })
    const { code, err } = yield* run(["resume", "doc-1"])
    assert.strictEqual(code, 12, err)
    assert.include(err, "stopped after 5 bytes")
    assert.isTrue(
      err.endsWith("effect-lingua: doc-1: to remove it from the list: effect-lingua documents forget doc-1\n")
    )
    assert.strictEqual((yield* run(["status", "doc-1"])).out, "doc-1: lost after 5 bytes: gone\n")
    assert.deepStrictEqual(yield* run(["forget", "doc-1"]), {
      code: 0,
      out: "",
      err: "effect-lingua: doc-1 is forgotten; its received part stays in /tmp/x.part\n"
    })
    assert.deepStrictEqual(yield* journal.entries(), [])
  })
})

describe.concurrent("wrong input", () => {
  const id = "0123456789ABCDEF0123456789ABCDEF"

  test("is one clear line with the right code, and nothing is sent", function*() {
    const { requests } = yield* FakeLanguageService
    const { directory, file, journal, run } = yield* setup
    const [letter, empty, there] = [file("letter.txt"), file("empty.txt", ""), file("there.txt")]
    file("letter.de.txt")
    mkdirSync(join(directory, "sub"))
    const [none, sub, x] = ["none.txt", "sub", "no/x"].map((name) => join(directory, name))
    yield* journal.put({ _tag: "Uploaded", ...about("http://elsewhere.test", key) })
    const translate = `translate -t de ${letter}`
    const noFile = "cannot be read: there is no such file or folder"
    const exists = "exists; name another file or replace it with --overwrite"
    const single = "--output is for a single file; give --output-dir for several"
    const unknown =
      `the journal does not have ${id}: give its key with --document-key-file or LANGUAGE_SERVICE_DOCUMENT_KEY`
    const cases: Readonly<Record<number, Readonly<Record<string, string>>>> = {
      2: {
        [`translate ${letter}`]:
          `no language to translate to: give --to, or set "to" in the settings file, whose path effect-lingua config path prints`,
        "translate -t de": "",
        "upload -t de": "Missing required argument: file (see effect-lingua documents upload --help)",
        [`${translate} --output a --output-dir b`]: "--output and --output-dir exclude each other",
        [`${translate} ${there} --output a`]: single,
        "resume --output a": single,
        [`${translate} ${letter}`]: `${letter} is given twice`,
        [`resume ${id} ${id}`]: `${id} is given twice`,
        [`${translate} --concurrency 0`]: "Invalid value for flag --concurrency: ",
        [`status ${id} --document-key x`]:
          "the key of a document is never a flag, because other users could see it: set LANGUAGE_SERVICE_DOCUMENT_KEY, or give --document-key-file a file that contains it",
        [`translate -t de ${sub}`]: `${sub} has no documents; their types are `,
        [`download ${id} --document-key-file ${empty}`]: `${empty} is empty`
      },
      5: {
        [`status ${id}`]: unknown,
        [`download ${id}`]: unknown,
        [`resume ${id}`]: `${id} cannot be resumed. The journal has no such entry`,
        [`forget ${id}`]: `the journal does not have ${id}`,
        "status doc-1": "doc-1 is a document of http://elsewhere.test/",
        [`resume doc-1 --output ${x}`]: "doc-1 cannot be resumed. It is a document of http://elsewhere.test/"
      },
      13: {
        [`translate -t de ${none}`]: `${none} ${noFile}. Nothing was sent`,
        [`translate -t de ${empty}`]: `${empty} cannot be read: it is empty. Nothing was sent`,
        [translate]: `${join(directory, "letter.de.txt")} ${exists}. Nothing was sent`,
        [`${translate} --output ${there}`]: `${there} ${exists}. Nothing was sent`,
        [`${translate} --output ${sub}`]: `${sub} cannot be written: it is a folder. Nothing was sent`,
        [`${translate} --output ${x}`]: `${x} cannot be written: there is no such file or folder. Nothing was sent`,
        [`download ${id} --document-key-file ${none}`]: `${none} ${noFile}`,
        [`download ${id} --document-key-file ${letter} --output ${there}`]:
          `${there} ${exists}. The document was not requested`
      }
    }
    const all = Object.entries(cases).flatMap(([code, messages]) =>
      Object.entries(messages).map(([command, message], index) =>
        [command, Number(code), message, index === 0] as const
      )
    )
    for (const [command, code, message, isFirst] of all) {
      const ran = yield* run(`${command} --quiet`)
      assert.deepStrictEqual([ran.code, ran.out], [code, ""], `${command}: ${ran.err}`)
      assert.match(ran.err, /^effect-lingua: [^\n]+\n$/)
      assert.isTrue(ran.err.startsWith(`effect-lingua: ${message}`), ran.err)
      if (/[^: ]$/.test(message) && !message.endsWith("elsewhere.test/")) {
        assert.strictEqual(ran.err, `effect-lingua: ${message}\n`)
      }
      if (!isFirst && !isFull) continue
      const json = yield* run(`${command} --json`)
      assert.deepInclude(JSON.parse(json.err.split("\n")[0] ?? ""), { type: "error", exitCode: code })
    }
    assert.deepStrictEqual(yield* requests, [])
  })

  test("of a resumed upload without a place to go to is refused before anything is sent", function*() {
    const surroundings = yield* setup
    const { directory, run } = surroundings
    const id = yield* upload(surroundings)
    const { effects } = yield* FakeLanguageService
    for (const args of [["resume", id], ["resume"]]) {
      const ran = yield* run([...args, "--quiet"])
      assert.deepStrictEqual(ran, {
        code: 2,
        out: "",
        err: `effect-lingua: ${id} was uploaded without a target: give --output or --output-dir\n`
      })
    }
    assert.strictEqual((yield* effects)["Documents.download"].count, 0)
    mkdirSync(join(directory, "sub"))
    const { code, out } = yield* run(["resume", "--output-dir", join(directory, "sub")])
    assert.deepStrictEqual([code, out], [0, `${join(directory, "sub", "letter.txt")}\n`])
  })

  it.live("of too many documents names those that can be resumed", () =>
    Effect.gen(function*() {
      const surroundings = yield* setup
      const id = yield* upload(surroundings)
      const { code, err } = yield* surroundings.run(`translate -t de ${surroundings.file("b.txt")} --attempts 1 --json`)
      assert.strictEqual(code, 7)
      assert.deepInclude(lines(err).find(({ type }) => type === "error"), { error: "TooManyDocuments", pending: [id] })
    }).pipe(Effect.scoped, Effect.provide(fakeWith({ maxDocuments: 1 }))))
})
