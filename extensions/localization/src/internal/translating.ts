/** Translates the texts of a localization file. */
import type { ErrorOf } from "@effect-lingua/core/errors/CallError"
import * as Placeholders from "@effect-lingua/core/texts/Placeholders"
import { Translation } from "@effect-lingua/core/texts/Translation"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { isNotUndefined } from "effect/Predicate"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { Malformed, type Source } from "../formats/Format.ts"
import { isMessages, type Markup, markupOf, placeholdersOf, protectInXml } from "../formats/internal/markup.ts"
import { type Sentences, sentencesOf } from "../formats/internal/messages.ts"
import type { Settings } from "../projects/internal/locales.ts"
import type { Planned } from "../projects/internal/plan.ts"
import { InvalidFile } from "../projects/Project.ts"
import type { TextOptions } from "./options.ts"
import { checkResponse } from "./response.ts"

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

export const sentencesIn = (unit: Planned, { language, markup }: Pick<Job, "language" | "markup">): Sentences =>
  isMessages(markupOf(unit, markup))
    ? sentencesOf(unit.text, language)
    : { texts: [unit.text], join: ([text = ""]) => text }

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

const isUnmarked = (text: string, { isXml, syntax }: Markup): boolean =>
  placeholdersOf(text, syntax).length === 0 && !(isXml && /[<&]/.test(text))

interface Failed {
  readonly reason: string
  /** The error of its request; `undefined` for a wrong response. */
  readonly error?: TranslateError
}

type Translated = Result.Result<string, Failed>

const wrong = (reason: string): Failed => ({ reason })

const refused = (error: TranslateError): Failed => ({ reason: error.detail ?? error.description, error })

interface Unit {
  readonly id: string
  readonly context: string | undefined
  readonly own: Markup
  readonly sentences: Sentences
}

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
  const { markup, parsed, planned, settings, source } = job
  const { translateAll } = yield* Translation
  const all = { ...options, onError: "result" } as const
  const units = yield* parsing(source, () =>
    toTranslate(job).map((unit): Unit => {
      const own = markupOf(unit, markup)
      return {
        id: unit.id,
        context: settings.keyAsContext === true
          ? [unit.id, unit.context].filter(isNotUndefined).join("\n")
          : unit.context,
        own,
        sentences: sentencesIn(unit, job)
      }
    }))
  const texts = new Map<string, string>()
  const reasons = new Map<string, string>()
  let failure: TranslateError | undefined
  let isOver = false
  let count = 0
  const total = units.reduce((sum, { sentences }) => sum + sentences.texts.length, 0)
  yield* onProgress(0, total)

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
  const inPlain = (texts: ReadonlyArray<string>, { context, own }: Unit, placeholders: Placeholders.Syntax) =>
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
  const inParts = (texts: ReadonlyArray<string>, { context, own }: Unit) =>
    Stream.map(
      translateAll(texts, { ...all, context, split: "sentences" }),
      (result, index): Translated =>
        Result.flatMap(
          Result.mapError(result, refused),
          ({ text }) => Result.mapError(checkResponse(texts[index] ?? "", text, own), wrong)
        )
    )
  /** Sends texts; large ones in parts, and XML with a wrong response once more. */
  const results = Effect.fnUntraced(function*(texts: ReadonlyArray<string>, like: Unit) {
    const { isXml, syntax } = like.own
    const isPlain = !isXml && syntax !== undefined
    const found = yield* collected(isPlain ? inPlain(texts, like, syntax) : inXml(texts, like))
    const again = Effect.fnUntraced(function*(
      isChosen: (failed: Failed, text: string) => boolean,
      send: (texts: ReadonlyArray<string>) => Stream.Stream<Translated, TranslateError, Translation>
    ) {
      const chosen = found.flatMap((result, index) =>
        Result.isFailure(result) && isChosen(result.failure, texts[index] ?? "") ? [index] : []
      )
      if (chosen.length === 0) return
      const second = yield* collected(send(chosen.map((index) => texts[index] ?? "")))
      for (const [index, result] of Arr.zip(chosen, second)) found[index] = result
    })
    if (!isPlain) yield* again(({ error }) => error === undefined, (texts) => inXml(texts, like))
    yield* again(
      ({ error }, text) => error?._tag === "LimitExceeded" && isUnmarked(text, like.own),
      (texts) => inParts(texts, like)
    )
    return found
  })
  const sendable: Array<Unit> = []
  for (const unit of units) {
    const { id, own: { isXml, syntax }, sentences } = unit
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
  const outcome: Outcome = { texts, reasons, failure }
  return outcome
})
