/**
 * Adds an extension's API group to the fake, with faults, request records, access rights and limits. This API may change
 * with each minor version.
 *
 * **Details**
 *
 * `FakeLanguageService.layer({ resources: [resource] })` serves a resource. A handler, from `handler` or as a `step`, changes
 * the state atomically and records a change with `tookEffect`. Its exchange has the fake, because all fakes share routes.
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
export { type Fake, type Resource, type Settings, type Store } from "../fake/internal/state.ts"
export { handler, remove, step, tookEffect } from "../fake/internal/steps.ts"
export { countCharacters, rootOf } from "../fake/internal/text.ts"
export { translator } from "../fake/internal/texts/terminology.ts"
