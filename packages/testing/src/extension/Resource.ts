/**
 * Resources from outside in the fake: a group of endpoints with its handlers. Faults, scripts, records, rights, tiers and limits of requests apply to
 * them as to the contract.
 *
 * **Details**
 *
 * `FakeLanguageService.layer({ resources: [resource] })` serves them. A handler is a `step`: it changes what the fake keeps at once, or not at all,
 * and a reset of the fake forgets it. `tookEffect` counts an effect.
 *
 * **Gotchas**
 *
 * The modules of `extension` are for packages that extend this one. They may change with each minor version.
 *
 * @since 0.3.0
 */
export { badRequest, checkName, failure, notSupported } from "../fake/internal/answers.ts"
export * as Exchange from "../fake/internal/exchange.ts"
export { fault as faultOfTerm } from "../fake/internal/glossaries/glossaryEntries.ts"
export { findLanguage } from "../fake/internal/languages/languages.ts"
export { kept, make, untilReset } from "../fake/internal/outside/resource.ts"
export * as Quota from "../fake/internal/quota.ts"
export { pageOf, type Resources } from "../fake/internal/resources.ts"
export * as SignedFiles from "../fake/internal/signedFiles.ts"
export {
  type Fake,
  remove,
  type Resource,
  type Settings,
  step,
  type Store,
  tookEffect
} from "../fake/internal/state.ts"
export { countCharacters, rootOf } from "../fake/internal/text.ts"
export { translator } from "../fake/internal/texts/terminology.ts"
