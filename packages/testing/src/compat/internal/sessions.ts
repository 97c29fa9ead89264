/** Mock sessions: request headers with which a test suite controls the responses. */
import type * as Headers from "effect/http/Headers"

const prefix = "mock-server-session"

const numberOf = (headers: Headers.Headers, name: string): number | undefined => {
  const value = headers[`${prefix}-${name}`]
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined
}

/** An account's limits; `undefined` means unlimited. */
export interface AccountLimits {
  readonly characters: number | undefined
  readonly documents: number | undefined
  readonly teamDocuments: number | undefined
}

export interface Session {
  /** Number of further requests that get no response. */
  hanging: number
  /** Number of further requests that get status 429. */
  refused: number
  /** Number of further requests that get the status `failure`. */
  failing: number
  readonly failure: number
  /** Number of further uploads whose translation fails. */
  failingDocuments: number
  readonly queueMillis: number
  readonly translateMillis: number
  /** Number of polls that report a started job as running. */
  readonly jobPolls: number
  readonly limits: AccountLimits
  readonly expectsProxy: boolean
  readonly takesReconnections: boolean
  readonly needsUserAgent: boolean
  /** The connection of the session's first request. */
  connection: object | undefined
  last: object | undefined
}

/** Converts a header's limit, where 0 means unlimited. */
const limitOf = (value: number): number | undefined => value === 0 ? undefined : value

export const make = (headers: Headers.Headers): Session => {
  const count = (name: string) => numberOf(headers, name) ?? 0
  const status = count("5xx-status")
  return {
    hanging: count("no-response-count"),
    refused: count("429-count"),
    failing: count("5xx-count"),
    failure: status >= 500 && status <= 599 ? status : 503,
    failingDocuments: count("doc-failure"),
    queueMillis: count("doc-queue-time"),
    translateMillis: count("doc-translate-time"),
    jobPolls: count("tm-job-processing-polls"),
    limits: {
      characters: limitOf(numberOf(headers, "init-character-limit") ?? 20_000_000),
      documents: limitOf(numberOf(headers, "init-document-limit") ?? 10_000),
      teamDocuments: limitOf(count("init-team-document-limit"))
    },
    expectsProxy: count("expect-proxy") !== 0,
    takesReconnections: numberOf(headers, "allow-reconnections") !== 0 || count("no-response-count") > 0,
    needsUserAgent: count("allow-missing-user-agent") === 0,
    connection: undefined,
    last: undefined
  }
}

export const nameOf = (headers: Headers.Headers): string | undefined => headers[prefix]
