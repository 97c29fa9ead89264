// Run as a worker thread: takes a document for itself, says so, and keeps it.
import { Journal } from "@effect-lingua/core/documents/Journal"
import * as NodeJournal from "@effect-lingua/node/files/NodeJournal"
import { Effect } from "effect"
import { parentPort, workerData } from "node:worker_threads"

const { folder, id }: { readonly folder: string; readonly id: string } = workerData

// A thread that listens goes on.
parentPort?.on("message", () => undefined)

await Journal.use((journal) => journal.claim(id)).pipe(
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of threads has no origin
  Effect.andThen(Effect.sync(() => parentPort?.postMessage("claimed"))),
  Effect.andThen(Effect.never),
  Effect.scoped,
  Effect.provide(NodeJournal.layer({ folder })),
  Effect.runPromise
)
