/** Whether a file can be one of TMX, as far as that is seen at its two ends. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { InvalidInput } from "../CallError.ts"

/** Bytes at either end that are looked at. */
const looked = 64 * 1024

/** What stands between `<` and the root: declarations, comments, a document type with or without declarations of its own. */
const prolog = /^(?:\s+|<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE(?:[^[>]|\[[\s\S]*?\])*>)*/

const encodingOf = (start: Uint8Array): string =>
  (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0x3c && start[1] === 0)
    ? "utf-16le"
    : (start[0] === 0xfe && start[1] === 0xff) || (start[0] === 0 && start[1] === 0x3c)
    ? "utf-16be"
    : "utf-8"

const placeOf = (text: string, index: number): string => {
  const lines = text.slice(0, index).split("\n")
  return `line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`
}

/** What is wrong with the first bytes of a file, if anything. `isWhole` when they are all of it. */
const problemAtStart = (bytes: Uint8Array, isWhole: boolean): string | undefined => {
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes)
  const begin = prolog.exec(text)?.[0].length ?? 0
  const rest = text.slice(begin)
  if (/^<tmx[\s/>]/.test(rest)) return undefined
  // The rest of a long comment, or of the name itself, may be yet to come.
  const isOpen = "<tmx ".startsWith(rest) || /^<[?!]/.test(rest)
  if (isOpen && !isWhole) return undefined
  return `something other than <tmx> at ${placeOf(text, begin)}`
}

const problemAtEnd = (bytes: Uint8Array, encoding: string): string | undefined =>
  /<\/tmx\s*>|<tmx[^>]*\/>/.test(new TextDecoder(encoding).decode(bytes))
    ? undefined
    : "a file that ends without </tmx>"

const check = (problem: string | undefined): Effect.Effect<void, InvalidInput> =>
  problem === undefined
    ? Effect.void
    : Effect.fail(new InvalidInput({ parameter: "content", given: problem, allowed: "a TMX file" }))

const read = (blob: Blob): Effect.Effect<Uint8Array> =>
  Effect.map(Effect.promise(() => blob.arrayBuffer()), (buffer) => new Uint8Array(buffer))

/** The first bytes of a stream, as far as they are looked at. */
const startOf = <E, R>(content: Stream.Stream<Uint8Array, E, R>) =>
  content.pipe(
    Stream.mapAccum(() => 0, (seen, chunk: Uint8Array) => [seen + chunk.length, [{ chunk, before: seen }]] as const),
    Stream.takeWhile(({ before }) => before < looked),
    Stream.runCollect,
    Effect.orElseSucceed(() => undefined),
    Effect.map((chunks) => {
      if (chunks === undefined) return undefined
      const start = new Uint8Array(chunks.reduce((sum, { chunk }) => sum + chunk.length, 0))
      for (const { before, chunk } of chunks) start.set(chunk, before)
      return start
    })
  )

/**
 * Fails for a file that is none of TMX, saying where. A stream is run for its start, whose end is not seen; what it fails with
 * is left to the run that sends it.
 */
export const checkTmx = Effect.fnUntraced(function*(
  content: Uint8Array | Blob | Stream.Stream<Uint8Array, unknown>,
  size: number
) {
  if (Stream.isStream(content)) {
    const start = yield* startOf(content)
    return yield* check(start === undefined ? undefined : problemAtStart(start, start.length >= size))
  }
  const [start, end] = content instanceof Blob
    ? yield* Effect.all([read(content.slice(0, looked)), read(content.slice(-looked))])
    : [content.subarray(0, looked), content.subarray(Math.max(0, content.length - looked))]
  yield* check(problemAtStart(start, start.length >= size))
  yield* check(problemAtEnd(end, encodingOf(start)))
})
