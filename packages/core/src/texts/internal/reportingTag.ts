/** The header by which a translation is told apart in the reports of the service. */
import * as Effect from "effect/Effect"
import type { InvalidInput } from "../../client/CallError.ts"
import { invalid } from "../../client/internal/checks.ts"

/** Its name has the vendor in it, as the scheme word has: `X-<Vendor>-Reporting-Tag` besides `<Vendor>-Auth-Key`. */
export const headerFor = (authScheme: string): string =>
  `x-${(/^(.+)-auth-key$/i.exec(authScheme)?.[1] ?? "service").toLowerCase()}-reporting-tag`

/** Fails for a tag that the service does not take. It is not shown, as it may be something else by mistake. */
export const checkTag = (tag: string | undefined): Effect.Effect<void, InvalidInput> =>
  tag === undefined || (typeof tag === "string" && /^[\x21-\x7e]{1,100}$/.test(tag))
    ? Effect.void
    : invalid("reportingTag", "another value", "1 to 100 visible ASCII characters without spaces")
