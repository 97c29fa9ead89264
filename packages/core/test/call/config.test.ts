import { Admin, Languages, Limits, ResiliencePolicy } from "@effect-lingua/core"
import {
  type ConfigOptions,
  LanguageServiceConfig,
  layerConfig,
  type Options
} from "@effect-lingua/core/config/LanguageServiceConfig"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Layer, Redacted } from "effect"
import { version } from "../../src/config/internal/version.ts"
import * as Wire from "../support/Wire.ts"

const key = Redacted.make("a-key")
const options: Options = { key, baseUrl: "https://host.test" }

const refused: ReadonlyArray<readonly [title: string, setting: string, options: Partial<Options>, problem: string]> = [
  ["an empty key", "key", { key: Redacted.make("") }, "is empty, or has spaces"],
  ["a key with a line break", "key", { key: Redacted.make("secret\r\nX-Evil: 1") }, "is empty, or has spaces"],
  ["a key with a trailing line break", "key", { key: Redacted.make("secret\n") }, "is empty, or has spaces"],
  ["a key with a space", "key", { key: Redacted.make("sec ret") }, "is empty, or has spaces"],
  ["a key that is not ASCII", "key", { key: Redacted.make("sécret") }, "is empty, or has spaces"],
  ["no URL", "baseUrl", { baseUrl: "host.test" }, "is not a URL such as https://host"],
  ["http to a host", "baseUrl", { baseUrl: "http://host.test" }, "would send the key in clear text"],
  ["http to a private address", "baseUrl", { baseUrl: "http://10.0.0.1" }, "would send the key in clear text"],
  ["http to a name like loopback", "baseUrl", { baseUrl: "http://localhost.evil.test" }, "would send the key"],
  ["http to an address like loopback", "baseUrl", { baseUrl: "http://127.0.0.1.evil.test" }, "would send the key"],
  [
    "an invalid duration",
    "languages.timeToLive",
    { languages: { timeToLive: JSON.parse("\"soon\"") } },
    "is not a duration"
  ],
  ["an empty name", "name", { name: "" }, "must be 1 to 64 letters"],
  ["a name with a space", "name", { name: "Europe 1" }, "must be 1 to 64 letters"],
  ["ftp", "baseUrl", { baseUrl: "ftp://host.test" }, "has the scheme ftp: but must be https:"],
  ["a user", "baseUrl", { baseUrl: "https://user:pass@host.test" }, "must have neither user, query nor fragment"],
  ["a query", "baseUrl", { baseUrl: "https://host.test?a=b" }, "must have neither user, query nor fragment"],
  ["a fragment", "baseUrl", { baseUrl: "https://host.test#a" }, "must have neither user, query nor fragment"],
  ["an empty query", "baseUrl", { baseUrl: "https://host.test?" }, "must have neither user, query nor fragment"],
  ["an empty fragment", "baseUrl", { baseUrl: "https://host.test/a#" }, "must have neither user, query nor fragment"],
  ["an empty scheme word", "authScheme", { authScheme: "" }, "is not one word"],
  ["two scheme words", "authScheme", { authScheme: "Service-Auth-Key secret" }, "is not one word"],
  ["a scheme word with a line break", "authScheme", { authScheme: "a\r\nX-Evil: 1" }, "is not one word"],
  ["an empty user agent", "userAgent", { userAgent: "" }, "has characters that a header cannot carry"],
  ["a user agent with a line break", "userAgent", { userAgent: "a\r\nX-Evil: 1" }, "a header cannot carry"],
  ["a user agent outside Latin-1", "userAgent", { userAgent: "app 😀" }, "a header cannot carry"],
  ["an empty header name", "headers", { headers: { "": "a" } }, "has the name \"\", which a header cannot have"],
  ["a header name with a space", "headers", { headers: { "x y": "a" } }, "has the name \"x y\", which"],
  ["a header name with a line break", "headers", { headers: { "x\r\ny": "a" } }, "has the name \"x\\r\\ny\", which"],
  ["a header value with a line break", "headers", { headers: { "x-y": "a\r\nb" } }, "has a value for x-y that"],
  ["a header value with a null", "headers", { headers: { "x-y": "a\u0000b" } }, "has a value for x-y that"],
  ...["/v2", "/v2/", "/v3/style_rules", "/v2/translate", "/v2/write/rephrase", "/v1/jobs/voice", "/V2"].map((path) =>
    [
      `the version in ${path}`,
      "baseUrl",
      { baseUrl: `https://host.test/language${path}` },
      "must stop before the version: https://host.test/language"
    ] as const
  ),
  ...["Authorization", "user-agent", "Content-Type", "content-length", "HOST"].map((name) =>
    [
      `the header ${name}`,
      "headers",
      { headers: { [name]: "a" } },
      `has ${name}, which the client sets itself`
    ] as const
  )
]

const accepted: ReadonlyArray<readonly [what: string, options: Partial<Options>]> = [
  ["a URL object", { baseUrl: new URL("https://host.test/prefix") }],
  ["a version of a gateway", { baseUrl: "https://host.test/v1/language" }],
  ["http to localhost", { baseUrl: "http://localhost:8080" }],
  ["http to 127.0.0.1", { baseUrl: "http://127.0.0.1:8080" }],
  ["http to another loopback address", { baseUrl: "http://127.1.2.3" }],
  ["http to [::1]", { baseUrl: "http://[::1]:8080" }],
  ["http to a host when it is allowed", { baseUrl: "http://host.test", allowHttp: true }],
  ["a user agent with a comment", { userAgent: "app/1.2.3 (+https://app.test)" }],
  ["a header", { headers: { "X-Reporting-Tag": "nightly run" } }],
  ["languages that are not kept", { languages: { timeToLive: 0, keepStale: 0 } }]
]

const environment = (env: Record<string, string>) => ConfigProvider.layer(ConfigProvider.fromEnv({ env }))

const read = (options?: ConfigOptions) =>
  LanguageServiceConfig.pipe(Effect.provide(layerConfig(options), { local: true }))

const minimum = { LANGUAGE_SERVICE_KEY: "a-key", LANGUAGE_SERVICE_BASE_URL: "https://host.test" }

describe("config", () => {
  it.effect.each(refused)("refuses %s", ([, setting, changed, problem]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(LanguageServiceConfig.make({ ...options, ...changed }))
      assert.strictEqual(error._tag, "InvalidConfiguration")
      assert.strictEqual(error.setting, setting)
      assert.isTrue(error.message.startsWith(`${setting} `))
      assert.include(error.message, problem)
      assert.notMatch(error.message, /\p{Cc}/u)
      for (const secret of ["secret", "sécret", "sec ret", "user:pass"]) assert.notInclude(error.message, secret)
    }))

  it.effect.each<readonly [title: string, setting: string, changed: object | undefined]>([
    ["a key that is a plain string", "key", { key: "secret" }],
    ["a key that is another secret", "key", { key: Redacted.make(7) }],
    ["no key", "key", { key: undefined }],
    ["an address that is a number", "baseUrl", { baseUrl: 443 }],
    ["an unknown tier", "tier", { tier: "gold" }],
    ["a scheme word that is a number", "authScheme", { authScheme: 1 }],
    ["a user agent that is a list", "userAgent", { userAgent: ["secret"] }],
    ["headers in a list", "headers", { headers: [["x-y", "secret"]] }],
    ["a header that is a number", "headers", { headers: { "x-y": 7 } }],
    ["a flag that is a text", "allowHttp", { allowHttp: "false" }],
    ["limits that are a number", "limits", { limits: 5 }],
    ["an unknown limit", "limits.detectionText", { limits: { detectionText: 5 } }],
    ["a limit that is a text", "limits.detectionTexts", { limits: { detectionTexts: "5" } }],
    ["languages that are no list", "limits.styleRuleLanguages", { limits: { styleRuleLanguages: "de" } }],
    ["languages with a number", "limits.styleRuleLanguages", { limits: { styleRuleLanguages: ["de", 1] } }],
    ["a policy that is a text", "resilience", { resilience: "none" }],
    ["policies in a list", "serviceResilience", { serviceResilience: [] }],
    ["a policy of a service that is null", "serviceResilience.Writing", { serviceResilience: { Writing: null } }],
    ["an unknown option of the lists", "languages.ttl", { languages: { ttl: 1 } }],
    ["checks that are a text", "languages.checks", { languages: { checks: "yes" } }],
    ["a transform that is no function", "transformClient", { transformClient: 1 }],
    ["lists that are a number", "languages", { languages: 1 }],
    ["an option whose name is misspelt", "baseURL", { baseURL: "https://host.test" }]
  ])("names an invalid option of a caller without types: %s", ([, setting, changed]) =>
    Effect.gen(function*() {
      const untyped: Options = Object.assign({}, options, changed)
      const error = yield* Effect.flip(LanguageServiceConfig.make(untyped))
      assert.strictEqual(error._tag, "InvalidConfiguration")
      assert.strictEqual(error.setting, setting)
      assert.notInclude(String(error), "secret")
    }))

  it.effect.each(["undefined", "null", "a text"] as const)(
    "no options at all are refused: %s",
    (what) =>
      Effect.gen(function*() {
        const values = { undefined, null: null, "a text": "secret" } as const
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a caller without types
        const error = yield* Effect.flip(LanguageServiceConfig.make(values[what] as unknown as Options))
        assert.strictEqual(String(error), "InvalidConfiguration: options must be an object")
      })
  )

  it.effect.each(accepted)("accepts %s", ([, changed]) => LanguageServiceConfig.make({ ...options, ...changed }))

  it.effect("fills in the defaults", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* LanguageServiceConfig.make(options), {
        name: undefined,
        prefix: undefined,
        key,
        baseUrl: new URL("https://host.test/"),
        tier: "paid",
        authScheme: "Service-Auth-Key",
        headers: {},
        userAgent: `effect-lingua/${version}`,
        limits: Limits.defaults,
        resilience: ResiliencePolicy.defaults,
        serviceResilience: {},
        languages: {
          timeToLive: Duration.hours(1),
          keepStale: Duration.days(1),
          checks: false,
          explains: false,
          glossaryDetection: false
        },
        transformClient: undefined
      })
    }))

  it.effect("keeps the defaults of missing fields", () =>
    Effect.gen(function*() {
      const { limits, resilience } = yield* LanguageServiceConfig.make({
        ...options,
        limits: { detectionTexts: 1 },
        resilience: { deadline: Duration.seconds(60) }
      })
      assert.deepStrictEqual(limits, { ...Limits.defaults, detectionTexts: 1 })
      assert.deepStrictEqual(resilience, { ...ResiliencePolicy.defaults, deadline: Duration.seconds(60) })
    }))

  it.effect.each<readonly [key: string, tier: Options["tier"], expected: string]>([
    ["a-key", undefined, "paid"],
    ["a-key:fx", undefined, "free"],
    ["a:fx-key", undefined, "paid"],
    ["a-key", "free", "free"],
    ["a-key:fx", "paid", "paid"]
  ])("the key %s with the tier %s is of the tier %s", ([text, tier, expected]) =>
    Effect.gen(function*() {
      assert.strictEqual(
        (yield* LanguageServiceConfig.make({ ...options, key: Redacted.make(text), tier })).tier,
        expected
      )
    }))

  it.effect("is read from the environment", () =>
    Effect.gen(function*() {
      const config = yield* LanguageServiceConfig
      assert.strictEqual(Redacted.value(config.key), "a-key")
      assert.deepInclude(config, {
        baseUrl: new URL("http://host.test/"),
        tier: "free",
        authScheme: "Bearer",
        userAgent: "app/1.2.3"
      })
    }).pipe(Effect.provide(Layer.provide(
      layerConfig(),
      environment({
        LANGUAGE_SERVICE_KEY: "a-key",
        LANGUAGE_SERVICE_BASE_URL: "http://host.test",
        LANGUAGE_SERVICE_TIER: "free",
        LANGUAGE_SERVICE_AUTH_SCHEME: "Bearer",
        LANGUAGE_SERVICE_USER_AGENT: "app/1.2.3",
        LANGUAGE_SERVICE_ALLOW_HTTP: "true"
      })
    ))))

  it.effect("options override the environment, and the environment overrides the defaults", () =>
    Effect.gen(function*() {
      const config = yield* LanguageServiceConfig
      assert.deepInclude(config, {
        baseUrl: new URL("https://host.test/"),
        tier: "paid",
        authScheme: "Service-Auth-Key",
        userAgent: "app/2",
        headers: { "x-y": Redacted.make("z") }
      })
    }).pipe(Effect.provide(Layer.provide(
      layerConfig({ userAgent: "app/2", headers: { "x-y": "z" } }),
      environment({ ...minimum, LANGUAGE_SERVICE_USER_AGENT: "app/1" })
    ))))

  it.effect("is read with a prefix, which is also its name", () =>
    Effect.gen(function*() {
      const [eu, us, named, plain] = yield* Effect.all([
        read({ prefix: "EU" }),
        read({ prefix: "US" }),
        read({ prefix: "US", name: "america", userAgent: "app/2" }),
        read()
      ])
      assert.deepStrictEqual(
        [eu, us, named, plain].map((config) => [config.name, Redacted.value(config.key), config.baseUrl.host]),
        [
          ["EU", "eu-key", "eu.test"],
          ["US", "us-key", "us.test"],
          ["america", "us-key", "us.test"],
          [undefined, "a-key", "host.test"]
        ]
      )
      assert.deepStrictEqual([eu, us, named, plain].map(({ prefix }) => prefix), ["EU", "US", "US", undefined])
      assert.strictEqual(named.userAgent, "app/2")
    }).pipe(Effect.provide(environment({
      ...minimum,
      EU_LANGUAGE_SERVICE_KEY: "eu-key",
      EU_LANGUAGE_SERVICE_BASE_URL: "https://eu.test",
      US_LANGUAGE_SERVICE_KEY: "us-key",
      US_LANGUAGE_SERVICE_BASE_URL: "https://us.test"
    }))))

  it.effect.each<readonly [message: string, reply: Wire.Reply]>([
    ["Check EU_LANGUAGE_SERVICE_KEY and the scheme word", Wire.answer(401)],
    [
      "Check that EU_LANGUAGE_SERVICE_BASE_URL and EU_LANGUAGE_SERVICE_TIER belong",
      Wire.answer(403, { message: "Wrong endpoint. Use the other host" })
    ],
    ["Check EU_LANGUAGE_SERVICE_BASE_URL, the host and its certificate", Wire.broken("CERT_HAS_EXPIRED")]
  ])("its prefix is that of the variables in messages: %s", ([message, reply]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Languages.use((languages) => languages.resources))
      assert.include(error.message, message)
    }).pipe(Effect.provide(Wire.layer(reply, { prefix: "EU", resilience: { attempts: 1 } }))))

  it.effect("the prefix is that of the admin key too", () =>
    Effect.gen(function*() {
      const { adminKey, baseUrl, name, prefix } = yield* Admin.config({ prefix: "EU" })
      assert.strictEqual(prefix, "EU")
      assert.deepStrictEqual([Redacted.value(adminKey), baseUrl, name], ["admin-key", "https://eu.test", "EU"])
    }).pipe(Effect.provide(environment({
      LANGUAGE_SERVICE_ADMIN_KEY: "another-key",
      EU_LANGUAGE_SERVICE_ADMIN_KEY: "admin-key",
      EU_LANGUAGE_SERVICE_BASE_URL: "https://eu.test"
    }))))

  it.effect.each<readonly [what: string, env: Record<string, string>, named: string]>([
    [
      "a missing variable",
      { ...minimum, EU_LANGUAGE_SERVICE_KEY: "secret" },
      "EU_LANGUAGE_SERVICE_BASE_URL is not set: set it, or pass the option baseUrl"
    ],
    [
      "an invalid setting",
      { EU_LANGUAGE_SERVICE_KEY: "secret", EU_LANGUAGE_SERVICE_BASE_URL: "http://host.test" },
      "InvalidConfiguration: EU: baseUrl would send the key in clear text"
    ]
  ])("an error names the client: %s", ([, env, named]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Layer.build(Layer.provide(layerConfig({ prefix: "EU" }), environment(env))))
      assert.include(String(error), named)
      assert.notInclude(String(error), "secret")
    }))

  it.effect.each<readonly [what: string, env: Record<string, string>, named: string, key?: Redacted.Redacted]>([
    [
      "without a key",
      { LANGUAGE_SERVICE_BASE_URL: "https://host.test" },
      "LANGUAGE_SERVICE_KEY is not set: set it, or pass the option key"
    ],
    [
      "without all of it",
      {},
      "LANGUAGE_SERVICE_KEY and LANGUAGE_SERVICE_BASE_URL are not set: set them, or pass the options key and baseUrl"
    ],
    ["with an empty key", { ...minimum, LANGUAGE_SERVICE_KEY: "" }, "LANGUAGE_SERVICE_KEY is not set"],
    [
      "without an address",
      { LANGUAGE_SERVICE_KEY: "secret" },
      "LANGUAGE_SERVICE_BASE_URL is not set: set it, or pass the option baseUrl"
    ],
    ["with a key in the options alone", {}, "LANGUAGE_SERVICE_BASE_URL is not set", Redacted.make("secret")],
    ["with an unknown tier", { ...minimum, LANGUAGE_SERVICE_TIER: "gold" }, "LANGUAGE_SERVICE_TIER"],
    ["with an invalid flag", { ...minimum, LANGUAGE_SERVICE_ALLOW_HTTP: "perhaps" }, "LANGUAGE_SERVICE_ALLOW_HTTP"],
    ["with a key that cannot be sent", { ...minimum, LANGUAGE_SERVICE_KEY: "secret\n" }, "key"],
    ["with http to a host", { ...minimum, LANGUAGE_SERVICE_BASE_URL: "http://host.test" }, "baseUrl"]
  ])("an environment %s is refused", ([, env, named, key]) =>
    Effect.gen(function*() {
      const client = layerConfig(Object.fromEntries([["key", key], ["baseUrl", undefined]]))
      const error = yield* Effect.flip(Layer.build(Layer.provide(client, environment(env))))
      assert.include(String(error), named)
      assert.notInclude(String(error), "secret")
    }))
})
