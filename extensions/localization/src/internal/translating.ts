/** Translates the texts of a localization file. */
import type { ErrorOf } from "@effect-lingua/core/errors/CallError"
import { Translation } from "@effect-lingua/core/texts/Translation"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { isNotUndefined } from "effect/Predicate"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { Malformed, type Source } from "../formats/Format.ts"
import { checkResponse, problemOf } from "../formats/internal/comparison.ts"
import { type Markup, placeholdersOf, protect, unkeptOf } from "../formats/internal/markup.ts"
import { type Sentences, sentencesOf } from "../formats/internal/messages.ts"
import type { Settings } from "../projects/internal/locales.ts"
import type { Planned } from "../projects/internal/plan.ts"
import { InvalidFile } from "../projects/Project.ts"
import type { TextOptions } from "./options.ts"

type TranslateError = ErrorOf<typeof Translation, "translate">

export interface Job {
  readonly source: string
  readonly target: string
  readonly language: string
  readonly planned: ReadonlyArray<Planned>
  readonly parsed: Source
  readonly markup: Markup
  readonly settings: Settings
}

export const toTranslate = ({ planned }: Pick<Job, "planned">): ReadonlyArray<Planned> =>
  planned.filter(({ state }) => state === "missing" || state === "changed")

export const sentencesIn = ({ markup, text }: Planned, language: string): Pick<Sentences, "texts" | "join"> =>
  markup.syntax === "icu" ? sentencesOf(text, language) : { texts: [text], join: ([text = ""]) => text }

export const parsing = <A>(file: string, parse: () => A): Effect.Effect<A, InvalidFile> =>
  Effect.try({
    try: parse,
    catch: (error) => {
      if (error instanceof Malformed) return new InvalidFile({ file, problem: error.message })
      // The parsers of the formats recurse.
      if (error instanceof RangeError && error.message.includes("call stack")) {
        return new InvalidFile({ file, problem: "it is nested too deep" })
      }
      throw error
    }
  })

const elements = { tagHandling: "xml", outlineDetection: false, ignoreTags: ["x", "placeholder"] } as const

interface Failed {
  readonly reason: string
  /** The error of its request; `undefined` for a wrong response. */
  readonly error?: TranslateError
}

type Translated = Result.Result<string, Failed>

const wrong = (reason: string): Failed => ({ reason })

const refused = (error: TranslateError): Failed => ({ reason: error.detail ?? error.description, error })

interface Sentence {
  readonly text: string
  readonly markup: Markup
}

interface Unit extends Planned {
  readonly sentences: ReadonlyArray<Sentence>
  readonly join: Sentences["join"]
}

/** True for a text without tags and placeholders. */
const isUnmarked = ({ markup: { isXml, syntax }, text }: Sentence): boolean =>
  placeholdersOf(text, syntax).length === 0 && !(isXml && /[<&]/.test(text))

interface Outcome {
  readonly texts: ReadonlyMap<string, string>
  /** Problems by id. */
  readonly reasons: ReadonlyMap<string, string>
  readonly failure: TranslateError | undefined
}

export const nothing: Outcome = { texts: new Map(), reasons: new Map(), failure: undefined }

/** Translates the texts of a file. Failed texts are reported; an error of all texts keeps earlier translations. */
export const translate = Effect.fnUntraced(function*(
  job: Job,
  options: Partial<TextOptions> & { readonly sourceLanguage: string; readonly targetLanguage: string },
  onProgress: (done: number, total: number) => Effect.Effect<void>
) {
  const { language, markup: { isXml }, parsed, planned, settings, source } = job
  const { translateAll } = yield* Translation
  const all = { ...options, onError: "result" } as const
  const units = yield* parsing(source, () =>
    toTranslate(job).map((unit): Unit => {
      const { context, id, markup } = unit
      const { join, texts } = sentencesIn(unit, language)
      return {
        ...unit,
        context: settings.keyAsContext === true ? [id, context].filter(isNotUndefined).join("\n") : context,
        sentences: texts.map((sentence) => ({ text: sentence, markup })),
        join
      }
    }))
  const texts = new Map<string, string>()
  const reasons = new Map<string, string>()
  let failure: TranslateError | undefined
  let isOver = false
  let count = 0
  const total = units.reduce((sum, { sentences }) => sum + sentences.length, 0)
  yield* onProgress(0, total)

  const checked = ({ markup, text }: Sentence, translation: string): Translated =>
    Result.filterOrFail(
      Result.mapError(checkResponse(text, translation, markup), wrong),
      (found) => parsed.accepts?.(found) !== false,
      () => wrong("its translation is not well-formed XML")
    )
  /** Sends texts without their outer white space. */
  const send = (sentences: ReadonlyArray<Sentence>, context: string | undefined, isEmpty = false) => {
    const sent = sentences.map(({ markup, text }) => protect(text.trim(), markup, isEmpty))
    return Stream.zipWith(
      translateAll(sent.map(({ text }) => text), { ...all, ...elements, context }),
      Stream.fromIterable(Arr.zip(sentences, sent)),
      (result, [sentence, { restore }]): Translated =>
        Result.flatMap(Result.mapError(result, refused), ({ text }) => checked(sentence, restore(text)))
    )
  }
  const collected = Effect.fnUntraced(
    function*(results: Stream.Stream<Translated, TranslateError, Translation>) {
      const done: Array<Translated> = []
      yield* Stream.runForEach(results, (result) => {
        done.push(result)
        return onProgress(Math.min(++count, total), total)
      }).pipe(
        Effect.catch((error) => {
          isOver = true
          failure ??= error
          return Effect.void
        })
      )
      return done
    }
  )
  /** Splits a large text with markup: core splits only others. */
  const sendInParts = (sentences: ReadonlyArray<Sentence>, context: string | undefined) =>
    Stream.zipWith(
      translateAll(sentences.map(({ text }) => text), { ...all, context, split: "sentences" }),
      Stream.fromIterable(sentences),
      (result, sentence): Translated =>
        Result.flatMap(Result.mapError(result, refused), ({ text }) => checked(sentence, text))
    )
  /** Sends texts; those with a wrong response once more, and large ones in parts. */
  const results = Effect.fnUntraced(function*(sentences: ReadonlyArray<Sentence>, context: string | undefined) {
    const found = yield* collected(send(sentences, context))
    const again = Effect.fnUntraced(function*(
      isChosen: (failed: Failed, sentence: Sentence) => boolean,
      resend: (sentences: ReadonlyArray<Sentence>) => Stream.Stream<Translated, TranslateError, Translation>
    ) {
      const chosen = Arr.zip(found, sentences).flatMap(([result, sentence], index) =>
        Result.isFailure(result) && isChosen(result.failure, sentence) ? [{ index, sentence }] : []
      )
      if (chosen.length === 0) return
      const second = yield* collected(resend(chosen.map(({ sentence }) => sentence)))
      for (const [{ index }, result] of Arr.zip(chosen, second)) found[index] = result
    })
    yield* again(({ error }) => error === undefined, (sentences) => send(sentences, context, true))
    yield* again(
      ({ error }, sentence) => error?._tag === "LimitExceeded" && isUnmarked(sentence),
      (sentences) => sendInParts(sentences, context)
    )
    return found
  })
  const sendable: Array<Unit> = []
  for (const unit of units) {
    const problem = isXml
      ? undefined
      : unit.sentences.map(({ markup, text }) => unkeptOf(text, markup.syntax)).find(isNotUndefined)
    if (problem === undefined) sendable.push(unit)
    else reasons.set(unit.id, problem)
  }
  yield* Effect.forEach(
    Object.values(Arr.groupBy(sendable, ({ context }) => JSON.stringify([context]))),
    Effect.fnUntraced(function*(group) {
      if (isOver) return
      const done = yield* results(group.flatMap(({ sentences }) => sentences), group[0].context)
      let at = 0
      for (const { id, join, markup, sentences, text } of group) {
        const own = done.slice(at, at + sentences.length)
        at += sentences.length
        if (own.length < sentences.length) return
        const broken = own.find(Result.isFailure)?.failure
        const joined = join(own.map((one) => Result.getOrElse(one, () => "")))
        const reason = broken?.reason ?? problemOf(text, joined, markup, language)
        if (reason === undefined) texts.set(id, joined)
        else reasons.set(id, reason)
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
  const outcome: Outcome = { texts, reasons, failure }
  return outcome
})
