import { Documents } from "@effect-lingua/core/documents/Documents"
import * as Attempt from "@effect-lingua/core/errors/Attempt"
import { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import { Languages } from "@effect-lingua/core/languages/Languages"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Stream } from "effect"
import * as Sample from "./support/operations.ts"
import * as Wire from "./support/Wire.ts"

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

/** What a creating call is looked up by when its fate is not known. */
const lookups: Readonly<Record<string, object>> = {
  "Admin.createKey": { label: "Help pages" },
  "Documents.upload": {},
  "StyleRules.create": { name: "House style", language: "en" },
  "StyleRules.addInstruction": { styleId: Sample.styleId, label: "Currency" },
  "TranslationMemories.startImport": { fileName: "manuals.tmx" },
  "Glossaries.create": { name: "Terms" },
  "GlossariesV2.create": { name: "Terms" },
  "QualityEvaluation.start": {}
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
    return lookups[operation] === undefined ? ", gave up (attempts)" : ", gave up (outcome-unknown)"
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
    ({ operation, statuses }) =>
      Effect.forEach(statuses, (status) =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(Sample.operation(operation).call)
          const expected = meaning(operation, status)
          const lookup = [500, 502, 504].includes(status) ? lookups[operation] : undefined
          assert.deepInclude<object>(error, {
            operation,
            description: "As the service says",
            traceId: "0AF1",
            ...(lookup === undefined
              ? { _tag: expected, status, code: "a_code", retryAfter: Duration.seconds(7) }
              : { _tag: "OutcomeUnknown", cause: expected, lookup })
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
  )

  it.effect.each<readonly [message: string, tag: string]>([
    ["Too many requests were made to the glossary endpoints", "TooManyGlossaryRequests"],
    ["", "TooManyGlossaryRequests"],
    ["Quota Exceeded", "QuotaExceeded"],
    ["The character limit has been reached", "QuotaExceeded"]
  ])("a 456 of glossaries with the words %j is %s", ([message, tag]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Glossaries.use((glossaries) => Stream.runCollect(glossaries.list)))
      assert.deepInclude<object>(error, {
        _tag: tag,
        isTransient: tag === "TooManyGlossaryRequests",
        outcome: "refused"
      })
      assert.strictEqual(error.attempts.length, 1)
      if (tag !== "TooManyGlossaryRequests") return
      assert.notInclude(error.message, "quota")
      assert.include(error.message, "Wait for a while, then send fewer of them")
    }).pipe(Effect.provide(Wire.layer([Wire.answer(456, { message })]))))

  it.effect.each<readonly [body: object | string, tag: string]>([
    [{ message: "Forbidden", detail: "Missing required scope(s): style_rules:write" }, "MissingScope"],
    [{ message: "Missing required scope(s): a:read, b:write" }, "MissingScope"],
    [{ message: "Wrong endpoint. Use https://other.test instead." }, "WrongTier"],
    [{ message: "Feature not enabled for this key" }, "AccessDenied"],
    [{ message: "Needs the paid tier" }, "WrongTier"],
    [{ message: "Invalid API key" }, "InvalidKey"],
    [{ message: "Authorization failed" }, "InvalidKey"],
    [{ message: "Forbidden" }, "AccessDenied"],
    ["", "AccessDenied"],
    ["<html><body>403 Forbidden</body></html>", "AccessDenied"],
    // Words that only contain a hint are none.
    [{ message: "The monkey is frontier property, planned" }, "AccessDenied"]
  ])("403 with the body %j is %s", ([body, tag]) =>
    Effect.gen(function*() {
      const languages = yield* Languages
      const error = yield* Effect.flip(languages.resources)
      assert.strictEqual(error._tag, tag)
      assert.deepInclude<object>(error, { status: 403, outcome: "refused", isTransient: false })
    }).pipe(Effect.provide(Wire.layer([Wire.answer(403, body)]))))

  it.effect("a missing scope is named", () =>
    Effect.gen(function*() {
      const languages = yield* Languages
      const error = yield* Effect.flip(languages.resources)
      if (error._tag !== "MissingScope") return assert.fail(error._tag)
      assert.deepStrictEqual(error.scopes, ["a:read", "b:write"])
      assert.include(error.message, "Use a key that has a:read, b:write.")
    }).pipe(
      Effect.provide(Wire.layer([
        Wire.answer(403, { message: "Forbidden", detail: "Missing required scope(s): a:read, b:write" })
      ]))
    ))

  it.effect.each<readonly [status: number, body: object | string, tag: string]>([
    [404, { message: "Document not found" }, "DocumentNotFound"],
    [404, "", "DocumentNotFound"],
    [404, { message: "Document already downloaded" }, "DocumentAlreadyDownloaded"],
    [503, { message: "Document already downloaded" }, "DocumentAlreadyDownloaded"],
    [503, { message: "The document has already been downloaded." }, "DocumentAlreadyDownloaded"],
    [503, { message: "Document translation is not done" }, "DocumentNotReady"],
    [503, {}, "DocumentNotReady"],
    [503, "", "DocumentNotReady"],
    [503, { error: { message: "Service temporarily unavailable" } }, "ServiceUnavailable"],
    [503, "<html><title>503 Service Unavailable</title></html>", "ServiceUnavailable"],
    [503, { message: "Down for maintenance" }, "ServiceUnavailable"],
    [503, { message: "Overloaded" }, "ServiceUnavailable"]
  ])("a download that is answered %d with the body %j is %s", ([status, body, tag]) =>
    Effect.gen(function*() {
      const documents = yield* Documents
      const error = yield* Effect.flip(documents.download(Sample.document))
      assert.strictEqual(error._tag, tag)
      assert.deepInclude<object>(error, { status, operation: "Documents.download" })
    }).pipe(Effect.provide(Wire.layer([Wire.answer(status, body)], { resilience }))))

  it.effect.each<readonly [status: number, body: object | string, tag: string]>([
    [429, { message: "Too many requests" }, "RateLimited"],
    [429, { message: "Too many concurrent requests" }, "RateLimited"],
    [429, "", "RateLimited"],
    [429, { message: "Too many documents are being translated" }, "TooManyDocuments"],
    [429, { message: "Limit of finished files that were not downloaded" }, "TooManyDocuments"],
    [404, { message: "Glossary not found" }, "NotFound"]
  ])("an upload that is answered %d with the body %j is %s", ([status, body, tag]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Sample.operation("Documents.upload").call)
      assert.deepInclude<object>(error, {
        _tag: tag,
        status,
        operation: "Documents.upload",
        outcome: "refused",
        isTransient: status === 429
      })
    }).pipe(Effect.provide(Wire.layer([Wire.answer(status, body)], { resilience }))))

  it.effect.each<readonly [status: number, body: object | string, tag: string]>([
    [404, { message: "Document already downloaded" }, "DocumentAlreadyDownloaded"],
    [404, "", "DocumentNotFound"],
    [503, { message: "Document is not ready" }, "ServiceUnavailable"],
    [429, { message: "Too many documents" }, "RateLimited"]
  ])("a status that is answered %d with the body %j is %s", ([status, body, tag]) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Sample.operation("Documents.status").call)
      assert.deepInclude<object>(error, { _tag: tag, status, operation: "Documents.status" })
    }).pipe(Effect.provide(Wire.layer([Wire.answer(status, body)], { resilience }))))
})
