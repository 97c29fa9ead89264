/**
 * Translation memories imported from files and exported to files.
 *
 * @since 0.1.0
 */
import * as Call from "@effect-lingua/core/call/Call"
import { AnyJobId } from "@effect-lingua/core/contract/Ids"
import { type ErrorOf, TargetExists } from "@effect-lingua/core/errors/CallError"
import { Failure } from "@effect-lingua/core/extension/DocumentTools"
import { Progress, report } from "@effect-lingua/core/jobs/Progress"
import {
  type ImportedMemory,
  type ImportOptions,
  type JobRef,
  type MemoryRef,
  TranslationMemories
} from "@effect-lingua/core/translation-memories/TranslationMemories"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import { describe, platform, unique } from "./internal/files.ts"
import * as PartFile from "./internal/partFile.ts"
import * as Source from "./internal/source.ts"
import type { SourceUnusable } from "./internal/source.ts"
import * as Target from "./internal/target.ts"
import type { TargetUnusable } from "./internal/target.ts"
import type { Destination } from "./NodeDocuments.ts"

/**
 * An export could not be written completely. The file was removed; the memory can be exported again.
 *
 * @category errors
 * @since 0.1.0
 */
export class ExportNotSaved extends Failure.messageFirst(
  Schema.TaggedError<ExportNotSaved>()("ExportNotSaved", {
    ...Call.errorFields,
    path: Schema.String
  })
) {
  readonly category = "local"
  readonly outcome = "unknown"
  readonly isTransient = false
  override get message(): string {
    return `${this.operation}: cannot write ${this.path}: ${this.description}. Nothing is lost: make room, then export it again`
  }
}

/**
 * @category options
 * @since 0.1.0
 */
export interface ImportFileOptions extends Pick<ImportOptions, "contentType" | "displayName"> {
  readonly source: string
  /** The file name for the service. Default: the name of `source`. */
  readonly fileName?: string | undefined
}

/**
 * The memory to export, and a target file, or a folder in which the file gets the memory's name.
 *
 * @category options
 * @since 0.1.0
 */
export type ExportToFileOptions = MemoryRef & Destination

/**
 * An exported file's absolute path, and size in bytes.
 *
 * @category models
 * @since 0.1.0
 */
export interface SavedExport extends MemoryRef, JobRef {
  readonly path: string
  readonly bytes: number
}

type ImportError = ErrorOf<typeof TranslationMemories, "importTmx"> | SourceUnusable

type ExportError =
  | ErrorOf<typeof TranslationMemories, "download" | "exportTmx">
  | ExportNotSaved
  | TargetExists
  | TargetUnusable

/** The file name for a memory's name: adds a missing `.tmx`. */
const nameOf = (name: string): string | undefined =>
  name === "" ? undefined : /\.tmx$/i.test(name) ? name : `${name}.tmx`

const make = Effect.gen(function*() {
  const run = yield* Call.runner
  const memories = yield* TranslationMemories
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const targets = yield* Target.make
  const check = yield* Source.make

  const importFile = Effect.fnUntraced(function*({ fileName, source, ...options }: ImportFileOptions) {
    const { content, name, size } = yield* check(source)
    return yield* memories.importTmx({ ...options, fileName: fileName ?? name, content, size })
  })

  const exportToFile = Effect.fnUntraced(function*({ translationMemoryId, ...options }: ExportToFileOptions) {
    const operation = "NodeTranslationMemories.exportToFile"
    const target = yield* targets.required(options)
    yield* targets.check(target)
    return yield* Target.recorded(
      { operation },
      Effect.gen(function*() {
        const { jobId, stream } = yield* memories.exportTmx({ translationMemoryId })
        // The target may have changed during the export.
        const checked = yield* targets.check(target)
        const name = checked.name === undefined ? (yield* memories.get({ translationMemoryId })).name : ""
        const temporary = path.join(checked.directory, Target.partName(checked.name ?? "memory.tmx", yield* unique))
        const notSaved = (error: PlatformError) =>
          new ExportNotSaved({
            job: AnyJobId.make(jobId),
            path: path.join(checked.directory, checked.name ?? ""),
            description: describe(error)
          })
        const write = Effect.scoped(Effect.gen(function*() {
          const part = yield* PartFile.open(fs, temporary, { mode: checked.mode })
          yield* PartFile.appendAll(part, stream)
          return part.bytes()
        })).pipe(Effect.catchTag("PlatformError", (error) => Effect.fail(notSaved(error))))
        const publish = Effect.fnUntraced(function*(bytes: number) {
          for (;;) {
            const file = yield* targets.fileOf(checked, [nameOf(name), "memory.tmx"])
            const isMoved = yield* Effect.mapError(
              targets.publish(checked, temporary, file),
              (error) => error.reason._tag === "AlreadyExists" ? new TargetExists({ path: file }) : notSaved(error)
            )
            if (!isMoved) continue
            yield* report(() => Progress.Saved({ id: jobId, path: file, bytes }))
            return { translationMemoryId, jobId, path: file, bytes }
          }
        })
        return yield* Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(restore(write), publish).pipe(Effect.onError(() => Effect.ignore(fs.remove(temporary))))
        )
      })
    )
  })

  return {
    /**
     * Imports a TMX file as a new memory. Fails with `SourceUnusable` before sending if the file is unreadable or empty;
     * with `SourceFailed` if the file changes during the upload; otherwise like `TranslationMemories.importTmx`.
     */
    importFile: (options: ImportFileOptions): Effect.Effect<ImportedMemory, ImportError> =>
      run("NodeTranslationMemories.importFile", importFile(options)),
    /**
     * Exports a memory to a TMX file. An existing file is unchanged until the export is complete. Fails with
     * `TargetUnusable` or `TargetExists`, usually before any request; with `ExportNotSaved` if the disk fails; otherwise
     * like `TranslationMemories.exportTmx` and its stream.
     */
    exportToFile: (options: ExportToFileOptions): Effect.Effect<SavedExport, ExportError> =>
      run("NodeTranslationMemories.exportToFile", exportToFile(options))
  }
}).pipe(Effect.provide(platform))

/**
 * Imports translation memories from files and exports them to files.
 *
 * @category services
 * @since 0.1.0
 */
export class NodeTranslationMemories extends Context.Service<NodeTranslationMemories, Effect.Success<typeof make>>()(
  "@effect-lingua/node/files/NodeTranslationMemories"
) {
  static readonly make: Effect.Effect<NodeTranslationMemories["Service"], never, TranslationMemories> = make

  /** The service over `TranslationMemories` and Node.js's file system. */
  static readonly layer: Layer.Layer<NodeTranslationMemories, never, TranslationMemories> = Layer.effect(this, make)
}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace NodeTranslationMemories {
  export type { ExportToFileOptions, ImportFileOptions }
  export type { ExportError, ImportError }
  export type { ExportNotSaved, SavedExport }
}
