/** The services that a command calls: those of the network, or those of the fake. */
import type { Admin } from "@effect-lingua/core/account/Admin"
import type { Journal } from "@effect-lingua/core/documents/Journal"
import type * as LanguageService from "@effect-lingua/core/LanguageService"
import type * as NodeDocuments from "@effect-lingua/node/files/NodeDocuments"
import type * as NodeTranslationMemories from "@effect-lingua/node/files/NodeTranslationMemories"
import * as Effect from "effect/Effect"
import { tell } from "../screen/screen.ts"
import * as Settings from "../settings/settings.ts"
import * as Config from "./config.ts"
import type * as Services from "./services.ts"

/** Help and completions do not wait for what only a call needs. */
const services = Effect.promise(() => import("./services.ts"))
const fake = Effect.promise(() => import("./fake.ts"))

const tellFake = tell("fake", "the embedded fake answers, not the service; it keeps nothing")

/** Calls the service with the settings of the run. */
export const call = Effect.fnUntraced(function*<A, E, R>(
  use: (
    services: typeof Services
  ) => Effect.Effect<
    A,
    E,
    | R
    | Journal
    | LanguageService.LanguageService
    | NodeDocuments.NodeDocuments
    | NodeTranslationMemories.NodeTranslationMemories
  >
) {
  if (yield* Settings.Fake) {
    const options = yield* Config.forFake
    yield* tellFake
    const { layer } = yield* fake
    const loaded = yield* services
    return yield* Effect.provide(loaded.told(use(loaded)), layer(options))
  }
  const options = yield* Config.options
  const loaded = yield* services
  return yield* Effect.provide(loaded.told(use(loaded)), loaded.layer(options))
})

/** Administers with the settings of the run, and with the admin key. */
export const administer = Effect.fnUntraced(function*<A, E, R>(
  use: (services: typeof Services) => Effect.Effect<A, E, R | Admin>
) {
  if (yield* Settings.Fake) {
    const options = yield* Config.forFake
    yield* tellFake
    const { layerAdmin } = yield* fake
    const loaded = yield* services
    return yield* Effect.provide(loaded.told(use(loaded)), layerAdmin(options))
  }
  const options = yield* Config.adminOptions
  const loaded = yield* services
  return yield* Effect.provide(loaded.told(use(loaded)), loaded.layerAdmin(options))
})
