// Where the settings come from, and which count.
import { FakeLanguageService, NodeFakeLanguageService } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../../packages/node/test/support/documents.ts"
import { live, liveWith } from "../../../../test/support/tests.ts"
import { inProcess } from "../support/cli.ts"

const key = "key-that-nobody-sees"
const fake = NodeFakeLanguageService.layer({ keys: [{ key, tier: "paid" }], authSchemes: ["Right"] })

const nowhere = "http://127.0.0.1:1"

/** Writes a settings file, which only its owner can read unless it is said otherwise. */
const write = Effect.fnUntraced(function*(content: unknown, mode = 0o600) {
  const file = join(yield* folder, "settings.json")
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content), { mode })
  return file
})

const correct = ["correct", "teh house", "--attempts", "1"]

const configured = (file: string, env: Readonly<Record<string, string>>, ...flags: ReadonlyArray<string>) =>
  inProcess([...correct, "--config", file, ...flags], { env })

const worked = { code: 0, out: "The house.\n", err: "" }

const test = liveWith(fake)

describe("settings", () => {
  test("come from a file, all of them", function*() {
    const { requests, url } = yield* FakeLanguageService
    const file = yield* write({
      key,
      baseUrl: url,
      tier: "paid",
      authScheme: "Right",
      userAgent: "mine/1",
      allowHttp: false,
      headers: { "x-team": "letters" },
      limits: { improvementBytes: 100 },
      resilience: { attempts: 1, deadline: "20s", attemptTimeout: 5000, rate: null }
    })
    assert.deepStrictEqual(yield* inProcess(["correct", "--config", file, "teh house"]), worked)
    const [request] = yield* requests
    assert.deepInclude(request?.headers, { "user-agent": "mine/1", "x-team": "letters" })
    const limited = yield* inProcess(["correct", "--config", file, "a".repeat(101)])
    assert.strictEqual(limited.code, 2)
    assert.match(limited.err, /allowed \d\d\d?\. It cannot be split/)
  })

  test("of a flag count more than the environment's, and those more than the file's", function*() {
    const { url } = yield* FakeLanguageService
    const file = (settings: object) => write({ key, baseUrl: url, authScheme: "Right", ...settings })
    const env = {
      LANGUAGE_SERVICE_BASE_URL: url,
      LANGUAGE_SERVICE_AUTH_SCHEME: "Right",
      LANGUAGE_SERVICE_TIER: "paid"
    }
    const lost = { LANGUAGE_SERVICE_BASE_URL: nowhere, LANGUAGE_SERVICE_AUTH_SCHEME: "Wrong" }

    assert.deepStrictEqual(
      yield* configured(yield* file({ baseUrl: nowhere, authScheme: "Wrong", tier: "free" }), {
        ...env,
        LANGUAGE_SERVICE_KEY: key
      }),
      worked
    )
    assert.strictEqual(
      (yield* configured(yield* file({ baseUrl: undefined }), { LANGUAGE_SERVICE_BASE_URL: nowhere })).code,
      8
    )
    assert.strictEqual((yield* configured(yield* file({}), { LANGUAGE_SERVICE_AUTH_SCHEME: "Wrong" })).code, 4)
    assert.strictEqual((yield* configured(yield* file({ tier: "free" }), {})).code, 4)
    assert.deepStrictEqual(
      yield* configured(
        yield* file({}),
        { ...lost, LANGUAGE_SERVICE_TIER: "free" },
        "--base-url",
        url,
        "--auth-scheme",
        "Right",
        "--tier",
        "paid"
      ),
      worked
    )
    assert.strictEqual((yield* configured(yield* file({ key: "wrong" }), env)).code, 4)
    assert.deepStrictEqual(
      yield* configured(yield* file({ key: "wrong" }), { ...env, LANGUAGE_SERVICE_KEY: key }),
      worked
    )
  })

  test("of repeats and deadlines in a file give way to flags", function*() {
    const { effects, requests, script, url } = yield* FakeLanguageService
    const file = yield* write({
      key,
      baseUrl: url,
      authScheme: "Right",
      resilience: { attempts: 3, backoffBase: 1, backoffCap: 1, attemptTimeout: "5s" }
    })
    yield* script({ fault: { status: 503 }, count: 5 })
    assert.strictEqual((yield* inProcess(["correct", "a", "--config", file])).code, 8)
    assert.strictEqual((yield* requests).length, 3)
    assert.strictEqual((yield* inProcess(["correct", "a", "--config", file, "--attempts", "2"])).code, 8)
    assert.strictEqual((yield* requests).length, 5)
    assert.strictEqual((yield* effects)["Writing.correct"].count, 0)
    yield* script({ fault: { delay: "1 minute" } })
    const late = yield* inProcess(["correct", "a", "--config", file, "--timeout", "200ms", "--attempts", "1"])
    assert.strictEqual(late.code, 8)
    assert.include(late.err, "200 ms")
  })

  live("that make no sense are told in one line with the file, and end with 3", function*() {
    const cases: ReadonlyArray<readonly [content: unknown, message: string]> = [
      [{ baseURL: "a" }, `there is no setting "baseURL"; the nearest one is baseUrl`],
      [
        { resilience: { attemps: 2 } },
        `there is no setting "resilience.attemps"; the nearest one is resilience.attempts`
      ],
      [{ limits: { pageSizes: 2 } }, `there is no setting "limits.pageSizes"; the nearest one is limits.pageSize`],
      [{ tier: "gold" }, `tier: Expected "free" | "paid"`],
      [{ key: 42 }, "key: Expected string"],
      [{ resilience: { deadline: "soon" } }, `resilience.deadline is not a duration such as "5 seconds"`],
      [
        { resilience: { rate: { requets: 1 } } },
        `there is no setting "resilience.rate.requets"; the nearest one is resilience.rate.requests`
      ],
      [{ limits: { pageSize: "2" } }, "limits.pageSize must be a whole number from 0"],
      [{ authScheme: `Service-Auth-Key ${key}` }, "authScheme is not one word"],
      [`{"key":"${key}"`, "it is not JSON"],
      [`"${key}"`, "Expected object"]
    ]
    for (const [content, message] of cases) {
      const file = yield* write(content)
      const { code, err, out } = yield* inProcess([...correct, "--config", file])
      assert.deepStrictEqual([code, out], [3, ""], err)
      assert.match(err, /^effect-lingua: [^\n]+\n$/)
      assert.include(err, `${file}: ${message}`)
      assert.notInclude(err, key)
    }
    const empty = yield* write("")
    assert.deepStrictEqual(yield* inProcess([...correct, "--config", empty]), {
      code: 3,
      out: "",
      err: `effect-lingua: ${empty} is empty\n`
    })
    assert.strictEqual((yield* inProcess([...correct, "--config", "/nowhere.json"])).code, 13)
  })

  live("that are missing or make no sense in the environment end with 3", function*() {
    const base = { LANGUAGE_SERVICE_KEY: key, LANGUAGE_SERVICE_BASE_URL: "https://service.test" }
    const cases: ReadonlyArray<readonly [env: Readonly<Record<string, string>>, message: string]> = [
      [
        {},
        "there is no key: run effect-lingua init, or set LANGUAGE_SERVICE_KEY, or LANGUAGE_SERVICE_KEY_FILE to a file that contains it. To try it without one, add --fake"
      ],
      [
        { LANGUAGE_SERVICE_KEY: key },
        "there is no service address: set LANGUAGE_SERVICE_BASE_URL, or give --base-url."
      ],
      [{ ...base, LANGUAGE_SERVICE_TIER: "gold" }, `LANGUAGE_SERVICE_TIER: Expected "free" | "paid"`],
      [
        { ...base, LANGUAGE_SERVICE_BASE_URL: "http://service.test" },
        "configuration: baseUrl would send the key in clear text"
      ],
      [{ ...base, LANGUAGE_SERVICE_BASE_URL: key }, "configuration: baseUrl is not a URL"],
      [{ ...base, LANGUAGE_SERVICE_KEY: `${key} b` }, "configuration: key is empty, or has spaces"]
    ]
    for (const [env, message] of cases) {
      const { code, err, out } = yield* inProcess(correct, { env })
      assert.deepStrictEqual([code, out], [3, ""], err)
      assert.match(err, /^effect-lingua: [^\n]+\n$/)
      assert.isTrue(err.startsWith(`effect-lingua: ${message}`), err)
      assert.notInclude(err, key)
    }
    // Plain http has to be asked for.
    const plain = ["correct", "a", "--base-url", "http://service.invalid", "--attempts", "1"]
    assert.strictEqual((yield* inProcess(plain, { env: { LANGUAGE_SERVICE_KEY: key } })).code, 3)
    assert.strictEqual((yield* inProcess([...plain, "--allow-http"], { env: { LANGUAGE_SERVICE_KEY: key } })).code, 8)
  })

  live("play no part with --fake, but for the tier of a flag", function*() {
    const env = { LANGUAGE_SERVICE_TIER: "gold", LANGUAGE_SERVICE_BASE_URL: "nonsense" }
    assert.deepStrictEqual(yield* inProcess([...correct, "--fake", "--quiet"], { env }), worked)
    assert.strictEqual((yield* inProcess(["style-rules", "list", "--fake", "--tier", "free"])).code, 4)
  })
})

describe("the key", () => {
  it.live("comes from a file that the environment or the settings name, and the space around it does not count", () =>
    Effect.gen(function*() {
      const { url } = yield* FakeLanguageService
      const env = { LANGUAGE_SERVICE_BASE_URL: url, LANGUAGE_SERVICE_AUTH_SCHEME: "Right" }
      const keyFile = yield* write(` ${key} \n`, 0o700)
      assert.deepStrictEqual(yield* inProcess(correct, { env: { ...env, LANGUAGE_SERVICE_KEY_FILE: keyFile } }), worked)
      const config = yield* write({ keyFile })
      assert.deepStrictEqual(yield* inProcess([...correct, "--config", config], { env }), worked)
    }).pipe(Effect.scoped, Effect.provide(fake)))

  test("in a file that others can read is warned of", function*() {
    const { url } = yield* FakeLanguageService
    const file = yield* write({ key, baseUrl: url, authScheme: "Right" }, 0o644)
    const warned = yield* inProcess([...correct, "--config", file])
    assert.deepStrictEqual(warned, {
      ...worked,
      err: `effect-lingua: others can read ${file}, which contains the key; run chmod 600 ${file}\n`
    })
    const keyFile = yield* write(key, 0o640)
    const env = {
      LANGUAGE_SERVICE_BASE_URL: url,
      LANGUAGE_SERVICE_AUTH_SCHEME: "Right",
      LANGUAGE_SERVICE_KEY_FILE: keyFile
    }
    assert.include((yield* inProcess(correct, { env })).err, `others can read ${keyFile}`)
    const harmless = yield* write({ baseUrl: url, authScheme: "Right" }, 0o644)
    assert.deepStrictEqual(
      yield* inProcess([...correct, "--config", harmless], { env: { LANGUAGE_SERVICE_KEY: key } }),
      worked
    )
  })
})
