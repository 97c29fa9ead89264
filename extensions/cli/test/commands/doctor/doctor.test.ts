// What `doctor` finds, and what it says to do.
import { DocumentId } from "@effect-lingua/core/contract/Ids"
import { FakeLanguageService, NodeFakeLanguageService } from "@effect-lingua/testing"
import { assert, describe } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { about, folder, journalIn } from "../../../../../packages/node/test/support/documents.ts"
import { proxyServer } from "../../../../../packages/node/test/support/proxyServer.ts"
import { rawServer, whole } from "../../../../../packages/node/test/support/rawServer.ts"
import { live, liveWith } from "../../../../../test/support/tests.ts"
import type { Finding } from "../../../src/commands/doctor.ts"
import { inProcess } from "../../support/cli.ts"

/** As short as a key is without a warning. */
const key = "key-nobody-sees!"
const fake = NodeFakeLanguageService.layer({ keys: [{ key, tier: "paid" }] })

/** A journal that is nobody's. */
const emptyState = { XDG_STATE_HOME: "/nowhere" }

const doctor = (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  inProcess(["doctor", "--json", ...args], { env: { LANGUAGE_SERVICE_KEY: key, ...emptyState, ...env } }).pipe(
    Effect.map(({ code, err, out }) => {
      const findings: ReadonlyArray<Finding> = out.trim().split("\n").map((line) => JSON.parse(line))
      for (const secret of [key, "secret-of-the-proxy"]) assert.notInclude(out + err, secret)
      return {
        code,
        err,
        findings,
        statuses: Object.fromEntries(findings.map(({ check, status }) => [check, status])),
        find: (check: Finding["check"]) => findings.find((finding) => finding.check === check)
      }
    })
  )

const allOk: Readonly<Record<Finding["check"], Finding["status"]>> = {
  settings: "ok",
  key: "ok",
  tier: "ok",
  proxy: "ok",
  name: "ok",
  connection: "ok",
  access: "ok",
  clock: "ok",
  documents: "ok"
}

const port = (url: string) => Number(new URL(url).port)

const test = liveWith(fake)

describe("doctor", () => {
  test("finds nothing where all is well, and consumes nothing", function*() {
    const { requests, url } = yield* FakeLanguageService
    const { code, err, find, statuses } = yield* doctor({ LANGUAGE_SERVICE_BASE_URL: url })
    assert.deepStrictEqual(statuses, allOk)
    assert.deepStrictEqual([code, err], [0, ""])
    assert.include(find("settings")?.detail, "LANGUAGE_SERVICE_KEY, LANGUAGE_SERVICE_BASE_URL")
    assert.deepStrictEqual((yield* requests).map(({ operation }) => operation), ["Languages.resources"])
  })

  test("says it in lines to people", function*() {
    const { url } = yield* FakeLanguageService
    const env = { ...emptyState, LANGUAGE_SERVICE_KEY: "another-key-than-that", LANGUAGE_SERVICE_BASE_URL: url }
    const { code, err, out } = yield* inProcess(["doctor"], { env })
    assert.match(out, /^connection +ok +127\.0\.0\.1:\d+ accepts connections/m)
    assert.match(out, /^access +PROBLEM +Languages\.resources: /m)
    assert.match(out, /^ +Check LANGUAGE_SERVICE_KEY/m)
    assert.strictEqual(code, 14)
    assert.strictEqual(err, "effect-lingua: one check found a problem\n")
    assert.strictEqual((yield* inProcess(["doctor", "--output", join(yield* folder, "checks")], { env })).code, 14)
    const { out: coloured } = yield* inProcess(["doctor"], { env, terminal: { stdout: true } })
    assert.include(coloured, "\x1b[31mPROBLEM")
    assert.include(coloured, "\x1b[2mok")
  })

  live("asks for a key and an address first", function*() {
    const { code, find, statuses } = yield* doctor({})
    assert.deepStrictEqual(statuses, {
      ...Object.fromEntries(Object.keys(allOk).map((check) => [check, "skipped" as const])),
      settings: "problem",
      documents: "ok"
    })
    assert.include(find("settings")?.detail, "LANGUAGE_SERVICE_BASE_URL")
    assert.strictEqual(code, 14)
  })

  live("tells a setting that cannot be used", function*() {
    const { find } = yield* doctor({ LANGUAGE_SERVICE_BASE_URL: "http://service.test" })
    assert.include(find("settings")?.detail, "clear text")
  })

  test("tells a key that the service does not know", function*() {
    const { url } = yield* FakeLanguageService
    const { code, find, statuses } = yield* doctor({
      LANGUAGE_SERVICE_BASE_URL: url,
      LANGUAGE_SERVICE_KEY: "another-key-than-that"
    })
    assert.deepStrictEqual(statuses, { ...allOk, access: "problem" })
    assert.include(find("access")?.advice, "LANGUAGE_SERVICE_KEY")
    assert.strictEqual(code, 14)
  })

  live("tells a port at which nothing listens", function*() {
    const { find, statuses } = yield* doctor({ LANGUAGE_SERVICE_BASE_URL: "http://127.0.0.1:1" })
    assert.deepStrictEqual(statuses, { ...allOk, connection: "problem", access: "skipped", clock: "skipped" })
    assert.include(find("connection")?.detail, "ECONNREFUSED")
    assert.include(find("connection")?.advice, "LANGUAGE_SERVICE_BASE_URL")
  })

  live("tells a host that is not found", function*() {
    const { find, statuses } = yield* doctor({ LANGUAGE_SERVICE_BASE_URL: "https://service.invalid" })
    assert.deepStrictEqual(statuses, {
      ...allOk,
      name: "problem",
      connection: "skipped",
      access: "skipped",
      clock: "skipped"
    })
    assert.include(find("name")?.detail, "service.invalid is not found")
  })

  test("tells TLS that does not come about", function*() {
    const { url } = yield* FakeLanguageService
    const { find, statuses } = yield* doctor({ LANGUAGE_SERVICE_BASE_URL: url.replace("http:", "https:") })
    assert.deepInclude(statuses, { name: "ok", connection: "problem", access: "skipped" })
    assert.include(find("connection")?.advice, "NODE_EXTRA_CA_CERTS")
  })

  live.each<readonly [seconds: number | undefined, status: Finding["status"], words: string]>([
    [-3600, "warning", "60 min ahead of"],
    [3600, "warning", "60 min behind"],
    [-20, "ok", "agrees"],
    [20, "ok", "agrees"],
    [undefined, "skipped", "No response had a date"]
  ])("compares the clock with the date of an answer, %s seconds away: %s", function*([seconds, status, words]) {
    const now = yield* DateTime.now
    const date = seconds === undefined
      ? undefined
      : { date: DateTime.toDateUtc(DateTime.add(now, { seconds })).toUTCString() }
    const { url } = yield* rawServer([], [whole("200 OK", "[]", { "content-type": "application/json", ...date })])
    const { find } = yield* doctor({ LANGUAGE_SERVICE_BASE_URL: url })
    assert.strictEqual(find("clock")?.status, status)
    assert.include(find("clock")?.detail, words)
  })

  live("says what to do where something else answers, or the service fails", function*() {
    for (
      const [status, advice] of [["nonsense", "The host may run"], ["500 Internal Server Error", "The service fails"]]
    ) {
      const { url } = yield* rawServer([], [whole(String(status), "")])
      const { find } = yield* doctor({ LANGUAGE_SERVICE_BASE_URL: url })
      assert.isTrue(find("access")?.advice?.startsWith(String(advice)), find("access")?.detail)
    }
  })

  test("says that it goes through a proxy, and looks at that", function*() {
    const { url } = yield* FakeLanguageService
    const proxy = yield* proxyServer(port(url))
    const env = {
      LANGUAGE_SERVICE_BASE_URL: "http://service.test",
      LANGUAGE_SERVICE_ALLOW_HTTP: "true",
      HTTP_PROXY: proxy.url.replace("//", "//user:secret-of-the-proxy@")
    }
    const through = yield* doctor(env)
    assert.deepInclude(through.statuses, { proxy: "ok", name: "ok", connection: "ok" })
    assert.strictEqual(through.find("proxy")?.detail, `Through ${proxy.host}, from HTTP_PROXY, with a user`)
    assert.deepStrictEqual(proxy.asked, ["GET http://service.test/v3/languages/resources"])
    const past = yield* doctor({ ...env, NO_PROXY: "service.test" })
    assert.include(past.find("proxy")?.detail, "None for this host, though HTTP_PROXY is set")
    assert.strictEqual(past.find("name")?.status, "problem")
    proxy.close()
    const down = yield* doctor(env)
    assert.include(down.find("connection")?.advice, "check host and port in HTTP_PROXY")
  })

  live("tells a proxy that cannot be used, and goes no further", function*() {
    const { statuses } = yield* doctor({
      LANGUAGE_SERVICE_BASE_URL: "https://service.test",
      HTTPS_PROXY: "socks5://user:secret-of-the-proxy@host"
    })
    assert.deepInclude(statuses, { proxy: "problem", name: "skipped", connection: "skipped", access: "skipped" })
  })

  live.each<readonly [env: Readonly<Record<string, string>>, check: Finding["check"], advice: string]>([
    [{ LANGUAGE_SERVICE_KEY: `"${key}"` }, "key", "quotes"],
    [{ LANGUAGE_SERVICE_KEY: "15-letters-long" }, "key", "copied completely"],
    [{ LANGUAGE_SERVICE_KEY: `${key}:adm` }, "key", "LANGUAGE_SERVICE_ADMIN_KEY"],
    [{ LANGUAGE_SERVICE_KEY: `${key}:fx`, LANGUAGE_SERVICE_TIER: "paid" }, "tier", "LANGUAGE_SERVICE_TIER"],
    [{ LANGUAGE_SERVICE_BASE_URL: "http://api-free.localhost:1" }, "tier", "LANGUAGE_SERVICE_BASE_URL"]
  ])("warns of what is odd: %o", function*([env, check, advice]) {
    const { findings } = yield* doctor({
      LANGUAGE_SERVICE_BASE_URL: "http://127.0.0.1:1",
      LANGUAGE_SERVICE_ALLOW_HTTP: "true",
      ...env
    })
    const found = findings.find((finding) => finding.check === check)
    assert.strictEqual(found?.status, "warning")
    assert.include(found?.advice, advice)
  })

  live("needs nothing with the fake", function*() {
    const { code, out } = yield* inProcess(["doctor", "--fake"])
    assert.strictEqual(code, 0)
    assert.include(out, "The embedded fake needs no settings")
  })
})

describe("the documents of doctor", () => {
  live("are those of the journal of the user, whatever else is wrong", function*() {
    const state = yield* folder
    const journal = journalIn(join(state, "effect-lingua", "documents"))
    const documents = Effect.map(doctor({ XDG_STATE_HOME: state }, "--tier", "free"), ({ find }) => find("documents"))
    assert.strictEqual((yield* documents)?.status, "ok")
    const entry = about("http://127.0.0.1:1")
    const lost = { reason: "no", bytesReceived: 0, parts: [] }
    yield* journal.put({ _tag: "Uploaded", ...entry })
    yield* journal.put({ _tag: "Lost", ...entry, documentId: DocumentId.make("lost"), ...lost })
    yield* journal.put({ _tag: "Downloading", ...entry, documentId: DocumentId.make("other") })
    const some = yield* documents
    assert.strictEqual(some?.status, "warning")
    assert.strictEqual(some?.detail, "2 pending, 1 lost at the service")
    assert.include(some?.advice, "effect-lingua documents resume --tier free")
  })

  live("are a problem when the journal cannot be read", function*() {
    const directory = yield* folder
    writeFileSync(join(directory, "file"), "")
    const { code, find } = yield* doctor({ XDG_STATE_HOME: join(directory, "file") })
    assert.strictEqual(code, 14)
    assert.strictEqual(find("documents")?.status, "problem")
    assert.match(find("documents")?.detail ?? "", /^the journal of documents cannot be read: .*ENOTDIR, BadResource$/)
  })
})
