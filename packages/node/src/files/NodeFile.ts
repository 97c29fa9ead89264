/**
 * Files as the content of uploads.
 *
 * @since 0.1.0
 */
import * as Call from "@effect-lingua/core/client/Call"
import type { InvalidInput } from "@effect-lingua/core/errors/CallError"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { SourceUnusable } from "./internal/documentErrors.ts"
import { platform } from "./internal/files.ts"
import * as Source from "./internal/source.ts"

/**
 * A file that can be uploaded, with the fields that the options of uploads have.
 *
 * @category models
 * @since 0.1.0
 */
export interface FileContent {
  /** The name of the file, without its folder. */
  readonly fileName: string
  /** Its length in bytes. */
  readonly size: number
  /** Its bytes, read as they are sent. The stream fails if the file changes meanwhile. */
  readonly content: Stream.Stream<Uint8Array, unknown>
}

/**
 * Opens a file for an upload, such as a recording for `Voice.translate`.
 *
 * **Details**
 *
 * Fails with `SourceUnusable` if the file cannot be read, is empty or is not a regular file, and with `InvalidInput` if the path
 * is empty. A file that changes during the upload fails the upload with `SourceFailed`.
 *
 * **Example** (A recording)
 *
 * ```ts import.meta.vitest
 * import * as Voice from "@effect-lingua/core/voice/Voice"
 * import * as NodeFile from "@effect-lingua/node/files/NodeFile"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const voice = yield* Voice.Voice
 *   return yield* voice.translate({
 *     ...yield* NodeFile.content("talk.mp3"),
 *     contentType: "audio/mpeg",
 *     targets: [{ language: "de", type: "text/plain" }]
 *   })
 * })
 * Effect.isEffect(program) // => true
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const content = (path: string): Effect.Effect<FileContent, InvalidInput | SourceUnusable> =>
  Call.run(
    "NodeFile.content",
    Effect.flatMap(Source.make, (open) => open(path)).pipe(
      Effect.map(({ content, name, size }) => ({ content, fileName: name, size })),
      Effect.provide(platform)
    )
  )
