/**
 * Translation that keeps placeholders: `{name}` of ICU messages and of Python, `{{name}}` of mustache, `%s` of printf.
 *
 * **Details**
 *
 * Each placeholder is sent as an XML element that the service does not translate. The translation is checked: each placeholder occurs once, in
 * the same order if order is significant, and no placeholder is added. Texts with changed placeholders are sent once more.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { checked, complete, composed } from "../call/internal/operation.ts"
import type { ErrorOf, InvalidInput } from "../errors/CallError.ts"
import { checkTexts, invalid, typeOf } from "../errors/internal/checks.ts"
import { failure } from "../errors/internal/failure.ts"
import type * as Bulk from "./Bulk.ts"
import { edgeOf, finders, type Unkept } from "./internal/placeholderSyntax.ts"
import type { Translated } from "./internal/translationApi.ts"
import { type TranslateOptions, Translation } from "./Translation.ts"

type TranslateError = ErrorOf<typeof Translation, "translate">

/**
 * A placeholder syntax. Placeholders without name or number keep their order.
 *
 * **Details**
 *
 * - `icu`: arguments of ICU MessageFormat, such as `{name}` and `{when, date, short}`, and quoted text, `'{'`. Arguments that contain texts
 *   (`plural`, `select`, `selectordinal`) are refused, because other languages have other plural forms: translate each text of the argument as a whole
 *   sentence.
 * - `mustache`: tags in two or three braces. Sections keep their order and their placeholders.
 * - `printf`: conversions of C, Python, Ruby, Symfony and Objective-C, such as `%s`, `%1$s`, `%(name)s`, `%{name}`, `%<name>d`,
 *   `%name%`, `%@`, `%#@name@` and `%%`, without the space flag.
 * - `brace`: fields of Python's `str.format`, such as `{name}`, `{0:.2f}` and `{}`, and doubled braces.
 *
 * @category models
 * @since 0.1.0
 */
export type Syntax = keyof typeof finders

const beginningOf = (placeholder: string): string =>
  placeholder.length > 60 ? `${placeholder.slice(0, 60)}…` : placeholder

/**
 * A placeholder that the translation changed. `moved`: the order changed, or the placeholder left its section.
 *
 * @category errors
 * @since 0.1.0
 */
export class PlaceholderChanged extends failure<PlaceholderChanged>()("PlaceholderChanged", "rejected", {
  placeholder: Schema.String,
  change: Schema.Literals(["lost", "repeated", "moved", "added"])
}, ({ change, placeholder }) => [
  `in the translation the placeholder ${JSON.stringify(beginningOf(placeholder))} is ${change}`,
  "The characters were counted; rewrite the text, or translate it in parts"
], "unknown") {}

/**
 * A text as XML, with elements for placeholders.
 *
 * @category models
 * @since 0.1.0
 */
export interface Protected {
  readonly text: string
  /** The placeholders, indexed by element id. */
  readonly placeholders: ReadonlyArray<{ readonly start: number; readonly text: string; readonly inOrder: boolean }>
  readonly syntax: Syntax
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Change extends Pick<PlaceholderChanged, "placeholder" | "change"> {}

/** Characters that XML cannot represent. */
// oxlint-disable-next-line no-control-regex -- control characters are intended
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;" }

const escape = (text: string): string => text.replace(/[&<>\r]/g, (character) => escapes[character] ?? character)

const namedEntities: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: "&", lt: "<", gt: ">", quot: "\"", apos: "'" })
)

/**
 * Replaces XML's named and numeric entities with characters. Other entities, such as `&nbsp;`, are kept.
 *
 * @category conversions
 * @since 0.3.0
 */
export const unescape = (text: string): string =>
  text.replace(/&(?:(\w+)|#(\d{1,7})|#x([\da-f]{1,6}));/gi, (whole, name = "", decimal = "", hex = "") => {
    if (name !== "") return namedEntities.get(name) ?? whole
    const code = decimal === "" ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

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
 * A construct that cannot be protected: its position and a description.
 *
 * @category models
 * @since 0.3.0
 */
export type { Unkept } from "./internal/placeholderSyntax.ts"

/**
 * Wraps the placeholders of a text in elements, `<x id="0">{name}</x>` or, with `empty`, `<x id="0"></x>`, and escapes the rest for XML.
 * Fails for unsupported placeholders.
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

const changeOf = (expected: ReadonlyArray<string>, actual: ReadonlyArray<string>): Change | undefined => {
  const [before, after] = [Map.groupBy(expected, identity), Map.groupBy(actual, identity)]
  for (const [placeholder, { length }] of before) {
    const now = after.get(placeholder)?.length ?? 0
    if (now !== length) return { placeholder, change: now < length ? "lost" : "repeated" }
  }
  const added = actual.find((placeholder) => !before.has(placeholder))
  return added === undefined ? undefined : { placeholder: added, change: "added" }
}

/** For each placeholder, the id of the placeholder that opens its innermost section. */
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
 * Restores the placeholders of a translated text. Fails with the first changed placeholder.
 *
 * @category conversions
 * @since 0.1.0
 */
export const restore = (original: Protected, translated: string): Result.Result<string, Change> => {
  const { placeholders, syntax } = original
  let from = 0
  let text = ""
  const ids: Array<number> = []
  for (const match of translated.matchAll(element)) {
    const id = Number(match[1])
    ids.push(id)
    const placeholder = placeholders[id]?.text ?? ""
    // The service may move characters into the element; they are kept.
    const content = unescape(match[2] ?? "") || placeholder
    const start = content.indexOf(placeholder)
    if (start === -1) return Result.fail({ placeholder, change: "lost" })
    const before = unescape(translated.slice(from, match.index)) + content.slice(0, start)
    // In ICU, a single apostrophe before a brace starts quoted text, so the apostrophe is doubled.
    const doubled = syntax === "icu" && /^['{]/.test(placeholder) && /(?<!')(?:'')*'$/.test(before)
    text += before + (doubled ? "'" : "") + content.slice(start)
    from = match.index + match[0].length
  }
  text += unescape(translated.slice(from))
  const textOf = (id: number) => placeholders[id]?.text ?? `<x id="${id}">`
  const idChange = changeOf(placeholders.map((_, id) => String(id)), ids.map(String))
  if (idChange !== undefined) return Result.fail({ ...idChange, placeholder: textOf(Number(idChange.placeholder)) })
  const ordered = ids.filter((id) => placeholders[id]?.inOrder)
  const before = sectionsOf(original, Array.from(placeholders.keys()))
  const after = sectionsOf(original, ids)
  const moved = ordered.find((id, index) => index > 0 && id < (ordered[index - 1] ?? 0)) ??
    ids.find((id) => before.get(id) !== after.get(id))
  if (moved !== undefined) return Result.fail({ placeholder: textOf(moved), change: "moved" })
  // The text between elements may contain new placeholders.
  const found = placeholdersOf(text, syntax)
  if (Result.isFailure(found)) return Result.fail({ placeholder: text.charAt(found.failure.start), change: "added" })
  const change = changeOf(placeholders.map(({ text }) => text), found.success.map(({ text }) => text))
  return change === undefined ? Result.succeed(text) : Result.fail(change)
}

/**
 * Texts to translate, with the syntax of their placeholders.
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

interface Item {
  readonly index: number
  readonly text: string
  readonly protected: Protected
}

const itemOf = (text: string, index: number, syntax: Syntax): Result.Result<Item, InvalidInput> =>
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
    Result.mapBoth(protect(text, syntax), {
      onSuccess: (found) => ({ index, text, protected: found }),
      onFailure: ({ start, what }) =>
        invalid(`text[${index}]`, `${what}, at character ${start}`, "placeholders without texts inside")
    })

const markup = { tagHandling: "xml", outlineDetection: false, ignoreTags: ["x"] } as const

/** Restores a translation's placeholders. Adds the `billedCharacters` of `before`, the result of the text's first request. */
const restored = (
  operation: string,
  { index, protected: original }: Item,
  translated: Translated,
  before?: Translated
): Result.Result<Translated, PlaceholderChanged> =>
  Result.mapBoth(restore(original, translated.text), {
    onSuccess: (text) => ({
      // oxlint-disable-next-line typescript/no-misused-spread -- a body is a plain object
      ...translated,
      text,
      ...(translated.billedCharacters === undefined
        ? undefined
        : { billedCharacters: translated.billedCharacters + (before?.billedCharacters ?? 0) })
    }),
    onFailure: (change) => new PlaceholderChanged({ operation, texts: { first: index, last: index }, ...change })
  })

type Common = Omit<PlaceholderOptions, "placeholders" | "text">

/** Restores the placeholders of translations. Sends texts with changed placeholders once more, with empty elements. */
const retryChanged = Effect.fnUntraced(function*(
  operation: string,
  options: Common,
  items: ReadonlyArray<Item>,
  translated: ReadonlyArray<Translated>
) {
  const found = Arr.zipWith(items, translated, (item, one) => restored(operation, item, one))
  const retries = items.flatMap((item, at) => {
    if (found[at]?._tag !== "Failure") return []
    const emptied = protect(item.text, item.protected.syntax, true)
    return Result.isSuccess(emptied) ? [{ at, item: { ...item, protected: emptied.success } }] : []
  })
  if (retries.length === 0) return found
  const { translate } = yield* Translation
  const text = retries.map(({ item }) => item.protected.text)
  // A failure is ignored, because the first request's results are billed.
  const second = yield* Effect.orElseSucceed(translate({ ...options, text, ...markup }), () => [])
  for (const [{ at, item }, one] of Arr.zip(retries, second)) found[at] = restored(operation, item, one, translated[at])
  return found
})

const results = Effect.fnUntraced(function*(
  operation: string,
  { placeholders, text, ...options }: PlaceholderOptions
) {
  const items = yield* checked(
    operation,
    Effect.flatMap(
      checkTexts(text),
      () => Effect.forEach(text, (one, index) => Effect.fromResult(itemOf(one, index, placeholders)))
    )
  )
  const { translate } = yield* Translation
  const sent = { ...options, text: items.map((item) => item.protected.text), ...markup }
  return yield* retryChanged(operation, options, items, yield* translate(sent))
})

function translateList<OnError extends "fail" | "result" = "fail">(
  options: PlaceholderOptions & { readonly onError?: OnError | undefined }
): Effect.Effect<
  ReadonlyArray<Bulk.ByChoice<OnError, Result.Result<Translated, PlaceholderChanged>, Translated>>,
  TranslateError | Bulk.ByChoice<OnError, never, PlaceholderChanged>,
  Translation
>
function translateList(
  { onError, ...options }: PlaceholderOptions & { readonly onError?: "fail" | "result" | undefined }
): Effect.Effect<ReadonlyArray<unknown>, TranslateError | PlaceholderChanged, Translation> {
  const operation = "Placeholders.translate"
  const found = results(operation, options)
  return onError === "result"
    ? composed(operation, found)
    : composed(operation, Effect.flatMap(found, Effect.forEach(Effect.fromResult)))
}

/**
 * Translates the texts of a list and keeps their placeholders.
 *
 * **Details**
 *
 * Fails with {@link PlaceholderChanged} if a text's placeholders change in both requests; with `onError: "result"`, each text has a `Result`.
 * `billedCharacters` is the sum of both requests. Fails like `Translation.translate`, and with `InvalidInput` for unsupported placeholders
 * before the request.
 *
 * @category translation
 * @since 0.1.0
 */
export const translate = translateList

/**
 * @category options
 * @since 0.3.0
 */
export interface PlaceholderRunOptions extends Omit<PlaceholderOptions, "text">, Bulk.Options {}

type Outcome = Result.Result<Translated, TranslateError | PlaceholderChanged>

type Run<E, R> = Stream.Stream<Translated | Outcome, TranslateError | PlaceholderChanged | E, R | Translation>

function translateRun<E = never, R = never, OnError extends "fail" | "result" = "fail">(
  texts: Bulk.Texts<E, R>,
  options: PlaceholderRunOptions & { readonly onError?: OnError | undefined }
): Stream.Stream<
  Bulk.ByChoice<OnError, Result.Result<Translated, PlaceholderChanged | Bulk.TextFailure<TranslateError>>, Translated>,
  Bulk.ByChoice<OnError, Bulk.RunFailure<TranslateError> | InvalidInput, TranslateError | PlaceholderChanged> | E,
  R | Translation
>
function translateRun<E, R>(
  texts: Bulk.Texts<E, R>,
  { concurrency, onError, placeholders, ...options }: PlaceholderRunOptions
): Run<E, R> {
  return Stream.unwrap(Effect.map(Translation, ({ translateAll }): Run<E, R> => {
    const operation = "Placeholders.translateAll"
    const run = { ...options, ...markup, concurrency }
    // Sent texts whose results are still missing.
    const unread: Array<Item> = []
    let index = 0
    const elements = Stream.mapEffect(Stream.isStream(texts) ? texts : Stream.fromIterable(texts), (text) => {
      const found = itemOf(text, index++, placeholders)
      if (Result.isFailure(found)) return complete(found.failure, operation)
      unread.push(found.success)
      return Effect.succeed(found.success.protected.text)
    })
    const settle = (
      translated: Result.Result<Translated, TranslateError>
    ): Effect.Effect<Outcome, never, Translation> => {
      const items = unread.splice(0, 1)
      return Result.isFailure(translated)
        ? Effect.succeed(translated)
        : Effect.map(retryChanged(operation, options, items, [translated.success]), ([found = translated]) => found)
    }
    return onError === "result"
      ? Stream.mapEffect(translateAll(elements, { ...run, onError }), settle)
      : Stream.mapEffect(
        translateAll(elements, { ...run, onError }),
        (translated) => Effect.flatMap(settle(Result.succeed(translated)), Effect.fromResult)
      )
  }))
}

/**
 * Translates any number of texts and keeps their placeholders. Returns a stream of one result for each text, in order.
 *
 * **Details**
 *
 * Runs like `Translation.translateAll`. A text with changed placeholders is sent once more by itself, while later results wait. An invalid
 * text ends the run when it is read, after all earlier results.
 *
 * @category translation
 * @since 0.3.0
 */
export const translateAll = translateRun
