/** The secrets of a realtime session: those of its client, its addresses, and its tokens so far. No error of the session shows them. */
import type { Redacted } from "effect/Redacted"

const secrets = new WeakMap<Redacted, ReadonlyArray<string>>()

/** The secrets of the session that a token belongs to, without that token. */
export const of = (token: Redacted): ReadonlyArray<string> => secrets.get(token) ?? []

/** The secrets of an address: the whole, and the values of its query, such as a signature. */
export const ofAddress = (url: string): ReadonlyArray<string> => [url, ...new URL(url).searchParams.values()]

/** Notes the secrets of a session for its new token. */
export const note = (token: Redacted, known: ReadonlyArray<string>): void => {
  secrets.set(token, known)
}
