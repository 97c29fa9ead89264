import { Attempt, type Contract, StyleRules } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { isFull } from "../../../../test/support/scale.ts"
import { errorOverTime, Sample, valueOverTime, Wire } from "../support/index.ts"

/** The effect of a repeat, where the method of the operation does not tell it. */
const unlikeMethod: Readonly<Record<string, Contract.Endpoint.RepeatKind>> = {
  "Documents.status": "Read",
  "Documents.download": "Consume",
  "Writing.rephrase": "Metered",
  "Writing.correct": "Metered",
  "TranslationMemories.startExport": "Replace",
  "Detection.detect": "Read",
  "Translation.translate": "Metered"
}

const likeMethod: Readonly<Record<string, Contract.Endpoint.RepeatKind>> = { GET: "Read", POST: "Create" }

/** The effect of repeating each operation. */
const kinds: Readonly<Record<string, Contract.Endpoint.RepeatKind>> = Object.fromEntries(
  Sample.contract.map(({ method, operation }) => [
    operation,
    unlikeMethod[operation] ?? likeMethod[method] ?? "Replace"
  ])
)

/** What a creation is looked up by. */
const creates: Readonly<Record<string, { readonly lookup: object; readonly words: string }>> = {
  "Admin.createKey": {
    lookup: { label: "Help pages" },
    words: `Look for an object with label "Help pages" before sending it again.`
  },
  "TranslationMemories.startImport": {
    lookup: { fileName: "manuals.tmx" },
    words: "Look for an object with fileName \"manuals.tmx\" before sending it again."
  },
  "QualityEvaluation.start": {
    lookup: {},
    words: "Nothing identifies the object, and sending the call again can create it twice."
  },
  "Documents.upload": {
    lookup: {},
    words: "Nothing identifies the object, and sending the call again can create it twice."
  },
  "StyleRules.create": {
    lookup: { name: "House style", language: "en" },
    words: `Look for an object with name "House style", language "en" before sending it again.`
  },
  "StyleRules.addInstruction": {
    lookup: { styleId: Sample.styleId, label: "Currency" },
    words: `Look for an object with styleId "${Sample.styleId}", label "Currency" before sending it again.`
  },
  "Glossaries.create": {
    lookup: { name: "Terms" },
    words: `Look for an object with name "Terms" before sending it again.`
  },
  "GlossariesV2.create": {
    lookup: { name: "Terms" },
    words: `Look for an object with name "Terms" before sending it again.`
  }
}

interface Outcome {
  readonly name: string
  readonly reply: Wire.Reply
  /** The error of a call that is not repeated. */
  readonly error: string
}

const status = (code: number, error: string, headers?: Wire.Headers): Outcome => ({
  name: String(code),
  reply: Wire.answer(code, "", headers),
  error
})

const cut: Wire.Reply = Wire.streamed(
  200,
  Stream.concat(Stream.make(new TextEncoder().encode("{")), Stream.fail(new Error("terminated")))
)

/** Answers that exclude an effect. */
const refused: ReadonlyArray<Outcome> = [
  status(408, "ServiceUnavailable"),
  status(429, "RateLimited"),
  status(529, "Overloaded"),
  { name: "ECONNREFUSED", reply: Wire.broken("ECONNREFUSED"), error: "ConnectionFailed" }
]

/** 503 excludes an effect, too, but for a document it means that it is not ready. */
const unavailable = status(503, "ServiceUnavailable")

/** Answers after which the effect is unknown. */
const unknown: ReadonlyArray<Outcome> = [
  status(500, "InternalServerError"),
  status(502, "BadGateway"),
  status(504, "GatewayTimeout"),
  { name: "a timeout", reply: Wire.silent, error: "AttemptTimeout" },
  { name: "ECONNRESET", reply: Wire.broken("ECONNRESET"), error: "ConnectionLost" }
]

/** Headers without their body. A download with its headers continues as a stream. */
const unknownBody: Outcome = { name: "a cut body", reply: cut, error: "ConnectionLost" }

/** Answers that another attempt would receive again. */
const final: ReadonlyArray<Outcome> = [
  status(400, "BadRequest"),
  status(401, "InvalidKey"),
  status(403, "AccessDenied"),
  status(413, "PayloadTooLarge"),
  status(418, "UnexpectedResponse"),
  status(302, "UnexpectedResponse"),
  { name: "ENOTFOUND", reply: Wire.broken("ENOTFOUND"), error: "ConnectionFailed" },
  { name: "a bad certificate", reply: Wire.broken("CERT_HAS_EXPIRED"), error: "ConnectionFailed" }
]

/** The same, if the operation declares them. */
const finalWhereDeclared: ReadonlyArray<readonly [status: number, error: string]> = [
  [404, "NotFound"],
  [414, "UriTooLong"],
  [415, "UnsupportedMediaType"],
  [456, "QuotaExceeded"]
]

/** For the short run a third of the answers to each operation, and each answer to a third of the operations. */
const spread = (operation: string, outcomes: ReadonlyArray<Outcome>) =>
  outcomes.filter((_, index) => isFull || (index + operation.length) % 3 === 0)

/** The answers after which an operation is repeated. */
const repeatedAfter = (operation: string): ReadonlyArray<Outcome> => {
  if (creates[operation] !== undefined) return [...refused, unavailable]
  if (operation === "Documents.download") return [...refused, ...unknown]
  return [...refused, unavailable, ...unknown, unknownBody]
}

/** The answers after which an operation is not repeated. */
const finalFor = ({ operation, statuses }: Sample.ContractEntry): ReadonlyArray<Outcome> => [
  ...final,
  ...finalWhereDeclared.filter(([code]) => statuses.includes(code)).map(([code, error]) =>
    status(
      code,
      code === 404 && ["Documents.download", "Documents.status"].includes(operation)
        ? "DocumentNotFound"
        : code === 456 && operation.startsWith("Glossaries")
        ? "TooManyGlossaryRequests"
        : error,
      { "retry-after": "1" }
    )
  )
]

describe("resilience", () => {
  it("every operation has a kind of repeat", () => {
    const found = Object.fromEntries(Sample.contract.map(({ operation, repeat }) => [operation, repeat]))
    assert.deepStrictEqual(found, kinds)
  })

  it.effect.each(Object.entries(kinds))("%s (%s) is repeated after the answers that its kind allows", ([operation]) => {
    const { call, success } = Sample.operation(operation)
    const outcomes = spread(operation, repeatedAfter(operation))
    return Effect.forEach(outcomes, ({ error, name }) =>
      Effect.gen(function*() {
        const [, attempts] = yield* valueOverTime(Attempt.record(call))
        assert.deepStrictEqual(attempts.map(({ failure }) => failure), [error, undefined], name)
      })).pipe(Effect.provide(Wire.layer(outcomes.flatMap(({ reply }) => [reply, success]))))
  })

  it.effect.each(Sample.contract)("$operation is not repeated after an answer that would be the same", (entry) => {
    const outcomes = spread(entry.operation, finalFor(entry))
    return Effect.forEach(outcomes, ({ error, name }) =>
      Effect.gen(function*() {
        const given = yield* errorOverTime(Sample.operation(entry.operation).call)
        assert.strictEqual(given._tag, error, name)
        assert.strictEqual(given.attempts.length, 1, name)
      })).pipe(Effect.provide(Wire.layer(outcomes.map(({ reply }) => reply))))
  })

  it.effect.each(Object.entries(creates))(
    "Create: %s is not repeated after an unknown outcome",
    ([operation, create]) => {
      const outcomes = [...unknown, unknownBody]
      return Effect.forEach(outcomes, ({ error, name }) =>
        Effect.gen(function*() {
          const given = yield* errorOverTime(Sample.operation(operation).call)
          assert.deepInclude<object>(given, {
            _tag: "OutcomeUnknown",
            operation,
            cause: error,
            outcome: "unknown",
            isTransient: false,
            lookup: create.lookup
          }, name)
          assert.strictEqual(given.attempts.length, 1, name)
          assert.include(given.message, error)
          assert.include(given.message, create.words)
        })).pipe(Effect.provide(Wire.layer(outcomes.map(({ reply }) => reply))))
    }
  )

  it.effect("Create: an unknown outcome after a refusal is still not repeated", () =>
    Effect.gen(function*() {
      const given = yield* errorOverTime(Sample.operation("StyleRules.create").call)
      assert.strictEqual(given._tag, "OutcomeUnknown")
      assert.deepStrictEqual(given.attempts.map(({ failure }) => failure), ["RateLimited", "ConnectionLost"])
    }).pipe(Effect.provide(Wire.layer([Wire.answer(429), Wire.broken("ECONNRESET")]))))

  it.effect.each(["Writing.rephrase", "Writing.correct", "Translation.translate"])(
    "Metered: %s is not repeated after an unknown outcome when the policy forbids it, but after a refusal",
    (operation) => {
      const { call, success } = Sample.operation(operation)
      const uncertain = [...unknown, unknownBody]
      const replies = [...uncertain.map(({ reply }) => reply), ...refused.flatMap(({ reply }) => [reply, success])]
      return Effect.gen(function*() {
        for (const { error, name } of uncertain) {
          const given = yield* errorOverTime(call)
          assert.strictEqual(given._tag, error, name)
          assert.strictEqual(given.attempts.length, 1, name)
        }
        for (const { name } of refused) {
          const [, attempts] = yield* valueOverTime(Attempt.record(call))
          assert.strictEqual(attempts.length, 2, name)
        }
      }).pipe(Effect.provide(Wire.layer(replies, { resilience: { repeatMetered: "never" } })))
    }
  )

  const metered = ["Writing.rephrase", "Writing.correct", "Translation.translate"].map((operation) =>
    [operation, Sample.operation(operation).call] as const
  )

  it.effect.each(metered)(
    "Metered: %s is sent again once after a response that was lost",
    ([, call]) =>
      Effect.forEach([Wire.silent, Wire.broken("ECONNRESET"), cut], (reply) =>
        Effect.gen(function*() {
          const given = yield* errorOverTime(call)
          assert.deepStrictEqual(given.attempts.map(({ stopCause }) => stopCause), [undefined, "outcome-unknown"])
        }).pipe(Effect.provide(Wire.layer(reply))))
  )

  it.effect.each(metered)(
    "Metered: %s is sent again after a 5xx answer as often as the policy allows",
    ([, call]) =>
      Effect.forEach([500, 502, 504, 520], (status) =>
        Effect.gen(function*() {
          const given = yield* errorOverTime(call)
          assert.deepStrictEqual(given.attempts.map(({ stopCause }) => stopCause).slice(-2), [undefined, "attempts"])
          assert.strictEqual(given.attempts.length, 5)
        }).pipe(Effect.provide(Wire.layer(Wire.answer(status)))))
  )

  it.effect.each(metered)(
    "Metered: the one response of %s that may be lost is counted among other failures",
    ([, call]) =>
      Effect.gen(function*() {
        const given = yield* errorOverTime(call)
        assert.deepStrictEqual(given.attempts.map(({ failure }) => failure), [
          "InternalServerError",
          "ConnectionLost",
          "RateLimited",
          "ConnectionLost"
        ])
      }).pipe(Effect.provide(
        Wire.layer([Wire.answer(500), Wire.broken("ECONNRESET"), Wire.answer(429), Wire.broken("ECONNRESET")])
      ))
  )

  it.effect.each(metered)(
    "Metered: %s is sent again after every lost response if the policy allows it",
    ([, call]) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* errorOverTime(call)).attempts.length, 5)
      }).pipe(Effect.provide(Wire.layer(Wire.broken("ECONNRESET"), { resilience: { repeatMetered: "always" } })))
  )

  it.effect.each(unknown)(
    "Consume: a download is requested once more after $name, not twice",
    ({ error, reply }) =>
      Effect.gen(function*() {
        const given = yield* errorOverTime(Sample.operation("Documents.download").call)
        assert.strictEqual(given._tag, error)
        assert.strictEqual(yield* Wire.count, 2)
      }).pipe(Effect.provide(Wire.layer(reply)))
  )

  it.effect.each(["StyleRules.remove", "StyleRules.removeInstruction"])(
    "Replace: %s that finds nothing on a repeat has done its work",
    (operation) =>
      Effect.gen(function*() {
        assert.isUndefined(yield* valueOverTime(Sample.operation(operation).call))
        assert.strictEqual(yield* Wire.count, 2)
      }).pipe(Effect.provide(Wire.layer([Wire.broken("ECONNRESET"), Wire.answer(404)])))
  )

  it.effect("Replace: a repeated call other than a DELETE fails if it finds nothing", () =>
    Effect.gen(function*() {
      const rules = yield* StyleRules
      const given = yield* errorOverTime(rules.rename({ styleId: Sample.styleId, name: "a" }))
      assert.strictEqual(given._tag, "NotFound")
    }).pipe(Effect.provide(Wire.layer([Wire.answer(500), Wire.answer(404)]))))
})
