import { LanguageService, StyleRules } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Sample from "../support/operations.ts"

class Fetched extends Context.Service<Fetched, Array<RequestInit | undefined>>()(
  "@effect-lingua/core/test/call/fetch.test/Fetched"
) {}

/** All services over a `fetch` with a fixed response, which records its arguments. */
const layer = (respond: () => Response) =>
  LanguageService.layer({ key: Redacted.make("a-key"), baseUrl: "https://service.test" }).pipe(
    Layer.provideMerge(FetchHttpClient.layer),
    Layer.provideMerge(Layer.effectContext(Effect.sync(() => {
      const fetched: Array<RequestInit | undefined> = []
      const fetch: typeof globalThis.fetch = (_, init) => {
        fetched.push(init)
        return Promise.resolve(respond())
      }
      return Context.make(Fetched, fetched).pipe(Context.add(FetchHttpClient.Fetch, fetch))
    }))),
    Layer.orDie
  )

const { styleId } = Sample

describe("fetch", () => {
  it.effect("a redirect is not followed, so the key stays with its host", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(StyleRules.use((rules) => rules.get({ styleId })))
      assert.deepInclude<object>(error, { _tag: "UnexpectedResponse", status: 302, outcome: "refused" })
      const fetched = yield* Fetched
      assert.deepStrictEqual(fetched.map((init) => init?.redirect), ["manual"])
    }).pipe(
      Effect.provide(layer(() => new Response(null, { status: 302, headers: { location: "https://evil.test" } })))
    ))

  it.effect("other options of fetch are kept", () =>
    Effect.gen(function*() {
      yield* StyleRules.use((rules) => rules.remove({ styleId })).pipe(
        Effect.provideService(FetchHttpClient.RequestInit, { cache: "no-store", redirect: "follow" })
      )
      const [init] = yield* Fetched
      assert.deepInclude(init, { cache: "no-store", redirect: "manual", method: "DELETE" })
    }).pipe(Effect.provide(layer(() => new Response(null, { status: 204 })))))

  it.effect("the body of a fetch response is read", () =>
    Effect.gen(function*() {
      const list = yield* StyleRules.use((rules) => rules.get({ styleId }))
      assert.strictEqual(list.name, "House style")
    }).pipe(Effect.provide(layer(() => Response.json(Sample.list)))))
})
