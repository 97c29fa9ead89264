/** A process that transfers one document, and watches how much memory it holds while it does. */
import { Documents } from "@effect-lingua/core/Documents"
import { DocumentId } from "@effect-lingua/core/DocumentsApi"
import { NodeDocuments } from "@effect-lingua/node/NodeDocuments"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Duration, Effect, FileSystem, Redacted } from "effect"
import { openAsBlob } from "node:fs"
import { join } from "node:path"
import { memoryUsage } from "node:process"
import { onMessage, tell, type Transfer, type Way } from "./protocol.ts"

const transfer: Transfer = JSON.parse(process.argv[2] ?? "{}")

/** As many bytes as the runtime lets buffers that nobody needs any more lie about, before it collects them. */
const warmUp = 64 * 1024 * 1024

const client = NodeLanguageService.layer({
  key: Redacted.make("key"),
  baseUrl: transfer.url,
  journal: "memory",
  resilience: { attempts: 1, documentTimeout: Duration.hours(1), documentDeadline: Duration.hours(1) }
})

const download = Effect.fnUntraced(function*(bytes: number) {
  const documents = yield* NodeDocuments
  const target = join(transfer.folder, "downloaded")
  const saved = yield* documents.downloadToFile({
    documentId: DocumentId.make(String(bytes)),
    documentKey: Redacted.make("key-of-the-document"),
    path: target
  })
  const fs = yield* FileSystem.FileSystem
  yield* fs.remove(target)
  return saved.bytes
})

const upload = Effect.fnUntraced(function*(way: Way, bytes: number) {
  const documents = yield* Documents
  const fs = yield* FileSystem.FileSystem
  const content = way === "upload a stream"
    ? fs.stream(transfer.source, { bytesToRead: bytes })
    : (yield* Effect.promise(() => openAsBlob(transfer.source))).slice(0, bytes)
  const { documentId } = yield* documents.upload({ fileName: "a.txt", content, size: bytes, targetLanguage: "de" })
  return Number(documentId)
})

const run = Effect.fnUntraced(function*(bytes: number) {
  return yield* transfer.way === "download" ? download(bytes) : upload(transfer.way, bytes)
})

const program = Effect.gen(function*() {
  const fresh = memoryUsage()
  yield* run(warmUp)
  const before = memoryUsage()
  const peak = { ...before }
  const sample = Effect.sync(() => {
    const now = memoryUsage()
    for (const name of ["rss", "heapUsed", "external", "arrayBuffers"] as const) {
      peak[name] = Math.max(peak[name], now[name])
    }
  })
  const started = yield* Clock.currentTimeMillis
  const transferred = yield* Effect.raceFirst(
    run(transfer.bytes),
    Effect.forever(Effect.delay(sample, "50 millis"))
  )
  yield* sample
  const seconds = ((yield* Clock.currentTimeMillis) - started) / 1000
  yield* Effect.sync(() => tell({ tag: "transferred", result: { transferred, seconds, fresh, before, peak } }))
}).pipe(Effect.provide([client, NodeFileSystem.layer]))

onMessage(() => undefined)

NodeRuntime.runMain(program)
