import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type * as Headers from "effect/http/Headers"
import type * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import { isString } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Masking from "../../fake/internal/masking.ts"
import type { Request } from "./format.ts"
import * as Format from "./format.ts"

export interface Settings {
  readonly secrets?: ReadonlyArray<Redacted.Redacted> | undefined
  readonly redact?: ((text: string) => string) | undefined
}

export interface Normal {
  readonly request: Request
  /** The request's secrets in all encoded forms, to mask in the response too. */
  readonly secretForms: ReadonlyArray<string>
}

const bytesOf = (body: HttpBody.HttpBody): Uint8Array | undefined => {
  if (body._tag === "Uint8Array") return body.body
  if (body._tag !== "Raw") return undefined
  if (body.body instanceof Uint8Array) return body.body
  return isString(body.body) ? new TextEncoder().encode(body.body) : undefined
}

const isForm = (body: HttpBody.HttpBody): boolean =>
  body._tag !== "Empty" && body.contentType?.toLowerCase().startsWith("application/x-www-form-urlencoded") === true

/** The boundary of a multipart form, which differs in each request. */
const boundaryOf = (body: HttpBody.HttpBody): string | undefined =>
  body._tag === "Empty" ? undefined : /^multipart\/form-data;.*boundary=([^\s;]+)/i.exec(body.contentType ?? "")?.[1]

const boundary = "boundary"

const normalText = (
  whole: string,
  form: boolean,
  secretForms: ReadonlyArray<string>,
  redact: (text: string) => string
): string =>
  redact(
    form ? Masking.fields(whole, secretForms) : Option.match(Masking.parse(whole), {
      onNone: () => Masking.fragment(whole, secretForms),
      onSome: (value) => JSON.stringify(Masking.json(value, secretForms))
    })
  )

const decodeSegment = (segment: string): string =>
  Result.getOrElse(Result.try(() => decodeURIComponent(segment)), () => segment)

/** Masks secrets in a path. A segment with a secret is decoded, masked and encoded. */
const normalPath = (path: string, secretForms: ReadonlyArray<string>): string =>
  path.split("/").map((segment) => {
    const decoded = decodeSegment(segment)
    const masked = Masking.text(decoded, secretForms)
    return masked === decoded ? segment : encodeURIComponent(masked)
  }).join("/")

/** Headers of HTTP clients and tracers. Their values are not secret and may occur in any body. */
const plainHeader = /^(accept.*|b3|connection|content-.*|host|traceparent|tracestate|user-agent)$/
const plainWord = /^[a-z]+$/

/** Secret header values and their parts, such as a key without its scheme word. */
const credentials = (headers: Headers.Headers): ReadonlyArray<string> =>
  Object.entries(headers).flatMap(([name, value]) =>
    plainHeader.test(name)
      ? []
      : [value, value.replace(/^\S+\s+/, ""), ...value.split(/[\s,;=]+/)].filter((part) =>
        name === "authorization" || !plainWord.test(part)
      )
  )

/** Normalizes a request: without headers and secrets, with sorted fields and keys. */
export const normalize = (
  request: HttpClientRequest.HttpClientRequest,
  { redact = (text) => text, secrets = [] }: Settings
): Normal => {
  const bytes = bytesOf(request.body)
  const found = bytes === undefined ? undefined : Format.toContent(bytes)
  const parted = boundaryOf(request.body)
  const content = parted === undefined
    ? found
    : found !== undefined && "text" in found
    ? { text: found.text.replaceAll(parted, boundary) }
    : undefined
  const form = isForm(request.body)
  const secretForms = Masking.forms([
    ...secrets.map(Redacted.value),
    ...credentials(request.headers),
    ...(content !== undefined && "text" in content ? Masking.secretsIn(content.text, form) : [])
  ])
  const url = Option.getOrUndefined(HttpClientRequest.toUrl(request))
  const query = url === undefined ? "" : redact(Masking.fields(url.search, secretForms))
  return {
    secretForms,
    request: {
      method: request.method,
      path: redact(url === undefined ? Masking.text(request.url, secretForms) : normalPath(url.pathname, secretForms)),
      ...(query === "" ? undefined : { query }),
      ...(content === undefined
        ? request.body._tag === "Empty" ? undefined : { body: { unread: request.body._tag } }
        : { body: "text" in content ? { text: normalText(content.text, form, secretForms, redact) } : content })
    }
  }
}

export const digested = (request: Request): Effect.Effect<Request> => {
  const { body } = request
  if (body === undefined || !("text" in body || "base64" in body)) return Effect.succeed(request)
  return Digest.Digest.use((digest) =>
    digest.digestHex(Digest.sha256, new TextEncoder().encode("text" in body ? body.text : body.base64))
  ).pipe(
    Effect.map((hex): Request => ({ ...request, body: { digest: hex } })),
    Effect.provide(Digest.layerWebCrypto)
  )
}

export const keyOf = ({ body, method, path, query }: Request): string => JSON.stringify([method, path, query, body])

const valuesOf = ({ body, query = "" }: Request): ReadonlyMap<string, string> => {
  const values = new Map<string, string>()
  const add = (name: string, value: string) => values.set(name, `${values.get(name) ?? ""}${value},`)
  for (const [name, value] of new URLSearchParams(query)) add(name, value)
  if (body === undefined) return values
  if (!("text" in body) || body.text.startsWith(`--${boundary}`)) return values.set("body", JSON.stringify(body))
  const json = Option.getOrUndefined(Masking.parse(body.text))
  if (json === undefined) { for (const [name, value] of new URLSearchParams(body.text)) add(name, value) }
  else for (const [name, value] of Object.entries(Object(json))) add(name, JSON.stringify(value))
  return values
}

export const differences = (one: Request, other: Request): ReadonlyArray<string> => {
  const [first, second] = [valuesOf(one), valuesOf(other)]
  return [...new Set([...first.keys(), ...second.keys()])].filter((name) => first.get(name) !== second.get(name))
}
