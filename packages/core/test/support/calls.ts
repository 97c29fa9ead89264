/** Calls that tests of what all calls have in common make. */
import { Documents } from "@effect-lingua/core/documents/Documents"
import { Languages } from "@effect-lingua/core/languages/Languages"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { Writing } from "@effect-lingua/core/texts/Writing"
import * as Sample from "./operations.ts"
import * as Wire from "./Wire.ts"

/** A call that may be repeated, and its response. */
export const read = Languages.use((languages) => languages.resources)
export const success = Wire.answer(200, [])

export const create = StyleRules.use((rules) => rules.create({ name: "a", language: "en" }))
export const download = Documents.use((documents) => documents.download(Sample.document))
export const rephrase = Writing.use((writing) => writing.rephrase({ text: ["This are fine."] }))
