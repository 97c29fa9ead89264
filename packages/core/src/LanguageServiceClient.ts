/**
 * Layers of selected services over one client, for small bundles.
 *
 * @since 0.1.0
 */
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as ResilienceClient from "./call/internal/call.ts"
import type { Requirements, Sender } from "./call/Sender.ts"
import type { LanguageServiceConfig } from "./config/LanguageServiceConfig.ts"
import { ClientState } from "./telemetry/ClientState.ts"
import { Events } from "./telemetry/Events.ts"

/**
 * A client's sender and configuration, which its services share.
 *
 * @category models
 * @since 0.3.0
 */
export type Connection = Sender | LanguageServiceConfig

export type { Requirements } from "./call/Sender.ts"

/**
 * Like {@link layerOf}, but a program that provides the layer in several places shares one client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerShared = <Services>(
  services: Layer.Layer<Services, never, Requirements | HttpClient.HttpClient>
): Layer.Layer<Services | ClientState | Events | Sender, never, HttpClient.HttpClient | LanguageServiceConfig> =>
  services.pipe(
    Layer.provideMerge(ResilienceClient.layer),
    Layer.provideMerge(Layer.merge(ClientState.layer, Events.layer))
  )

/**
 * Selected services over one client. Each place that provides the layer gets new services and a new client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerOf: typeof layerShared = (services) => Layer.fresh(layerShared(services))
