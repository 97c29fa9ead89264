/** The other end of the wire of core's tests, with the services of speech. */
import type { Options } from "@effect-lingua/core/config/LanguageServiceConfig"
import { SpokenTerms } from "@effect-lingua/voice/SpokenTerms"
import { Voice } from "@effect-lingua/voice/Voice"
import { Layer } from "effect"
import * as Core from "../../../../packages/core/test/support/Wire.ts"

export * from "../../../../packages/core/test/support/Wire.ts"

/** All services over a script. */
export const layer = (script: Core.Script, options?: Partial<Options>) =>
  Layer.provideMerge(Layer.merge(Voice.layer, SpokenTerms.layer), Core.layer(script, options))
