// Starts a fleet, kills a runner while the fleet translates documents, and prints each document's result.
import { FakeLanguageService, NodeFakeLanguageService } from "@effect-lingua/testing"
import { DocumentWorkflow } from "@effect-lingua/workflow"
import { NodeClusterSocket } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Stream } from "effect"
import { ClusterWorkflowEngine } from "effect/cluster"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { postgres } from "./postgres.ts"

const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

const script = fileURLToPath(new URL("runner.ts", import.meta.url))

const runner = (environment: Record<string, string>) =>
  Effect.gen(function*() {
    const port = yield* freePort
    return yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [script, `${port}`], { env: { ...process.env, ...environment }, stdio: "ignore" })
      ),
      (child) => Effect.sync(() => child.kill())
    )
  })

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "fleet-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Translates documents. Returns each document's translation name or error. */
export const translate = (count: number) =>
  Effect.gen(function*() {
    const documents = yield* folder
    const names = Array.from({ length: count }, (_, index) => `${index}.txt`)
    for (const name of names) writeFileSync(join(documents, name), `Guten Tag ${name}`)
    const database = yield* postgres(yield* freePort)
    const { url } = yield* FakeLanguageService
    const environment = {
      DATABASE_URL: database,
      DOCUMENTS: documents,
      JOURNAL: yield* folder,
      // Short for this example, so that the other runner soon detects the kill.
      LOCK_EXPIRATION: "3 seconds",
      LANGUAGE_SERVICE_KEY: FakeLanguageService.defaultKey,
      LANGUAGE_SERVICE_BASE_URL: url
    }
    yield* runner(environment)
    const victim = yield* runner(environment)
    yield* Effect.forkScoped(Effect.delay(Effect.sync(() => victim.kill("SIGKILL")), "6 seconds"))

    const client = ClusterWorkflowEngine.layer.pipe(
      Layer.provide(NodeClusterSocket.layer({ clientOnly: true, shardingConfig: { shardsPerGroup: 30 } })),
      Layer.provide(PgClient.layer({ url: Redacted.make(database) }))
    )
    const requests = names.map((name) =>
      new DocumentWorkflow.DocumentRequest({
        id: name,
        source: name,
        target: `translated/${name}`,
        fields: { targetLanguage: "en-US" }
      })
    )
    return yield* DocumentWorkflow.all(Stream.fromIterable(requests)).pipe(
      Stream.map(({ request, result }) =>
        result._tag === "Success" ? request.target : `${request.source}: ${result.failure.message}`
      ),
      Stream.runCollect,
      Effect.provide(client)
    )
  }).pipe(Effect.scoped, Effect.provide(NodeFakeLanguageService.layer()))
