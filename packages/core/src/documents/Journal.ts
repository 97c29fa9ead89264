/**
 * What is remembered of documents on their way, so that a program that ends early loses none: their ids and keys, and
 * where they go.
 *
 * **Details**
 *
 * A document can be downloaded once, and nobody can find out its id or key after the upload. So both are written to a
 * `KeyValueStore` before anything else is asked of the service. `Documents` keeps the journal; `Documents.pending` lists
 * it and `Documents.resume` goes on with an entry.
 *
 * Imports and exports of translation memories are in it too: `TranslationMemories.pending` lists them.
 *
 * Without a store the journal is in memory and forgets the oldest of 10,000 documents. The package for Node.js keeps it
 * in files.
 *
 * An entry belongs to the service and the account that it was written for, and only clients with the same base address and key
 * list, resume, change or forget it: see {@link Owner}.
 *
 * **Gotchas**
 *
 * The values of the store hold the keys of documents in clear: keep it as safe as the documents.
 *
 * @since 0.2.0
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { DocumentBusy, NotResumable } from "../client/CallError.ts"
import { DocumentId, DocumentKey, JobId, TranslationMemoryId } from "../client/Ids.ts"
import * as Durations from "../client/internal/duration.ts"
import { UploadFields } from "./DocumentsApi.ts"

import { SignedUrl } from "../jobs/SignedUrl.ts"

/**
 * The place that a translated document goes to: a file, or a folder in which the document gets a free name.
 *
 * @category schemas
 * @since 0.2.0
 */
export const Target = Schema.Union([
  Schema.Struct({ path: Schema.String, overwrite: Schema.Boolean }),
  Schema.Struct({ folder: Schema.String, overwrite: Schema.Boolean })
])

/**
 * The place that a translated document goes to.
 *
 * @category models
 * @since 0.2.0
 */
export type Target = typeof Target.Type

/**
 * The owner of an entry: a service and an account there.
 *
 * **Details**
 *
 * `host` is origin and path of the base address. `account` is a fingerprint of the key: the first 64 bits of a SHA-256 digest.
 * It distinguishes keys and is no secret: a random key cannot be derived from it.
 *
 * @category models
 * @since 0.2.0
 */
export interface Owner {
  readonly host: string
  readonly account: string
}

/**
 * The reason for which an entry is not the owner's, for a message; `undefined` if it is.
 *
 * @category getters
 * @since 0.2.0
 */
export const foreignTo = (owner: Owner, entry: Entry | JobEntry): string | undefined => {
  const what = isJob(entry) ? `It is an ${entry._tag.toLowerCase()}` : "It is a document"
  return entry.host !== owner.host
    ? `${what} of ${entry.host}`
    : entry.account !== owner.account
    ? `${what} of another key. Adopt it, if both keys are of one account`
    : undefined
}

/**
 * Fails for an entry that is not the owner's.
 *
 * @category combinators
 * @since 0.2.0
 */
export const checkOwn = (owner: Owner, entry: Entry | JobEntry): Effect.Effect<void, NotResumable> => {
  const description = foreignTo(owner, entry)
  return description === undefined ? Effect.void : Effect.fail(new NotResumable({ id: idOf(entry), description }))
}

const ownedBy = {
  /** Where the service is: origin and path of the base address. */
  host: Schema.String,
  /** The account, as a fingerprint of its key. */
  account: Schema.String
}

const about = {
  ...ownedBy,
  startedAt: Schema.DateTimeUtcFromMillis,
  /** The name of the file that was uploaded. */
  fileName: Schema.optionalKey(Schema.String),
  /** The fields of the upload. */
  fields: Schema.optionalKey(UploadFields),
  /** The file that was uploaded, where it can be read again. */
  source: Schema.optionalKey(Schema.String),
  target: Schema.optionalKey(Target),
  /** The entry of its upload, whose place this one takes. */
  uploadId: Schema.optionalKey(Schema.String)
}

const issued = { ...about, documentId: DocumentId, documentKey: DocumentKey }

/**
 * What is remembered of one document.
 *
 * **Details**
 *
 * - `Uploading`: the upload began, and its answer was not seen. The service may have the document under an id that nobody
 *   knows; it costs nothing, as only a download is billed.
 * - `Uploaded`: the service has the document.
 * - `Downloading`: it was asked for. `temporary` is the file that gets the bytes, where there is one, `rescue` the one that
 *   gets the rest when the disk of the first fails, `bytesExpected` the promised length.
 * - `Received`: all bytes are safe, in one file or in two that follow each other, and have yet to be put in their place.
 *   `obsolete` are files that have them too and are to be removed. `completeness` is that of the download, where it is `unknown`.
 * - `Lost`: the service has deleted the document, and not all of it is here. `parts` hold what is.
 *
 * @category schemas
 * @since 0.2.0
 */
export const Entry = Schema.TaggedUnion({
  Uploading: { ...about, uploadId: Schema.String },
  Uploaded: issued,
  Downloading: {
    ...issued,
    temporary: Schema.optionalKey(Schema.String),
    rescue: Schema.optionalKey(Schema.String),
    bytesExpected: Schema.optionalKey(Schema.Int)
  },
  Received: {
    ...issued,
    parts: Schema.NonEmptyArray(Schema.Struct({ path: Schema.String, bytes: Schema.Int })),
    obsolete: Schema.optionalKey(Schema.Array(Schema.String)),
    completeness: Schema.optionalKey(Schema.Literal("unknown"))
  },
  Lost: {
    ...issued,
    reason: Schema.String,
    bytesReceived: Schema.Int,
    parts: Schema.Array(Schema.Struct({ path: Schema.String, bytes: Schema.Int }))
  }
})

/**
 * What is remembered of one document.
 *
 * @category models
 * @since 0.2.0
 */
export type Entry = typeof Entry.Type

const aboutJob = {
  /** What the journal knows it by; the service has another id for its job. */
  id: Schema.String,
  ...ownedBy,
  startedAt: Schema.DateTimeUtcFromMillis
}

/**
 * What is remembered of the import or export of a translation memory.
 *
 * **Details**
 *
 * - `Import`: `started` is there when the service has answered: the job, and the address that takes its file of
 *   `contentLength` bytes until `expiresAt`. `isSent` when the file is there. `source` is the file, where it can be read
 *   again.
 * - `Export`: `jobId` is there when the service has answered. `target` is where the file goes, `temporary` the file that
 *   gets its bytes; all of them are there when `received` names the final path and the length.
 *
 * @category schemas
 * @since 0.2.0
 */
export const JobEntry = Schema.TaggedUnion({
  Import: {
    ...aboutJob,
    fileName: Schema.String,
    contentType: Schema.String,
    displayName: Schema.optionalKey(Schema.String),
    source: Schema.optionalKey(Schema.String),
    started: Schema.optionalKey(
      Schema.Struct({
        jobId: JobId,
        uploadUrl: SignedUrl,
        contentLength: Schema.Int,
        expiresAt: Schema.optionalKey(Schema.DateTimeUtcFromMillis)
      })
    ),
    isSent: Schema.Boolean
  },
  Export: {
    ...aboutJob,
    translationMemoryId: TranslationMemoryId,
    jobId: Schema.optionalKey(JobId),
    target: Schema.optionalKey(Target),
    temporary: Schema.optionalKey(Schema.String),
    received: Schema.optionalKey(Schema.Struct({ path: Schema.String, bytes: Schema.Int }))
  }
})

/**
 * What is remembered of the import or export of a translation memory.
 *
 * @category models
 * @since 0.2.0
 */
export type JobEntry = typeof JobEntry.Type

const isJob = (entry: Entry | JobEntry): entry is JobEntry => entry._tag === "Import" || entry._tag === "Export"

/**
 * The key of an entry in the journal: the id of the document, that of its upload as long as it has none, or that of an
 * import or export.
 *
 * @category getters
 * @since 0.2.0
 */
export const idOf = (entry: Entry | JobEntry): string =>
  isJob(entry) ? entry.id : entry._tag === "Uploading" ? entry.uploadId : entry.documentId

/**
 * What an entry says beside its state, which the next entry of the document has to say too.
 *
 * @category models
 * @since 0.2.0
 */
export type About = Pick<Entry, keyof typeof about>

/**
 * What an entry says beside its state.
 *
 * @category getters
 * @since 0.2.0
 */
export const aboutOf = ({ account, fields, fileName, host, source, startedAt, target, uploadId }: Entry): About => ({
  host,
  account,
  startedAt,
  ...(fileName === undefined ? undefined : { fileName }),
  ...(fields === undefined ? undefined : { fields }),
  ...(source === undefined ? undefined : { source }),
  ...(target === undefined ? undefined : { target }),
  ...(uploadId === undefined ? undefined : { uploadId })
})

/**
 * The journal. It never fails: what the store does not take is kept in memory, and a warning tells of it.
 *
 * @category services
 * @since 0.2.0
 */
export class DocumentJournal extends Context.Service<DocumentJournal, {
  /** All documents, the oldest first. Those of a store that cannot be read are not among them: `unreadable` tells. */
  readonly entries: Effect.Effect<ReadonlyArray<Entry>>
  /** All imports and exports of translation memories, likewise. */
  readonly jobs: Effect.Effect<ReadonlyArray<JobEntry>>
  /** Why the store could not be read when it was last asked, without secrets; `undefined` where it could. */
  readonly unreadable: Effect.Effect<string | undefined>
  /** The entry of a document or upload, if there is one. */
  readonly get: (id: string) => Effect.Effect<Entry | undefined>
  /** The entry of an import or export, if there is one. */
  readonly getJob: (id: string) => Effect.Effect<JobEntry | undefined>
  /** Writes an entry in place of the one with its id, and of that of its upload. */
  readonly put: (entry: Entry | JobEntry) => Effect.Effect<void>
  /** Forgets an entry. */
  readonly remove: (id: string) => Effect.Effect<void>
  /**
   * Takes a document, import or export for the scope, so that nobody else works at it. Fails with `DocumentBusy` when somebody does: another
   * fiber, or another process where the journal is shared.
   */
  readonly claim: (id: string) => Effect.Effect<void, DocumentBusy, Scope.Scope>
}>()("@effect-lingua/core/documents/Journal/DocumentJournal") {}

/**
 * Where a journal is kept.
 *
 * @category options
 * @since 0.2.0
 */
export interface Options {
  /** Keeps the entries, a value for each, under keys of its own. Default: memory. */
  readonly store?: KeyValueStore.KeyValueStore | undefined
  /** Keeps other processes off a document, where the store is shared by some. */
  readonly claim?: DocumentJournal["Service"]["claim"] | undefined
  /** A store that takes longer counts as failing, as nothing may wait for it for ever. Default 5 s. */
  readonly timeout?: Duration.Input | undefined
  /** What the warning says of a failure of the store, beside its message. It must hold no secret. Default: nothing. */
  readonly describe?: ((error: KeyValueStore.KeyValueStoreError) => string) | undefined
}

/** How many entries are kept in memory at most. */
const maxInMemory = 10_000

const codec = Schema.fromJsonString(Schema.Union([Entry, JobEntry]))
const encode = Schema.encodeEffect(codec)
const decode = Schema.decodeUnknownOption(codec)

/** What a store may repeat of an entry, and nobody must see. */
const secretOf = (entry: Entry | JobEntry): string | undefined => {
  const secret = isJob(entry)
    ? entry._tag === "Import" ? entry.started?.uploadUrl : undefined
    : entry._tag === "Uploading"
    ? undefined
    : entry.documentKey
  return secret === undefined ? undefined : Redacted.value(secret)
}

/** The upload whose place an entry has taken. */
const uploadOf = (entry: Entry | JobEntry): string | undefined =>
  isJob(entry) || entry._tag === "Uploading" ? undefined : entry.uploadId

/** What a failure of the store means. */
const means = {
  get: "cannot be read",
  keys: "cannot be read",
  set: "cannot be written, so a document on its way is lost when this program ends early",
  remove: "cannot be written, so what has ended is still in it"
}

/** Gives an effect some time, also where nothing is interrupted. It goes on by itself when that is over. */
const within = <A>(
  method: keyof typeof means,
  effect: Effect.Effect<A, KeyValueStore.KeyValueStoreError>,
  timeout: Duration.Duration
): Effect.Effect<A, KeyValueStore.KeyValueStoreError> =>
  Effect.gen(function*() {
    const ended = yield* Deferred.make<A, KeyValueStore.KeyValueStoreError>()
    yield* Effect.forkDetach(Deferred.into(effect, ended), { startImmediately: true })
    if (Deferred.isDoneUnsafe(ended)) return yield* Deferred.await(ended)
    const late = new KeyValueStore.KeyValueStoreError({
      method,
      message: `the store gave no answer within ${Durations.format(timeout)}`
    })
    const timer = yield* Effect.forkDetach(
      Effect.interruptible(Effect.andThen(Effect.sleep(timeout), Deferred.fail(ended, late)))
    )
    return yield* Effect.ensuring(Deferred.await(ended), Fiber.interrupt(timer))
  })

/**
 * A journal over a store.
 *
 * @category constructors
 * @since 0.2.0
 */
export const make = (
  { claim, describe, store, timeout = "5 seconds" }: Options = {}
): DocumentJournal["Service"] => {
  const patience = Duration.fromInputUnsafe(timeout)
  /** What the store did not take: entries, and nothing in place of those that are forgotten. */
  const memory = new Map<string, Entry | JobEntry | undefined>()
  const claimed = new Set<string>()
  const down = new Map<keyof typeof means, string>()

  const remember = (id: string, entry: Entry | JobEntry | undefined) => {
    memory.delete(id)
    memory.set(id, entry)
    const oldest = memory.size > maxInMemory ? memory.keys().next().value : undefined
    if (oldest !== undefined) memory.delete(oldest)
  }

  /** Gives nothing when the store fails, of which the first failure in a row is told. */
  const ask = <A>(
    method: keyof typeof means,
    effect: Effect.Effect<A, KeyValueStore.KeyValueStoreError>,
    secret?: string
  ): Effect.Effect<Option.Option<A>> =>
    Effect.matchEffect(within(method, effect, patience), {
      onSuccess: (value) => {
        down.delete(method)
        return Effect.succeedSome(value)
      },
      onFailure: (error) => {
        if (down.has(method)) return Effect.succeedNone
        // A store may repeat what it was to keep.
        const words = secret !== undefined && error.message.includes(secret) ? [] : [error.message]
        const why = [...words, describe?.(error)].filter((word) => word !== undefined && word !== "").join(", ")
        down.set(method, why)
        return Effect.as(
          Effect.logWarning(`The journal of documents ${means[method]}${why === "" ? "" : `: ${why}`}`),
          Option.none()
        )
      }
    })

  const read = (store: KeyValueStore.KeyValueStore, id: string): Effect.Effect<Entry | JobEntry | undefined> =>
    Effect.flatMap(ask("get", store.get(id)), (found) => {
      const text = Option.getOrUndefined(found)
      if (text === undefined) return Effect.undefined
      const entry = Option.getOrUndefined(decode(text))
      return entry === undefined
        ? Effect.as(
          Effect.logWarning(`The journal of documents holds something else under ${id}; it is left there`),
          entry
        )
        : Effect.succeed(entry)
    })

  const find = (id: string): Effect.Effect<Entry | JobEntry | undefined> =>
    Effect.suspend(() => store === undefined || memory.has(id) ? Effect.succeed(memory.get(id)) : read(store, id))

  const write = (store: KeyValueStore.KeyValueStore, entry: Entry | JobEntry): Effect.Effect<boolean> =>
    Effect.matchEffect(encode(entry), {
      // What a caller without types gave is refused where it is used.
      onFailure: () => Effect.succeed(false),
      onSuccess: (text) =>
        Effect.map(
          ask(
            "set",
            store.set(idOf(entry), text),
            secretOf(entry)
          ),
          Option.isSome
        )
    })

  const remove = (id: string): Effect.Effect<void> =>
    Effect.gen(function*() {
      const entry = yield* find(id)
      const uploadId = entry === undefined ? undefined : uploadOf(entry)
      // Its upload is there too when the store had nothing better, or the program ended right after the answer to it.
      if (uploadId !== undefined) yield* remove(uploadId)
      memory.delete(id)
      if (store !== undefined && Option.isNone(yield* ask("remove", store.remove(id)))) remember(id, undefined)
    })

  const all = Effect.gen(function*() {
    const ids = new Set(memory.keys())
    if (store !== undefined) {
      for (const id of Option.getOrElse(yield* ask("keys", store.keys), () => [])) ids.add(id)
    }
    const found = yield* Effect.forEach(ids, find, { concurrency: 16 })
    return found.filter((entry) => entry !== undefined)
      .toSorted((one, other) => DateTime.Order(one.startedAt, other.startedAt))
  })

  return {
    get: (id) => Effect.map(find(id), (entry) => entry === undefined || isJob(entry) ? undefined : entry),
    getJob: (id) => Effect.map(find(id), (entry) => entry === undefined || !isJob(entry) ? undefined : entry),
    unreadable: Effect.sync(() => down.get("keys") ?? down.get("get")),
    jobs: Effect.map(all, (entries) => entries.filter(isJob)),
    entries: Effect.map(all, (found) => {
      const entries = found.filter((entry) => !isJob(entry))
      // A program that ended at the wrong moment has left both an upload and its document.
      const answered = new Set(entries.map((entry) => entry._tag === "Uploading" ? undefined : entry.uploadId))
      return entries.filter((entry) => !(entry._tag === "Uploading" && answered.has(entry.uploadId)))
    }),
    put: Effect.fnUntraced(function*(entry) {
      const written = store !== undefined && (yield* write(store, entry))
      if (written) memory.delete(idOf(entry))
      else remember(idOf(entry), entry)
      const safe = written || store === undefined
      const uploadId = uploadOf(entry)
      if (safe && uploadId !== undefined && uploadId !== idOf(entry)) yield* remove(uploadId)
    }),
    remove,
    claim: (id) =>
      Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
        if (claimed.has(id)) return yield* new DocumentBusy({ documentId: id, holder: "this program" })
        claimed.add(id)
        let isHeld = true
        const release = Effect.sync(() => {
          if (isHeld) claimed.delete(id)
          isHeld = false
        })
        yield* Effect.addFinalizer(() => release)
        if (claim !== undefined) yield* Effect.onError(restore(claim(id)), () => release)
      }))
  }
}

/**
 * A journal in memory, which ends with the program. `Documents` has one by itself; provide it to see into it.
 *
 * @category layers
 * @since 0.2.0
 */
export const layerMemory: Layer.Layer<DocumentJournal> = Layer.sync(DocumentJournal, () => make())

/**
 * A journal in the `KeyValueStore` of the context, such as a browser's storage or a database:
 *
 *     LanguageService.layer(options).pipe(
 *       Layer.provide(DocumentJournal.layer),
 *       Layer.provide(KeyValueStore.layerStorage(() => localStorage))
 *     )
 *
 * Its keys begin with `document:`.
 *
 * @category layers
 * @since 0.2.0
 */
export const layer: Layer.Layer<DocumentJournal, never, KeyValueStore.KeyValueStore> = Layer.effect(
  DocumentJournal,
  Effect.map(KeyValueStore.KeyValueStore, (store) => make({ store: KeyValueStore.prefix(store, "document:") }))
)
