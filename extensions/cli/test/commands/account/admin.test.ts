// Administration against the fake on a socket, with an admin key and no other.
import { FakeLanguageService, NodeFakeLanguageService } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { inProcess } from "../../support/cli.ts"
import { adminKey, key, lines, run, test } from "../../support/cliFake.ts"

describe("admin", () => {
  /** Runs a command with the admin key, and with no other. */
  const admin = Effect.fnUntraced(function*(...args: ReadonlyArray<string>) {
    const { url } = yield* FakeLanguageService
    const env = { LANGUAGE_SERVICE_ADMIN_KEY: adminKey, LANGUAGE_SERVICE_BASE_URL: url }
    const { code, err, out } = yield* inProcess(["admin", ...args], { env })
    assert.notInclude(`${out}${err}`, adminKey)
    return { code, err, out }
  })
  const keys = (...args: ReadonlyArray<string>) => Effect.map(admin("keys", ...args, "--json"), ({ out }) => lines(out))

  test("makes a key whose secret is on standard output, and nowhere else", function*() {
    const { err, out } = yield* admin("keys", "create", "--label", "Help pages", "--verbose")
    const [, id = "", secret = ""] = /^KEY ID +SECRET\n(\S+) +(\S+)\n$/.exec(out) ?? []
    const env = { LANGUAGE_SERVICE_KEY: secret }
    assert.strictEqual(yield* run(["correct", "teh house"], { env }), "The house.\n")
    assert.match(err, /Admin\.createKey: .*#1 200/)
    const told = [err, (yield* admin("keys", "list")).out, JSON.stringify(yield* keys("label", id, "Manuals"))]
    for (const text of told) assert.notInclude(text, secret)
    const [made] = yield* keys("create")
    assert.match(String(made?.["secret"]), /^[\da-f-]{36}$/)
  })

  it.live("prints the whole answer where it has no secret by a name that is known", () =>
    Effect.gen(function*() {
      const { code, err, out } = yield* admin("keys", "create")
      assert.strictEqual(code, 0)
      assert.match(out, /^\{"key_id":"/)
      assert.match(err, /the secret is not in a known field of the response/)
      const [made] = yield* keys("create")
      assert.match(String(made?.["answer"]), /^\{"key_id":"/)
    }).pipe(Effect.provide(
      NodeFakeLanguageService.layer({
        keys: [{ key: adminKey, tier: "paid" }],
        dialect: { createdKey: "without secret" }
      })
    )))

  test("lists, labels, limits and deactivates keys", function*() {
    const [first] = yield* keys("list")
    const id = String(first?.["keyId"])
    assert.match(
      (yield* admin("keys", "list")).out,
      /^KEY ID +STATE +CREATED +CHARACTERS +SPEECH MS +LABEL\n\S+ +active /
    )
    const [labelled] = yield* keys("label", id, "Manuals")
    assert.strictEqual(labelled?.["label"], "Manuals")
    const [limited] = yield* keys("limits", id, "--characters", "0", "--speech-milliseconds", "60000")
    const others = { speechToTextMilliseconds: 60_000, speechToSpeechMilliseconds: "unlimited" }
    assert.deepStrictEqual(limited?.["usageLimits"], { characters: 0, ...others })
    const [freed] = yield* keys("limits", id, "--characters", "unlimited")
    assert.deepStrictEqual(freed?.["usageLimits"], { characters: "unlimited", ...others })

    const asked = yield* admin("keys", "deactivate", id)
    assert.deepStrictEqual([asked.code, asked.out], [2, ""])
    assert.include(asked.err, "give --yes")
    const [active] = yield* keys("list")
    assert.strictEqual(active?.["isDeactivated"], false)
    const [gone] = yield* keys("deactivate", id, "--yes")
    assert.strictEqual(gone?.["isDeactivated"], true)
  })

  test("reports what was used up, and by which tags", function*() {
    yield* run(["translate", "-t", "de", "--reporting-tag", "ui", "12345"])
    const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
    const range = ["--start-date", today, "--end-date", today]
    const { out } = yield* admin("analytics", ...range, "--group-by", "key")
    assert.match(out, /^KEY +DAY +CHARACTERS .*\nall +5 +5 +0 +0 +0\n\*{8}sees +5 +5 +0 +0 +0 +Key 1\n$/)
    const service = yield* FakeLanguageService
    yield* service.advance("1 day")
    const tags = yield* admin("custom-tags", ...range, "--json")
    assert.deepStrictEqual(lines(tags.out).map(({ customTag }) => customTag), ["ui"])
  })

  test("needs the admin key, and takes no other for it", function*() {
    const { url } = yield* FakeLanguageService
    const env = { LANGUAGE_SERVICE_KEY: key, LANGUAGE_SERVICE_BASE_URL: url }
    const none = yield* inProcess(["admin", "keys", "list"], { env })
    assert.strictEqual(none.code, 3)
    assert.include(none.err, "there is no admin key: set LANGUAGE_SERVICE_ADMIN_KEY")
    const wrong = yield* inProcess(["admin", "keys", "list"], { env: { ...env, LANGUAGE_SERVICE_ADMIN_KEY: key } })
    assert.strictEqual(wrong.code, 4)
    assert.include(wrong.err, "Admin needs an admin key, which ends with :adm, and this one does not")
    const flag = yield* inProcess(["admin", "keys", "list", "--admin-key", adminKey], { env })
    assert.strictEqual(flag.code, 2)
    assert.include(flag.err, "the admin key is never a flag")
    const other = yield* inProcess(["usage"], { env: { ...env, LANGUAGE_SERVICE_KEY: adminKey } })
    assert.strictEqual(other.code, 4)
    assert.include(other.err, "use a developer key")
    for (const { err } of [none, wrong, flag, other]) {
      assert.notInclude(err, key)
      assert.notInclude(err, adminKey)
    }
  })

  test("refuses a wrong range before anything is sent, and says where", function*() {
    const { code, err } = yield* admin("analytics", "--start-date", "2026-01-02", "--end-date", "2026-01-01")
    assert.strictEqual(code, 2)
    assert.include(err, "endDate: given 2026-01-01, which is before the start")
    assert.deepStrictEqual(yield* (yield* FakeLanguageService).requests, [])
  })
})
