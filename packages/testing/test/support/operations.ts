// Every operation as the service method that calls it.
import { Admin } from "@effect-lingua/core/account/Admin"
import { Usage } from "@effect-lingua/core/account/Usage"
import { Documents } from "@effect-lingua/core/documents/Documents"
import { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import { GlossariesV2 } from "@effect-lingua/core/glossaries/GlossariesV2"
import { Languages } from "@effect-lingua/core/languages/Languages"
import type { LanguageService } from "@effect-lingua/core/LanguageService"
import { QualityEvaluation } from "@effect-lingua/core/quality-evaluation/QualityEvaluation"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { Detection } from "@effect-lingua/core/texts/Detection"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
import { Voice } from "@effect-lingua/core/voice/Voice"
import type { OperationName } from "@effect-lingua/testing/faults/Fault"
import type * as Generators from "@effect-lingua/testing/generators/Generators"
import { Effect, Stream } from "effect"

export const calls: {
  readonly [Name in OperationName]: (
    request: Generators.Request<Name>
  ) => Effect.Effect<unknown, Generators.Failure<Name>, Admin | LanguageService>
} = {
  "Admin.analytics": (request) => Admin.use((service) => service.analytics(request)),
  "Admin.createKey": (request) => Admin.use((service) => service.createKey(request)),
  "Admin.deactivateKey": (request) => Admin.use((service) => service.deactivateKey(request)),
  "Admin.listCustomTagUsage": (request) => Admin.use((service) => service.listCustomTagUsage(request)),
  "Admin.listKeys": () => Admin.use((service) => service.listKeys()),
  "Admin.setKeyLabel": (request) => Admin.use((service) => service.setKeyLabel(request)),
  "Admin.setKeyLimits": (request) => Admin.use((service) => service.setKeyLimits(request)),
  "Detection.detect": (request) => Detection.use((service) => service.detect(request)),
  "Documents.download": (request) =>
    Documents.use((service) => service.download(request)).pipe(
      Effect.flatMap(({ stream }) => Stream.runCollect(stream))
    ),
  "Documents.status": (request) => Documents.use((service) => service.status(request)),
  "Documents.upload": (request) => Documents.use((service) => service.upload(request)),
  "Glossaries.create": (request) => Glossaries.use((service) => service.create(request)),
  "Glossaries.entries": (request) => Glossaries.use((service) => service.entries(request)),
  "Glossaries.get": (request) => Glossaries.use((service) => service.get(request)),
  "Glossaries.list": () => Glossaries.use((service) => service.list()),
  "Glossaries.merge": (request) => Glossaries.use((service) => service.merge(request)),
  "Glossaries.remove": (request) => Glossaries.use((service) => service.remove(request)),
  "Glossaries.removeDictionary": (request) => Glossaries.use((service) => service.removeDictionary(request)),
  "Glossaries.replaceDictionary": (request) => Glossaries.use((service) => service.replaceDictionary(request)),
  "GlossariesV2.create": (request) => GlossariesV2.use((service) => service.create(request)),
  "GlossariesV2.entries": (request) => GlossariesV2.use((service) => service.entries(request)),
  "GlossariesV2.get": (request) => GlossariesV2.use((service) => service.get(request)),
  "GlossariesV2.list": () => GlossariesV2.use((service) => service.list()),
  "GlossariesV2.remove": (request) => GlossariesV2.use((service) => service.remove(request)),
  "Languages.glossaryPairs": () => Languages.use((service) => service.glossaryPairs()),
  "Languages.list": (request) => Languages.use((service) => service.list(request)),
  "Languages.listV2": (request) => Languages.use((service) => service.listV2(request)),
  "Languages.resources": () => Languages.use((service) => service.resources()),
  "StyleRules.addInstruction": (request) => StyleRules.use((service) => service.addInstruction(request)),
  "StyleRules.create": (request) => StyleRules.use((service) => service.create(request)),
  "StyleRules.get": (request) => StyleRules.use((service) => service.get(request)),
  "StyleRules.getInstruction": (request) => StyleRules.use((service) => service.getInstruction(request)),
  "StyleRules.list": (request) => StyleRules.use((service) => service.list(request)),
  "StyleRules.remove": (request) => StyleRules.use((service) => service.remove(request)),
  "StyleRules.removeInstruction": (request) => StyleRules.use((service) => service.removeInstruction(request)),
  "StyleRules.rename": (request) => StyleRules.use((service) => service.rename(request)),
  "StyleRules.replaceConfiguredRules": (request) =>
    StyleRules.use((service) => service.replaceConfiguredRules(request)),
  "StyleRules.replaceInstruction": (request) => StyleRules.use((service) => service.replaceInstruction(request)),
  "Translation.translate": (request) => Translation.use((service) => service.translate(request)),
  "Usage.get": () => Usage.use((service) => service.get()),
  "TranslationMemories.get": (request) => TranslationMemories.use((service) => service.get(request)),
  "TranslationMemories.status": (request) => TranslationMemories.use((service) => service.status(request)),
  "TranslationMemories.listPage": (request) => TranslationMemories.use((service) => service.listPage(request)),
  "TranslationMemories.listSegmentsPage": (request) => TranslationMemories.use((service) => service.listSegmentsPage(request)),
  "TranslationMemories.remove": (request) => TranslationMemories.use((service) => service.remove(request)),
  "TranslationMemories.startExport": (request) => TranslationMemories.use((service) => service.startExport(request)),
  "TranslationMemories.startImport": (request) => TranslationMemories.use((service) => service.startImport(request)),
  "QualityEvaluation.status": (request) => QualityEvaluation.use((service) => service.status(request)),
  "QualityEvaluation.start": (request) => QualityEvaluation.use((service) => service.start(request)),
  "Voice.start": (request) => Voice.use((service) => service.start(request)),
  "Voice.status": (request) => Voice.use((service) => service.status(request)),
  "Voice.reconnect": (request) => Voice.use((service) => service.reconnect(request)),
  "Voice.requestSession": (request) => Voice.use((service) => service.requestSession(request)),
  "Writing.correct": (request) => Writing.use((service) => service.correct(request)),
  "Writing.rephrase": (request) => Writing.use((service) => service.rephrase(request))
}

/** The names of all operations. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of an object of just these
export const operations = Object.keys(calls) as ReadonlyArray<OperationName>
