/** The owner of a client's entries in the journal. */
import * as Redacted from "effect/Redacted"
import type { LanguageServiceConfig } from "../../client/LanguageServiceConfig.ts"
import type { Owner } from "../Journal.ts"
import * as Sha256 from "./sha256.ts"

/**
 * Half of a half of a digest: 64 bits, of which no key can be computed, and that no two keys of one machine share. The words
 * before the key keep it from being compared with digests of the key that others have.
 */
const digits = 16

/** The owner that a configuration makes. */
export const make = ({ baseUrl, key }: LanguageServiceConfig["Service"]): Owner => ({
  host: `${baseUrl.origin}${baseUrl.pathname}`,
  account: Sha256.hex(`effect-lingua journal\0${Redacted.value(key)}`).slice(0, digits)
})
