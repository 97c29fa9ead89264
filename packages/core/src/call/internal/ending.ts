import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import { hasProperty, isError, isString } from "effect/Predicate"
import { type Sanitizer, traceOf } from "../../contract/internal/sanitizer.ts"
import { type CallFailure, ConnectionFailed, ConnectionLost, type SourceFailed } from "../../errors/CallError.ts"
import { type Failure, releasedCode } from "../../errors/internal/failure.ts"
import type { RateLimited } from "../../errors/ServiceError.ts"

/** Codes of transient failures before the request is sent. */
const transientCodes = new Set(["EAI_AGAIN", "ECONNREFUSED", "UND_ERR_CONNECT_TIMEOUT"])

/** Like `transientCodes` if `syscall` is `connect`: an established connection can fail with the same codes. */
const transientConnectCodes = new Set(["EHOSTDOWN", "EHOSTUNREACH", "ENETDOWN", "ENETUNREACH"])

/** Codes of permanent failures before the request is sent: unknown host, invalid certificate, URL or header. */
const permanentCode =
  /^(ENOTFOUND|EPROTO|ERR_PROXY_REFUSED|ERR_TLS_.*|ERR_SSL_(WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS_AVAILABLE|.*HANDSHAKE.*|TLSV1_ALERT_.*)|ERR_INVALID_.*|UND_ERR_INVALID_ARG|CERT_.*|.*_CERT(IFICATE)?(_.*)?|UNABLE_TO_.*|HOSTNAME_MISMATCH)$/

const poolReleased = new Set(["UND_ERR_DESTROYED", "UND_ERR_CLOSED"])

const releasedFields = { description: "The layer of the client was released", code: releasedCode }

export const released = (isSent: boolean): ConnectionFailed | ConnectionLost =>
  isSent ? new ConnectionLost(releasedFields) : new ConnectionFailed({ ...releasedFields, isTransient: false })

interface SystemError {
  readonly code: string
  readonly syscall: string | undefined
  readonly proxy: string | undefined
}

/** Finds the system error, which `fetch` nests in the `cause` of a `TypeError`. */
const systemErrorOf = (cause: unknown, depth = 0): SystemError | undefined => {
  if (depth > 4) return undefined
  if (hasProperty(cause, "code") && isString(cause.code)) {
    return {
      code: cause.code,
      syscall: hasProperty(cause, "syscall") && isString(cause.syscall) ? cause.syscall : undefined,
      proxy: hasProperty(cause, "proxy") && isString(cause.proxy) ? cause.proxy : undefined
    }
  }
  return hasProperty(cause, "cause") ? systemErrorOf(cause.cause, depth + 1) : undefined
}

/** Converts an error of the HTTP client. `isUnsent` is true if the request was waiting for a connection. */
export const toConnectionError = (
  error: HttpClientError.HttpClientError,
  sanitizer: Sanitizer,
  isUnsent: boolean
): ConnectionFailed | ConnectionLost => {
  const reason = error.reason
  const cause = "cause" in reason ? reason.cause : undefined
  const system = systemErrorOf(cause)
  const code = system?.code
  const fields = {
    description: sanitizer.fit((isError(cause) ? cause.message : "") || (reason.description ?? "")),
    ...(code === undefined ? undefined : { code })
  }
  if (reason._tag === "EncodeError" || reason._tag === "InvalidUrlError") {
    return new ConnectionFailed({ ...fields, isTransient: false })
  }
  if (system?.proxy !== undefined) {
    return new ConnectionFailed({ ...fields, proxy: system.proxy, isTransient: !permanentCode.test(system.code) })
  }
  if (isUnsent && poolReleased.has(code ?? "")) return released(false)
  if (isUnsent) return new ConnectionFailed({ ...fields, isTransient: code === undefined || !permanentCode.test(code) })
  if (reason._tag === "TransportError" && code !== undefined) {
    if (transientCodes.has(code) || (transientConnectCodes.has(code) && system?.syscall === "connect")) {
      return new ConnectionFailed({ ...fields, isTransient: true })
    }
    if (permanentCode.test(code)) return new ConnectionFailed({ ...fields, isTransient: false })
  }
  return new ConnectionLost({ ...fields, ...traceOf(error.response, sanitizer) })
}

/**
 * The end of an attempt. With neither `success` nor `failure`, the call itself handles the response: returns the body as a stream, or fails
 * because the JSON does not match the schema.
 */
export type Ending =
  | {
    readonly response: HttpClientResponse.HttpClientResponse
    readonly success?: { readonly value: unknown }
    readonly failure?: undefined
  }
  | { readonly response: HttpClientResponse.HttpClientResponse; readonly failure: Failure }
  | { readonly response?: undefined; readonly failure: CallFailure | RateLimited | SourceFailed }
