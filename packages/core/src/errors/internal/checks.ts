/** Validates input before a request. Errors never quote the caller's texts. */
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as Schema from "effect/Schema"
import * as DerivedDecoder from "../../contract/internal/derivedDecoder.ts"
import { farOver, jsonBytes, requestBytes } from "../../contract/internal/size.ts"
import { once } from "../../contract/internal/values.ts"
import { nearest } from "../../contract/Language.ts"
import { InvalidInput, LimitExceeded } from "../CallError.ts"

export const invalid = (parameter: string, given: string, allowed: string): InvalidInput =>
  new InvalidInput({ parameter, given, allowed })

export const checkLimit = (
  parameter: string,
  unit: LimitExceeded["unit"],
  given: number,
  allowed: number
): Effect.Effect<void, LimitExceeded> =>
  given <= allowed ? Effect.void : Effect.fail(new LimitExceeded({ parameter, unit, given, allowed }))

/** Counts code points, like the service. */
export const countCharacters = (text: string): number =>
  text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)

export const bodySize = <S extends Schema.Constraint>(schema: S) => {
  const encode = once(() => DerivedDecoder.encoder(Schema.toCodecJson(schema)))
  return (body: S["Type"]) => Effect.mapEager(encode()(body), (json) => utf8Length(JSON.stringify(json)))
}

/** Counts the UTF-16 units of a body's texts and keys. `maxBytes` allows 6 bytes for each unit, and 32 more for each key, value and array item. */
const extentOf = (body: object): { readonly units: number; readonly maxBytes: number } => {
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
  return { units, maxBytes: 6 * units + 32 * values }
}

/** Checks the encoded body's size. The error names the largest text. */
export const checkBody = <S extends Schema.Constraint>(schema: S) => {
  const sizeOf = bodySize(schema)
  return (body: S["Type"] & { readonly text: ReadonlyArray<string> }, allowed: number) => {
    const { maxBytes, units } = extentOf(body)
    if (maxBytes <= allowed) return Effect.void
    // Far over the limit, counts UTF-16 units, because counting bytes is slower.
    const isFarOver = units > farOver * allowed
    const sizes = body.text.map((text) => ({ bytes: isFarOver ? text.length : jsonBytes(text) ?? 0 }))
    const size = isFarOver
      ? Effect.succeed(units)
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

/** Bytes of a text in UTF-8. Platforms such as Node.js count without encoding. */
export const utf8Length = (text: string): number => HttpBody.text(text).contentLength

export const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "an array" : typeof value

/** Requires an array of objects. The error names the first invalid item. */
export const checkItems = (
  parameter: string,
  what: string,
  list: ReadonlyArray<object>
): Effect.Effect<void, InvalidInput> => {
  const allowed = `an array of ${what}`
  if (!Array.isArray(list)) return invalid(parameter, typeOf(list), allowed)
  const index = list.findIndex((item: unknown) => typeof item !== "object" || item === null)
  return index === -1 ? Effect.void : invalid(`${parameter}[${index}]`, typeOf(list[index]), allowed)
}

export const isId = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && one.toLowerCase() === other?.toLowerCase()

const problemOfId = (id: string | undefined, isInPath: boolean): string | undefined => {
  if (typeof id !== "string") return typeOf(id)
  if (id.trim() === "") return "empty"
  if (/[\p{Cc}\p{Cs}]/u.test(id)) return "an id with control characters or unpaired surrogates"
  if (!isInPath) return undefined
  if (id === "." || id === "..") return `"${id}"`
  return id.includes("/") ? "an id with a slash" : id.includes("\\") ? "an id with a backslash" : undefined
}

/**
 * Refuses an id that could change a URL's path: empty, a dot segment, or with slashes, control characters or unpaired surrogates. Slashes are refused
 * although a request encodes them, because proxies may decode `%2F` and `%5C` before routing.
 */
export const checkId = (
  parameter: string,
  id: string | undefined,
  isInPath = true
): Effect.Effect<void, InvalidInput> => {
  const problem = problemOfId(id, isInPath)
  return problem === undefined ? Effect.void : invalid(parameter, problem, "an id as the service issued it")
}

/** Like {@link checkId}, for query tokens, which may contain slashes. */
export const checkToken = (parameter: string, token: string): Effect.Effect<void, InvalidInput> =>
  checkId(parameter, token, false)

export const refusedText = (text: unknown) =>
  typeof text === "string"
    ? { given: "a text with an unpaired surrogate", allowed: "text that UTF-8 can carry" }
    : { given: typeOf(text), allowed: "a string" }

/** Requires a string without unpaired surrogates, which UTF-8 cannot encode. */
export const checkText = (parameter: string, text: string): Effect.Effect<void, InvalidInput> =>
  typeof text === "string" && text.isWellFormed() ? Effect.void : new InvalidInput({ parameter, ...refusedText(text) })

const languageCode = /^[a-z]{2,3}(?:-[a-z\d]{1,8})*$/i

/** The error for a malformed language code, such as `german` or `en_GB`. Ignores values that are not strings, which the schema refuses. */
export const malformedLanguage = (parameter: string, code: string | undefined): InvalidInput | undefined => {
  if (typeof code !== "string" || languageCode.test(code)) return undefined
  const corrected = code.replaceAll("_", "-")
  return invalid(
    parameter,
    /^[\w-]{0,20}$/.test(code) ? `"${code}"` : `a text of ${countCharacters(code)} characters`,
    `a code such as "de" or "en-GB"${languageCode.test(corrected) ? `; the nearest is "${corrected}"` : ""}`
  )
}

const checkSize =
  (unit: "bytes" | "characters", sizeOf: (text: string) => number) =>
  (parameter: string, text: string, allowed: number) =>
    Effect.andThen(
      checkText(parameter, text),
      Effect.suspend(() => checkLimit(parameter, unit, sizeOf(text), allowed))
    )

export const checkBytes = checkSize("bytes", utf8Length)

export const checkLength = checkSize("characters", countCharacters)

/** Requires an array of well-formed strings. The error names the first invalid item. */
export const checkTexts = (text: ReadonlyArray<string>): Effect.Effect<void, InvalidInput> => {
  if (!Array.isArray(text)) return invalid("text", typeOf(text), "an array of strings")
  for (let index = 0; index < text.length; index++) {
    const item: unknown = text[index]
    if (typeof item !== "string" || !item.isWellFormed()) return checkText(`text[${index}]`, text[index])
  }
  return Effect.void
}

/** Formats a number for an error, and any other value as its type. */
export const numberOf = (value: number): string => typeof value === "number" ? String(value) : typeOf(value)

export const checkInteger = (
  parameter: string,
  value: number,
  min: number,
  max = Number.POSITIVE_INFINITY
): Effect.Effect<void, InvalidInput> =>
  Number.isSafeInteger(value) && value >= min && value <= max ? Effect.void : invalid(
    parameter,
    numberOf(value),
    max === Number.POSITIVE_INFINITY ? `an integer from ${min}` : `an integer from ${min} to ${max}`
  )

const noSuchOption = (name: string, hint: string) =>
  invalid(name, "a value", `no value, because there is no such option; ${hint}`)

/** The error for an unknown option, for callers without TypeScript. `others` are further accepted names. */
export const unknownName = (
  options: object,
  known: ReadonlyArray<string>,
  others?: () => ReadonlySet<string>
): InvalidInput | undefined => {
  for (const [name, value] of Object.entries(options)) {
    if (known.includes(name) || value === undefined || others?.().has(name) === true) continue
    const similar = nearest(name, known, 3)
    return noSuchOption(
      name,
      similar === undefined ? `the options are ${known.join(", ")}` : `the nearest is ${similar}`
    )
  }
  return undefined
}

/** The error for a misspelt name of a missing id. Other unknown properties are allowed, because callers may pass whole objects. */
export const misspeltId = (options: object, known: ReadonlyArray<string>): InvalidInput | undefined => {
  const values = new Map<string, unknown>(Object.entries(options))
  const missing = known.filter((name) => values.get(name) === undefined)
  for (const [name, value] of values) {
    if (value === undefined || known.includes(name)) continue
    const similar = nearest(name, missing, Math.floor(name.length / 3))
    if (similar !== undefined) return noSuchOption(name, `the nearest is ${similar}`)
  }
  return undefined
}
