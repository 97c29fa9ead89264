/**
 * The client for Node.js programs without Effect, including documents and translation memories in files.
 *
 * **Example** (A document)
 *
 * ```ts
 * import { Lingua } from "@effect-lingua/node/promise"
 *
 * await using lingua = await Lingua.make({ key: "key", baseUrl: "https://service.test" })
 * const saved = await lingua.nodeDocuments.translate({ source: "report.docx", targetLanguage: "de" })
 * saved.path
 * ```
 *
 * @since 0.3.0
 */
// oxlint-disable-next-line no-restricted-imports -- a module, not a barrel
import * as Core from "@effect-lingua/core/promise"
import { NodeDocuments } from "./files/NodeDocuments.ts"
import { NodeTranslationMemories } from "./files/NodeTranslationMemories.ts"
import * as NodeLanguageService from "./NodeLanguageService.ts"

const services = {
  ...Core.Lingua.services,
  nodeDocuments: NodeDocuments,
  nodeTranslationMemories: NodeTranslationMemories
}

/**
 * Options of `NodeLanguageService.layer`, with a key that may be a plain string.
 *
 * @category options
 * @since 0.3.0
 */
export interface Options extends Core.Options, NodeLanguageService.NodeOptions {}

/**
 * A promise client with the services of `NodeLanguageService`.
 *
 * @category models
 * @since 0.3.0
 */
export interface Lingua extends Core.Client<typeof services> {}

/**
 * Makes clients over undici or another layer.
 *
 * @category constructors
 * @since 0.3.0
 */
export const Lingua = {
  /** The services of {@link Lingua} by name. For more services, pass an extended copy to `fromLayer`. */
  services,
  /**
   * Makes a client over undici. Without options, reads environment variables (see `LanguageServiceConfig.config`),
   * including proxies. Rejects with `InvalidConfiguration` for an unusable setting or a missing variable.
   */
  make: (options?: Options): Promise<Lingua> =>
    options === undefined
      ? Core.Lingua.fromLayer(NodeLanguageService.layerConfig(), services)
      : Core.Lingua.fromLayer(Core.layerOf(options, NodeLanguageService.layer), services),
  /** Makes a client over a layer, such as a fake's layer. Rejects with the layer's error. */
  fromLayer: Core.Lingua.fromLayer
}
