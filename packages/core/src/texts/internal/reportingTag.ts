/** The header by which a translation is told apart in the reports of the service. */
import * as Effect from "effect/Effect"
import { InvalidInput } from "../../client/CallError.ts"

/** Its name has the vendor in it, as the scheme word has: `X-<Vendor>-Reporting-Tag` besides `<Vendor>-Auth-Key`. */
export const headerFor = (authScheme: string): string =>
  `x-${(/^(.+)-auth-key$/i.exec(authScheme)?.[1] ?? "service").toLowerCase()}-reporting-tag`

/** Fails for a tag that the service does not take. It is not shown, as it may be something else by mistake. */
export const checkTag = (tag: string | undefined): Effect.Effect<void, InvalidInput> =>
  tag === undefined || (typeof tag === "string" && /^[\x21-\x7e]{1,100}$/.test(tag)) ? Effect.void : Effect.fail(
    new InvalidInput({
      parameter: "reportingTag",
      given: "another value",
      allowed: "1 to 100 visible ASCII characters without spaces"
    })
  )
