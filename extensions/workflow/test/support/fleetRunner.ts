// A runner of a fleet: translates documents of a folder, with its state in PostgreSQL and, if there is one, its limits in Redis. Runs until it
// is killed.
import * as NodeJournal from "@effect-lingua/node/files/NodeJournal"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as NodeSharedRate from "@effect-lingua/node/NodeSharedRate"
import * as DocumentWorkflow from "@effect-lingua/workflow/DocumentWorkflow"
import * as NodeDocumentStore from "@effect-lingua/workflow/NodeDocumentStore"
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Layer, Option, Redacted } from "effect"
import { ClusterWorkflowEngine, RunnerAddress } from "effect/cluster"
import { join } from "node:path"

const [, , port = "", database = "", folder = "", redis] = process.argv

const limits = redis === undefined ? Layer.empty : NodeSharedRate.layerRedis({ url: Redacted.make(redis) })

const cluster = NodeClusterSocket.layer({
  shardingConfig: {
    runnerAddress: Option.some(RunnerAddress.make("127.0.0.1", Number(port))),
    shardsPerGroup: 30,
    shardLockExpiration: "3 seconds",
    shardLockRefreshInterval: "1 second",
    refreshAssignmentsInterval: "500 millis",
    entityMessagePollInterval: "500 millis",
    runnerHealthCheckInterval: "1 second"
  }
})

DocumentWorkflow.layer({ firstPoll: "1 second", longestPoll: "2 seconds" }).pipe(
  Layer.provide(ClusterWorkflowEngine.layer),
  Layer.provide(cluster),
  Layer.provide(PgClient.layer({ url: Redacted.make(database), maxConnections: 5 })),
  Layer.provide(NodeDocumentStore.layer({ folder })),
  Layer.provide(NodeLanguageService.layerConfig({ resilience: { rate: { requests: 100, window: "1 second" } } })),
  Layer.provide(limits),
  Layer.provide(NodeJournal.layer({ folder: join(folder, "journal") })),
  Layer.launch,
  NodeRuntime.runMain
)
