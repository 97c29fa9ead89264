// A runner of the fleet: `node src/runner.ts <port>`. Environment variables contain the settings.
import { NodeJournal, NodeLanguageService } from "@effect-lingua/node"
import { DocumentWorkflow, NodeDocumentStore } from "@effect-lingua/workflow"
import { NodeClusterSocket, NodeRuntime } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Config, Effect, Layer, Option } from "effect"
import { ClusterWorkflowEngine, RunnerAddress } from "effect/cluster"

const port = Number(process.argv[2])

const runner = Layer.unwrap(Effect.gen(function*() {
  const folder = yield* Config.String("DOCUMENTS")
  const journal = yield* Config.String("JOURNAL")
  // With a shorter lock, a busy runner would lose its shards and reload all executions. After a kill, the other runners wait this long.
  const expiration = yield* Config.withDefault(Config.Duration("LOCK_EXPIRATION"), "1 minute")
  return DocumentWorkflow.layer({ firstPoll: "1 second" }).pipe(
    Layer.provide(ClusterWorkflowEngine.layer),
    Layer.provide(NodeClusterSocket.layer({
      shardingConfig: {
        runnerAddress: Option.some(RunnerAddress.make("127.0.0.1", port)),
        shardsPerGroup: 30,
        shardLockExpiration: expiration,
        entityMessagePollInterval: "500 millis"
      }
    })),
    Layer.provide(PgClient.layerConfig({ url: Config.Redacted("DATABASE_URL") })),
    Layer.provide(NodeDocumentStore.layer({ folder })),
    Layer.provide(NodeLanguageService.layerConfig()),
    // The runners share the journal, so that another runner does not repeat the upload of a killed runner.
    Layer.provide(NodeJournal.layer({ folder: journal }))
  )
}))

NodeRuntime.runMain(Layer.launch(runner))
