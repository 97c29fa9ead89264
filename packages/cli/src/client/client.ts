/** The services that a command calls: those of the network, or with `--fake` those of the embedded fake. */
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

/** Loaded only for a call: help and completions do not wait for the client. */
const services = Effect.promise(() => import("./services.ts"))
const fake = Effect.gen(function*() {
  const options = yield* Config.forFake
  yield* tell("fake", "the embedded fake answers, not the service; it keeps nothing")
  return { fake: yield* Effect.promise(() => import("./fake.ts")), options }
})

type Called =
  | Journal
  | LanguageService.LanguageService
  | NodeDocuments.NodeDocuments
  | NodeTranslationMemories.NodeTranslationMemories

/** Calls the service with the settings of the run. */
export const call = Effect.fnUntraced(function*<A, E, R>(
  use: (services: typeof Services) => Effect.Effect<A, E, R | Called>
) {
  if (yield* Settings.Fake) {
    const { fake: { layer }, options } = yield* fake
    const loaded = yield* services
    return yield* Effect.provide(loaded.reportingEvents(use(loaded)), layer(options))
  }
  const options = yield* Config.options
  const loaded = yield* services
  return yield* Effect.provide(loaded.reportingEvents(use(loaded)), loaded.layer(options))
})

/** Calls administration with the settings of the run and the admin key. */
export const administer = Effect.fnUntraced(function*<A, E, R>(
  use: (services: typeof Services) => Effect.Effect<A, E, R | Admin>
) {
  if (yield* Settings.Fake) {
    const { fake: { layerAdmin }, options } = yield* fake
    const loaded = yield* services
    return yield* Effect.provide(loaded.reportingEvents(use(loaded)), layerAdmin(options))
  }
  const options = yield* Config.adminOptions
  const loaded = yield* services
  return yield* Effect.provide(loaded.reportingEvents(use(loaded)), loaded.layerAdmin(options))
})
