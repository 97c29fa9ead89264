/** Masks secrets in records and recordings. */
import * as Base64 from "effect/encoding/Base64"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** The mask, made of characters that no encoding changes. */
export const mask = "__redacted__"

const secretFields: ReadonlySet<string> = new Set([
  "document_key",
  "auth_key",
  "api_key",
  "upload_url",
  "download_url",
  "signed_upload_url",
  "signed_download_url",
  "signature",
  "streaming_url",
  "token"
])

/** Masking a shorter secret would hide too much other text. */
const minSecretLength = 8

const unique = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)]

/** A secret's Base64 at each byte offset, without characters that depend on neighbouring bytes. */
const base64Of = (secret: string): ReadonlyArray<string> =>
  [0, 1, 2].map((before) => {
    const bytes = new TextEncoder().encode("\0".repeat(before) + secret)
    return Base64.encode(bytes).slice(Math.ceil(before * 8 / 6), Math.floor(bytes.length * 8 / 6))
  })

/** A secret as plain text, in JSON, in a URL, in a form, and in Base64. */
const formsOf = (secret: string): ReadonlyArray<string> => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret.toWellFormed()),
  new URLSearchParams([["", secret]]).toString().slice(1),
  ...base64Of(secret).flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")])
]

export const forms = (secrets: ReadonlyArray<string>): ReadonlyArray<string> =>
  unique(secrets.filter((secret) => secret.length >= minSecretLength).flatMap(formsOf))
    .toSorted((one, other) => other.length - one.length)

export const text = (whole: string, secretForms: ReadonlyArray<string>, replacement = mask): string =>
  secretForms.reduce((rest, form) => rest.replaceAll(form, replacement), whole)

/** A secret field's value in JSON, possibly truncated. */
const secretValues = new RegExp(
  String.raw`("(?:${[...secretFields].join("|")})"\s*:\s*")(?=[^"])[^"\\]*(?:\\.?[^"\\]*)*`,
  "gs"
)

/** Masks secrets and secret fields in truncated JSON or other text. */
export const fragment = (whole: string, secretForms: ReadonlyArray<string>): string =>
  text(whole, secretForms).replace(secretValues, `$1${mask}`)

const parseJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

export const parse = (whole: string): Option.Option<Schema.Json> =>
  /^\s*[{[]/.test(whole) ? parseJson(whole) : Option.none()

const isRecord = (value: Schema.Json): value is { readonly [name: string]: Schema.Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Masks secrets in a JSON value, and sorts its keys. */
export const json = (value: Schema.Json, secretForms: ReadonlyArray<string>): Schema.Json => {
  if (typeof value === "string") return text(value, secretForms)
  if (Array.isArray(value)) return value.map((item: Schema.Json) => json(item, secretForms))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, field]): [string, Schema.Json] => [
        text(name, secretForms),
        secretFields.has(name) ? mask : json(field, secretForms)
      ])
      .toSorted(([one], [other]) => one < other ? -1 : one > other ? 1 : 0)
  )
}

/** Masks secrets in a form or query, and sorts its fields by name. */
export const fields = (encoded: string, secretForms: ReadonlyArray<string>): string =>
  new URLSearchParams(
    [...new URLSearchParams(encoded)]
      .map(([name, value]): [string, string] => [
        text(name, secretForms),
        secretFields.has(name) ? mask : text(value, secretForms)
      ])
      .toSorted(([one], [other]) => one < other ? -1 : one > other ? 1 : 0)
  ).toString()

export const secretsIn = (whole: string, isForm: boolean): ReadonlyArray<string> => {
  if (isForm) return [...new URLSearchParams(whole)].flatMap(([name, value]) => secretFields.has(name) ? [value] : [])
  const found: Array<string> = []
  const search = (value: Schema.Json): void => {
    if (Array.isArray(value)) value.forEach(search)
    else if (isRecord(value)) {
      for (const [name, field] of Object.entries(value)) {
        if (secretFields.has(name) && typeof field === "string") found.push(field)
        else search(field)
      }
    }
  }
  Option.map(parse(whole), search)
  return found
}
