/** The services that a command calls: those of the network, or with `--fake` those of the embedded fake. */
import type { Journal } from "@effect-lingua/core/documents/Journal"
import type * as LanguageService from "@effect-lingua/core/LanguageService"
import type { Requirements } from "@effect-lingua/core/LanguageServiceClient"
import type * as OtherServices from "@effect-lingua/core/OtherServices"
import type * as NodeDocuments from "@effect-lingua/node/files/NodeDocuments"
import type * as NodeTranslationMemories from "@effect-lingua/node/files/NodeTranslationMemories"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Board from "../screen/board.ts"
import { tell } from "../screen/screen.ts"
import * as Settings from "../settings/settings.ts"
import * as Config from "./config.ts"
import type * as Fake from "./fake.ts"
import type * as Services from "./services.ts"

/** Loaded only for a call: help and completions do not wait for the client. */
const services = Effect.promise(() => import("./services.ts"))
const fake = Effect.promise(() => import("./fake.ts"))

/** Builds a function that provides the services of the network, or of the fake. */
export const calls = <Called, Options, E, R, LayerError>(
  options: Effect.Effect<Options, E, R>,
  layer: (services: typeof Services, options: Options) => Layer.Layer<Called, LayerError>,
  layerFake: (
    fake: typeof Fake,
    options: Effect.Success<typeof Config.forFake>
  ) => Layer.Layer<Called, LayerError>
) =>
  Effect.fnUntraced(function*<A, E, R>(use: (services: typeof Services) => Effect.Effect<A, E, R | Called>) {
    const isFake = yield* Settings.Fake
    if (isFake) yield* tell("fake", "requests go to the embedded fake instead of the service; it keeps nothing")
    const loaded = yield* services
    const connected = isFake ? layerFake(yield* fake, yield* Config.forFake) : layer(loaded, yield* options)
    return yield* Board.provide(Effect.provide(loaded.reportingEvents(use(loaded)), connected))
  })

/** The services of every command. */
export type Called =
  | Journal
  | LanguageService.LanguageService
  | NodeDocuments.NodeDocuments
  | NodeTranslationMemories.NodeTranslationMemories
  | OtherServices.OtherServices

/** A module with the services of a resource, and the layer that makes them over the client. */
export interface Loads<A> {
  readonly layer: Layer.Layer<A, never, Requirements>
}

/**
 * A resource from outside. Both modules are loaded only for a call.
 *
 * @since 0.3.0
 */
export interface Resource<A, Loaded extends Loads<A>> {
  readonly services: () => Promise<Loaded & Loads<A>>
  /** The resource in the embedded fake: `resources` with its handlers, and `sample`, which adds data for examples. */
  readonly fake: () => Promise<Fake.Resource<A>>
}

/**
 * Builds the function with which commands call a resource: over the network with the settings of the run, with `--fake` over the embedded fake.
 *
 * @since 0.3.0
 */
export const calling =
  <A, Loaded extends Loads<A>>({ fake, services }: Resource<A, Loaded>) =>
  <B, E, R>(use: (services: typeof Services & Loaded) => Effect.Effect<B, E, R>) =>
    Effect.flatMap(Effect.promise(services), (loaded) =>
      calls(
        Config.client,
        ({ layer }, { cache, options }) => layer(options, cache, loaded.layer),
        ({ layer }, options) =>
          Layer.unwrap(Effect.map(Effect.promise(fake), (resource) => layer(options, loaded.layer, resource)))
      )((services) => use({ ...services, ...loaded })))

/** The resources of every command. */
export const base = {
  services: () => Promise.resolve({ layer: Layer.empty }),
  fake: () => Promise.resolve({ resources: [] })
}

/** Calls the services of every command. */
export const call = calling(base)

/** Calls administration with the settings of the run and the admin key. */
export const administer = calls(
  Config.adminOptions,
  ({ layerAdmin }, options) => layerAdmin(options),
  ({ layerAdmin }, options) => layerAdmin(options)
)
