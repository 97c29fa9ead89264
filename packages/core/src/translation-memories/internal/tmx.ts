/** Checks the tag structure of a TMX file. The service checks the contents. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { invalid } from "../../errors/internal/checks.ts"
import * as JobFile from "../../jobs/internal/jobFile.ts"

/** Bytes checked before yielding to other fibers. */
const pieceBytes = 1024 * 1024

/** Maximum length of buffered markup. */
const maxMarkup = 16 * 1024 * 1024

/** Markup other than tags. */
const markup: ReadonlyArray<readonly [start: string, whole: RegExp]> = [
  ["<!--", /<!--[^]*?-->/y],
  ["<?", /<\?[^]*?\?>/y],
  ["<![CDATA[", /<!\[CDATA\[[^]*?\]\]>/y],
  [
    "<!DOCTYPE",
    /<!DOCTYPE(?:<!--(?:(?!-->)[^])*-->|"[^"]*"|'[^']*'|\[(?:<!--(?:(?!-->)[^])*-->|"[^"]*"|'[^']*'|<(?!!--)|[^\]<"'])*\]|<(?!!--)|[^><["'])*>/y
  ]
]

/** A tag, or an incomplete tag that another `<` ends. */
const tag = /<(\/?)([^\s/<>"']*)(?![^\s/<>"'])[^<>"']*(?:(?:"[^"]*"|'[^']*')[^<>"']*)*[<>]/y

/** Detects UTF-16. Only ASCII characters matter, so UTF-8 can decode other encodings. */
const encodingOf = ([first, second]: Uint8Array): string =>
  (first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)
    ? "utf-16le"
    : (first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)
    ? "utf-16be"
    : "utf-8"

/** Makes an incremental checker. `push` and `end` return the first problem, with its position. */
const makeChecker = () => {
  /** Buffered markup without its end. */
  let pending = ""
  /** The buffer length at which the end is searched again, so that small chunks do not repeat the search. */
  let nextSearchLength = 0
  const open: Array<string> = []
  let hasRoot = false
  let line = 1
  let column = 1

  const moveOver = (text: string) => {
    let start = 0
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", start)) {
      start = at + 1
      line++
      column = 1
    }
    column += text.length - start
  }

  const outside = () => hasRoot ? "content after </tmx>" : "content before <tmx>"

  const problemOfTag = (token: string, slash: string, name: string): string | undefined => {
    if (name.startsWith("!") && open.length === 0) return outside()
    if (name === "" || name.startsWith("!") || token.endsWith("<")) return "a < that does not begin a tag"
    if (slash !== "") return open.pop() === name ? undefined : "an end tag without a start tag"
    if (open.length === 0) {
      if (hasRoot || name !== "tmx") return outside()
      hasRoot = true
    }
    if (!token.endsWith("/>")) open.push(name)
    return undefined
  }

  const push = (chunk: string, isLast = false): string | undefined => {
    const text = pending + chunk
    const problem = (what: string, at: number) => {
      moveOver(text.slice(0, at))
      return `${what} at line ${line}, column ${column}`
    }
    const keep = (at: number) => {
      if (text.length - at > maxMarkup) return problem("a tag without an end", at)
      moveOver(text.slice(0, at))
      pending = text.slice(at)
      return undefined
    }
    if (pending !== "" && !isLast && (text.length < nextSearchLength || !/[<>]/.test(chunk))) return keep(0)
    for (let at = 0;;) {
      const found = text.indexOf("<", at)
      const next = found === -1 ? text.length : found
      const stray = open.length === 0 ? text.slice(at, next).search(/[^ \t\r\n]/) : -1
      if (stray !== -1) return problem(outside(), at + stray)
      const [start, whole] = /[!?]/.test(text[next + 1] ?? "")
        ? markup.find(([start]) => text.startsWith(start, next) && (start !== "<![CDATA[" || open.length > 0)) ?? []
        : []
      // Not enough characters to distinguish the kinds of markup.
      if (whole === undefined && text.startsWith("<!", next) && text.length - next < "<![CDATA[".length) {
        return keep(next)
      }
      const pattern = whole ?? tag
      pattern.lastIndex = next
      const [token, slash = "", name = ""] = pattern.exec(text) ?? []
      if (token === undefined) {
        nextSearchLength = text.length - next < pieceBytes / 16 ? 0 : 2 * (text.length - next)
        return keep(next)
      }
      const wrong = start === undefined
        ? problemOfTag(token, slash, name)
        : start === "<!DOCTYPE" && hasRoot
        ? outside()
        : undefined
      if (wrong !== undefined) return problem(wrong, next)
      at = next + token.length
    }
  }

  const end = (): string | undefined => {
    const problem = pending === "" ? undefined : push("", true)
    if (problem !== undefined) return problem
    if (hasRoot && open.length === 0 && pending === "") return undefined
    moveOver(pending)
    return `the end of the file without ${hasRoot ? "</tmx>" : "<tmx>"} at line ${line}, column ${column}`
  }

  let first: number | undefined
  let decoder: TextDecoder | undefined
  return {
    push: (chunk: Uint8Array): string | undefined => {
      const bytes = first === undefined ? chunk : new Uint8Array([first, ...chunk])
      first = decoder === undefined && bytes.length === 1 ? bytes[0] : undefined
      if (bytes.length === 0 || first !== undefined) return undefined
      decoder ??= new TextDecoder(encodingOf(bytes))
      return push(decoder.decode(bytes, { stream: true }))
    },
    end: (): string | undefined => (first === undefined ? undefined : push(String.fromCharCode(first))) ?? end()
  }
}

const pieces = function*(content: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < content.length; at += pieceBytes) yield content.subarray(at, at + pieceBytes)
}

const streamOf = (content: JobFile.Content) =>
  content instanceof Uint8Array
    ? Stream.tap(Stream.fromIterable(pieces(content), { chunkSize: 1 }), () => Effect.yieldNow)
    : JobFile.streamOf(content)

/** Fails if a file is not TMX. A stream's failure is reported when the file is sent. A `ReadableStream` is unchecked: it can be read only once. */
export const checkTmx = Effect.fnUntraced(function*(content: JobFile.Content) {
  if (content instanceof ReadableStream) return
  const { end, push } = makeChecker()
  const problem = yield* streamOf(content).pipe(
    Stream.map(push),
    Stream.filter((found) => found !== undefined),
    Stream.runHead,
    Effect.map(Option.orElse(() => Option.fromUndefinedOr(end()))),
    Effect.orElseSucceed(Option.none<string>)
  )
  if (Option.isSome(problem)) {
    return yield* invalid("content", problem.value, "a TMX file")
  }
})
