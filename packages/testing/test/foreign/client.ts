// A client that this project did not write, on a socket of the fake.
import { FakeLanguageService, NodeFakeLanguageService } from "@effect-lingua/testing"
import { assert } from "@effect/vitest"
import * as DeepL from "deepl-node"
import { Effect, Redacted } from "effect"

/** The fake, told to accept the scheme word of this client. */
export const layer = (options: NodeFakeLanguageService.Options = {}) =>
  NodeFakeLanguageService.layer({ authSchemes: ["DeepL-Auth-Key"], ...options })

/** The client, which tries once unless it is told otherwise. */
export const make = (key = "fake-key", options: DeepL.DeepLClientOptions = {}) =>
  Effect.map(
    FakeLanguageService,
    ({ url }) => new DeepL.DeepLClient(key, { serverUrl: url, maxRetries: 0, ...options })
  )

/** Calls the client; it fails with the client's own errors only. */
export const call = <A>(f: () => Promise<A>): Effect.Effect<A, DeepL.DeepLError> =>
  Effect.catchTag(
    Effect.tryPromise(f),
    "UnknownError",
    ({ cause }) => cause instanceof DeepL.DeepLError ? Effect.fail(cause) : Effect.die(cause)
  )

/** Checks that a call fails with one of the client's classes, exactly, and words of the service. */
export const refused = Effect.fnUntraced(function*(
  f: () => Promise<unknown>,
  expected: new(message: string) => DeepL.DeepLError,
  words: string
) {
  const error = yield* Effect.match(call(f), { onFailure: (error) => error, onSuccess: () => undefined })
  if (error === undefined) return assert.fail(`the call is refused with: ${words}`)
  assert.strictEqual(error.constructor, expected, error.message)
  assert.include(error.message, words)
})

/** Operation and status of each request that the fake saw. */
export const record = Effect.flatMap(
  FakeLanguageService,
  ({ requests }) =>
    Effect.map(requests, (all) => all.map(({ operation, status }) => [operation ?? "none", status] as const))
)

/** Counts of the operations that took effect. */
export const effectCounts = Effect.flatMap(
  FakeLanguageService,
  ({ effects }) =>
    Effect.map(effects, (all) =>
      Object.fromEntries(
        Object.entries(all).filter(([, { count }]) => count > 0).map(([operation, { count }]) => [operation, count])
      ))
)

/** The handle of a document as this client would have it from its upload. */
export const prepare = Effect.fnUntraced(function*(
  content: string,
  options: Omit<FakeLanguageService.NewDocument, "content"> = {}
): Effect.fn.Return<DeepL.DocumentHandle, never, FakeLanguageService> {
  const { addDocument } = yield* FakeLanguageService
  const { documentId, documentKey } = yield* addDocument({ content, ...options })
  return { documentId, documentKey: Redacted.value(documentKey) }
})
