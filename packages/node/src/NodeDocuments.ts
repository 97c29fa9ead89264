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
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import { hasProperty, isString } from "effect/Predicate"
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
 * The document was taken but could not be written to the end, or not be put in its place. `kept` is the file that holds
 * what arrived, `bytesKept` bytes of it, all of the document when `complete`; it is absent when nothing could be kept.
 *
 * @category errors
 * @since 0.1.0
 */
export class SaveFailed extends Schema.TaggedError<SaveFailed>()("SaveFailed", {
  operation: Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed(operation))),
  documentId: Schema.String,
  path: Schema.String,
  kept: Schema.optionalKey(Schema.String),
  bytesKept: Schema.Int,
  complete: Schema.Boolean,
  description: Schema.String,
  traceId: Schema.optionalKey(Schema.String)
}) {
  readonly outcome = "unknown"
  readonly isTransient = false
  override get message(): string {
    const advice = this.kept === undefined
      ? "Nothing could be kept; the service has deleted the document, upload it again"
      : this.complete
      ? `The document is complete in ${this.kept}`
      : `${this.bytesKept} bytes of the document are kept in ${this.kept}; the service has deleted it, upload it again`
    return `${this.operation}: cannot save document ${this.documentId} as ${this.path}: ${this.description}. ${advice}`
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

const keptIn = (
  { attempts, bytesExpected, bytesReceived, description, documentId, operation, traceId }: DownloadInterrupted,
  path: string
) =>
  new DownloadInterrupted({
    attempts,
    bytesReceived,
    description,
    documentId,
    operation,
    path,
    ...(bytesExpected === undefined ? undefined : { bytesExpected }),
    ...(traceId === undefined ? undefined : { traceId })
  })

/** The code of the system says most, such as ENOSPC. */
const describe = (error: PlatformError): string => {
  const { cause } = error
  const code = hasProperty(cause, "code") && isString(cause.code) ? cause.code : undefined
  return [code, error.reason._tag === "Unknown" ? undefined : error.reason._tag, error.reason.description]
    .filter((part) => part !== undefined).join(", ") || "unknown"
}

const make = Effect.gen(function*() {
  const documents = yield* Documents
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path

  /** What is at the target: nothing, or a file with its mode. Anything else cannot be written. */
  const inspect = Effect.fnUntraced(function*(target: string) {
    const unusable = (description: string) => new TargetUnusable({ path: target, description })
    const info = yield* fs.stat(target).pipe(
      Effect.map(Option.some),
      Effect.catchIf(
        (error) => error.reason._tag === "NotFound",
        () => Effect.succeed(Option.none<FileSystem.File.Info>())
      ),
      Effect.mapError((error) => unusable(describe(error)))
    )
    if (Option.isSome(info) && info.value.type !== "File") return yield* unusable(`it is a ${info.value.type}`)
    return info
  })

  /** Opens the temporary file beside the target: a target that cannot be written shows before anything is asked for. */
  const prepare = Effect.fnUntraced(function*(given: string, overwrite: boolean) {
    if (/[/\\]$/.test(given)) {
      return yield* new TargetUnusable({ path: given, description: "it names a folder" })
    }
    // A link stays a link: what it leads to is written.
    const named = path.resolve(given)
    const target = yield* Effect.orElseSucceed(fs.realPath(named), () => named)
    const unusable = (description: string) => new TargetUnusable({ path: target, description })
    const present = yield* inspect(target)
    const isLink = yield* Effect.isSuccess(fs.readLink(target))
    if (isLink) return yield* unusable("it is a link that leads nowhere")
    if (Option.isSome(present) && !overwrite) return yield* new TargetExists({ path: target })
    const suffix = (yield* Random.nextIntBetween(0, 2 ** 32)).toString(16).padStart(8, "0")
    const temporary = path.join(path.dirname(target), `.${path.basename(target).slice(0, 64)}.${suffix}.part`)
    const mode = Option.map(present, (info) => info.mode & 0o777)
    const file = yield* Effect.mapError(
      fs.open(temporary, { flag: "wx", ...(Option.isSome(mode) ? { mode: mode.value } : undefined) }),
      (error) => unusable(describe(error))
    )
    // Opening leaves out what the umask forbids; some file systems have no modes at all.
    if (Option.isSome(mode)) yield* Effect.ignore(fs.chmod(temporary, mode.value))
    return { file, target, temporary }
  })

  /** Puts the complete file in its place. Without `overwrite` a file that appeared meanwhile is not replaced. */
  const publish = (temporary: string, target: string, overwrite: boolean) =>
    overwrite
      ? fs.rename(temporary, target)
      : fs.link(temporary, target).pipe(
        Effect.andThen(Effect.ignore(fs.remove(temporary))),
        // Some file systems have no hard links: there the name is taken first, and then written over.
        Effect.catchIf(
          (error) => error.reason._tag !== "AlreadyExists",
          () =>
            Effect.andThen(
              Effect.scoped(fs.open(target, { flag: "wx" })),
              fs.rename(temporary, target)
            )
        )
      )

  const syncFolder = (folder: string) =>
    // Not every file system can sync a folder; the file itself is safe by then.
    Effect.ignore(Effect.scoped(Effect.flatMap(fs.open(folder, { flag: "r" }), (file) => file.sync)))

  const save = Effect.fnUntraced(function*(options: DownloadToFileOptions, scope: Scope.Scope) {
    const overwrite = options.overwrite ?? false
    const { file, target, temporary } = yield* Effect.provideService(
      prepare(options.path, overwrite),
      Scope.Scope,
      scope
    )
    let bytes = 0

    /** An empty file is of no use to anybody. What holds bytes is kept, and whoever was waiting is told where. */
    const keep = <A, E>(effect: Effect.Effect<A, E>) =>
      Effect.onExit(effect, (exit) =>
        Exit.isSuccess(exit)
          ? Effect.void
          : bytes === 0
          ? Effect.ignore(fs.remove(temporary))
          : Exit.hasInterrupts(exit)
          ? Effect.logWarning(
            `${operation}: interrupted; ${bytes} bytes of the document are kept in ${temporary}`
          )
          : Effect.void)

    const { stream, ...about } = yield* keep(documents.download(options))

    const failed = (complete: boolean) => (error: PlatformError) =>
      Effect.flatMap(Effect.orElseSucceed(fs.exists(temporary), () => false), (exists) =>
        new SaveFailed({
          documentId: options.documentId,
          path: target,
          bytesKept: exists ? bytes : 0,
          complete: exists && complete,
          description: describe(error),
          ...(exists && (bytes > 0 || complete) ? { kept: temporary } : undefined),
          ...(about.traceId === undefined ? undefined : { traceId: about.traceId })
        }))

    yield* keep(
      // A write is not interrupted half-way: the file would hold bytes that nobody counted.
      Stream.runForEach(stream, (chunk) =>
        Effect.uninterruptible(
          file.writeAll(chunk).pipe(
            Effect.catch(failed(false)),
            Effect.andThen(Effect.sync(() => {
              bytes += chunk.length
            }))
          )
        )).pipe(
          Effect.mapError((error) =>
            error._tag === "DownloadInterrupted" && bytes > 0
              ? keptIn(error, temporary)
              : error
          )
        )
    )
    // From the last byte on nothing is left half done.
    return yield* Effect.uninterruptible(Effect.gen(function*() {
      yield* Effect.catch(file.sync, failed(true))
      yield* Effect.catch(publish(temporary, target, overwrite), failed(true))
      yield* syncFolder(path.dirname(target))
      const saved: SavedDocument = { ...about, path: target, bytes }
      return saved
    }))
  })

  return {
    /**
     * Waits until a document is translated, downloads it and saves it under `path`.
     *
     * **Details**
     *
     * The target is checked and a temporary file beside it opened before the document is asked for. The bytes are
     * written there, synced, and the file put in its place when its length is right; an existing file is not touched
     * before, and keeps its mode when it is replaced. A link is followed.
     *
     * Fails with `TargetUnusable` or `TargetExists` before anything is asked for; with the errors of
     * `Documents.download`; with `DownloadInterrupted` when the bytes stop early and `SaveFailed` when the disk fails:
     * what arrived is kept and both name the file. An interruption keeps what arrived too, and logs where.
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
