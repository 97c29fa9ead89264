/** A document that is translated by a workflow, of which any process that has the same folder and database goes on. */
import * as LanguageService from "@effect-lingua/core/LanguageService"
import * as NodeJournal from "@effect-lingua/node/files/NodeJournal"
import * as NodePool from "@effect-lingua/node/http/NodePool"
import * as DocumentWorkflow from "@effect-lingua/workflow/DocumentWorkflow"
import * as NodeDocumentStore from "@effect-lingua/workflow/NodeDocumentStore"
import * as NodeSqlite from "@effect-lingua/workflow/NodeSqlite"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import { ClusterWorkflowEngine, SingleRunner } from "effect/cluster"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { HttpClient } from "effect/http"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { basename, dirname, join } from "node:path"
import { chunked } from "../../../../packages/node/test/support/chunked.ts"
import type { Order as OrderOfFiles } from "../../../../packages/node/test/support/killable.ts"

/** What the process is to do, and where it ends. */
export interface Order extends OrderOfFiles {
  /** The PostgreSQL of the workflow. Default: a file. */
  readonly database?: string
  /** Whether the workflow gets responses with a length. Default: true. */
  readonly hasLength?: boolean
}

const shardingConfig = { entityMessagePollInterval: "50 millis", entityTerminationTimeout: "1 second" } as const

const engine = (folder: string, database: string | undefined) =>
  database === undefined
    ? NodeSqlite.layerWorkflowEngine({ path: join(folder, "work.sqlite"), shardingConfig })
    : ClusterWorkflowEngine.layer.pipe(
      Layer.provide(SingleRunner.layer({ runnerStorage: "memory", shardingConfig })),
      Layer.provide(NodeCrypto.layerDigest),
      Layer.provide(PgClient.layer({ url: Redacted.make(database), maxConnections: 2 }))
    )

const http = (hasLength: boolean) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.transform(Effect.map((response) => hasLength ? response : chunked(response)))
    )
  ).pipe(Layer.provide(NodePool.layerHttpClient()))

/** Translates the document of an order, or goes on with it. */
export const translate = ({ database, hasLength = true, journal, overwrite, source, target, url }: Order) => {
  const folder = dirname(source)
  const client = LanguageService.layer({
    key: Redacted.make("fake-key"),
    baseUrl: url,
    resilience: { backoffBase: Duration.millis(1), throttleBase: Duration.millis(1) }
  })
  const layer = DocumentWorkflow.layer({ firstPoll: "10 millis", longestPoll: "10 millis" }).pipe(
    Layer.provideMerge(engine(folder, database)),
    Layer.provide(NodeDocumentStore.layer({ folder })),
    Layer.provide(client),
    Layer.provide(Layer.merge(NodeJournal.layer({ folder: journal }), http(hasLength)))
  )
  return Effect.provide(
    DocumentWorkflow.execute({
      id: basename(source),
      source: basename(source),
      target: basename(target),
      overwrite,
      fields: { targetLanguage: "de" }
    }),
    layer,
    { local: true }
  )
}
