/**
 * Glossaries of version 2 of the interface: one immutable dictionary each, with entries as TSV or CSV ({@link GlossaryEntries} reads and
 * writes both). For services without version 3; {@link Glossaries} reads, edits and deletes these glossaries too.
 *
 * **Gotchas**
 *
 * A glossary edited with version 3 belongs to version 3 from then on: version 2 cannot delete it, and may read it wrongly.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Operations from "../call/internal/operation.ts"
import { withKnownOptions } from "../call/internal/options.ts"
import type { GlossaryRef } from "./Glossaries.ts"
import { GlossariesV2Api, type NewGlossaryV2 } from "./internal/glossariesV2Api.ts"

export { GlossaryV2, GlossaryV2List, NewGlossaryV2 } from "./internal/glossariesV2Api.ts"

const make = Effect.flatMap(
  Operations.make(GlossariesV2Api),
  ({ create, entries, get, list, remove }) =>
    withKnownOptions(GlossariesV2Api, {
      /** Creates a glossary. A create of unknown outcome is not sent again: it fails with `OutcomeUnknown`, with the name to look for. */
      create: (payload: NewGlossaryV2) =>
        create.create({ name: payload.name }, (record) => create.request(record, { payload })),
      /** The glossaries of the account, without their entries. */
      list: () => list(),
      /** A glossary without its entries. Fails with `NotFound` if there is none with the id. */
      get: (params: GlossaryRef) => get({ params }),
      /** The entries of a glossary as TSV, which `GlossaryEntries` reads. */
      entries: (params: GlossaryRef) => entries({ params }),
      /** Deletes a glossary. */
      remove: (params: GlossaryRef) => remove({ params })
    }, {})
)

/**
 * The operations of version 2, as in the contract.
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
