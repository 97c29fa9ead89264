/** Checks of the references that translations of texts and documents make to other resources. */
import type * as Effect from "effect/Effect"
import type { InvalidInput, LimitExceeded } from "../CallError.ts"
import type { Limits } from "../Limits.ts"
import { checkLimit, invalid, numberOf } from "./checks.ts"

interface References {
  readonly sourceLanguage?: string | undefined
  readonly glossaryId?: string | undefined
  readonly glossaryIds?: ReadonlyArray<string> | undefined
  readonly translationMemoryThreshold?: number | undefined
}

const isPercentage = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= 100

/** Fails for references that exclude each other or are incomplete. */
export const checkReferences = (
  { glossaryId, glossaryIds = [], sourceLanguage, translationMemoryThreshold }: References,
  limits: Limits
): Effect.Effect<void, InvalidInput | LimitExceeded> => {
  if (glossaryId !== undefined && glossaryIds.length > 0) {
    return invalid("glossaryId and glossaryIds", "both", "one of them")
  }
  if ((glossaryId !== undefined || glossaryIds.length > 0) && sourceLanguage === undefined) {
    return invalid("sourceLanguage", "absent", "a language, as a glossary cannot be used with detection")
  }
  if (translationMemoryThreshold !== undefined && !isPercentage(translationMemoryThreshold)) {
    return invalid("translationMemoryThreshold", numberOf(translationMemoryThreshold), "an integer from 0 to 100")
  }
  return checkLimit("glossaryIds", "items", glossaryIds.length, limits.glossaryIds)
}
