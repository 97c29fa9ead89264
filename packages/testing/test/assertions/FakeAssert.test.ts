import { Documents, Languages, StyleRules, Writing } from "@effect-lingua/core"
import { FakeAssert, Fault, VirtualTime } from "@effect-lingua/testing"
import { FakeLanguageService, InvalidOptions } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { client, send } from "../support/client.ts"

const { layer, layerServices } = FakeLanguageService

const resources = Languages.use((languages) => languages.resources)
const create = (name: string) => StyleRules.use((rules) => rules.create({ name, language: "en" }))

/** What an assertion that does not hold says, without and with the requests. */
const problemOf = (assertion: FakeAssert.Assertion) => Effect.map(Effect.flip(assertion), ({ problem }) => problem)
const messageOf = (assertion: FakeAssert.Assertion) => Effect.map(Effect.flip(assertion), ({ message }) => message)

const problemAndRequests = messageOf(FakeAssert.holds("nothing", () => false))

const isQuota = ({ status }: FakeLanguageService.RecordedRequest) => status === 456

describe("FakeAssert", () => {
  it.effect("fails with the last ten requests, and without any key", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const documents = yield* Documents
      const document = yield* fake.addDocument({ content: "Hallo", readyAfter: 0 })
      yield* fake.script({ operation: "Documents.download", fault: Fault.reset({ afterEffect: true }) })
      yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7, 8], () => resources)
      yield* TestClock.adjust("90 seconds")
      yield* Effect.ignore(VirtualTime.run(documents.download(document)))
      yield* TestClock.setTime(3_690_000)
      yield* send("GET", "/nowhere?auth_key=in-the-query&page=1")
      const error = yield* Effect.flip(FakeAssert.notCalled("Documents.download"))
      assert.strictEqual(error._tag, "AssertionFailed")
      assert.strictEqual(error.problem, "Expected Documents.download never to be called, but it was called 2 times.")
      const lines = error.requests.split("\n")
      assert.strictEqual(lines.length, 11)
      assert.strictEqual(lines[0], "(1 earlier)")
      assert.match(
        lines[1] ?? "",
        /^#2 +\+0 +Languages\.resources +GET \/v3\/languages\/resources +200 +no effect +no fault/
      )
      assert.match(
        lines[8] ?? "",
        /^#9 +\+1m 30s +Documents\.download +POST .*no response +took effect +fault: connection reset, after the effect +trace \w{32}$/
      )
      assert.match(lines[9] ?? "", /^#10 .* 404 +no effect +no fault/)
      assert.match(lines[10] ?? "", /^#11 +\+1h 1m 30s +\(no operation\) +GET \/nowhere\?auth_key=REDACTED&page=1 +404/)
      assert.include(error.message, error.problem)
      assert.include(error.message, error.requests)
      yield* fake.script({ fault: { status: 401, description: "fake-key is not known" } })
      yield* Effect.ignore(resources)
      const repeated = yield* problemAndRequests
      assert.include(repeated, `"<redacted:API key 1> is not known"`)
      assert.notInclude(repeated, "fake-key")
      for (const secret of yield* fake.secrets) {
        assert.notInclude(JSON.stringify(error) + error.message, Redacted.value(secret))
      }
    }).pipe(Effect.provide(layerServices())))

  it.effect("called counts the requests of an operation, and notCalled those of all", () =>
    Effect.gen(function*() {
      yield* FakeAssert.notCalled()
      yield* FakeAssert.called("Languages.resources", 0)
      assert.strictEqual(
        yield* messageOf(FakeAssert.called("Languages.resources")),
        "Expected Languages.resources to be called at least once, but it was called 0 times.\n\n" +
          "The last requests:\n(no requests)\n"
      )
      yield* resources
      yield* create("House")
      yield* FakeAssert.called("Languages.resources")
      yield* FakeAssert.called("Languages.resources", 1)
      yield* FakeAssert.notCalled("Languages.list")
      assert.strictEqual(
        yield* problemOf(FakeAssert.called("Languages.resources", 2)),
        "Expected Languages.resources to be called 2 times, but it was called once."
      )
      assert.strictEqual(
        yield* problemOf(FakeAssert.notCalled("Languages.resources")),
        "Expected Languages.resources never to be called, but it was called once."
      )
      assert.strictEqual(
        yield* problemOf(FakeAssert.notCalled()),
        "Expected the service never to be called, but it was called 2 times."
      )
    }).pipe(Effect.provide(layerServices())))

  it.effect("calledWith compares a part of what was asked for, decoded", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      const rules = yield* StyleRules
      yield* writing.rephrase({ text: ["a", "b"], targetLanguage: "en-GB", tone: "friendly" })
      yield* writing.rephrase({ text: ["c"], targetLanguage: "en-GB" })
      const { styleId } = yield* create("House")
      yield* rules.rename({ styleId, name: "New" })
      yield* rules.listPage({ pageSize: 5, detailed: true })
      yield* FakeAssert.calledWith("Writing.rephrase", { payload: { tone: "friendly" } })
      yield* FakeAssert.calledWith("Writing.rephrase", { payload: { text: ["a", "b"] } }, 1)
      yield* FakeAssert.calledWith("Writing.rephrase", { payload: { targetLanguage: "en-GB" } }, 2)
      yield* FakeAssert.calledWith("Writing.rephrase", { payload: { text: ["a"] } }, 0)
      yield* FakeAssert.calledWith("StyleRules.rename", { params: { styleId }, payload: { name: "New" } })
      yield* FakeAssert.calledWith("StyleRules.listPage", { query: { pageSize: 5, detailed: true } })
      assert.strictEqual(
        yield* problemOf(FakeAssert.calledWith("Writing.rephrase", { payload: { tone: "confident" } })),
        `Expected Writing.rephrase to be called with {"payload":{"tone":"confident"}} at least once, but it was 0 times. ` +
          `It was called with\n#1 {"payload":{"text":["a","b"],"targetLanguage":"en-GB","tone":"friendly"}}\n` +
          `#2 {"payload":{"text":["c"],"targetLanguage":"en-GB"}}`
      )
    }).pipe(Effect.provide(layerServices())))

  it.effect("calledWith compares the key of a document, and does not show it", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const { documentId, documentKey } = yield* fake.addDocument({ content: "Hallo", readyAfter: 0 })
      yield* (yield* Documents).download({ documentId, documentKey })
      yield* FakeAssert.calledWith("Documents.download", { payload: { documentKey } })
      const problem = yield* problemOf(
        FakeAssert.calledWith("Documents.download", { payload: { documentKey: Redacted.make("another") } })
      )
      yield* Effect.ignore(Writing.use((writing) => writing.correct({ text: ["my key is fake-key"] })))
      assert.match(
        yield* problemOf(FakeAssert.calledWith("Writing.correct", { payload: { text: ["a"] } })),
        /my key is <redacted:API key 1>/
      )
      assert.include(problem, documentId)
      assert.include(problem, "<redacted>")
      assert.notInclude(problem, Redacted.value(documentKey))
      assert.notInclude(problem, "another")
    }).pipe(Effect.provide(layerServices())))

  it.effect("calledWith shows requests that cannot be decoded", () =>
    Effect.gen(function*() {
      yield* send("POST", "/v3/style_rules", { body: `{"name":1}` })
      const problem = yield* problemOf(FakeAssert.calledWith("StyleRules.create", { payload: {} }))
      assert.include(problem, "#1 (invalid, or too long for the record)")
    }).pipe(Effect.provide(layer())))

  it.effect("calledInOrder lets others come between", () =>
    Effect.gen(function*() {
      yield* create("House")
      yield* resources
      yield* (yield* StyleRules).listPage()
      yield* FakeAssert.calledInOrder(["StyleRules.create", "StyleRules.listPage"])
      assert.strictEqual(
        yield* problemOf(FakeAssert.calledInOrder(["StyleRules.listPage", "StyleRules.create"])),
        "Expected calls in the order StyleRules.listPage, StyleRules.create, but StyleRules.create was not called after " +
          "StyleRules.listPage."
      )
      assert.strictEqual(
        yield* problemOf(FakeAssert.calledInOrder(["Languages.list", "StyleRules.create"])),
        "Expected calls in the order Languages.list, StyleRules.create, but Languages.list was not called."
      )
    }).pipe(Effect.provide(layerServices())))

  it.effect("tookEffect counts what was done, whatever was answered", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.script({ operation: "StyleRules.create", fault: Fault.serverError({ afterEffect: true }) })
      yield* fake.script({ operation: "StyleRules.create", fault: Fault.overloaded() })
      yield* Effect.ignore(create("House"))
      yield* FakeAssert.tookEffect("StyleRules.create")
      yield* VirtualTime.run(create("Press"))
      yield* FakeAssert.tookEffect("StyleRules.create", 2)
      yield* FakeAssert.called("StyleRules.create", 3)
      yield* FakeAssert.tookEffect("StyleRules.remove", 0)
      assert.strictEqual(
        yield* problemOf(FakeAssert.tookEffect("StyleRules.create")),
        "Expected StyleRules.create to take effect once, but it took effect 2 times."
      )
      assert.deepStrictEqual((yield* fake.requests).map(({ status, tookEffect }) => [status, tookEffect]), [
        [500, true],
        [529, false],
        [201, true]
      ])
    }).pipe(Effect.provide(layerServices())))

  it.effect("nothingTwice finds a creation that was repeated after its answer was lost", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const api = yield* client
      const create = (name: string) => api.StyleRules.create({ payload: { name, language: "en" } })
      const correct = api.Writing.correct({ payload: { text: ["a"] } })
      yield* create("House")
      yield* fake.script({ fault: Fault.overloaded() })
      yield* Effect.ignore(create("Press"))
      yield* create("Press")
      yield* correct
      yield* correct
      yield* FakeAssert.nothingTwice()
      yield* fake.script({ fault: Fault.reset({ afterEffect: true }) })
      yield* Effect.ignore(create("Web"))
      yield* create("Web")
      assert.strictEqual(
        yield* problemOf(FakeAssert.nothingTwice()),
        "Expected nothing to be done twice, but StyleRules.create took effect for #6 and for #7, which are equal."
      )
    }).pipe(Effect.provide(layer())))

  it.effect("allDocumentsDownloaded names those that are left, with their age", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* FakeAssert.allDocumentsDownloaded()
      const first = yield* fake.addDocument({ content: "a", fileName: "a.txt", readyAfter: "1 second" })
      yield* fake.addDocument({ content: "b", readyAfter: "1 second", fails: "it is empty" })
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(
        yield* problemOf(FakeAssert.allDocumentsDownloaded()),
        `Expected all documents to be downloaded, but 1 of 2 were not:\n${first.documentId} (a.txt): done, 2m old`
      )
      assert.strictEqual(
        yield* problemOf(FakeAssert.documentTaken(first)),
        `Expected document ${first.documentId} to be downloaded, but it is done.`
      )
      const { stream } = yield* (yield* Documents).download(first)
      yield* Stream.runDrain(stream)
      yield* FakeAssert.documentTaken(first)
      yield* FakeAssert.allDocumentsDownloaded()
      yield* fake.addDocument({ content: "c", readyAfter: 0, expiresAfter: "1 minute" })
      yield* TestClock.adjust("1 minute")
      assert.match(yield* problemOf(FakeAssert.allDocumentsDownloaded()), /: gone, 1m old$/)
      yield* fake.reset
      assert.match(yield* problemOf(FakeAssert.documentTaken(first)), /no document has this id/)
    }).pipe(Effect.provide(layerServices())))

  it.effect("quiet gives the value of an effect during which no request comes", () =>
    Effect.gen(function*() {
      yield* resources
      assert.strictEqual(yield* FakeAssert.quiet(Effect.succeed(1)), 1)
      const error = yield* Effect.flip(FakeAssert.quiet(resources))
      assert.strictEqual(
        error.message.split("\n", 1)[0],
        "Expected the service never to be called meanwhile, but it was called once."
      )
    }).pipe(Effect.provide(layerServices())))

  it.effect("noneAfter looks from the first request that is the point", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.script({ fault: { status: 456 } })
      assert.match(yield* problemOf(FakeAssert.noneAfter(isQuota)), /no request matches/)
      yield* Effect.ignore(Writing.use((writing) => writing.correct({ text: ["a"] })))
      yield* FakeAssert.noneAfter(isQuota)
      yield* resources
      assert.strictEqual(
        yield* problemOf(FakeAssert.noneAfter(isQuota)),
        "Expected no request after #1, but 1 came."
      )
    }).pipe(Effect.provide(layerServices())))

  it.effect("spaced measures from one request of an operation to the next", () =>
    Effect.gen(function*() {
      yield* resources
      yield* create("House")
      yield* TestClock.adjust("2 seconds")
      yield* resources
      yield* FakeAssert.spaced("Languages.resources", "2 seconds")
      assert.strictEqual(
        yield* problemOf(FakeAssert.spaced("Languages.resources", "3 seconds")),
        "Expected requests of Languages.resources at least 3s apart, but #3 came 2s after #1."
      )
    }).pipe(Effect.provide(layerServices())))

  it.effect("retryAfterHonoured finds a request before its time", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.script({ fault: Fault.rateLimited({ retryAfter: "5 seconds", delay: "1 second" }) })
      yield* VirtualTime.run(resources)
      const [refused, repeat] = yield* fake.requests
      assert.deepStrictEqual([refused?.answerTime, refused?.retryTime], [1000, 6000])
      assert.isAtLeast(repeat?.time ?? 0, 6000)
      yield* FakeAssert.retryAfterHonoured()
      yield* fake.reset
      yield* fake.script({ fault: Fault.rateLimited({ retryAfter: "5 seconds" }) })
      yield* send("GET", "/v3/languages/resources")
      yield* send("GET", "/v3/style_rules")
      yield* FakeAssert.retryAfterHonoured()
      yield* TestClock.adjust("4 seconds")
      yield* send("GET", "/v3/languages/resources")
      yield* FakeAssert.retryAfterHonoured("StyleRules.listPage")
      for (const operation of [undefined, "Languages.resources"] as const) {
        assert.strictEqual(
          yield* problemOf(FakeAssert.retryAfterHonoured(operation)),
          "Expected Retry-After to be honoured, but #3 (Languages.resources) came 1s before the Retry-After of #1 had passed."
        )
      }
    }).pipe(Effect.provide(layerServices())))

  it.effect("retryAfterHonoured does not blame a request that was under way already", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.script([
        { fault: Fault.rateLimited({ retryAfter: "5 seconds", delay: "2 seconds" }) },
        { fault: Fault.rateLimited({ retryAfter: "1 second" }) }
      ])
      const first = yield* Effect.forkChild(send("GET", "/v3/languages/resources"))
      yield* TestClock.adjust("1 second")
      yield* send("GET", "/v3/languages/resources")
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(first)
      yield* FakeAssert.retryAfterHonoured()
      // A shorter time after it does not replace its own.
      yield* send("GET", "/v3/languages/resources")
      assert.include(yield* problemOf(FakeAssert.retryAfterHonoured()), "#3 (Languages.resources) came 5s before")
    }).pipe(Effect.provide(layer())))

  it.effect("carried looks at the header of every request", () =>
    Effect.gen(function*() {
      yield* resources
      yield* create("House")
      yield* FakeAssert.carried("X-Team")
      yield* FakeAssert.carried("X-Team", "docs")
      yield* FakeAssert.carried("User-Agent", /^effect-lingua\/\d/)
      assert.strictEqual(
        yield* problemOf(FakeAssert.carried("X-Team", "press")),
        `Expected every request to carry the header x-team with press, but #1 carried "docs".`
      )
      assert.strictEqual(
        yield* problemOf(FakeAssert.carried("X-Other")),
        "Expected every request to carry the header x-other, but #1 carried none."
      )
      assert.match(yield* problemOf(FakeAssert.carried("User-Agent", /^curl/)), /with \/\^curl\//)
    }).pipe(Effect.provide(layerServices({ client: { headers: { "X-Team": "docs" } } }))))

  it.effect("names the operations there are where one is misspelled, instead of passing", () =>
    Effect.gen(function*() {
      const word = JSON.parse(`"Writing.corect"`)
      const misspelled = [
        FakeAssert.called(word),
        FakeAssert.called(word, 0),
        FakeAssert.notCalled(word),
        FakeAssert.calledWith(word, JSON.parse("{}"), 0),
        FakeAssert.calledInOrder(["Writing.correct", word]),
        FakeAssert.tookEffect(word, 0),
        FakeAssert.spaced(word, "1 second"),
        FakeAssert.retryAfterHonoured(word)
      ]
      for (const assertion of misspelled) {
        const exit = yield* Effect.exit(assertion)
        const defect = Exit.isFailure(exit) && Cause.hasDies(exit.cause) ? Cause.squash(exit.cause) : undefined
        assert.instanceOf(defect, InvalidOptions)
        assert.match(String(defect), /Invalid operation: Expected .*"Writing\.correct".*, got "Writing\.corect"/)
      }
      const atLeast = JSON.parse(`{"second":5}`)
      assert.isTrue(Exit.hasDies(yield* Effect.exit(FakeAssert.spaced("Writing.correct", atLeast))))
    }).pipe(Effect.provide(layer())))

  it.effect("noSecretIn finds keys in what was put out, and does not repeat them", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const { documentId, documentKey } = yield* fake.addDocument({ content: "a" })
      yield* FakeAssert.noSecretIn("nothing of note")
      assert.strictEqual(
        yield* problemOf(FakeAssert.noSecretIn("key=fake-key")),
        `Expected no secret in the output, but <redacted:API key 1> is at character 4, after "key=".`
      )
      assert.include(yield* problemOf(FakeAssert.noSecretIn("fake-key")), "is at character 0")
      const message = yield* messageOf(
        FakeAssert.noSecretIn(`{"first":"fake-key","second":"${Redacted.value(documentKey)}"}`)
      )
      assert.notInclude(message, "fake-key")
      const next = yield* messageOf(FakeAssert.noSecretIn(`${Redacted.value(documentKey)}fake-key`))
      assert.notInclude(next, Redacted.value(documentKey).slice(-8))
      const second = yield* messageOf(FakeAssert.noSecretIn(`"${Redacted.value(documentKey)}"`))
      assert.include(second, `<redacted:key of document ${documentId}>`)
      assert.notInclude(second, Redacted.value(documentKey))
    }).pipe(Effect.provide(layer())))

  it.effect("noSecretIn finds keys that are escaped or encoded", () =>
    Effect.gen(function*() {
      const key = `a"key\\with/all&that+is?special`
      const outputs = [
        key,
        JSON.stringify({ key }),
        `https://host/?key=${encodeURIComponent(key)}`,
        `${new URLSearchParams({ key })}`,
        ...["", "a", "ab", "abc", "Service-Auth-Key "].flatMap((before) =>
          (["base64", "base64url"] as const).map((encoding) =>
            Buffer.from(`${before}${key}, and more`).toString(encoding)
          )
        )
      ]
      for (const output of outputs) {
        const message = yield* messageOf(FakeAssert.noSecretIn(`seen: ${output}`))
        assert.include(message, "<redacted:API key 1> is at character", output)
      }
      const twice = yield* messageOf(FakeAssert.noSecretIn(`${encodeURIComponent(key)}${key}`))
      assert.notInclude(twice, "special")
      yield* FakeAssert.noSecretIn("a key with all that is special, in base64: c2hvcnQ=")
    }).pipe(
      Effect.provide(layer({
        keys: [{ key: `a"key\\with/all&that+is?special`, tier: "paid" }, { key: "short", tier: "paid" }]
      }))
    ))

  it.effect("allFaultsPlayed names the faults that are left", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.script({ operation: "Languages.resources", fault: Fault.overloaded() })
      yield* fake.script({ operation: "StyleRules.create", count: 2, fault: Fault.rateLimited() })
      yield* VirtualTime.run(resources)
      assert.strictEqual(
        yield* problemOf(FakeAssert.allFaultsPlayed()),
        "Expected all scripted faults to be met, but these are left:\nstatus 429, next 2 calls of StyleRules.create"
      )
      yield* VirtualTime.run(create("House"))
      yield* FakeAssert.allFaultsPlayed()
    }).pipe(Effect.provide(layerServices())))

  it.effect("shows the line of the test that asserts", () =>
    Effect.gen(function*() {
      const failures = yield* Effect.all([
        Effect.flip(FakeAssert.called("StyleRules.create")),
        Effect.flip(FakeAssert.tookEffect("StyleRules.create")),
        Effect.flip(FakeAssert.quiet(resources))
      ])
      for (const { stack } of failures) {
        assert.include(stack?.split("\n").find((line) => line.startsWith("    at ")), "FakeAssert.test.ts")
      }
    }).pipe(Effect.provide(layerServices())))

  it.effect("holds takes a claim of the test's own", () =>
    Effect.gen(function*() {
      yield* resources
      yield* FakeAssert.holds("all are answered with 200", (all) => all.every(({ status }) => status === 200))
      assert.strictEqual(
        yield* problemOf(FakeAssert.holds("there is none", (all) => all.length === 0)),
        "This does not hold: there is none"
      )
    }).pipe(Effect.provide(layerServices())))

  it.effect("says nothing of requests that were forgotten", () =>
    Effect.gen(function*() {
      yield* Effect.forEach([1, 2, 3], () => resources)
      assert.strictEqual(
        yield* problemOf(FakeAssert.notCalled("StyleRules.create")),
        "An assertion on all requests is not possible: the fake has forgotten the first 1. Raise its option remembered, or " +
          "reset the fake earlier: long bodies fill the record."
      )
      yield* FakeAssert.tookEffect("StyleRules.create", 0)
      yield* FakeAssert.quiet(Effect.void)
      yield* FakeAssert.allDocumentsDownloaded()
      yield* (yield* FakeLanguageService).reset
      yield* FakeAssert.notCalled()
    }).pipe(Effect.provide(layerServices({ remembered: 2 }))))
})
