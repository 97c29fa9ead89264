/** Translation by the fake, as in a file of tests. */
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Effect from "effect/Effect"
import { translate } from "./translation.ts"

export const run = () => translate.pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise)
