/** Documents saved from a server on loopback to a folder of its own. */
import type * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import { DocumentId } from "@effect-lingua/core/contract/Ids"
import { Journal } from "@effect-lingua/core/documents/Journal"
import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import * as NodeJournal from "@effect-lingua/node/files/NodeJournal"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { DateTime, Duration, Effect, Redacted, Schema } from "effect"
import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Answer, rawServer, stall } from "./rawServer.ts"

/** A folder of its own for a test. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "node-documents-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 10 }))
)

/** The document that is asked for. */
export const document = {
  documentId: Schema.decodeUnknownSync(DocumentId)("doc-1"),
  documentKey: Redacted.make("document-key")
}

/** The owner of the entries that a client of a server makes. */
export const ownerOf = (url: string, key = "key"): Journal.Owner => ({
  host: `${url}/`,
  account: createHash("sha256").update(`effect-lingua journal\0${key}`).digest("hex").slice(0, 16)
})

/** An entry of the journal about the document, at a server. */
export const about = (url: string, key?: string) => ({
  ...document,
  ...ownerOf(url, key),
  startedAt: DateTime.makeUnsafe(0)
})

/** What another program that shares the folder of a journal sees in it. */
export const journalIn = (folder: string) => {
  const layer = NodeJournal.layer({ folder })
  const use = <A>(f: (journal: Journal["Service"]) => Effect.Effect<A>) => Journal.use(f).pipe(Effect.provide(layer))
  return {
    folder,
    entries: () => use((journal) => journal.entries),
    get: (id: string) => use((journal) => journal.get(id)),
    put: (entry: Journal.Entry) => use((journal) => journal.put(entry))
  }
}

/** A server that answers so, one after the other, a folder, and a client that saves a document from the one to the other. */
export const setup = Effect.fnUntraced(function*(
  answers: ReadonlyArray<Answer>,
  resilience: Partial<ResiliencePolicy.ResiliencePolicy> = {},
  statuses?: ReadonlyArray<Answer>
) {
  const server = yield* rawServer(answers, statuses)
  const directory = yield* folder
  const journal = yield* folder
  const layer = NodeLanguageService.layer({
    key: Redacted.make("key"),
    baseUrl: server.url,
    journal: { folder: journal },
    resilience: {
      backoffBase: Duration.millis(1),
      throttleBase: Duration.millis(1),
      pollBase: Duration.millis(1),
      pollCap: Duration.millis(1),
      ...resilience
    }
  })
  const download = (options: NodeDocuments.Destination & NodeDocuments.RescueOptions) =>
    NodeDocuments.use((documents) => documents.downloadToFile({ ...document, ...options })).pipe(Effect.provide(layer))
  const resume = (id: string, options?: Omit<NodeDocuments.ResumeOptions, "entryId">) =>
    NodeDocuments.use((documents) => documents.resume({ entryId: id, ...options })).pipe(Effect.provide(layer))
  return {
    server,
    directory,
    target: join(directory, "letter.txt"),
    journal: journalIn(journal),
    download,
    resume,
    layer
  }
})

/** The mode of a file in octal digits. */
export const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** The temporary files in a folder. */
export const parts = (directory: string) => readdirSync(directory).filter((name) => name.endsWith(".part"))

/** How many bytes the temporary file in a folder has. */
export const partSize = (directory: string): number => {
  const [part] = parts(directory)
  return part === undefined ? 0 : statSync(join(directory, part)).size
}

/** Waits for something outside of the program. */
export const until = (condition: () => boolean) => Effect.sleep("5 millis").pipe(Effect.repeat({ until: condition }))

/** An answer whose rest is sent when the folder has the first part of it. */
export const inTwo = (
  first: string,
  rest: string,
  directory: () => string,
  headers?: Readonly<Record<string, string>>
): Answer =>
(socket) => {
  stall(first, first.length + rest.length, headers)(socket)
  Effect.runFork(
    until(() => socket.destroyed || partSize(directory()) === first.length).pipe(
      Effect.andThen(Effect.sync(() => socket.destroyed || socket.write(rest)))
    )
  )
}

/** Waits until something holds at two looks one after the other. */
export const untilSettled = (condition: () => boolean) => {
  let looks = 0
  return until(() => (looks = condition() ? looks + 1 : 0) === 2)
}
