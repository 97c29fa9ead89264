import { Attempt, Languages } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { isFull } from "../../../test/support/scale.ts"
import { Sample, Wire } from "./support/index.ts"

/** What each status means. */
const meanings: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "InvalidKey",
  403: "AccessDenied",
  404: "NotFound",
  408: "ServiceUnavailable",
  409: "ExportRunning",
  413: "PayloadTooLarge",
  414: "UriTooLong",
  415: "UnsupportedMediaType",
  429: "RateLimited",
  456: "QuotaExceeded",
  500: "InternalServerError",
  502: "BadGateway",
  503: "ServiceUnavailable",
  504: "GatewayTimeout",
  529: "Overloaded"
}

const meaning = (operation: string, status: number): string | undefined => {
  if (["Documents.download", "Documents.status"].includes(operation) && status === 404) return "DocumentNotFound"
  if (operation === "Documents.download" && status === 503) return "DocumentNotReady"
  if (operation.startsWith("Glossaries") && status === 456) return "TooManyGlossaryRequests"
  return meanings[status]
}

/** The statuses that any operation declares. */
const everywhere = [400, 401, 403, 408, 413, 429, 500, 502, 503, 504, 529]

/** The statuses that operations declare besides. One with an id in its path has 404. */
const declared: Readonly<Record<string, ReadonlyArray<number>>> = {
  Admin: [404],
  Documents: [404, 456],
  Glossaries: [404, 415, 456],
  GlossariesV2: [404, 415, 456],
  Writing: [415, 456],
  "StyleRules.create": [456],
  "StyleRules.rename": [456],
  "StyleRules.addInstruction": [456],
  "Detection.detect": [415, 456],
  "Languages.listV2": [404, 456],
  "Languages.glossaryPairs": [404, 415, 456],
  "Translation.translate": [404, 414, 456],
  "Usage.get": [404, 456],
  "TranslationMemories.startImport": [456],
  "TranslationMemories.startExport": [409]
}

const declaredBy = ({ operation, path }: Sample.ContractEntry): ReadonlyArray<number> => {
  const [group = ""] = operation.split(".")
  const all = [
    ...everywhere,
    ...declared[group] ?? [],
    ...declared[operation] ?? [],
    ...path.includes(":") ? [404] : []
  ]
  return Array.from(new Set(all)).toSorted((a, b) => a - b)
}

/** Why the only attempt was not followed by another. */
const stopCause = (operation: string, status: number): string => {
  // It is waited for by its status.
  if (operation === "Documents.download" && status === 503) return ""
  if ([500, 502, 504].includes(status)) {
    return Sample.creates.has(operation) ? ", gave up (outcome-unknown)" : ", gave up (attempts)"
  }
  return [408, 429, 503, 529].includes(status) ? ", gave up (attempts)" : ""
}

/** One attempt only, no polls, and no call waits after the failures of others. */
const resilience = {
  attempts: 1,
  polling: false,
  jobDeadline: Duration.millis(100),
  concurrency: Number.POSITIVE_INFINITY
}

describe("status", () => {
  it.each(Sample.contract)("$operation declares the statuses that the service can answer with", (entry) => {
    assert.deepStrictEqual(entry.statuses, declaredBy(entry))
  })

  it.effect.each(Sample.contract)(
    "$operation gives each status its meaning",
    ({ operation, statuses: all }) => {
      // The short run has half of the statuses for each operation.
      const statuses = all.filter((_, index) => isFull || (index + operation.length) % 2 === 0)
      return Effect.forEach(statuses, (status) =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(Sample.operation(operation).call)
          const expected = meaning(operation, status)
          assert.deepInclude<object>(error, {
            operation,
            description: "As the service says",
            traceId: "0AF1",
            ...([500, 502, 504].includes(status) && Sample.creates.has(operation)
              ? { _tag: "OutcomeUnknown", cause: expected }
              : { _tag: expected, status, code: "a_code", retryAfter: Duration.seconds(7) })
          })
          const stop = stopCause(operation, status)
          assert.strictEqual(Attempt.format(error.attempts), `#1 ${status} ${expected} (trace 0AF1)${stop}`)
          assert.include(error.message, operation)
          assert.include(error.message, "As the service says.")
          assert.include(error.message, "Trace id 0AF1.")
        })).pipe(Effect.provide(Wire.layer(
          statuses.map((status) =>
            Wire.answer(status, { message: "As the service says", code: "a_code" }, {
              "x-trace-id": "0AF1",
              "retry-after": "7"
            })
          ),
          { resilience }
        )))
    }
  )

  const down = "<html><title>503 Service Unavailable</title></html>"

  it.effect.each<readonly [operation: string, status: number, body: object | string, tag: string]>([
    ["Glossaries.list", 456, "Too many requests were made to the glossary endpoints", "TooManyGlossaryRequests"],
    ["Glossaries.list", 456, "", "TooManyGlossaryRequests"],
    ["Glossaries.list", 456, "Quota Exceeded", "QuotaExceeded"],
    ["Glossaries.list", 456, "The character limit has been reached", "QuotaExceeded"],
    ["Languages.resources", 403, { detail: "Missing required scope(s): style_rules:write" }, "MissingScope"],
    ["Languages.resources", 403, "Missing required scope(s): a:read, b:write", "MissingScope"],
    ["Languages.resources", 403, "Wrong endpoint. Use https://other.test instead.", "WrongTier"],
    ["Languages.resources", 403, "Feature not enabled for this key", "AccessDenied"],
    ["Languages.resources", 403, "Needs the paid tier", "WrongTier"],
    ["Languages.resources", 403, "Invalid API key", "InvalidKey"],
    ["Languages.resources", 403, "Authorization failed", "InvalidKey"],
    ["Languages.resources", 403, "Forbidden", "AccessDenied"],
    ["Languages.resources", 403, "", "AccessDenied"],
    ["Languages.resources", 403, "<html><body>403 Forbidden</body></html>", "AccessDenied"],
    // Words that only contain a hint are none.
    ["Languages.resources", 403, "The monkey is frontier property, planned", "AccessDenied"],
    ["Documents.download", 404, "Document not found", "DocumentNotFound"],
    ["Documents.download", 404, "", "DocumentNotFound"],
    ["Documents.download", 404, "Document already downloaded", "DocumentAlreadyDownloaded"],
    ["Documents.download", 503, "Document already downloaded", "DocumentAlreadyDownloaded"],
    ["Documents.download", 503, "The document has already been downloaded.", "DocumentAlreadyDownloaded"],
    ["Documents.download", 503, "Document translation is not done", "DocumentNotReady"],
    ["Documents.download", 503, {}, "DocumentNotReady"],
    ["Documents.download", 503, "", "DocumentNotReady"],
    ["Documents.download", 503, { error: { message: "Service temporarily unavailable" } }, "ServiceUnavailable"],
    ["Documents.download", 503, down, "ServiceUnavailable"],
    ["Documents.download", 503, "Down for maintenance", "ServiceUnavailable"],
    ["Documents.download", 503, "Overloaded", "ServiceUnavailable"],
    ["Documents.upload", 429, "Too many requests", "RateLimited"],
    ["Documents.upload", 429, "Too many concurrent requests", "RateLimited"],
    ["Documents.upload", 429, "", "RateLimited"],
    ["Documents.upload", 429, "Too many documents are being translated", "TooManyDocuments"],
    ["Documents.upload", 429, "Limit of finished files that were not downloaded", "TooManyDocuments"],
    ["Documents.upload", 404, "Glossary not found", "NotFound"],
    ["Documents.status", 404, "Document already downloaded", "DocumentAlreadyDownloaded"],
    ["Documents.status", 404, "", "DocumentNotFound"],
    ["Documents.status", 503, "Document is not ready", "ServiceUnavailable"],
    ["Documents.status", 429, "Too many documents", "RateLimited"]
  ])("%s that is answered %d with %j is %s", ([operation, status, said, tag]) => {
    const body = typeof said === "string" && /^[^<]/.test(said) ? { message: said } : said
    return Effect.gen(function*() {
      const error = yield* Effect.flip(Sample.operation(operation).call)
      assert.deepInclude<object>(error, {
        _tag: tag,
        status,
        operation,
        isTransient: /^(TooMany|RateLimited|ServiceUnavailable|DocumentNotReady)/.test(tag)
      })
      assert.strictEqual(error.outcome, tag === "DocumentNotReady" ? "pending" : "refused")
      assert.strictEqual(error.attempts.length, 1)
      if (tag !== "TooManyGlossaryRequests") return
      assert.notInclude(error.message, "quota")
      assert.include(error.message, "Wait for a while, then send fewer of them")
    }).pipe(Effect.provide(Wire.layer([Wire.answer(status, body)], { resilience })))
  })

  it.effect("a missing scope is named", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Languages.use((languages) => languages.resources))
      if (error._tag !== "MissingScope") return assert.fail(error._tag)
      assert.deepStrictEqual(error.scopes, ["a:read", "b:write"])
      assert.include(error.message, "Use a key that has a:read, b:write.")
    }).pipe(
      Effect.provide(Wire.layer([
        Wire.answer(403, { message: "Forbidden", detail: "Missing required scope(s): a:read, b:write" })
      ]))
    ))
})
