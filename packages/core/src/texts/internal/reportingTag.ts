/** The header with the reporting tag of a translation. */
import * as Effect from "effect/Effect"
import type { InvalidInput } from "../../client/CallError.ts"
import { invalid } from "../../client/internal/checks.ts"

/** Its name contains the vendor, like the scheme word: `X-<Vendor>-Reporting-Tag` for `<Vendor>-Auth-Key`. */
export const headerFor = (authScheme: string): string =>
  `x-${(/^(.+)-auth-key$/i.exec(authScheme)?.[1] ?? "service").toLowerCase()}-reporting-tag`

/** Fails for an invalid tag. The tag is not shown, as it may be another value by mistake. */
export const checkTag = (tag: string | undefined): Effect.Effect<void, InvalidInput> =>
  tag === undefined || (typeof tag === "string" && /^[\x21-\x7e]{1,100}$/.test(tag))
    ? Effect.void
    : invalid("reportingTag", "another value", "1 to 100 visible ASCII characters without spaces")
