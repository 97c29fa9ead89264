/** Translates the texts of a localization file. */
import * as Limits from "@effect-lingua/core/contract/Limits"
import type { ErrorOf } from "@effect-lingua/core/errors/CallError"
import { Translation } from "@effect-lingua/core/texts/Translation"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import { isNotUndefined } from "effect/Predicate"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { Malformed, type Source } from "../formats/Format.ts"
import { checkResponse, hasLetters, problemOf } from "../formats/internal/comparison.ts"
import { type Markup, placeholdersOf, protect, unkeptOf, unreadOf, withoutTags } from "../formats/internal/markup.ts"
import { type Sentences, sentencesIn, tooManySentences } from "../formats/internal/messages.ts"
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

export const parsing = <A>(file: string, parse: () => A): Effect.Effect<A, InvalidFile> =>
  Effect.try({
    try: parse,
    catch: (error) => {
      if (error instanceof Malformed) return new InvalidFile({ file, problem: error.message })
      // Parsers recurse, so deep nesting overflows the call stack.
      if (error instanceof RangeError && error.message.includes("call stack")) {
        return new InvalidFile({ file, problem: "it is nested too deep" })
      }
      throw error
    }
  })

const elements = { tagHandling: "xml", outlineDetection: false, ignoreTags: ["x", "placeholder"] } as const

interface Failed {
  readonly reason: string
  /** The request's error; `undefined` for a wrong response. */
  readonly error?: TranslateError
}

type Translated = Result.Result<string, Failed>

const refused = (error: TranslateError): Failed => ({ reason: error.detail ?? error.description, error })

interface Sentence {
  readonly text: string
  readonly markup: Markup
}

interface Unit extends Planned {
  readonly sentences: ReadonlyArray<Sentence>
  readonly join: Sentences["join"]
}

const isUnmarked = ({ markup: { isXml, syntax }, text }: Sentence): boolean =>
  placeholdersOf(text, syntax).length === 0 && !(isXml && /[<&]/.test(text))

const textsAtOnce = Limits.defaults.translationTexts

/** Above this number of characters (text plus context), a text shares requests only with texts of the same context. */
const shortContext = 200

/** A request's context. Different contexts are prefixed with their text, because the service applies a context to all texts. */
const sharedContext = (units: ReadonlyArray<Unit>): string | undefined => {
  const contexts = new Set(units.map(({ context }) => context))
  if (contexts.size < 2) return units[0]?.context
  return [...new Set(units.map(({ context = "", text }) => `"${text}": ${context.replaceAll("\n", "; ")}`))].join("\n")
}

/** Groups texts that share requests: texts with the same or short contexts. A text with two contexts is in two groups. */
const groupsOf = (units: ReadonlyArray<Unit>) => {
  const contexts = new Map<string, Map<string, number>>()
  const kinds = Map.groupBy(units, ({ context, text }) => {
    if (context === undefined || text.length + context.length > shortContext) return JSON.stringify([context])
    const own = contexts.get(text) ?? new Map<string, number>()
    const index = own.get(context) ?? own.size
    contexts.set(text, own.set(context, index))
    return index
  })
  return [...kinds.values()].flatMap((units) =>
    Arr.chunksOf(units, textsAtOnce).map((units) => ({ units, context: sharedContext(units) }))
  )
}

/** The texts that a run sends, copied texts, and the problems of texts that cannot be sent. */
export const prepare = (job: Job) => {
  const { language, markup: { isXml }, settings } = job
  const units: Array<Unit> = []
  const copies = new Map<string, string>()
  const reasons = new Map<string, string>()
  for (const unit of toTranslate(job)) {
    const { context, id, markup, text } = unit
    const found = markup.syntax === "icu"
      ? sentencesIn(text, language)
      : { texts: [text], join: ([text = ""]: ReadonlyArray<string>) => text }
    const problem = found?.texts.map((text) =>
      unreadOf(withoutTags(text, isXml), language) ?? (isXml ? undefined : unkeptOf(text, markup.syntax))
    ).find(isNotUndefined)
    if (found === undefined || problem !== undefined) reasons.set(id, problem ?? tooManySentences)
    else if (!found.texts.some((text) => hasLetters(text, markup))) copies.set(id, found.join(found.texts))
    else {
      units.push({
        ...unit,
        context: settings.keyAsContext === true ? [id, context].filter(isNotUndefined).join("\n") : context,
        sentences: found.texts.map((sentence) => ({ text: sentence, markup })),
        join: found.join
      })
    }
  }
  const groups = groupsOf(units)
  const texts = units.flatMap(({ sentences }) => sentences.map(({ text }) => text))
  const requests = groups.reduce(
    (sum, { units }) => sum + Math.ceil(units.flatMap(({ sentences }) => sentences).length / textsAtOnce),
    0
  )
  return { copies, groups, reasons, requests, texts }
}

export const nothing = { texts: new Map<string, string>(), reasons: new Map<string, string>(), failure: undefined }

/** Translates a job's texts, with reasons for failed texts. After an error, earlier translations are kept. */
export const translate = Effect.fnUntraced(function*(
  job: Job,
  options: Partial<TextOptions> & { readonly sourceLanguage: string; readonly targetLanguage: string },
  onProgress: (done: number, total: number) => Effect.Effect<void>
) {
  const { language, parsed, planned, source } = job
  const { translateAll } = yield* Translation
  const all = { ...options, onError: "result" } as const
  const { copies, groups, reasons, texts: { length: total } } = yield* parsing(source, () => prepare(job))
  const texts = new Map(copies)
  let failure: TranslateError | undefined
  let isOver = false
  let count = 0
  yield* onProgress(0, total)

  const checked = ({ markup, text }: Sentence, translation: string): Translated =>
    Result.filterOrFail(
      Result.mapError(checkResponse(text, translation, markup), (reason): Failed => ({ reason })),
      (found) => parsed.accepts?.(found) !== false,
      () => ({ reason: "its translation is not well-formed XML" })
    )
  /** Sends trimmed texts with placeholders as XML elements, or without elements in parts, because `split` excludes XML. */
  const send = (sentences: ReadonlyArray<Sentence>, context: string | undefined, kind?: "empty" | "parts") => {
    const sent = sentences.map(({ markup, text }) =>
      kind === "parts" ? { text, restore: identity } : protect(text.trim(), markup, kind === "empty")
    )
    const how = kind === "parts" ? { split: "sentences" } as const : elements
    return Stream.zipWith(
      translateAll(sent.map(({ text }) => text), { ...all, ...how, context }),
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
  /** Sends texts, again with empty elements after a wrong response, or in parts if too large. */
  const results = Effect.fnUntraced(function*(sentences: ReadonlyArray<Sentence>, context: string | undefined) {
    const found = yield* collected(send(sentences, context))
    const again = Effect.fnUntraced(function*(
      kind: "empty" | "parts",
      isChosen: (failed: Failed, sentence: Sentence) => boolean
    ) {
      const chosen = Arr.zip(found, sentences).flatMap(([result, sentence], index) =>
        Result.isFailure(result) && isChosen(result.failure, sentence) ? [{ index, sentence }] : []
      )
      if (chosen.length === 0) return
      const second = yield* collected(send(chosen.map(({ sentence }) => sentence), context, kind))
      for (const [{ index }, result] of Arr.zip(chosen, second)) found[index] = result
    })
    yield* again("empty", ({ error }) => error === undefined)
    yield* again("parts", ({ error }, sentence) => error?._tag === "LimitExceeded" && isUnmarked(sentence))
    return found
  })
  yield* Effect.forEach(
    groups,
    Effect.fnUntraced(function*({ context, units }) {
      if (isOver) return
      const done = yield* results(units.flatMap(({ sentences }) => sentences), context)
      let at = 0
      for (const { id, join, markup, sentences, text } of units) {
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
  const partial = new Set(planned.flatMap(({ id, kept, plural }) => kept === undefined && !texts.has(id) ? plural : []))
  for (const { id, kept, plural } of planned) {
    if (plural !== undefined && kept === undefined && partial.has(plural)) texts.delete(id)
  }
  return { texts, reasons, failure }
})
