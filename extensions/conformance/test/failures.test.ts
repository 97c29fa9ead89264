// The conformance suite against hosts that do something wrong: the right check fails, and says what it is.
import * as Conformance from "@effect-lingua/conformance/Conformance"
import { FakeLanguageService, VirtualTime } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { isFull, sampled } from "../../../test/support/scale.ts"
import { effect } from "../../../test/support/tests.ts"
import { misbehaving, type Misbehaviour, over } from "./support/misbehaving.ts"

/** Runs the checks whose names begin with a word, or all of them. */
const run = (misbehaviour: Misbehaviour, word = "") =>
  VirtualTime.run(Effect.provide(
    Conformance.run({ checks: Conformance.checks.filter(({ name }) => name.startsWith(word)) }),
    misbehaving(misbehaviour)
  ))

const pathOf = ({ url }: HttpClientRequest.HttpClientRequest): string => new URL(url).pathname

/** Changes the text of responses of a path, of a status. */
const answering = (path: string, change: (text: string) => string, ofStatus = 200): Misbehaviour => ({
  answer: ({ status, text }, request) =>
    pathOf(request) === path && status === ofStatus ? { text: change(text) } : undefined
})

const reversed = (field: string) => (text: string) =>
  JSON.stringify({ ...JSON.parse(text), [field]: JSON.parse(text)[field].toReversed() })

/** Changes the bodies of requests of a path. */
const asking = (path: string, change: (body: string) => string): Misbehaviour => ({
  request: (request) =>
    pathOf(request) === path && request.body._tag === "Uint8Array"
      ? HttpClientRequest.bodyText(
        request,
        change(new TextDecoder().decode(request.body.body)),
        request.body.contentType
      )
      : request
})

/** Each with the checks that fail, and no other, and what they say. */
const stories: Readonly<Record<string, readonly [Misbehaviour, ...ReadonlyArray<RegExp>]>> = {
  "a rename that raises the version by two": [
    {
      answer: ({ text }, { method }) =>
        method === "PATCH" ? { text: text.replace(`"version":2`, `"version":3`) } : undefined
    },
    /^FAILED {3}StyleRules: a rename .*Expected: the list: .*"version":2.* \(specification, Style rules; .*Got: .*"version":3/
  ],
  "a missing result": [
    answering("/v3/detect/language", (text) => JSON.stringify({ results: JSON.parse(text).results.slice(1) })),
    /Detection: each text has a result.*Got: UnexpectedResponse: .*2 results for 3 texts/,
    /Detection: a result has a language.*Expected: the number of results: 4 .*Got: 3/,
    /Detection: a form .*Expected: the languages: \["fr","de","en"\] .*Got: \["de","en"\]/,
    /Detection: up to 50 texts.*49 results for 50 texts/
  ],
  "results in another order": [
    answering("/v2/write/correct", reversed("improvements")),
    /Writing: correct gives .*Expected: improvements in the order of the texts .*Got: \[\{"text":"The train/
  ],
  "a wrong key that is taken": [
    {
      request: (request) =>
        (request.headers["authorization"] ?? "").includes("wrong-key")
          ? HttpClientRequest.setHeader(request, "authorization", "Service-Auth-Key fake-key")
          : request
    },
    /Access: a wrong key .*Expected: the call fails with InvalidKey or AccessDenied .*Got: it succeeded with \[/
  ],
  "times that are not in UTC": [
    { answer: ({ text }) => ({ text: text.replace(/(_time":"[^"]*)Z"/g, `$1+02:00"`) }) },
    /StyleRules: on the wire .*Expected: a body of the described shape .*Got: .*creation_time/
  ],
  "a language that comes twice and in another case": [
    answering("/v3/languages", (text) => text.replace(`"lang":"en-GB"`, `"lang":"EN-GB"`)),
    /Languages: codes are .*Expected: no code in another case .*Got: \["EN-GB"\]/
  ],
  "another status for a content type": [
    {
      answer: ({ status }, request) =>
        pathOf(request).startsWith("/v3/detect") && status === 415 ? { status: 400 } : undefined
    },
    /Detection: another content type .*Expected: the call fails with UnsupportedMediaType .*Got: BadRequest: /
  ],
  "an error body without a message": [
    answering("/v2/languages", () => `{"error":"no"}`, 400),
    /Languages: the deprecated list .*Expected: a body of the described shape .*Got: .*message/
  ],
  "a second list for an instruction that is replaced": [
    {
      answer: ({ text }, { method, url }) =>
        method === "GET" && /style_rules\/[^/]+$/.test(url) && text.includes(`"label":"Months"`)
          ? { text: reversed("custom_instructions")(text) }
          : undefined
    },
    /StyleRules: an instruction is replaced in its place.*Expected: the instructions: /
  ],
  // The specification has neither limit.
  "a name and a label that are longer than documented": [
    asking("/v3/style_rules", (body) => body.replace(/x{1024}|a{101}/, "short")),
    /StyleRules: a list with a name over 1024 .* \(public descriptions\)/
  ],
  "translations in another order, and an evaluation in an unknown state": [
    {
      answer: (response, request) =>
        pathOf(request).startsWith("/v1/quality-evaluation/")
          ? { text: response.text.replace(`"status":"done"`, `"status":"ended"`) }
          : answering("/v2/translate", reversed("translations")).answer?.(response, request)
    },
    /QualityEvaluation: an evaluation has a Retry-After.*Expected: the id and state of a finished evaluation: .*Got: \["[^"]+","ended"\]/,
    /Translation: each text is translated, in order, .*Expected: translations in the order of the texts /,
    /Translation: a text of a translation memory/,
    /Translation: translateInto returns/
  ],
  "51 texts that are taken, and a feature that no target has to support": [
    {
      request: (request) => {
        const body = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
        const fewer = body.replace(/^\{"text":\["a",((?:"a",){49}"a"\])/, `{"text":[$1`)
        return fewer === body ? request : HttpClientRequest.bodyText(request, fewer, "application/json")
      },
      ...answering(
        "/v3/languages/resources",
        (text) => text.replaceAll(`"name":"formality","needs_target_support":true`, `"name":"formality"`)
      )
    },
    /Languages: the feature requirements .*Expected: whether the target has to support formality: true .*Got: false/,
    /Detection: more than 50 texts are refused.*Got: UnexpectedResponse: .*50 results for 51 texts/,
    /Translation: more than 50 texts, .*Got: UnexpectedResponse: .*50 results for 51 texts/
  ],
  "a glossary without effect": [
    asking("/v2/translate", (body) => body.replace(/,"glossary_id":"[^"]*"/, "")),
    /Translation: an unknown translation memory .* so is an unknown list or glossary/,
    /Translation: a requested glossary takes effect.*Got: \[de\] Artist$/,
    /Translation: a glossary replaces whole words .*Got: \[de\] The Artist Manager likes Artists\.$/,
    /Translation: a translation memory or glossary that does not cover/,
    /Translation: a glossary without a source language is refused/
  ]
}

/** A host that lets nobody in. */
const closed = (text: string) =>
  HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, new Response(text, { status: 403 }))))

describe("Conformance of hosts that misbehave", () => {
  for (const [name, [misbehaviour, ...expected]] of Object.entries(stories)) {
    effect.skipIf(!isFull)(`finds ${name}`, function*() {
      const { failed } = yield* run(misbehaviour)
      const lines = failed.map(Conformance.format)
      for (const [index, pattern] of expected.entries()) assert.match(lines[index] ?? "nothing", pattern)
      assert.strictEqual(lines.length, expected.length, lines.join("\n"))
    })
  }

  const conforming: ReadonlyArray<readonly [what: string, check: string, answer: NonNullable<Misbehaviour["answer"]>]> =
    [
      [
        "responses that may be cached, 405 for methods, and a text without its encoding",
        "",
        ({ headers: { "content-type": type = "" }, status }, request) => ({
          headers: { "cache-control": "max-age=60", "content-type": type.replace("values; charset=utf-8", "values") },
          ...(status === 404 &&
              /^(DELETE|POST) \/v3\/languages|^GET \/v2\/translate/.test(`${request.method} ${pathOf(request)}`)
            ? { status: 405 }
            : undefined)
        })
      ],
      [
        "another refusal of a method",
        "Documents: a request without a document key is refused, and so is a GET",
        (_, { method }) => method === "GET" ? { status: 405 } : undefined
      ],
      [
        "an account with a single key",
        "Admin: keys are listed with their ids, each once",
        ({ text }, request) =>
          pathOf(request).endsWith("/developer-keys")
            ? { text: JSON.stringify(JSON.parse(text).slice(0, 1)) }
            : undefined
      ]
    ]

  // The first runs all checks.
  effect.each(isFull ? conforming : conforming.slice(1))("takes %s", function*([, check, answer]) {
    const { failed, passed } = yield* run({ answer }, check)
    assert.deepStrictEqual(failed.map(Conformance.format), [])
    assert.isNotEmpty(passed)
  })

  effect("finds a document that is given twice", function*() {
    const again: Misbehaviour = {
      answer: ({ status, text }) =>
        status === 404 && /already downloaded/.test(text) ? { status: 200, text: "Hallo Welt" } : undefined
    }
    const { failed } = yield* run(again, "Documents:")
    assert.match(
      failed.map(Conformance.format).join("\n"),
      /^FAILED {3}Documents: a ready document is downloaded once.*Expected: the call fails with DocumentAlreadyDownloaded/
    )
  })

  effect("cannot be passed by a host that always answers the same", function*() {
    const answers = [[200, "{}"], [200, "[]"], [200, ""], [204, ""], [418, "{}"]] as const
    for (const [status, text] of sampled(answers, 1)) {
      const http = HttpClient.make((request) =>
        Effect.succeed(HttpClientResponse.fromWeb(request, new Response(text === "" ? null : text, { status })))
      )
      const { failed, passed } = yield* VirtualTime.run(Effect.provide(
        Conformance.run(),
        over(Layer.succeed(HttpClient.HttpClient, http))
      ))
      assert.deepStrictEqual(passed.map(Conformance.format), [], `${status} ${text}`)
      for (const line of failed.map(Conformance.format)) assert.notInclude(line, "\n")
    }
  })

  effect("ends after one request that is not answered, or whose key is refused, with one failure", function*() {
    const dead = HttpClient.make((request) =>
      Effect.fail(
        new HttpClientError.HttpClientError({
          reason: new HttpClientError.TransportError({ request, cause: { code: "ENOTFOUND" } })
        })
      )
    )
    const all: Array<readonly [HttpClient.HttpClient, string]> = [
      [dead, "ConnectionFailed"],
      [closed(`{"message":"Invalid key"}`), "InvalidKey"],
      [closed("Forbidden"), "AccessDenied"]
    ]
    for (const [http, tag] of all) {
      const seen: Array<Conformance.Outcome> = []
      let sent = 0
      const counted = HttpClient.mapRequest(http, (request) => {
        sent += 1
        return request
      })
      const report = yield* Effect.provide(
        Conformance.run({ onOutcome: (outcome) => Effect.sync(() => seen.push(outcome)) }),
        over(Layer.succeed(HttpClient.HttpClient, counted))
      )
      assert.deepStrictEqual([sent, report.passed.length, report.failed.length], [1, 0, 1])
      assert.match(
        report.failed.map(Conformance.format).join(),
        new RegExp(`^FAILED {3}Access: the host responds and accepts the key\\. .*Got: ${tag}: `)
      )
      assert.deepStrictEqual(report.skipped.map(({ check }) => check), Conformance.checks)
      assert.match(report.skipped[0]?.reason ?? "", /^the host cannot be checked, it does not pass "Access: the host/)
      assert.deepStrictEqual(seen, [...report.failed, ...report.skipped])
      assert.strictEqual(report.characters, 0)
    }
  })

  effect.skipIf(!isFull)("goes on where the first request alone is refused", function*() {
    const { failed, passed } = yield* run({
      answer: (_, request) => pathOf(request) === "/v3/languages/resources" ? { status: 404 } : undefined
    })
    assert.isAbove(passed.length, 40)
    assert.isAbove(failed.length, 0)
  })

  effect.skipIf(!isFull)("skips what a host without characters refuses before anything is seen", function*() {
    const { failed, passed, skipped } = yield* Effect.provide(
      Conformance.run(),
      Conformance.layerFake({ quota: { characters: 0 } })
    )
    assert.deepStrictEqual(failed.map(Conformance.format), [])
    const lines = skipped.filter(({ reason }) => /456/.test(reason)).map(Conformance.format)
    assert.isTrue(
      lines.every((line) => line.endsWith("the host refuses its characters with 456, because its quota is used up"))
    )
    for (const name of [/Writing: correct gives/, /Writing: a form/, /Translation: each text/]) {
      assert.isTrue(lines.some((line) => name.test(line)), String(name))
    }
    assert.isTrue(passed.some(({ errors }) => errors.includes("QuotaExceeded")))
    const { failed: wrong } = yield* run({
      answer: (_, request) => pathOf(request) === "/v3/languages" ? { status: 456 } : undefined
    }, "Languages:")
    assert.isNotEmpty(wrong)
  })

  it.effect("looks for lists that are left in pages of the host's size, where it refuses the largest", () =>
    Effect.gen(function*() {
      const { addStyleRuleList, state } = yield* FakeLanguageService
      for (let index = 0; index < 23; index++) {
        yield* addStyleRuleList({ name: `effect-lingua-conformance 0123456789abcdef list${index}`, language: "en" })
      }
      yield* addStyleRuleList({ name: "House", language: "en" })
      const removed = yield* Conformance.cleanUp({ olderThan: 0 })
      assert.strictEqual(removed.length, 23)
      assert.deepStrictEqual((yield* state).styleRuleLists.map(({ name }) => name), ["House"])
    }).pipe(
      Effect.provide(misbehaving({
        answer: (_, { urlParams }) =>
          urlParams.params.some(([name]) => name === "page_size")
            ? { status: 400, text: `{"message":"no"}` }
            : undefined
      }))
    ))
})
