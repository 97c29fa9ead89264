/**
 * The store of documents and their translations, such as a folder, a bucket or a database.
 *
 * @since 0.2.0
 */
import { type InvalidInput, TargetExists } from "@effect-lingua/core/errors/CallError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { PersistenceError } from "effect/persistence/Persistence"
import * as Stream from "effect/Stream"

/**
 * A document to translate.
 *
 * @category models
 * @since 0.2.0
 */
export interface Source {
  /** The document's bytes; the stream runs for each attempt. */
  readonly content: Stream.Stream<Uint8Array, PersistenceError>
  /** The number of bytes. */
  readonly size: number
}

/**
 * A translation in a store. Its `version`, such as an `ETag`, changes when the translation is replaced.
 *
 * @category models
 * @since 0.3.0
 */
export interface Found {
  readonly size: number
  readonly version: string
}

/**
 * Options of a write. `overwrite` replaces an existing translation. Default false.
 *
 * @category options
 * @since 0.3.0
 */
export interface WriteOptions {
  readonly overwrite?: boolean | undefined
}

const joined = (one: Uint8Array, other: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(one.length + other.length)
  bytes.set(one)
  bytes.set(other, one.length)
  return bytes
}

const partOf = (name: string) => `${name}.part`

const missing = (name: string) => new PersistenceError({ message: `there is no document ${name}` })

/**
 * Reads documents and writes translations by name.
 *
 * **Details**
 *
 * - `read` fails if the document does not exist. All functions fail with `InvalidInput` for a name that the store cannot use.
 * - `claim` reserves a target for an owner until `release`, across processes and restarts. A repeated claim by the owner succeeds; another owner's
 *   claim fails with `TargetExists`. A claim ignores existing files. `release` does nothing for another owner.
 * - `write` makes a complete translation visible and returns its size. Without `overwrite`, `write` fails if the name exists. The content, which can
 *   be read once, is read only after the store can write. After a failure or a kill, the received part may stay under another name.
 * - `part` returns the name and size of an incomplete `write`'s part, or `undefined`; `complete` makes the part visible like `write`, and fails
 *   without a part.
 * - `find` returns a name's translation, or `undefined`.
 *
 * @category services
 * @since 0.2.0
 */
export class DocumentStore extends Context.Service<DocumentStore, {
  readonly read: (name: string) => Effect.Effect<Source, InvalidInput | PersistenceError>
  readonly claim: (name: string, owner: string) => Effect.Effect<void, InvalidInput | TargetExists | PersistenceError>
  readonly release: (name: string, owner: string) => Effect.Effect<void, InvalidInput | PersistenceError>
  readonly write: <E>(
    name: string,
    content: Stream.Stream<Uint8Array, E>,
    options?: WriteOptions
  ) => Effect.Effect<{ readonly size: number }, E | InvalidInput | PersistenceError>
  readonly part: (
    name: string
  ) => Effect.Effect<{ readonly name: string; readonly size: number } | undefined, InvalidInput | PersistenceError>
  readonly complete: (
    name: string,
    options?: WriteOptions
  ) => Effect.Effect<{ readonly size: number }, InvalidInput | PersistenceError>
  readonly find: (name: string) => Effect.Effect<Found | undefined, InvalidInput | PersistenceError>
}>()("@effect-lingua/workflow/DocumentStore") {
  /** An in-memory store for tests, with `documents` keyed by name. The part of an incomplete write has the suffix `.part`. */
  static readonly layerMemory = (
    documents: Readonly<Record<string, string | Uint8Array>> = {}
  ): Layer.Layer<DocumentStore> =>
    Layer.sync(DocumentStore, () => {
      const encoder = new TextEncoder()
      const entries = new Map(
        Object.entries(documents).map(([name, content]) =>
          [name, typeof content === "string" ? encoder.encode(content) : content] as const
        )
      )
      const claims = new Map<string, string>()
      const versions = new Map<string, number>()
      const find = (name: string) =>
        Effect.sync(() => {
          const found = entries.get(name)
          return found === undefined ? undefined : { size: found.length, version: `${versions.get(name) ?? 0}` }
        })
      const complete = (name: string, { overwrite = false }: WriteOptions = {}) =>
        Effect.suspend(() => {
          const bytes = entries.get(partOf(name))
          if (bytes === undefined) return Effect.fail(missing(partOf(name)))
          if (entries.has(name) && !overwrite) return Effect.fail(new PersistenceError({ message: `${name} exists` }))
          entries.delete(partOf(name))
          entries.set(name, bytes)
          versions.set(name, (versions.get(name) ?? 0) + 1)
          return Effect.succeed({ size: bytes.length })
        })
      return {
        find,
        complete,
        claim: (name, owner) =>
          Effect.suspend(() => {
            const claimedBy = claims.get(name) ?? owner
            if (claimedBy !== owner) return Effect.fail(new TargetExists({ path: name, claimedBy }))
            claims.set(name, owner)
            return Effect.void
          }),
        release: (name, owner) =>
          Effect.sync(() => {
            if (claims.get(name) === owner) claims.delete(name)
          }),
        part: (name) =>
          Effect.map(find(partOf(name)), (found) => found === undefined ? undefined : { name: partOf(name), ...found }),
        read: (name) =>
          Effect.suspend(() => {
            const bytes = entries.get(name)
            return bytes === undefined
              ? Effect.fail(missing(name))
              : Effect.succeed({ content: Stream.succeed(bytes), size: bytes.length })
          }),
        write: Effect.fnUntraced(function*<E>(
          name: string,
          content: Stream.Stream<Uint8Array, E>,
          options?: WriteOptions
        ) {
          let part: Uint8Array = new Uint8Array()
          yield* Stream.runForEach(content, (chunk) =>
            Effect.sync(() => {
              part = joined(part, chunk)
              entries.set(partOf(name), part)
            }))
          entries.set(partOf(name), part)
          return yield* complete(name, options)
        })
      }
    })
}

/**
 * Types, such as `DocumentStore.Found`.
 *
 * @category models
 * @since 0.3.0
 */
export declare namespace DocumentStore {
  export type { WriteOptions }
  export type { Found, Source }
}
