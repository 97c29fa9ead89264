/**
 * Documents saved to files so that none is lost: a document can be downloaded once.
 *
 * @since 0.1.0
 */
import { DownloadInterrupted } from "@effect-lingua/core/CallError"
import { type DocumentRef, Documents, type Download } from "@effect-lingua/core/Documents"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

const operation = "NodeDocuments.downloadToFile"

/**
 * The target cannot be written: its folder does not exist or is read-only, or it is a folder itself. Raised before the
 * document is asked for, so nothing is lost.
 *
 * @category errors
 * @since 0.1.0
 */
export class TargetUnusable extends Schema.TaggedError<TargetUnusable>()("TargetUnusable", {
  operation: Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed(operation))),
  path: Schema.String,
  description: Schema.String
}) {
  readonly outcome = "refused"
  readonly isTransient = false
  override get message(): string {
    return `${this.operation}: cannot write ${this.path}: ${this.description}. ` +
      "The document was not asked for; name another target"
  }
}

/**
 * The target is there already and `overwrite` is not set. Raised before the document is asked for, so nothing is lost. A
 * file that appears meanwhile is not replaced either: that is a `SaveFailed` with the complete document in `kept`.
 *
 * @category errors
 * @since 0.1.0
 */
export class TargetExists extends Schema.TaggedError<TargetExists>()("TargetExists", {
  operation: Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed(operation))),
  path: Schema.String
}) {
  readonly outcome = "refused"
  readonly isTransient = false
  override get message(): string {
    return `${this.operation}: ${this.path} exists. ` +
      "The document was not asked for; name another target or set overwrite"
  }
}

/**
 * The document was taken but could not be written to the end. What arrived is kept in `kept`: `bytesKept` bytes, all of
 * them when `complete`.
 *
 * @category errors
 * @since 0.1.0
 */
export class SaveFailed extends Schema.TaggedError<SaveFailed>()("SaveFailed", {
  operation: Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed(operation))),
  path: Schema.String,
  kept: Schema.String,
  bytesKept: Schema.Int,
  complete: Schema.Boolean,
  description: Schema.String
}) {
  readonly outcome = "unknown"
  readonly isTransient = false
  override get message(): string {
    return `${this.operation}: cannot save ${this.path}: ${this.description}. ` + (this.complete
      ? `The document is complete in ${this.kept}`
      : `${this.bytesKept} bytes of the document are kept in ${this.kept}; the service has deleted it, upload it again`)
  }
}

/**
 * Which document to save, and where.
 *
 * @category options
 * @since 0.1.0
 */
export interface DownloadToFileOptions extends DocumentRef {
  /** The file to write. Its folder must exist. */
  readonly path: string
  /** Whether a file that is there is replaced, once the document is complete. Default false. */
  readonly overwrite?: boolean | undefined
}

/**
 * A document that was saved.
 *
 * @category models
 * @since 0.1.0
 */
export interface SavedDocument extends Omit<Download, "stream"> {
  /** The absolute path of the file. */
  readonly path: string
  /** Its length in bytes. */
  readonly bytes: number
}

const describe = (error: PlatformError): string =>
  error.reason._tag === "BadArgument"
    ? error.reason.description ?? "bad argument"
    : error.reason.description ?? error.reason._tag

const make = Effect.gen(function*() {
  const documents = yield* Documents
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path

  /** Opens the temporary file beside the target: a target that cannot be written shows before anything is asked for. */
  const prepare = Effect.fnUntraced(function*(target: string, overwrite: boolean) {
    const unusable = (description: string) => new TargetUnusable({ path: target, description })
    if (target.endsWith(path.sep)) return yield* unusable("it names a folder")
    const present = yield* Effect.option(fs.stat(target))
    if (present._tag === "Some") {
      if (present.value.type === "Directory") return yield* unusable("it is a folder")
      if (!overwrite) return yield* new TargetExists({ path: target })
    }
    const suffix = (yield* Random.nextIntBetween(0, 2 ** 32)).toString(16).padStart(8, "0")
    const temporary = path.join(path.dirname(target), `.${path.basename(target).slice(0, 64)}.${suffix}.part`)
    const file = yield* Effect.mapError(fs.open(temporary, { flag: "wx" }), (error) => unusable(describe(error)))
    return { file, temporary }
  })

  /** Puts the complete file in its place. Without `overwrite` a file that appeared meanwhile is not replaced. */
  const publish = (temporary: string, target: string, overwrite: boolean) =>
    overwrite
      ? fs.rename(temporary, target)
      : fs.link(temporary, target).pipe(
        Effect.andThen(Effect.ignore(fs.remove(temporary))),
        // Some file systems have no hard links.
        Effect.catchIf(
          (error) => error.reason._tag !== "AlreadyExists",
          () => fs.rename(temporary, target)
        )
      )

  const syncFolder = (folder: string) =>
    // Not every file system can sync a folder; the file itself is safe by then.
    Effect.ignore(Effect.scoped(Effect.flatMap(fs.open(folder, { flag: "r" }), (file) => file.sync)))

  const save = Effect.fnUntraced(function*(options: DownloadToFileOptions, scope: Scope.Scope) {
    const target = path.resolve(options.path)
    const overwrite = options.overwrite ?? false
    const { file, temporary } = yield* Effect.provideService(prepare(target, overwrite), Scope.Scope, scope)
    let bytes = 0

    const failed = (complete: boolean) => (error: PlatformError) =>
      new SaveFailed({ path: target, kept: temporary, bytesKept: bytes, complete, description: describe(error) })

    const keep = (error: DownloadInterrupted | SaveFailed) =>
      error._tag === "DownloadInterrupted" && bytes > 0
        ? new DownloadInterrupted({ ...error, path: temporary })
        : error

    const dropEmpty = <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.onExit(
        effect,
        (exit) => Exit.isFailure(exit) && bytes === 0 ? Effect.ignore(fs.remove(temporary)) : Effect.void
      )

    const { stream, ...about } = yield* dropEmpty(documents.download(options))
    yield* dropEmpty(Effect.mapError(
      Stream.runForEach(stream, (chunk) =>
        file.writeAll(chunk).pipe(
          Effect.mapError(failed(false)),
          Effect.andThen(Effect.sync(() => {
            bytes += chunk.length
          }))
        )),
      keep
    ))
    yield* Effect.mapError(file.sync, failed(true))
    yield* Effect.mapError(publish(temporary, target, overwrite), failed(true))
    yield* syncFolder(path.dirname(target))
    const saved: SavedDocument = { ...about, path: target, bytes }
    return saved
  })

  return {
    /**
     * Waits until a document is translated, downloads it and saves it under `path`.
     *
     * **Details**
     *
     * The target is checked and a temporary file beside it opened before the document is asked for. The bytes are
     * written there, synced, and the file renamed when its length is right; an existing file is not touched before.
     *
     * Fails with `TargetUnusable` or `TargetExists` before anything is asked for; with the errors of
     * `Documents.download`; with `DownloadInterrupted` when the bytes stop early and `SaveFailed` when the disk fails:
     * what arrived is kept and both name the file.
     */
    downloadToFile: (options: DownloadToFileOptions) =>
      Effect.withSpan(
        Effect.scopedWith((scope) => save(options, scope)),
        operation
      )
  }
})

/**
 * The service that saves documents to files.
 *
 * @category services
 * @since 0.1.0
 */
export class NodeDocuments
  extends Context.Service<NodeDocuments, Effect.Success<typeof make>>()("@effect-lingua/node/NodeDocuments")
{}

/**
 * The service over `Documents` and the file system of Node.js.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<NodeDocuments, never, Documents> = Layer.effect(NodeDocuments, make).pipe(
  Layer.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer))
)
