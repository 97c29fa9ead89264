import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import * as DocumentWorkflow from "@effect-lingua/workflow/DocumentWorkflow"
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option, Random, Redacted, Ref, Scope } from "effect"
import { ClusterWorkflowEngine } from "effect/cluster"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../packages/node/test/support/documents.ts"
import { freePort } from "../../../packages/node/test/support/listen.ts"
import { postgresServer } from "../../../packages/node/test/support/postgresServer.ts"
import { redisServer } from "../../../packages/node/test/support/redisServer.ts"
import { bundled } from "../../../test/support/bundled.ts"
import { has } from "../../../test/support/has.ts"
import { killed } from "../../../test/support/killed.ts"
import { type Process, startNode, variablesOf } from "../../../test/support/processes.ts"
import { scaled } from "../../../test/support/scale.ts"

// @effect-diagnostics-next-line processEnv:off -- for a run by hand
const number = Number(process.env["DOCUMENTS"] ?? scaled(10, 40))
// @effect-diagnostics-next-line processEnv:off -- the same
const mostKills = Number(process.env["KILLS"] ?? scaled(2, 5))

const script = await bundled(new URL("support/fleetRunner.ts", import.meta.url))

/** A runner that can be killed and started again. */
const runner = Effect.fnUntraced(function*(url: string, ...args: ReadonlyArray<string>) {
  const scope = yield* Effect.scope
  const port = yield* freePort
  let process: Process | undefined
  const start = startNode(script, [`${port}`, ...args], variablesOf({ url })).pipe(
    Effect.map((started) => void (process = started)),
    Scope.provide(scope)
  )
  return { start, kill: Effect.sync(() => process?.child.kill("SIGKILL")) }
})

const client = (database: string) =>
  ClusterWorkflowEngine.layer.pipe(
    Layer.provide(NodeClusterSocket.layer({ clientOnly: true, shardingConfig: { shardsPerGroup: 30 } })),
    Layer.provide(PgClient.layer({ url: Redacted.make(database) }))
  )

describe.skipIf(!has("PostgreSQL") || !has("runuser"))("a fleet of runners on PostgreSQL", () => {
  it.live(
    "loses no document in silence, and pays for none twice, while its runners are killed",
    () =>
      Effect.gen(function*() {
        const database = yield* postgresServer()
        const documents = yield* folder
        const redis = has("Redis") ? yield* redisServer() : undefined
        if (redis !== undefined) yield* redis.start
        const limits = redis === undefined ? [] : [redis.url]
        const fake = yield* FakeLanguageService
        const names = Array.from({ length: number }, (_, index) => `${index}.txt`)
        for (const name of names) writeFileSync(join(documents, name), `Guten Tag ${name}`)
        const runners = yield* Effect.all([
          runner(fake.url, database, documents, ...limits),
          runner(fake.url, database, documents, ...limits)
        ])
        for (const { start } of runners) yield* start
        const out = join(documents, "out")
        mkdirSync(out)
        const saved = Effect.sync(() => readdirSync(out).filter((name) => !name.startsWith(".")))
        const kills = yield* Ref.make(0)
        // At any moment of the work, the first after an upload, and not before something is saved since the last: on a slow machine a
        // runner that is killed each second does nothing else than start.
        const isFirst = Effect.map(Ref.get(kills), (count) => count === 0)
        const done = Effect.gen(function*() {
          if (yield* isFirst) return (yield* fake.effects)["Documents.upload"].count
          return (yield* saved).length
        })
        yield* Effect.gen(function*() {
          const before = yield* done
          yield* Effect.repeat(Effect.delay(done, "100 millis"), { until: (count) => count > before }).pipe(
            Effect.timeoutOption("10 seconds")
          )
          yield* Effect.sleep(yield* Random.nextIntBetween(0, (yield* isFirst) ? 500 : 2000))
          const victim = runners[(yield* Ref.getAndUpdate(kills, (count) => count + 1)) % 2]
          if (victim === undefined) return
          yield* victim.kill
          killed()
          yield* Effect.sleep("700 millis")
          yield* victim.start
        }).pipe(Effect.repeat({ times: mostKills - 1 }), Effect.forkScoped)

        const ended = yield* Effect.gen(function*() {
          const ids = yield* Effect.forEach(names, (name) =>
            DocumentWorkflow.workflow.execute({
              id: name,
              source: name,
              target: `out/${name}`,
              fields: { targetLanguage: "en-US" }
            }, { discard: true }), { concurrency: 20 })
          const results = new Map<
            string,
            Exit.Exit<DocumentWorkflow.TranslatedDocument, DocumentWorkflow.DocumentError>
          >()
          while (results.size < ids.length) {
            yield* Effect.forEach(ids.filter((id) => !results.has(id)), (id) =>
              Effect.map(DocumentWorkflow.workflow.poll(id), (polled) => {
                if (Option.isSome(polled) && polled.value._tag === "Complete") {
                  results.set(id, polled.value.exit)
                }
              }), { concurrency: 10 })
            yield* Effect.sleep("500 millis")
          }
          return [...results.values()]
        }).pipe(Effect.provide(client(database)), Effect.timeout("9 minutes"))

        const translations = yield* saved
        const failures = ended.flatMap((exit) =>
          Exit.isFailure(exit) ? [Exit.findErrorOption(exit)] : []
        )
        const tags = failures.map((error) =>
          Option.isSome(error) ? error.value._tag : "defect"
        )
        for (const name of translations) {
          assert.strictEqual(readFileSync(join(out, name), "utf8"), `[en-US] Guten Tag ${name}`)
        }
        const counts = ended.length - failures.length
        const attempts = ended.flatMap((exit) => Exit.isSuccess(exit) ? [exit.value.uploadAttempts] : [])
        const repeated = attempts.filter((count) => count > 1).length
        const effects = yield* fake.effects
        process.stdout.write(
          `${number} documents, ${yield* Ref.get(
            kills
          )} kills: ${counts} saved, ${tags.length} lost, ${repeated} with several attempts at the upload, ` +
            `${effects["Documents.upload"].count} uploads, ${effects["Documents.download"].count} downloads\n`
        )
        assert.isAtLeast(yield* Ref.get(kills), 1)
        assert.deepStrictEqual(tags.filter((tag) => tag !== "DocumentLost"), [])
        assert.strictEqual(translations.length, counts)
        // A document is billed with its download, and each was downloaded once.
        assert.isAtMost(effects["Documents.download"].count, number)
        // An upload is noted in the journal, unless a kill comes between its response and the note: then it is repeated, and counted. A
        // kill can come between those of many documents.
        const recorded = attempts.reduce((sum, count) => sum + count, 0)
        assert.isAtMost(effects["Documents.upload"].count, recorded + failures.length * (1 + (yield* Ref.get(kills))))
      }).pipe(Effect.scoped, Effect.provide(NodeFakeLanguageService.layer())),
    600_000
  )
})
