/** The storage behind signed URLs. Requests with an API key are refused. */
import * as ByteSize from "effect/ByteSize"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import { contentTypeOf } from "./decode.ts"
import type { Fake } from "./state.ts"
import * as Memories from "./translation-memories/memories.ts"

const chunkBytes = 16 * 1024

export const prefix = "/_storage/"

export const isAt = (url: string): boolean => url.startsWith(prefix)

export const unsigned = (url: string, redacted: string): string =>
  url.replace(/((?:signature|token)=)[0-9a-f]{64}/g, `$1${redacted}`)

/** An error in the format of storage services: XML with the URL. */
export const refused = (status: number, code: string, url: string) =>
  HttpServerResponse.text(
    `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Resource>${
      url.replaceAll("&", "&amp;")
    }</Resource></Error>`,
    { status, contentType: "application/xml" }
  )

export const chunks = (content: Uint8Array): Stream.Stream<Uint8Array> =>
  Stream.unfold(
    content,
    (rest) =>
      Effect.succeed(rest.length === 0 ? undefined : [rest.subarray(0, chunkBytes), rest.subarray(chunkBytes)] as const)
  )

export const fileOf = (content: Uint8Array, contentType: string) =>
  HttpServerResponse.stream(chunks(content), {
    contentType,
    contentLength: content.byteLength
  })

export const bytesOf = (fake: Fake, request: HttpServerRequest.HttpServerRequest) =>
  Effect.provideService(
    request.arrayBuffer,
    HttpIncomingMessage.MaxBodySize,
    ByteSize.bytes(fake.settings.maxDocumentBytes)
  )

export const answer = Effect.fnUntraced(function*(fake: Fake, url: string) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const now = yield* Clock.currentTimeMillis
  const { pathname, searchParams } = new URL(url, fake.origin)
  const [kind = "", id = ""] = pathname.slice(prefix.length).split("/")
  const job = fake.store.jobs.get(id)
  if (request.headers["authorization"] !== undefined) return refused(400, "InvalidArgument", url)
  if (job === undefined || searchParams.get("signature") !== job.signature) {
    return refused(403, "SignatureDoesNotMatch", url)
  }
  if (kind === "uploads" && job.operation === "import" && request.method === "PUT") {
    if (contentTypeOf(request.headers) !== job.contentType.toLowerCase()) {
      return refused(403, "SignatureDoesNotMatch", url)
    }
    const body = yield* bytesOf(fake, request)
    return Memories.receive(fake, job, new Uint8Array(body), now)
      ? HttpServerResponse.empty({ status: 200 })
      : refused(403, "AccessDenied", url)
  }
  if (kind === "downloads" && job.operation === "export" && request.method === "GET") {
    if (now >= Number(searchParams.get("expires"))) return refused(403, "AccessDenied", url)
    job.isFetched = true
    return fileOf(job.content, "application/xml")
  }
  return refused(405, "MethodNotAllowed", url)
})
