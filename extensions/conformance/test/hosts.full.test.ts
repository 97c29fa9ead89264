// The conformance suite over real sockets: against the fake with its handle, and against the fake as if it were any host.
import * as Conformance from "@effect-lingua/conformance/Conformance"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import * as RemoteFakeLanguageService from "@effect-lingua/testing/fake/RemoteFakeLanguageService"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { sampled } from "../../../test/support/scale.ts"
import { effectWith } from "../../../test/support/tests.ts"

const fake = FakeLanguageService
const lines = (outcomes: ReadonlyArray<Conformance.Outcome>) => outcomes.map(Conformance.format)

/** Needs beside those that any host can have. */
const onlyFakes = new Set<Conformance.Need>(["fake", "advance"])

const socket = NodeFakeLanguageService.layer({ keys: Conformance.keys }).pipe(
  Layer.provideMerge(NodeHttpClient.layerNodeHttp)
)

/** The suite against the fake as a host that only the environment tells of. */
const asHost = Effect.fnUntraced(function*(
  environment: Record<string, string>,
  checks: ReadonlyArray<Conformance.Check> = Conformance.checks
) {
  const { url } = yield* fake
  const provider = ConfigProvider.fromEnv({
    env: {
      LANGUAGE_SERVICE_KEY: "fake-key",
      LANGUAGE_SERVICE_BASE_URL: url,
      CONFORMANCE_PAUSE: "0 millis",
      ...environment
    }
  })
  return yield* Conformance.run({ checks }).pipe(
    Effect.provide(Conformance.layerConfig().pipe(Layer.provide(ConfigProvider.layer(provider))))
  )
})

const documentOf = (name: string, { documentId, documentKey }: FakeLanguageService.IssuedDocument) => ({
  [`${name}_ID`]: documentId,
  [`${name}_KEY`]: Redacted.value(documentKey)
})

/** The names of the lists that are left, from the record of the fake. */
const left = Effect.map(
  Effect.flatMap(fake, ({ effects }) => effects),
  (effects) => {
    const removed = new Set(effects["StyleRules.remove"].ids)
    return effects["StyleRules.create"].ids.filter((id) => !removed.has(id))
  }
)

const test = effectWith(socket)

describe("Conformance of hosts", () => {
  test("passes against the fake on a socket, behind the server of its live view, with its handle", function*() {
    const page = yield* HttpClient.get(`${(yield* fake).url}/`)
    assert.deepStrictEqual([page.status, page.headers["content-type"]], [200, "text/html"])
    const report = yield* Effect.provide(Conformance.run(), Conformance.layerHandle({ advance: TestClock.adjust }))
    assert.deepStrictEqual(lines([...report.failed, ...report.skipped]), [])
    assert.deepStrictEqual(report.coverage.unseenErrors, [])
    assert.deepStrictEqual(yield* left, [])
  })

  test("passes against the fake on a socket, by a handle from another process", function*() {
    const checks = sampled(Conformance.checks, 8)
    const report = yield* Effect.gen(function*() {
      const { advance } = yield* fake
      const subject = Conformance.layerHandle({ advance: (duration) => Effect.asVoid(advance(duration)) })
      return yield* Effect.provide(Conformance.run({ checks }), subject)
    }).pipe(Effect.provide(RemoteFakeLanguageService.layer({ url: (yield* fake).url })))
    assert.deepStrictEqual(lines([...report.failed, ...report.skipped]), [])
    assert.strictEqual(report.passed.length, checks.length)
  })

  test("passes against a host of which only address and key are known, and costs it nothing", function*() {
    const checks = sampled(Conformance.checks, 16)
    const report = yield* asHost({}, checks)
    assert.deepStrictEqual(lines(report.failed), [])
    const expected = checks.filter(({ needs }) => needs.some((need) => need !== "paidTier"))
    assert.isNotEmpty(expected)
    assert.deepStrictEqual(report.skipped.map(({ check }) => check), expected)
    assert.strictEqual(report.passed.length, checks.length - expected.length)
    assert.strictEqual(report.characters, 0)
    assert.strictEqual((yield* (yield* fake).quota()).used, 0)
    assert.deepStrictEqual(yield* left, [])
  })

  test("passes against a host that offers all that a host can", function*() {
    const { addDocument } = yield* fake
    const finished = yield* addDocument({ content: "Hallo Welt", readyAfter: 0 })
    const report = yield* asHost({
      CONFORMANCE_SPEND_CHARACTERS: "true",
      CONFORMANCE_DETECTION: "true",
      CONFORMANCE_SCOPED_KEY: "fake-scoped-key",
      CONFORMANCE_FREE_KEY: "fake-free-key",
      CONFORMANCE_KEY_WITHOUT_DETECTION: "fake-key-without-detection",
      CONFORMANCE_ADMIN_KEY: FakeLanguageService.defaultAdminKey,
      CONFORMANCE_CREATE_KEYS: "true",
      ...documentOf("CONFORMANCE_DOCUMENT", finished),
      ...documentOf("CONFORMANCE_UNFINISHED_DOCUMENT", yield* addDocument({ content: "", readyAfter: "1 day" })),
      ...documentOf(
        "CONFORMANCE_FAILED_DOCUMENT",
        yield* addDocument({ content: "", readyAfter: 0, fails: "broken" })
      )
    })
    assert.deepStrictEqual(lines(report.failed), [])
    // There is one document to be downloaded, and the first check that needs one takes it.
    const [, ...others] = Conformance.checks.filter(({ needs }) => needs.includes("finishedDocument"))
    const taken = new Set(others)
    assert.deepStrictEqual(
      report.skipped.map(({ check }) => check),
      Conformance.checks.filter((check) => check.needs.some((need) => onlyFakes.has(need)) || taken.has(check))
    )
    assert.deepStrictEqual(report.coverage.unseenOperations, [])
    assert.deepStrictEqual<ReadonlyArray<string>>(
      report.coverage.unseenErrors,
      `ExportRunning JobFailed UriTooLong RateLimited TooManyDocuments QuotaExceeded TooManyGlossaryRequests
      InternalServerError BadGateway ServiceUnavailable GatewayTimeout Overloaded`.split(/\s+/)
    )
    assert.deepStrictEqual(yield* left, [])
  })

  test("skips what the free tier does not have", function*() {
    const report = yield* asHost(
      { LANGUAGE_SERVICE_KEY: "fake-free-key", LANGUAGE_SERVICE_TIER: "free" },
      sampled(Conformance.checks, 16)
    )
    assert.isNotEmpty(report.skipped)
    assert.deepStrictEqual(lines(report.failed), [])
    assert.isTrue(report.passed.every(({ check }) => !check.needs.includes("paidTier")))
  })

  it.effect("is gentle: a host gets one request at a time, each after a pause", () =>
    Effect.gen(function*() {
      const { requests } = yield* fake
      const checks = Conformance.checks.filter(({ name }) => /Languages: an unknown|Wire: a response/.test(name))
      const running = yield* Effect.forkChild(asHost({ CONFORMANCE_PAUSE: "1 second" }, checks))
      yield* TestClock.adjust("1 minute")
      const report = yield* Fiber.join(running)
      assert.deepStrictEqual(lines(report.failed), [])
      assert.deepStrictEqual((yield* requests).map(({ time }) => time), [1000, 2000, 3000, 4000, 5000, 6000])
    }).pipe(Effect.provide(FakeLanguageService.layer({ keys: Conformance.keys }))))

  test("refuses a document with an id and no key", function*() {
    const error = yield* Effect.flip(asHost({ CONFORMANCE_DOCUMENT_ID: "1" }))
    assert.strictEqual(error._tag, "ConfigError")
    assert.match(error.message, /CONFORMANCE_DOCUMENT_ID and CONFORMANCE_DOCUMENT_KEY belong together/)
  })
})
