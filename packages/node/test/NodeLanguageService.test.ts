import { Documents } from "@effect-lingua/core/documents/Documents"
import { NodeDocuments, NodeJournal, NodeLanguageService } from "@effect-lingua/node"
import { assert, describe } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted, Stream } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { effect, live } from "../../../test/support/tests.ts"
import { document, folder } from "./support/documents.ts"
import { rawServer, whole } from "./support/rawServer.ts"

const at = (baseUrl: string) => NodeLanguageService.layer({ key: Redacted.make("key"), baseUrl, journal: "memory" })

describe("NodeLanguageService.layerConfig", () => {
  live("reads key and address from the configuration, for the services and for files", function*() {
    const server = yield* rawServer([whole("200 OK", "hello")])
    const directory = yield* folder
    const target = join(directory, "letter.txt")
    const provider = ConfigProvider.fromEnv({
      env: {
        LANGUAGE_SERVICE_KEY: "key-of-the-config",
        LANGUAGE_SERVICE_BASE_URL: server.url,
        XDG_STATE_HOME: join(directory, "state")
      }
    })
    yield* Effect.gen(function*() {
      const saved = yield* NodeDocuments.use((documents) => documents.downloadToFile({ ...document, target }))
      assert.strictEqual(saved.bytes, 5)
      const { stream } = yield* Documents.use((documents) => documents.download(document))
      assert.strictEqual(yield* Stream.mkString(Stream.decodeText(stream)), "hello")
    }).pipe(Effect.provide(Layer.provide(NodeLanguageService.layerConfig(), ConfigProvider.layer(provider))))
    assert.strictEqual(readFileSync(target, "utf8"), "hello")
    assert.deepStrictEqual(readdirSync(join(directory, "state", "effect-lingua", "documents")), [])
    assert.strictEqual(server.requests.length, 2)
    for (const request of server.requests) {
      assert.match(request, /^POST \/v2\/document\/doc-1\/result HTTP\/1\.1\r\n/)
      assert.match(request, /\r\nauthorization: Service-Auth-Key key-of-the-config\r\n/i)
    }
  })

  live("options override the configuration", function*() {
    const server = yield* rawServer([whole("200 OK", "hello")])
    const provider = ConfigProvider.fromEnv({ env: { LANGUAGE_SERVICE_KEY: "key-of-the-config" } })
    const layer = NodeLanguageService.layerConfig({ baseUrl: server.url, authScheme: "Bearer", journal: "memory" })
    yield* Documents.use((documents) => documents.download(document)).pipe(
      Effect.provide(Layer.provide(layer, ConfigProvider.layer(provider)))
    )
    assert.match(server.requests[0] ?? "", /\r\nauthorization: Bearer key-of-the-config\r\n/i)
  })

  effect.each([
    { client: "EU_", name: undefined },
    { client: "eu", name: "eu" }
  ])("an error of the pool names the client $client", function*({ client, name }) {
    const layer = NodeLanguageService.layerConfig({ name, prefix: "EU_", pool: { connections: 0 } })
    const error = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
    assert.deepInclude(error, { _tag: "InvalidConfiguration", setting: "pool.connections", client })
  })
})

describe("NodeLanguageService.layer", () => {
  live("keeps documents in the journal of the program", function*() {
    const issued = whole("200 OK", `{"document_id":"doc-1","document_key":"document-key"}`)
    const server = yield* rawServer([], [issued])
    const journal = yield* folder
    const layer = NodeLanguageService.layer({ key: Redacted.make("key"), baseUrl: server.url })
    const upload = { content: new Uint8Array([1]), fileName: "a.txt", targetLanguage: "de" } as const
    yield* Documents.use((documents) => documents.upload(upload)).pipe(
      Effect.provide(Layer.provide(layer, NodeJournal.layer({ folder: journal })))
    )
    assert.include(readdirSync(journal), "document-doc-1.json")
  })

  live("two layers in one program keep their services and files apart", function*() {
    const outer = yield* rawServer([whole("200 OK", "outer")])
    const inner = yield* rawServer([whole("200 OK", "inner")])
    const directory = yield* folder
    const save = (name: string) =>
      NodeDocuments.use((documents) => documents.downloadToFile({ ...document, target: join(directory, name) }))
    yield* Effect.andThen(save("outer.txt"), Effect.provide(save("inner.txt"), at(inner.url))).pipe(
      Effect.provide(at(outer.url))
    )
    for (const name of ["outer", "inner"]) {
      assert.strictEqual(readFileSync(join(directory, `${name}.txt`), "utf8"), name)
    }
  })
})
