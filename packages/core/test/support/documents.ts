/** The end of the wire that has one document, and a journal to look into. */
import { Documents, Journal, type LanguageServiceConfig } from "@effect-lingua/core"
import { DateTime, Effect, Layer, Random } from "effect"
import { KeyValueStore } from "effect/persistence"
import { accountOf } from "./account.ts"
import * as Sample from "./operations.ts"
import * as Wire from "./Wire.ts"

/** The answer to a question for the status. */
export const status = (state: string, fields: object = {}): Wire.Reply =>
  Wire.answer(200, { document_id: Sample.documentId, status: state, ...fields }, { "x-trace-id": "0AF1" })

/** The answer to an upload. */
export const issued = Wire.answer(200, { document_id: Sample.documentId, document_key: Sample.documentKey })

export const content = "Guten Tag"

/** The answer to a download. */
export const result = Wire.answer(200, content, {
  "content-type": "text/plain",
  "content-length": String(content.length),
  "content-disposition": "attachment; filename=\"letter.txt\"",
  "x-trace-id": "0AF2"
})

/** What each of the three questions is answered with, in order. The last answer is that to all that follow. */
export interface Replies {
  readonly upload?: ReadonlyArray<Wire.Reply>
  readonly status?: ReadonlyArray<Wire.Reply>
  readonly result?: ReadonlyArray<Wire.Reply>
}

/** Which of the three questions a request is. */
const questionOf = ({ url }: Pick<Wire.Sent, "url">): keyof Replies =>
  url.endsWith("/result") ? "result" : url.endsWith("/v2/document") ? "upload" : "status"

/** A service that has one document, which is done unless it is said otherwise. */
const service = (replies: Replies = {}): Wire.Reply => {
  const asked = { upload: 0, status: 0, result: 0 }
  const all = { upload: [issued], status: [status("done", { billed_characters: 9 })], result: [result], ...replies }
  return (request, sent) => {
    const question = questionOf(sent)
    const answers = all[question]
    const reply = answers[Math.min(asked[question]++, answers.length - 1)]
    return reply === undefined ? Effect.die(new Error(`nothing answers ${question}`)) : reply(request, sent)
  }
}

/** What a test of documents may set up. */
export interface Setup extends Replies {
  readonly journal?: Journal["Service"]
  readonly options?: Partial<LanguageServiceConfig.Options>
}

/** All services over such a service, and their journal. */
export const layer = ({ journal, options, ...replies }: Setup = {}) =>
  Layer.unwrap(Effect.sync(() => Wire.layer(service(replies), options))).pipe(
    Layer.provideMerge(journal === undefined ? Journal.layerMemory : Layer.succeed(Journal, journal))
  )

/** The questions that were asked so far. */
export const questions = Effect.map(Wire.Wire, ({ sent }) => sent.map(questionOf))

export const wait = Documents.use((documents) => documents.wait(Sample.document))

export const entries = Journal.use((journal) => journal.entries)

/** An entry of the document, as the upload leaves it. */
export const uploaded: Extract<Journal.Entry, { readonly _tag: "Uploaded" }> = {
  _tag: "Uploaded",
  ...Sample.document,
  host: `${Wire.baseUrl}/`,
  account: accountOf(Wire.key),
  startedAt: DateTime.makeUnsafe(1000),
  fileName: "letter.txt"
}

/** Writes an entry into the journal. */
export const put = (entry: Journal.Entry) => Journal.use((journal) => journal.put(entry))

/** The states of all entries. */
export const states = Effect.map(entries, (all) => all.map(({ _tag }) => _tag))

/** The middle of everything that is left to chance. */
export const evenly = Effect.provideService(Random.Random, { nextDoubleUnsafe: () => 0.5, nextIntUnsafe: () => 0 })

const later = <A>(value: () => A) => Effect.delay(Effect.sync(value), 10)

/** A store in memory that takes its time. */
export const slowStore = (): KeyValueStore.KeyValueStore => {
  const values = new Map<string, string>()
  return KeyValueStore.makeStringOnly({
    // What it answers with may be out of date by then.
    get: (key) => Effect.suspend(() => Effect.delay(Effect.succeed(values.get(key)), 10)),
    set: (key, value) => later(() => values.set(key, value)),
    remove: (key) => later(() => values.delete(key)),
    clear: later(() => values.clear()),
    size: later(() => values.size),
    keys: later(() => Array.from(values.keys()))
  })
}
