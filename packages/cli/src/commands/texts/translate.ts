/** `translate`. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { call } from "../../client/client.ts"
import { glossaryId, styleId } from "../../client/sample.ts"
import * as Input from "../../files/input.ts"
import * as Output from "../../files/output.ts"
import { InvalidUsage } from "../../settings/errors.ts"
import { choice, integer, known, optional, text, texts } from "../../settings/flags.ts"

const some = <A>(values: ReadonlyArray<A>) => values.length === 0 ? undefined : values

/** Translates texts. */
export const translate = Command.make(
  "translate",
  {
    ...Input.params,
    targets: Flag.String("target-language").pipe(
      Flag.withAlias("t"),
      Flag.withMetavar("language"),
      Flag.withDescription(
        `The language to translate to, ${known(["de", "en-GB", "en-US", "fr", "pt-BR"])} (repeatable)`
      ),
      Flag.atLeast(1)
    ),
    source: text("source-language", "language", "The language of the texts; found out by default"),
    formality: text(
      "formality",
      "formality",
      `How the reader is addressed, ${known(["more", "less", "prefer_more", "prefer_less"])}`
    ),
    context: text("context", "text", "What the texts are about; it is not translated"),
    glossaries: texts("glossary", "id", "A glossary to keep to; needs --source-language"),
    style: text("style-id", "id", "A list of style rules, as style-rules list shows them"),
    instructions: texts("instruction", "text", "An instruction for the translation, of at most 300 characters"),
    memory: text("translation-memory", "id", "A translation memory to draw from"),
    threshold: integer("memory-threshold", "percent", "How much a segment of the memory must match, 0 to 100"),
    model: text(
      "model",
      "model",
      `What it is optimised for, ${known(["latency_optimized", "quality_optimized", "prefer_quality_optimized"])}`
    ),
    splitSentences: text("split-sentences", "how", `Where sentences are split, ${known(["0", "1", "nonewlines"])}`),
    preserveFormatting: choice("preserve-formatting", "Leave punctuation and case as they are"),
    tagHandling: text("tag-handling", "markup", `The markup of the texts, ${known(["xml", "html"])}`),
    tagHandlingVersion: text("tag-handling-version", "version", `How it is handled, ${known(["v1", "v2"])}`),
    outlineDetection: choice("outline-detection", "Find the structure of XML by itself"),
    splittingTags: texts("splitting-tag", "tag", "A tag that splits sentences"),
    nonSplittingTags: texts("non-splitting-tag", "tag", "A tag that does not split sentences"),
    ignoreTags: texts("ignore-tag", "tag", "A tag whose text is not translated"),
    placeholders: optional(
      Flag.Literals("placeholders", ["icu", "mustache", "printf"]),
      "Keep placeholders that are written so: {name}, {{name}} or %s; not with what is said of markup"
    ),
    reportingTag: text("reporting-tag", "tag", "What it is told apart by in the reports of the service"),
    billed: choice("show-billed-characters", "Give the billed characters with --json"),
    beta: choice("beta-languages", "Take languages that are in beta; without effect, as the public description says"),
    ...Output.flags
  },
  Effect.fnUntraced(function*(input) {
    const { placeholders, targets } = input
    const several = targets.length > 1
    const lower = targets.map((target) => target.toLowerCase())
    const twice = targets.find((_, index) => lower.indexOf(lower[index] ?? "") !== index)
    if (twice !== undefined) return yield* new InvalidUsage({ message: `--target-language has ${twice} twice` })
    const markup = {
      tagHandling: input.tagHandling,
      tagHandlingVersion: input.tagHandlingVersion,
      outlineDetection: input.outlineDetection,
      splittingTags: some(input.splittingTags),
      nonSplittingTags: some(input.nonSplittingTags),
      ignoreTags: some(input.ignoreTags)
    }
    if (placeholders !== undefined && Object.values(markup).some((value) => value !== undefined)) {
      return yield* new InvalidUsage({
        message: "--placeholders uses XML itself, so it does not go with flags about markup; leave out one of them"
      })
    }
    const text = yield* Input.textsOf(input)
    yield* Output.deliver(
      input,
      call(({ GlossaryId, Placeholders, StyleId, Translation, TranslationMemoryId }) => {
        const [glossary] = input.glossaries
        const severalGlossaries = input.glossaries.length > 1
        const options = {
          text,
          sourceLanguage: input.source,
          formality: input.formality,
          context: input.context,
          glossaryId: severalGlossaries || glossary === undefined ? undefined : GlossaryId.make(glossary),
          glossaryIds: severalGlossaries ? input.glossaries.map((id) => GlossaryId.make(id)) : undefined,
          styleId: input.style === undefined ? undefined : StyleId.make(input.style),
          customInstructions: some(input.instructions),
          translationMemoryId: input.memory === undefined ? undefined : TranslationMemoryId.make(input.memory),
          translationMemoryThreshold: input.threshold,
          modelType: input.model,
          splitSentences: input.splitSentences,
          preserveFormatting: input.preserveFormatting,
          reportingTag: input.reportingTag,
          showBilledCharacters: input.billed,
          enableBetaLanguages: input.beta
        }
        const translateTo = (targetLanguage: string) =>
          placeholders === undefined
            ? Translation.use(({ translate }) => translate({ ...options, ...markup, targetLanguage }))
            : Placeholders.translate({ ...options, placeholders, targetLanguage })
        const results = several && placeholders === undefined
          ? Effect.map(
            Translation.use(({ translateInto }) => translateInto({ ...options, ...markup, targetLanguages: targets })),
            (found) => targets.map((target) => found[target] ?? [])
          )
          : Effect.forEach(targets, translateTo, { concurrency: 8 })
        return Effect.map(results, (found): Output.Results => {
          const all = found.flatMap((translations, index) =>
            translations.map((translation) => ({ target: targets[index], translation }))
          )
          return {
            json: all.map(({ target, translation }) =>
              several ? Object.assign({ targetLanguage: target }, translation) : translation
            ),
            human: ({ clean }) =>
              all.map(({ target, translation: { text } }) => clean(several ? `${target}: ${text}` : text)).join("\n")
          }
        })
      })
    )
  })
).pipe(
  Command.withDescription("Translate texts, each on its own"),
  Command.withExamples([
    { command: `effect-lingua translate --fake -t de "Good morning"`, description: "A text" },
    {
      command: `effect-lingua translate --fake -t de -t fr "Good morning"`,
      description: "To two languages, with the language before each"
    },
    {
      command: `effect-lingua translate --fake -t de --file letter.txt --output letter.de.txt --overwrite`,
      description: "From a file to another"
    },
    {
      command:
        `effect-lingua translate --fake -t de --source-language en --formality less --glossary ${glossaryId} "Good morning"`,
      description: "With a glossary"
    },
    {
      command: `effect-lingua translate --fake -t de --placeholders icu "Hello {name}"`,
      description: "A message of a program"
    },
    {
      command: `effect-lingua translate --fake -t en-GB --style-id ${styleId} --json "Guten Morgen"`,
      description: "By the rules of a list, for a program"
    }
  ])
)
