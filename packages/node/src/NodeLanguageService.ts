/**
 * The client for Node.js: the services of `LanguageService` over undici, and documents saved to files.
 *
 * @since 0.1.0
 */
import "./internal/supported.ts"

import { InvalidConfiguration, type LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import type * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import { Journal } from "@effect-lingua/core/documents/Journal"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import type * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { NodeDocuments } from "./files/NodeDocuments.ts"
import * as NodeJournal from "./files/NodeJournal.ts"
import { NodeTranslationMemories } from "./files/NodeTranslationMemories.ts"
import * as Connections from "./http/internal/connections.ts"
import { known } from "./http/internal/known.ts"
import { layerHttpClient, type PoolOptions } from "./http/NodePool.ts"

export type { PoolOptions, TlsOptions } from "./http/NodePool.ts"

/**
 * @category options
 * @since 0.1.0
 */
export interface NodeOptions {
  readonly pool?: PoolOptions | undefined
  /**
   * The journal of unfinished documents, in a folder or in memory. Default: the context's `Journal` if provided,
   * otherwise `NodeJournal` in the user's state directory.
   */
  readonly journal?: "memory" | NodeJournal.Options | undefined
}

const layerJournal = (journal: NodeOptions["journal"]): Layer.Layer<Journal> =>
  journal === "memory"
    ? Journal.layerMemory
    : journal !== undefined
    ? NodeJournal.layer(journal)
    : Layer.unwrap(Effect.map(Effect.serviceOption(Journal), (contextJournal) =>
      Option.isSome(contextJournal)
        ? Layer.succeed(Journal, contextJournal.value)
        : NodeJournal.layer()))

/** Fresh: two configurations in one program get separate file services. */
const withFiles = <E, R>(
  services: Layer.Layer<LanguageService.LanguageService, E, R>,
  journal: NodeOptions["journal"]
) =>
  Layer.provideMerge(
    Layer.fresh(Layer.merge(NodeDocuments.layer, NodeTranslationMemories.layer)),
    services
  ).pipe(
    Layer.provide(Layer.fresh(layerJournal(journal)))
  )

/**
 * The services of `layer` and `layerConfig`, for type annotations.
 *
 * @category models
 * @since 0.3.0
 */
export type Services =
  | LanguageService.LanguageService
  | NodeDocuments
  | NodeTranslationMemories

const ofClient = (client: string | undefined) => ({ problem, setting }: InvalidConfiguration) =>
  new InvalidConfiguration({ setting, problem, ...(client === undefined ? {} : { client }) })

/** Builds services over a pool that fits the resilience policy. */
const withPool = <E>(
  { journal, pool }: NodeOptions,
  { name, resilience: fields }: Pick<LanguageServiceConfig.Options, "name" | "resilience">,
  services: (
    resilience: ResiliencePolicy.Options
  ) => Layer.Layer<LanguageService.LanguageService, E, HttpClient.HttpClient>
): Layer.Layer<Services, E | InvalidConfiguration> => {
  const named = ofClient(name)
  const files = typeof journal === "object" ? journal : undefined
  const fitted = Effect.andThen(known("journal", files, { folder: true }), Connections.fit(pool?.connections, fields))
  return Layer.unwrap(
    Effect.map(Effect.mapError(fitted, named), (resilience) => {
      const http = layerHttpClient({ ...pool, connections: Connections.neededBy(resilience) })
      const namedHttp = Layer.catchTag(
        http,
        "InvalidConfiguration",
        (error) => Layer.effect(HttpClient.HttpClient, named(error))
      )
      return withFiles(Layer.provide(services(resilience), namedHttp), journal)
    })
  )
}

/**
 * Provides `LanguageService`, `NodeDocuments` and `NodeTranslationMemories`, configured by options.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  { journal, pool, ...config }: LanguageServiceConfig.Options & NodeOptions
): Layer.Layer<Services, InvalidConfiguration> =>
  withPool(
    { journal, pool },
    config,
    (resilience) => LanguageService.layer({ ...config, resilience })
  )

/**
 * Provides the services of `layer`, configured by environment variables, including proxy variables. An option overrides
 * its variable.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig = (
  { journal, pool, ...config }: LanguageServiceConfig.ConfigOptions & NodeOptions = {}
): Layer.Layer<Services, Config.ConfigError | InvalidConfiguration> =>
  withPool(
    { journal, pool: { ...pool, proxy: pool?.proxy ?? "environment" } },
    { name: config.name ?? config.prefix, resilience: config.resilience },
    (resilience) => LanguageService.layerConfig({ ...config, resilience })
  )
