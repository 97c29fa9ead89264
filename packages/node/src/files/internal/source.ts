/** Source files: checked before anything is sent, and read while they are sent. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Stream from "effect/Stream"
import { messageFirst } from "../../internal/messageFirst.ts"
import { SourceUnusable } from "./documentErrors.ts"
import { describe, kinds } from "./files.ts"
import { checkPath } from "./target.ts"

/** The cause of a `SourceFailed`: the file changed during the upload. */
class SourceChanged
  extends messageFirst(Data.TaggedError("SourceChanged")<{ readonly path: string; readonly description: string }>)
{
  override get message(): string {
    return `${this.path} changed while it was read: ${this.description}`
  }
}

/** The bytes of one read. Each has a fixed cost, so fewer and larger ones are faster. */
const chunkSize = 256 * 1024

/** A file that can be uploaded. */
export interface Source {
  readonly path: string
  readonly name: string
  readonly size: number
  readonly content: Stream.Stream<Uint8Array, PlatformError | SourceChanged>
}

const timeOf = ({ mtime }: FileSystem.File.Info): number => Option.match(mtime, { onNone: () => 0, onSome: Number })

export const make = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path

  return Effect.fnUntraced(function*(given: string) {
    // A caller without types can omit it.
    yield* checkPath("source", given ?? "")
    const file = path.resolve(given)
    const unusable = (description: string) => new SourceUnusable({ path: file, description })
    const readable = Effect.scoped(Effect.flatMap(fs.open(file, { flag: "r" }), (opened) => opened.stat))
    // Only files are opened: a pipe without a writer would wait for one.
    const { type } = yield* Effect.mapError(fs.stat(file), (error) => unusable(describe(error)))
    if (type !== "File") return yield* unusable(`it is ${kinds[type]}`)
    const info = yield* Effect.mapError(readable, (error) => unusable(describe(error)))
    const size = Number(info.size)
    if (size === 0) return yield* unusable("it is empty")
    const changed = (description: string) => new SourceChanged({ path: file, description })

    const unchanged = Stream.unwrap(Effect.map(fs.stat(file), (now) =>
      now.size !== info.size
        ? Stream.fail(changed(`${now.size} instead of ${size} bytes`))
        : timeOf(now) === timeOf(info)
        ? Stream.empty
        : Stream.fail(changed("it was written to"))))
    const content = Stream.concat(fs.stream(file, { bytesToRead: size, chunkSize }), unchanged)
    const source: Source = { path: file, name: path.basename(file), size, content }
    return source
  })
})
