/** The header with the reporting tag of a translation. */
import * as Effect from "effect/Effect"
import type { InvalidInput } from "../CallError.ts"
import { ReportingTag } from "../TextOptions.ts"
import { invalid } from "./checks.ts"

/** Its name contains the vendor, like the scheme word: `X-<Vendor>-Reporting-Tag` for `<Vendor>-Auth-Key`. */
export const headerFor = (authScheme: string): string =>
  `x-${(/^(.+)-auth-key$/i.exec(authScheme)?.[1] ?? "service").toLowerCase()}-reporting-tag`

/** Fails for an invalid tag. The tag is not shown, as it may be another value by mistake. */
export const checkTag = (tag: string | undefined): Effect.Effect<void, InvalidInput> =>
  tag === undefined || (typeof tag === "string" && /^[\x21-\x7e]{1,100}$/.test(tag))
    ? Effect.void
    : invalid("reportingTag", "another value", "1 to 100 visible ASCII characters without spaces")

/** Fails in a region with a tag: the operation counts characters, and its request has no place for a tag. */
export const refuseTag: Effect.Effect<void, InvalidInput> = Effect.flatMap(ReportingTag, (tag) =>
  tag === undefined
    ? Effect.void
    : invalid(
      "ReportingTag",
      "the tag of a region",
      "none, as only translations of texts have one: provide undefined around this call"
    ))
