/**
 * The conformance checks of voice, for `Conformance.checksOf`. Needs `@effect-lingua/conformance`.
 *
 * **Example** (The fake conforms)
 *
 * ```ts import.meta.vitest
 * import { Conformance } from "@effect-lingua/conformance"
 * import * as FakeVoice from "@effect-lingua/voice/FakeVoice"
 * import * as VoiceChecks from "@effect-lingua/voice/VoiceChecks"
 * import { Effect } from "effect"
 *
 * const host = Conformance.layerFake({ resources: FakeVoice.resources })
 * const checks = Conformance.checksOf("spec", VoiceChecks.checks).filter(({ name }) => name.startsWith("Voice: "))
 * const report = await Conformance.run({ checks }).pipe(Effect.provide(host), Effect.runPromise)
 * report.failed.map(Conformance.format) // => []
 * ```
 *
 * @since 0.3.0
 */
import type { Check } from "@effect-lingua/conformance/Conformance"
import { spokenTerms } from "./internal/checks/spokenTerms.ts"
import { voice } from "./internal/checks/voice.ts"

/**
 * The checks of voice jobs, realtime sessions and spoken terms.
 *
 * @category checks
 * @since 0.3.0
 */
export const checks: ReadonlyArray<Check> = [...voice, ...spokenTerms]
