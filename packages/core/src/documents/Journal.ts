/**
 * The journal of documents: ids, keys and targets, so that a program that ends early loses no document.
 *
 * **Details**
 *
 * A document can be downloaded once, and its id and key cannot be looked up after the upload. `Documents` writes both to a `KeyValueStore`
 * before the next request; `Documents.pending` lists the entries and `Documents.resume` continues one.
 *
 * Without a store the journal is in memory and forgets the oldest of 10,000 documents. The package for Node.js keeps it
 * in files.
 *
 * An entry belongs to the service and the account that it was written for, and only clients with the same base address and key
 * list, resume, change or forget it: see {@link Owner}.
 *
 * **Gotchas**
 *
 * The values of the store contain the keys of documents in clear text: protect it like the documents.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Struct from "effect/Struct"
import { usable } from "../config/internal/invalidConfiguration.ts"
import * as Rules from "../config/internal/options.ts"
import type { DurationInput } from "../config/ResiliencePolicy.ts"
import { DocumentId, DocumentKey } from "../contract/Ids.ts"
import { formatDuration } from "../errors/Attempt.ts"
import { Busy, NotResumable } from "../errors/CallError.ts"
import { UploadFields } from "./internal/documentsApi.ts"

export { UploadFields } from "./internal/documentsApi.ts"

/**
 * The target of a translated document: a file, or a folder in which the document gets an unused name.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Target = Schema.Union([
  Schema.Struct({ path: Schema.String, overwrite: Schema.Boolean }),
  Schema.Struct({ folder: Schema.String, overwrite: Schema.Boolean })
])

/**
 * The target of a translated document.
 *
 * @category models
 * @since 0.1.0
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
 * @since 0.1.0
 */
export interface Owner {
  readonly host: string
  readonly account: string
}

/**
 * The fields common to all entries of a document.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Facts = Schema.Struct({
  /** Origin and path of the base address. */
  host: Schema.String,
  /** The account, as a fingerprint of its key. */
  account: Schema.String,
  startedAt: Schema.DateTimeUtcFromMillis,
  /** The name of the file that was uploaded. */
  fileName: Schema.optionalKey(Schema.String),
  /** The fields of the upload. */
  fields: Schema.optionalKey(UploadFields),
  /** The path of the uploaded file, if it can be read again. */
  source: Schema.optionalKey(Schema.String),
  target: Schema.optionalKey(Target),
  /** The id of the `Uploading` entry that the others replace. */
  uploadId: Schema.optionalKey(Schema.String),
  /** The SHA-256 digest of the content in hexadecimal digits, once it was uploaded with an id of the caller. */
  contentHash: Schema.optionalKey(Schema.String)
})

/**
 * The fields common to all entries of a document.
 *
 * @category models
 * @since 0.1.0
 */
export type Facts = typeof Facts.Type

/**
 * A file with bytes of a document, or a part in a store: its path or name, and their number.
 *
 * @category schemas
 * @since 0.3.0
 */
export const Part = Schema.Struct({ path: Schema.String, bytes: Schema.Int })

/**
 * A file with bytes of a document.
 *
 * @category models
 * @since 0.3.0
 */
export type Part = typeof Part.Type

/** The completeness of a download whose regular end may not be the end of the document, or whose bytes may be encoded. */
const completeness = Schema.optionalKey(Schema.Literal("unknown"))

const issued = { ...Facts.fields, documentId: DocumentId, documentKey: DocumentKey }

/**
 * The state of one document.
 *
 * **Details**
 *
 * - `Uploading`: the upload began, and its response was lost or did not arrive yet. The service may have the document under an
 *   unknown id, at no cost: only a download is billed.
 * - `Uploaded`: the service has the document.
 * - `Downloading`: it was requested. `temporary` is the file for its bytes, if there is one, `rescue` the file for the rest when the
 *   disk of the first fails, `bytesExpected` the promised length, or the number of bytes at the end of a response without one.
 * - `Received`: all bytes are stored, in one file or in two consecutive parts, and not yet moved to the target.
 *   `obsolete` are files with the same bytes, to be removed.
 * - `Lost`: the service has deleted the document, and not all of it was received. `parts` have the received bytes.
 *
 * `completeness` is set to `unknown` if the end of the download may not be the end of the document.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Entry = Schema.TaggedUnion({
  Uploading: { ...Facts.fields, uploadId: Schema.String },
  Uploaded: issued,
  Downloading: {
    ...issued,
    temporary: Schema.optionalKey(Schema.String),
    rescue: Schema.optionalKey(Schema.String),
    bytesExpected: Schema.optionalKey(Schema.Int),
    completeness
  },
  Received: {
    ...issued,
    parts: Schema.NonEmptyArray(Part),
    obsolete: Schema.optionalKey(Schema.Array(Schema.String)),
    completeness
  },
  Lost: {
    ...issued,
    reason: Schema.String,
    bytesReceived: Schema.Int,
    bytesExpected: Schema.optionalKey(Schema.Int),
    completeness,
    parts: Schema.Array(Part)
  }
})

/**
 * The state of one document.
 *
 * @category models
 * @since 0.1.0
 */
export type Entry = typeof Entry.Type

/**
 * The fields that the next entry of a document shares.
 *
 * @category getters
 * @since 0.1.0
 */
export const factsOf = (entry: Entry): Facts => Struct.pick(entry, Struct.keys(Facts.fields))

/**
 * The key of an entry in the journal: the id of the document, or of its upload as long as it has none.
 *
 * @category getters
 * @since 0.1.0
 */
export const idOf = (entry: Entry): string => entry._tag === "Uploading" ? entry.uploadId : entry.documentId

/**
 * The reason why an entry belongs to another owner, for a message; `undefined` if it does not.
 *
 * @category getters
 * @since 0.1.0
 */
export const foreignTo = (owner: Owner, entry: Entry): string | undefined =>
  entry.host !== owner.host
    ? `It is a document of ${entry.host}`
    : entry.account !== owner.account
    ? "It is a document of another key. Adopt it, if both keys are of one account"
    : undefined

/**
 * Fails for an entry that is not the owner's.
 *
 * @category combinators
 * @since 0.1.0
 */
export const checkOwner = (owner: Owner, entry: Entry): Effect.Effect<void, NotResumable> => {
  const description = foreignTo(owner, entry)
  return description === undefined ? Effect.void : Effect.fail(new NotResumable({ id: idOf(entry), description }))
}

/**
 * The journal. It never fails: entries that the store does not accept are kept in memory, with a warning.
 *
 * @category services
 * @since 0.1.0
 */
export class Journal extends Context.Service<Journal, {
  /** All documents, the oldest first. Those of a store that cannot be read are missing: see `unreadable`. */
  readonly entries: () => Effect.Effect<ReadonlyArray<Entry>>
  /** The reason why the last read of the store failed, without secrets; `undefined` if it succeeded. */
  readonly unreadable: () => Effect.Effect<string | undefined>
  /** The entry of a document or upload, if there is one. */
  readonly get: (id: string) => Effect.Effect<Entry | undefined>
  /** The entry of an upload of the owner, or of its document as soon as there is one. */
  readonly getUpload: (uploadId: string, owner: Owner) => Effect.Effect<Entry | undefined>
  /** Writes an entry. It replaces the entry with its id and the entry of its upload. */
  readonly put: (entry: Entry) => Effect.Effect<void>
  /** Removes an entry. */
  readonly remove: (id: string) => Effect.Effect<void>
  /**
   * Claims a document for the scope, exclusively. Fails with `Busy` if it is claimed by another fiber, or by another process
   * that shares the journal.
   */
  readonly claim: (id: string) => Effect.Effect<void, Busy, Scope.Scope>
}>()("@effect-lingua/core/documents/Journal") {}

/**
 * Fails for an entry that a journal does not have, or cannot have read: see `unreadable`.
 *
 * @category combinators
 * @since 0.2.0
 */
export const missing = (journal: Journal["Service"], id: string): Effect.Effect<never, NotResumable> =>
  Effect.flatMap(journal.unreadable(), (reason) => {
    const description = reason === undefined ? "The journal has no such entry" : `The journal cannot be read: ${reason}`
    return Effect.fail(new NotResumable({ id, description }))
  })

/**
 * Journal fields for the uploads in a region of a program, so that a library that reads and writes files can resume them after a crash.
 *
 * @category services
 * @since 0.1.0
 */
export const UploadFacts = Context.Reference<{
  /** The path of the file, if it can be read again. */
  readonly source?: string | undefined
  /** The target of the translation. */
  readonly target?: Target | undefined
  /** Set if the caller has claimed the `uploadId` of the upload, to upload it again. Default false. */
  readonly isClaimed?: boolean | undefined
}>("@effect-lingua/core/documents/Journal/UploadFacts", { defaultValue: () => ({}) })

/**
 * The functions of a journal's store. A `KeyValueStore` has them.
 *
 * @category models
 * @since 0.3.0
 */
export interface Store<E> {
  readonly get: (key: string) => Effect.Effect<string | undefined, E>
  readonly set: (key: string, value: string) => Effect.Effect<void, E>
  readonly remove: (key: string) => Effect.Effect<void, E>
  readonly keys: Effect.Effect<ReadonlyArray<string>, E>
}

/**
 * The store of a journal.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options<E = KeyValueStore.KeyValueStoreError> {
  /** The store, with one value for each entry. Default: memory. */
  readonly store?: Store<E> | undefined
  /** Locks a document against other processes that share the store. */
  readonly claim?: Journal["Service"]["claim"] | undefined
  /** Time after which a call of the store counts as failed. Default 5 s. */
  readonly timeout?: DurationInput | undefined
  /** Describes a store failure, in addition to its message in the warning. It must contain no secret. Default: none. */
  readonly describe?: ((error: E) => string) | undefined
}

/** Maximum number of entries in memory. */
const maxInMemory = 10_000

/** Stored under the id of an upload once its document has an entry, so that the document is found by that id. */
const Answered = Schema.TaggedStruct("Answered", { documentId: DocumentId })

/** A value of the store. */
type Value = Entry | typeof Answered.Type

const codec = Schema.fromJsonString(Schema.Union([Entry, Answered]))
const encode = Schema.encodeEffect(codec)
const decode = Schema.decodeUnknownOption(codec)

/** The document key in a value, which a store may repeat in its errors. */
const secretOf = (value: Value): string | undefined =>
  "documentKey" in value ? Redacted.value(value.documentKey) : undefined

/** The upload that an entry replaced. */
const uploadOf = (entry: Entry): string | undefined => entry._tag === "Uploading" ? undefined : entry.uploadId

/** The consequence of a failed call of the store, for the warning. */
const means = {
  get: "cannot be read",
  keys: "cannot be read",
  set: "cannot be written, so a document in progress is lost if this program ends early",
  remove: "cannot be written, so it still has entries of finished documents"
}

class StoreTimeout extends Data.TaggedError("StoreTimeout")<{ readonly message: string }> {}

/** Bounds the wait for an effect, even in an uninterruptible region. After a timeout the effect continues in the background. */
const within = <A, E>(effect: Effect.Effect<A, E>, timeout: Duration.Duration): Effect.Effect<A, E | StoreTimeout> =>
  Effect.gen(function*() {
    const ended = yield* Deferred.make<A, E | StoreTimeout>()
    yield* Effect.forkDetach(Deferred.into(effect, ended), { startImmediately: true })
    if (Deferred.isDoneUnsafe(ended)) return yield* Deferred.await(ended)
    const late = Effect.suspend(() =>
      Deferred.fail(
        ended,
        new StoreTimeout({ message: `the store did not respond within ${formatDuration(timeout)}` })
      )
    )
    const timer = yield* Effect.forkDetach(Effect.interruptible(Effect.andThen(Effect.sleep(timeout), late)))
    return yield* Effect.ensuring(Deferred.await(ended), Fiber.interrupt(timer))
  })

/** A store whose failures are logged, and fail no call. */
interface LoggedStore {
  readonly get: (id: string) => Effect.Effect<Value | undefined>
  /** Returns whether the store has accepted the value. */
  readonly set: (id: string, value: Value) => Effect.Effect<boolean>
  readonly remove: (id: string) => Effect.Effect<boolean>
  readonly keys: Effect.Effect<ReadonlyArray<string>>
  /** The reason why the last read failed. */
  readonly unreadable: () => string | undefined
}

const withLogging = <E extends { readonly message: string }>(
  store: Store<E>,
  patience: Duration.Duration,
  describe: Options<E>["describe"]
): LoggedStore => {
  const failures = new Map<keyof typeof means, string>()

  /** The result of a call of the store, if it succeeds. The first of consecutive failures is logged. */
  const attempt = <A>(
    method: keyof typeof means,
    effect: Effect.Effect<A, E>,
    secret?: string
  ): Effect.Effect<Option.Option<A>> =>
    Effect.matchEffect(within(effect, patience), {
      onSuccess: (value) => {
        failures.delete(method)
        return Effect.succeedSome(value)
      },
      onFailure: (error) => {
        if (failures.has(method)) return Effect.succeedNone
        // A store's message may contain the value.
        const sanitizer = secret !== undefined && error.message.includes(secret) ? [] : [error.message]
        const described = error instanceof StoreTimeout ? undefined : describe?.(error)
        const why = [...sanitizer, described].filter((word) => word !== undefined && word !== "").join(", ")
        failures.set(method, why)
        return Effect.as(
          Effect.logWarning(`The journal of documents ${means[method]}${why === "" ? "" : `: ${why}`}`),
          Option.none()
        )
      }
    })

  return {
    get: (id) =>
      Effect.flatMap(attempt("get", store.get(id)), (found) => {
        const text = Option.getOrUndefined(found)
        if (text === undefined) return Effect.undefined
        const entry = Option.getOrUndefined(decode(text))
        return entry === undefined
          ? Effect.as(
            Effect.logWarning(`The journal of documents has a foreign value under ${id}, which is left unchanged`),
            entry
          )
          : Effect.succeed(entry)
      }),
    set: (id, value) =>
      Effect.matchEffect(encode(value), {
        // Invalid input of an untyped caller is refused at its use.
        onFailure: () => Effect.succeed(false),
        onSuccess: (text) => Effect.map(attempt("set", store.set(id, text), secretOf(value)), Option.isSome)
      }),
    remove: (id) => Effect.map(attempt("remove", store.remove(id)), Option.isSome),
    keys: Effect.map(attempt("keys", store.keys), Option.getOrElse(() => [])),
    unreadable: () => failures.get("keys") ?? failures.get("get")
  }
}

/** A journal over a store, or in memory: the parts of a store, which log, are not in a bundle without one. */
const over = (store: LoggedStore | undefined, claim: Options["claim"]): Journal["Service"] => {
  /** Entries that the store did not accept; `undefined` for an entry that it did not remove. */
  const memory = new Map<string, Entry | undefined>()
  const claimed = new Set<string>()

  const remember = (id: string, entry: Entry | undefined) => {
    memory.delete(id)
    memory.set(id, entry)
    const oldest = memory.size > maxInMemory ? memory.keys().next().value : undefined
    if (oldest !== undefined) memory.delete(oldest)
  }

  const findValue = (id: string): Effect.Effect<Value | undefined> =>
    Effect.suspend(() => store === undefined || memory.has(id) ? Effect.succeed(memory.get(id)) : store.get(id))

  const find = (id: string): Effect.Effect<Entry | undefined> =>
    Effect.map(findValue(id), (value) => value?._tag === "Answered" ? undefined : value)

  const drop = (id: string): Effect.Effect<void> =>
    Effect.gen(function*() {
      memory.delete(id)
      if (store !== undefined && !(yield* store.remove(id))) remember(id, undefined)
    })

  const remove = (id: string): Effect.Effect<void> =>
    Effect.gen(function*() {
      const entry = yield* find(id)
      const uploadId = entry === undefined ? undefined : uploadOf(entry)
      if (entry !== undefined && uploadId !== undefined) {
        const value = yield* findValue(uploadId)
        // Its upload can still be there, if a write failed or the program ended right after the response to it.
        const isOwn = value?._tag === "Answered"
          ? value.documentId === id
          : value !== undefined && foreignTo(entry, value) === undefined
        if (isOwn) yield* drop(uploadId)
      }
      yield* drop(id)
    })

  const all = Effect.gen(function*() {
    const ids = new Set(memory.keys())
    if (store !== undefined) {
      for (const id of yield* store.keys) ids.add(id)
    }
    const found = yield* Effect.forEach(ids, find, { concurrency: 16 })
    return found.filter((entry) => entry !== undefined)
      .toSorted((one, other) => DateTime.Order(one.startedAt, other.startedAt))
  })

  return {
    get: find,
    getUpload: Effect.fnUntraced(function*(uploadId, owner) {
      const isOwn = (entry: Entry) => foreignTo(owner, entry) === undefined
      const isAnswer = (entry: Entry | undefined) => entry !== undefined && uploadOf(entry) === uploadId && isOwn(entry)
      const kept = Array.from(memory.values()).find(isAnswer)
      if (kept !== undefined) return kept
      const value = yield* findValue(uploadId)
      if (value === undefined) return undefined
      const found = value._tag === "Answered" ? yield* find(value.documentId) : undefined
      if (found !== undefined && isOwn(found)) return found
      // A program that ended between two writes left both an upload and its document, or another owner has used the id.
      return (yield* all).find(isAnswer) ?? (value._tag === "Uploading" && isOwn(value) ? value : undefined)
    }),
    unreadable: () => Effect.sync(() => store?.unreadable()),
    entries: () =>
      Effect.map(all, (entries) => {
        // A program that ended between two writes left both an upload and its document.
        const answered = new Set(entries.map((entry) => entry._tag === "Uploading" ? undefined : entry.uploadId))
        return entries.filter((entry) => !(entry._tag === "Uploading" && answered.has(entry.uploadId)))
      }),
    put: Effect.fnUntraced(function*(entry) {
      const id = idOf(entry)
      const written = store !== undefined && (yield* store.set(id, entry))
      if (written) memory.delete(id)
      else remember(id, entry)
      const uploadId = uploadOf(entry)
      if (entry._tag === "Uploading" || uploadId === undefined || uploadId === id) return
      if (written) {
        memory.delete(uploadId)
        const { documentId } = entry
        const known = yield* store.get(uploadId)
        if (known?._tag !== "Answered" || known.documentId !== documentId) {
          yield* store.set(uploadId, { _tag: "Answered", documentId })
        }
      } else if (store === undefined) memory.delete(uploadId)
    }),
    remove,
    claim: (id) =>
      Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
        if (claimed.has(id)) return yield* new Busy({ id, holder: "this program" })
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
 * A journal over a store. Throws `InvalidConfiguration` for a `timeout` that is no duration.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = <E extends { readonly message: string } = KeyValueStore.KeyValueStoreError>(
  { claim, describe, store, timeout = "5 seconds" }: Options<E> = {}
): Journal["Service"] => {
  const patience = Result.getOrThrow(
    usable(Rules.duration((millis) => millis >= 0, "must not be negative")(timeout, "timeout"))
  )
  return over(store && withLogging(store, patience, describe), claim)
}

/**
 * A journal in memory, which is lost with the program. It is the default of `Documents`; provide it to read it.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerMemory: Layer.Layer<Journal> = Layer.sync(Journal, () => over(undefined, undefined))

/** The service of Effect by its key, because its module loads a client of SQL databases. */
// @effect-diagnostics-next-line serviceNotAsClass:off
const KeyValues = Context.Service<KeyValueStore.KeyValueStore>("effect/persistence/KeyValueStore")

const prefix = "document:"

const prefixed = <E>(store: Store<E>): Store<E> => ({
  get: (key) => store.get(`${prefix}${key}`),
  set: (key, value) => store.set(`${prefix}${key}`, value),
  remove: (key) => store.remove(`${prefix}${key}`),
  keys: Effect.map(
    store.keys,
    (keys) => keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length))
  )
})

/**
 * A journal in the `KeyValueStore` of the context, such as a browser's storage or a database:
 *
 *     LanguageService.layer(options).pipe(
 *       Layer.provide(Journal.layer),
 *       Layer.provide(KeyValueStore.layerStorage(() => localStorage))
 *     )
 *
 * Its keys begin with `document:`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Journal, never, KeyValueStore.KeyValueStore> = Layer.effect(
  Journal,
  Effect.map(KeyValues, (store) => make({ store: prefixed(store) }))
)
