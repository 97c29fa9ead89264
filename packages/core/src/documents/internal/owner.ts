/** The owner of a client's entries in the journal. */
import * as Redacted from "effect/Redacted"
import * as Sha256 from "../../client/internal/sha256.ts"
import type { LanguageServiceConfig } from "../../client/LanguageServiceConfig.ts"
import type { Owner } from "../Journal.ts"

/**
 * Hexadecimal digits of a fingerprint: 64 bits, from which no key can be computed, and which distinguish the keys of one
 * machine. The prefix makes it incomparable with other digests of the key.
 */
const digits = 16

/** The owner for a configuration. */
export const make = ({ baseUrl, key }: LanguageServiceConfig["Service"]): Owner => ({
  host: `${baseUrl.origin}${baseUrl.pathname}`,
  account: Sha256.hex(`effect-lingua journal\0${Redacted.value(key)}`).slice(0, digits)
})
