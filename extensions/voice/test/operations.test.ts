// The facts of each operation of speech: its request, its responses, its errors and its options.
import type { Contract } from "@effect-lingua/core/extension"
import { Voice } from "@effect-lingua/voice/Voice"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Exit, Redacted } from "effect"
import { OpenApi } from "effect/http-api"
import { changes } from "../../../packages/core/test/support/changes.ts"
import { fieldsOf } from "../../../packages/core/test/support/points.ts"
import { printedOf } from "../../../packages/core/test/support/printed.ts"
import { errorOverTime } from "../../../packages/core/test/support/time.ts"
import { sampled } from "../../../test/support/scale.ts"
import * as Sample from "./support/operations.ts"
import * as Wire from "./support/wire.ts"

interface Fact {
  readonly repeat: Contract.Endpoint.RepeatKind
  /** The statuses that the operation declares besides those of all. */
  readonly statuses: ReadonlyArray<number>
  /** What a creation is looked up by. */
  readonly lookup?: object
  /** The fields without which a response is of no use, as {@link fieldsOf} reads them. */
  readonly point?: string
}

const point = "spoken_terms_id"
const session = { repeat: "Create", statuses: [456], lookup: {}, point: "streaming_url token" } as const

const facts: Readonly<Record<string, Fact>> = {
  "SpokenTerms.create": { repeat: "Create", statuses: [415, 456], lookup: { name: "Harbour words" }, point },
  "SpokenTerms.list": { repeat: "Read", statuses: [], point: "spoken_terms.*.spoken_terms_id" },
  "SpokenTerms.get": { repeat: "Read", statuses: [404], point },
  "SpokenTerms.merge": { repeat: "Replace", statuses: [404, 415], point },
  "SpokenTerms.remove": { repeat: "Replace", statuses: [404] },
  "SpokenTerms.terms": { repeat: "Read", statuses: [404], point: "entries" },
  "SpokenTerms.replaceList": { repeat: "Replace", statuses: [404, 415] },
  "SpokenTerms.removeList": { repeat: "Replace", statuses: [404] },
  "Voice.start": { repeat: "Create", statuses: [], lookup: {}, point: "job_id upload_url" },
  "Voice.status": { repeat: "Read", statuses: [404], point: "results?.*.status?" },
  "Voice.requestSession": session,
  "Voice.reconnect": session
}

/** The statuses that any operation declares. */
const everywhere = [400, 401, 403, 408, 413, 429, 500, 502, 503, 504, 529]

const declared = new Map(Sample.contract.map((entry) => [entry.operation, entry]))

const names = Object.keys(facts)
const fact = (name: string) => facts[name] ?? assert.fail(name)

const once = { resilience: { attempts: 1, jobDeadline: Duration.minutes(1) } }

describe("the operations of speech", () => {
  it("are these, and have a sample each", () => {
    assert.sameMembers([...declared.keys()].filter((name) => /^(?:Voice|SpokenTerms)\./.test(name)), names)
    assert.sameMembers(Object.keys(Sample.operations), names)
  })

  it("are added to the contract, and to its description", () => {
    const { paths } = OpenApi.fromApi(Sample.api)
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
    )
    const requests = Object.values(Sample.operations).map(({ request: [method, path] }) =>
      `${method} ${
        path.replace(/\?.*/, "").replace(Sample.jobId, "{job_id}").replace(Sample.spokenTermsId, "{spoken_terms_id}")
      }`
    )
    assert.includeMembers(described, [...requests, "POST /v2/translate"])
  })

  it.each(names)("%s declares its repeat, its tier and its statuses", (name) => {
    const { repeat, statuses } = fact(name)
    assert.deepInclude(declared.get(name), {
      repeat,
      tier: "paid",
      statuses: [...everywhere, ...statuses].toSorted((a, b) => a - b)
    })
  })

  it.effect.each(names)("%s sends the request and reads the answer", (name) =>
    Effect.gen(function*() {
      const { request: [method, path, body = ""], value } = Sample.operation(name)
      assert.deepStrictEqual(yield* Sample.call(name), value)
      const [sent] = yield* Wire.sent
      assert.deepInclude(sent, { method, url: `https://service.test${path}`, body })
      assert.strictEqual(sent?.headers["authorization"], "Service-Auth-Key key-of-the-tests")
    }).pipe(Effect.provide(Wire.layer([Sample.operation(name).success]))))

  it.effect.each(names)(
    "%s is refused to a client of the free tier, before anything is sent",
    (name) =>
      Effect.gen(function*() {
        assert.deepInclude<object>(yield* Effect.flip(Sample.call(name)), { _tag: "WrongTier", outcome: "refused" })
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(Wire.layer([], { tier: "free" })))
  )

  it.effect.each(names)("%s is repeated after an unknown outcome, unless it creates", (name) =>
    Effect.gen(function*() {
      const { lookup } = fact(name)
      const error = yield* errorOverTime(Sample.call(name))
      assert.deepInclude<object>(
        error,
        lookup === undefined
          ? { _tag: "InternalServerError" }
          : { _tag: "OutcomeUnknown", cause: "InternalServerError", lookup }
      )
      assert.strictEqual(error.attempts.length, lookup === undefined ? 5 : 1)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(500)))))

  it.effect.each(names)("%s needs only some fields of a response, and names one that it misses", (name) => {
    const { lists, needed } = fieldsOf(fact(name).point ?? "")
    const { body } = Sample.operation(name)
    const { signed_upload_url: _, ...unsigned } = Sample.started
    const bodies = body === undefined ? [] : changes(name === "Voice.start" ? unsigned : body, "")
    const chosen = new Set([...bodies.filter(({ path }) => needed.includes(path)), ...sampled(bodies, 5)])
    return Effect.forEach(chosen, ({ body, change, path }) =>
      Effect.gen(function*() {
        const where = `${path} ${change}: ${JSON.stringify(body)}`
        const exit = yield* Effect.exit(Sample.call(name))
        const isNeeded = path === "" || needed.includes(path) || (change === "another type" && lists.includes(path))
        assert.strictEqual(Exit.isFailure(exit), isNeeded, where)
        if (!Exit.isFailure(exit)) return
        assert.include(String(exit.cause), path.split(".").findLast((key) => key !== "*") ?? "", where)
      }).pipe(Effect.provide(Wire.layer(Wire.answer(200, JSON.stringify(body)), once))))
  })

  const ids = names.flatMap((name) =>
    ["jobId", "spokenTermsId"].filter((id) => id in (Sample.operation(name).input ?? {}))
      .map((id) => [name, id] as const)
  )

  it.effect.each(ids)(
    "%s refuses a %s that cannot be a segment of the path",
    ([name, id]) =>
      Effect.forEach(["", "..", "a\nb", "a/b"], (value) =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(Sample.call(name, { ...Sample.operation(name).input, [id]: value }))
          assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: id })
          assert.strictEqual(yield* Wire.count, 0)
        }).pipe(Effect.provide(Wire.layer([]))))
  )
})

const speech = "fileName contentType targets sourceLanguage"

/** The options of each method. */
const options: Readonly<Record<string, string>> = {
  "SpokenTerms.create": "name termLists",
  "SpokenTerms.list": "",
  "SpokenTerms.get": "spokenTermsId",
  "SpokenTerms.merge": "spokenTermsId name termLists",
  "SpokenTerms.remove": "spokenTermsId",
  "SpokenTerms.terms": "spokenTermsId language",
  "SpokenTerms.replaceList": "spokenTermsId language terms",
  "SpokenTerms.removeList": "spokenTermsId language",
  "Voice.start": `${speech} size signedUrl`,
  "Voice.upload": "job content size",
  "Voice.status": "jobId signedUrl",
  "Voice.wait": "jobId",
  "Voice.download": "jobId targetIndex",
  "Voice.translate": `${speech} content size`,
  "Voice.requestSession":
    "sourceMediaContentType messageFormat sourceLanguage sourceLanguageMode targetLanguages targetMediaLanguages " +
    "targetMediaContentType targetMediaVoice glossaryId formality spokenTermsId",
  "Voice.reconnect": "token"
}

describe("the options of speech", () => {
  it.effect("are those of each method", () =>
    Effect.gen(function*() {
      assert.sameMembers([...yield* Sample.methodNames], Object.keys(options))
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect.each(Object.entries(options).filter(([, all]) => all !== ""))(
    "%s refuses a misspelling of one, and names it",
    ([name, all]) => {
      const own = all.split(" ")
      return Effect.forEach(sampled(own, 3), (option) =>
        Effect.gen(function*() {
          const given = Object.fromEntries(own.map((other) => [other === option ? `${option}x` : other, "a"]))
          const error = yield* Effect.flip(Sample.call(name, given))
          assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: `${option}x` })
          assert.strictEqual(yield* Wire.count, 0)
        }).pipe(Effect.provide(Wire.layer([]))))
    }
  )

  it.effect.each<readonly [name: string, list: string, others: object]>([
    ["Voice.start", "targets", Sample.speech],
    ["SpokenTerms.create", "termLists", { name: "a" }]
  ])(
    "%s refuses %s that are no list of objects",
    ([name, list, others]) =>
      Effect.forEach(["a", {}, ["a"], [null]], (value) =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(Sample.call(name, { ...others, [list]: value }))
          assert.strictEqual(error._tag, "InvalidInput")
          assert.match(String(Reflect.get(error, "parameter")), new RegExp(`^${list}`))
          assert.strictEqual(yield* Wire.count, 0)
        }).pipe(Effect.provide(Wire.layer([]))))
  )
})

describe("the token of a session", () => {
  const token = "SECRET-TOKEN/89ab+c=="

  it.effect("stands in the query, where slashes do no harm", () =>
    Effect.gen(function*() {
      yield* Effect.flip(Voice.use((voice) => voice.reconnect({ token: Redacted.make(token) })))
      const [sent] = yield* Wire.sent
      assert.strictEqual(new URL(sent?.url ?? "").searchParams.get("token"), token)
    }).pipe(Effect.provide(Wire.layer([Wire.answer(401)]))))

  it.effect.each<readonly [what: string, reply: Wire.Reply]>([
    ["a refusal that quotes it", Wire.answer(400, { message: `No session has the token ${token}.` })],
    ["a failure that quotes the address", (request, sent) => Wire.answer(500, { message: sent.url })(request, sent)],
    ["a success", Wire.answer(200, Sample.session)],
    ["a lost connection", Wire.broken("ECONNRESET")]
  ])("is not printed after %s", ([, reply]) =>
    Effect.gen(function*() {
      const { printed } = yield* printedOf(Voice.use((voice) => voice.reconnect({ token: Redacted.make(token) })))
      for (const [where, text] of printed) {
        for (const form of [token, encodeURIComponent(token), Sample.session.token]) {
          assert.notInclude(text, form, where)
        }
      }
    }).pipe(Effect.provide(Wire.layer(reply, once))))
})

it.effect("a failed job does not print the key in its reason or its state", () =>
  Effect.forEach([Wire.key, "error", "failed"], (status) =>
    Effect.gen(function*() {
      const { exit, printed } = yield* printedOf(Voice.use((voice) => voice.wait({ jobId: Sample.jobId })))
      assert.isTrue(Exit.isFailure(exit))
      for (const [where, text] of printed) assert.notInclude(text, Wire.key, where)
    }).pipe(Effect.provide(Wire.layer(
      Wire.answer(200, { job_id: Sample.jobId, results: [{ status, error: { message: Wire.key } }] }),
      once
    )))))

it.effect("a state is read in any case", () =>
  Effect.gen(function*() {
    const { results } = yield* Voice.use((voice) => voice.status({ jobId: Sample.jobId }))
    assert.deepStrictEqual(results.map(({ state }) => state), ["failed"])
  }).pipe(Effect.provide(Wire.layer([Wire.answer(200, { results: [{ status: "Failed" }] })]))))

it.effect("the address of a file is the one that came", () =>
  Effect.gen(function*() {
    assert.notProperty(yield* Voice.use((voice) => voice.start(Sample.speech)), "uploadUrl")
  }).pipe(Effect.provide(Wire.layer([
    Wire.answer(201, { job_id: "a", upload_url: { href: "https://a.test" }, signed_upload_url: "https://b.test" })
  ]))))
