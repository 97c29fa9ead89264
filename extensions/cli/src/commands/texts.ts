/** Commands `rephrase`, `correct`, `translate` and `detect`, for texts or, with `--lines`, for records of the input. */
import { nearest } from "@effect-lingua/core/contract/Language"
import * as Limits from "@effect-lingua/core/contract/Limits"
import type { LanguageService } from "@effect-lingua/core/LanguageService"
import type { Texts } from "@effect-lingua/core/texts/Bulk"
import { Detection, type DetectionResult } from "@effect-lingua/core/texts/Detection"
import * as Placeholders from "@effect-lingua/core/texts/Placeholders"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { call } from "../client/client.ts"
import { service } from "../client/config.ts"
import { withIds } from "../client/names.ts"
import { styleId } from "../client/sample.ts"
import * as Input from "../files/input.ts"
import * as Output from "../files/output.ts"
import * as Records from "../files/records.ts"
import { tell } from "../screen/screen.ts"
import { type FileUnusable, type InvalidUsage, misuseIf } from "../settings/errors.ts"
import { known, optional, targetLanguage, targetLanguages, text } from "../settings/flags.ts"
import { fromEndpoint, type Value, writing } from "./command.ts"
import * as Flags from "./translationFlags.ts"

const split = { split: "sentences" } as const

const textOf = ({ text }: { readonly text: string }): string => text

/** Creates a command with one result for each text. */
const textCommand = <
  const P extends Command.Command.Config,
  Options extends object,
  A extends object,
  E,
  R,
  E2,
  E3 = never,
  R3 = never
>(
  name: string,
  { alone = () => undefined, examples, optionsOf, params, send, textOf }: {
    readonly examples: Readonly<Record<string, string>>
    readonly params: P
    /** The options that determine a run's results. */
    readonly optionsOf: (input: Value<P>) => Effect.Effect<Options, E, R>
    readonly send: (
      texts: Texts<FileUnusable | InvalidUsage>,
      options: Options
    ) => Stream.Stream<A, E2, LanguageService>
    readonly textOf: (result: A) => string
    /** Sends texts with options that `--lines` does not support. Returns `undefined` if the input has no such option. */
    readonly alone?: (
      input: Value<P>,
      texts: ReturnType<typeof Input.textsOf>
    ) => Effect.Effect<Output.Results, E3, R3> | undefined
  }
) => {
  const withRecords = Effect.fnUntraced(function*(
    input: Value<P>,
    { files, texts }: Input.Sources,
    options: Records.Options,
    target: Output.Target
  ) {
    const sent = yield* optionsOf(input)
    const run = { about: { command: name, service: yield* service, ...sent }, files, texts, options, target }
    yield* call(Records.run(run, (texts) => send(texts, sent), textOf))
  })
  const withTexts = Effect.fnUntraced(function*(input: Value<P>, sources: Input.Sources) {
    const sentAlone = alone(input, Input.textsOf(sources))
    if (sentAlone !== undefined) return yield* sentAlone
    const options = yield* optionsOf(input)
    return yield* call(Records.collect(send(yield* Input.textsOf(sources), options), textOf))
  })
  return writing(name, {
    examples,
    params: { sources: Input.params, input: params, records: Records.params, target: Output.flags },
    run: Effect.fnUntraced(function*({ input, records, sources, target }) {
      if (Records.isOn(records)) return yield* withRecords(input, sources, records, target)
      yield* misuseIf(records.resume || records.skip !== undefined, "--resume and --skip go with --lines or --null")
      return yield* Output.deliver(target, withTexts(input, sources))
    })
  })
}

const languages = ["de", "en-GB", "en-US", "es", "fr", "it", "ja", "ko", "pt-BR", "pt-PT", "zh", "zh-Hans"]
const styles = ["academic", "business", "casual", "simple"]
const tones = ["confident", "diplomatic", "enthusiastic", "friendly"]

const prefer = "with prefer_ before it, it is ignored in languages without it"

const writingParams = {
  target: optional(targetLanguage, `The language of the texts, ${known(languages)}; a variant converts them`)
}

const rephraseParams = {
  ...writingParams,
  style: text("style", "style", `The writing style, ${known(styles)}; ${prefer}`),
  tone: text("tone", "tone", `The tone, instead of a style, ${known(tones)}; ${prefer}`)
}

const unlessDefault = (value: string | undefined) => value === "default" ? undefined : value

/** Warns about a likely misspelling. Does not fail, because the service may know other values. */
const nameNearest = (flag: string, value = "", values: ReadonlyArray<string>) => {
  const similar = nearest(value.replace("prefer_", ""), values, 2)
  return similar === undefined || value.endsWith(similar)
    ? Effect.void
    : tell("warning", `--${flag} "${value}" is not known; the nearest is "${similar}"`)
}

const rephraseOptions = Effect.fnUntraced(function*(input: Value<typeof rephraseParams>) {
  const style = unlessDefault(input.style)
  const tone = unlessDefault(input.tone)
  yield* misuseIf(style !== undefined && tone !== undefined, "--style and --tone exclude each other")
  yield* Effect.andThen(nameNearest("style", style, styles), nameNearest("tone", tone, tones))
  return { ...split, targetLanguage: input.target, ...(tone === undefined ? { writingStyle: style } : { tone }) }
})

export const rephrase = textCommand("rephrase", {
  examples: {
    [`--fake "we was late"`]: "A text",
    [`--fake --style business --to en-GB "we was late"`]: "In a style",
    "--fake --tone friendly < letter.txt": "From standard input"
  },
  params: rephraseParams,
  optionsOf: rephraseOptions,
  send: (texts, options) => Stream.unwrap(Effect.map(Writing, ({ rephraseAll }) => rephraseAll(texts, options))),
  textOf
})

export const correct = textCommand("correct", {
  examples: {
    [`--fake "teh letter has  arrived"`]: "A text",
    "--fake --file letter.txt --output corrected.txt": "From a file to another",
    "cat letter.txt | effect-lingua correct --fake --json": "In a pipe, for a program"
  },
  params: writingParams,
  optionsOf: ({ target }) => Effect.succeed({ targetLanguage: target }),
  send: (texts, options) =>
    Stream.unwrap(Effect.map(Writing, ({ correctAll }) => correctAll(texts, { ...split, ...options }))),
  textOf
})

const translateParams = {
  targets: targetLanguages(`The language to translate to, ${Flags.targets}; by default from the settings`),
  options: {
    ...Flags.translationFlags,
    ...fromEndpoint(Flags.translate, {
      context: ["Context that helps the translation; it is not translated itself", "text"],
      customInstructions: [
        `An instruction for the translation, of at most ${Limits.defaults.promptCharacters} characters`,
        "text",
        "instruction"
      ],
      modelType: [
        `The kind of model, ${known(["latency_optimized", "quality_optimized", "prefer_quality_optimized"])}`,
        "model",
        "model"
      ],
      splitSentences: [`How texts are split into sentences, ${known(["0", "1", "nonewlines"])}`, "mode"],
      preserveFormatting: ["Keep punctuation and case"],
      showBilledCharacters: ["Include the billed characters with --json"],
      enableBetaLanguages: [
        "Accept languages in beta; the public description says that it has no effect",
        "",
        "beta-languages"
      ]
    }).params,
    reportingTag: text("reporting-tag", "tag", "A tag for the usage reports of the service")
  },
  markup: fromEndpoint(Flags.translate, {
    tagHandling: [`The markup of the texts, ${known(["xml", "html"])}`, "markup"],
    tagHandlingVersion: [`The version of that, ${known(["v1", "v2"])}`, "version"],
    outlineDetection: ["Detect the structure of XML automatically"],
    splittingTags: ["A tag that splits sentences", "tag"],
    nonSplittingTags: ["A tag that does not split sentences", "tag"],
    ignoreTags: ["A tag whose text is not translated", "tag"]
  }).params,
  placeholders: optional(
    Flag.Literals("placeholders", ["brace", "icu", "mustache", "printf"]),
    "Keep the placeholders of this syntax: {name} of Python or ICU, {{name}} or %s; excludes the flags about markup"
  )
}

type TranslateInput = Command.Command.Config.InferValue<typeof translateParams>

/** Translates to several languages, or with placeholders. */
const toEach = Effect.fnUntraced(function*(
  { markup, placeholders, targets: codes, ...input }: TranslateInput,
  texts: ReturnType<typeof Input.textsOf>
) {
  const targets = yield* Flags.targetsOf(codes)
  yield* misuseIf(
    placeholders !== undefined && Object.values(markup).some((value) => value !== undefined),
    "--placeholders uses XML itself, so it excludes the flags about markup; leave out one of them"
  )
  const options = Flags.translationOptions(input.options)
  const text = yield* texts
  const found = yield* call(Effect.gen(function*() {
    const named = yield* withIds(options)
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
  return targets.length > 1
    ? Output.texts(all, ({ targetLanguage, text }) => `${targetLanguage}: ${text}`)
    : Output.texts(found.flat(), textOf)
})

const optionsOf = Effect.fnUntraced(function*({ markup, options, placeholders, targets: codes }: TranslateInput) {
  const [targetLanguage = "", ...others] = yield* Flags.targetsOf(codes)
  yield* misuseIf(
    others.length > 0 || placeholders !== undefined,
    "--lines and --null take one language, no --placeholders"
  )
  // The client does not split texts with markup into sentences.
  const splitting = markup.tagHandling === undefined ? split : {}
  return { ...Flags.translationOptions(options), ...markup, ...splitting, targetLanguage }
})

export const translate = textCommand("translate", {
  examples: {
    [`--fake -t de "Good morning"`]: "A text",
    [`--fake -t de,fr "Good morning"`]: "To two languages, with the language before each text",
    "--fake -t de --file letter.txt --output letter.de.txt --overwrite": "From a file to another",
    [`--fake -t de --from en --formality less --glossary Hardware "Good morning"`]: "With a glossary",
    [`--fake -t de --placeholders icu "Hello {name}"`]: "A message of a program",
    [`--fake -t en-GB --style-rules ${styleId} --json "Guten Morgen"`]: "By the rules of a list, for a program"
  },
  params: translateParams,
  optionsOf,
  send: (texts, options) =>
    Stream.unwrap(
      Effect.zipWith(Translation, withIds(options), ({ translateAll }, named) => translateAll(texts, named))
    ),
  textOf,
  alone: (input, texts) =>
    input.targets.length < 2 && input.placeholders === undefined ? undefined : toEach(input, texts)
})

const shown = (result: DetectionResult): { readonly language: string | null; readonly reason?: string } =>
  result._tag === "Detected" ? { language: result.language } : { language: null, reason: result.reason }

export const detect = textCommand("detect", {
  examples: {
    [`--fake "Wo ist der Bahnhof?"`]: "A text",
    [`--fake --json "Guten Morgen" "Bonne nuit" "12345"`]: "Several texts"
  },
  params: {},
  optionsOf: () => Effect.succeed({}),
  send: (texts) => Stream.unwrap(Effect.map(Detection, ({ detectAll }) => Stream.map(detectAll(texts), shown))),
  textOf: ({ language, reason }) => language ?? `unknown (${reason})`
})
