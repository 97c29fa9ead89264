/** The end of an attempt, the mapping of responses to ends by the contract of their endpoint, and what an end says about the service. */
import * as Effect from "effect/Effect"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import { hasProperty, isError, isString } from "effect/Predicate"
import * as Schema from "effect/Schema"
import { type Sanitizer, traceOf } from "../../contract/internal/sanitizer.ts"
import { type CallFailure, ConnectionFailed, ConnectionLost, type SourceFailed } from "../../errors/CallError.ts"
import { type Failure, isFailure, releasedCode } from "../../errors/internal/failure.ts"
import * as Unexpected from "../../errors/internal/unexpected.ts"
import type { RateLimited } from "../../errors/ServiceError.ts"
import * as Body from "./body.ts"
import type { Plan } from "./plan.ts"

/** Not sent, transient. */
const neverSent = new Set(["EAI_AGAIN", "ECONNREFUSED", "UND_ERR_CONNECT_TIMEOUT"])

/** Not sent and transient if the failed system call is `connect`: an established connection can end with these too. */
const unreachable = new Set(["EHOSTDOWN", "EHOSTUNREACH", "ENETDOWN", "ENETUNREACH"])

/** Not sent, permanent: unknown host, certificate, address, header. */
const never =
  /^(ENOTFOUND|EPROTO|ERR_PROXY_REFUSED|ERR_TLS_.*|ERR_SSL_(WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS_AVAILABLE|.*HANDSHAKE.*|TLSV1_ALERT_.*)|ERR_INVALID_.*|UND_ERR_INVALID_ARG|CERT_.*|.*_CERT(IFICATE)?(_.*)?|UNABLE_TO_.*|HOSTNAME_MISMATCH)$/

/** The pool of connections was released. */
const poolReleased = new Set(["UND_ERR_DESTROYED", "UND_ERR_CLOSED"])

const releasedFields = { description: "The layer of the client was released", code: releasedCode }

/** The failure of a call on a released client. */
export const released = (isSent: boolean): ConnectionFailed | ConnectionLost =>
  isSent ? new ConnectionLost(releasedFields) : new ConnectionFailed({ ...releasedFields, isTransient: false })

/** The error of the system: a code, and the system call that failed if it is known. */
interface SystemError {
  readonly code: string
  readonly syscall: string | undefined
  /** The proxy that refused the connection, if it was one. */
  readonly proxy: string | undefined
}

/** Finds the system error, which platforms nest: `fetch` fails with a TypeError that has it as its cause. */
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

/**
 * Converts a failure of the HTTP client into one of the contract. Messages of a platform can contain the address. A request that
 * still waited for a connection (`isUnsent`) was not sent, whatever the code.
 */
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
    return new ConnectionFailed({ ...fields, proxy: system.proxy, isTransient: !never.test(system.code) })
  }
  if (isUnsent && poolReleased.has(code ?? "")) return released(false)
  if (isUnsent) return new ConnectionFailed({ ...fields, isTransient: code === undefined || !never.test(code) })
  if (reason._tag === "TransportError" && code !== undefined) {
    if (neverSent.has(code) || (unreachable.has(code) && system?.syscall === "connect")) {
      return new ConnectionFailed({ ...fields, isTransient: true })
    }
    if (never.test(code)) return new ConnectionFailed({ ...fields, isTransient: false })
  }
  return new ConnectionLost({
    ...fields,
    ...traceOf(error.response, sanitizer)
  })
}

/**
 * The end of an attempt: a response, with the failure that it means if it is an error, or a failure without a response. `success`
 * is the decoded value of a success; the body of a stream, and of JSON of another shape, is left to the call.
 */
export type Ending =
  | {
    readonly response: HttpClientResponse.HttpClientResponse
    readonly success?: { readonly value: unknown }
    readonly failure?: undefined
  }
  | { readonly response: HttpClientResponse.HttpClientResponse; readonly failure: Failure }
  | { readonly response?: undefined; readonly failure: CallFailure | RateLimited | SourceFailed }

type Decode = Plan["decode"]

/** Decodes an error response. A status that the contract does not have is understood by its class only, such as 4xx. */
export const readError = (answer: Body.Buffered, sanitizer: Sanitizer, decode: Decode): Effect.Effect<Ending> => {
  const response = answer.isGzip ? Body.empty(answer) : answer
  const unknown = Effect.map(
    response.text,
    (text): Ending => ({ response, failure: Unexpected.unknownStatus(response, sanitizer, text) })
  )
  return Effect.matchEffect(decode(response), {
    onFailure: (failure) => isFailure(failure) ? Effect.succeed<Ending>({ response, failure }) : unknown,
    onSuccess: () => unknown
  })
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The damage of a body that the service cannot have sent in this form. */
const damageOf = (
  response: Body.Buffered,
  text: string | undefined
): { readonly problem: string; readonly isTransient: boolean } | undefined => {
  if (response.isGzip) {
    return {
      problem:
        "the body is compressed with gzip, which the client does not ask for: a proxy in between is the likely cause",
      isTransient: false
    }
  }
  if (text === undefined) return { problem: "the body is not UTF-8", isTransient: true }
  return isJson(text) ? undefined : { problem: "the body is not JSON", isTransient: true }
}

/** True for a value that is decoded from bytes that need not be text. */
const isBinary = (value: unknown): boolean => value === undefined || value instanceof Uint8Array

/**
 * Decodes a success. A body that was damaged on its way, or replaced by a gateway, leaves the effect open: the attempt
 * fails with an unknown outcome. Intact JSON of another shape would be returned again, so it is left to the call.
 */
export const readSuccess = (response: Body.Buffered, sanitizer: Sanitizer, decode: Decode): Effect.Effect<Ending> => {
  const text = response.utf8
  const unless = (isIntact: boolean): Effect.Effect<Ending> => {
    const damage = isIntact ? undefined : damageOf(response, text)
    return damage === undefined
      ? Effect.succeed({ response })
      : Effect.map(response.text, (text) => ({
        response,
        failure: Unexpected.make(response, damage.problem, sanitizer, text, damage.isTransient)
      }))
  }
  return decode(response, text).pipe(
    Effect.flatMapEager((value) =>
      isBinary(value) || value === response || text !== undefined
        ? Effect.succeed<Ending>({ response, success: { value } })
        : unless(false)
    ),
    Effect.catchEager((error) =>
      isFailure(error) ? Effect.succeed<Ending>({ response, failure: error }) : unless(!Schema.isSchemaError(error))
    )
  )
}
