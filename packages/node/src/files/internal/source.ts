/** Source files, read during uploads and recorded in the journal. */
import { errorFields } from "@effect-lingua/core/call/Call"
import { Documents, type UploadOptions } from "@effect-lingua/core/documents/Documents"
import { type Journal, UploadFacts } from "@effect-lingua/core/documents/Journal"
import { NotResumable } from "@effect-lingua/core/errors/CallError"
import { Failure } from "@effect-lingua/core/extension/DocumentTools"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { describe, kinds } from "./files.ts"
import { checkPath, safeName, split } from "./target.ts"

/**
 * The source is unreadable, empty or not a file. Nothing was sent.
 *
 * @category errors
 * @since 0.1.0
 */
export class SourceUnusable extends Failure.messageFirst(
  Schema.TaggedError<SourceUnusable>()("SourceUnusable", {
    ...errorFields,
    path: Schema.String
  })
) {
  readonly category = "local"
  readonly outcome = "refused"
  readonly isTransient = false
  override get message(): string {
    return `${this.operation}: cannot read ${this.path}: ${this.description}. Nothing was sent; name another file`
  }
}

class SourceChanged extends Failure.messageFirst(
  Data.TaggedError("SourceChanged")<{ readonly path: string; readonly description: string }>
) {
  override get message(): string {
    return `${this.path} changed while it was read: ${this.description}`
  }
}

/** Bytes per read; large, because each read has a fixed cost. */
const chunkSize = 256 * 1024

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

  return Effect.fnUntraced(function*(sourcePath: string) {
    // An untyped caller can omit the path.
    yield* checkPath("source", sourcePath ?? "")
    const file = path.resolve(sourcePath)
    const unusable = (description: string) => new SourceUnusable({ path: file, description })
    const readable = Effect.scoped(Effect.flatMap(fs.open(file, { flag: "r" }), (opened) => opened.stat))
    // Checked before opening, because opening a pipe would wait for its writer.
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
    return { path: file, name: path.basename(file), size, content }
  })
})

export interface Fields extends Omit<UploadOptions, "content" | "fileName" | "size"> {
  /** The name sent to the service, which derives the type from the extension. Default: the file's name. */
  readonly fileName?: string | undefined
}

export const makeUploads = Effect.gen(function*() {
  const documents = yield* Documents
  const path = yield* Path.Path
  const check = yield* make

  const upload = (
    { content, name, path: source, size }: Source,
    { fileName = name, ...fields }: Fields,
    facts?: { readonly target: Journal.Target; readonly isClaimed?: boolean }
  ) =>
    documents.upload({ ...fields, fileName, content, size }).pipe(
      Effect.provideService(UploadFacts, { source, ...facts })
    )

  /**
   * Prepares another upload after a lost response. Both uploads share one entry, so that a kill leaves one upload to
   * resume.
   */
  const prepareAgain = Effect.fnUntraced(function*(
    { fields, fileName, source: file, uploadId }: Extract<Journal.Entry, { readonly _tag: "Uploading" }>
  ) {
    if (file === undefined || fields === undefined) {
      return yield* new NotResumable({
        id: uploadId,
        description:
          "The response to its upload was lost, and the journal does not have the path of its file. Upload it again"
      })
    }
    const source = yield* check(file)
    // oxlint-disable-next-line typescript/no-misused-spread -- a body is a plain object
    const again = { ...fields, fileName, anyType: true, uploadId }
    return (target: Journal.Target) => upload(source, again, { target, isClaimed: true })
  })

  /** The default target: next to the source, with the language before the translation's extension. */
  const nextTo = (source: Source, { outputFormat, targetLanguage }: Fields): string => {
    const [stem, extension] = split(source.name)
    const translated = extension.toLowerCase() === ".doc" ? `${extension}x` : extension
    const name = `${stem}.${targetLanguage}${outputFormat === undefined ? translated : `.${outputFormat}`}`
    return path.join(path.dirname(source.path), safeName(name) ?? "document")
  }

  return { check, nextTo, prepareAgain, upload }
})
