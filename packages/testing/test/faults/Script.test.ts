import { FakeLanguageService, Fault, Script } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Schema } from "effect"
import { send } from "../support/client.ts"

const fake = FakeLanguageService
const resources = Effect.map(send("GET", "/v3/languages/resources"), ({ status }) => status)
const lists = Effect.map(send("GET", "/v3/style_rules"), ({ status }) => status)
const create = Effect.map(
  send("POST", "/v3/style_rules", { body: `{ "name": "House", "language": "en" }` }),
  ({ status }) => status
)
const remove = Effect.map(
  send("DELETE", "/v3/style_rules/00000000-0000-4000-8000-000000000000"),
  ({ status }) => status
)

/** The statuses of so many calls. */
const calls = <E, R>(count: number, call: Effect.Effect<number, E, R>) =>
  Effect.forEach(Array.from({ length: count }), () => call)

const { overloaded, rateLimited, unavailable } = Fault

describe("Script", () => {
  it.effect("hits the last of every so many calls, for ever or as often as it says", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.script(Script.every(3, unavailable(), "Languages.resources"))
      assert.deepStrictEqual(yield* calls(7, resources), [200, 200, 503, 200, 200, 503, 200])
      assert.strictEqual(yield* lists, 200)
      yield* service.reset
      yield* service.script({ every: 2, count: 2, fault: unavailable() })
      yield* service.script({ count: 0, fault: overloaded() })
      assert.deepStrictEqual(yield* calls(6, resources), [200, 503, 200, 503, 200, 200])
      assert.deepStrictEqual(yield* service.unplayed, [])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("lets the first calls pass", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.script({ skip: 2, count: 2, fault: unavailable() })
      assert.deepStrictEqual(yield* calls(6, resources), [200, 200, 503, 503, 200, 200])
      yield* service.script({ skip: 1, every: 2, fault: unavailable() })
      assert.deepStrictEqual(yield* calls(6, resources), [200, 200, 503, 200, 503, 200])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("hits several operations and counts them together", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.script(Script.next(2, unavailable(), ["StyleRules.listPage", "StyleRules.create"]))
      yield* service.script(Script.next(1, overloaded(), ["Languages.resources"]))
      assert.deepStrictEqual(
        [yield* resources, yield* resources, yield* lists, yield* create, yield* lists],
        [529, 200, 503, 503, 200]
      )
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("plays a sequence: first this, then that", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.script(Script.sequence([rateLimited(), overloaded(), unavailable()], "StyleRules.listPage"))
      assert.deepStrictEqual([yield* resources, ...(yield* calls(4, lists))], [200, 429, 529, 503, 200])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("goes after those before it, which its calls do not reach", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.script([
        Script.every(3, unavailable()),
        Script.next(3, rateLimited()),
        Script.every(2, overloaded())
      ])
      assert.deepStrictEqual(yield* calls(10, resources), [429, 429, 503, 429, 200, 503, 529, 200, 503, 529])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("tells what is left of it", () =>
    Effect.gen(function*() {
      const service = yield* fake
      const endless = Script.every(4, unavailable())
      const last: Script.Script = { skip: 3, fault: unavailable(), operation: "StyleRules.listPage" }
      yield* service.script([Script.next(3, rateLimited(), "StyleRules.listPage"), endless, last])
      yield* calls(2, lists)
      assert.deepStrictEqual((yield* service.unplayed).map(Script.format), [
        "status 429, next call of StyleRules.listPage",
        "status 503, once in 4 calls",
        "status 503, after 3 more, next call of StyleRules.listPage"
      ])
      yield* calls(3, lists)
      assert.deepStrictEqual(yield* service.unplayed, [endless, { ...last, skip: 1 }])
      yield* calls(3, lists)
      assert.deepStrictEqual(yield* service.unplayed, [])
      assert.strictEqual((yield* service.requests).filter(({ fault }) => fault !== undefined).length, 5)
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("can be given with the options, and a reset brings it back", () =>
    Effect.gen(function*() {
      const service = yield* fake
      for (let round = 0; round < 2; round++) {
        assert.deepStrictEqual(yield* calls(3, resources), [429, 503, 200])
        yield* service.reset
      }
    }).pipe(Effect.provide(FakeLanguageService.layer({ scripts: Script.sequence([rateLimited(), unavailable()]) }))))

  it.effect("with a fault of the body waits for an operation that has one", () =>
    Effect.gen(function*() {
      const service = yield* fake
      yield* service.script([{ fault: Fault.malformed() }, { fault: Fault.wrongLength(1) }])
      assert.strictEqual(yield* remove, 404)
      assert.strictEqual((yield* service.unplayed).length, 2)
      const malformed = yield* send("GET", "/v3/languages/resources")
      assert.throws(() => malformed.json)
      assert.strictEqual(yield* resources, 200)
      assert.deepStrictEqual(yield* service.unplayed, [{ fault: Fault.wrongLength(1) }])
      const detected = yield* send("POST", "/v3/detect/language", { body: `{ "text": ["Good day to all of you"] }` })
      const [first, ...more] = detected.json.results
      assert.deepStrictEqual(more, [first])
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("is not played at all when one of several makes no sense", () =>
    Effect.gen(function*() {
      const service = yield* fake
      const error = yield* Effect.flip(service.script([{ fault: unavailable() }, { fault: { status: 99 } }]))
      assert.strictEqual(error.message, "[1].fault.status: Expected a value between 200 and 599, got 99")
      assert.deepStrictEqual(yield* service.unplayed, [])
      const layer = FakeLanguageService.layer({ scripts: [{ fault: { status: 99 } }] })
      assert.match(
        String(yield* Effect.exit(Effect.provide(resources, layer))),
        /Die\(InvalidOptions: Invalid options: scripts\[0\]\.fault\.status/
      )
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  const operations = `"Documents\\.upload" \\| .*"Writing\\.correct"`
  const refused: ReadonlyArray<readonly [json: string, reason: RegExp]> = [
    [`{}`, /^Expected array$/],
    [`[{}]`, /^Missing key\s+at \[0\]\["fault"\]$/],
    [`[{ "fault": {} }]`, /^A fault has one of status, reset, .* or delay\.\s+at \[0\]\["fault"\]$/],
    [
      `[{ "fault": { "reset": true }, "operation": "Writing.paraphrase" }]`,
      new RegExp(`^Expected ${operations}.*\\s+at \\[0\\]\\["operation"\\]$`)
    ],
    [
      `[{ "fault": { "reset": true }, "operation": ["StyleRules.listPage", "Writing"] }]`,
      new RegExp(`^Expected ${operations}.*\\s+at \\[0\\]\\["operation"\\]\\[1\\]$`)
    ],
    [`[{ "fault": { "reset": true }, "operation": [] }]`, /length.*\s+at \[0\]\["operation"\]$/],
    [
      `[{ "fault": { "reset": true }, "times": 3 }]`,
      /^There is no such key here\. The keys are operation, skip, every, count and fault\.\s+at \[0\]\["times"\]$/
    ],
    [
      `[{ "fault": { "reset": true }, "count": -1 }]`,
      /^Expected a value greater than or equal to 0\s+at \[0\]\["count"\]$/
    ],
    [`[{ "fault": { "reset": true }, "count": 1.5 }]`, /^Expected an integer\s+at \[0\]\["count"\]$/],
    [`[{ "fault": { "reset": true }, "every": 0 }]`, /\["every"\]$/],
    [`[{ "fault": { "reset": true }, "skip": -1 }]`, /\["skip"\]$/],
    [`[{ "fault": { "reset": false } }]`, /^Expected true\s+at \[0\]\["fault"\]\["reset"\]$/],
    [`[{ "fault": { "status": 199 } }]`, /^Expected a value between 200 and 599\s+at \[0\]\["fault"\]\["status"\]$/],
    [
      `[{ "fault": { "status": 429, "retryAfter": "soon" } }]`,
      /^Expected a .*duration such as "2 seconds",.* or a date/
    ],
    [`[{ "fault": { "status": 429, "retryAfter": "Infinity" } }]`, /^Expected a .*duration such as "2 seconds"/],
    [`[{ "fault": { "status": 429, "retry": 1 } }]`, /^There is no such key here\. .*retryAfter.*\["retry"\]$/s],
    [`[{ "fault": { "status": 429, "headers": { "a b": "c" } } }]`, /^This is not the name of a header/],
    [`[{ "fault": { "status": 429, "headers": { "a": "b\\nc" } } }]`, /^Expected the value of a header/],
    [`[{ "fault": { "delay": "-2 seconds" } }]`, /^Expected a .*duration such as "2 seconds".*\["delay"\]$/s],
    [`[{ "fault": { "delay": -1 } }]`, /\["delay"\]$/],
    [`[{ "fault": { "reset": true, "status": 429 } }]`, /^The keys status and reset are two faults\./],
    [
      `[{ "fault": { "reset": true, "bytes": 3 } }]`,
      /^This key cannot be combined with reset\. Its other keys are delay and afterEffect\.\s+at \[0\]\["fault"\]\["bytes"\]$/
    ],
    [`[{ "fault": { "malformed": true, "afterEffect": true } }]`, /^This key cannot be combined with malformed\./],
    [`[{ "fault": { "truncated": true, "bytes": 3, "share": 0.5 } }]`, /^Set bytes or share, not both\./],
    [`[{ "fault": { "truncated": true, "bytes": -1 } }]`, /\["bytes"\]$/],
    [`[{ "fault": { "stalled": true, "share": 1.1 } }]`, /\["share"\]$/],
    [`[{ "fault": { "wrongLength": 0 } }]`, /^A result of the right length is not a fault\./],
    [
      `[{ "fault": { "wrongLength": 1 }, "operation": "StyleRules.listPage" }]`,
      /^The responses of StyleRules\.listPage have no results to count, unlike .*Translation\.translate.*\["fault"\]$/s
    ],
    [`[{ "fault": { "malformed": true }, "operation": "Documents.download" }]`, /have no JSON that could be malformed/],
    [`[{ "fault": { "jobFails": "a" }, "operation": "Writing.correct" }]`, /^Writing\.correct starts no work/],
    [`[{ "fault": { "stalled": true }, "operation": "StyleRules.remove" }]`, /have no body that could break off/]
  ]

  it.effect.each(refused)(
    "in JSON is refused with the place and what is allowed there: %s",
    ([json, reason]) =>
      Effect.gen(function*() {
        const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Script.Scripts))
        assert.match((yield* Effect.flip(decode(json))).message, reason)
      })
  )

  it.effect("is the same after it was written as JSON and read again", () =>
    Effect.gen(function*() {
      const scripts: ReadonlyArray<Script.Script> = [
        Script.next(3, rateLimited({ retryAfter: "2 seconds", headers: { server: "proxy" }, description: "No" })),
        Script.every(5, Fault.reset({ afterEffect: true, delay: 20 }), ["Writing.rephrase", "Writing.correct"]),
        {
          skip: 2,
          count: 4,
          every: 3,
          fault: Fault.overloaded({ retryAfter: DateTime.makeUnsafe(1_800_000_000_000) })
        },
        Script.next(1, Fault.slow("Infinity"), "Documents.download"),
        { fault: Fault.unavailable({ delay: Duration.seconds(2), retryAfter: Duration.minutes(1) }) },
        Script.next(1, Fault.truncated({ bytes: 3 })),
        Script.next(1, Fault.stalled({ share: 0.25 })),
        Script.next(1, Fault.malformed()),
        Script.next(1, Fault.wrongLength(-1), "Detection.detect")
      ]
      // As a file, and as the body of a request of a contract.
      for (const schema of [Script.Scripts, Schema.toCodecJson(Script.Scripts)]) {
        const Json = Schema.fromJsonString(schema)
        const read = yield* Schema.decodeUnknownEffect(Json)(yield* Schema.encodeEffect(Json)(scripts))
        assert.deepStrictEqual(read.map(Script.format), scripts.map(Script.format))
        assert.match(
          (yield* Effect.flip(Schema.decodeUnknownEffect(Json)(`[{ "fault": { "reset": true, "late": 1 } }]`))).message,
          /no such key.*\["late"\]$/s
        )
      }
      // Other ways to write a duration become milliseconds.
      const waits: ReadonlyArray<Duration.Input> = [Duration.seconds(2), { seconds: 2 }, [2, 0], 2_000_000_000n]
      assert.deepStrictEqual(
        yield* Schema.encodeEffect(Script.Scripts)(waits.map((delay) => ({ fault: { delay } }))),
        waits.map(() => ({ fault: { delay: 2000 } }))
      )
      assert.deepStrictEqual(
        yield* Schema.encodeEffect(Fault.Fault)(Fault.slow(Duration.infinity)),
        { delay: "Infinity" }
      )
    }))

  const printed: ReadonlyArray<readonly [script: Script.Script, line: string]> = [
    [{ fault: unavailable() }, "status 503, next call"],
    [Script.next(3, unavailable(), "Writing.rephrase"), "status 503, next 3 calls of Writing.rephrase"],
    [
      Script.next(1, unavailable(), ["Writing.rephrase", "Writing.correct"]),
      "status 503, next call of Writing.rephrase or Writing.correct"
    ],
    [Script.every(5, unavailable()), "status 503, once in 5 calls"],
    [{ every: 5, count: 2, fault: unavailable() }, "status 503, once in 5 calls (2 times)"],
    [{ skip: 2, fault: unavailable() }, "status 503, after 2 more, next call"]
  ]

  it.each(printed)("reads as a line: %j", (script, line) => assert.strictEqual(Script.format(script), line))
})
