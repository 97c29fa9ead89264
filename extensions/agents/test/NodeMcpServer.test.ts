import * as NodeMcpServer from "@effect-lingua/agents/NodeMcpServer"
import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientRequest, HttpRouter } from "effect/http"

const server = HttpRouter.serve(NodeMcpServer.layerHttp({ version: "1", path: "/mcp" }), {
  disableListenLog: true,
  disableLogger: true
}).pipe(
  Layer.provide(NodeDocuments.layer),
  Layer.provide(FakeLanguageService.layerServices()),
  Layer.provideMerge(NodeHttpServer.layerTest)
)

it.live("layerHttp serves the tools at a path of a router", () =>
  Effect.gen(function*() {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
    const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params }
    const post = (path: string) =>
      HttpClientRequest.post(path, { accept: "application/json, text/event-stream" }).pipe(
        HttpClientRequest.bodyJsonUnsafe(initialize),
        HttpClient.execute
      )
    const response = yield* post("/mcp")
    assert.strictEqual(response.status, 200)
    assert.include(yield* response.text, `"serverInfo":{"name":"effect-lingua"`)
    assert.strictEqual((yield* post("/other")).status, 404)
  }).pipe(Effect.provide(server)))
