/**
 * The languages of each resource and the features they support.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { call } from "./internal/call.ts"
import * as ContractClient from "./internal/contractClient.ts"
import type { LanguageInclude, LanguageResource } from "./LanguagesApi.ts"

/**
 * Which languages to list.
 *
 * @category options
 * @since 0.1.0
 */
export interface ListOptions {
  /** What the languages are for. */
  readonly resource: LanguageResource
  /** What to list beside stable entries. */
  readonly include?: ReadonlyArray<LanguageInclude> | undefined
}

const make = Effect.gen(function*() {
  const client = yield* ContractClient.make("Languages")

  return {
    /**
     * Lists the languages of a resource.
     *
     * **Details**
     *
     * `GET /v3/languages` (spec, List languages; reference B6). An entry may be usable on one side only: `en` as a
     * source, `en-US` as a target. Fails with `BadRequest` for a resource that the service does not know.
     */
    list: ({ include, resource }: ListOptions) =>
      call(
        "Languages.list",
        client.list({ query: { resource, ...(include === undefined ? undefined : { include }) } })
      ),
    /**
     * Lists for each resource which side of a language pair has to support which feature.
     *
     * **Details**
     *
     * `GET /v3/languages/resources` (spec, Language feature requirements; reference B7).
     */
    resources: () => call("Languages.resources", client.resources()),
    /**
     * Lists the source or the target languages of text translation, sources by default. Codes are in upper case.
     *
     * **Details**
     *
     * `GET /v2/languages` (spec, Deprecated language endpoints; reference B8).
     *
     * @deprecated use `list({ resource: "translate_text" })` and the booleans of its entries
     */
    listV2: ({ type }: { readonly type?: "source" | "target" | undefined } = {}) =>
      call("Languages.listV2", client.listV2({ query: type === undefined ? {} : { type } })),
    /**
     * Lists the language pairs that a glossary can have.
     *
     * **Details**
     *
     * `GET /v2/glossary-language-pairs` (spec, Deprecated language endpoints; reference B9).
     *
     * @deprecated use `list({ resource: "glossary" })`: any source goes with any target
     */
    glossaryPairs: () =>
      call("Languages.glossaryPairs", Effect.map(client.glossaryPairs(), (body) => body.supportedLanguages))
  }
})

/**
 * The service of language listing.
 *
 * @category services
 * @since 0.1.0
 */
export class Languages
  extends Context.Service<Languages, Effect.Success<typeof make>>()("@effect-lingua/core/Languages")
{}

/**
 * The service over the contract client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.effect(Languages, make)
