// The compatibility mode as the users of deepl-node would drive it: each header of a session, on the real clock and real sockets.
import * as NodeCompat from "@effect-lingua/testing/compat/NodeCompat"
import { assert, describe, layer } from "@effect/vitest"
import { DeepLClient, type DeepLClientOptions, DeepLError, DocumentTranslationError } from "deepl-node"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { folder } from "../../../node/test/support/documents.ts"
import { call, refused } from "../foreign/client.ts"

const phrases = { de: "Guten Tag", en: "good day", fr: "bonne journée", "pt-BR": "bom dia", sl: "dober dan" }

const compat = NodeCompat.layer({ port: 0, proxyPort: 0, taught: { phrases } })

/** A client with a key of its own, in a session with these settings. */
const make = Effect.fnUntraced(function*(
  settings: Readonly<Record<string, number>> = {},
  options: DeepLClientOptions & { readonly key?: string } = {}
) {
  const { url } = yield* NodeCompat.Compat
  const { key = randomUUID(), ...others } = options
  const headers = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`mock-server-session-${name}`, String(value)])
  )
  return new DeepLClient(key, {
    serverUrl: url,
    maxRetries: 0,
    headers: { "mock-server-session": randomUUID(), ...headers },
    ...others
  })
})

const file = Effect.fnUntraced(function*(content: string, name = "brief.txt") {
  const path = join(yield* folder, name)
  yield* Effect.promise(() => writeFile(path, content))
  return path
})

describe("the compatibility mode", () => {
  layer(compat, { excludeTestServices: true })("for deepl-node", (it) => {
    it.effect("translates each line to the phrase of the target and detects the source by it, after a 429 too", () =>
      Effect.gen(function*() {
        const client = yield* make({ "429-count": 1 }, { maxRetries: 3 })
        const lines = yield* call(() => client.translateText("dober dan\n\ndober dan", null, "fr"))
        assert.deepInclude(lines, { text: "bonne journée\n\nbonne journée", detectedSourceLang: "sl" })
        const variant = yield* call(() => client.translateText("bom dia", null, "en-GB"))
        assert.deepInclude(variant, { text: "good day", detectedSourceLang: "pt" })
      }))

    it.effect("limits documents, which are counted when they are uploaded", () =>
      Effect.gen(function*() {
        const client = yield* make({ "init-character-limit": 20, "init-document-limit": 1 })
        const before = String(yield* call(() => client.getUsage()))
        assert.include(before, "Characters: 0 of 20")
        assert.include(before, "Documents: 0 of 1")
        const path = yield* file("12345678901234567890")
        yield* call(() => client.translateDocument(path, `${path}.out`, null, "de"))
        const usage = yield* call(() => client.getUsage())
        assert.deepStrictEqual([usage.document?.limitReached(), usage.character?.limitReached()], [true, true])
        assert.isUndefined(usage.teamDocument)
        yield* refused(
          () => client.translateDocument(path, `${path}.2`, null, "de"),
          DocumentTranslationError,
          "Quota for this billing period has been exceeded"
        )
      }))

    it.effect("expects a proxy where the session asks for one, which adds the address of the client", () =>
      Effect.gen(function*() {
        const { proxyUrl } = yield* NodeCompat.Compat
        const { hostname: host, port } = new URL(proxyUrl)
        const direct = yield* make({ "expect-proxy": 1 })
        yield* refused(() => direct.getUsage(), DeepLError, "Expected a request via proxy.")
        const proxied = yield* make({ "expect-proxy": 1 }, { proxy: { host, port: Number(port) } })
        assert.strictEqual((yield* call(() => proxied.translateText("a", null, "de"))).text, "Guten Tag")
      }))
  })
})
