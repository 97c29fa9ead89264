/**
 * Generators of voice requests and responses for property tests. Needs `@effect-lingua/testing`.
 *
 * **Example** (Every valid session is accepted)
 *
 * ```ts import.meta.vitest
 * import * as FakeVoice from "@effect-lingua/voice/FakeVoice"
 * import { Voice } from "@effect-lingua/voice"
 * import { generators } from "@effect-lingua/voice/VoiceGenerators"
 * import { Arbitrary, Effect } from "effect"
 *
 * const result = await Arbitrary.checkEffect(generators.request("Voice.requestSession"), (request) =>
 *   Voice.use((voice) => voice.requestSession(request)).pipe(Effect.map(({ sessionId }) => sessionId !== ""))).pipe(
 *     Effect.provide(FakeVoice.layerServices()),
 *     Effect.runPromise
 *   )
 * result._tag // => "Passed"
 * ```
 *
 * @since 0.3.0
 */
import * as Generating from "@effect-lingua/testing/extension/Generating"
import type { OperationName } from "./FakeVoice.ts"
import * as Groups from "./internal/fake/groups.ts"
import { objectsIn, records } from "./internal/records.ts"

/**
 * Generators of requests, responses and errors by operation. With a fake's state, requests refer to objects in that state.
 *
 * @category generators
 * @since 0.3.0
 */
export const generators: Generating.OperationGenerators<OperationName> = Generating.make<OperationName>(
  records,
  [Groups.Voice, Groups.SpokenTerms],
  objectsIn
)
