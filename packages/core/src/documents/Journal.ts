/**
 * Records the ids and keys of documents, so that a restarted program can download the documents. The service does not list documents.
 *
 * **Details**
 *
 * `Documents.pending` lists the entries, and `Documents.resume` continues one, for clients with the same {@link Owner}. Without a store, the
 * journal keeps up to 10,000 documents in memory. The package for Node.js keeps the journal in files.
 *
 * **Gotchas**
 *
 * The store contains document keys in clear text: protect the store like the documents.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
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
import { notNegative } from "../config/internal/settings.ts"
import type { DurationInput } from "../config/ResiliencePolicy.ts"
import { DocumentId, DocumentKey } from "../contract/Ids.ts"
import { formatDuration } from "../errors/Attempt.ts"
import { Busy, NotResumable } from "../errors/CallError.ts"
import { UploadFields } from "./internal/documentsApi.ts"

export { UploadFields } from "./internal/documentsApi.ts"

/**
 * The destination of a translated document: a file, or a folder in which an unused name is chosen.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Target = Schema.Union([
  Schema.Struct({ path: Schema.String, overwrite: Schema.Boolean }),
  Schema.Struct({ folder: Schema.String, overwrite: Schema.Boolean })
])

/**
 * @category models
 * @since 0.1.0
 */
export type Target = typeof Target.Type

/**
 * A service and an account. `host` is the base URL's origin and path; `account` is 64 bits of the key's SHA-256 digest, from which a random key
 * cannot be derived.
 *
 * @category models
 * @since 0.1.0
 */
export interface Owner {
  readonly host: string
  readonly account: string
}

/**
 * The fields of all entries. `source` is the uploaded file's path, if the file can be read again; `uploadId` is the id of the upload;
 * `contentHash` is the content's SHA-256 digest in hexadecimal.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Facts = Schema.Struct({
  host: Schema.String,
  account: Schema.String,
  startedAt: Schema.DateTimeUtcFromMillis,
  fileName: Schema.optionalKey(Schema.String),
  fields: Schema.optionalKey(UploadFields),
  source: Schema.optionalKey(Schema.String),
  target: Schema.optionalKey(Target),
  uploadId: Schema.optionalKey(Schema.String),
  contentHash: Schema.optionalKey(Schema.String)
})

/**
 * @category models
 * @since 0.1.0
 */
export type Facts = typeof Facts.Type

/**
 * A file, or an object in a store, with `bytes` bytes of a document.
 *
 * @category schemas
 * @since 0.3.0
 */
export const Part = Schema.Struct({ path: Schema.String, bytes: Schema.Int })

/**
 * @category models
 * @since 0.3.0
 */
export type Part = typeof Part.Type

const completeness = Schema.optionalKey(Schema.Literal("unknown"))

const issued = { ...Facts.fields, documentId: DocumentId, documentKey: DocumentKey }

/**
 * The state of a document.
 *
 * **Details**
 *
 * - `Uploading`: the upload has no response; the service may have the document under an unknown id. Only a download is billed.
 * - `Uploaded`: the service has the document.
 * - `Downloading`: the download was requested. `temporary` is the file for the bytes, `rescue` the file for the rest if the first disk fails.
 * - `Received`: all bytes are in one or two consecutive parts, not yet at the target. `obsolete` lists superseded copies.
 * - `Lost`: the service has deleted the document, and only `parts` were received.
 *
 * With `completeness: "unknown"`, the download may be truncated.
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
 * @category models
 * @since 0.1.0
 */
export type Entry = typeof Entry.Type

/**
 * Returns the fields that all states of an entry share.
 *
 * @category getters
 * @since 0.1.0
 */
export const factsOf = (entry: Entry): Facts => Struct.pick(entry, Struct.keys(Facts.fields))

/**
 * An entry's key in the journal: the document's id, or else the upload's id.
 *
 * @category getters
 * @since 0.1.0
 */
export const idOf = (entry: Entry): string => entry._tag === "Uploading" ? entry.uploadId : entry.documentId

/**
 * Explains why an entry belongs to another owner; `undefined` for the owner's entry.
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
 * Fails with `NotResumable` if the entry belongs to another owner.
 *
 * @category combinators
 * @since 0.1.0
 */
export const checkOwner = (owner: Owner, entry: Entry): Effect.Effect<void, NotResumable> => {
  const description = foreignTo(owner, entry)
  return description === undefined ? Effect.void : Effect.fail(new NotResumable({ id: idOf(entry), description }))
}

/**
 * Fails with `NotResumable`: the entry is missing or the store is unreadable.
 *
 * @category combinators
 * @since 0.2.0
 */
export const missing = (journal: Journal["Service"], id: string): Effect.Effect<never, NotResumable> =>
  Effect.flatMap(journal.unreadable, (reason) => {
    const description = reason === undefined ? "The journal has no such entry" : `The journal cannot be read: ${reason}`
    return Effect.fail(new NotResumable({ id, description }))
  })

/**
 * Fields for the journal entries of uploads: provide them to an effect that uploads.
 *
 * @category services
 * @since 0.1.0
 */
export const UploadFacts = Context.Reference<{
  readonly source?: string | undefined
  readonly target?: Target | undefined
  /** True if the caller has already claimed the `uploadId`. Default false. */
  readonly isClaimed?: boolean | undefined
}>("@effect-lingua/core/documents/Journal/UploadFacts", { defaultValue: () => ({}) })

/**
 * A store for journal entries, such as a `KeyValueStore`.
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
 * The store and lock of a journal.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options<E = KeyValueStore.KeyValueStoreError> {
  /** Default: memory. */
  readonly store?: Store<E> | undefined
  /** Locks a document against other processes that share the store. */
  readonly claim?: Journal["Service"]["claim"] | undefined
  /** Time limit for a store operation. Default 5 s. */
  readonly timeout?: DurationInput | undefined
  /** Describes a store failure for the logged warning, without secrets. */
  readonly describe?: ((error: E) => string) | undefined
}

const maxInMemory = 10_000

const defaultTimeout = Duration.seconds(5)

/** Stored under an upload's id when the document's id is known. */
const Answered = Schema.TaggedStruct("Answered", { documentId: DocumentId })

type Value = Entry | typeof Answered.Type

const codec = Schema.fromJsonString(Schema.Union([Entry, Answered]))
const encode = Schema.encodeEffect(codec)
const decode = Schema.decodeUnknownOption(codec)

const uploadOf = (entry: Entry): string | undefined => entry._tag === "Uploading" ? undefined : entry.uploadId

const consequences = {
  get: "cannot be read",
  keys: "cannot be read",
  set: "cannot be written, so a document in progress is lost if this program ends early",
  remove: "cannot be written, so it still has entries of finished documents"
}

class StoreTimeout extends Data.TaggedError("StoreTimeout")<{ readonly message: string }> {}

/** Limits the wait for an effect. The effect continues in the background. */
const within = <A, E>(effect: Effect.Effect<A, E>, duration: Duration.Duration): Effect.Effect<A, E | StoreTimeout> =>
  Effect.flatMap(
    Effect.forkDetach(effect, { startImmediately: true }),
    (fiber) =>
      Effect.timeoutOrElse(Fiber.join(fiber), {
        duration,
        orElse: () =>
          Effect.fail(new StoreTimeout({ message: `the store did not respond within ${formatDuration(duration)}` }))
      })
  )

const withLogging = <E extends { readonly message: string }>(
  store: Store<E>,
  timeout: Duration.Duration,
  describe?: Options<E>["describe"],
  prefix = ""
) => {
  const failures = new Map<keyof typeof consequences, string>()

  /** Runs a store operation. Of consecutive failures, only the first is logged. */
  const attempt = <A>(method: keyof typeof consequences, effect: Effect.Effect<A, E>, secret?: string) =>
    Effect.matchEffect(within(effect, timeout), {
      onSuccess: (value) => {
        failures.delete(method)
        return Effect.succeedSome(value)
      },
      onFailure: Effect.fnUntraced(function*(error) {
        if (failures.has(method)) return Option.none()
        // The error message may contain the stored value.
        const message = secret !== undefined && error.message.includes(secret) ? "" : error.message
        const addition = error instanceof StoreTimeout ? "" : describe?.(error) ?? ""
        const reason = [message, addition].filter((part) => part !== "").join(", ")
        failures.set(method, reason)
        yield* Effect.logWarning(
          `The journal of documents ${consequences[method]}${reason === "" ? "" : `: ${reason}`}`
        )
        return Option.none()
      })
    })

  return {
    get: Effect.fnUntraced(function*(id: string) {
      const text = Option.getOrUndefined(yield* attempt("get", store.get(`${prefix}${id}`)))
      if (text === undefined) return undefined
      const value = Option.getOrUndefined(decode(text))
      if (value === undefined) {
        yield* Effect.logWarning(
          `The journal of documents has an unreadable value under ${id}, which is left unchanged`
        )
      }
      return value
    }),
    set: Effect.fnUntraced(function*(id: string, value: Value) {
      // Invalid input from an untyped caller is not stored; the call itself refuses it.
      const text = yield* Effect.option(encode(value))
      if (Option.isNone(text)) return false
      const secret = "documentKey" in value ? Redacted.value(value.documentKey) : undefined
      return Option.isSome(yield* attempt("set", store.set(`${prefix}${id}`, text.value), secret))
    }),
    remove: (id: string) => Effect.map(attempt("remove", store.remove(`${prefix}${id}`)), Option.isSome),
    keys: Effect.map(attempt("keys", store.keys), (found) => {
      const keys = Option.getOrElse(found, (): ReadonlyArray<string> => [])
      return keys.flatMap((key) => key.startsWith(prefix) ? [key.slice(prefix.length)] : [])
    }),
    unreadable: () => failures.get("keys") ?? failures.get("get")
  }
}

/** Takes the store as a parameter to keep {@link withLogging} out of bundles with an in-memory journal. */
const fromStore = (store: ReturnType<typeof withLogging> | undefined, claim: Options["claim"]): Journal["Service"] => {
  /** Without a store, all entries. Otherwise entries that the store failed to write, or `undefined` after a failed removal. */
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

  const drop = Effect.fnUntraced(function*(id: string) {
    memory.delete(id)
    if (store !== undefined && !(yield* store.remove(id))) remember(id, undefined)
  })

  const all = Effect.gen(function*() {
    const ids = new Set([...memory.keys(), ...(store === undefined ? [] : yield* store.keys)])
    const found = yield* Effect.forEach(ids, find, { concurrency: 16 })
    return found.filter((entry) => entry !== undefined)
      .toSorted((one, other) => DateTime.Order(one.startedAt, other.startedAt))
  })

  return {
    get: find,
    getUpload: Effect.fnUntraced(function*(uploadId, owner) {
      const isOwn = (entry: Entry) => foreignTo(owner, entry) === undefined
      const isOfUpload = (entry: Entry | undefined) =>
        entry !== undefined && uploadOf(entry) === uploadId && isOwn(entry)
      const inMemory = Array.from(memory.values()).find(isOfUpload)
      if (inMemory !== undefined) return inMemory
      const value = yield* findValue(uploadId)
      if (value === undefined) return undefined
      const found = value._tag === "Answered" ? yield* find(value.documentId) : undefined
      if (found !== undefined && isOwn(found)) return found
      // A crash between the two writes of `put` leaves the upload's and the document's entry.
      return (yield* all).find(isOfUpload) ?? (value._tag === "Uploading" && isOwn(value) ? value : undefined)
    }),
    unreadable: Effect.sync(() => store?.unreadable()),
    entries: Effect.map(all, (entries) => {
      const answered = new Set(entries.map(uploadOf))
      return entries.filter((entry) => entry._tag !== "Uploading" || !answered.has(entry.uploadId))
    }),
    put: Effect.fnUntraced(function*(entry) {
      const id = idOf(entry)
      const written = store !== undefined && (yield* store.set(id, entry))
      if (written) memory.delete(id)
      else remember(id, entry)
      const uploadId = uploadOf(entry)
      if (entry._tag === "Uploading" || uploadId === undefined || uploadId === id) return
      if (written || store === undefined) memory.delete(uploadId)
      if (!written) return
      const { documentId } = entry
      const known = yield* store.get(uploadId)
      if (known?._tag !== "Answered" || known.documentId !== documentId) {
        yield* store.set(uploadId, { _tag: "Answered", documentId })
      }
    }),
    remove: Effect.fnUntraced(function*(id) {
      const entry = yield* find(id)
      const uploadId = entry === undefined ? undefined : uploadOf(entry)
      if (entry !== undefined && uploadId !== undefined) {
        const value = yield* findValue(uploadId)
        // Also removes the upload's entry, which a failed write or a crash can leave.
        const isOwn = value?._tag === "Answered"
          ? value.documentId === id
          : value !== undefined && foreignTo(entry, value) === undefined
        if (isOwn) yield* drop(uploadId)
      }
      yield* drop(id)
    }),
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

/** Redeclared, because importing Effect's `KeyValueStore` module loads an SQL client. */
// @effect-diagnostics-next-line serviceNotAsClass:off
const KeyValues = Context.Service<KeyValueStore.KeyValueStore>("effect/persistence/KeyValueStore")

/**
 * The journal. Store failures never fail a call: the entry stays in memory, and a warning is logged.
 *
 * @category services
 * @since 0.1.0
 */
export class Journal extends Context.Service<Journal, {
  /** All entries, oldest first. */
  readonly entries: Effect.Effect<ReadonlyArray<Entry>>
  /** Why the store is unreadable, without secrets; `undefined` if readable. */
  readonly unreadable: Effect.Effect<string | undefined>
  /** The entry of a document or upload. */
  readonly get: (id: string) => Effect.Effect<Entry | undefined>
  /** The entry of an upload's document, or the upload's entry if the document is unknown. */
  readonly getUpload: (uploadId: string, owner: Owner) => Effect.Effect<Entry | undefined>
  /** Adds or replaces an entry. A document's entry also replaces its upload's entry. */
  readonly put: (entry: Entry) => Effect.Effect<void>
  readonly remove: (id: string) => Effect.Effect<void>
  /** Claims a document until the scope closes. Fails with `Busy` if another fiber or process has claimed it. */
  readonly claim: (id: string) => Effect.Effect<void, Busy, Scope.Scope>
}>()("@effect-lingua/core/documents/Journal") {
  /** Makes a journal. Throws `InvalidConfiguration` for an invalid `timeout`. */
  static readonly make = <E extends { readonly message: string } = KeyValueStore.KeyValueStoreError>(
    { claim, describe, store, timeout = defaultTimeout }: Options<E> = {}
  ): Journal["Service"] => {
    const duration = Result.getOrThrow(usable(notNegative(timeout, "timeout")))
    return fromStore(store && withLogging(store, duration, describe), claim)
  }

  /** A journal in memory, the default of `Documents`. */
  static readonly layerMemory: Layer.Layer<Journal> = Layer.sync(Journal, () => fromStore(undefined, undefined))

  /**
   * A journal in the context's `KeyValueStore`, under keys that begin with `document:`:
   *
   *     LanguageService.layer(options).pipe(
   *       Layer.provide(Journal.layer),
   *       Layer.provide(KeyValueStore.layerStorage(() => localStorage))
   *     )
   */
  static readonly layer: Layer.Layer<Journal, never, KeyValueStore.KeyValueStore> = Layer.effect(
    Journal,
    Effect.map(KeyValues, (store) => fromStore(withLogging(store, defaultTimeout, undefined, "document:"), undefined))
  )
}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace Journal {
  export type { Options }
  export type { Entry, Facts, Owner, Part, Store, Target, UploadFields }
}
