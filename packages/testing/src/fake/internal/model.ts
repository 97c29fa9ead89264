/** The values that a test passes to the fake and receives from it. */
import type { StyleRuleList as PartialList } from "@effect-lingua/core/style-rules/StyleRules"
import type * as Schema from "effect/Schema"
import type * as Schemas from "./schemas.ts"

/** A key that the fake accepts. */
export interface Key extends Schema.Schema.Type<typeof Schemas.Key> {}

/** A document in its state after the upload. */
export interface NewDocument extends Schema.Schema.Type<typeof Schemas.NewDocument> {}

/** The response to the upload of a document: an id of 32 and a key of 64 hexadecimal digits. */
export interface IssuedDocument extends Schema.Schema.Type<typeof Schemas.IssuedDocument> {}

/** A document in its present state. `gone` means that it was downloaded, or was not downloaded in time. */
export interface DocumentState extends Schema.Schema.Type<typeof Schemas.DocumentState> {}

/** A glossary of one dictionary, as version 3 of the interface would have made it. */
export interface NewGlossary extends Schema.Schema.Type<typeof Schemas.NewGlossary> {}

/** A translation memory to be added. */
export interface NewTranslationMemory extends Schema.Schema.Type<typeof Schemas.NewTranslationMemory> {}

/** A style rule list made by another person, encoded as in the contract. */
export interface NewStyleRuleList extends Schema.Schema.Type<typeof Schemas.NewStyleRuleList> {}

/** A glossary as the service holds it, with its languages in lower case and without a region. */
export interface GlossaryState extends Schema.Schema.Type<typeof Schemas.GlossaryState> {}

/** A translation memory as the service holds it. */
export interface TranslationMemoryState extends Schema.Schema.Type<typeof Schemas.TranslationMemoryState> {}

/** The quota of characters of an account in the current period. */
export interface Quota extends Schema.Schema.Type<typeof Schemas.Quota> {}

/** A change of the quota of an account; fields that are left out stay. */
export interface QuotaChange extends Schema.Schema.Type<typeof Schemas.QuotaChange> {}

/** Everything that the service holds, at one time. Style rule lists are encoded as in the contract. */
export interface ServiceState extends Schema.Schema.Type<typeof Schemas.ServiceState> {}

/** Answers to texts that replace those of the fake, in translation, improvement, detection and documents. */
export interface Taught extends Schema.Schema.Type<typeof Schemas.Taught> {}

/** Taught answers, also by a function. */
export interface TaughtOption extends Schema.Schema.Type<typeof Schemas.TaughtOption> {}

/** A request as it arrived, with its outcome. */
export interface RecordedRequest extends Schema.Schema.Type<typeof Schemas.RecordedRequest> {}

/** The number of times that an operation really took effect, with ids. */
export interface OperationEffects extends Schema.Schema.Type<typeof Schemas.OperationEffects> {}

/** A style rule list as the service holds it. */
export interface StyleRuleList extends Required<PartialList> {}
