import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

export const Header = Schema.Struct({
  recording: Schema.Literal(1),
  digests: Schema.optionalKey(Schema.Boolean)
})

export type Header = typeof Header.Type

/** A body or body part: UTF-8 text, otherwise Base64. */
const Content = Schema.Union([Schema.Struct({ text: Schema.String }), Schema.Struct({ base64: Schema.String })])

export type Content = typeof Content.Type

/** A normalized request, without headers and secrets. */
export const Request = Schema.Struct({
  method: Schema.String,
  path: Schema.String,
  query: Schema.optionalKey(Schema.String),
  body: Schema.optionalKey(
    Schema.Union([Content, Schema.Struct({ digest: Schema.String }), Schema.Struct({ unread: Schema.String })])
  )
})

export type Request = typeof Request.Type

export const Failure = Schema.Struct({
  reason: Schema.Literals(["TransportError", "EncodeError", "InvalidUrlError"]),
  message: Schema.String,
  code: Schema.optionalKey(Schema.String),
  syscall: Schema.optionalKey(Schema.String)
})

export type Failure = typeof Failure.Type

/** `end: "unread"` means that the client disconnected before the end of the body. */
export const Response = Schema.TaggedStruct("Response", {
  status: Schema.Int,
  headers: Schema.Record(Schema.String, Schema.String),
  /** Number of preceding lines that contain the earlier parts of the body. */
  parts: Schema.optionalKey(Schema.Int),
  body: Content,
  end: Schema.Union([Schema.Literals(["complete", "unread"]), Failure])
})

export type Response = typeof Response.Type

/** `NoAnswer` means that the client disconnected before a response. */
export const Exchange = Schema.Struct({
  /** The exchange's number, from 1 in request order. */
  exchange: Schema.Int,
  request: Request,
  /** Milliseconds until the response began. */
  delay: Schema.Number,
  answer: Schema.Union([
    Response,
    Schema.TaggedStruct("Failed", { failure: Failure }),
    Schema.TaggedStruct("NoAnswer", {})
  ])
})

export type Exchange = typeof Exchange.Type

export type Answer = Exchange["answer"]

/** A part of a long body, written before the exchange. */
export const Part = Schema.Struct({ partOf: Schema.Int, content: Content })

export type Part = typeof Part.Type

const Line = Schema.fromJsonString(Schema.Union([Exchange, Part]))

const encodeHeader = Schema.encodeSync(Schema.fromJsonString(Header))
const encodeLine = Schema.encodeSync(Line)
const decodeHeader = Schema.decodeUnknownResult(Schema.fromJsonString(Header))
const decodeLine = Schema.decodeUnknownResult(Line)

export const headerLine = (header: Header): string => `${encodeHeader(header)}\n`

export const line = (content: Exchange | Part): string => `${encodeLine(content)}\n`

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

export const toContent = (bytes: Uint8Array): Content =>
  Result.match(Result.try(() => decoder.decode(bytes)), {
    onFailure: () => ({ base64: Base64.encode(bytes) }),
    onSuccess: (text) => ({ text })
  })

const toBytes = (content: Content): Result.Result<Uint8Array, string> =>
  "text" in content
    ? Result.succeed(new TextEncoder().encode(content.text))
    : Result.mapError(Base64.decode(content.base64), ({ message }) => message)

export interface Replayable extends Exchange {
  readonly body: ReadonlyArray<Uint8Array>
}

export interface Recorded {
  readonly header: Header
  readonly next: number
  readonly exchanges: ReadonlyArray<Replayable>
}

export interface Flaw {
  readonly line: number
  readonly reason: string
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").slice(0, 300)

/** Parses a recording; exchanges are in request order. */
export const parse = (file: string): Result.Result<Recorded, Flaw> =>
  Result.gen(function*() {
    const [first = "", ...lines] = file.split("\n")
    const header = yield* Result.mapError(decodeHeader(first), ({ message }) => ({
      line: 1,
      reason: `it does not begin with {"recording":1}: ${oneLine(message)}`
    }))
    const parts = new Map<number, Array<Uint8Array>>()
    const exchanges: Array<Replayable> = []
    for (const [index, text] of lines.entries()) {
      const flaw = (reason: string): Flaw => ({ line: index + 2, reason })
      if (text.trim() === "") continue
      const content = yield* Result.mapError(decodeLine(text), ({ message }) => flaw(oneLine(message)))
      if ("partOf" in content) {
        const bytes = yield* Result.mapError(toBytes(content.content), flaw)
        parts.set(content.partOf, [...parts.get(content.partOf) ?? [], bytes])
        continue
      }
      const { answer } = content
      const before = parts.get(content.exchange) ?? []
      parts.delete(content.exchange)
      const promised = answer._tag === "Response" ? answer.parts ?? 0 : 0
      if (before.length !== promised) {
        yield* Result.fail(flaw(`${before.length} of the ${promised} parts of its body precede it`))
      }
      const last = answer._tag === "Response" ? yield* Result.mapError(toBytes(answer.body), flaw) : new Uint8Array()
      exchanges.push({ ...content, body: [...before, last].filter(({ length }) => length > 0) })
    }
    const ordered = exchanges.toSorted((one, other) => one.exchange - other.exchange)
    // Parts without an exchange are from an interrupted process.
    return { header, exchanges: ordered, next: Math.max(0, ordered.at(-1)?.exchange ?? 0, ...parts.keys()) + 1 }
  })
