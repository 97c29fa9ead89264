/** The services that a command calls: those of the network, or those of the fake. */
import type { DocumentJournal } from "@effect-lingua/core/DocumentJournal"
import type * as LanguageService from "@effect-lingua/core/LanguageService"
import * as Effect from "effect/Effect"
import type * as NodeDocuments from "../../NodeDocuments.ts"
import type * as NodeTranslationMemories from "../../NodeTranslationMemories.ts"
import * as Config from "./config.ts"
import { tell } from "./screen.ts"
import type * as Services from "./services.ts"
import * as Settings from "./settings.ts"

/** Help and completions do not wait for what only a call needs. */
const services = Effect.promise(() => import("./services.ts"))
const fake = Effect.promise(() => import("./fake.ts"))

/** Calls the service with the settings of the run. */
export const call = Effect.fnUntraced(function*<A, E, R>(
  use: (
    services: typeof Services
  ) => Effect.Effect<
    A,
    E,
    | R
    | DocumentJournal
    | LanguageService.LanguageService
    | NodeDocuments.NodeDocuments
    | NodeTranslationMemories.NodeTranslationMemories
  >
) {
  if (yield* Settings.Fake) {
    const options = yield* Config.forFake
    yield* tell("fake", "the embedded fake answers, not the service; it keeps nothing")
    const { layer } = yield* fake
    const loaded = yield* services
    return yield* Effect.provide(loaded.told(use(loaded)), layer(options))
  }
  const options = yield* Config.options
  const loaded = yield* services
  return yield* Effect.provide(loaded.told(use(loaded)), loaded.layer(options))
})
