/** Translation with the in-process fake, like in a test file. */
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Effect from "effect/Effect"
import { translate } from "./translation.ts"

export const run = () => translate.pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise)
