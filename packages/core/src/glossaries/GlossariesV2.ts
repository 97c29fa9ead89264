/**
 * Glossaries of version 2 of the interface: one immutable dictionary each. For programs that depend on version 2; {@link
 * Glossaries} reads, edits and deletes these glossaries too.
 *
 * **Gotchas**
 *
 * A glossary edited with version 3 belongs to version 3 from then on: version 2 cannot delete it, and may read it wrongly. If
 * the service refuses a call and version 3 has the glossary, the call fails with `GlossaryV3Only`. If the service accepts such
 * a read all the same, the response does not show whether it is right.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Operations from "../client/internal/operations.ts"
import { withKnownOptions } from "../client/internal/options.ts"
import { LanguageServiceConfig } from "../config/LanguageServiceConfig.ts"
import { GlossaryV3Only, type InvalidEntries, type LimitExceeded } from "../errors/CallError.ts"
import { checkBytes } from "../errors/internal/checks.ts"
import { mismatch } from "../errors/internal/unexpected.ts"
import type { AccessDenied, BadRequest, NotFound } from "../errors/ServiceError.ts"
import type { DictionaryOptions, GlossaryRef } from "./Glossaries.ts"
import { GlossariesApi } from "./GlossariesApi.ts"
import { GlossariesV2Api, type GlossaryV2 } from "./GlossariesV2Api.ts"
import type { GlossaryEntries } from "./GlossaryEntries.ts"
import { bodyOf, checkDictionary, readAnswer } from "./internal/glossaryChecks.ts"

export { GlossaryId } from "../contract/Ids.ts"
export { GlossaryV2 } from "./GlossariesV2Api.ts"

/**
 * A glossary to be created: a name of at most 1024 bytes, a pair of languages, and entries.
 *
 * @category options
 * @since 0.1.0
 */
export interface CreateOptions extends DictionaryOptions {
  readonly name: string
}

/**
 * The errors of `list`.
 *
 * @category errors
 * @since 0.1.0
 */
export type ListError = Operations.Errors<typeof GlossariesV2Api, "list">["call"]

/**
 * The errors of `get`, `entries` and `remove`.
 *
 * @category errors
 * @since 0.1.0
 */
export type GetError = Operations.Union<ListError | GlossaryV3Only>["members"]

/**
 * The errors of `create`.
 *
 * @category errors
 * @since 0.1.0
 */
export type CreateError = Operations.Errors<typeof GlossariesV2Api, "create", InvalidEntries | LimitExceeded>["create"]

/**
 * The errors of all methods of the service, for a handler that covers every call.
 *
 * @category errors
 * @since 0.1.0
 */
export type AnyError = Operations.Union<CreateError | GetError>["members"]

const make = Effect.gen(function*() {
  const api = yield* Operations.make(GlossariesV2Api)
  const version3 = yield* Operations.make(GlossariesApi)
  const { limits } = yield* LanguageServiceConfig

  const create = Effect.fnUntraced(function*({ name, ...dictionary }: CreateOptions) {
    yield* checkBytes("name", name, limits.glossaryNameBytes)
    const checked = yield* checkDictionary("", dictionary, limits)
    return yield* api.create.request({ payload: { name, ...bodyOf(checked) } })
  })

  const entries = Effect.fnUntraced(function*({ glossaryId }: GlossaryRef) {
    const read = readAnswer(yield* api.entries.request({ params: { glossaryId } }))
    return read === undefined ? yield* mismatch("the entries in the response are not TSV") : read
  })

  /** The message of the refusal is not documented, so the glossary is requested with version 3. */
  const explained = ({ glossaryId }: GlossaryRef) => (error: AccessDenied | BadRequest | NotFound) =>
    Effect.matchEffect(version3.get({ params: { glossaryId } }), {
      onFailure: () => Effect.fail(error),
      onSuccess: () =>
        Effect.fail(
          new GlossaryV3Only({
            operation: error.operation,
            description: error.description,
            attempts: error.attempts,
            glossaryId,
            cause: error._tag,
            ...(error.traceId === undefined ? undefined : { traceId: error.traceId })
          })
        )
    })

  const refusals = ["AccessDenied", "BadRequest", "NotFound"] as const

  return yield* withKnownOptions(GlossariesV2Api, {
    /**
     * Creates a glossary.
     *
     * **Details**
     *
     * `POST /v2/glossaries`. Retries and errors are those of `Glossaries.create`. A glossary cannot be used until `get` returns
     * it as `ready`.
     */
    create: (options: CreateOptions): Effect.Effect<GlossaryV2, CreateError> =>
      api.create.create({ name: options.name }, create(options)),
    /**
     * Lists the glossaries of version 2, without their entries.
     *
     * **Details**
     *
     * `GET /v2/glossaries`. The list is not paginated, and can include glossaries of version 3.
     */
    list: (): Stream.Stream<GlossaryV2, ListError> =>
      Stream.fromIterableEffect(Effect.map(api.list(), ({ glossaries }) => glossaries)),
    /**
     * Gets one glossary, without its entries.
     *
     * **Details**
     *
     * `GET /v2/glossaries/{glossary_id}`. Fails with
     * `GlossaryV3Only` if it belongs to version 3, with `NotFound` for an unknown id, and with
     * `InvalidInput` for one that cannot be a path segment.
     */
    get: ({ glossaryId }: GlossaryRef): Effect.Effect<GlossaryV2, GetError> =>
      Effect.catchTag(api.get({ params: { glossaryId } }), refusals, explained({ glossaryId })),
    /**
     * Gets the entries of a glossary, each source with its target.
     *
     * **Details**
     *
     * `GET /v2/glossaries/{glossary_id}/entries`. Errors are
     * those of `get`.
     */
    entries: (ref: GlossaryRef): Effect.Effect<GlossaryEntries, GetError> =>
      Effect.catchTag(api.entries.run(entries(ref)), refusals, explained(ref)),
    /**
     * Deletes a glossary; it cannot be undone.
     *
     * **Details**
     *
     * `DELETE /v2/glossaries/{glossary_id}`. A repeat that
     * finds nothing has done its work. Errors are those of `get`.
     */
    remove: ({ glossaryId }: GlossaryRef): Effect.Effect<void, GetError> =>
      Effect.catchTag(api.remove({ params: { glossaryId } }), refusals, explained({ glossaryId }))
  }, {
    create: { name: true, sourceLanguage: true, targetLanguage: true, entries: true }
  })
})

/**
 * The service of glossaries of version 2.
 *
 * @category services
 * @since 0.1.0
 */
export class GlossariesV2
  extends Context.Service<GlossariesV2, Effect.Success<typeof make>>()("@effect-lingua/core/glossaries/GlossariesV2")
{}

/**
 * The service over a client: that of `LanguageService.layer`, whose connections and limits it shares, or one of `LanguageServiceClient.layerOf`.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.effect(GlossariesV2, make)
