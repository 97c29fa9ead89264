import type { StyleRuleList as PartialList } from "@effect-lingua/core/style-rules/StyleRules"
import type * as Schema from "effect/Schema"
import type * as Schemas from "./schemas.ts"

export interface Key extends Schema.Schema.Type<typeof Schemas.Key> {}

/** A document to add, as if just uploaded. */
export interface NewDocument extends Schema.Schema.Type<typeof Schemas.NewDocument> {}

/** The response to an upload: an id of 32 and a key of 64 hexadecimal digits. */
export interface IssuedDocument extends Schema.Schema.Type<typeof Schemas.IssuedDocument> {}

/** A document's current state. `gone`: downloaded, or not downloaded in time. */
export interface DocumentState extends Schema.Schema.Type<typeof Schemas.DocumentState> {}

/** A glossary with one dictionary, as created with API version 3. */
export interface NewGlossary extends Schema.Schema.Type<typeof Schemas.NewGlossary> {}

export interface NewTranslationMemory extends Schema.Schema.Type<typeof Schemas.NewTranslationMemory> {}

export interface NewStyleRuleList extends Schema.Schema.Type<typeof Schemas.NewStyleRuleList> {}

/** A stored glossary, with languages in lower case and without a region. */
export interface GlossaryState extends Schema.Schema.Type<typeof Schemas.GlossaryState> {}

export interface TranslationMemoryState extends Schema.Schema.Type<typeof Schemas.TranslationMemoryState> {}

/** An account's character quota in the current period. */
export interface Quota extends Schema.Schema.Type<typeof Schemas.Quota> {}

/** Omitted fields are unchanged. */
export interface QuotaChange extends Schema.Schema.Type<typeof Schemas.QuotaChange> {}

export interface ServiceState extends Schema.Schema.Type<typeof Schemas.ServiceState> {}

/** Results that a test defines for texts, in place of generated results. */
export interface Taught extends Schema.Schema.Type<typeof Schemas.Taught> {}

/** Taught results, and optionally a function that translates texts. */
export interface TaughtOption extends Schema.Schema.Type<typeof Schemas.TaughtOption> {}

/** A received request, with its outcome. */
export interface RecordedRequest extends Schema.Schema.Type<typeof Schemas.RecordedRequest> {}

/** How often an operation took effect, and the affected ids. */
export interface OperationEffects extends Schema.Schema.Type<typeof Schemas.OperationEffects> {}

export interface StyleRuleList extends Required<PartialList> {}
