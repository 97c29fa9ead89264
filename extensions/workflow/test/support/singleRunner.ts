// Translates the documents of a folder with its state in a file, and writes the state of each when all have ended.
import * as NodeJournal from "@effect-lingua/node/files/NodeJournal"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as DocumentWorkflow from "@effect-lingua/workflow/DocumentWorkflow"
import * as NodeDocumentStore from "@effect-lingua/workflow/NodeDocumentStore"
import * as NodeSqlite from "@effect-lingua/workflow/NodeSqlite"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, Stream } from "effect"
import { readdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const [, , folder = ""] = process.argv

const layer = DocumentWorkflow.layer({ firstPoll: "1 second", longestPoll: "2 seconds" }).pipe(
  Layer.provideMerge(NodeSqlite.layerWorkflowEngine({
    path: join(folder, "work.sqlite"),
    shardingConfig: { entityMessagePollInterval: "500 millis" }
  })),
  Layer.provide(NodeDocumentStore.layer({ folder })),
  Layer.provide(NodeLanguageService.layerConfig()),
  Layer.provide(NodeJournal.layer({ folder: join(folder, "journal") }))
)

const requests = readdirSync(folder).filter((name) => name.endsWith(".txt")).map((name) =>
  new DocumentWorkflow.DocumentRequest({
    id: name,
    source: name,
    target: `out/${name}`,
    fields: { targetLanguage: "en-US" }
  })
)

const program = Effect.gen(function*() {
  const ended = yield* Stream.runCollect(DocumentWorkflow.all(Stream.fromIterable(requests), { concurrency: 20 }))
  const results = ended.map(({ request: { id }, result }) =>
    result._tag === "Success" ? [id, "saved", result.success.uploadAttempts] : [id, result.failure._tag, 0]
  )
  writeFileSync(join(folder, "results.part"), JSON.stringify(results))
  renameSync(join(folder, "results.part"), join(folder, "results.json"))
})

NodeRuntime.runMain(Effect.provide(program, layer))
