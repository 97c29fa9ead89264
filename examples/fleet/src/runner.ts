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
  return DocumentWorkflow.layer({ firstPoll: "1 second" }).pipe(
    Layer.provide(ClusterWorkflowEngine.layer),
    Layer.provide(NodeClusterSocket.layer({
      shardingConfig: {
        runnerAddress: Option.some(RunnerAddress.make("127.0.0.1", port)),
        shardsPerGroup: 30,
        // A runner that is gone is noticed after three seconds; the default is longer.
        shardLockExpiration: "3 seconds",
        shardLockRefreshInterval: "1 second",
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
