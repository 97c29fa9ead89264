// A runner of the fleet: `node src/runner.ts <port>`. Its settings are in the environment.
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
  // A busy runner with a shorter lock loses its shards, and reads all of its executions again. After a kill the others wait this long.
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
    // The runners share it, so that an upload whose runner was killed is not repeated.
    Layer.provide(NodeJournal.layer({ folder: journal }))
  )
}))

NodeRuntime.runMain(Layer.launch(runner))
