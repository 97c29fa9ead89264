/** `translate`. */
import * as Limits from "@effect-lingua/core/contract/Limits"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { call } from "../../client/client.ts"
import { withIds } from "../../client/names.ts"
import { styleId } from "../../client/sample.ts"
import type { textsOf } from "../../files/input.ts"
import * as Output from "../../files/output.ts"
import { misuse } from "../../settings/errors.ts"
import { checkOnce, choice, known, optional, targetLanguages, text, texts } from "../../settings/flags.ts"
import * as Flags from "../translationFlags.ts"
import { split, textCommand, textOf } from "./textCommand.ts"

/** A repeatable text that is absent, not empty, without a value. */
const list = (name: string, metavar: string, description: string) =>
  Flag.map(texts(name, metavar, description), (values) => values.length === 0 ? undefined : values)

const params = {
  targets: targetLanguages(`The language to translate to, ${Flags.targets}, or that of the settings`),
  options: {
    ...Flags.translationFlags,
    context: text("context", "text", "Context that helps the translation; it is not translated itself"),
    customInstructions: list(
      "instruction",
      "text",
      `An instruction for the translation, of at most ${Limits.defaults.promptCharacters} characters`
    ),
    modelType: text(
      "model",
      "model",
      `The kind of model, ${known(["latency_optimized", "quality_optimized", "prefer_quality_optimized"])}`
    ),
    splitSentences: text(
      "split-sentences",
      "mode",
      `How texts are split into sentences, ${known(["0", "1", "nonewlines"])}`
    ),
    preserveFormatting: choice("preserve-formatting", "Keep punctuation and case"),
    reportingTag: text("reporting-tag", "tag", "A tag for the usage reports of the service"),
    showBilledCharacters: choice("show-billed-characters", "Include the billed characters with --json"),
    enableBetaLanguages: choice(
      "beta-languages",
      "Accept languages in beta; the public description says that it has no effect"
    )
  },
  markup: {
    tagHandling: text("tag-handling", "markup", `The markup of the texts, ${known(["xml", "html"])}`),
    tagHandlingVersion: text("tag-handling-version", "version", `The version of that, ${known(["v1", "v2"])}`),
    outlineDetection: choice("outline-detection", "Detect the structure of XML automatically"),
    splittingTags: list("splitting-tag", "tag", "A tag that splits sentences"),
    nonSplittingTags: list("non-splitting-tag", "tag", "A tag that does not split sentences"),
    ignoreTags: list("ignore-tag", "tag", "A tag whose text is not translated")
  },
  placeholders: optional(
    Flag.Literals("placeholders", ["brace", "icu", "mustache", "printf"]),
    "Keep the placeholders of this syntax: {name} of Python or ICU, {{name}} or %s; excludes the flags about markup"
  )
}

type Input = Command.Command.Config.InferValue<typeof params>

/** Translates to several languages, or with placeholders. */
const toEach = Effect.fnUntraced(function*(
  { markup, placeholders, targets: given, ...input }: Input,
  texts: ReturnType<typeof textsOf>
) {
  const targets = yield* Flags.targetsOf(given)
  yield* checkOnce(targets.map((target) => `--to ${target.toLowerCase()}`))
  if (placeholders !== undefined && Object.values(markup).some((value) => value !== undefined)) {
    return yield* misuse(
      "--placeholders uses XML itself, so it excludes the flags about markup; leave out one of them"
    )
  }
  const options = Flags.translationOptions(input.options)
  const text = yield* texts
  const several = targets.length > 1
  const found = yield* call(Effect.fnUntraced(function*(services) {
    const { Placeholders, Translation } = services
    const named = yield* withIds(services, options)
    if (placeholders !== undefined) {
      return yield* Effect.forEach(
        targets,
        (targetLanguage) => Placeholders.translate({ ...named, text, placeholders, targetLanguage }),
        { concurrency: 8 }
      )
    }
    const { translateInto } = yield* Translation
    const into = yield* translateInto({ ...named, ...markup, text, targetLanguages: targets })
    return targets.map((target) => into[target] ?? [])
  }))
  const all = found.flatMap((translations, index) =>
    translations.map((translation) => Object.assign({ targetLanguage: targets[index] }, translation))
  )
  return several
    ? Output.texts(all, ({ targetLanguage, text }) => `${targetLanguage}: ${text}`)
    : Output.texts(found.flat(), textOf)
})

/** Long texts are split where sentences end, but not in markup. */
const splitOf = ({ tagHandling }: { readonly tagHandling: string | undefined }) =>
  tagHandling === undefined ? split : {}

/** The options for one language. */
const optionsOf = Effect.fnUntraced(function*({ markup, options, placeholders, targets: given }: Input) {
  const [targetLanguage = "", ...others] = yield* Flags.targetsOf(given)
  if (others.length > 0 || placeholders !== undefined) {
    return yield* misuse("--lines and --null take one language, and no --placeholders")
  }
  return { ...Flags.translationOptions(options), ...markup, ...splitOf(markup), targetLanguage }
})

/** Translates texts. */
export const translate = textCommand("translate", {
  examples: {
    [`effect-lingua translate --fake -t de "Good morning"`]: "A text",
    [`effect-lingua translate --fake -t de,fr "Good morning"`]: "To two languages, with the language before each text",
    "effect-lingua translate --fake -t de --file letter.txt --output letter.de.txt --overwrite":
      "From a file to another",
    [`effect-lingua translate --fake -t de --from en --formality less --glossary Hardware "Good morning"`]:
      "With a glossary",
    [`effect-lingua translate --fake -t de --placeholders icu "Hello {name}"`]: "A message of a program",
    [`effect-lingua translate --fake -t en-GB --style-rules ${styleId} --json "Guten Morgen"`]:
      "By the rules of a list, for a program"
  },
  params,
  optionsOf,
  send: (services, texts, options) =>
    Stream.unwrap(
      Effect.zipWith(services.Translation, withIds(services, options), ({ translateAll }, named) =>
        translateAll(texts, named))
    ),
  textOf,
  alone: (input, texts) =>
    input.targets.length < 2 && input.placeholders === undefined ? undefined : toEach(input, texts)
})
