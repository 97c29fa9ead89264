/**
 * Glossaries of API version 2, for services without version 3. Each has one immutable dictionary, with entries as TSV or CSV (`GlossaryEntries`).
 * `Glossaries` also reads, edits and deletes these glossaries.
 *
 * **Gotchas**
 *
 * API version 2 cannot delete a glossary that version 3 edited, and may read it wrongly.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Operations from "../call/internal/operation.ts"
import { withKnownOptions } from "../call/internal/options.ts"
import type { GlossaryRef } from "./Glossaries.ts"
import { GlossariesV2Api, type GlossaryV2, type GlossaryV2List, type NewGlossaryV2 } from "./internal/glossariesApi.ts"

export { GlossaryV2, GlossaryV2List, NewGlossaryV2 } from "./internal/glossariesApi.ts"

const make = Effect.flatMap(
  Operations.make(GlossariesV2Api),
  ({ create, entries, get, list, remove }) =>
    withKnownOptions(GlossariesV2Api, {
      /** Creates a glossary. Fails with `OutcomeUnknown` (name in `lookup`) if the response is lost. */
      create: (payload: NewGlossaryV2) =>
        create.create({ name: payload.name }, (record) => create.request(record, { payload })),
      /** Lists all glossaries. */
      list: list(),
      /** Gets a glossary. Fails with `NotFound` for an unknown id. */
      get: (params: GlossaryRef) => get({ params }),
      /** Gets a glossary's entries as TSV. */
      entries: (params: GlossaryRef) => entries({ params }),
      /** Deletes a glossary. */
      remove: (params: GlossaryRef) => remove({ params })
    }, {})
)

/**
 * Manages glossaries of API version 2. Prefer `Glossaries`.
 *
 * @category services
 * @since 0.1.0
 */
export class GlossariesV2
  extends Operations.service<GlossariesV2>()("@effect-lingua/core/glossaries/GlossariesV2", make)
{}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace GlossariesV2 {
  export type { GlossaryV2, GlossaryV2List, NewGlossaryV2 }
}
