/**
 * The journal of documents, so that a program that ends early loses none: a document can be downloaded once, and its id and key cannot be looked
 * up.
 *
 * **Details**
 *
 * `Documents.pending` lists the entries, and `Documents.resume` continues one, for clients with the same {@link Owner}. Without a store the journal
 * is in memory and keeps 10,000 documents. The package for Node.js keeps it in files.
 *
 * **Gotchas**
 *
 * The store contains keys of documents in clear text: protect it like the documents.
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
import * as Rules from "../config/internal/options.ts"
import type { DurationInput } from "../config/ResiliencePolicy.ts"
import { DocumentId, DocumentKey } from "../contract/Ids.ts"
import { formatDuration } from "../errors/Attempt.ts"
import { Busy, NotResumable } from "../errors/CallError.ts"
import { UploadFields } from "./internal/documentsApi.ts"

export { UploadFields } from "./internal/documentsApi.ts"

/**
 * The target of a translated document: a file, or a folder in which it gets an unused name.
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
 * A service and an account: origin and path of the base address, and 64 bits of a SHA-256 digest of the key, from which a random key cannot be
 * derived.
 *
 * @category models
 * @since 0.1.0
 */
export interface Owner {
  readonly host: string
  readonly account: string
}

/**
 * The fields of all entries. `source` is the path of the uploaded file, if it can be read again; `uploadId` the id of the replaced `Uploading`
 * entry; `contentHash` a hexadecimal SHA-256 digest.
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
 * Bytes of a document in a file, or in a part of a store.
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
 * - `Uploading`: the service may have the document under an unknown id. Only a download is billed.
 * - `Uploaded`: the service has the document.
 * - `Downloading`: requested. `temporary` is the file for its bytes, `rescue` the file for the rest if that disk fails.
 * - `Received`: all bytes are in one file or two consecutive parts, not yet at the target. `obsolete` are copies.
 * - `Lost`: the service has deleted the document, and only `parts` were received.
 *
 * With `completeness: "unknown"` the download may have been truncated.
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
 * The {@link Facts} of an entry.
 *
 * @category getters
 * @since 0.1.0
 */
export const factsOf = (entry: Entry): Facts => Struct.pick(entry, Struct.keys(Facts.fields))

/**
 * The key of an entry in the journal: the id of the document, or else of its upload.
 *
 * @category getters
 * @since 0.1.0
 */
export const idOf = (entry: Entry): string => entry._tag === "Uploading" ? entry.uploadId : entry.documentId

/**
 * The reason why an entry belongs to another owner.
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
 * Fails for an entry of another owner.
 *
 * @category combinators
 * @since 0.1.0
 */
export const checkOwner = (owner: Owner, entry: Entry): Effect.Effect<void, NotResumable> => {
  const description = foreignTo(owner, entry)
  return description === undefined ? Effect.void : Effect.fail(new NotResumable({ id: idOf(entry), description }))
}

/**
 * Fails for an entry that a journal does not have, or cannot read.
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
 * Fields of the entries of uploads in a region of a program.
 *
 * @category services
 * @since 0.1.0
 */
export const UploadFacts = Context.Reference<{
  readonly source?: string | undefined
  readonly target?: Target | undefined
  /** True if the caller has claimed the `uploadId`. Default false. */
  readonly isClaimed?: boolean | undefined
}>("@effect-lingua/core/documents/Journal/UploadFacts", { defaultValue: () => ({}) })

/**
 * A store, such as a `KeyValueStore`.
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
 * Options of a journal.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options<E = KeyValueStore.KeyValueStoreError> {
  /** Default: memory. */
  readonly store?: Store<E> | undefined
  /** Locks a document against other processes that share the store. */
  readonly claim?: Journal["Service"]["claim"] | undefined
  /** Time after which a call of the store counts as failed. Default 5 s. */
  readonly timeout?: DurationInput | undefined
  /** Describes a failure for the warning, without secrets. */
  readonly describe?: ((error: E) => string) | undefined
}

const maxInMemory = 10_000

const defaultTimeout = Duration.seconds(5)

/** The store's value under the id of an upload that has a document. */
const Answered = Schema.TaggedStruct("Answered", { documentId: DocumentId })

type Value = Entry | typeof Answered.Type

const codec = Schema.fromJsonString(Schema.Union([Entry, Answered]))
const encode = Schema.encodeEffect(codec)
const decode = Schema.decodeUnknownOption(codec)

/** The upload that an entry replaced. */
const uploadOf = (entry: Entry): string | undefined => entry._tag === "Uploading" ? undefined : entry.uploadId

const consequences = {
  get: "cannot be read",
  keys: "cannot be read",
  set: "cannot be written, so a document in progress is lost if this program ends early",
  remove: "cannot be written, so it still has entries of finished documents"
}

class StoreTimeout extends Data.TaggedError("StoreTimeout")<{ readonly message: string }> {}

/** Waits for an effect for a limited time; the effect continues. */
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

  /** Runs a method of the store, and logs the first of consecutive failures. */
  const attempt = <A>(method: keyof typeof consequences, effect: Effect.Effect<A, E>, secret?: string) =>
    Effect.matchEffect(within(effect, timeout), {
      onSuccess: (value) => {
        failures.delete(method)
        return Effect.succeedSome(value)
      },
      onFailure: Effect.fnUntraced(function*(error) {
        if (failures.has(method)) return Option.none()
        // A message may contain the value.
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
        yield* Effect.logWarning(`The journal of documents has a foreign value under ${id}, which is left unchanged`)
      }
      return value
    }),
    set: Effect.fnUntraced(function*(id: string, value: Value) {
      // Not stored: the call refuses the invalid input of an untyped caller.
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

/** A bundle with a journal in memory has no part of {@link withLogging}. */
const over = (store: ReturnType<typeof withLogging> | undefined, claim: Options["claim"]): Journal["Service"] => {
  /** Entries that the store did not accept; `undefined` for an entry that the store did not remove. */
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
      const isAnswer = (entry: Entry | undefined) => entry !== undefined && uploadOf(entry) === uploadId && isOwn(entry)
      const kept = Array.from(memory.values()).find(isAnswer)
      if (kept !== undefined) return kept
      const value = yield* findValue(uploadId)
      if (value === undefined) return undefined
      const found = value._tag === "Answered" ? yield* find(value.documentId) : undefined
      if (found !== undefined && isOwn(found)) return found
      // Both entries exist after a kill between two writes.
      return (yield* all).find(isAnswer) ?? (value._tag === "Uploading" && isOwn(value) ? value : undefined)
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
        // Removed here too, because a failed write or a kill can leave the upload's entry.
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

/** Not imported, because Effect's module loads an SQL client. */
// @effect-diagnostics-next-line serviceNotAsClass:off
const KeyValues = Context.Service<KeyValueStore.KeyValueStore>("effect/persistence/KeyValueStore")

/**
 * The journal, which never fails: entries that the store does not accept stay in memory, with a warning.
 *
 * @category services
 * @since 0.1.0
 */
export class Journal extends Context.Service<Journal, {
  /** All entries, the oldest first. */
  readonly entries: Effect.Effect<ReadonlyArray<Entry>>
  /** Why the store is unreadable, without secrets. */
  readonly unreadable: Effect.Effect<string | undefined>
  /** The entry of a document or upload. */
  readonly get: (id: string) => Effect.Effect<Entry | undefined>
  /** The entry of the document of an upload, or else of the upload. */
  readonly getUpload: (uploadId: string, owner: Owner) => Effect.Effect<Entry | undefined>
  /** Replaces the entry with the id, and the entry of the upload. */
  readonly put: (entry: Entry) => Effect.Effect<void>
  readonly remove: (id: string) => Effect.Effect<void>
  /** Claims a document for the scope. Fails with `Busy` if another fiber or process has claimed it. */
  readonly claim: (id: string) => Effect.Effect<void, Busy, Scope.Scope>
}>()("@effect-lingua/core/documents/Journal") {
  /** A journal over a store. Throws `InvalidConfiguration` for an invalid `timeout`. */
  static readonly make = <E extends { readonly message: string } = KeyValueStore.KeyValueStoreError>(
    { claim, describe, store, timeout = defaultTimeout }: Options<E> = {}
  ): Journal["Service"] => {
    const duration = Result.getOrThrow(
      usable(Rules.duration((millis) => millis >= 0, "must not be negative")(timeout, "timeout"))
    )
    return over(store && withLogging(store, duration, describe), claim)
  }

  /** A journal in memory, which `Documents` makes by default. */
  static readonly layerMemory: Layer.Layer<Journal> = Layer.sync(Journal, () => over(undefined, undefined))

  /**
   * A journal in the `KeyValueStore` of the context, under keys that begin with `document:`:
   *
   *     LanguageService.layer(options).pipe(
   *       Layer.provide(Journal.layer),
   *       Layer.provide(KeyValueStore.layerStorage(() => localStorage))
   *     )
   */
  static readonly layer: Layer.Layer<Journal, never, KeyValueStore.KeyValueStore> = Layer.effect(
    Journal,
    Effect.map(KeyValues, (store) => over(withLogging(store, defaultTimeout, undefined, "document:"), undefined))
  )
}

/**
 * Types of the service.
 *
 * @category models
 * @since 0.3.0
 */
export declare namespace Journal {
  export type { Options }
  export type { Entry, Facts, Owner, Part, Store, Target, UploadFields }
}
