/** Checks of input before anything is sent. None of them puts a text of the caller into its error. */
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as Schema from "effect/Schema"
import * as DerivedDecoder from "../../contract/internal/derivedDecoder.ts"
import { farOver, jsonBytes, requestBytes } from "../../contract/internal/size.ts"
import { once } from "../../contract/internal/values.ts"
import { nearest } from "../../contract/Language.ts"
import { InvalidInput, LimitExceeded } from "../CallError.ts"

/** The error for an argument that is not allowed. */
export const invalid = (parameter: string, given: string, allowed: string): InvalidInput =>
  new InvalidInput({ parameter, given, allowed })

type Unit = LimitExceeded["unit"]

/** Fails when there is more than allowed. */
export const checkLimit = (
  parameter: string,
  unit: Unit,
  given: number,
  allowed: number
): Effect.Effect<void, LimitExceeded> =>
  given <= allowed ? Effect.void : Effect.fail(new LimitExceeded({ parameter, unit, given, allowed }))

/** The service counts characters as Unicode code points. */
export const countCharacters = (text: string): number =>
  text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)

/** Fails when a text has more characters than allowed. */
export const checkLength = (parameter: string, text: string, allowed: number): Effect.Effect<void, LimitExceeded> =>
  // Only after the check that it is a string.
  Effect.suspend(() => checkLimit(parameter, "characters", countCharacters(text), allowed))

/** The bytes of an encoded body. */
export const bodySize = <S extends Schema.Constraint>(schema: S) => {
  const encode = once(() => DerivedDecoder.encoder(Schema.toCodecJson(schema)))
  return (body: S["Type"]) => Effect.mapEager(encode()(body), (json) => utf8Length(JSON.stringify(json)))
}

/** Counts the UTF-16 units of the texts of a body, keys and lists of texts included, and its values. */
const extentOf = (body: object): { readonly units: number; readonly values: number } => {
  let units = 0
  let values = 1
  for (const [key, value] of Object.entries(body)) {
    units += key.length
    values += 2
    if (Array.isArray(value)) {
      values += value.length
      for (const item of value) units += typeof item === "string" ? item.length : 0
    } else if (typeof value === "string") {
      units += value.length
    }
  }
  return { units, values }
}

/** An upper bound: JSON takes at most six bytes for a UTF-16 unit, and 32 for another value or the punctuation of one. */
const mostBytes = ({ units, values }: ReturnType<typeof extentOf>): number => 6 * units + 32 * values

/** Fails when the encoded body is larger than allowed; names the largest text, which is the one to split. */
export const checkBody = <S extends Schema.Constraint>(schema: S) => {
  const sizeOf = bodySize(schema)
  return (body: S["Type"] & { readonly text: ReadonlyArray<string> }, allowed: number) => {
    const extent = extentOf(body)
    // Fast path: most bodies are far from the limit.
    if (mostBytes(extent) <= allowed) return Effect.void
    // The texts are counted, not encoded a second time; those far over the limit are not even counted.
    const isFarOver = extent.units > farOver * allowed
    const sizes = body.text.map((text) => ({ bytes: isFarOver ? text.length : jsonBytes(text) ?? 0 }))
    const size = isFarOver
      ? Effect.succeed(extent.units)
      : Effect.mapEager(sizeOf({ ...body, text: [] }), (envelope) => requestBytes(sizes, envelope))
    return Effect.flatMapEager(size, (given) => {
      if (given <= allowed) return Effect.void
      const largest = sizes.reduce((best, { bytes }, index) => bytes > (sizes[best]?.bytes ?? 0) ? index : best, 0)
      return Effect.fail(
        new LimitExceeded({
          parameter: "request body",
          unit: "bytes",
          given,
          allowed,
          description: sizes.length > 1 ? `The largest text is text[${largest}]` : ""
        })
      )
    })
  }
}

/** The bytes of a text in UTF-8. A body counts them without encoding where the platform can. */
export const utf8Length = (text: string): number => HttpBody.text(text).contentLength

/** Describes a value of the wrong type, as untyped callers and unchecked data can pass one. */
export const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "an array" : typeof value

/** Fails for a value that is not a list of objects, naming the first other item: untyped data can hold such lists. */
export const checkItems = (
  parameter: string,
  what: string,
  list: ReadonlyArray<object>
): Effect.Effect<void, InvalidInput> => {
  const isArray: boolean = Array.isArray(list)
  const index = isArray ? list.findIndex((item: unknown) => typeof item !== "object" || item === null) : -1
  return isArray && index === -1 ? Effect.void : invalid(
    index === -1 ? parameter : `${parameter}[${index}]`,
    typeOf(index === -1 ? list : list[index]),
    `an array of ${what}`
  )
}

/** The service may write the same id in another case. */
export const isId = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && one.toLowerCase() === other?.toLowerCase()

/** The reason why a text cannot be an id or token of the service, if there is one. */
const neverIssued = (text: string | undefined): string | undefined =>
  typeof text !== "string"
    ? typeOf(text)
    : text.trim() === ""
    ? "empty"
    : /[\p{Cc}\p{Cs}]/u.test(text)
    ? "an id with control characters or unpaired surrogates"
    : undefined

const checkIssued = (parameter: string, given: string | undefined): Effect.Effect<void, InvalidInput> =>
  given === undefined ? Effect.void : invalid(parameter, given, "an id as the service issued it")

/**
 * Fails for an id that would change the path: empty, a dot segment, with slashes, control characters or lone surrogates.
 * Slashes are refused although they are sent as `%2F` and `%5C`, as a proxy may decode these before it routes the request.
 */
export const checkId = (parameter: string, id: string | undefined): Effect.Effect<void, InvalidInput> =>
  checkIssued(
    parameter,
    neverIssued(id) ?? (id === "." || id === ".."
      ? `"${id}"`
      : id?.includes("/")
      ? "an id with a slash"
      : id?.includes("\\")
      ? "an id with a backslash"
      : undefined)
  )

/** Fails for an empty token, and for one with control characters or lone surrogates. For queries, not for paths. */
export const checkToken = (parameter: string, token: string): Effect.Effect<void, InvalidInput> =>
  checkIssued(parameter, neverIssued(token))

/** Fails for a value that is not a text, and for a text that UTF-8 cannot carry. */
export const checkText = (parameter: string, text: string): Effect.Effect<void, InvalidInput> =>
  typeof text === "string" && text.isWellFormed() ? Effect.void : invalid(
    parameter,
    typeof text === "string" ? "a text with an unpaired surrogate" : typeOf(text),
    "text that UTF-8 can carry"
  )

/** The form of every BCP 47 code of a language, also of one that the service adds. */
const languageCode = /^[a-z]{2,3}(?:-[a-z\d]{1,8})*$/i

/** The error for a text that no language code can be, such as `german` or `en_GB`. Other types are left to the schema. */
export const malformedLanguage = (parameter: string, code: string | undefined): InvalidInput | undefined => {
  if (typeof code !== "string" || languageCode.test(code)) return undefined
  const corrected = code.replaceAll("_", "-")
  return invalid(
    parameter,
    /^[\w-]{0,20}$/.test(code) ? `"${code}"` : `a text of ${countCharacters(code)} characters`,
    `a code such as "de" or "en-GB"${languageCode.test(corrected) ? `; the nearest is "${corrected}"` : ""}`
  )
}

/** Fails for a value that is not a text, for one that UTF-8 cannot carry, and for more bytes than allowed. */
export const checkBytes = (parameter: string, text: string, allowed: number) =>
  Effect.andThen(
    checkText(parameter, text),
    Effect.suspend(() => checkLimit(parameter, "bytes", utf8Length(text), allowed))
  )

/** Fails unless the value is a list of texts that can be sent; names the first other item. */
export const checkTexts = (text: ReadonlyArray<string>): Effect.Effect<void, InvalidInput> => {
  if (!Array.isArray(text)) return invalid("text", typeOf(text), "an array of strings")
  const index = text.findIndex((item) => typeof item !== "string" || !item.isWellFormed())
  return index === -1 ? Effect.void : checkText(`text[${index}]`, text[index])
}

/** Describes a number by its value, and anything else by its type, as it may be a text. */
export const numberOf = (value: number): string => typeof value === "number" ? String(value) : typeOf(value)

/** Fails for a value that is not a whole number within bounds. */
export const checkInteger = (
  parameter: string,
  value: number,
  least: number,
  most = Number.POSITIVE_INFINITY
): Effect.Effect<void, InvalidInput> =>
  Number.isSafeInteger(value) && value >= least && value <= most ? Effect.void : invalid(
    parameter,
    numberOf(value),
    most === Number.POSITIVE_INFINITY ? `an integer from ${least}` : `an integer from ${least} to ${most}`
  )

/** The names of fields with a value that are not among the known ones. */
const unknownNames = (options: object, known: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.keys(options).filter((name) => !known.includes(name) && Reflect.get(Object(options), name) !== undefined)

const noSuchOption = (name: string, hint: string) =>
  invalid(name, "a value", `no value, as there is no such option; ${hint}`)

/**
 * The error for an unknown option, which without types would be left out of the request without a word. `others` are names that the options
 * may have besides.
 */
export const unknownName = (
  options: object,
  known: ReadonlyArray<string>,
  others?: () => ReadonlySet<string>
): InvalidInput | undefined => {
  const unknown = unknownNames(options, known).find((name) => others?.().has(name) !== true)
  if (unknown === undefined) return undefined
  const similar = nearest(unknown, known, 3)
  return noSuchOption(
    unknown,
    similar !== undefined
      ? `the nearest is ${similar}`
      : known.length === 0
      ? "the method has none"
      : `the options are ${known.join(", ")}`
  )
}

/** The same for a method whose options are the ids of an object: callers pass the whole object, so only a misspelt id counts. */
export const misspeltId = (options: object, known: ReadonlyArray<string>): InvalidInput | undefined => {
  const given = Object.entries(options)
  const missing = known.filter((name) => !given.some(([other, value]) => other === name && value !== undefined))
  for (const name of unknownNames(options, known)) {
    const similar = nearest(name, missing, Math.floor(name.length / 3))
    if (similar !== undefined) return noSuchOption(name, `the nearest is ${similar}`)
  }
  return undefined
}
