/**
 * Where documents come from and where their translations go: a folder, a bucket, a database.
 *
 * @since 0.2.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { PersistenceError } from "effect/persistence/Persistence"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"

/**
 * A document of a store.
 *
 * @category models
 * @since 0.2.0
 */
export interface Source {
  /** The bytes, which are read again for each attempt. */
  readonly content: Stream.Stream<Uint8Array, PersistenceError>
  /** Their number. */
  readonly size: number
}

/**
 * Reads sources and writes translations, by names that the store gives a meaning to.
 *
 * **Details**
 *
 * - `read` fails for a name without a document.
 * - `write` makes a translation visible when it is complete, and returns its size. It replaces an earlier one of that name. It reads the content only
 *   when it can be written, because the content cannot be read again. After a failure or a kill, the part that arrived may stay under another name.
 * - `find` returns the size of the document of a name, or `undefined`.
 * - `part` returns the name of the part that an incomplete `write` left, or `undefined`.
 *
 * @category services
 * @since 0.2.0
 */
export class DocumentStore extends Context.Service<DocumentStore, {
  readonly read: (name: string) => Effect.Effect<Source, PersistenceError>
  readonly write: <E>(
    name: string,
    content: Stream.Stream<Uint8Array, E>
  ) => Effect.Effect<{ readonly size: number }, E | PersistenceError>
  readonly find: (name: string) => Effect.Effect<{ readonly size: number } | undefined, PersistenceError>
  readonly part: (name: string) => Effect.Effect<string | undefined, PersistenceError>
}>()("@effect-lingua/core/durable/DocumentStore") {}

const joined = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

const partOf = (name: string) => `${name}.part`

/**
 * A store in memory, for tests and trials, with documents by their names. The part of an incomplete write has the suffix `.part`.
 *
 * @category layers
 * @since 0.2.0
 */
export const layerMemory = (
  documents: Readonly<Record<string, string | Uint8Array>> = {}
): Layer.Layer<DocumentStore> =>
  Layer.sync(DocumentStore, () => {
    const encoder = new TextEncoder()
    const entries = new Map(
      Object.entries(documents).map(([name, content]) =>
        [name, typeof content === "string" ? encoder.encode(content) : content] as const
      )
    )
    const find = (name: string) =>
      Effect.sync(() => {
        const found = entries.get(name)
        return found === undefined ? undefined : { size: found.length }
      })
    return {
      find,
      part: (name) => Effect.map(find(partOf(name)), (found) => found === undefined ? undefined : partOf(name)),
      read: (name) =>
        Effect.suspend(() => {
          const bytes = entries.get(name)
          return bytes === undefined
            ? Effect.fail(new PersistenceError({ message: `there is no document ${name}` }))
            : Effect.succeed({ content: Stream.succeed(bytes), size: bytes.length })
        }),
      write: Effect.fnUntraced(function*<E>(name: string, content: Stream.Stream<Uint8Array, E>) {
        const chunks = yield* Ref.make<ReadonlyArray<Uint8Array>>([])
        yield* Stream.runForEach(content, (chunk) =>
          Effect.map(Ref.updateAndGet(chunks, (before) => [...before, chunk]), (all) => {
            entries.set(partOf(name), joined(all))
          }))
        const bytes = joined(yield* Ref.get(chunks))
        entries.delete(partOf(name))
        entries.set(name, bytes)
        return { size: bytes.length }
      })
    }
  })
