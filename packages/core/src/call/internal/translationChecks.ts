/** Checks of the options that translations of texts and documents share: references to other resources, and the reporting tag. */
import * as Effect from "effect/Effect"
import { ReportingTag } from "../../contract/internal/textOptions.ts"
import type { Limits } from "../../contract/Limits.ts"
import type { InvalidInput, LimitExceeded } from "../../errors/CallError.ts"
import { checkLimit, invalid, malformedLanguage, numberOf, typeOf } from "../../errors/internal/checks.ts"

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

interface References {
  readonly sourceLanguage?: string | undefined
  readonly targetLanguage: string
  readonly glossaryId?: string | undefined
  readonly glossaryIds?: ReadonlyArray<string> | undefined
  readonly translationMemoryThreshold?: number | undefined
}

const isPercentage = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 100

/** Fails for codes that are none, and for references that exclude each other or are incomplete. */
export const checkReferences = (
  { glossaryId, glossaryIds = [], sourceLanguage, targetLanguage, translationMemoryThreshold }: References,
  limits: Limits,
  glossaryDetection: boolean
): Effect.Effect<void, InvalidInput | LimitExceeded> => {
  if (!Array.isArray(glossaryIds)) return invalid("glossaryIds", typeOf(glossaryIds), "an array of ids")
  if (glossaryId !== undefined && glossaryIds.length > 0) {
    return invalid("glossaryId and glossaryIds", "both", "one of them")
  }
  if (!glossaryDetection && (glossaryId !== undefined || glossaryIds.length > 0) && sourceLanguage === undefined) {
    return invalid("sourceLanguage", "absent", "a language, as a glossary cannot be used with detection")
  }
  if (translationMemoryThreshold !== undefined && !isPercentage(translationMemoryThreshold)) {
    return invalid("translationMemoryThreshold", numberOf(translationMemoryThreshold), "an integer from 0 to 100")
  }
  return malformedLanguage("targetLanguage", targetLanguage) ?? malformedLanguage("sourceLanguage", sourceLanguage) ??
    checkLimit("glossaryIds", "items", glossaryIds.length, limits.glossaryIds)
}
