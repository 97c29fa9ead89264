/**
 * The other end of the wire, by script: it answers each request with the next reply and keeps what was sent. Bodies of
 * `answer` are read without a promise, so that nothing but the `TestClock` decides when something happens.
 */
import { Admin, LanguageService, type LanguageServiceConfig, OtherServices } from "@effect-lingua/core"
import { Clock, Context, type Duration, Effect, Layer, Redacted, Stream } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"

/** One request as it left the client. */
export interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** When it was sent, in milliseconds of the clock. */
  readonly at: number
  /** Aborted when the client gives the request up. */
  readonly signal: AbortSignal
}

/** What comes back for one request. */
export type Reply = (
  request: HttpClientRequest.HttpClientRequest,
  sent: Sent
) => Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

/** A reply for every request, or one for each in order. */
export type Script = Reply | ReadonlyArray<Reply>

export type Headers = Readonly<Record<string, string>>

const encoder = new TextEncoder()

/** An answer whose body comes as the stream says. */
export const streamed =
  (status: number, body: Stream.Stream<Uint8Array, Error>, headers: Headers = {}): Reply => (request) =>
    Effect.sync(() => {
      const response = HttpClientResponse.fromWeb(request, new Response(null, { status, headers }))
      const failed = (cause: Error) =>
        new HttpClientError.HttpClientError({ reason: new HttpClientError.DecodeError({ request, response, cause }) })
      const stream = Stream.mapError(body, failed)
      const text = Stream.runFold(stream, () => "", (text, chunk) => text + new TextDecoder().decode(chunk))
      return Object.create(response, {
        stream: { value: stream },
        arrayBuffer: { value: Effect.map(text, (text) => encoder.encode(text).buffer) },
        text: { value: text }
      })
    })

/** An answer with a body of text, or of JSON when the body is not a string. */
export const answer = (status: number, body: unknown = "", headers: Headers = {}): Reply => {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return streamed(status, Stream.make(encoder.encode(text)), {
    "content-type": typeof body === "string" ? "text/plain" : "application/json",
    ...headers
  })
}

/** An answer of the platform: what `fetch` would give. */
export const web = (make: () => Response): Reply => (request) =>
  Effect.sync(() => HttpClientResponse.fromWeb(request, make()))

const transportError = (...fields: ConstructorParameters<typeof HttpClientError.TransportError>) =>
  new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError(...fields) })

/** The platform fails with these words, or with this cause. */
export const failing = (fields: { readonly cause?: unknown; readonly description?: string }): Reply => (request) =>
  Effect.fail(transportError({ request, ...fields }))

/** No answer: the platform fails with an error that has the code, as the cause of another as `fetch` nests it. */
export const broken = (
  code?: string,
  message = `it failed: ${code ?? "no code"}`,
  syscall = code?.startsWith("EHOST") || code?.startsWith("ENET") ? "connect" : undefined
): Reply =>
  failing({
    cause: new TypeError("fetch failed", {
      cause: Object.assign(new Error(message), code !== undefined && { code }, syscall !== undefined && { syscall })
    })
  })

/** The status of a document that is not done. */
export const translating = answer(200, { document_id: "7A2D0C4E5B6F48129D3E0F1A2B3C4D5E", status: "translating" })

/** A document in translation: its status says so, and its bytes are refused. */
export const inTranslation: Reply = (request, sent) =>
  (sent.url.endsWith("/result") ? answer(503) : translating)(request, sent)

/** The status of a document that is. */
export const done = answer(200, { document_id: "7A2D0C4E5B6F48129D3E0F1A2B3C4D5E", status: "done" })

/** A document that is not ready at first, and then at so many polls. */
export const readyAfter = (polls: number): ReadonlyArray<Reply> => [
  answer(503),
  ...Array.from({ length: polls }, () => translating),
  done
]

export const silent: Reply = () => Effect.never

/** The reply after some time. */
export const late = (duration: Duration.Input, reply: Reply): Reply => (request, sent) =>
  Effect.delay(reply(request, sent), duration)

/** The script in progress. */
export class Wire extends Context.Service<Wire, {
  readonly sent: ReadonlyArray<Sent>
}>()("@effect-lingua/core/test/support/Wire") {}

/** What was sent so far, without the time. */
export const sent = Effect.map(
  Wire,
  ({ sent }) => sent.map(({ body, headers, method, url }) => ({ method, url, headers, body }))
)

/** How many requests were sent so far. */
export const count = Effect.map(Wire, ({ sent }) => sent.length)

/** The milliseconds between one request and the next. */
export const gaps = Effect.map(Wire, ({ sent }) => sent.slice(1).map(({ at }, index) => at - (sent[index]?.at ?? 0)))

const entryOf = ([name, value]: [string, FormDataEntryValue]): string =>
  `${name}=${typeof value === "string" ? value : `<${value.name}, ${value.size} bytes>`}`

/** A form has a line for each of its fields. A stream is read to its end. */
const bodyOf = (
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<string, HttpClientError.HttpClientError> => {
  const { body } = request
  switch (body._tag) {
    case "Empty":
      return Effect.succeed("")
    case "Uint8Array":
      return Effect.succeed(new TextDecoder().decode(body.body))
    case "FormData":
      return Effect.succeed(Array.from(body.formData, entryOf).join("\n"))
    case "Stream":
      return body.stream.pipe(
        Stream.mapError((cause) => transportError({ request, cause })),
        Stream.decodeText,
        Stream.mkString
      )
    case "Raw": {
      const raw = body.body
      return raw instanceof Blob
        ? Effect.promise(() => raw.text())
        : Effect.die(new Error("a raw body is not in the script"))
    }
  }
}

/** The wire without a client. */
export const make = (script: Script) =>
  Layer.effectContext(Effect.sync(() => {
    const sent: Array<Sent> = []
    const client = HttpClient.make((request, url, signal) =>
      Effect.flatMap(Effect.all([Clock.currentTimeMillis, bodyOf(request)]), ([at, body]) => {
        const entry: Sent = { method: request.method, url: url.href, headers: { ...request.headers }, body, at, signal }
        const reply = typeof script === "function" ? script : script[sent.length]
        sent.push(entry)
        return reply === undefined
          ? Effect.die(new Error(`the script has no reply for request ${sent.length}`))
          : reply(request, entry)
      })
    )
    return Context.make(Wire, { sent }).pipe(
      Context.add(HttpClient.HttpClient, client),
      Context.add(HttpClient.TracerPropagationEnabled, false)
    )
  }))

export const key = "key-of-the-tests"

export const adminKey = "admin-key-of-the-tests:adm"

export const baseUrl = "https://service.test"

/** All services, and administration with a key of its own, over a script. */
export const layer = (
  script: Script,
  options?: Partial<LanguageServiceConfig.Options>
): Layer.Layer<Admin | LanguageService.LanguageService | OtherServices.OtherServices | Wire> =>
  Admin.layer({ adminKey: Redacted.make(adminKey), baseUrl, ...options }).pipe(
    Layer.provideMerge(
      Layer.provideMerge(OtherServices.layer, LanguageService.layer({ key: Redacted.make(key), baseUrl, ...options }))
    ),
    Layer.provideMerge(make(script)),
    Layer.orDie
  )
