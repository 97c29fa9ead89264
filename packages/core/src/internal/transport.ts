/** What a failure of the HTTP client means: whether the request went out, and whether another try can help. */
import type * as HttpClientError from "effect/http/HttpClientError"
import { hasProperty, isError, isString } from "effect/Predicate"
import { ConnectionFailed, ConnectionLost } from "../CallError.ts"
import { readable } from "./answer.ts"

/** The request never left, and another try may get through. */
const neverSent = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT"
])

/** The request never left, and another try fails the same way: unknown host, certificate, address, header. */
const never =
  /^(ENOTFOUND|EPROTO|ERR_TLS_.*|ERR_SSL_.*|ERR_INVALID_.*|UND_ERR_INVALID_ARG|CERT_.*|.*_CERT(IFICATE)?(_.*)?|UNABLE_TO_.*|HOSTNAME_MISMATCH)$/

/** Platforms nest the code of the system: `fetch` fails with a TypeError whose cause has it. */
const codeOf = (cause: unknown, depth = 0): string | undefined => {
  if (depth > 4) return undefined
  if (hasProperty(cause, "code") && isString(cause.code)) return cause.code
  return hasProperty(cause, "cause") ? codeOf(cause.cause, depth + 1) : undefined
}

const describe = (cause: unknown): string => isError(cause) ? readable(cause.message) : ""

/** Makes a failure of the HTTP client one of the contract. */
export const toConnectionError = (error: HttpClientError.HttpClientError): ConnectionFailed | ConnectionLost => {
  const reason = error.reason
  const cause = "cause" in reason ? reason.cause : undefined
  const code = codeOf(cause)
  const fields = {
    description: describe(cause) || (reason.description ?? ""),
    ...(code === undefined ? undefined : { code })
  }
  if (reason._tag === "EncodeError" || reason._tag === "InvalidUrlError") {
    return new ConnectionFailed({ ...fields, isTransient: false })
  }
  if (reason._tag === "TransportError" && code !== undefined) {
    if (neverSent.has(code)) return new ConnectionFailed({ ...fields, isTransient: true })
    if (never.test(code)) return new ConnectionFailed({ ...fields, isTransient: false })
  }
  const traceId = error.response?.headers["x-trace-id"]
  return new ConnectionLost({ ...fields, ...(traceId === undefined ? undefined : { traceId }) })
}
