/* oxlint-disable typescript/no-misused-spread -- bodies of the contract are plain objects */
import * as Limits from "@effect-lingua/core/contract/Limits"
import type { UploadOptions } from "@effect-lingua/core/documents/Documents"
import type { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import * as GlossaryEntries from "@effect-lingua/core/glossaries/GlossaryEntries"
import type { OperationName } from "@effect-lingua/core/LanguageServiceApi"
import type { CorrectOptions } from "@effect-lingua/core/texts/Writing"
import * as Arbitrary from "effect/Arbitrary"
import * as Arr from "effect/Array"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import * as Data from "../../fake/internal/languages/languageData.ts"
import { hasFeature } from "../../fake/internal/languages/languages.ts"
import type { ServiceState } from "../../fake/internal/model.ts"
import { canonicalCode, rootOf } from "../../fake/internal/text.ts"
import type { Response, Table } from "./contract.ts"
import * as Leaves from "./leaves.ts"
import * as Meanings from "./meanings.ts"

const limits = Limits.defaults

/** If the random `count` has this value, `list` makes a full list, of `limits.translationTexts` items. */
const fullLength = 15

const list = <S extends Schema.Constraint>(item: S) =>
  Arbitrary.map(
    Arbitrary.schema(
      Schema.Struct({ items: Schema.Array(item).check(Schema.isMinLength(1)), count: Leaves.int(0, fullLength) })
    ),
    ({ count, items }): ReadonlyArray<S["Type"]> =>
      Array.from(
        { length: count === fullLength ? limits.translationTexts : Math.min(items.length, limits.translationTexts) },
        (_, index) => items[index % items.length]
      )
  )

const encoder = new TextEncoder()

/** The texts that fit in a body of `bytes` next to other fields; at least the first text. */
const within = (bytes: number, texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  let left = bytes - 200
  return texts.filter((text, index) => {
    left -= encoder.encode(JSON.stringify(text)).length + 1
    return left > 0 || index === 0
  })
}

/** Replaces values such as `more` by `prefer_more` if the target language lacks the feature. */
const supported =
  (resource: Data.Resource, features: Readonly<Record<string, string>>) =>
  <A extends { readonly targetLanguage?: string | undefined }>(request: A): A => {
    const target = request.targetLanguage
    const preferred = Object.entries(features).flatMap(([field, feature]) => {
      const value: unknown = Reflect.get(request, field)
      return typeof value !== "string" || value === "default" || value.startsWith("prefer_") ||
          (target !== undefined && hasFeature(resource, target, feature))
        ? []
        : [[field, `prefer_${value}`]]
    })
    return Object.assign({}, request, Object.fromEntries(preferred))
  }

/** Languages in which the service can both detect and improve texts. */
const evident = ["en", "de", "fr", "es", "it", "ja"]

/** Generates texts in the target language, because the service refuses texts in other languages. */
const improved = <A extends CorrectOptions>(fields: Arbitrary.Arbitrary<A>): Arbitrary.Arbitrary<A> =>
  Arbitrary.map(
    Arbitrary.all({
      fields,
      forms: list(Leaves.TextForm),
      language: Arbitrary.schema(Leaves.pick(evident))
    }),
    ({ fields, forms, language }): A => ({
      ...fields,
      text: within(
        limits.improvementBytes,
        forms.map((form) =>
          fields.targetLanguage === undefined
            ? Leaves.render(Leaves.unmistakable(form), language)
            : Leaves.render(form, rootOf(fields.targetLanguage))
        )
      )
    })
  )

type Translated = "translate_text" | "translate_document"

const targetsOf = (resource: Translated, language: string) =>
  Data.languages[resource].filter((code) => Data.usableAsTarget(resource, code) && rootOf(code) === rootOf(language))

/** All variants of a language pair that the resource supports. */
const pairsOf = (resource: Translated, pair: GlossaryEntries.LanguagePair) =>
  Data.languages[resource].flatMap((sourceLanguage) =>
    Data.usableAsSource(sourceLanguage) && rootOf(sourceLanguage) === rootOf(pair.sourceLanguage)
      ? targetsOf(resource, pair.targetLanguage).map((targetLanguage) => ({ sourceLanguage, targetLanguage }))
      : []
  )

/** Possible references to a state's objects: none, a style rule list, a glossary, a memory. */
const referencesIn =
  (resource: Translated) =>
  ({ glossaries, styleRuleLists, translationMemories }: ServiceState): ReadonlyArray<object> => [
    {},
    ...styleRuleLists.flatMap(({ language, styleId }) =>
      targetsOf(resource, language).map((targetLanguage) => ({ styleId, targetLanguage }))
    ),
    ...glossaries.flatMap(({ dictionaries, glossaryId }) =>
      dictionaries.flatMap((pair) =>
        pairsOf(resource, pair).flatMap((pair) => [{ glossaryId, ...pair }, { glossaryIds: [glossaryId], ...pair }])
      )
    ),
    ...translationMemories.flatMap(({ sourceLanguage, targetLanguages, translationMemoryId }) =>
      targetLanguages.flatMap((targetLanguage) =>
        pairsOf(resource, { sourceLanguage, targetLanguage }).flatMap((pair) =>
          [canonicalCode(pair.targetLanguage), rootOf(pair.targetLanguage)].includes(canonicalCode(targetLanguage))
            ? [{ translationMemoryId, ...pair }]
            : []
        )
      )
    )
  ]

const withFormality = {
  translate_text: supported("translate_text", { formality: "formality" }),
  translate_document: supported("translate_document", { formality: "formality" })
}

const contents = (text: string): ReadonlyArray<UploadOptions["content"]> => {
  const bytes = encoder.encode(`${text}.`)
  return [bytes, new Blob([bytes]), Stream.make(bytes)]
}

const download = Arbitrary.map(
  Arbitrary.all({
    chunks: Arbitrary.array(Arbitrary.schema(Schema.Uint8Array), { maxLength: 5 }),
    headers: Arbitrary.schema(Schema.Struct({
      traceId: Leaves.hexDigits(32),
      contentType: Leaves.pick(["text/plain", "application/pdf", "application/octet-stream"]),
      fileName: Leaves.pick(["document.txt", "report (final).pdf", "a"])
    }))
  }),
  ({ chunks, headers: { contentType, fileName, traceId } }): Response<"Documents.download"> =>
    HttpApiSchema.withHeaders({
      body: Stream.fromIterable(chunks),
      headers: {
        "x-trace-id": traceId,
        "content-type": contentType,
        "content-length": String(chunks.reduce((sum, chunk) => sum + chunk.length, 0)),
        "content-disposition": `attachment; filename="${fileName}"`
      }
    })
)

export const languagePair = Arbitrary.map(Arbitrary.schema(Meanings.PairForm), Meanings.pairOf)

const entries = Arbitrary.map(Arbitrary.schema(Meanings.EntriesForm), Meanings.entriesOf)

const tsv = Arbitrary.map(entries, Meanings.tsvOf)

/** A dictionary with entries as a map, TSV or CSV. */
const dictionary = Arbitrary.map(
  Arbitrary.all({ pair: languagePair, entries, form: Arbitrary.schema(Leaves.int(0, 2)) }),
  ({ entries, form, pair }): Glossaries.DictionaryOptions => {
    const csv = Result.getOrThrow(GlossaryEntries.writeCsv(entries))
    return { ...pair, entries: [entries, { tsv: Meanings.tsvOf(entries) }, { csv }][form] ?? entries }
  }
)

const ofDictionary = <A extends object>(fields: Arbitrary.Arbitrary<A>) =>
  Arbitrary.map(Arbitrary.all([fields, languagePair]), ([fields, pair]) => ({ ...fields, ...pair }))

const ofVersion2 = ({ glossaries }: ServiceState) => glossaries.filter(({ version }) => version === 2)

const unlimited = {
  characters: "unlimited",
  speechToTextMilliseconds: "unlimited",
  speechToSpeechMilliseconds: "unlimited"
} as const

const limit = { LimitExceeded: true } as const
const entryErrors = { InvalidEntries: true, LimitExceeded: true } as const
const textErrors = { BudgetExceeded: true, LimitExceeded: true } as const

export const rules = {
  "Admin.analytics": { errors: limit },
  "Admin.listCustomTagUsagePage": { errors: limit },
  // Sets all limits: for an omitted limit, the client would first request the current value.
  "Admin.setKeyLimits": { request: Arbitrary.map((fields) => ({ ...unlimited, ...fields })) },
  "Detection.detect": {
    errors: limit,
    request: (fields) =>
      Arbitrary.map(Arbitrary.all([fields, list(Leaves.text)]), ([fields, text]) => ({ ...fields, text }))
  },
  "Documents.download": {
    errors: { DownloadInterrupted: true },
    existing: ({ documents }) => documents.filter(({ status }) => status === "done"),
    response: () => download
  },
  "Documents.status": { existing: ({ documents }) => documents.filter(({ status }) => status !== "gone") },
  "Documents.upload": {
    errors: { BudgetExceeded: true, Busy: true, LimitExceeded: true, SourceFailed: true },
    request: (fields) =>
      Arbitrary.map(
        Arbitrary.all({
          fields,
          text: Arbitrary.schema(Leaves.text),
          form: Arbitrary.schema(Leaves.int(0, 2)),
          fileName: Arbitrary.schema(
            Leaves.pick(["document.txt", "Übersicht 2026.txt", "page.html", "strings.json"])
          )
        }),
        ({ fields: { outputFormat, ...fields }, fileName, form, text }) => ({
          ...Struct.omit(fields, ["enableBetaLanguages", "file", "filename"]),
          ...(outputFormat === undefined ? undefined : { outputFormat: fileName.slice(fileName.lastIndexOf(".") + 1) }),
          content: contents(text)[form] ?? encoder.encode(text),
          fileName
        })
      ),
    existing: referencesIn("translate_document"),
    // The source language must differ from the target language.
    fitting: ({ sourceLanguage, ...request }) =>
      withFormality.translate_document({
        ...request,
        ...(sourceLanguage === undefined || rootOf(sourceLanguage) === rootOf(request.targetLanguage)
          ? undefined
          : { sourceLanguage })
      })
  },
  "Glossaries.create": {
    errors: entryErrors,
    fields: { dictionaries: 1 },
    request: (fields) =>
      Arbitrary.map(
        Arbitrary.all([fields, Arbitrary.array(dictionary, { minLength: 1, maxLength: 3 })]),
        ([fields, dictionaries]) => ({
          ...fields,
          // Each language pair occurs once.
          dictionaries: Arr.dedupeWith(dictionaries, (one, { sourceLanguage, targetLanguage }) =>
            one.sourceLanguage === sourceLanguage && one.targetLanguage === targetLanguage)
        })
      )
  },
  "Glossaries.entries": {
    request: ofDictionary,
    response: () => Arbitrary.map(Arbitrary.all([languagePair, tsv]), ([pair, entries]) => ({ ...pair, entries }))
  },
  "Glossaries.merge": {
    errors: entryErrors,
    fields: { dictionaries: 1 },
    request: (fields) =>
      Arbitrary.map(
        Arbitrary.all([fields, dictionary]),
        ([{ dictionaries, ...fields }, dictionary]) =>
          fields.name !== undefined && dictionaries === undefined ? fields : { ...fields, dictionary }
      )
  },
  "Glossaries.removeDictionary": { request: ofDictionary },
  "Glossaries.replaceDictionary": {
    errors: entryErrors,
    request: (fields) =>
      Arbitrary.map(
        Arbitrary.all([fields, dictionary]),
        ([{ glossaryId }, dictionary]) => ({ glossaryId, ...dictionary })
      )
  },
  "GlossariesV2.create": {
    request: (fields) =>
      Arbitrary.map(
        Arbitrary.all([fields, Arbitrary.schema(Meanings.dictionary)]),
        ([fields, dictionary]) => ({ ...fields, ...dictionary })
      )
  },
  "GlossariesV2.entries": { existing: ofVersion2, response: () => tsv },
  "GlossariesV2.get": { existing: ofVersion2 },
  "GlossariesV2.remove": { existing: ofVersion2 },
  "QualityEvaluation.start": {
    errors: limit,
    request: Arbitrary.map(({ metadata, segments }) => ({ ...metadata, segments }))
  },
  "QualityEvaluation.status": { existing: ({ evaluations }) => evaluations.map((jobId) => ({ jobId })) },
  "StyleRules.addInstruction": {
    errors: limit,
    existing: ({ styleRuleLists }) =>
      styleRuleLists.filter(({ customInstructions }) => customInstructions.length < limits.instructionsPerList),
    // Excludes the whole list, which the service may return since July 2026.
    response: Arbitrary.filter((answer) => "instructionId" in answer)
  },
  "StyleRules.create": { errors: limit },
  "StyleRules.replaceInstruction": { errors: limit },
  "StyleRules.rename": { errors: limit, request: Arbitrary.map(({ name = "a", styleId }) => ({ name, styleId })) },
  "StyleRules.replaceConfiguredRules": {
    request: Arbitrary.map(({ styleId, ...configuredRules }) => ({ styleId, configuredRules }))
  },
  "Translation.translate": {
    errors: textErrors,
    request: (fields) =>
      Arbitrary.map(
        Arbitrary.all([fields, list(Leaves.text)]),
        ([fields, text]) => ({ ...fields, text: within(limits.translationBytes / 2, text) })
      ),
    existing: referencesIn("translate_text"),
    // Omits instructions if the target language lacks the feature.
    fitting: ({ customInstructions, ...request }) =>
      withFormality.translate_text({
        ...request,
        ...(customInstructions === undefined || !hasFeature("translate_text", request.targetLanguage, "style_rules")
          ? undefined
          : { customInstructions })
      })
  },
  "TranslationMemories.startExport": {
    existing: ({ translationMemories, translationMemoryJobs }) =>
      translationMemories.filter(({ translationMemoryId: id }) =>
        !translationMemoryJobs.some(({ operation, state, translationMemoryId }) =>
          operation === "export" && state === "processing" && translationMemoryId === id
        )
      )
  },
  "TranslationMemories.startImport": {
    errors: limit,
    request: Arbitrary.map(({ parameters, sourceFile: { contentLength: size, ...file } }) => ({
      ...parameters,
      ...file,
      size
    }))
  },
  "TranslationMemories.status": { existing: ({ translationMemoryJobs }) => translationMemoryJobs },
  "Writing.correct": { errors: textErrors, request: improved },
  "Writing.rephrase": {
    errors: textErrors,
    request: (fields) =>
      Arbitrary.map(
        improved(fields),
        ({ tone, writingStyle, ...fields }) =>
          writingStyle === undefined || tone !== undefined
            ? { ...fields, ...(tone === undefined ? undefined : { tone }) }
            : { ...fields, writingStyle }
      ),
    fitting: supported("write", { tone: "tone", writingStyle: "writing_style" })
  }
} satisfies Table<OperationName>
