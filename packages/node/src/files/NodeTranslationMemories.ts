/**
 * Translation memories imported from files and exported to files.
 *
 * **Details**
 *
 * The journal has each import and export until it has come to its end, with the file that it is of, so that `resume` goes on
 * with it after a failure or a kill. Nothing is lost in between: an export can be fetched again, and an import without its
 * file makes no memory.
 *
 * @since 0.2.0
 */
import type { Attempt } from "@effect-lingua/core/client/Attempt"
import { InvalidInput, JobBusy, NotResumable } from "@effect-lingua/core/client/CallError"
import * as Operation from "@effect-lingua/core/client/Operation"
import * as DocumentJournal from "@effect-lingua/core/documents/Journal"
import { JobProgress, report } from "@effect-lingua/core/jobs/JobProgress"
import {
  type Export,
  type ImportOptions,
  type MemoryRef,
  TranslationMemories
} from "@effect-lingua/core/translation-memories/TranslationMemories"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { describe, syncFolder, unique } from "./internal/files.ts"
import { recorded } from "./internal/ledger.ts"
import * as PartFile from "./internal/partFile.ts"
import { partName } from "./internal/safeName.ts"
import * as Source from "./internal/source.ts"
import * as Target from "./internal/target.ts"
import type { Destination } from "./NodeDocuments.ts"

/**
 * The file of an export could not be written. What was written of it is removed; the export can be resumed.
 *
 * @category errors
 * @since 0.2.0
 */
export class ExportNotSaved extends Schema.TaggedError<ExportNotSaved>()("ExportNotSaved", {
  ...Operation.errorFields,
  path: Schema.String
}) {
  readonly outcome = "unknown"
  readonly isTransient = false
  override get message(): string {
    return `${this.operation}: cannot write ${this.path}: ${this.description}. Nothing is lost: make room, then resume it`
  }
}

/**
 * Which file to import.
 *
 * @category options
 * @since 0.2.0
 */
export interface ImportFileOptions extends Pick<ImportOptions, "contentType" | "displayName"> {
  /** The TMX file. */
  readonly path: string
  /** The name that the service sees. Default: that of the file. */
  readonly fileName?: string | undefined
}

/**
 * Which memory to export, and where to: a file, or a folder in which it gets the name of the memory.
 *
 * @category options
 * @since 0.2.0
 */
export type ExportToFileOptions = MemoryRef & Destination

/**
 * Where an export that is gone on with goes, when not to the target that the journal has.
 *
 * @category options
 * @since 0.2.0
 */
export interface ResumeExportOptions {
  readonly path?: string | undefined
  readonly folder?: string | undefined
  readonly overwrite?: boolean | undefined
}

/**
 * A memory that was exported to a file: the absolute path of that and its bytes.
 *
 * @category models
 * @since 0.2.0
 */
export interface SavedExport extends MemoryRef {
  readonly path: string
  readonly bytes: number
}

/** A memory may have the name of the file that it came from. */
const nameOf = (name: string): string | undefined =>
  name === "" ? undefined : /\.tmx$/i.test(name) ? name : `${name}.tmx`

type ExportEntry = Extract<DocumentJournal.JobEntry, { readonly _tag: "Export" }>

const make = Effect.gen(function*() {
  const memories = yield* TranslationMemories
  const journal = yield* DocumentJournal.DocumentJournal
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const targets = yield* Target.make
  const source = yield* Source.make

  const importFile = Effect.fnUntraced(function*({ fileName, path, ...options }: ImportFileOptions) {
    const file = yield* source("NodeTranslationMemories.importFile", path)
    return yield* memories.importTmx({
      ...options,
      fileName: fileName ?? file.name,
      content: file.content,
      size: file.size,
      source: file.path
    })
  })

  /** The entry that this export goes on with, whose claim is held. */
  const entryOf = Effect.fnUntraced(function*(operation: string, id: string) {
    yield* Effect.mapError(journal.claim(id), ({ holder }) => new JobBusy({ operation, id, holder }))
    const entry = yield* journal.getJob(id)
    return entry?._tag === "Export"
      ? entry
      : yield* new NotResumable({ operation, id, description: "Somebody else has saved it meanwhile" })
  })

  const done = Effect.fnUntraced(function*(entry: ExportEntry, file: string, bytes: number) {
    yield* syncFolder(fs, path.dirname(file))
    yield* journal.remove(entry.id)
    const { jobId, translationMemoryId } = entry
    if (jobId !== undefined) yield* report(() => JobProgress.Saved({ jobId, path: file, bytes }))
    const saved: SavedExport = { translationMemoryId, path: file, bytes }
    return saved
  })

  /**
   * Writes the bytes to a file of its own beside the target, which then gets its name. The journal names that file before it
   * is there, and the final name before it is taken, so that a kill leaves nothing that nobody knows.
   */
  const save = Effect.fnUntraced(function*(
    operation: string,
    exported: Export,
    target: DocumentJournal.Target,
    attempts: () => ReadonlyArray<Attempt>
  ) {
    const { id, stream, translationMemoryId } = exported
    // What an earlier run had received went with its file.
    const { received: _, ...entry } = yield* entryOf(operation, id)
    const checked = yield* targets.check(() => ({ operation }), target)
    if (entry.temporary !== undefined) yield* Effect.ignore(fs.remove(entry.temporary))
    const temporary = path.join(checked.directory, partName(checked.name ?? "memory.tmx", yield* unique))
    const notSaved = (error: PlatformError) =>
      new ExportNotSaved({
        operation,
        attempts: attempts(),
        path: path.join(checked.directory, checked.name ?? ""),
        description: describe(error)
      })
    yield* journal.put({ ...entry, target, temporary })
    const name = checked.name === undefined ? (yield* memories.get({ translationMemoryId })).name : ""
    const write = Effect.scoped(Effect.gen(function*() {
      const mode = checked.mode === undefined ? undefined : { mode: checked.mode }
      const part = yield* Effect.mapError(PartFile.open(fs, temporary, mode), notSaved)
      yield* Stream.runForEach(
        stream,
        (chunk) =>
          Effect.flatMap(
            part.write(chunk),
            (failure) => failure === undefined ? Effect.void : Effect.fail(notSaved(failure.cause))
          )
      )
      yield* Effect.mapError(part.sync, notSaved)
      return part.bytes()
    }))
    /** Gives the file its name. */
    const publish = Effect.fnUntraced(function*(bytes: number) {
      for (;;) {
        const file = yield* targets.fileOf(checked, [nameOf(name), "memory.tmx"])
        yield* journal.put({ ...entry, target, temporary, received: { path: file, bytes } })
        const published = yield* Effect.result(targets.publish(temporary, file, checked.overwrite))
        if (published._tag === "Success") return yield* done(entry, file, bytes)
        // Somebody else took the name that was free.
        if (checked.name === undefined && published.failure.reason._tag === "AlreadyExists") continue
        return yield* notSaved(published.failure)
      }
    })
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(write), publish).pipe(Effect.onError(() => Effect.ignore(fs.remove(temporary))))
    )
  }, Effect.scoped)

  const exportToFile = Effect.fnUntraced(function*(options: ExportToFileOptions) {
    const operation = "NodeTranslationMemories.exportToFile"
    const { overwrite = false, translationMemoryId } = options
    const given = yield* Target.of(options, overwrite)
    if (given === undefined) {
      return yield* new InvalidInput({
        operation,
        parameter: "path",
        given: "neither a file nor a folder",
        allowed: "one of them"
      })
    }
    const target = targets.absolute(given)
    yield* targets.check(() => ({ operation }), target)
    return yield* recorded((attempts) =>
      Effect.flatMap(
        memories.exportTmx({ translationMemoryId, target }),
        (exported) => save(operation, exported, target, attempts)
      )
    )
  })

  const resumeImport = Effect.fnUntraced(function*(id: string) {
    const operation = "NodeTranslationMemories.resumeImport"
    const entry = yield* journal.getJob(id)
    // The file is looked at only when it is there: one that the service has is not needed any more.
    const file = entry?._tag === "Import" && entry.source !== undefined && !entry.isSent
      ? yield* source(operation, entry.source)
      : undefined
    return yield* memories.resumeImport({ id, content: file?.content, size: file?.size })
  })

  /** An export whose file has its name already, though the journal does not know it yet. */
  const placed = Effect.fnUntraced(function*(operation: string, id: string) {
    const entry = yield* entryOf(operation, id)
    const { received, target, temporary } = entry
    if (received === undefined) return undefined
    const size = yield* targets.sizeOf(received.path)
    // Where there are no links an empty file takes the name before the export is written over it.
    const isOurs = target !== undefined && "path" in target && !target.overwrite && target.path === received.path
    if (size === 0 && isOurs) yield* Effect.ignore(fs.remove(received.path))
    if (size !== received.bytes) return undefined
    const left = temporary === undefined ? undefined : yield* targets.sizeOf(temporary)
    // A link that was made, and whose other name is still there; else the name was another's before.
    if (left !== undefined && !(yield* targets.isSameFile(temporary ?? "", received.path))) return undefined
    if (temporary !== undefined) yield* Effect.ignore(fs.remove(temporary))
    return yield* done(entry, received.path, received.bytes)
  }, Effect.scoped)

  const resumeExport = Effect.fnUntraced(function*(id: string, options: ResumeExportOptions = {}) {
    const operation = "NodeTranslationMemories.resumeExport"
    const entry = yield* journal.getJob(id)
    if (entry?._tag === "Export" && entry.received !== undefined) {
      const saved = yield* placed(operation, id)
      if (saved !== undefined) return saved
    }
    const known = entry?._tag === "Export" ? entry.target : undefined
    const given = yield* Target.of(options, options.overwrite ?? known?.overwrite ?? false)
    const target = given === undefined ? known : targets.absolute(given)
    if (target === undefined) {
      return yield* new NotResumable({
        operation,
        id,
        description: entry === undefined
          ? "The journal does not know it"
          : "The journal does not say where it goes; name a file or a folder"
      })
    }
    yield* targets.check(() => ({ operation }), target)
    return yield* recorded((attempts) =>
      Effect.flatMap(memories.resumeExport(id), (exported) => save(operation, exported, target, attempts))
    )
  })

  return {
    /**
     * Imports a TMX file as a new memory.
     *
     * **Details**
     *
     * The file is read as it is sent. Fails with `SourceUnusable` when it cannot be read or is empty, before anything is sent;
     * with `SourceFailed` when it changes while it is read; else like `TranslationMemories.importTmx`.
     */
    importFile: (options: ImportFileOptions) =>
      Operation.run("NodeTranslationMemories.importFile", importFile(options)),
    /**
     * Exports a memory to a TMX file.
     *
     * **Details**
     *
     * The target is checked before anything is asked for. The bytes are written to a file beside it, synced, and that is put
     * in its place when its length is right; an existing file is not touched before. Fails with `TargetUnusable` or
     * `TargetExists` before anything is asked for; with `ExportNotSaved` when the disk fails; else like
     * `TranslationMemories.exportTmx` and its stream. After any of them {@link resumeExport} goes on, as long as the journal
     * has the export.
     */
    exportToFile: (options: ExportToFileOptions) =>
      Operation.run("NodeTranslationMemories.exportToFile", exportToFile(options)),
    /**
     * Goes on with an import of the journal, reading its file again where the service has not seen it. Fails with
     * `SourceUnusable` when that cannot be read any more; else like `TranslationMemories.resumeImport`.
     */
    resumeImport: (id: string) => Operation.run("NodeTranslationMemories.resumeImport", resumeImport(id)),
    /**
     * Goes on with an export of the journal, to its target or another. Fails with `NotResumable` when the journal does not know
     * it, or not where it goes; else like {@link exportToFile}.
     */
    resumeExport: (id: string, options?: ResumeExportOptions) =>
      Operation.run("NodeTranslationMemories.resumeExport", resumeExport(id, options))
  }
})

/**
 * The service of translation memories in files.
 *
 * @category services
 * @since 0.2.0
 */
export class NodeTranslationMemories extends Context.Service<NodeTranslationMemories, Effect.Success<typeof make>>()(
  "@effect-lingua/node/files/NodeTranslationMemories"
) {}

/**
 * The service over `TranslationMemories` and the file system of Node.js. The journal has to be the one that
 * `TranslationMemories` has.
 *
 * @category layers
 * @since 0.2.0
 */
export const layer: Layer.Layer<
  NodeTranslationMemories,
  never,
  TranslationMemories | DocumentJournal.DocumentJournal
> = Layer.effect(NodeTranslationMemories, make).pipe(
  Layer.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer))
)
