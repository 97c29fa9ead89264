/**
 * Translation that keeps placeholders: `{name}` of ICU messages and of Python, `{{name}}` of mustache, `%s` of printf.
 *
 * **Details**
 *
 * A placeholder goes to the service as an element of XML that is not translated (`tag_handling` and `ignore_tags`), and is
 * restored by its number. The translation is checked: each placeholder once, in the same order if the order is significant, and
 * no others. Characters that the service moved into an element stay next to its placeholder; an element with other content is one
 * whose placeholder is lost. Texts whose placeholders changed are sent once more, without the other texts.
 *
 * This module is not part of the services, so programs that do not use it do not bundle it.
 *
 * **Example** (Messages of a program)
 *
 * ```ts import.meta.vitest
 * import * as Placeholders from "@effect-lingua/core/texts/Placeholders"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect } from "effect"
 *
 * const program = Placeholders.translate({
 *   text: ["Hello {name}, R&D has {count, number} <new> letters"],
 *   targetLanguage: "de",
 *   placeholders: "icu"
 * })
 * const [translated] = await program.pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise)
 * translated?.text // => "[de] Hello {name}, R&D has {count, number} <new> letters"
 * ```
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { checked, complete, composed } from "../call/internal/operation.ts"
import type { ErrorOf, InvalidInput } from "../errors/CallError.ts"
import { checkTexts, invalid, typeOf } from "../errors/internal/checks.ts"
import { always, failure } from "../errors/internal/failure.ts"
import type * as Bulk from "./Bulk.ts"
import { edgeOf, finders, type Unkept } from "./internal/placeholderSyntax.ts"
import type { Translated } from "./internal/translationApi.ts"
import { type TranslateOptions, Translation } from "./Translation.ts"

type TranslateError = ErrorOf<typeof Translation, "translate">

/**
 * A syntax of placeholders.
 *
 * **Details**
 *
 * - `icu`: arguments of ICU MessageFormat, such as `{name}` and `{when, date, short}`, and text in its quotes, `'{'`.
 *   Arguments that contain texts, `plural`, `select` and `selectordinal`, are refused: their texts are parts of
 *   sentences, and other languages have other plurals. Translate each of their texts as a whole sentence.
 * - `mustache`: the contents of two or three braces. Sections keep their order and their placeholders.
 * - `printf`: conversions of C, Python, Ruby and Objective-C, such as `%s`, `%1$s`, `%(name)s`, `%{name}`, `%<name>d`, `%@`,
 *   `%#@name@` and `%%`, without the space flag. Those without number or name keep their order.
 * - `brace`: fields of Python's `str.format`, such as `{name}`, `{0:.2f}` and `{}`, and doubled braces. Those without number or
 *   name keep their order.
 *
 * @category models
 * @since 0.1.0
 */
export type Syntax = keyof typeof finders

/** Upper limit of a placeholder in a message: quoted text and comments belong to the caller and can be long. */
const beginningOf = (placeholder: string): string =>
  placeholder.length > 60 ? `${placeholder.slice(0, 60)}…` : placeholder

/**
 * A placeholder that the translation changed. `texts` is the position of the text, `change` the change: lost, repeated, moved
 * (before one that it followed, or out of its section), or added.
 *
 * @category errors
 * @since 0.1.0
 */
export class PlaceholderChanged
  extends failure<PlaceholderChanged>()("PlaceholderChanged", always("rejected", "unknown", false), {
    placeholder: Schema.String,
    change: Schema.Literals(["lost", "repeated", "moved", "added"])
  }, ({ change, placeholder }) => [
    `in the translation the placeholder ${JSON.stringify(beginningOf(placeholder))} is ${change}`,
    "The characters were counted; rewrite the text, or translate it in parts"
  ])
{}

/**
 * A text whose placeholders are XML elements, and the placeholders.
 *
 * @category models
 * @since 0.1.0
 */
export interface Protected {
  /** The text as XML. */
  readonly text: string
  /** The placeholder of each element, by its number. */
  readonly placeholders: ReadonlyArray<{ readonly text: string; readonly inOrder: boolean }>
  readonly syntax: Syntax
}

/**
 * The change of a placeholder.
 *
 * @category models
 * @since 0.1.0
 */
export interface Change extends Pick<PlaceholderChanged, "placeholder" | "change"> {}

/** Characters that XML cannot represent. They are kept as placeholders. */
// oxlint-disable-next-line no-control-regex -- control characters are intended
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;" }

const escape = (text: string): string => text.replace(/[&<>\r]/g, (character) => escapes[character] ?? character)

const named: ReadonlyMap<string, string> = new Map([["amp", "&"], ["lt", "<"], ["gt", ">"], ["quot", "\""], [
  "apos",
  "'"
]])

/**
 * Replaces the entities of XML by their characters: the five with names, and those with numbers. Others, such as `&nbsp;`, stay.
 *
 * **Example** (A text of XML)
 *
 * ```ts import.meta.vitest
 * import * as Placeholders from "@effect-lingua/core/texts/Placeholders"
 *
 * Placeholders.unescape("R&amp;D, caf&#xe9;&nbsp;") // => "R&D, café&nbsp;"
 * ```
 *
 * @category conversions
 * @since 0.3.0
 */
export const unescape = (text: string): string =>
  text.replace(/&(?:(\w+)|#(\d{1,7})|#x([\da-f]{1,6}));/gi, (whole, name = "", decimal = "", hex = "") => {
    if (name !== "") return named.get(name) ?? whole
    const code = decimal === "" ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

/** The placeholders of a text, including characters that XML cannot represent. */
const placeholdersOf = (text: string, syntax: Syntax) =>
  Result.map(finders[syntax](text), (found) => {
    const all = [...found]
    let from = 0
    for (const { start, text: { length } } of [...found, { start: text.length, text: "" }]) {
      for (let at = from; at < start; at++) {
        const character = text.charAt(at)
        if (notInXml.test(character)) all.push({ start: at, text: character, inOrder: true })
      }
      from = start + length
    }
    return all.toSorted((one, other) => one.start - other.start)
  })

/**
 * A construct that cannot be protected: its beginning, and a description.
 *
 * @category models
 * @since 0.3.0
 */
export type { Unkept } from "./internal/placeholderSyntax.ts"

/**
 * Wraps the placeholders of a text in elements, `<x id="0">{name}</x>`, and escapes the rest for XML. With `empty` the elements
 * have no content. Fails for unsupported placeholders, see {@link Syntax}.
 *
 * @category conversions
 * @since 0.1.0
 */
export const protect = (text: string, syntax: Syntax, empty = false): Result.Result<Protected, Unkept> =>
  Result.map(placeholdersOf(text, syntax), (placeholders) => {
    let from = 0
    let xml = ""
    for (const [id, placeholder] of placeholders.entries()) {
      const content = empty || notInXml.test(placeholder.text) ? "" : escape(placeholder.text)
      xml += `${escape(text.slice(from, placeholder.start))}<x id="${id}">${content}</x>`
      from = placeholder.start + placeholder.text.length
    }
    return { text: xml + escape(text.slice(from)), placeholders, syntax }
  })

const element = /<x\b[^<>]*?\bid\s*=\s*["']?(\d+)["']?\s*(?:\/>|>([^<]*)<\/x\s*>)/g

/** The number of occurrences of each text. */
const counts = (texts: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const text of texts) found.set(text, (found.get(text) ?? 0) + 1)
  return found
}

/** The first change between the expected placeholders and the actual ones. */
const changeOf = (expected: ReadonlyArray<string>, actual: ReadonlyArray<string>): Change | undefined => {
  const [before, after] = [counts(expected), counts(actual)]
  for (const [placeholder, count] of before) {
    const now = after.get(placeholder) ?? 0
    if (now !== count) return { placeholder, change: now < count ? "lost" : "repeated" }
  }
  const added = actual.find((placeholder) => !before.has(placeholder))
  return added === undefined ? undefined : { placeholder: added, change: "added" }
}

/** The innermost section of each placeholder, as the number of the placeholder that opens it. */
const sectionsOf = ({ placeholders, syntax }: Protected, ids: ReadonlyArray<number>) => {
  const sections = new Map<number, number | undefined>()
  const open: Array<number> = []
  for (const id of syntax === "mustache" ? ids : []) {
    const edge = edgeOf(placeholders[id]?.text ?? "")
    if (edge === "close" || edge === "else") open.pop()
    sections.set(id, open.at(-1))
    if (edge === "open" || edge === "else") open.push(id)
  }
  return sections
}

/**
 * Restores the placeholders of a translated text. Fails with the first change.
 *
 * @category conversions
 * @since 0.1.0
 */
export const restore = (given: Protected, translated: string): Result.Result<string, Change> => {
  const { placeholders, syntax } = given
  let from = 0
  let text = ""
  const ids: Array<number> = []
  for (const match of translated.matchAll(element)) {
    const id = Number(match[1])
    ids.push(id)
    const placeholder = placeholders[id]?.text ?? ""
    // Characters that the service moved into the element stay at the side of the placeholder.
    const content = unescape(match[2] ?? "") || placeholder
    const start = content.indexOf(placeholder)
    if (start === -1) return Result.fail({ placeholder, change: "lost" })
    const before = unescape(translated.slice(from, match.index)) + content.slice(0, start)
    // In an ICU message an apostrophe before it would begin quotes, unless it is doubled.
    const doubled = syntax === "icu" && /^['{]/.test(placeholder) && /(?<!')(?:'')*'$/.test(before)
    text += before + (doubled ? "'" : "") + content.slice(start)
    from = match.index + match[0].length
  }
  text += unescape(translated.slice(from))
  const textOf = (id: number) => placeholders[id]?.text ?? `<x id="${id}">`
  const wrong = changeOf(placeholders.map((_, id) => String(id)), ids.map(String))
  if (wrong !== undefined) return Result.fail({ ...wrong, placeholder: textOf(Number(wrong.placeholder)) })
  const ordered = ids.filter((id) => placeholders[id]?.inOrder)
  const before = sectionsOf(given, Array.from(placeholders.keys()))
  const after = sectionsOf(given, ids)
  const moved = ordered.find((id, index) => index > 0 && id < (ordered[index - 1] ?? 0)) ??
    ids.find((id) => before.get(id) !== after.get(id))
  if (moved !== undefined) return Result.fail({ placeholder: textOf(moved), change: "moved" })
  // The text in between may contain new placeholders too.
  const found = placeholdersOf(text, syntax)
  if (Result.isFailure(found)) return Result.fail({ placeholder: text.charAt(found.failure.start), change: "added" })
  const change = changeOf(placeholders.map(({ text }) => text), found.success.map(({ text }) => text))
  return change === undefined ? Result.succeed(text) : Result.fail(change)
}

/**
 * Texts to translate, with the syntax of their placeholders: the fields of `TranslateOptions` without those about markup.
 *
 * @category options
 * @since 0.1.0
 */
export interface PlaceholderOptions extends
  Omit<
    TranslateOptions,
    | "tagHandling"
    | "tagHandlingVersion"
    | "outlineDetection"
    | "splittingTags"
    | "nonSplittingTags"
    | "ignoreTags"
  >
{
  readonly placeholders: Syntax
}

/** A text to translate. */
interface Item {
  readonly index: number
  readonly protected: Protected
}

const itemOf = (text: string, index: number, syntax: Syntax, empty: boolean): Result.Result<Item, InvalidInput> =>
  // Untyped callers may pass any value.
  typeof text !== "string" ?
    Result.fail(invalid(`text[${index}]`, typeOf(text), "a text")) :
    !Object.hasOwn(finders, syntax) ?
    Result.fail(
      invalid(
        "placeholders",
        typeof syntax === "string" ? JSON.stringify(syntax) : typeOf(syntax),
        `one of ${Object.keys(finders).join(", ")}`
      )
    ) :
    Result.mapBoth(protect(text, syntax, empty), {
      onSuccess: (found) => ({ index, protected: found }),
      onFailure: ({ start, what }) =>
        invalid(`text[${index}]`, `${what}, at character ${start}`, "placeholders without texts inside")
    })

const protectAll = (text: ReadonlyArray<string>, syntax: Syntax, empty: boolean) =>
  Effect.andThen(
    checkTexts(text),
    Effect.suspend(() => Effect.forEach(text, (item, index) => Effect.fromResult(itemOf(item, index, syntax, empty))))
  )

/** The handling of markup of a text with elements in the place of its placeholders. */
const markup = { tagHandling: "xml", outlineDetection: false, ignoreTags: ["x"] } as const

const operation = "Placeholders.translate"

/** A translation with its placeholders restored, or their change; `billedCharacters` includes earlier requests. */
const restored = (
  item: Item,
  translated: Translated,
  before?: Translated,
  name = operation
): Result.Result<Translated, PlaceholderChanged> =>
  Result.mapBoth(restore(item.protected, translated.text), {
    onSuccess: (text) => ({
      // oxlint-disable-next-line typescript/no-misused-spread -- a body is a plain object
      ...translated,
      text,
      ...(translated.billedCharacters === undefined
        ? undefined
        : { billedCharacters: translated.billedCharacters + (before?.billedCharacters ?? 0) })
    }),
    onFailure: (change) =>
      new PlaceholderChanged({ operation: name, texts: { first: item.index, last: item.index }, ...change })
  })

const results = Effect.fnUntraced(function*({ placeholders, text, ...options }: PlaceholderOptions) {
  const translation = yield* Translation
  const send = (items: ReadonlyArray<Item>) =>
    translation.translate({
      ...options,
      text: items.map((item) => item.protected.text),
      ...markup
    })
  const [items, emptied] = yield* checked(
    operation,
    Effect.all([protectAll(text, placeholders, false), protectAll(text, placeholders, true)])
  )
  const first = yield* send(items)
  const found = Arr.zipWith(items, first, (item, translated) => restored(item, translated))
  const again = emptied.filter(({ index }) => found[index]?._tag === "Failure")
  if (again.length === 0) return found
  // The first request was paid for, so its results are returned instead of the second's error.
  const second = yield* Effect.orElseSucceed(send(again), () => [])
  for (const [item, translated] of Arr.zip(again, second)) {
    found[item.index] = restored(item, translated, first[item.index])
  }
  return found
})

function keeping(
  options: PlaceholderOptions & { readonly onError: "result" }
): Effect.Effect<ReadonlyArray<Result.Result<Translated, PlaceholderChanged>>, TranslateError, Translation>
function keeping(
  options: PlaceholderOptions & { readonly onError?: "fail" | undefined }
): Effect.Effect<ReadonlyArray<Translated>, TranslateError | PlaceholderChanged, Translation>
function keeping(
  { onError, ...options }: PlaceholderOptions & { readonly onError?: "fail" | "result" | undefined }
): Effect.Effect<
  ReadonlyArray<Translated | Result.Result<Translated, PlaceholderChanged>>,
  TranslateError | PlaceholderChanged,
  Translation
> {
  return onError === "result"
    ? composed(operation, results(options))
    : composed(operation, Effect.flatMap(results(options), Effect.forEach(Effect.fromResult)))
}

/**
 * Translates the texts of a list and keeps their placeholders.
 *
 * **Details**
 *
 * Texts with changed placeholders are sent once more, with empty elements; `billedCharacters` is the sum of both requests. A
 * text that is changed again fails with {@link PlaceholderChanged}. With `onError: "result"` each text has a `Result`, so that
 * the failure of one does not discard the others.
 *
 * Each request is a `Translation.translate`, with its errors. Fails with `InvalidInput` for a text with an argument that
 * contains texts or with an unclosed brace, before anything is sent.
 *
 * @category translation
 * @since 0.1.0
 */
export const translate = keeping

/**
 * Options of a run of texts with placeholders.
 *
 * @category options
 * @since 0.3.0
 */
export interface PlaceholderRunOptions extends Omit<PlaceholderOptions, "text">, Bulk.Options {}

const allOperation = "Placeholders.translateAll"

/** The result of a text, after a second request with empty elements if its placeholders changed. */
const resultOf = Effect.fnUntraced(function*(
  { placeholders, ...options }: Omit<PlaceholderOptions, "text">,
  text: string,
  item: Item,
  translated: Translated
) {
  const found = restored(item, translated, undefined, allOperation)
  const emptied = itemOf(text, item.index, placeholders, true)
  if (Result.isSuccess(found) || Result.isFailure(emptied)) return found
  const { translate } = yield* Translation
  // The first request was paid for, so its result counts, and not the error of the second.
  return yield* Effect.match(translate(emptied.success.protected.text, { ...options, ...markup }), {
    onFailure: () => found,
    onSuccess: (again) => restored(emptied.success, again, translated, allOperation)
  })
})

type Outcome = Result.Result<Translated, TranslateError | PlaceholderChanged>

/** A run of either `onError`. */
type Run<E, R> = Stream.Stream<Translated | Outcome, TranslateError | PlaceholderChanged | E, R | Translation>

function allKeeping<E = never, R = never>(
  texts: Bulk.Texts<E, R>,
  options: PlaceholderRunOptions & { readonly onError: "result" }
): Stream.Stream<
  Result.Result<Translated, PlaceholderChanged | Bulk.TextFailure<TranslateError>>,
  Bulk.RunFailure<TranslateError> | InvalidInput | E,
  R | Translation
>
function allKeeping<E = never, R = never>(
  texts: Bulk.Texts<E, R>,
  options: PlaceholderRunOptions & { readonly onError?: "fail" | undefined }
): Stream.Stream<Translated, TranslateError | PlaceholderChanged | E, R | Translation>
function allKeeping<E, R>(
  texts: Bulk.Texts<E, R>,
  options: PlaceholderRunOptions & { readonly onError?: "fail" | "result" | undefined }
): Run<E, R> {
  // Each run of the stream has a state of its own.
  return Stream.suspend(() => runOf(texts, options))
}

const runOf = <E, R>(
  texts: Bulk.Texts<E, R>,
  options: PlaceholderRunOptions & { readonly onError?: "fail" | "result" | undefined }
): Run<E, R> => {
  const { concurrency: _, onError, ...single } = options
  const { placeholders, ...run } = options
  // The texts whose results are not read yet.
  const unread: Array<readonly [text: string, item: Item]> = []
  let index = 0
  const elements = (Stream.isStream(texts) ? texts : Stream.fromIterable(texts)).pipe(
    Stream.mapEffect((text) => {
      const found = itemOf(text, index++, placeholders, false)
      if (Result.isFailure(found)) return complete(found.failure, allOperation)
      unread.push([text, found.success])
      return Effect.succeed(found.success.protected.text)
    })
  )
  const outcomeOf = (
    translated: Result.Result<Translated, TranslateError>
  ): Effect.Effect<Outcome, never, Translation> => {
    const [text, item] = unread.shift() ?? []
    return text === undefined || item === undefined || Result.isFailure(translated)
      ? Effect.succeed(translated)
      : resultOf(single, text, item, translated.success)
  }
  if (onError === "result") {
    return Stream.unwrap(Effect.map(
      Translation,
      ({ translateAll }) => Stream.mapEffect(translateAll(elements, { ...run, ...markup, onError }), outcomeOf)
    ))
  }
  return Stream.unwrap(
    Effect.map(Translation, ({ translateAll }) =>
      translateAll(elements, { ...run, ...markup, onError }).pipe(
        Stream.mapEffect((translated) => Effect.flatMap(outcomeOf(Result.succeed(translated)), Effect.fromResult))
      ))
  )
}

/**
 * Translates any number of texts and keeps their placeholders. Returns a stream of one result for each text, in order.
 *
 * **Details**
 *
 * A run of `Translation.translateAll`, with its requests of at most 50 texts, its errors and its `onError`; each text is checked like one of
 * {@link translate}, and one that changed is sent once more by itself, while the results behind it wait. An invalid text ends the run when it is read, after the results before it.
 *
 * **Example** (A file of messages)
 *
 * ```ts import.meta.vitest
 * import * as Placeholders from "@effect-lingua/core/texts/Placeholders"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect, Stream } from "effect"
 *
 * const messages = Array.from({ length: 60 }, (_, index) => `Hello {name}, you are number ${index}`)
 * const program = Placeholders.translateAll(messages, { targetLanguage: "de", placeholders: "icu" }).pipe(Stream.runCollect)
 * const translated = await program.pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise)
 * translated.at(-1)?.text // => "[de] Hello {name}, you are number 59"
 * ```
 *
 * @category translation
 * @since 0.3.0
 */
export const translateAll = allKeeping
