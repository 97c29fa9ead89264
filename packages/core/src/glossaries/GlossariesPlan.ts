/**
 * Plans of `Glossaries.plan`, `apply` and `sync`.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import type { GlossaryId } from "../contract/Ids.ts"
import type { GlossaryEntries, LanguagePair } from "./GlossaryEntries.ts"
import type { CreateOptions } from "./internal/glossaryText.ts"

/**
 * A desired glossary. Dictionaries that are not listed are deleted.
 *
 * @category options
 * @since 0.1.0
 */
export interface DesiredGlossary extends CreateOptions {
  /** Default: the existing glossary with this `name`. */
  readonly glossaryId?: GlossaryId | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export interface PlanOptions {
  readonly glossaries: ReadonlyArray<DesiredGlossary>
  /** Deletes all glossaries that are not in `glossaries`, which cannot be undone. Default false. */
  readonly removeOthers?: boolean | undefined
}

/**
 * A dictionary with parsed entries.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlannedDictionary extends LanguagePair {
  readonly entries: GlossaryEntries
}

interface Existing {
  readonly glossary: string
  readonly glossaryId: GlossaryId
}

/**
 * One API call of a plan. `glossary` is a name.
 *
 * @category models
 * @since 0.1.0
 */
export type Step = Data.TaggedEnum<{
  Create: { readonly glossary: string; readonly dictionaries: ReadonlyArray<PlannedDictionary> }
  Rename: Existing & { readonly name: string }
  RemoveDictionary: Existing & { readonly pair: LanguagePair }
  ReplaceDictionary: Existing & { readonly dictionary: PlannedDictionary }
  Remove: Existing
}>

/**
 * Constructors and matchers of {@link Step}.
 *
 * @category constructors
 * @since 0.1.0
 */
export const Step = Data.taggedEnum<Step>()

/**
 * A desired glossary in a plan, with its id if it exists.
 *
 * @category models
 * @since 0.1.0
 */
export interface PlannedGlossary {
  readonly name: string
  readonly glossaryId?: GlossaryId
}

/**
 * The calls that reach the desired state: creations first, deletions last.
 *
 * @category models
 * @since 0.1.0
 */
export interface Plan {
  readonly steps: ReadonlyArray<Step>
  readonly glossaries: ReadonlyArray<PlannedGlossary>
}

/**
 * The applied plan, with every glossary's id.
 *
 * @category models
 * @since 0.1.0
 */
export interface Synced extends Plan {
  readonly glossaries: ReadonlyArray<Required<PlannedGlossary>>
}

const quoted = (text: string): string => JSON.stringify(text)

const pairOf = ({ sourceLanguage, targetLanguage }: LanguagePair): string => `${sourceLanguage}-${targetLanguage}`

const withEntries = ({ entries, ...pair }: PlannedDictionary): string =>
  `${pairOf(pair)} (${entries.size} ${entries.size === 1 ? "entry" : "entries"})`

const line = Step.$match({
  Create: ({ dictionaries, glossary }) =>
    `create ${quoted(glossary)} with ${dictionaries.map(withEntries).join(", ") || "no dictionaries"}`,
  Rename: ({ glossary, glossaryId, name }) => `rename ${quoted(glossary)} to ${quoted(name)} (${glossaryId})`,
  RemoveDictionary: ({ glossary, pair }) => `delete the dictionary ${pairOf(pair)} of ${quoted(glossary)}`,
  ReplaceDictionary: ({ dictionary, glossary }) =>
    `replace the dictionary of ${quoted(glossary)} by ${withEntries(dictionary)}`,
  Remove: ({ glossary, glossaryId }) => `delete ${quoted(glossary)} (${glossaryId})`
})

/**
 * Formats a plan, one line for each call.
 *
 * @category formatting
 * @since 0.1.0
 */
export const format = ({ steps }: Pick<Plan, "steps">): ReadonlyArray<string> => steps.map((step) => line(step))
