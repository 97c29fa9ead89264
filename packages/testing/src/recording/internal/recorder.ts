import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Option from "effect/Option"
import { hasProperty, isString } from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as Masking from "../../fake/internal/masking.ts"
import * as Format from "./format.ts"
import * as RecordingRequest from "./request.ts"

export interface Settings extends RecordingRequest.Settings {
  readonly responseHeaders?: ReadonlyArray<string> | undefined
  readonly digests: boolean
  readonly first: number
  readonly write: (line: string) => Effect.Effect<void>
}

/** Recorded response headers, which clients read. Other headers could contain a secret. */
const knownHeaders: ReadonlyArray<string> = [
  "content-disposition",
  "content-encoding",
  "content-length",
  "content-type",
  "date",
  "location",
  "retry-after",
  "x-trace-id"
]

/** Longer bodies are written in parts, except JSON, which the caller holds in memory anyway. */
const partBytes = 64 * 1024

/** Bytes as one character each, to find secrets in any encoding. */
const toBinary = (bytes: Uint8Array): string => {
  const texts: Array<string> = []
  for (let start = 0; start < bytes.length; start += 4096) {
    texts.push(String.fromCharCode(...bytes.subarray(start, start + 4096)))
  }
  return texts.join("")
}

const fromBinary = (binary: string): Uint8Array => {
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
  return bytes
}

const encoder = new TextEncoder()

const isContinuation = (binary: string, index: number): boolean => (binary.charCodeAt(index) & 0xc0) === 0x80

/** The last position at which a cut divides neither a secret nor a UTF-8 character. */
const cutOf = (binary: string, secretForms: ReadonlyArray<string>): number => {
  let cut = binary.length - Math.max(0, ...secretForms.map(({ length }) => length))
  for (const form of secretForms) {
    const found = binary.indexOf(form, Math.max(0, cut - form.length + 1))
    if (found !== -1 && found < cut) cut = found
  }
  for (let back = 0; back < 3 && cut > 0 && isContinuation(binary, cut); back++) cut--
  return Math.max(0, cut)
}

const shortestStart = 4

/** Masks the start of a secret at the end of a truncated body. */
const withoutStart = (binary: string, secretForms: ReadonlyArray<string>): string => {
  const length = Math.max(
    0,
    ...secretForms.map((form) => {
      for (let start = form.length - 1; start >= shortestStart; start--) {
        if (binary.endsWith(form.slice(0, start))) return start
      }
      return 0
    })
  )
  return length === 0 ? binary : binary.slice(0, -length) + Masking.mask
}

interface SystemError {
  readonly message?: string
  readonly code?: string
  readonly syscall?: string
}

/** The system error in a chain of causes; platforms wrap it. */
const systemErrorOf = (cause: unknown, depth = 0): SystemError => {
  if (depth > 4 || typeof cause !== "object" || cause === null) return {}
  if (hasProperty(cause, "code") && isString(cause.code)) {
    return {
      code: cause.code,
      ...(hasProperty(cause, "syscall") && isString(cause.syscall) ? { syscall: cause.syscall } : undefined),
      ...(hasProperty(cause, "message") && isString(cause.message) ? { message: cause.message } : undefined)
    }
  }
  const nested = hasProperty(cause, "cause") ? systemErrorOf(cause.cause, depth + 1) : {}
  return nested.code !== undefined || !(hasProperty(cause, "message") && isString(cause.message))
    ? nested
    : { ...nested, message: cause.message }
}

const failureOf = (
  { reason }: HttpClientError.HttpClientError,
  clean: (text: string) => string
): Format.Failure => {
  const { code, message, syscall } = systemErrorOf("cause" in reason ? reason.cause : undefined)
  return {
    reason: reason._tag === "EncodeError" || reason._tag === "InvalidUrlError" ? reason._tag : "TransportError",
    message: clean(message ?? reason.description ?? ""),
    ...(code === undefined ? undefined : { code }),
    ...(syscall === undefined ? undefined : { syscall })
  }
}

/** Records a body while it is read, and writes the exchange at the body's end. */
const makeBody = (
  settings: Settings,
  response: HttpClientResponse.HttpClientResponse,
  exchange: Omit<Format.Exchange, "answer">,
  secretForms: ReadonlyArray<string>,
  clean: (text: string) => string
) => {
  const forms = secretForms.map((form) => toBinary(encoder.encode(form)))
  const isJson = /\bjson\b/i.test(response.headers["content-type"] ?? "")
  let rest = ""
  let parts = 0
  let changed = false

  const contentOf = (binary: string): Format.Content => {
    const content = Format.toContent(fromBinary(binary))
    if (!("text" in content)) {
      const masked = Masking.fragment(binary, forms)
      if (masked === binary) return content
      changed = true
      return Format.toContent(fromBinary(masked))
    }
    const json = Option.getOrUndefined(Masking.parse(content.text))
    // A JSON text without secrets keeps its formatting.
    const masked = json === undefined
      ? Masking.fragment(content.text, secretForms)
      : JSON.stringify(Masking.json(json, [])) === JSON.stringify(Masking.json(json, secretForms)) &&
          Masking.secretsIn(content.text, false).length === 0
      ? content.text
      : JSON.stringify(Masking.json(json, secretForms))
    const text = (settings.redact ?? ((same) => same))(masked)
    changed ||= text !== content.text
    return { text }
  }

  const headersOf = (): Readonly<Record<string, string>> => {
    const names = [...knownHeaders, ...settings.responseHeaders ?? []].map((name) => name.toLowerCase())
    return Object.fromEntries(
      names.flatMap((name) => {
        const value = response.headers[name]
        // Omits `content-length` if masking changed the body.
        return value === undefined || (changed && name === "content-length") ? [] : [[name, clean(value)]]
      })
    )
  }

  return {
    take: (chunk: Uint8Array): Effect.Effect<void> =>
      Effect.suspend(() => {
        rest += toBinary(chunk)
        if (isJson || rest.length < partBytes) return Effect.void
        const cut = cutOf(rest, forms)
        if (cut === 0) return Effect.void
        const content = contentOf(rest.slice(0, cut))
        rest = rest.slice(cut)
        parts++
        return settings.write(Format.line({ partOf: exchange.exchange, content }))
      }),
    end: (end: Format.Response["end"]): Effect.Effect<void> =>
      Effect.suspend(() => {
        const last = end === "complete" ? rest : withoutStart(rest, forms)
        changed ||= last !== rest
        const body = contentOf(last)
        rest = ""
        return settings.write(Format.line({
          ...exchange,
          answer: {
            _tag: "Response",
            status: response.status,
            headers: headersOf(),
            ...(parts === 0 ? undefined : { parts }),
            body,
            end
          }
        }))
      })
  }
}

const isEmptyBody = (error: HttpClientError.HttpClientError): boolean => error.reason._tag === "EmptyBodyError"

/** A recording client. `close` writes exchanges with unread bodies. */
export const make = (client: HttpClient.HttpClient, settings: Settings): {
  readonly client: HttpClient.HttpClient
  readonly close: Effect.Effect<void>
} => {
  let next = settings.first
  const open = new Set<Effect.Effect<void>>()

  /** Records the body on its first read. */
  const observed = (
    response: HttpClientResponse.HttpClientResponse,
    exchange: Omit<Format.Exchange, "answer">,
    secretForms: ReadonlyArray<string>,
    clean: (text: string) => string
  ): HttpClientResponse.HttpClientResponse => {
    const body = makeBody(settings, response, exchange, secretForms, clean)
    let taken = false
    const unread = Effect.suspend(() => body.end("unread"))
    open.add(unread)
    const end = (how: Format.Response["end"]): Effect.Effect<void> =>
      Effect.suspend(() => open.delete(unread) ? body.end(how) : Effect.void)
    const endOf = (exit: Exit.Exit<unknown, HttpClientError.HttpClientError>, finished: boolean) =>
      Option.match(Exit.findErrorOption(exit), {
        onNone: () => end(finished ? "complete" : "unread"),
        onSome: (error) => end(isEmptyBody(error) ? "complete" : failureOf(error, clean))
      })

    const arrayBuffer = Effect.suspend(() => {
      if (taken) return response.arrayBuffer
      taken = true
      return response.arrayBuffer.pipe(
        Effect.tap((buffer) => body.take(new Uint8Array(buffer))),
        Effect.onExit((exit) => endOf(exit, Exit.isSuccess(exit)))
      )
    })
    const stream = Stream.suspend(() => {
      if (taken) return response.stream
      taken = true
      let finished = false
      return response.stream.pipe(
        Stream.tap(body.take),
        Stream.concat(Stream.suspend(() => {
          finished = true
          return Stream.empty
        })),
        Stream.onExit((exit) => endOf(exit, finished))
      )
    })
    return Object.create(response, {
      arrayBuffer: { value: arrayBuffer },
      text: { value: Effect.map(arrayBuffer, (buffer) => new TextDecoder().decode(buffer)) },
      stream: { value: stream }
    })
  }

  return {
    close: Effect.suspend(() => Effect.forEach([...open], (unread) => unread, { discard: true })),
    client: HttpClient.transform(
      client,
      Effect.fnUntraced(function*(effect, outgoing) {
        const exchange = next++
        const started = yield* Clock.currentTimeMillis
        const { request: normal, secretForms } = RecordingRequest.normalize(outgoing, settings)
        const request = settings.digests ? yield* RecordingRequest.digested(normal) : normal
        const clean = (text: string) => Masking.text(text, secretForms)
        const since = Effect.map(Clock.currentTimeMillis, (now) => now - started)
        const write = (answer: Format.Answer) =>
          Effect.flatMap(since, (delay) => settings.write(Format.line({ exchange, request, delay, answer })))
        const response = yield* effect.pipe(
          Effect.onError((cause) => {
            const error = Option.getOrUndefined(Exit.findErrorOption(Exit.failCause(cause)))
            return write(
              error === undefined ? { _tag: "NoAnswer" } : { _tag: "Failed", failure: failureOf(error, clean) }
            )
          })
        )
        return observed(response, { exchange, request, delay: yield* since }, secretForms, clean)
      })
    )
  }
}
