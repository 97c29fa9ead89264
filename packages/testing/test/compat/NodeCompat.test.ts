// Each rule of the compatibility mode over a real socket, in virtual time.
import { FakeLanguageService, NodeCompat, NodeFakeLanguageService } from "@effect-lingua/testing"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { once } from "node:events"
import { Agent, request } from "node:http"
import { send } from "../support/client.ts"

const compat = (options: NodeCompat.Options = {}) =>
  NodeCompat.layer({ port: 0, proxyPort: 0, ...options }).pipe(Layer.provideMerge(NodeHttpClient.layerNodeHttp))

const taught: FakeLanguageService.TaughtOption = { phrases: { de: "Guten Tag", en: "good day" } }

/** The ids of the default list and memory. */
const list = "dca2e053-8ae5-45e6-a0d2-881156e7f4e4"
const memory = "a74d88fb-ed2a-4943-a664-a4512398b994"

/** The headers of a client with a key. */
const ofKey = (authorization: string) => ({ authorization, "user-agent": "a suite" })

const plain = ofKey("DeepL-Auth-Key one")

/** The headers of a request in a session with these settings. */
const session = (name: string, settings: Readonly<Record<string, string | number>> = {}) => ({
  ...plain,
  "mock-server-session": name,
  ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [`mock-server-session-${name}`, String(value)]))
})

const usage = (headers: Record<string, string>) => send("GET", "/v2/usage", { headers })

const translate = (headers: Record<string, string>, path = "/v2/translate") =>
  send("POST", path, { headers, body: `{"text":["a"],"target_lang":"de"}` })

/** Statuses of requests one after another. */
const statuses = <E, R>(...requests: ReadonlyArray<Effect.Effect<{ readonly status: number }, E, R>>) =>
  Effect.forEach(requests, (request) => Effect.map(request, ({ status }) => status))

const upload = (headers: Record<string, string>, path = "/v2/document") =>
  send("POST", path, {
    headers,
    contentType: "multipart/form-data; boundary=x",
    body: [
      "--x\r\ncontent-disposition: form-data; name=\"target_lang\"\r\n\r\nde",
      "--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\ntext",
      "--x--\r\n"
    ].join("\r\n")
  })

/** Status and result of an uploaded document. */
const document = (json: Readonly<Record<string, string>>, headers: Record<string, string>) => {
  const body = JSON.stringify({ document_key: json["document_key"] })
  const path = `/v2/document/${json["document_id"]}`
  return { status: send("POST", path, { headers, body }), result: send("POST", `${path}/result`, { headers, body }) }
}

describe("NodeCompat", () => {
  it.effect("says that it is there, without a key", () =>
    Effect.gen(function*() {
      const { text } = yield* send("GET", "/healthz", { headers: { authorization: "" } })
      assert.strictEqual(text, "ok")
    }).pipe(Effect.provide(compat())))

  it.effect("accepts every key with the scheme word of the suites, except for an invalid one", () =>
    Effect.gen(function*() {
      for (const wrong of ["", "DeepL-Auth-Key", "DeepL-Auth-Key ", "deepl-auth-key one", "DeepL-Auth-Key invalid"]) {
        const { headers, status, text } = yield* usage(ofKey(wrong))
        assert.deepStrictEqual([status, text], [403, ""], wrong)
        assert.match(headers["x-trace-id"] ?? "", /^[0-9A-F]{32}$/)
      }
      assert.strictEqual((yield* usage(plain)).status, 200)
      assert.strictEqual((yield* usage(ofKey("DeepL-Auth-Key other"))).status, 200)
    }).pipe(Effect.provide(compat())))

  it.effect("makes a session with the headers of its first request, and forgets it after 10 minutes", () =>
    Effect.gen(function*() {
      const [first, later] = [session("a", { "5xx-count": 1 }), session("a", { "5xx-count": 5 })]
      assert.deepStrictEqual(yield* statuses(usage(first), usage(later), usage(session("b"))), [503, 200, 200])
      yield* TestClock.adjust("9 minutes")
      assert.deepStrictEqual(yield* statuses(usage(first)), [200])
      yield* TestClock.adjust("9 minutes")
      assert.deepStrictEqual(yield* statuses(usage(first)), [200])
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* statuses(usage(first), usage(first)), [503, 200])
    }).pipe(Effect.provide(compat())))

  it.effect("ignores values that are no number", () =>
    Effect.gen(function*() {
      const settings = { "5xx-count": "many", "429-count": "-1", "5xx-status": "x", "no-response-count": "1.5" }
      assert.deepStrictEqual(yield* statuses(translate(session("a", settings))), [200])
    }).pipe(Effect.provide(compat())))

  it.effect("fails the first requests before it looks at their keys, with a status of 5xx", () =>
    Effect.gen(function*() {
      const without = { ...session("a", { "5xx-count": 1, "5xx-status": 599 }), authorization: "" }
      const { headers, status, text } = yield* usage(without)
      assert.deepStrictEqual([status, text], [599, ""])
      assert.isDefined(headers["x-trace-id"])
      assert.deepStrictEqual(yield* statuses(usage(without)), [403])
      assert.deepStrictEqual(yield* statuses(usage(session("b", { "5xx-count": 1, "5xx-status": 600 }))), [503])
    }).pipe(Effect.provide(compat())))

  it.effect("refuses the first translations and improvements, and nothing else", () =>
    Effect.gen(function*() {
      const headers = session("a", { "429-count": 3 })
      const write = (path: string) => send("POST", path, { headers, body: `{"text":["a"],"target_lang":"de"}` })
      const found = yield* statuses(
        upload(headers),
        usage(headers),
        translate(headers),
        write("/v2/write/rephrase"),
        write("/v2/write/correct"),
        translate(headers)
      )
      assert.deepStrictEqual(found, [200, 200, 429, 429, 429, 200])
      const { headers: answered, text } = yield* translate(session("b", { "429-count": 1 }))
      assert.deepStrictEqual([text, answered["retry-after"]], ["", undefined])
    }).pipe(Effect.provide(compat())))

  it.live("leaves the first requests of a session without a response", () =>
    Effect.gen(function*() {
      const headers = session("a", { "no-response-count": 1 })
      const asking = [yield* Effect.forkChild(usage(headers)), yield* Effect.forkChild(usage(headers))]
      assert.strictEqual((yield* Effect.raceAllFirst(asking.map(Fiber.join))).status, 200)
      const hanging = asking.filter((fiber) => fiber.pollUnsafe() === undefined)
      assert.lengthOf(hanging, 1)
      yield* Fiber.interruptAll(hanging)
      const { url } = yield* FakeLanguageService
      const last = yield* HttpClient.get(`${url}/__session__/last-request`, { headers })
      assert.strictEqual(last.status, 200)
    }).pipe(Effect.provide(compat())))

  it.effect("adds the address of the client at its proxy, which a session can expect", () =>
    Effect.gen(function*() {
      const headers = session("a", { "expect-proxy": 1 })
      const direct = yield* usage(headers)
      assert.deepStrictEqual([direct.status, direct.json.message], [400, "Expected a request via proxy."])
      assert.isUndefined(direct.headers["x-trace-id"])
      const { proxyUrl, url } = yield* NodeCompat.Compat
      const { hostname: host, port } = new URL(proxyUrl)
      // A proxy is asked for an absolute address.
      const status = yield* Effect.promise(async () => {
        const sent = request({ host, port, path: `${url}/v2/usage`, headers })
        sent.end()
        const [response] = await once(sent, "response")
        response.resume()
        return response.statusCode
      })
      assert.strictEqual(status, 200)
      const last = yield* send("GET", "/__session__/last-request", { headers })
      assert.strictEqual(last.json.headers.forwarded, "for=127.0.0.1")
      assert.strictEqual(last.json.path, "/v2/usage")
    }).pipe(Effect.provide(compat())))

  it.effect("refuses a second connection where a session allows none", () =>
    Effect.gen(function*() {
      const { url } = yield* NodeCompat.Compat
      const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })]
      const get = (agent: Agent | undefined, headers: Record<string, string>) =>
        Effect.promise(async () => {
          const sent = request(`${url}/v2/usage`, { agent, headers })
          sent.end()
          const [response] = await once(sent, "response")
          response.resume()
          await once(response, "end")
          return response.statusCode
        })
      const [one, other] = agents
      const strict = session("a", { "allow-reconnections": 0 })
      const found = [yield* get(one, strict), yield* get(one, strict), yield* get(other, strict)]
      assert.deepStrictEqual(found, [200, 200, 400])
      const lenient = session("b", { "allow-reconnections": 1 })
      assert.deepStrictEqual([yield* get(one, lenient), yield* get(other, lenient)], [200, 200])
      for (const agent of agents) agent.destroy()
    }).pipe(Effect.provide(compat())))

  it.effect("requires a user agent after the key, unless a session does not", () =>
    Effect.gen(function*() {
      const without = { ...plain, "user-agent": "" }
      const refused = yield* usage(without)
      assert.deepStrictEqual([refused.status, refused.json.message], [400, "User-Agent header missing."])
      assert.strictEqual((yield* usage({ ...without, authorization: "" })).status, 403)
      const allowed = { ...session("a", { "allow-missing-user-agent": 1 }), "user-agent": "" }
      assert.strictEqual((yield* usage(allowed)).status, 200)
    }).pipe(Effect.provide(compat())))

  it.effect("limits accounts as the session of their first request asks, and forgets them after 10 minutes", () =>
    Effect.gen(function*() {
      const small = session("a", { "init-character-limit": 1, "init-document-limit": 2, "init-team-document-limit": 3 })
      assert.deepInclude((yield* usage(small)).json, { character_limit: 1, document_limit: 2, team_document_limit: 3 })
      const other = session("b", { "init-character-limit": 9 })
      assert.deepStrictEqual(yield* statuses(translate(small), translate(other)), [200, 456])
      yield* TestClock.adjust("10 minutes")
      assert.deepInclude((yield* usage(other)).json, { character_count: 0, character_limit: 9, document_limit: 10_000 })
    }).pipe(Effect.provide(compat())))

  it.effect("answers usage by POST, as some clients ask for it", () =>
    Effect.gen(function*() {
      const { json } = yield* send("POST", "/v2/usage", { headers: session("a", { "init-character-limit": 5 }) })
      assert.deepInclude(json, { character_count: 0, character_limit: 5 })
      const form = { headers: plain, body: "", contentType: "application/x-www-form-urlencoded" }
      assert.strictEqual((yield* send("POST", "/v2/usage", form)).status, 200)
    }).pipe(Effect.provide(compat())))

  it.effect("leaves out characters and the period of an account without a limit of characters", () =>
    Effect.gen(function*() {
      const { json } = yield* usage(session("a", { "init-character-limit": 0 }))
      for (const name of ["character_count", "character_limit", "start_time", "end_time"]) {
        assert.notProperty(json, name)
      }
      assert.deepInclude(json, { document_count: 0, document_limit: 10_000 })
      assert.property((yield* usage(ofKey("DeepL-Auth-Key other"))).json, "start_time")
    }).pipe(Effect.provide(compat())))

  it.effect("counts the times of a document from its upload, by the session that polls", () =>
    Effect.gen(function*() {
      const headers = session("a", { "doc-queue-time": 1000, "doc-translate-time": 2500 })
      const { json } = yield* upload(headers)
      const { result, status } = document(json, headers)
      const { document_id } = json
      assert.deepStrictEqual((yield* status).json, { document_id, status: "queued" })
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual((yield* status).json, { document_id, status: "translating", seconds_remaining: 3 })
      const foreign = document(json, { ...headers, ...ofKey("DeepL-Auth-Key other") })
      assert.strictEqual((yield* foreign.result).status, 404)
      assert.strictEqual((yield* foreign.status).status, 404)
      const early = yield* result
      assert.deepStrictEqual([early.status, early.json.message], [503, "Document translation is not done"])
      assert.strictEqual((yield* document(json, plain).status).json.status, "done")
      yield* TestClock.adjust("2500 millis")
      assert.deepInclude((yield* status).json, { status: "done", seconds_remaining: 0, billed_characters: 4 })
      assert.strictEqual((yield* result).text, "Guten Tag")
      assert.strictEqual((yield* result).status, 404)
      assert.strictEqual((yield* status).status, 404)
    }).pipe(Effect.provide(compat({ taught }))))

  it.effect("lets the first uploads fail", () =>
    Effect.gen(function*() {
      const headers = session("a", { "doc-failure": 1, "doc-queue-time": 1000 })
      const failing = document((yield* upload(headers)).json, headers)
      assert.strictEqual((yield* failing.status).json.status, "queued")
      yield* TestClock.adjust("1 second")
      const message = "Translation error triggered"
      assert.deepInclude((yield* failing.status).json, { status: "error", error_message: message, message })
      assert.strictEqual((yield* failing.result).status, 503)
      const second = document((yield* upload(headers)).json, plain)
      assert.strictEqual((yield* second.status).json.status, "done")
    }).pipe(Effect.provide(compat())))

  it.effect("translates at a second path, and refuses unknown glossaries and memories there with 400", () =>
    Effect.gen(function*() {
      const second = yield* translate(plain, "/v2/translate_secondary")
      assert.strictEqual(second.json.translations[0].text, "Guten Tag")
      const id = "00000000-0000-4000-8000-000000000000"
      const references = [{ glossary_id: id }, { translation_memory_id: id }, { style_id: id }]
      for (const reference of references) {
        const body = JSON.stringify({ text: ["a"], source_lang: "en", target_lang: "de", ...reference })
        const { json, status } = yield* send("POST", "/v2/translate", { headers: plain, body })
        assert.strictEqual(status, 400)
        assert.match(json.message, /not found$/)
      }
    }).pipe(Effect.provide(compat({ taught }))))

  it.effect("completes a job after the polls of the session that started it", () =>
    Effect.gen(function*() {
      const headers = session("a", { "tm-job-processing-polls": 1 })
      const started = yield* send("POST", `/v3/translation_memories/${memory}/export`, { headers })
      const path = `/v3/translation_memories/jobs/${started.json.job_id}`
      const other = { headers: { ...headers, authorization: "DeepL-Auth-Key other" } }
      assert.strictEqual((yield* send("GET", path, other)).status, 404)
      // A poll need not belong to the session.
      const poll = Effect.map(send("GET", path, { headers: plain }), ({ json }) => json.results[0].status)
      assert.deepStrictEqual([yield* poll, yield* poll, yield* poll], ["processing", "completed", "completed"])
      // Another account that exports the same memory has a job of its own.
      const { json } = yield* send("POST", `/v3/translation_memories/${memory}/export`, other)
      assert.strictEqual((yield* send("GET", `/v3/translation_memories/jobs/${json.job_id}`, other)).status, 200)
      const without = { headers: { ...plain, authorization: "DeepL-Auth-Key third" } }
      const third = yield* send("POST", `/v3/translation_memories/${memory}/export`, without)
      const polled = yield* send("GET", `/v3/translation_memories/jobs/${third.json.job_id}`, {
        headers: { ...without.headers, "mock-server-session": "b", "mock-server-session-tm-job-processing-polls": "9" }
      })
      assert.strictEqual(polled.json.results[0].status, "completed")
    }).pipe(Effect.provide(compat())))

  it.effect("counts the polls of an import from the arrival of its file", () =>
    Effect.gen(function*() {
      const headers = session("a", { "tm-job-processing-polls": 1 })
      const unit = ["en", "de"].map((code) => `<tuv xml:lang="${code}"><seg>a</seg></tuv>`).join("")
      const file = `<tmx version="1.4"><header srclang="en"/><body><tu>${unit}</tu></body></tmx>`
      const body = `{"source_file":{"file_name":"a.tmx","content_length":${file.length}}}`
      const { json } = yield* send("POST", "/v3/translation_memories/import", { headers, body })
      const path = `/v3/translation_memories/jobs/${json.job_id}`
      const poll = Effect.map(send("GET", path, { headers: plain }), (answer) => answer.json.results[0].status)
      assert.deepStrictEqual([yield* poll, yield* poll], ["awaiting_input", "awaiting_input"])
      const sent = HttpClientRequest.put(json.upload_url).pipe(HttpClientRequest.bodyText(file, "application/xml"))
      assert.strictEqual((yield* HttpClient.execute(sent)).status, 200)
      assert.deepStrictEqual([yield* poll, yield* poll], ["awaiting_input", "completed"])
    }).pipe(Effect.provide(compat())))

  it.effect("has a default memory with the times of its segments, which a key can delete for itself alone", () =>
    Effect.gen(function*() {
      const path = `/v3/translation_memories/${memory}`
      const { segments } = (yield* send("GET", `${path}/segments`, { headers: plain })).json
      const times = Array.from({ length: 12 }, (_, number) => number % 3 === 0 ? "1970-01-01T00:00:00.000Z" : undefined)
      assert.deepStrictEqual(
        segments.map(({ last_used_time: used }: { readonly last_used_time?: string }) => used),
        times
      )
      assert.strictEqual((yield* send("DELETE", path, { headers: plain })).status, 204)
      // A change of the default list restores the list only.
      yield* send("DELETE", `/v3/style_rules/${list}`, { headers: plain })
      const body = `{"text":["a"],"target_lang":"en","translation_memory_id":"${memory}"}`
      const found = yield* statuses(
        send("GET", path, { headers: plain }),
        send("GET", `${path}/segments`, { headers: plain }),
        send("POST", `${path}/export`, { headers: plain }),
        send("DELETE", path, { headers: plain }),
        send("POST", "/v2/translate", { headers: plain, body })
      )
      assert.deepStrictEqual(found, [404, 404, 404, 404, 400])
      const all = yield* send("GET", "/v3/translation_memories", { headers: plain })
      assert.deepStrictEqual(all.json, { translation_memories: [], total_count: 0 })
      const other = ofKey("DeepL-Auth-Key other")
      assert.strictEqual((yield* send("GET", path, { headers: other })).status, 200)
      // The account is forgotten, and with it what it deleted.
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* send("GET", path, { headers: plain })).status, 200)
    }).pipe(Effect.provide(compat())))

  it.effect("refuses an id in a wrong form with 400, and an unknown one with 404", () =>
    Effect.gen(function*() {
      for (const path of ["/v2/glossaries/", "/v3/glossaries/", "/v3/style_rules/", "/v3/translation_memories/"]) {
        const [malformed, unknown] = yield* statuses(
          send("GET", `${path}not-a-uuid`, { headers: plain }),
          send("GET", `${path}00000000-0000-4000-8000-000000000000`, { headers: plain })
        )
        assert.deepStrictEqual([malformed, unknown], [400, 404], path)
      }
    }).pipe(Effect.provide(compat())))

  it.effect("takes a path with a slash at its end for the same, in all of its rules", () =>
    Effect.gen(function*() {
      const headers = session("a", { "doc-failure": 1, "429-count": 1 })
      const uploaded = yield* upload(headers, "/v2/document/")
      assert.strictEqual((yield* document(uploaded.json, headers).status).json.status, "error")
      assert.strictEqual((yield* translate(headers, "/v2/translate/")).status, 429)
      assert.strictEqual((yield* send("GET", "/v2/usage/?a=b", { headers })).status, 200)
      const last = yield* send("GET", "/__session__/last-request", { headers })
      assert.deepInclude(last.json, { path: "/v2/usage/", query: { a: "b" } })
    }).pipe(Effect.provide(compat())))

  it.effect("has a default list and memory, which changes and a reset restore", () =>
    Effect.gen(function*() {
      const { json: before } = yield* send("GET", `/v3/style_rules/${list}`, { headers: plain })
      assert.deepInclude(before, { name: "Default Style Rule", language: "en", version: 1 })
      assert.deepStrictEqual(before.configured_rules, { dates_and_times: { calendar_era: "use_bce_and_ce" } })
      const headers = plain
      yield* send("PATCH", `/v3/style_rules/${list}`, { headers, body: `{"name":"Mine"}` })
      assert.strictEqual((yield* send("DELETE", `/v3/style_rules/${list}`, { headers })).status, 204)
      const fake = yield* FakeLanguageService
      for (const reset of [Effect.void, fake.reset, Effect.asVoid(send("POST", "/_fake/reset"))]) {
        yield* reset
        const { json } = yield* send("GET", `/v3/style_rules/${list}`, { headers })
        assert.deepInclude(json, { name: "Default Style Rule", version: 1 })
      }
    }).pipe(Effect.provide(compat())))

  it.effect("describes the last request of a session", () =>
    Effect.gen(function*() {
      const path = "/__session__/last-request"
      assert.strictEqual((yield* send("GET", path)).status, 400)
      const headers = session("a", { "429-count": 1 })
      assert.strictEqual((yield* send("GET", path, { headers })).status, 404)
      yield* translate(headers, "/v2/translate?a=b")
      const { json } = yield* send("GET", path, { headers })
      assert.deepInclude(json, {
        method: "POST",
        path: "/v2/translate",
        query: { a: "b" },
        body: { text: ["a"], target_lang: "de" }
      })
      assert.strictEqual(json.headers["mock-server-session-429-count"], "1")
    }).pipe(Effect.provide(compat())))

  it.effect("keeps no long body of a last request, whether it was refused or not", () =>
    Effect.gen(function*() {
      const { url } = yield* NodeCompat.Compat
      for (const [name, length, isKept] of [["a", 1000, true], ["b", 200_000, false]] as const) {
        for (const isChunked of [false, true]) {
          const path = `/v3/glossaries`
          const terms = {
            source_lang: "en",
            target_lang: "de",
            entries: `a\t${"b".repeat(length)}`,
            entries_format: "tsv"
          }
          const body = JSON.stringify({ name: "a", dictionaries: [terms] })
          for (const authorization of ["DeepL-Auth-Key invalid", "DeepL-Auth-Key one"]) {
            const headers = { ...session(`${name} ${isChunked}`), authorization }
            yield* Effect.promise(async () => {
              const sent = request(url + path, {
                method: "POST",
                headers: {
                  ...headers,
                  "content-type": "application/json",
                  ...isChunked ? { "transfer-encoding": "chunked" } : { "content-length": String(body.length) }
                }
              })
              sent.on("error", () => {})
              sent.end(body)
              await Promise.race([once(sent, "response"), once(sent, "close")])
            })
            const { json } = yield* send("GET", "/__session__/last-request", { headers })
            assert.strictEqual("dictionaries" in json.body, isKept, `${length} ${isChunked} ${authorization}`)
          }
        }
      }
    }).pipe(Effect.provide(compat())))

  it.effect("refuses an address that is not valid, and ignores a number that is too long", () =>
    Effect.gen(function*() {
      const { proxyUrl, url } = yield* NodeCompat.Compat
      const { hostname: host, port } = new URL(url)
      const found = yield* Effect.promise(() =>
        Promise.all(
          ["//", "http://[", "//[/v2/usage", "http://a:b/v2/usage"].flatMap((path) =>
            [port, new URL(proxyUrl).port].map(async (port) => {
              const sent = request({ host, port, path, headers: session("a") })
              sent.end()
              const [response] = await once(sent, "response")
              response.resume()
              return response.statusCode
            })
          )
        )
      )
      assert.deepStrictEqual(found, found.map(() => 400))
      for (const name of ["init-character-limit", "init-document-limit", "doc-queue-time", "5xx-count", "5xx-status"]) {
        for (const digits of [16, 400]) {
          const headers = { ...session(`${name} ${digits}`, { [name]: "9".repeat(digits) }) }
          const authorization = `DeepL-Auth-Key ${name}${digits}`
          assert.strictEqual((yield* usage({ ...headers, authorization })).status, 200, `${name} ${digits}`)
        }
      }
    }).pipe(Effect.provide(compat())))

  it.effect("serves the pages and the control of the fake, without a key", () =>
    Effect.gen(function*() {
      const none = { headers: { authorization: "" } }
      assert.deepStrictEqual(yield* statuses(send("GET", "/", none), send("GET", "/_fake/state", none)), [200, 200])
      const preflight = yield* send("OPTIONS", "/v2/usage", {
        headers: { authorization: "", origin: "https://page.test", "access-control-request-method": "GET" }
      })
      assert.strictEqual(preflight.status, 204)
    }).pipe(Effect.provide(compat())))

  it.effect("fails where a port is in use", () =>
    Effect.gen(function*() {
      const { url } = yield* FakeLanguageService
      const port = Number(new URL(url).port)
      for (const options of [{ port, proxyPort: 0 }, { port: 0, proxyPort: port }]) {
        const error = yield* Effect.flip(Effect.scoped(Layer.build(NodeCompat.layer(options))))
        assert.deepInclude(error, { _tag: "PortInUse", port })
      }
    }).pipe(Effect.provide(NodeFakeLanguageService.layer())))
})
