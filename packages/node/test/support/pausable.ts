// Runs in a process of its own, which a test stops and continues during its work.
import { Documents, Ids, StyleRules, Writing } from "@effect-lingua/core"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import { Duration, Effect, Redacted, Stream } from "effect"
import { subscribe } from "node:diagnostics_channel"

/** The work of the process, and the timeouts of its policy in milliseconds. */
export interface Order {
  readonly url: string
  readonly ca: string | undefined
  readonly work: "correct" | "create" | "download" | "limited"
  readonly attemptTimeout: number
  readonly bodyIdleTimeout: number
}

const order: Order = JSON.parse(process.argv[2] ?? "")

/** The number of calls under a limit of ten a second. */
const calls = 40

const correct = Writing.use((writing) => writing.correct({ text: ["This are fine."], targetLanguage: "en-GB" }))

const download = Documents.use((documents) =>
  documents.download({ documentId: Ids.DocumentId.make("doc-1"), documentKey: Redacted.make("document-key") })
).pipe(Effect.flatMap(({ stream }) => Stream.runDrain(stream)))

const create = StyleRules.use((rules) => rules.create({ name: "House style", language: "en" }))

const messageOf = <A, E extends Error, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: ({ message }) => message, onSuccess: () => "done" })

const work = {
  correct: messageOf(correct),
  create: messageOf(create),
  download: messageOf(download),
  limited: messageOf(Effect.replicateEffect(correct, calls, { concurrency: calls, discard: true }))
}

/** The times of the requests in milliseconds. */
const sent: Array<number> = []
subscribe("undici:client:sendHeaders", () => sent.push(performance.now()))

/** The message of the work's end. */
export interface Ended {
  readonly said: string
  readonly sent: ReadonlyArray<number>
}

const run: Effect.Effect<string, never, Documents | StyleRules | Writing> = work[order.work]
const said = await run.pipe(
  Effect.provide(NodeLanguageService.layer({
    key: Redacted.make("fake-key"),
    baseUrl: order.url,
    journal: "memory",
    pool: { tls: { ca: order.ca } },
    resilience: {
      attemptTimeout: Duration.millis(order.attemptTimeout),
      documentTimeout: Duration.millis(order.attemptTimeout),
      bodyIdleTimeout: Duration.millis(order.bodyIdleTimeout),
      ...(order.work === "limited" ? { rate: { requests: 10, window: Duration.seconds(1) } } : undefined)
    }
  })),
  Effect.runPromise
)
const ended: Ended = { said, sent }
process.stdout.write(JSON.stringify(ended))
