/** Checks of input before anything is sent. None of them puts a text of the caller into its error. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { InvalidInput, LimitExceeded } from "../CallError.ts"

type Unit = LimitExceeded["unit"]

/** Fails when there is more than allowed. */
export const checkLimit = (
  parameter: string,
  unit: Unit,
  given: number,
  allowed: number
): Effect.Effect<void, LimitExceeded> =>
  given <= allowed ? Effect.void : Effect.fail(new LimitExceeded({ parameter, unit, given, allowed }))

/** The service counts characters as Unicode code points (reference A9). */
export const countCharacters = (text: string): number =>
  text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)

/** Fails when a text has more characters than allowed. */
export const checkLength = (parameter: string, text: string, allowed: number): Effect.Effect<void, LimitExceeded> =>
  // Not before it is known that the text is one.
  Effect.suspend(() => checkLimit(parameter, "characters", countCharacters(text), allowed))

/** The bytes of an encoded body. */
export const bodySize = <S extends Schema.Constraint>(schema: S) => {
  const encode = Schema.encodeUnknownEffect(Schema.fromJsonString(Schema.toCodecJson(schema)))
  return (body: S["Type"]) => Effect.map(encode(body), utf8Length)
}

/** JSON writes no UTF-16 unit in more than six bytes. */
const mostBytesOf = (value: unknown): number => typeof value === "string" ? 6 * value.length + 3 : 32

/**
 * As many bytes as a body can take at most. Its fields are texts, lists of texts and short values; no key is encoded as one
 * of more than twice its length.
 */
const mostBytes = (body: object): number => {
  let bytes = 2
  for (const [key, value] of Object.entries(body)) {
    bytes += mostBytesOf(key)
    if (Array.isArray(value)) {
      for (const item of value) bytes += mostBytesOf(item)
    } else {
      bytes += mostBytesOf(value)
    }
  }
  return bytes
}

/** Fails when the encoded body is larger than allowed; names the largest text, which is the one to split. */
export const checkBody = <S extends Schema.Constraint>(schema: S) => {
  const encode = Schema.encodeUnknownEffect(Schema.fromJsonString(Schema.toCodecJson(schema)))
  return (body: S["Type"] & { readonly text: ReadonlyArray<string> }, allowed: number) => {
    // Most bodies are far from the limit, and are encoded once more when they are sent.
    if (mostBytes(body) <= allowed) return Effect.void
    return Effect.flatMap(encode(body), (json) => {
      const given = utf8Length(json)
      if (given <= allowed) return Effect.void
      const sizes = body.text.map(utf8Length)
      const largest = sizes.reduce((best, size, index) => size > (sizes[best] ?? 0) ? index : best, 0)
      return Effect.fail(
        new LimitExceeded({
          parameter: "request body",
          unit: "bytes",
          given,
          allowed,
          description: `The largest text is text[${largest}]`
        })
      )
    })
  }
}

const encoder = new TextEncoder()

/** The bytes of a text in UTF-8. */
export const utf8Length = (text: string): number => encoder.encode(text).length

/** Describes a value of the wrong type: callers without types, and data that only looks typed, bring it. */
export const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "an array" : typeof value

/** Fails for what is no list of objects, naming the first that is none: data that only looks typed brings such lists. */
export const checkItems = (
  parameter: string,
  what: string,
  list: ReadonlyArray<object>
): Effect.Effect<void, InvalidInput> => {
  const isArray: boolean = Array.isArray(list)
  const index = isArray ? list.findIndex((item: unknown) => typeof item !== "object" || item === null) : -1
  return isArray && index === -1 ? Effect.void : Effect.fail(
    new InvalidInput({
      parameter: index === -1 ? parameter : `${parameter}[${index}]`,
      given: typeOf(index === -1 ? list : list[index]),
      allowed: `an array of ${what}`
    })
  )
}

/** The service may write the same id in another case. */
export const isId = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/** Fails for an id that would change the path: empty, a dot segment, with control characters or lone surrogates. */
export const checkId = (parameter: string, id: string): Effect.Effect<void, InvalidInput> => {
  const given = typeof id !== "string"
    ? typeOf(id)
    : id.trim() === ""
    ? "empty"
    : id === "." || id === ".."
    ? `"${id}"`
    : /[\p{Cc}\p{Cs}]/u.test(id)
    ? "an id with control characters or unpaired surrogates"
    : undefined
  return given === undefined
    ? Effect.void
    : Effect.fail(new InvalidInput({ parameter, given, allowed: "an id as the service issued it" }))
}

/** Fails for a text that is none or that UTF-8 cannot carry. */
export const checkText = (parameter: string, text: string): Effect.Effect<void, InvalidInput> =>
  typeof text === "string" && text.isWellFormed() ? Effect.void : Effect.fail(
    new InvalidInput({
      parameter,
      given: typeof text === "string" ? "a text with an unpaired surrogate" : typeOf(text),
      allowed: "text that UTF-8 can carry"
    })
  )

/** Fails for texts that are no list, or of which one cannot be sent, naming the first. */
export const checkTexts = (text: ReadonlyArray<string>): Effect.Effect<void, InvalidInput> => {
  if (!Array.isArray(text)) {
    return Effect.fail(new InvalidInput({ parameter: "text", given: typeOf(text), allowed: "an array of strings" }))
  }
  const index = text.findIndex((item) => typeof item !== "string" || !item.isWellFormed())
  return index === -1 ? Effect.void : checkText(`text[${index}]`, text[index])
}

/** A number as it was given; of anything else only what it is, as it may be a text. */
export const numberOf = (value: number): string => typeof value === "number" ? String(value) : typeOf(value)

/** Fails for what is no whole number within bounds. */
export const checkInteger = (
  parameter: string,
  value: number,
  least: number,
  most = Number.POSITIVE_INFINITY
): Effect.Effect<void, InvalidInput> =>
  Number.isSafeInteger(value) && value >= least && value <= most ? Effect.void : Effect.fail(
    new InvalidInput({
      parameter,
      given: numberOf(value),
      allowed: most === Number.POSITIVE_INFINITY ? `an integer from ${least}` : `an integer from ${least} to ${most}`
    })
  )
