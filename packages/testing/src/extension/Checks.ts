/**
 * Language data and operations, for packages that check whether a service conforms to the contract. This API may change
 * with each minor version.
 *
 * @since 0.3.0
 */
export * as LanguageData from "../fake/internal/languages/languageData.ts"
export { isWhole } from "../fake/internal/schemas.ts"
export { countCharacters } from "../fake/internal/text.ts"
export * as Operations from "../faults/internal/operations.ts"
