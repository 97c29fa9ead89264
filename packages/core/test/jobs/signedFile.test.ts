import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Sample, Wire } from "../support/index.ts"
import {
  completed,
  content,
  exported,
  exportStarted,
  exportTmx,
  importTmx,
  over,
  saying,
  secret,
  started,
  tmx,
  uploadUrl
} from "../support/memories.ts"

const thisMachine =
  "127.0.0.1 localhost:80 0.0.0.0 0x7f.1 [::] [::1] [::ffff:127.0.0.1] a.localhost. [::127.0.0.1] [::ffff:0:127.0.0.1] " +
  "[64:ff9b::127.0.0.1] [2002:7f00:1::1]"
const networks =
  "10.0.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 [fd00::1] [fe80::1] [::ffff:10.0.0.1] 192.0.0.8 " +
  "192.0.2.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.251 239.255.255.255 240.0.0.1 255.255.255.255 " +
  "[64:ff9b::10.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b::198.18.0.1] [64:ff9b::224.0.0.1] [64:ff9b:1::8.8.8.8] " +
  "[64:ff9b:1:a00:0:100::] [2002:a00:1::1] [2002:c0a8:101::] [2002:a9fe:a9fe::1] " +
  "[2001:0:4136:e378:8000:63bf:3fff:fdd2] [2001:2::1] [2001:db8::1] [3fff::1] [100::1] [fec0::1] [febf::1] [fdff::1] " +
  "[ff02::1] [ff0e::1] [1234::1]"

/** Base addresses, addresses of files that are not used under them, and why. */
const addresses: ReadonlyArray<readonly [base: string, address: string, problem: RegExp]> = [
  [Wire.baseUrl, "http://storage.example/u", /scheme http:/],
  [Wire.baseUrl, "ftp://storage.example/u", /scheme ftp:/],
  [Wire.baseUrl, "file:///etc/passwd", /scheme file:/],
  [Wire.baseUrl, "http://localhost:80/u", /leads to this machine/],
  [Wire.baseUrl, "/u", /is not a URL/],
  ["https://10.0.0.1", "https://127.0.0.1/u", /leads to this machine/],
  ["http://127.0.0.1:8080", "http://storage.example/u", /scheme http:/],
  ...([[thisMachine, /leads to this machine/], [networks, /leads into a private or reserved network/]] as const)
    .flatMap(([hosts, problem]) =>
      hosts.split(" ").map((host) => [Wire.baseUrl, `https://${host}/u`, problem] as const)
    ),
  ...["user:word", "user", ":word"].map((user) =>
    [Wire.baseUrl, `https://${user}@storage.example/u`, /has a user/] as const
  )
]

const allowed: ReadonlyArray<readonly [base: string, address: string]> = [
  ["https://10.0.0.1", "https://10.0.0.2/u"],
  ["https://192.168.0.1", "https://storage.example/u"],
  ["http://127.0.0.1:8080", "https://10.0.0.1/u"],
  [Wire.baseUrl, "https://172.32.0.1/u"],
  [Wire.baseUrl, "https://10.example/u"],
  [Wire.baseUrl, "https://198.17.255.255/u"],
  [Wire.baseUrl, "https://198.20.0.0/u"],
  [Wire.baseUrl, "https://223.255.255.255/u"],
  [Wire.baseUrl, "https://[2001:4860:4860::8888]/u"],
  [Wire.baseUrl, "https://[2600:1f18::1]/u"],
  [Wire.baseUrl, "https://[2a00:1450::1]/u"],
  [Wire.baseUrl, "https://[64:ff9b::808:808]/u"],
  [Wire.baseUrl, "https://[2002:808:808::1]/u"]
]

describe("the addresses of files", () => {
  it.effect.each(addresses)("under %s %s is not used", ([base, address, problem]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(importTmx)
      assert.deepInclude<object>(error, { _tag: "TransferFailed", direction: "upload", outcome: "refused" })
      assert.match(error.message, problem)
      assert.strictEqual(yield* Wire.count, 1)
      const fetched = yield* Effect.flip(
        Effect.provide(exportTmx, Layer.fresh(Wire.layer([exportStarted, exported(address)], { baseUrl: base })))
      )
      assert.deepInclude<object>(fetched, { _tag: "TransferFailed", direction: "download", outcome: "refused" })
    }).pipe(over([started(address)], { baseUrl: base })))

  it.effect("of this machine are used by a client of this machine", () =>
    Effect.gen(function*() {
      yield* importTmx
      assert.deepStrictEqual((yield* Wire.sent).map(({ url }) => new URL(url).port), ["8080", "9000", "8080"])
    }).pipe(over([started("http://localhost:9000/u"), Wire.answer(200), completed], {
      baseUrl: "http://127.0.0.1:8080"
    })))

  it.effect.each(allowed)("under %s may be %s", ([baseUrl, address]) =>
    Effect.gen(function*() {
      yield* importTmx
      assert.strictEqual((yield* Wire.sent)[1]?.url, address)
    }).pipe(over([started(address), Wire.answer(200), completed], { baseUrl })))

  const transformClient = HttpClient.mapRequest(HttpClientRequest.setHeader("x-transformed", "yes"))

  it.effect("get neither the key nor the headers of the client, nor its transform, and the exact file", () =>
    Effect.gen(function*() {
      yield* importTmx
      const [, put] = yield* Wire.sent
      assert.deepStrictEqual(put, {
        method: "PUT",
        url: uploadUrl,
        headers: { "content-type": "application/xml", "content-length": String(content.length) },
        body: tmx
      })
      const text = yield* Effect.provide(
        Effect.zip(exportTmx, Wire.sent),
        Layer.fresh(
          Wire.layer([exportStarted, exported(), Wire.answer(200, tmx)], {
            headers: { "x-tenant": "a" },
            transformClient
          })
        )
      )
      assert.strictEqual(text[0], tmx)
      assert.deepStrictEqual(text[1][2]?.headers, {})
    }).pipe(over([started(), Wire.answer(200), completed], { headers: { "x-tenant": "a" }, transformClient })))

  it.effect("are in no error, whatever the storage or the platform says", () =>
    Effect.forEach([
      Wire.answer(403, `<Error><Resource>/u/abc?sig=${secret}</Resource></Error>`),
      Wire.answer(302, "", { location: uploadUrl }),
      saying(`connect ${uploadUrl} failed`),
      saying(`no host for sig ${secret}`)
    ], (reply) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(importTmx).pipe(over([started(), reply]))
        assert.deepInclude<object>(error, { _tag: "TransferFailed", host: "storage.example", jobId: Sample.jobId })
        assert.notInclude(`${error.message}${JSON.stringify(error)}${String(error.stack)}`, secret)
      })))
})
