/** Flags for translating texts or documents. */
import { GlossaryId } from "@effect-lingua/core/contract/Ids"
import { TranslationApi } from "@effect-lingua/core/extension/Resources"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { defaultTarget } from "../client/config.ts"
import { misuse } from "../settings/errors.ts"
import { checkOnce, known, optional, sourceLanguage } from "../settings/flags.ts"
import * as Settings from "../settings/settings.ts"
import { fromEndpoint } from "./command.ts"

/** A help text with examples of languages for `--to`. */
export const targets = known(["de", "en-GB", "en-US", "fr", "pt-BR"])

/** The languages of `--to`, or the settings' language. Refuses duplicates. */
export const targetsOf = Effect.fnUntraced(function*(codes: ReadonlyArray<string>) {
  yield* checkOnce(codes.map((target) => `--to ${target.toLowerCase()}`))
  if (codes.length > 0) return codes
  const target = yield* defaultTarget
  if (target !== undefined) return [target]
  const setting = (yield* Settings.Fake)
    ? ""
    : `, or set "to" in the settings file, whose path effect-lingua config path prints`
  return yield* misuse(`no language to translate to: give --to${setting}`)
})

export const [translate] = TranslationApi.TranslationApi.endpoints

/** The flags that texts and documents share. */
export const translationFlags = {
  sourceLanguage: optional(sourceLanguage, "The source language; detected by default"),
  glossaries: Flag.String("glossary").pipe(
    Flag.withSchema(GlossaryId),
    Flag.withMetavar("name"),
    Flag.withDescription("A glossary to apply, by its name or id; needs --from (repeatable)"),
    Flag.atLeast(0)
  ),
  ...fromEndpoint(translate, {
    formality: [`The form of address, ${known(["more", "less", "prefer_more", "prefer_less"])}`],
    styleId: ["A list of style rules to apply, by its name or id", "name", "style-rules"],
    translationMemoryId: ["A translation memory to use, by its name or id", "name", "memory"],
    translationMemoryThreshold: [
      "Least match of a segment of the memory, 0 to 100; 75 or higher is recommended",
      "percent",
      "memory-threshold"
    ]
  }).params
}

type TranslationInput = Command.Command.Config.Infer<typeof translationFlags>

/** Converts flags to client options. Each flag except for `glossaries` has its option's name. */
export const translationOptions = <A extends TranslationInput>({ glossaries, ...options }: A) => ({
  ...options,
  glossaryId: glossaries.length === 1 ? glossaries[0] : undefined,
  glossaryIds: glossaries.length > 1 ? glossaries : undefined
})
