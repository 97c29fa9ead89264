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

export interface TranslationMemoryState extends Schema.Schema.Type<typeof Schemas.TranslationMemoryState> {}

/** An account's character quota in the current period. */
export interface Quota extends Schema.Schema.Type<typeof Schemas.Quota> {}

/** A change of an account's quota, except for omitted fields. */
export interface QuotaChange extends Schema.Schema.Type<typeof Schemas.QuotaChange> {}

/** The service's state. Style rule lists are encoded as in the contract. */
export interface ServiceState extends Schema.Schema.Type<typeof Schemas.ServiceState> {}

/** Answers to texts that replace the fake's. */
export interface Taught extends Schema.Schema.Type<typeof Schemas.Taught> {}

/** Taught answers, also by a function. */
export interface TaughtOption extends Schema.Schema.Type<typeof Schemas.TaughtOption> {}

/** A request as it arrived, with its outcome. */
export interface RecordedRequest extends Schema.Schema.Type<typeof Schemas.RecordedRequest> {}

/** How often an operation really took effect, with ids. */
export interface OperationEffects extends Schema.Schema.Type<typeof Schemas.OperationEffects> {}

export interface StyleRuleList extends Required<PartialList> {}
