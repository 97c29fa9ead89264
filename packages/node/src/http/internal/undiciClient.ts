/**
 * An `HttpClient` over undici with little overhead, for requests with a body in memory and without a client span. Other
 * requests use the client of `@effect/platform-node`, whose controller, stream and registry entry per request are
 * costly.
 */
import * as RequestSignal from "@effect-lingua/core/call/RequestSignal"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type { Dispatcher } from "@effect/platform-node/Undici"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import { isString, isUint8Array } from "effect/Predicate"
import { Readable } from "node:stream"
import { Exchange, type Result } from "./exchange.ts"

interface Outgoing {
  readonly body: Uint8Array | string | Readable | null
  /** Length in bytes, if undici cannot derive it from the body. */
  readonly length: number | undefined
  /** True once the connection has the whole body. Absent for a body sent in one piece. */
  readonly isWhole?: () => boolean
}

const partBytes = 64 * 1024

/**
 * The body to send; `undefined` if the client of `@effect/platform-node` has to send the request. A `Blob` is read while it
 * is sent.
 */
const outgoingOf = ({ body: content, headers }: HttpClientRequest.HttpClientRequest): Outgoing | undefined => {
  if (headers["upgrade"] !== undefined) return undefined
  if (content._tag === "Empty") return { body: null, length: undefined }
  const body = content._tag === "Raw" || content._tag === "Uint8Array" ? content.body : undefined
  if (isString(body) || (isUint8Array(body) && body.byteLength <= partBytes)) return { body, length: undefined }
  if (!isUint8Array(body) && !(body instanceof Blob)) return undefined
  const length = body instanceof Blob ? body.size : body.byteLength
  let offset = 0
  const parts = function*() {
    while (offset < length) {
      const from = offset
      // Counted before the part is sent: a server that has the last part may respond before the next part is requested.
      offset = Math.min(from + partBytes, length)
      yield body instanceof Blob ? body.slice(from, offset).bytes() : body.subarray(from, offset)
    }
  }
  return { body: Readable.from(parts(), { objectMode: false }), length, isWhole: () => offset === length }
}

/** Effectively no timeouts, because each caller has a timeout. */
const timeouts = { headersTimeout: 60 * 60 * 1000, bodyTimeout: 0 }

const noOptions = Context.get(Context.empty(), NodeHttpClient.UndiciOptions)

interface Address {
  readonly text: string
  readonly url: URL
  readonly origin: string
  readonly path: string
}

/** Parses request URLs. Caches the last URL, which consecutive requests often share. */
const parser = () => {
  let last: Address | undefined
  return (request: HttpClientRequest.HttpClientRequest): Address | undefined => {
    const isWhole = request.urlParams.params.length === 0 && Option.isNone(request.hash)
    if (isWhole && last?.text === request.url) return last
    const url = Option.getOrUndefined(HttpClientRequest.toUrl(request))
    if (url === undefined) return undefined
    const address = { text: request.url, url, origin: url.origin, path: url.pathname + url.search }
    if (isWhole) last = address
    return address
  }
}

/** A client over a pool. `signalled` makes a dispatcher report progress to a request's signal. */
export const make = (
  dispatcher: Dispatcher,
  signalled: (dispatcher: Dispatcher, signal: RequestSignal.RequestSignal) => Dispatcher
): HttpClient.HttpClient => {
  const parse = parser()
  const general = (request: HttpClientRequest.HttpClientRequest, signal: RequestSignal.RequestSignal | undefined) => {
    signal?.waiting()
    return NodeHttpClient.makeUndici.pipe(
      Effect.provideService(
        NodeHttpClient.Dispatcher,
        signal === undefined ? dispatcher : signalled(dispatcher, signal)
      ),
      Effect.flatMap((client) => client.execute(request))
    )
  }
  const send = (request: HttpClientRequest.HttpClientRequest): Result =>
    Effect.withFiber((fiber) => {
      const outgoing = outgoingOf(request)
      const address = parse(request)
      const signal = fiber.getRef(RequestSignal.Current)
      if (
        outgoing === undefined || address === undefined || !fiber.getRef(HttpClient.TracerDisabledWhen)(request) ||
        fiber.getRef(NodeHttpClient.UndiciOptions) !== noOptions
      ) return general(request, signal)
      const { origin, path, url } = address
      return Effect.callback((resume) => {
        const { method } = request
        const { body, isWhole, length } = outgoing
        const exchange = new Exchange(request, url, signal, isWhole, resume)
        const headers = length === undefined
          ? request.headers
          : { ...request.headers, "content-length": String(length) }
        dispatcher.dispatch({ ...timeouts, origin, path, method, headers, body }, exchange)
        return Effect.sync(() => exchange.abort())
      })
    })
  return HttpClient.makeWith(
    (request: Effect.Effect<HttpClientRequest.HttpClientRequest>) => Effect.flatMapEager(request, send),
    Effect.succeed
  )
}
