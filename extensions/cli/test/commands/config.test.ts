import { FakeLanguageService, Fault } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../../packages/node/test/support/documents.ts"
import { effect } from "../../../../test/support/tests.ts"
import { exitCodes } from "../../src/screen/failures.ts"
import * as Settings from "../../src/settings/settings.ts"
import { inProcess, workIn } from "../support/cli.ts"
import { fake, key, test } from "../support/cliFake.ts"

/** A user with a folder for settings. */
const user = Effect.gen(function*() {
  const home = yield* folder
  const { url } = yield* FakeLanguageService
  const path = join(home, "effect-lingua", "config.json")
  const run = (args: ReadonlyArray<string>, env: Record<string, string> = {}) =>
    inProcess(args, { env: { XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home, ...env } })
  const write = (settings: object) => {
    mkdirSync(join(home, "effect-lingua"), { recursive: true })
    writeFileSync(path, JSON.stringify(settings), { mode: 0o600 })
  }
  return { home, path, run, url, write }
})

describe("config", () => {
  test("takes settings from a file, below flags and environment", function*() {
    const { home, path, run, url, write } = yield* user
    assert.strictEqual((yield* run(["config", "path"])).out, `${path}\n`)
    writeFileSync(join(home, "key"), `${key}\n`, { mode: 0o600 })
    write({ baseUrl: url, keyFile: join(home, "key"), to: "de", resilience: { attempts: 2 } })
    assert.strictEqual((yield* run(["translate", "Hello"])).out, "[de] Hello\n")
    assert.strictEqual((yield* run(["translate", "Hello"], { LANGUAGE_SERVICE_TO: "fr" })).out, "[fr] Hello\n")
    assert.strictEqual((yield* run(["translate", "-t", "it", "Hello"])).out, "[it] Hello\n")
    const { out } = yield* run(["config", "list"], { LANGUAGE_SERVICE_KEY: key })
    assert.notInclude(out, key)
    assert.match(out, /key +\(secret\) +LANGUAGE_SERVICE_KEY/)
    assert.match(out, /resilience\.attempts +2 +.*config\.json/)
    // A folder of settings that is a file has none.
    const { out: without } = yield* run(["translate", "-t", "it", "Hello"], {
      XDG_CONFIG_HOME: join(home, "key"),
      LANGUAGE_SERVICE_KEY: key,
      LANGUAGE_SERVICE_BASE_URL: url
    })
    assert.strictEqual(without, "[it] Hello\n")
  })

  test("has profiles, of the flag, of the environment or of the file", function*() {
    const { path, run, url, write } = yield* user
    write({
      key: "wrong",
      baseUrl: url,
      to: "de",
      profile: "home",
      profiles: { home: { key, to: "fr" }, work: { key, to: "it", resilience: { attempts: 1 } } }
    })
    const target = (args: ReadonlyArray<string>, env = {}) =>
      Effect.map(run(["translate", ...args, "Hello"], env), ({ err, out }) => out + err)
    assert.strictEqual(yield* target([]), "[fr] Hello\n")
    assert.strictEqual(yield* target(["--profile", "work"]), "[it] Hello\n")
    assert.strictEqual(yield* target([], { LANGUAGE_SERVICE_PROFILE: "work" }), "[it] Hello\n")
    assert.strictEqual(yield* target(["--config", path], { LANGUAGE_SERVICE_CONFIG: "/nowhere.json" }), "[fr] Hello\n")
    assert.include(yield* target(["--profile", "none"]), "there is no profile none; there are home, work")
  })

  it.live("keeps the fields of a policy that a profile does not name", () =>
    Effect.gen(function*() {
      const { run, url, write } = yield* user
      const service = yield* FakeLanguageService
      yield* service.script({ operation: "Translation.translate", fault: Fault.unavailable(), every: 1 })
      const policy = { attempts: 2, backoffBase: "1 millis" }
      write({
        key,
        baseUrl: url,
        to: "de",
        resilience: policy,
        profiles: { work: { resilience: { attemptTimeout: "9 seconds" } } }
      })
      const { code } = yield* run(["translate", "--profile", "work", "Hello"])
      assert.notStrictEqual(code, 0)
      assert.lengthOf(yield* service.requests, 2)
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(fake))))

  effect.each<readonly [given: string, expected: string]>([
    ["1500ms", "1.5 s"],
    ["2m", "2 min"],
    ["2min", "2 min"],
    ["2h", "2 h"],
    ["2 minutes", "2 min"]
  ])("takes a time of %s as %s", function*([given, expected]) {
    const { out } = yield* inProcess(["config", "list", "--json", "--timeout", given])
    assert.include(out, `"${expected}"`)
  })

  test("has settings of the project, over those of the profile and below the environment", function*() {
    const { home, run, url, write } = yield* user
    write({
      key,
      baseUrl: url,
      to: "de",
      profiles: { home: { to: "ja" }, work: { to: "it", resilience: { attempts: 1 } } }
    })
    const folder = join(home, "project/below")
    mkdirSync(folder, { recursive: true })
    yield* workIn(folder)
    const project = (settings: object) =>
      writeFileSync(join(home, "project/effect-lingua.json"), JSON.stringify({ settings }))
    const target = (...args: ReadonlyArray<string>) =>
      Effect.map(run(["translate", ...args, "Hello"]), ({ err, out }) => out + err)
    project({ profile: "work" })
    assert.strictEqual(yield* target(), "[it] Hello\n")
    assert.strictEqual(yield* target("--profile", "home"), "[ja] Hello\n")
    project({ cache: false, limits: { voiceBytes: 5 }, tier: "paid", to: "fr", profile: "work" })
    assert.strictEqual(yield* target(), "[fr] Hello\n")
    assert.strictEqual(yield* target("--profile", "work"), "[fr] Hello\n")
    assert.strictEqual((yield* run(["translate", "Hello"], { LANGUAGE_SERVICE_TO: "es" })).out, "[es] Hello\n")
    const { out } = yield* run(["config", "list", "--json", "--attempts", "3", "--timeout", "30s"], {
      LANGUAGE_SERVICE_TO: "es"
    })
    const origins = out.trim().split("\n").map((line) => JSON.parse(line)).filter(({ name }) =>
      name === "to" || name.startsWith("resilience")
    ).map(({ name, origin, value }) => [name, value, origin.split("/").at(-1)])
    assert.deepStrictEqual(origins, [
      ["resilience.deadline", "30 s", "--timeout"],
      ["resilience.attempts", "3", "--attempts"],
      ["to", "es", "LANGUAGE_SERVICE_TO"],
      ["to", "fr", "effect-lingua.json"],
      ["to", "it", "config.json"],
      ["resilience.attempts", "1", "config.json"],
      ["to", "de", "config.json"]
    ])
    // A project may come from others: it does not decide where the key is sent.
    for (
      const [settings, problem] of [
        [{ baseUrl: "https://evil.example" }, "settings: baseUrl is not taken from a project"],
        ...["key", "keyFile", "keyCommand", "headers", "authScheme", "userAgent", "allowHttp"].map((
          name
        ) => [{ [name]: "a" }, `settings: ${name} is not taken from a project`] as const),
        [{ too: "fr" }, "the nearest one is to"],
        [{ to: 3 }, "effect-lingua.json: to: Expected string"],
        [{ profile: 3 }, "effect-lingua.json: settings: profile is not a name"],
        [{ profile: "none" }, "there is no profile none; there are home, work"]
      ] as const
    ) {
      project(settings)
      const { code, err } = yield* run(["translate", "Hello"])
      assert.strictEqual(code, exitCodes.configuration)
      assert.include(err, problem)
    }
  })

  test("sends a key only to the address that stands with it", function*() {
    const { home, run, url, write } = yield* user
    const { requests } = yield* FakeLanguageService
    const [elsewhere, keyFile] = ["http://127.0.0.1:1", join(home, "key")]
    writeFileSync(keyFile, key, { mode: 0o600 })
    const keyCommand = `cat ${keyFile}`
    const ends = Effect.fnUntraced(
      function*(settings: object, env: Record<string, string> = {}, ...flags: Array<string>) {
        write(settings)
        const { err, out } = yield* run(["translate", "-t", "de", "Hello", "--attempts", "1", ...flags], env)
        return out + err
      }
    )
    const work = ["--profile", "work"]
    const other = { key: "other-key-for-another-host", baseUrl: elsewhere, headers: { "x-secret": "s3cret" } }
    const base = { baseUrl: url, key }
    // The innermost source that has a key, a file or a command wins whole.
    for (const own of [{ keyFile }, { keyCommand }, { key }]) {
      const printed = yield* ends({ ...other, profiles: { work: { baseUrl: url, ...own } } }, {}, ...work)
      assert.match(
        printed,
        /^\[de\] Hello\neffect-lingua: the headers of .*config.json are for http:\/\/127.0.0.1:1 and are not sent\n$/
      )
    }
    const sent = yield* requests
    assert.isAbove(sent.length, 2)
    assert.notMatch(JSON.stringify(sent), /other-key|s3cret/)
    // An address alone does not get the key of another one.
    const before = sent.length
    for (
      const [settings, env, ...flags] of [
        [{ ...other, profiles: { work: { baseUrl: url } } }, {}, ...work],
        [other, { LANGUAGE_SERVICE_BASE_URL: url }],
        [other, {}, "--base-url", url],
        [{}, { LANGUAGE_SERVICE_KEY: key, LANGUAGE_SERVICE_BASE_URL: elsewhere }, "--base-url", url],
        [{ ...other, profiles: { work: base } }, { LANGUAGE_SERVICE_KEY: "for-the-other-address" }, ...work],
        [{ ...other, profiles: { work: { key } } }, {}, "--base-url", url, ...work]
      ] as ReadonlyArray<readonly [object, Record<string, string>, ...Array<string>]>
    ) {
      const printed = yield* ends(settings, env, ...flags)
      assert.match(printed, /the key .* is for http:\/\/127\.0\.0\.1:1, and .* names http:.*; /)
      assert.notMatch(printed, /other-key|key-that-nobody-sees|s3cret/)
    }
    assert.strictEqual((yield* requests).length, before)
    // Keys without an address, and addresses that name the same host.
    for (
      const [settings, env, ...flags] of [
        [{ key, profiles: { work: { baseUrl: url } } }, {}, ...work],
        [{ baseUrl: url }, { LANGUAGE_SERVICE_KEY: key }],
        [{}, { LANGUAGE_SERVICE_KEY: key }, "--base-url", url],
        [base, { LANGUAGE_SERVICE_BASE_URL: `${url}/` }],
        [{ ...other, baseUrl: url }, { LANGUAGE_SERVICE_KEY: key }],
        [other, { LANGUAGE_SERVICE_KEY_FILE: keyFile, LANGUAGE_SERVICE_BASE_URL: url }]
      ] as ReadonlyArray<readonly [object, Record<string, string>, ...Array<string>]>
    ) assert.include(yield* ends(settings, env, ...flags), "[de] Hello")
    assert.include(yield* ends({ ...base, keyFile }), "key and keyFile are one setting")
  })

  test("prints no secret", function*() {
    const { run, write } = yield* user
    const own = {
      key: "s3cret",
      headers: { "x-a": "s3cret" },
      to: "de",
      baseUrl: "https://me:s3cret@a.test/b?key=s3cret",
      limits: { key: "s3cret", voiceBytes: 5 },
      unknown: { key: "s3cret" }
    }
    write({ ...own, profile: "work", profiles: { work: own, "a.b": own } })
    const { out } = yield* run(["config", "list"])
    assert.notInclude(out, "s3cret")
    assert.match(out, /baseUrl +\(secret\)@a\.test\/b\?\(secret\)/)
    assert.match(out, /headers\.x-a +\(secret\)/)
    assert.match(out, /limits\.voiceBytes +5/)
    for (
      const baseUrl of [
        "https//s3cret@a.test",
        "https://me:pa#s3cret@a.test",
        "https://me:s3cret?x@a.test",
        "https://a.test/#s3cret",
        { key: "s3cret" }
      ]
    ) {
      write({ baseUrl, profile: "work", profiles: { work: { baseUrl } } })
      const { code, out } = yield* run(["config", "list"])
      assert.strictEqual(code, 0)
      assert.notInclude(out, "s3cret")
      assert.include(out, "(secret)")
    }
    write({ baseUrl: "https://a.test/b" })
    assert.match((yield* run(["config", "list"])).out, /baseUrl +https:\/\/a\.test\/b /)
  })

  test("knows no names that every object has", function*() {
    const { run, write } = yield* user
    for (const name of ["__proto__", "constructor", "toString"]) {
      write({ to: "de", profiles: { work: {} } })
      assert.include((yield* run(["translate", "Hello", "--profile", name])).err, `there is no profile ${name}`)
      write({ profile: name, profiles: { work: {} } })
      assert.include((yield* run(["translate", "Hello"])).err, `there is no profile ${name}`)
    }
  })

  test("names a setting that is unknown or invalid", function*() {
    const { run, write } = yield* user
    for (
      const [settings, problem] of [
        [{ resilience: { attempts: 0 } }, "attempts"],
        [{ baseUlr: "x" }, "the nearest one is baseUrl"]
      ] as const
    ) {
      write(settings)
      const { code, err } = yield* run(["translate", "--to", "de", "Hello"])
      assert.strictEqual(code, exitCodes.configuration)
      assert.include(err, problem)
    }
    write({})
    for (const terminal of [{ stdin: true }, { stdout: true }]) {
      const { err } = yield* inProcess(["init"], { env: { LANGUAGE_SERVICE_KEY: key }, terminal })
      assert.include(err, "init needs a terminal")
    }
    // The fake ignores settings, so that none is advised.
    assert.match((yield* run(["translate", "Hello", "--fake"])).err, /no language to translate to: give --to$/m)
  })
})

it("docs/cli-reference.md has each setting, with its flag and its variable", () => {
  const documentation = readFileSync(new URL("../../../../docs/cli-reference.md", import.meta.url), "utf8")
  const flags = [...Settings.flags.map(([, flag]) => flag), Settings.ConfigFile, Settings.Profile]
  const names = [
    ...Object.keys(Settings.settings),
    ...Settings.variables.map(([, variable]) => variable),
    ...flags.map(({ id }) => `--${id}`)
  ]
  assert.deepStrictEqual(names.filter((name) => !documentation.includes(`\`${name}\``)), [])
})
