// Exports that another package may derive from this library: layers, clients and services.
import * as LanguageServiceClient from "@effect-lingua/core/LanguageServiceClient"
import { Lingua } from "@effect-lingua/core/promise"
import { Translation } from "@effect-lingua/core/texts/Translation"

export const texts = LanguageServiceClient.layerOf(Translation.layer)
export const connecting = Lingua.make()
const lingua = await connecting
export const services = { ...lingua }
export const { detection, documents, glossaries, languages, styleRules, translation, usage, writing } = lingua
