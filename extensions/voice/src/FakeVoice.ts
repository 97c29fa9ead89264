/**
 * Fake voice jobs, realtime sessions and spoken terms, for the fake service of `@effect-lingua/testing`, an optional peer dependency.
 *
 * **Details**
 *
 * A job takes `readyAfter`, like a document, and is deleted an hour after its upload. A session decodes its audio bytes as UTF-8 text, which it
 * transcribes and translates. The fake's faults, scripts, records and access rights apply to voice too.
 *
 * **Example** (A recording is translated)
 *
 * ```ts import.meta.vitest
 * import * as FakeVoice from "@effect-lingua/voice/FakeVoice"
 * import { Voice } from "@effect-lingua/voice"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const voice = yield* Voice
 *   const { results } = yield* voice.translate({
 *     content: new Uint8Array([1, 2, 3]),
 *     fileName: "talk.mp3",
 *     contentType: "audio/mpeg",
 *     targets: [{ language: "de", type: "text/plain" }]
 *   })
 *   return results.map(({ state }) => state)
 * }).pipe(Effect.provide(FakeVoice.layerServices({ readyAfter: 0 })))
 * const states = await Effect.runPromise(program) // => ["complete"]
 * ```
 *
 * @since 0.3.0
 */
import type { Resource } from "@effect-lingua/testing/extension/Resource"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Layer from "effect/Layer"
import type * as Schema from "effect/Schema"
import type * as Groups from "./internal/fake/groups.ts"
import * as SpokenTermsResource from "./internal/fake/spokenTerms.ts"
import * as State from "./internal/fake/state.ts"
import * as VoiceResource from "./internal/fake/voice.ts"
import { SpokenTerms } from "./SpokenTerms.ts"
import { Voice } from "./Voice.ts"

/**
 * The name of a voice operation, such as `Voice.start`, for a fake's scripts, fault rates and records.
 *
 * @category models
 * @since 0.3.0
 */
export type OperationName =
  | `Voice.${keyof (typeof Groups.Voice)["endpoints"]}`
  | `SpokenTerms.${keyof (typeof Groups.SpokenTerms)["endpoints"]}`

declare module "@effect-lingua/testing/faults/Fault" {
  interface AddedGroups {
    readonly Voice: typeof Groups.Voice
    readonly SpokenTerms: typeof Groups.SpokenTerms
  }
  interface AddedServices {
    readonly Voice: Voice["Service"]
    readonly SpokenTerms: SpokenTerms["Service"]
  }
}

/**
 * The voice resources, for a fake's `resources` option.
 *
 * @category resources
 * @since 0.3.0
 */
export const resources: ReadonlyArray<Resource> = [VoiceResource.resource, SpokenTermsResource.resource]

/**
 * `Voice`, `SpokenTerms` and all client services, connected to an in-process fake.
 *
 * @category layers
 * @since 0.3.0
 */
export const layerServices = ({ resources: others = [], ...options }: FakeLanguageService.ServicesOptions = {}) =>
  Layer.provideMerge(
    Layer.merge(Voice.layer, SpokenTerms.layer),
    FakeLanguageService.layerServices({ ...options, resources: [...resources, ...others] })
  )

/**
 * The voice jobs, sessions and spoken terms of a fake.
 *
 * @category models
 * @since 0.3.0
 */
export interface VoiceState extends Schema.Schema.Type<typeof State.VoiceState> {}

/**
 * Decodes the voice state within a fake's `state`.
 *
 * @category testing
 * @since 0.3.0
 */
export const stateOf: (state: FakeLanguageService.ServiceState) => VoiceState = State.stateOf
