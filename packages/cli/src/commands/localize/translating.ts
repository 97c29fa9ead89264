/** Translates the texts of a localization file. */
import type { Syntax } from "@effect-lingua/core/texts/Placeholders"
import type { TranslateError } from "@effect-lingua/core/texts/Translation"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type * as Services from "../../client/services.ts"
import { Malformed, type Source } from "../../localization/format.ts"
import { isMessages, type Markup, markupOf, protectInXml } from "../../localization/markup.ts"
import { type Sentences, sentencesOf } from "../../localization/messages.ts"
import type { Planned } from "../../localization/plan.ts"
import type * as Project from "../../localization/project.ts"
import { checkResponse } from "../../localization/response.ts"
import { invalid, InvalidSetting } from "../../settings/errors.ts"

/** A file in a language, with the state of its texts. */
export interface Job {
  readonly source: string
  readonly target: string
  readonly language: string
  readonly planned: ReadonlyArray<Planned>
  readonly parsed: Source
  readonly markup: Markup
}

/** The texts that are translated. */
export const toTranslate = ({ planned }: Job): ReadonlyArray<Planned> =>
  planned.filter(({ state }) => state === "missing" || state === "changed")

/** Runs a function of a format. */
export const parsing = <A>(file: string, parse: () => A): Effect.Effect<A, InvalidSetting> =>
  Effect.try({
    try: parse,
    catch: (error) => {
      if (error instanceof Malformed) return new InvalidSetting({ message: `${file}: ${error.message}` })
      // The parsers of the formats recurse.
      if (error instanceof RangeError && error.message.includes("call stack")) {
        return new InvalidSetting({ message: `${file}: it is nested too deep` })
      }
      throw error
    }
  })

/** The id of one of a list, which is given by its name or id. */
const idOf = Effect.fnUntraced(function*<A extends { readonly name: string }, Id extends string, E, R>(
  things: string,
  given: string | undefined,
  list: Stream.Stream<A, E, R>,
  idOf: (one: A) => Id
) {
  if (given === undefined) return undefined
  const all = yield* Stream.runCollect(list)
  const found = all.find((one) => one.name === given || idOf(one) === given)
  return found === undefined
    ? yield* invalid(`there is no ${things} ${given}; there are ${all.map(({ name }) => name).join(", ") || "none"}`)
    : idOf(found)
})

/** The options of all translations of a project. Glossary, style list and translation memory are found by name or id. */
export const optionsOf = Effect.fnUntraced(function*(
  {
    customInstructions,
    formality,
    glossary,
    modelType,
    preserveFormatting,
    source,
    splitSentences,
    styleRules,
    translationMemory
  }: Project.Project,
  { Glossaries, StyleRules, TranslationMemories }: typeof Services
) {
  const glossaries = yield* Glossaries
  const lists = yield* StyleRules
  const memories = yield* TranslationMemories
  return {
    sourceLanguage: source,
    customInstructions,
    formality,
    modelType,
    preserveFormatting,
    splitSentences,
    glossaryId: yield* idOf("glossary", glossary, glossaries.list(), ({ glossaryId }) => glossaryId),
    styleId: yield* idOf("style list", styleRules, lists.list(), ({ styleId }) => styleId),
    translationMemoryId: yield* idOf(
      "translation memory",
      translationMemory,
      memories.list(),
      ({ translationMemoryId }) => translationMemoryId
    )
  }
})

/** Why a text has no translation. */
interface Failed {
  readonly reason: string
  /** The error of its request, if it is not the response that is wrong. */
  readonly error?: TranslateError
}

type Translated = Result.Result<string, Failed>

const wrong = (reason: string): Failed => ({ reason })

const refused = (error: TranslateError): Failed => ({ reason: error.message, error })

interface Unit {
  readonly id: string
  readonly context: string | undefined
  readonly own: Markup
  readonly sentences: Sentences
}

/** What was translated of a file. */
interface Outcome {
  readonly texts: ReadonlyMap<string, string>
  readonly problems: ReadonlyArray<string>
  /** The first error of a request. */
  readonly failure: TranslateError | undefined
}

/** Translates the texts of a file. One that fails is reported, and an error of all texts keeps what was translated before it. */
export const translate = Effect.fnUntraced(function*(
  job: Job,
  options: Effect.Success<ReturnType<typeof optionsOf>>,
  { Placeholders, Translation }: typeof Services
) {
  const { language, markup, parsed, planned, source, target } = job
  const { translateAll } = yield* Translation
  const all = { ...options, targetLanguage: language, onError: "result" } as const
  const units = yield* parsing(source, () =>
    toTranslate(job).map((unit): Unit => {
      const own = markupOf(unit, markup)
      return {
        id: unit.id,
        context: unit.context,
        own,
        sentences: isMessages(own)
          ? sentencesOf(unit.text, language)
          : { texts: [unit.text], join: ([text = ""]) => text }
      }
    }))
  const texts = new Map<string, string>()
  const reasons = new Map<string, string>()
  let failure: TranslateError | undefined
  let isOver = false

  const inXml = (texts: ReadonlyArray<string>, { context, own }: Unit) => {
    const sent = texts.map((text) => protectInXml(text, own.syntax))
    return Stream.map(
      translateAll(sent.map(({ text }) => text), { ...all, context, tagHandling: "xml", outlineDetection: false }),
      (result, index): Translated =>
        Result.flatMap(Result.mapError(result, refused), ({ text }) => {
          const restored = sent[index]?.restore(text) ?? text
          const checked = Result.mapError(checkResponse(texts[index] ?? "", restored, own), wrong)
          return Result.filterOrFail(
            checked,
            (found) => parsed.accepts?.(found) !== false,
            () => wrong("its translation is not well-formed XML")
          )
        })
    )
  }
  const inPlain = (texts: ReadonlyArray<string>, { context, own }: Unit, placeholders: Syntax) =>
    Stream.map(
      Placeholders.translateAll(texts, { ...all, context, placeholders }),
      (result, index): Translated =>
        Result.match(result, {
          onSuccess: ({ text }) => Result.mapError(checkResponse(texts[index] ?? "", text, own), wrong),
          onFailure: (error) =>
            Result.fail(
              error._tag === "PlaceholderChanged"
                ? wrong(`its placeholder ${error.placeholder} is ${error.change} in the translation`)
                : refused(error)
            )
        })
    )
  /** The results up to the error that ends a run. */
  const collected = Effect.fnUntraced(
    function*(results: Stream.Stream<Translated, TranslateError, Services.Translation>) {
      const done: Array<Translated> = []
      yield* Stream.runForEach(results, (result) => Effect.sync(() => done.push(result))).pipe(
        Effect.catch((error) => {
          isOver = true
          failure ??= error
          return Effect.void
        })
      )
      return done
    }
  )
  /** Texts of XML with a wrong response are sent once more, without the others, as `Placeholders.translateAll` does. */
  const results = Effect.fnUntraced(function*(texts: ReadonlyArray<string>, like: Unit) {
    const { isXml, syntax } = like.own
    if (!isXml && syntax !== undefined) return yield* collected(inPlain(texts, like, syntax))
    const found = yield* collected(inXml(texts, like))
    const again = found.flatMap((result, index) =>
      Result.isFailure(result) && result.failure.error === undefined ? [index] : []
    )
    if (again.length === 0) return found
    const second = yield* collected(inXml(again.map((index) => texts[index] ?? ""), like))
    for (const [index, result] of Arr.zip(again, second)) found[index] = result
    return found
  })
  const sendable: Array<Unit> = []
  for (const unit of units) {
    const { id, own: { isXml, syntax }, sentences } = unit
    // A text that cannot be protected would end the run of all.
    const found = isXml || syntax === undefined
      ? undefined
      : sentences.texts.map((text) => Placeholders.protect(text, syntax)).find(Result.isFailure)
    if (found === undefined) sendable.push(unit)
    else reasons.set(id, `it has ${found.failure.what}`)
  }
  const groups = Object.values(Arr.groupBy(sendable, ({ context, own }) => JSON.stringify([own.syntax, context])))
  yield* Effect.forEach(
    groups,
    Effect.fnUntraced(function*(group) {
      if (isOver) return
      const done = yield* results(group.flatMap(({ sentences }) => sentences.texts), group[0])
      let at = 0
      for (const { id, sentences } of group) {
        const own = done.slice(at, at + sentences.texts.length)
        at += sentences.texts.length
        if (own.length < sentences.texts.length) return
        const broken = own.find(Result.isFailure)?.failure
        if (broken === undefined) texts.set(id, sentences.join(own.map((one) => Result.getOrElse(one, () => ""))))
        else reasons.set(id, broken.reason)
        failure ??= broken?.error
      }
    }),
    { concurrency: 8, discard: true }
  )
  const incomplete = new Set(
    planned.filter(({ id, kept }) => kept === undefined && !texts.has(id)).map(({ plural }) => plural)
  )
  for (const { id, kept, plural } of planned) {
    if (plural !== undefined && kept === undefined && incomplete.has(plural)) texts.delete(id)
  }
  const problems = planned.flatMap(({ id }) => {
    const reason = reasons.get(id)
    return reason === undefined ? [] : [`${target}: ${id}: ${reason}`]
  })
  const outcome: Outcome = { texts, problems, failure }
  return outcome
})
