/** Whether a file can be one of TMX: its tags, from the first to the last. What they hold is left to the service. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { InvalidInput } from "../../client/CallError.ts"

/** Of a file in memory so much is looked at before others have their turn. */
const pieceBytes = 1024 * 1024

/** No tag of a file for translators is as long. */
const maxTagBytes = 1024 * 1024

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const lessThan = 0x3c
const greaterThan = 0x3e
const slash = 0x2f
const exclamation = 0x21
const question = 0x3f
const newline = 0x0a

const isQuote = (byte: number | undefined): boolean => byte === 0x22 || byte === 0x27
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

const startsWith = (bytes: Uint8Array, at: number, word: Uint8Array): boolean =>
  word.every((byte, index) => bytes[at + index] === byte)

/** Where a word stands in bytes from a place on, or -1. */
const find = (bytes: Uint8Array, word: Uint8Array, from: number): number => {
  for (let at = bytes.indexOf(word[0] ?? 0, from); at !== -1; at = bytes.indexOf(word[0] ?? 0, at + 1)) {
    if (startsWith(bytes, at, word)) return at
  }
  return -1
}

const byteOrderMark = new Uint8Array([0xef, 0xbb, 0xbf])
const comment = bytesOf("<!--")
const section = bytesOf("<![CDATA[")
const documentType = bytesOf("<!DOCTYPE")
const ends = { comment: bytesOf("-->"), section: bytesOf("]]>"), instruction: bytesOf("?>") }

/** The end of a tag, or of what begins like one: -1 where it is yet to come. */
const endOfTag = (bytes: Uint8Array, from: number): number => {
  let quote: number | undefined
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]
    if (quote !== undefined) quote = byte === quote ? undefined : quote
    else if (isQuote(byte)) quote = byte
    else if (byte === greaterThan || byte === lessThan) return at
  }
  return -1
}

/** The end of a document type, which can have declarations of its own. */
const endOfDocumentType = (bytes: Uint8Array, from: number): number => {
  let quote: number | undefined
  let depth = 0
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]
    if (quote !== undefined) quote = byte === quote ? undefined : quote
    else if (startsWith(bytes, at, comment)) {
      const end = find(bytes, ends.comment, at)
      if (end === -1) return -1
      at = end
    } else if (isQuote(byte)) quote = byte
    else if (byte === 0x5b) depth++
    else if (byte === 0x5d) depth--
    else if (byte === greaterThan && depth === 0) return at
  }
  return -1
}

/** Looks at bytes of UTF-8, or of any encoding that has ASCII in its bytes, as they come. */
const scanner = () => {
  /** What is yet to be looked at, as its end has not come. */
  let rest = new Uint8Array()
  /** What ends the comment, section or instruction that is open. */
  let until: Uint8Array | undefined
  const open: Array<string> = []
  let hasRoot = false
  let line = 1
  let column = 1

  const move = (bytes: Uint8Array, to: number) => {
    let start = 0
    for (let at = bytes.indexOf(newline); at !== -1 && at < to; at = bytes.indexOf(newline, start)) {
      start = at + 1
      line++
      column = 1
    }
    for (let at = start; at < to; at++) if (((bytes[at] ?? 0) & 0xc0) !== 0x80) column++
  }

  const outside = () => hasRoot ? "something after </tmx>" : "something other than <tmx>"

  const problemOfTag = (bytes: Uint8Array, at: number, end: number): string | undefined => {
    const isEnd = bytes[at + 1] === slash
    const start = at + (isEnd ? 2 : 1)
    let name = ""
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0
      if (isSpace(byte) || byte === slash) break
      name += String.fromCharCode(byte)
    }
    if (bytes[end] === lessThan || name === "") return "a < that begins no tag"
    if (isEnd) return open.pop() === name ? undefined : "an end tag that fits no start tag"
    if (open.length === 0) {
      if (hasRoot || name !== "tmx") return outside()
      hasRoot = true
    }
    if (bytes[end - 1] !== slash) open.push(name)
    return undefined
  }

  const push = (chunk: Uint8Array): string | undefined => {
    let bytes = chunk
    if (rest.length > 0) {
      bytes = new Uint8Array(rest.length + chunk.length)
      bytes.set(rest)
      bytes.set(chunk, rest.length)
    }
    /** Keeps what begins here for later. */
    const keep = (at: number) => {
      move(bytes, at)
      rest = bytes.slice(at)
      return undefined
    }
    const problem = (what: string, at: number) => {
      move(bytes, at)
      return `${what} at line ${line}, column ${column}`
    }
    for (let at = 0;;) {
      if (until !== undefined) {
        const end = find(bytes, until, at)
        if (end === -1) return keep(Math.max(at, bytes.length - until.length + 1))
        at = end + until.length
        until = undefined
      }
      const found = bytes.indexOf(lessThan, at)
      const next = found === -1 ? bytes.length : found
      for (; open.length === 0 && at < next; at++) {
        if (!isSpace(bytes[at] ?? 0)) return problem(outside(), at)
      }
      const [, kind] = bytes.subarray(next, next + 2)
      if (kind === undefined || (kind === exclamation && bytes.length - next < section.length)) return keep(next)
      const isDeclaration = kind === exclamation
      if (kind === question) until = ends.instruction
      else if (isDeclaration && startsWith(bytes, next, comment)) until = ends.comment
      else if (isDeclaration && startsWith(bytes, next, section) && open.length > 0) until = ends.section
      if (until !== undefined) {
        at = next + (until === ends.comment ? comment.length : 2)
        continue
      }
      const isType = isDeclaration && startsWith(bytes, next, documentType)
      const end = isType ? endOfDocumentType(bytes, next + 1) : endOfTag(bytes, next + 1)
      if (end === -1) return bytes.length - next > maxTagBytes ? problem("a tag without an end", next) : keep(next)
      const wrong = isType
        ? hasRoot ? outside() : undefined
        : isDeclaration
        ? open.length === 0 ? outside() : "a < that begins no tag"
        : problemOfTag(bytes, next, end)
      if (wrong !== undefined) return problem(wrong, next)
      at = end + 1
    }
  }

  const end = (): string | undefined => {
    if (hasRoot && open.length === 0 && until === undefined && rest.length === 0) return undefined
    move(rest, rest.length)
    return `the end of the file without ${hasRoot ? "</tmx>" : "<tmx>"} at line ${line}, column ${column}`
  }

  return { push, end }
}

const encodingOf = (start: Uint8Array): string | undefined =>
  (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0x3c && start[1] === 0)
    ? "utf-16le"
    : (start[0] === 0xfe && start[1] === 0xff) || (start[0] === 0 && start[1] === 0x3c)
    ? "utf-16be"
    : undefined

/** Looks at the bytes of a file as they come. */
const reader = () => {
  const { end, push } = scanner()
  /** The first bytes, until they tell the encoding. */
  let start: Uint8Array | undefined = new Uint8Array()
  let decoder: TextDecoder | undefined
  const given = (bytes: Uint8Array) =>
    push(decoder === undefined ? bytes : bytesOf(decoder.decode(bytes, { stream: true })))
  const begin = (bytes: Uint8Array) => {
    start = undefined
    const encoding = encodingOf(bytes)
    decoder = encoding === undefined ? undefined : new TextDecoder(encoding)
    return given(startsWith(bytes, 0, byteOrderMark) ? bytes.subarray(byteOrderMark.length) : bytes)
  }
  return {
    push: (bytes: Uint8Array): string | undefined => {
      if (start === undefined) return given(bytes)
      const first = new Uint8Array([...start, ...bytes.subarray(0, 4)])
      if (first.length < 4) {
        start = first
        return undefined
      }
      return begin(first) ?? given(bytes.subarray(4))
    },
    end: (): string | undefined => (start === undefined ? undefined : begin(start)) ?? end()
  }
}

const pieces = function*(content: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < content.length; at += pieceBytes) yield content.subarray(at, at + pieceBytes)
}

const streamOf = (content: Uint8Array | Blob | Stream.Stream<Uint8Array, unknown>) =>
  content instanceof Uint8Array
    ? Stream.tap(Stream.fromIterable(pieces(content), { chunkSize: 1 }), () => Effect.yieldNow)
    : content instanceof Blob
    ? Stream.fromReadableStream({ evaluate: () => content.stream(), onError: (cause) => cause })
    : content

/**
 * Fails for a file that is none of TMX, saying where. A stream is run for it; what it fails with is left to the run that
 * sends it.
 */
export const checkTmx = Effect.fnUntraced(function*(
  content: Uint8Array | Blob | Stream.Stream<Uint8Array, unknown>
) {
  const { end, push } = reader()
  const problem = yield* streamOf(content).pipe(
    Stream.map(push),
    Stream.concat(Stream.sync(end)),
    Stream.filter((found) => found !== undefined),
    Stream.runHead,
    Effect.orElseSucceed(Option.none<string>)
  )
  if (Option.isSome(problem)) {
    return yield* new InvalidInput({ parameter: "content", given: problem.value, allowed: "a TMX file" })
  }
})
