/** Calls that tests of what all calls have in common make. */
import { Documents, Languages, StyleRules, Writing } from "@effect-lingua/core"
import * as Sample from "./operations.ts"
import * as Wire from "./Wire.ts"

/** A call that may be repeated, and its response. */
export const read = Languages.use((languages) => languages.resources)
export const success = Wire.answer(200, [])

export const create = StyleRules.use((rules) => rules.create({ name: "a", language: "en" }))
export const download = Documents.use((documents) => documents.download(Sample.document))
export const rephrase = Writing.use((writing) => writing.rephrase({ text: ["This are fine."] }))
