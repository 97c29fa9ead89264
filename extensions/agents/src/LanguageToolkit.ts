/**
 * The language service as tools for language models, for `effect/ai` programs and Model Context Protocol servers.
 *
 * The tools of {@link toolkit} read, improve and translate; the tools of {@link changes} create and delete, and need a separate layer. A failed tool
 * returns an object with the error's name, advice, and whether the call may succeed later. Translating and improving count characters, which a
 * `Tenant`'s `characterBudget` limits.
 *
 * **Example** (The tools of a program)
 *
 * ```ts import.meta.vitest
 * import { LanguageToolkit } from "@effect-lingua/agents"
 * import { FakeLanguageService } from "@effect-lingua/testing"
 * import { Effect, Layer, Stream } from "effect"
 *
 * const layer = Layer.provide(LanguageToolkit.layer, FakeLanguageService.layerServices())
 * const program = Effect.gen(function*() {
 *   const tools = yield* LanguageToolkit.toolkit
 *   const results = yield* tools.handle("translate", { texts: ["Guten Tag"], target_language: "en-US" })
 *   return yield* Stream.runCollect(results)
 * })
 *
 * const [called] = await Effect.runPromise(Effect.provide(program, layer))
 * called?.encodedResult // => [{ text: "[en-US] Guten Tag", source_language: "DE" }]
 * ```
 *
 * @since 0.2.0
 */
import { Usage } from "@effect-lingua/core/account/Usage"
import { GlossaryId, StyleId } from "@effect-lingua/core/contract/Ids"
import { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import { Languages } from "@effect-lingua/core/languages/Languages"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { Detection } from "@effect-lingua/core/texts/Detection"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

/**
 * The result of a failed tool: the error's name, its message with advice, and whether the same call may succeed later.
 *
 * @category schemas
 * @since 0.2.0
 */
export const Failure = Schema.Struct({
  error: Schema.String,
  message: Schema.String,
  may_succeed_later: Schema.Boolean
})

/**
 * Converts a service's error to the result of a failed tool, for custom tools.
 *
 * @category constructors
 * @since 0.2.0
 */
export const failureOf = (
  { _tag, isTransient = false, message }: {
    readonly _tag: string
    readonly message: string
    readonly isTransient?: boolean
  }
): typeof Failure.Type => ({ error: _tag, message, may_succeed_later: isTransient })

/** Returns failures to the model, because an Effect failure would end the generation. */
const failures = { failure: Failure, failureMode: "return" } as const

const described = <S extends Schema.Top>(schema: S, description: string) => schema.annotate({ description })

const texts = described(Schema.Array(Schema.String), "The texts, each independent of the others; at most 50")

const language = (description: string) => described(Schema.String, `${description}: a BCP 47 code such as de or en-US`)

/** The annotations of a read-only tool. */
const reading = Context.make(Tool.Readonly, true).pipe(
  Context.add(Tool.Destructive, false),
  Context.add(Tool.Idempotent, true)
)

const translate = Tool.make("translate", {
  description: "Translates texts to a language. Counts characters.",
  parameters: Schema.Struct({
    texts,
    target_language: language("The language to translate to"),
    source_language: Schema.optionalKey(language("The language of the texts, detected by default")),
    formality: Schema.optionalKey(
      described(Schema.Literals(["prefer_more", "prefer_less"]), "Formal or informal, where the language has it")
    ),
    context: Schema.optionalKey(described(Schema.String, "Context that is not translated itself")),
    glossary_id: Schema.optionalKey(described(Schema.String, "A glossary of list_glossaries; needs source_language")),
    style_id: Schema.optionalKey(described(Schema.String, "A style rule list of list_style_rules"))
  }),
  success: Schema.Array(Schema.Struct({ text: Schema.String, source_language: Schema.optionalKey(Schema.String) })),
  ...failures
})

const rephrase = Tool.make("rephrase", {
  description: "Rewrites texts for clarity, style or tone, within their language. Counts characters.",
  parameters: Schema.Struct({
    texts,
    target_language: Schema.optionalKey(language("The variant of the language")),
    style: Schema.optionalKey(
      described(Schema.Literals(["academic", "business", "casual", "simple"]), "A style; excludes tone")
    ),
    tone: Schema.optionalKey(
      described(Schema.Literals(["confident", "diplomatic", "enthusiastic", "friendly"]), "A tone; excludes style")
    )
  }),
  success: Schema.Array(Schema.String),
  ...failures
})

const correct = Tool.make("correct", {
  description: "Corrects spelling and grammar of texts, with as few changes as possible. Counts characters.",
  parameters: Schema.Struct({ texts, target_language: Schema.optionalKey(language("The variant of the language")) }),
  success: Schema.Array(Schema.String),
  ...failures
})

const detect = Tool.make("detect_language", {
  description: "Detects the language of texts: a code, or null if uncertain.",
  parameters: Schema.Struct({ texts }),
  success: Schema.Array(Schema.NullOr(Schema.String)),
  ...failures
})

const listLanguages = Tool.make("list_languages", {
  description: "Lists the languages of a resource, and whether each can be a source or a target.",
  parameters: Schema.Struct({
    resource: Schema.Literals(["translate_text", "translate_document", "write", "glossary", "voice"])
  }),
  success: Schema.Array(Schema.Struct({
    code: Schema.String,
    name: Schema.String,
    usable_as_source: Schema.Boolean,
    usable_as_target: Schema.Boolean
  })),
  ...failures
})

const listGlossaries = Tool.make("list_glossaries", {
  description: "Lists the glossaries with their ids and language pairs.",
  success: Schema.Array(Schema.Struct({
    glossary_id: Schema.String,
    name: Schema.String,
    pairs: Schema.Array(Schema.String)
  })),
  ...failures
})

const listStyleRules = Tool.make("list_style_rules", {
  description: "Lists the style rule lists with their ids and languages.",
  success: Schema.Array(Schema.Struct({ style_id: Schema.String, name: Schema.String, language: Schema.String })),
  ...failures
})

const usage = Tool.make("usage", {
  description: "Reports the characters that the account has used in the period, and how many are left.",
  success: Schema.Struct({ used: Schema.optionalKey(Schema.Int), left: Schema.Union([Schema.Finite, Schema.String]) }),
  ...failures
})

/**
 * The read-only tools: `translate`, `rephrase`, `correct`, `detect_language`, `list_languages`, `list_glossaries`, `list_style_rules` and `usage`.
 *
 * @category toolkits
 * @since 0.2.0
 */
export const toolkit = Toolkit.make(
  translate.annotateMerge(reading),
  rephrase.annotateMerge(reading),
  correct.annotateMerge(reading),
  detect.annotateMerge(reading),
  listLanguages.annotateMerge(reading),
  listGlossaries.annotateMerge(reading),
  listStyleRules.annotateMerge(reading),
  usage.annotateMerge(reading)
)

const createGlossary = Tool.make("create_glossary", {
  description: "Creates a glossary for a pair of languages, and returns its id.",
  parameters: Schema.Struct({
    name: Schema.String,
    source_language: language("The language of the terms"),
    target_language: language("The language of their translations"),
    entries: described(
      Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String })),
      "The terms with their translations, each term once"
    )
  }),
  success: Schema.Struct({ glossary_id: Schema.String }),
  ...failures
}).annotate(Tool.Destructive, false).annotate(Tool.Idempotent, false)

const deleteGlossary = Tool.make("delete_glossary", {
  description: "Deletes a glossary permanently.",
  parameters: Schema.Struct({ glossary_id: Schema.String }),
  success: Schema.Struct({ deleted: Schema.Boolean }),
  ...failures
}).annotate(Tool.Destructive, true).annotate(Tool.Idempotent, true)

/**
 * The tools that change the account: `create_glossary` and `delete_glossary`.
 *
 * @category toolkits
 * @since 0.2.0
 */
export const changes = Toolkit.make(createGlossary, deleteGlossary)

const failing = <A, E extends { readonly _tag: string; readonly message: string; readonly isTransient?: boolean }, R>(
  effect: Effect.Effect<A, E, R>
) => Effect.mapError(effect, failureOf)

const textsOf = (results: ReadonlyArray<{ readonly text: string }>) => results.map(({ text }) => text)

/**
 * The handlers of {@link toolkit}, over the client's services.
 *
 * @category layers
 * @since 0.2.0
 */
export const layer = toolkit.toLayer(Effect.gen(function*() {
  const translation = yield* Translation
  const writing = yield* Writing
  const detection = yield* Detection
  const languages = yield* Languages
  const glossaries = yield* Glossaries
  const styleRules = yield* StyleRules
  const account = yield* Usage
  return {
    translate: ({ context, formality, glossary_id, source_language, style_id, target_language, texts }) =>
      failing(Effect.map(
        translation.translate(texts, {
          targetLanguage: target_language,
          sourceLanguage: source_language,
          formality,
          context,
          glossaryId: glossary_id === undefined ? undefined : GlossaryId.make(glossary_id),
          styleId: style_id === undefined ? undefined : StyleId.make(style_id)
        }),
        (results) =>
          results.map(({ detectedSourceLanguage, text }) => ({
            text,
            ...(detectedSourceLanguage === undefined ? {} : { source_language: detectedSourceLanguage })
          }))
      )),
    rephrase: ({ style, target_language, texts, tone }) => {
      const common = { targetLanguage: target_language }
      return failing(Effect.map(
        writing.rephrase(texts, tone === undefined ? { ...common, writingStyle: style } : { ...common, tone }),
        textsOf
      ))
    },
    correct: ({ target_language, texts }) =>
      failing(Effect.map(writing.correct(texts, { targetLanguage: target_language }), textsOf)),
    detect_language: ({ texts }) =>
      failing(
        Effect.map(detection.detect(texts), (results) =>
          results.map((result) => result._tag === "Detected" ? result.language : null))
      ),
    list_languages: ({ resource }) =>
      failing(
        Effect.map(Stream.runCollect(languages.list({ resource })), (all) =>
          all.map(({ code, name, usableAsSource, usableAsTarget }) => ({
            code,
            name,
            usable_as_source: usableAsSource === true,
            usable_as_target: usableAsTarget === true
          })))
      ),
    list_glossaries: () =>
      failing(
        Effect.map(Stream.runCollect(glossaries.list), (all) =>
          all.map(({ dictionaries, glossaryId, name }) => ({
            glossary_id: glossaryId,
            name,
            pairs: (dictionaries ?? []).map(({ sourceLanguage, targetLanguage }) =>
              `${sourceLanguage} to ${targetLanguage}`
            )
          })))
      ),
    list_style_rules: () =>
      failing(
        Effect.map(Stream.runCollect(styleRules.list()), (all) =>
          all.map(({ language, name, styleId }) => ({ style_id: styleId, name, language: language ?? "" })))
      ),
    usage: () =>
      failing(Effect.map(account.get, (current) => ({
        left: Usage.remaining(current),
        ...(current.characterCount === undefined ? {} : { used: current.characterCount })
      })))
  }
}))

/**
 * The handlers of {@link changes}, over `Glossaries`.
 *
 * @category layers
 * @since 0.2.0
 */
export const layerChanges = changes.toLayer(Effect.map(Glossaries, (glossaries) => ({
  create_glossary: ({ entries, name, source_language, target_language }) => {
    const bySource = new Map(entries.map(({ source, target }) => [source, target]))
    return failing(Effect.map(
      glossaries.create({
        name,
        dictionaries: [{
          sourceLanguage: source_language,
          targetLanguage: target_language,
          // TSV if a source is repeated, so that the service can report the duplicate.
          entries: bySource.size === entries.length
            ? bySource
            : { tsv: entries.map(({ source, target }) => `${source}\t${target}`).join("\n") }
        }]
      }),
      ({ glossaryId }) => ({ glossary_id: glossaryId })
    ))
  },
  delete_glossary: ({ glossary_id }) =>
    failing(Effect.as(glossaries.remove({ glossaryId: GlossaryId.make(glossary_id) }), { deleted: true }))
})))
