/** The secrets to redact from errors of a realtime session: the client's secrets, addresses, and all tokens so far. */
import type { Redacted } from "effect/Redacted"

const secrets = new WeakMap<Redacted, ReadonlyArray<string>>()

/** The recorded secrets of a token's session, without the token. */
export const of = (token: Redacted): ReadonlyArray<string> => secrets.get(token) ?? []

/** The secrets of an address: the address and its query values, such as a signature. */
export const ofAddress = (url: string): ReadonlyArray<string> => [url, ...new URL(url).searchParams.values()]

/** Records a session's secrets, keyed by its new token. */
export const note = (token: Redacted, known: ReadonlyArray<string>): void => {
  secrets.set(token, known)
}
