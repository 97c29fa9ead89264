// Each command against the fake on a socket: what goes out, and what is printed.
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { FakeLanguageService, Fault } from "@effect-lingua/testing"
import { Voice } from "@effect-lingua/voice/Voice"
import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../../packages/node/test/support/documents.ts"
import { liveWith } from "../../../../test/support/tests.ts"
import { inProcess } from "../support/cli.ts"
import { fakeWith, key, lines, ran, run, test } from "../support/cliFake.ts"

const instructions = (...args: ReadonlyArray<string>) => run(["style-rules", "instructions", ...args])

const list = Effect.flatMap(FakeLanguageService, (fake) =>
  fake.addStyleRuleList({
    name: "House 家 style",
    language: "en",
    configuredRules: { dates_and_times: { time_format: "use_24_hour_clock" } },
    customInstructions: [{ label: "Currency", prompt: "Write EUR" }]
  }))

const lists = FakeLanguageService.use(({ state }) => Effect.map(state, ({ styleRuleLists }) => styleRuleLists))

const withReadyJobs = liveWith(fakeWith({}))

describe.concurrent("rephrase and correct", () => {
  test("print each text in a line of its own, bare", function*() {
    assert.strictEqual(yield* run(["correct", "teh house", "recieve"]), "The house.\nReceive\n")
    assert.match(yield* run(["rephrase", "we was late"]), /^\S.*\n$/)
  })

  test("send language, style and tone", function*() {
    yield* run(["rephrase", "--to", "en-GB", "--style", "business", "one"])
    yield* run(["rephrase", "--to", "en-GB", "--tone", "friendly", "--style", "default", "two"])
    yield* run(["correct", "--to", "en-GB", "--", "--three"])
    const { requestsOf } = yield* FakeLanguageService
    assert.deepStrictEqual((yield* requestsOf("Writing.rephrase")).map(({ decoded }) => decoded?.payload), [
      { text: ["one"], targetLanguage: "en-GB", writingStyle: "business" },
      { text: ["two"], targetLanguage: "en-GB", tone: "friendly" }
    ])
    assert.deepStrictEqual((yield* requestsOf("Writing.correct")).map(({ decoded }) => decoded?.payload), [
      { text: ["--three"], targetLanguage: "en-GB" }
    ])
  })

  test("give one object a line with --json", function*() {
    assert.deepStrictEqual(lines(yield* run(["correct", "--json", "teh house", "recieve"])), [
      { text: "The house.", detectedSourceLanguage: "en", targetLanguage: "en-US" },
      { text: "Receive", detectedSourceLanguage: "en", targetLanguage: "en-US" }
    ])
  })
})

describe.concurrent("translate", () => {
  test("keeps placeholders, and says what it is for", function*() {
    const out = yield* run(["translate", "-t", "de", "--placeholders", "icu", "--reporting-tag", "ui", "R&D: {name}"])
    assert.strictEqual(out, "[de] R&D: {name}\n")
    const [request] = yield* (yield* FakeLanguageService).requests
    assert.strictEqual(request?.headers["x-service-reporting-tag"], "ui")
    assert.include(request?.body, "R&amp;D: <x id=")
  })

  test("translates to several languages, and says which is which", function*() {
    const to = ["-t", "de,fr"]
    assert.strictEqual(
      yield* run(["translate", ...to, "one", "two"]),
      "de: [de] one\nde: [de] two\nfr: [fr] one\nfr: [fr] two\n"
    )
    assert.strictEqual(
      yield* run(["translate", ...to, "--placeholders", "icu", "{a} one"]),
      "de: [de] {a} one\nfr: [fr] {a} one\n"
    )
    assert.deepStrictEqual(lines(yield* run(["translate", "--json", ...to, "one"])), [
      { targetLanguage: "de", detectedSourceLanguage: "EN", text: "[de] one" },
      { targetLanguage: "fr", detectedSourceLanguage: "EN", text: "[fr] one" }
    ])
  })

  test("says which of several languages failed, and takes each once in whatever case", function*() {
    const wrong = yield* ran(["translate", "--json", "-t", "de", "-t", "xx", "one"])
    assert.strictEqual(wrong.code, 2)
    const [error] = lines(wrong.err)
    assert.strictEqual(error?.["targetLanguage"], "xx")
    assert.include(error?.["message"], "The target was xx.")
    const twice = yield* ran(["translate", "-t", "de", "-t", "DE", "one"])
    assert.deepStrictEqual([twice.code, twice.err], [2, "effect-lingua: --to de is given twice\n"])
  })

  test("sends whatever can be said of a translation", function*() {
    const { addGlossary, addTranslationMemory, requestsOf } = yield* FakeLanguageService
    const pair = { sourceLanguage: "en", targetLanguage: "de" }
    const glossaries = [yield* addGlossary(pair), yield* addGlossary(pair)]
    const memory = yield* addTranslationMemory({ sourceLanguage: "en", targetLanguages: ["de"] })
    const { styleId } = yield* (yield* FakeLanguageService).addStyleRuleList({ name: "a", language: "de" })
    const out = yield* run(
      `translate --json -t de --from en --formality more --context "a letter" ${
        glossaries.map((id) => `--glossary ${id}`).join(" ")
      } --style-rules ${styleId} --instruction "Be brief" --instruction "Be kind" --memory ${memory}` +
        " --memory-threshold 80 --model prefer_quality_optimized --split-sentences nonewlines --preserve-formatting" +
        " --tag-handling xml --tag-handling-version v2 --no-outline-detection --splitting-tag p --non-splitting-tag b" +
        ` --ignore-tag x --ignore-tag y --show-billed-characters --beta-languages "<p>Good morning</p>"`
    )
    const [translated] = lines(out)
    assert.deepInclude(translated, { detectedSourceLanguage: "EN", billedCharacters: 12 })
    assert.deepStrictEqual((yield* requestsOf("Translation.translate")).map(({ decoded }) => decoded?.payload), [{
      text: ["<p>Good morning</p>"],
      targetLanguage: "de",
      sourceLanguage: "en",
      formality: "more",
      context: "a letter",
      glossaryIds: glossaries,
      styleId,
      customInstructions: ["Be brief", "Be kind"],
      translationMemoryId: memory,
      translationMemoryThreshold: 80,
      modelType: "prefer_quality_optimized",
      splitSentences: "nonewlines",
      preserveFormatting: true,
      tagHandling: "xml",
      tagHandlingVersion: "v2",
      outlineDetection: false,
      splittingTags: ["p"],
      nonSplittingTags: ["b"],
      ignoreTags: ["x", "y"],
      showBilledCharacters: true,
      enableBetaLanguages: true
    }])
  })

  test("sends nothing that was not given, and a single glossary by itself", function*() {
    const { addGlossary, requestsOf } = yield* FakeLanguageService
    const glossaryId = yield* addGlossary({ sourceLanguage: "en", targetLanguage: "de" })
    assert.strictEqual(yield* run(["translate", "-t", "de", "Good morning"]), "[de] Good morning\n")
    yield* run(["translate", "-t", "de", "--from", "en", "--glossary", glossaryId, "Good morning"])
    assert.deepStrictEqual((yield* requestsOf("Translation.translate")).map(({ decoded }) => decoded?.payload), [
      { text: ["Good morning"], targetLanguage: "de" },
      { text: ["Good morning"], targetLanguage: "de", sourceLanguage: "en", glossaryId }
    ])
  })
})

describe.concurrent("detect and languages", () => {
  test("detect gives a code for each text, or why there is none", function*() {
    const texts = ["Wo ist der Bahnhof?", "12345"]
    assert.strictEqual(yield* run(["detect", ...texts]), "de\nunknown (no_language_detected)\n")
    assert.deepStrictEqual(lines(yield* run(["detect", "--json", ...texts])), [
      { language: "de" },
      { language: null, reason: "no_language_detected" }
    ])
  })

  test("languages lists those of a resource, in columns or as objects", function*() {
    const rows = (yield* run(["languages"])).split("\n")
    assert.match(rows[0] ?? "", /^CODE +NAME +SOURCE +TARGET +STATUS +FEATURES$/)
    const column = rows[0]?.indexOf("SOURCE") ?? 0
    for (const row of rows.slice(1, -1)) assert.match(row.slice(column), /^(yes|no)/)
    yield* run(["languages", "--resource", "write", "--include", "beta", "--include", "external", "--json"])
    const { requestsOf } = yield* FakeLanguageService
    assert.deepStrictEqual((yield* requestsOf("Languages.list")).map(({ decoded }) => decoded?.query), [
      { resource: "translate_text" },
      { resource: "write", include: ["beta", "external"] }
    ])
    const german = lines(yield* run(["languages", "--json"])).find(({ code }) => code === "de")
    assert.deepInclude(german, { name: "German", usableAsSource: true, usableAsTarget: true })
    assert.match(yield* run(["languages", "--resources"]), /\ntranslate_text +formality +no +yes\n/)
    assert.strictEqual(lines(yield* run(["languages", "--resources", "--json"])).length, 7)
  })
})

describe.concurrent("request", () => {
  test("sends what the contract does not know, and prints the answer as it is", function*() {
    const list = { name: "A 家", language: "en" }
    const data = ["--data", JSON.stringify(list), "--header", "x-a: b:c"]
    const [made] = lines(yield* run(["request", "POST", "/v3/style_rules", ...data, "--json"]))
    assert.deepInclude(made, list)
    const one = ["/v3/style_rules/:id", "--param", `id=${String(made?.["style_id"])}`]
    assert.deepInclude(JSON.parse(yield* run(["request", "GET", ...one])), list)
    assert.strictEqual(yield* run(["request", "DELETE", ...one, "--repeat", "replace"]), "")
    const text = ["--text", "--query", "a=b=c", "--query", "a=d"]
    yield* (yield* FakeLanguageService).script({ fault: Fault.serverError() })
    assert.match(yield* run(["request", "GET", "/v3/languages/resources", ...text]), /^\[\{"name":/)
    const [post, get, , last] = yield* (yield* FakeLanguageService).requests
    assert.strictEqual(post?.headers["x-a"], "b:c")
    assert.match(get?.url ?? "", /\/v3\/style_rules\/[0-9a-f-]+$/)
    assert.match(last?.url ?? "", /\?a=b%3Dc&a=d$/)
  })

  withReadyJobs("does not repeat a request that may have created something", function*() {
    const { requests, script } = yield* FakeLanguageService
    yield* script({ fault: Fault.reset({ afterEffect: true }) })
    const { code } = yield* ran(["request", "POST", "/v3/style_rules", "--data", `{"name":"A","language":"en"}`])
    assert.deepStrictEqual([code, (yield* requests).length], [9, 1])
  })

  test("takes the body from a file, of any type", function*() {
    const file = join(yield* folder, "body")
    const body =
      "name=Terms&dictionaries[0].source_lang=en&dictionaries[0].target_lang=de&dictionaries[0].entries=a%09b"
    writeFileSync(file, body)
    const type = "application/x-www-form-urlencoded"
    yield* run(["request", "POST", "/v3/glossaries", "--data-file", file, "--content-type", type])
    const [request] = yield* (yield* FakeLanguageService).requests
    assert.strictEqual(request?.headers["content-type"], type)
    assert.strictEqual(request?.body, body)
  })
})

describe.concurrent("usage", () => {
  test("tells what is used up, in columns or as an object", function*() {
    const { setQuota } = yield* FakeLanguageService
    yield* setQuota({ characters: 500 })
    yield* run(["correct", "teh house"])
    const rows = (yield* run(["usage"])).trimEnd().split("\n")
    assert.deepStrictEqual(rows.slice(0, -1).map((row) => row.split(/ {2,}/)), [
      ["UNIT", "USED", "LIMIT"],
      ["characters", "9", "500"],
      ["characters of this key", "9", "unlimited"],
      ["translate, characters", "0"],
      ["write, characters", "9"],
      ["characters left: 491"]
    ])
    assert.match(rows.at(-1) ?? "", /^until: \d{4}-\d\d-\d\dT/)
    const [usage] = lines(yield* run(["usage", "--json"]))
    assert.deepInclude(usage, { characterCount: 9, characterLimit: 500, keyCharacterLimit: "unlimited" })
  })
})

describe.concurrent("style-rules", () => {
  test("lists all lists, a page, and what is in them", function*() {
    const { styleId } = yield* list
    const other = yield* (yield* FakeLanguageService).addStyleRuleList({ name: "Other", language: "de" })
    const out = yield* run(["style-rules", "list"])
    assert.match(out, /^ID +LANGUAGE +VERSION +UPDATED +NAME\n/)
    assert.include(out, styleId)
    assert.include(out, other.styleId)
    assert.strictEqual(lines(yield* run(["style-rules", "list", "--json"])).length, 2)
    assert.strictEqual(
      lines(yield* run(["style-rules", "list", "--json", "--page", "1", "--page-size", "1"])).length,
      1
    )
    assert.strictEqual(yield* run(["style-rules", "list", "--json", "--page", "1"]), "")
    assert.match(yield* run(["style-rules", "list", "--detailed"]), /dates_and_times\.time_format +use_24_hour_clock/)
  })

  test("shows a list with its rules and instructions", function*() {
    const { customInstructions: [instruction], styleId } = yield* list
    const out = yield* run(["style-rules", "show", styleId])
    assert.match(out, /^name {6}House 家 style$/m)
    assert.match(out, /^dates_and_times\.time_format {2}use_24_hour_clock$/m)
    assert.match(out, new RegExp(`^${instruction?.instructionId} +en +Currency +Write EUR$`, "m"))
    const [json] = lines(yield* run(["style-rules", "show", "--json", styleId]))
    assert.deepInclude(json, { styleId, name: "House 家 style", version: 1 })
    assert.match(String(json?.["creationTime"]), /^\d{4}-\d\d-\d\dT/)
  })

  test("creates a list with rules of a file, rules one by one and instructions, and prints its id", function*() {
    const file = join(yield* folder, "rules.json")
    writeFileSync(file, `{"numbers":{"decimal_separator":"use_comma_as_decimal_separator","gone":"x"}}`)
    const id = yield* run(
      `style-rules create Zeiten --language de --rules-file ${file} --rule numbers.gone=y ` +
        `--rule dates_and_times.time_format=use_24_hour_clock --instruction "Currency=Write EUR = euro"`
    )
    const [made] = yield* lists
    assert.strictEqual(id, `${made?.styleId}\n`)
    assert.deepInclude(made, {
      name: "Zeiten",
      language: "de",
      configuredRules: {
        numbers: { decimal_separator: "use_comma_as_decimal_separator", gone: "y" },
        dates_and_times: { time_format: "use_24_hour_clock" }
      }
    })
    assert.deepInclude(made?.customInstructions[0], { label: "Currency", prompt: "Write EUR = euro" })
  })

  test("edits name and rules, and clears rules", function*() {
    const { styleId } = yield* list
    const out = yield* run(["style-rules", "edit", styleId, "--name", "New", "--rule", "numbers.a=b"])
    assert.match(out, /^name {6}New$/m)
    assert.deepStrictEqual((yield* lists)[0]?.configuredRules, { numbers: { a: "b" } })
    yield* run(["style-rules", "edit", styleId, "--clear-rules"])
    assert.deepStrictEqual((yield* lists)[0]?.configuredRules, {})
  })

  test("deletes a list, and says so only to people and programs that look", function*() {
    const [{ styleId }, other] = [yield* list, yield* list]
    assert.deepStrictEqual(yield* ran(["style-rules", "delete", styleId]), {
      code: 2,
      out: "",
      err: "effect-lingua: it cannot be undone, and there is no terminal to ask for confirmation: give --yes\n"
    })
    assert.deepStrictEqual(yield* ran(["style-rules", "delete", "--yes", styleId]), {
      code: 0,
      out: "",
      err: `effect-lingua: the list ${styleId} is deleted\n`
    })
    assert.strictEqual((yield* lists).length, 1)
    assert.deepStrictEqual(
      lines(yield* run(["style-rules", "delete", "--yes", "--quiet", "--json", other.styleId])),
      [{ styleId: other.styleId, deleted: true }]
    )
    assert.deepStrictEqual(yield* lists, [])
  })

  test("makes lists as a file has them, shows it before, and has nothing to do then", function*() {
    const { name, styleId } = yield* list
    const other = yield* (yield* FakeLanguageService).addStyleRuleList({ name: "Other", language: "de" })
    const file = join(yield* folder, "lists.json")
    writeFileSync(
      file,
      JSON.stringify([
        {
          name,
          language: "en",
          customInstructions: [{ label: "Currency", prompt: "Write USD", sourceLanguage: "de" }]
        },
        { styleId: other.styleId, name: "Another", language: "de", configuredRules: { numbers: { a: "b" } } },
        { name: "New", language: "fr" }
      ])
    )
    const plan = [
      `create "New" (fr) with 0 rules and 0 instructions`,
      `replace instruction "Currency" of "House 家 style"`,
      `rename "Other" to "Another" (${other.styleId})`,
      `replace the rules of "Other" by 1 rule`,
      ""
    ].join("\n")
    assert.deepStrictEqual(yield* ran(["style-rules", "sync", "--dry-run", file]), {
      code: 0,
      out: plan,
      err: "effect-lingua: this is a dry run; nothing was changed\n"
    })
    assert.strictEqual((yield* lists).length, 2)
    assert.strictEqual(yield* run(["style-rules", "sync", file]), plan)
    assert.deepStrictEqual((yield* lists).map(({ name }) => name), [name, "Another", "New"])
    assert.strictEqual(yield* run(["style-rules", "sync", file]), "")
    writeFileSync(file, JSON.stringify([{ styleId, name, language: "en" }]))
    const removed = lines(yield* run(["style-rules", "sync", "--remove-others", "--json", file]))
    assert.deepStrictEqual(removed.map(({ _tag, list }) => [_tag, list]), [["Remove", "Another"], ["Remove", "New"]])
    assert.deepStrictEqual((yield* lists).map(({ styleId }) => styleId), [styleId])
  })

  test("refuses a file of lists with a key that is not known", function*() {
    const stdin = JSON.stringify([{ name: "A", language: "en", instructions: [] }])
    const { code, err } = yield* ran(["style-rules", "sync", "-"], { stdin })
    assert.strictEqual(code, 2)
    assert.include(err, "instructions")
    assert.deepStrictEqual(yield* lists, [])
  })

  test("lists, shows, adds, edits and removes instructions", function*() {
    const { customInstructions: [first], styleId } = yield* list
    const id = String(first?.instructionId)
    assert.match(
      yield* instructions("list", styleId),
      new RegExp(`^INSTRUCTION +SOURCE +LABEL +PROMPT\n${id} +en +Currency `)
    )
    const added = yield* instructions(
      "create",
      styleId,
      "--label",
      "Dashes",
      "--prompt",
      "Short ones",
      "--from",
      "fr"
    )
    assert.match(added, /^[0-9a-f-]{36}\n$/)
    assert.deepStrictEqual(lines(yield* instructions("show", styleId, added.trim(), "--json")), [
      { instructionId: added.trim(), label: "Dashes", prompt: "Short ones", sourceLanguage: "fr" }
    ])
    yield* instructions("edit", styleId, id, "--prompt", "Write CHF")
    assert.deepStrictEqual(lines(yield* instructions("show", styleId, id, "--json")), [
      { instructionId: id, label: "Currency", prompt: "Write CHF", sourceLanguage: "en" }
    ])
    yield* instructions("delete", styleId, id, "--quiet")
    assert.deepStrictEqual((yield* lists)[0]?.customInstructions.map(({ label }) => label), ["Dashes"])
  })
})

describe.concurrent("quality", () => {
  withReadyJobs("shows the errors of translations and the score, of lines or of JSON", function*() {
    const file = join(yield* folder, "segments.json")
    const segments = [{ source: "👋 We pay 42 euros", target: "👋 Wir zahlen 24 Euro" }, {
      source: "Thanks",
      target: "Danke"
    }]
    writeFileSync(file, JSON.stringify(segments))
    const pair = ["--from", "en", "-t", "de"]
    const evaluate = ["quality", "evaluate", ...pair]
    const stdin = segments.map(({ source, target }) => `${source}\t${target}\n`).join("")
    const [shown, json, bracket] = yield* Effect.all([
      ran([...evaluate, "-"], { stdin }),
      run([...evaluate, "--quiet", "--json", file]),
      run([...evaluate, "--quiet", "-"], { stdin: "[1] One\t[1] Eins\n" })
    ], { concurrency: "unbounded" })
    assert.match(shown.out, /SEGMENT.*\n1 +Minor +Accuracy, Mistranslation +42 .*lacks 42/)
    assert.match(shown.out, /score: 93\n$/)
    assert.match(shown.err, /standard input: started as .*\n(.*\n)*.*standard input: completed\n/)
    assert.deepStrictEqual(lines(json).map(({ source }) => source), [["42"], undefined])
    assert.strictEqual(bracket, "score: 100\n")
    const { code, err } = yield* inProcess([...evaluate, "-"], { stdin: "One\tEins\nTwo\n" })
    assert.strictEqual(code, 2)
    assert.include(err, "line 2 of standard input needs one tab")
  })

  withReadyJobs("continues an evaluation after a failure, with the same texts", function*() {
    const { effects, script } = yield* FakeLanguageService
    const file = join(yield* folder, "the segments.tsv")
    writeFileSync(file, "We pay 42 euros\tWir zahlen 24 Euro\n")
    yield* script({ operation: "QualityEvaluation.status", fault: { status: 403 } })
    const { code, err, out } = yield* ran(["quality", "evaluate", "--from", "en", "-t", "de", file])
    assert.deepStrictEqual([code, out], [4, ""])
    const [, id = ""] = /: to continue its job: effect-lingua quality resume (\S+) '.*the segments.tsv'\n$/.exec(err) ??
      []
    const shown = yield* run(["quality", "resume", id, file, "--quiet"])
    assert.match(shown, /SEGMENT.*\n1 +Minor +Accuracy, Mistranslation +42 .*lacks 42.*\nscore: 85\n$/)
    assert.strictEqual((yield* effects)["QualityEvaluation.start"].count, 1)
  })
})

describe.concurrent("voice", () => {
  withReadyJobs("names the command that continues a job, after a failure", function*() {
    const { effects, script } = yield* FakeLanguageService
    const file = join(yield* folder, "talk.mp3")
    writeFileSync(file, "speech")
    yield* script({ operation: "Voice.status", fault: { status: 403 } })
    const { code, err, out } = yield* ran(["voice", "translate", "-t", "de", file, "--json"])
    assert.deepStrictEqual([code, out], [4, ""])
    const [error, next] = lines(err).slice(-2)
    const id = String(next?.["id"])
    assert.deepInclude(error, { type: "error", jobId: id })
    assert.deepInclude(next, { type: "next", name: file, command: `effect-lingua voice resume ${id}` })
    assert.strictEqual(yield* run(["voice", "resume", id, "--quiet"]), "talk.mp3 in de\n")
    assert.strictEqual((yield* effects)["Voice.start"].count, 1)
    const unknown = yield* ran(["voice", "resume", "unknown"])
    assert.strictEqual(unknown.code, 5)
  })

  withReadyJobs("prints the texts of all targets of a job, or those in a language", function*() {
    const started = yield* Voice.use((voice) =>
      Effect.gen(function*() {
        const content = new TextEncoder().encode("speech")
        const targets = ["de", "fr"].map((language) => ({ language, type: "text/plain" }))
        const job = yield* voice.start({
          contentType: "audio/mpeg",
          fileName: "talk.mp3",
          size: content.length,
          targets
        })
        yield* voice.upload({ job, content })
        return job.jobId
      })
    ).pipe(
      Effect.provide(Layer.provide(
        Voice.layer,
        NodeLanguageService.layer({ key: Redacted.make(key), baseUrl: (yield* FakeLanguageService).url })
      ))
    )
    const french = { jobId: started, language: "fr", type: "text/plain", text: "talk.mp3 in fr" }
    assert.deepStrictEqual(lines(yield* run(["voice", "resume", started, "-t", "fr", "--json", "--quiet"])), [french])
    assert.strictEqual(yield* run(["voice", "resume", started, "--quiet"]), "talk.mp3 in de\ntalk.mp3 in fr\n")
    const none = yield* ran(["voice", "resume", started, "-t", "it"])
    assert.deepStrictEqual([none.code, none.err.includes("the job has no text in it")], [2, true])
  })

  withReadyJobs("translates a file of speech, and gives the address of a session", function*() {
    const file = join(yield* folder, "talk.mp3")
    writeFileSync(file, "speech")
    assert.strictEqual(yield* run(["voice", "translate", "--quiet", "-t", "de", file]), "talk.mp3 in de\n")
    const url = yield* run(["voice", "session", "--content-type", "audio/webm", "-t", "de", "-t", "fr"])
    assert.match(url, /^ws:\/\/127\.0\.0\.1:\d+\/_voice\/realtime\?token=[0-9a-f]{64}\n$/)
    const { requestsOf } = yield* FakeLanguageService
    assert.deepStrictEqual((yield* requestsOf("Voice.start")).map(({ decoded }) => decoded?.payload), [{
      sourceFile: { name: "talk.mp3", contentType: "audio/mpeg", contentLength: 6 },
      targets: [{ language: "de", type: "text/plain" }]
    }])
    const { code, err } = yield* inProcess(["voice", "translate", "-t", "de", "talk.doc"])
    assert.strictEqual(code, 2)
    assert.include(err, "--content-type")
  })
})
