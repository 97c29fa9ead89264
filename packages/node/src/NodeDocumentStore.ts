/**
 * A folder as the store of `DocumentWorkflow`: sources are read from it, and translations appear in it when they are complete.
 *
 * @since 0.2.0
 */
import { DocumentStore } from "@effect-lingua/core/durable/DocumentStore"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { PersistenceError } from "effect/persistence/Persistence"
import type { PlatformError } from "effect/PlatformError"
import * as Stream from "effect/Stream"
import { describe, platform } from "./files/internal/files.ts"
import { publish } from "./files/internal/publish.ts"
import { partName } from "./files/internal/safeName.ts"

/**
 * The folder of a store.
 *
 * @category options
 * @since 0.2.0
 */
export interface Options {
  /** The folder, which must exist. All processes of a fleet must see it. */
  readonly folder: string
}

const failed = (what: string) => (error: PlatformError) =>
  new PersistenceError({ message: `${what}: ${describe(error)}`, cause: error })

/** The hidden file beside a translation, which becomes it. */
const partOf = (name: string): string => {
  const end = name.lastIndexOf("/") + 1
  return name.slice(0, end) + partName(name.slice(end), "translation")
}

const make = Effect.fnUntraced(function*(options: Options) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.resolve(options.folder)

  /** The path of a name, which must stay in the folder. */
  const pathOf = (name: string): Effect.Effect<string, PersistenceError> => {
    const isPlain = name !== "" && !path.isAbsolute(name) && !/[\0\\]/.test(name) &&
      name.split("/").every((part) => part !== "" && part !== "." && part !== "..")
    return isPlain
      ? Effect.succeed(path.join(folder, name))
      : Effect.fail(
        new PersistenceError({
          message: `${JSON.stringify(name)} is not the name of a file in the folder of the store`
        })
      )
  }

  const sizeOf = Effect.fnUntraced(function*(name: string) {
    const at = yield* pathOf(name)
    const info = yield* Effect.catchIf(
      fs.stat(at),
      (error) => error.reason._tag === "NotFound",
      () => Effect.undefined
    ).pipe(Effect.mapError(failed(`${name} cannot be read`)))
    if (info === undefined) return undefined
    if (info.type !== "File") return yield* new PersistenceError({ message: `${name} is not a file` })
    return Number(info.size)
  })

  return DocumentStore.of({
    find: (name) => Effect.map(sizeOf(name), (size) => size === undefined ? undefined : { size }),
    part: (name) => Effect.map(sizeOf(partOf(name)), (size) => size === undefined ? undefined : partOf(name)),
    read: Effect.fnUntraced(function*(name) {
      const size = yield* sizeOf(name)
      if (size === undefined) return yield* new PersistenceError({ message: `there is no file ${name} in ${folder}` })
      const content = Stream.mapError(fs.stream(yield* pathOf(name)), failed(`${name} cannot be read`))
      return { content, size }
    }),
    write: Effect.fnUntraced(function*<E>(name: string, content: Stream.Stream<Uint8Array, E>) {
      const at = yield* pathOf(name)
      const part = yield* pathOf(partOf(name))
      const cannot = failed(`${name} cannot be written`)
      return yield* Effect.scoped(Effect.gen(function*() {
        const parent = path.dirname(at)
        if (!(yield* Effect.mapError(fs.exists(parent), cannot))) {
          yield* Effect.mapError(fs.makeDirectory(parent, { recursive: true }), cannot)
        }
        // The part that an earlier attempt left stays until this one receives bytes: it may be the only one.
        const file = yield* Effect.mapError(fs.open(part, { flag: "a", mode: 0o600 }), cannot)
        const cleared = yield* Effect.cached(Effect.mapError(file.truncate(), cannot))
        let size = 0
        yield* Stream.runForEach(content, (chunk) => {
          size += chunk.length
          return Effect.andThen(cleared, Effect.mapError(file.writeAll(chunk), cannot))
        })
        yield* cleared
        yield* Effect.mapError(file.sync, cannot)
        yield* Effect.mapError(publish(fs, part, at, true), cannot)
        return { size }
      }))
    })
  })
})

/**
 * The store of a folder. Names are paths below it, with `/`; other names are refused. A translation is written to a hidden file beside it, which
 * is renamed when it is complete, and stays if its download is interrupted.
 *
 * @category layers
 * @since 0.2.0
 */
export const layer = (options: Options): Layer.Layer<DocumentStore> =>
  Layer.provide(Layer.effect(DocumentStore, make(options)), platform)
