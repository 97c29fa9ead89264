import { Lingua } from "@effect-lingua/node/promise"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { vi } from "vitest"
import { live } from "../../../test/support/tests.ts"
import { document, folder } from "./support/documents.ts"
import { rawServer, whole } from "./support/rawServer.ts"

describe("a client of Node.js for promises", () => {
  live("sends its key over a socket, and saves documents to files", function*() {
    const server = yield* rawServer([whole("200 OK", "hello")])
    const target = join(yield* folder, "letter.txt")
    yield* Effect.promise(async () => {
      await using lingua = await Lingua.make({ key: "a-plain-key", baseUrl: server.url, journal: "memory" })
      const saved = await lingua.nodeDocuments.downloadToFile({ ...document, target }, { deadline: "1 minute" })
      assert.strictEqual(saved.bytes, 5)
    })
    assert.strictEqual(readFileSync(target, "utf8"), "hello")
    assert.match(server.requests[0] ?? "", /\r\nauthorization: Service-Auth-Key a-plain-key\r\n/i)
  })

  live("takes its options from the environment if it has none", function*() {
    const server = yield* rawServer([], [whole("200 OK", `{"character_count":1}`)])
    yield* Effect.addFinalizer(() => Effect.sync(() => vi.unstubAllEnvs()))
    vi.stubEnv("LANGUAGE_SERVICE_KEY", "key-of-env")
    vi.stubEnv("LANGUAGE_SERVICE_BASE_URL", server.url)
    yield* Effect.promise(async () => {
      await using lingua = await Lingua.make()
      assert.strictEqual((await lingua.usage.get()).characterCount, 1)
    })
    assert.match(server.questions[0] ?? "", /\r\nauthorization: Service-Auth-Key key-of-env\r\n/i)
    const reason = Effect.promise(() => Lingua.make().then(() => "made", String))
    vi.stubEnv("LANGUAGE_SERVICE_TIER", "gold")
    assert.include(yield* reason, "LANGUAGE_SERVICE_TIER: ")
    vi.stubEnv("LANGUAGE_SERVICE_TIER", undefined)
    vi.stubEnv("LANGUAGE_SERVICE_BASE_URL", undefined)
    assert.include(yield* reason, "LANGUAGE_SERVICE_BASE_URL is not set")
  })
})
