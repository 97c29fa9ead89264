/**
 * Sources of uploads.
 *
 * @since 0.3.0
 */
import type * as Stream from "effect/Stream"
import { defined } from "../contract/internal/values.ts"
import { single } from "./internal/jobFile.ts"

/**
 * A stream that can run only once, such as a server's request body. An upload does not retry the stream, and a second upload fails with
 * `SourceFailed`. Pass the result with other options: `upload({ ...Upload.once(request.stream, { size }), fileName, targetLanguage })`.
 *
 * @category constructors
 * @since 0.3.0
 */
export const once = <E>(
  stream: Stream.Stream<Uint8Array, E>,
  { size }: { readonly size?: number | undefined } = {}
): { readonly content: Stream.Stream<Uint8Array, E>; readonly size?: number } => {
  if (!single.has(stream)) single.set(stream, false)
  return { content: stream, ...defined({ size }) }
}
