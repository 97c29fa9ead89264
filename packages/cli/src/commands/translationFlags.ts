/** The flags of a translation, of texts or of documents. */
import { GlossaryId, StyleId, TranslationMemoryId } from "@effect-lingua/core/client/Ids"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { integer, known, optional, sourceLanguage, text } from "../settings/flags.ts"

/** The known languages of `--to`. */
export const targets = known(["de", "en-GB", "en-US", "fr", "pt-BR"])

/** The flags that both have. */
export const translationFlags = {
  source: optional(sourceLanguage, "The source language; detected by default"),
  formality: text(
    "formality",
    "formality",
    `The form of address, ${known(["more", "less", "prefer_more", "prefer_less"])}`
  ),
  glossaries: Flag.String("glossary").pipe(
    Flag.withSchema(GlossaryId),
    Flag.withMetavar("id"),
    Flag.withDescription("A glossary to apply; needs --from (repeatable)"),
    Flag.atLeast(0)
  ),
  style: optional(
    Flag.String("style-rules").pipe(Flag.withSchema(StyleId), Flag.withMetavar("id")),
    "A list of style rules to apply"
  ),
  memory: optional(
    Flag.String("memory").pipe(Flag.withSchema(TranslationMemoryId), Flag.withMetavar("id")),
    "A translation memory to use"
  ),
  threshold: integer("memory-threshold", "percent", "Least match of a segment of the memory, 0 to 100")
}

/** The values of these flags. */
export type TranslationInput = Command.Command.Config.Infer<typeof translationFlags>

/** The same as options of the client. */
export const translationOptions = (input: TranslationInput) => ({
  sourceLanguage: input.source,
  formality: input.formality,
  glossaryId: input.glossaries.length === 1 ? input.glossaries[0] : undefined,
  glossaryIds: input.glossaries.length > 1 ? input.glossaries : undefined,
  styleId: input.style,
  translationMemoryId: input.memory,
  translationMemoryThreshold: input.threshold
})
