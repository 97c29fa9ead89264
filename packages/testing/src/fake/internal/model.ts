/** Values that a test passes to the fake and receives from it. */
import type { StyleRuleList as PartialList } from "@effect-lingua/core/style-rules/StyleRules"
import type * as Schema from "effect/Schema"
import type * as Schemas from "./schemas.ts"

/** An accepted key. */
export interface Key extends Schema.Schema.Type<typeof Schemas.Key> {}

/** A document as after its upload. */
export interface NewDocument extends Schema.Schema.Type<typeof Schemas.NewDocument> {}

/** The response to an upload: an id of 32 and a key of 64 hexadecimal digits. */
export interface IssuedDocument extends Schema.Schema.Type<typeof Schemas.IssuedDocument> {}

/** A document's current state. `gone`: downloaded, or not downloaded in time. */
export interface DocumentState extends Schema.Schema.Type<typeof Schemas.DocumentState> {}

/** A glossary of one dictionary, as made by version 3 of the interface. */
export interface NewGlossary extends Schema.Schema.Type<typeof Schemas.NewGlossary> {}

/** A translation memory to add. */
export interface NewTranslationMemory extends Schema.Schema.Type<typeof Schemas.NewTranslationMemory> {}

/** Another person's style rule list, encoded as in the contract. */
export interface NewStyleRuleList extends Schema.Schema.Type<typeof Schemas.NewStyleRuleList> {}

/** A stored glossary, with languages in lower case and without a region. */
export interface GlossaryState extends Schema.Schema.Type<typeof Schemas.GlossaryState> {}

/** A stored translation memory. */
export interface TranslationMemoryState extends Schema.Schema.Type<typeof Schemas.TranslationMemoryState> {}

/** An account's quota of characters in the current period. */
export interface Quota extends Schema.Schema.Type<typeof Schemas.Quota> {}

/** A change of an account's quota, except for omitted fields. */
export interface QuotaChange extends Schema.Schema.Type<typeof Schemas.QuotaChange> {}

/** The service's state at one time. Style rule lists are encoded as in the contract. */
export interface ServiceState extends Schema.Schema.Type<typeof Schemas.ServiceState> {}

/** Answers that replace the fake's, in translation, improvement, detection and documents. */
export interface Taught extends Schema.Schema.Type<typeof Schemas.Taught> {}

/** Taught answers, also by a function. */
export interface TaughtOption extends Schema.Schema.Type<typeof Schemas.TaughtOption> {}

/** A request as it arrived, with its outcome. */
export interface RecordedRequest extends Schema.Schema.Type<typeof Schemas.RecordedRequest> {}

/** The number of times that an operation really took effect, with ids. */
export interface OperationEffects extends Schema.Schema.Type<typeof Schemas.OperationEffects> {}

/** A stored style rule list. */
export interface StyleRuleList extends Required<PartialList> {}
