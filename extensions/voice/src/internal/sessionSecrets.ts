/** The secrets of realtime sessions, which no error shows: the client's, addresses, and all tokens so far. */
import type { Redacted } from "effect/Redacted"

const secrets = new WeakMap<Redacted, ReadonlyArray<string>>()

/** The secrets of a token's session, without the token. */
export const of = (token: Redacted): ReadonlyArray<string> => secrets.get(token) ?? []

/** The secrets of an address: the address and its query values, such as a signature. */
export const ofAddress = (url: string): ReadonlyArray<string> => [url, ...new URL(url).searchParams.values()]

/** Notes a session's secrets under its new token. */
export const note = (token: Redacted, known: ReadonlyArray<string>): void => {
  secrets.set(token, known)
}
