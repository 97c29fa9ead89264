import { Admin, CustomRequests, Ids, LanguageService, Usage } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Config, ConfigProvider, DateTime, Effect, Layer, Redacted, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { scaled } from "../../../../test/support/scale.ts"
import { eventsOf, Sample, Wire } from "../support/index.ts"

const { keyId, range } = Sample

const report = Wire.answer(200, { usage_report: {} })

const analytics = (options: Admin.AnalyticsOptions) => Admin.use((admin) => admin.analytics(options))

const queries = Effect.map(Wire.sent, (sent) => sent.map(({ url }) => decodeURIComponent(url.replace(/.*\?/, ""))))

/** A page of tags that says which comes next. */
const page = (tags: ReadonlyArray<string>, next_page: number | null | undefined) =>
  Wire.answer(200, { custom_tag_usage_report: { usage: tags.map((custom_tag) => ({ custom_tag })), next_page } })

const tags = Effect.map(
  Stream.runCollect(Stream.unwrap(Admin.useSync((admin) => admin.listCustomTagUsage(range)))),
  (usage) => usage.map(({ customTag }) => customTag)
)

const millisOfDay = 86_400_000
const from2000 = DateTime.makeUnsafe("2000-01-01T00:00:00Z").epochMilliseconds

const millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 * 365 * millisOfDay }))

const shapes = {
  value: (date: DateTime.Utc) => date,
  zoned: (date: DateTime.Utc) => DateTime.setZoneOffset(date, 2 * 60 * 60 * 1000),
  time: DateTime.formatIso,
  "time with an offset": (date: DateTime.Utc) =>
    DateTime.formatIsoOffset(DateTime.setZoneOffset(date, -90 * 60 * 1000)),
  "time without a zone": (date: DateTime.Utc) => DateTime.formatIso(date).replace("Z", "")
} as const

/** Two times, and how each is written. */
const pairs = Arbitrary.schema(Schema.Struct({
  start: millis,
  length: Schema.Int.check(Schema.isBetween({ minimum: -400 * millisOfDay, maximum: 400 * millisOfDay })),
  shapes: Schema.Tuple([
    Schema.Literals(["value", "zoned", "time", "time with an offset", "time without a zone"]),
    Schema.Literals(["value", "zoned", "time", "time with an offset", "time without a zone"])
  ])
}))

const noDates: ReadonlyArray<readonly [what: string, date: string]> = [
  ["nothing", ""],
  ["a word", "yesterday"],
  ["a day without zeros", "2026-1-3"],
  ["a day that the year has not", "2025-02-29"],
  ["a day that the month has not", "2026-04-31T00:00:00Z"],
  ["a zone by its name", "2026-01-01T12:00:00 CET"]
]

const environment = (env: Readonly<Record<string, string>>) => ConfigProvider.layer(ConfigProvider.fromEnv({ env }))

describe("admin", () => {
  it.effect("sends days as days, and times as times of UTC", () =>
    Effect.gen(function*() {
      yield* analytics({ startDate: "2024-02-29", endDate: "2024-03-01T12:00:00" })
      yield* analytics({
        startDate: "2026-01-01T01:30:00+02:00",
        endDate: DateTime.makeUnsafe("2026-01-01T00:00:00.250Z")
      })
      assert.deepStrictEqual(yield* queries, [
        "start_date=2024-02-29&end_date=2024-03-01T12:00:00Z",
        "start_date=2025-12-31T23:30:00Z&end_date=2026-01-01T00:00:00.250Z"
      ])
    }).pipe(Effect.provide(Wire.layer(report))))

  it.effect.each(noDates)("refuses %s for a date, before anything is sent", ([, date]) =>
    Effect.gen(function*() {
      const start = yield* Effect.flip(analytics({ ...range, startDate: date }))
      assert.deepInclude<object>(start, { _tag: "InvalidInput", parameter: "startDate", operation: "Admin.analytics" })
      const end = yield* Effect.flip(
        Admin.use((admin) => admin.listCustomTagUsagePage({ startDate: "2020-01-01", endDate: date }))
      )
      assert.deepInclude<object>(end, {
        _tag: "InvalidInput",
        parameter: "endDate",
        operation: "Admin.listCustomTagUsagePage"
      })
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect("says what is wrong with a range, and where", () =>
    Effect.gen(function*() {
      const turned = yield* Effect.flip(analytics({ startDate: "2026-01-02", endDate: "2026-01-01" }))
      assert.include(
        turned.message,
        "endDate: given 2026-01-01, which is before the start, allowed 2026-01-02 or later. Nothing was sent"
      )
      const long = yield* Effect.flip(analytics({ startDate: "2025-01-01", endDate: "2026-01-03" }))
      assert.deepInclude<object>(long, { _tag: "LimitExceeded", parameter: "endDate", given: 367, allowed: 366 })
      assert.include(long.message, "endDate: given 367 days, allowed 366")
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect("takes more days where the plan has more", () =>
    Effect.gen(function*() {
      yield* analytics({ startDate: "2025-01-01", endDate: "2026-12-31" })
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer(report, { limits: { reportDays: 730 } }))))

  it.effect.prop(
    "sends a range exactly when its end is neither before its start nor more than 366 days after it",
    [pairs],
    ([{ length, shapes: [one, other], start }]) =>
      Effect.gen(function*() {
        const startDate = DateTime.makeUnsafe(from2000 + start)
        const endDate = DateTime.makeUnsafe(from2000 + start + length)
        const result = yield* Effect.result(
          analytics({ startDate: shapes[one](startDate), endDate: shapes[other](endDate) })
        )
        const expected = length < 0 ? "InvalidInput" : length > 366 * millisOfDay ? "LimitExceeded" : undefined
        assert.strictEqual(result._tag === "Failure" ? result.failure._tag : undefined, expected)
        const sent = (yield* Wire.sent).map(({ url }) => new URL(url).searchParams)
        assert.deepStrictEqual(
          sent.map((query) => [Date.parse(query.get("start_date") ?? ""), Date.parse(query.get("end_date") ?? "")]),
          expected === undefined ? [[startDate.epochMilliseconds, endDate.epochMilliseconds]] : []
        )
      }).pipe(Effect.provide(Wire.layer(report))),
    { arbitrary: { runs: scaled(40, 100) } }
  )

  it.effect("makes keys once when the fate of a call is not known, and says what to look for", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Admin.use((admin) => admin.createKey()))
      assert.deepInclude<object>(error, { _tag: "OutcomeUnknown", operation: "Admin.createKey", lookup: {} })
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(500)))))

  it.effect("gives the secret of a key as one, whatever is printed, and bears that there is none", () =>
    Effect.gen(function*() {
      const { createKey } = yield* Admin
      const told = yield* createKey({ label: "Help pages" })
      assert.strictEqual(told.secret && Redacted.value(told.secret), "a-developer-key")
      for (const shown of [inspect(told, { depth: null }), JSON.stringify(told)]) {
        assert.notInclude(shown, "a-developer-key")
      }
      assert.strictEqual(told.answer, undefined)
      assert.strictEqual((yield* createKey()).secret, undefined)
      // Nobody can ask for it again.
      const renamed = yield* createKey()
      assert.strictEqual(renamed.secret, undefined)
      assert.include(renamed.answer && Redacted.value(renamed.answer), "a-developer-key")
      assert.notInclude(`${inspect(renamed, { depth: null })}${JSON.stringify(renamed)}`, "a-developer-key")
      // An answer that makes no sense can have it too.
      const error = yield* Effect.flip(createKey())
      assert.notInclude(`${inspect(error, { depth: null })}${JSON.stringify(error)}`, "a-developer-key")
    }).pipe(Effect.provide(Wire.layer([
      Wire.answer(200, { ...Sample.developerKey, api_key: "a-developer-key" }),
      Wire.answer(200, { ...Sample.developerKey, api_key: null }),
      Wire.answer(200, { key_id: keyId, auth_key: "a-developer-key" }),
      Wire.answer(200, { key_id: 42, api_key: "a-developer-key" })
    ]))))

  it.effect("reads keys of which little is told", () =>
    Effect.gen(function*() {
      const keys = yield* Admin.use((admin) => Stream.runCollect(admin.listKeys))
      assert.deepStrictEqual(keys.map(Admin.isActive), [true, false, false, true])
      assert.deepStrictEqual(keys.map(({ usageLimits }) => usageLimits), [
        {},
        { characters: 0 },
        { characters: "unlimited", speechToTextMilliseconds: 1 },
        {}
      ])
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, [
      { key_id: "a", label: null, usage_limits: null, new_field: 1 },
      { key_id: "b", deactivated_time: "2026-03-02T08:00:00Z", usage_limits: { characters: 0 } },
      { key_id: "c", is_deactivated: true, usage_limits: { characters: null, speech_to_text_milliseconds: 1 } },
      { key_id: "d", is_deactivated: false, deactivated_time: null, usage_limits: {} }
    ])]))))

  const all = { characters: 7, speechToTextMilliseconds: "unlimited", speechToSpeechMilliseconds: 0 } as const

  it.effect.each<readonly [limits: Partial<Record<keyof typeof all, Admin.KeyLimit>>, requests: number, sent: object]>([
    [{ characters: 0 }, 2, { characters: 0, speech_to_text_milliseconds: 60, speech_to_speech_milliseconds: null }],
    [
      { speechToTextMilliseconds: "unlimited" },
      2,
      { characters: 5, speech_to_text_milliseconds: null, speech_to_speech_milliseconds: null }
    ],
    [all, 1, { characters: 7, speech_to_text_milliseconds: null, speech_to_speech_milliseconds: 0 }]
  ])(
    "sends all limits of a key with %j, as the service switches off those that are left out",
    ([limits, requests, sent]) =>
      Effect.gen(function*() {
        const { keyId: changed } = yield* Admin.use((admin) => admin.setKeyLimits({ keyId, ...limits }))
        assert.strictEqual(changed, keyId)
        const bodies = (yield* Wire.sent).map(({ body }) => body)
        assert.lengthOf(bodies, requests)
        assert.deepStrictEqual(JSON.parse(bodies.at(-1) ?? ""), { key_id: keyId, ...sent })
      }).pipe(Effect.provide(Wire.layer([
        ...(requests === 1 ? [] : [Wire.answer(200, [
          { key_id: "other", usage_limits: { characters: 1 } },
          {
            key_id: keyId.toUpperCase(),
            usage_limits: { characters: 5, speech_to_text_milliseconds: 60, speech_to_speech_milliseconds: null }
          }
        ])]),
        Wire.answer(200, Sample.developerKey)
      ])))
  )

  it.effect.each<readonly [what: string, keys: unknown, error?: string]>([
    ["that is not in the list", [], "NotFound"],
    ["whose limits are not told", [{ key_id: keyId, usage_limits: null }]],
    ["of which one limit cannot be read", [{
      key_id: keyId,
      usage_limits: { characters: 5, speech_to_text_milliseconds: "60" }
    }]]
  ])(
    "changes nothing of a key %s, unless all limits are given",
    ([, keys, expected = "UnexpectedResponse"]) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(Admin.use((admin) => admin.setKeyLimits({ keyId, characters: 1 })))
        assert.strictEqual(error._tag, expected)
        if (expected === "UnexpectedResponse") assert.include(error.message, "set all limits at once")
        assert.strictEqual(yield* Wire.count, 1)
      }).pipe(Effect.provide(Wire.layer([Wire.answer(200, keys)])))
  )

  it.effect.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
    "refuses the limit %s, before anything is sent",
    (limit) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(
          Admin.use((admin) => admin.setKeyLimits({ keyId, speechToTextMilliseconds: limit }))
        )
        assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: "speechToTextMilliseconds" })
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(Wire.layer([])))
  )

  it.effect("refuses ids that are none, labels that cannot be sent, and limits without one", () =>
    Effect.gen(function*() {
      const admin = yield* Admin
      const refused = yield* Effect.all([
        Effect.flip(admin.deactivateKey({ keyId: Ids.KeyId.make("") })),
        Effect.flip(admin.setKeyLabel({ keyId: Ids.KeyId.make(" "), label: "a" })),
        Effect.flip(admin.setKeyLabel({ keyId, label: "\ud800" })),
        Effect.flip(admin.createKey({ label: "\ud800" })),
        Effect.flip(admin.setKeyLimits({ keyId })),
        Effect.flip(admin.listCustomTagUsagePage({ ...range, page: -1 }))
      ])
      assert.deepStrictEqual(
        refused.map((error) => error._tag === "InvalidInput" ? error.parameter : error._tag),
        ["keyId", "keyId", "label", "label", "characters, speechToTextMilliseconds, speechToSpeechMilliseconds", "page"]
      )
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect("notices an answer about another key", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Admin.use((admin) => admin.deactivateKey({ keyId })))
      assert.strictEqual(error._tag, "UnexpectedResponse")
    }).pipe(Effect.provide(Wire.layer([Wire.answer(200, { ...Sample.developerKey, key_id: "another" })]))))

  it.effect("follows the pages of tags to the last, by the number that each tells", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* tags, ["a", "b", "c"])
      assert.deepStrictEqual(yield* queries, [
        "start_date=2026-03-01&end_date=2026-03-31",
        "start_date=2026-03-01&end_date=2026-03-31&page=7",
        "start_date=2026-03-01&end_date=2026-03-31&page=3"
      ])
    }).pipe(Effect.provide(Wire.layer([page(["a"], 7), page(["b"], 3), page(["c"], null)]))))

  it.effect("fails when the pages of tags go round in a circle", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(tags)
      assert.deepInclude<object>(error, { _tag: "UnexpectedResponse", operation: "Admin.listCustomTagUsagePage" })
      assert.include(error.message, "the next page was returned before")
      assert.strictEqual(yield* Wire.count, 3)
    }).pipe(Effect.provide(Wire.layer([page(["a"], 1), page(["b"], 2), page(["c"], 1)]))))

  describe("keys", () => {
    const usage = Usage.use((service) => service.get)
    const list = Admin.use((service) => Stream.runCollect(service.listKeys))
    const base = { baseUrl: Wire.baseUrl }

    it.effect("are apart: the admin key goes out with administration, the other with all else", () =>
      Effect.gen(function*() {
        yield* list
        yield* usage
        const keys = (yield* Wire.sent).map(({ headers }) => headers["authorization"])
        assert.deepStrictEqual(keys, [`Service-Auth-Key ${Wire.adminKey}`, `Service-Auth-Key ${Wire.key}`])
      }).pipe(Effect.provide(Wire.layer([Wire.answer(200, []), Wire.answer(200, {})]))))

    it.effect.each([401, 403])(
      "in the wrong place are told by the refusal, here with status %s",
      (status) =>
        Effect.gen(function*() {
          const ordinary = yield* Effect.flip(Effect.provide(
            list,
            Admin.layer({ ...base, adminKey: Redacted.make("a-key") })
          ))
          assert.deepInclude<object>(ordinary, { keyKind: "developer", operation: "Admin.listKeys" })
          assert.include(ordinary.message, "Admin needs an admin key, which ends with :adm, and this one does not")
          const admin = yield* Effect.flip(Effect.provide(
            usage,
            LanguageService.layer({ ...base, key: Redacted.make("a-key:adm") })
          ))
          assert.deepInclude<object>(admin, { keyKind: "admin", operation: "Usage.get" })
          assert.include(admin.message, "use a developer key")
          for (const { message } of [ordinary, admin]) assert.notInclude(message, "a-key")
          assert.strictEqual(yield* Wire.count, 2)
        }).pipe(Effect.provide(Wire.make(Wire.answer(status))))
    )

    it.effect("are of one client to whoever listens to its events", () =>
      Effect.gen(function*() {
        const events = yield* eventsOf(Effect.all([list, usage, TestClock.adjust("1 milli")]))
        assert.deepStrictEqual(
          events.map((event) => event._tag === "AttemptEnded" ? event.attempt.operation : event._tag),
          ["Admin.listKeys", "Usage.get"]
        )
      }).pipe(Effect.provide(Wire.layer([Wire.answer(200, []), Wire.answer(200, {})]))))

    it.effect("in their place are not spoken of when the service refuses them", () =>
      Effect.gen(function*() {
        for (const error of [yield* Effect.flip(list), yield* Effect.flip(usage)]) {
          assert.strictEqual(error._tag === "AccessDenied" && error.keyKind, undefined)
        }
        const wrong = yield* Effect.flip(list)
        assert.include(wrong.message, "Check LANGUAGE_SERVICE_ADMIN_KEY")
      }).pipe(Effect.provide(
        Wire.layer([Wire.answer(403), Wire.answer(403), Wire.answer(403, { message: "Invalid key" })])
      )))

    it.effect("are not spoken of where it is not known which is needed", () =>
      Effect.gen(function*() {
        const keyKind = CustomRequests.use(({ send }) =>
          send({ method: "GET", path: "/v2/admin/new", success: Schema.Json })
        )
          .pipe(Effect.catchTag("AccessDenied", (error) => Effect.succeed(error.keyKind)))
        assert.strictEqual(yield* keyKind, undefined)
      }).pipe(Effect.provide(Wire.layer([Wire.answer(403)], { key: Redacted.make(Wire.adminKey) }))))

    it.effect("come from a variable of their own, and never from that of the other services", () =>
      Effect.gen(function*() {
        const read = Effect.gen(function*() {
          return yield* Admin.config()
        })
        const LANGUAGE_SERVICE_BASE_URL = Wire.baseUrl
        const missing = yield* Effect.flip(Effect.provide(
          read,
          environment({ LANGUAGE_SERVICE_BASE_URL, LANGUAGE_SERVICE_KEY: "a-key" })
        ))
        assert.instanceOf(missing, Config.ConfigError)
        assert.include(missing.message, "LANGUAGE_SERVICE_ADMIN_KEY")
        yield* Effect.provide(
          list,
          Layer.provide(
            Admin.layerConfig(),
            environment({
              LANGUAGE_SERVICE_BASE_URL,
              LANGUAGE_SERVICE_KEY: "a-key",
              LANGUAGE_SERVICE_ADMIN_KEY: "b-key:adm"
            })
          )
        )
        const [sent] = yield* Wire.sent
        assert.strictEqual(sent?.headers["authorization"], "Service-Auth-Key b-key:adm")
      }).pipe(Effect.provide(Wire.make(Wire.answer(200, [])))))

    it.effect("that cannot be sent are refused by their name", () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(Effect.provide(
          list,
          Admin.layer({ ...base, adminKey: Redacted.make("two words:adm") })
        ))
        assert.deepInclude<object>(error, { _tag: "InvalidConfiguration", setting: "adminKey" })
      }).pipe(Effect.provide(Wire.make([]))))
  })
})
