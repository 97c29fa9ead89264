/** Options that make sense, and what is said about those that do not. */
import * as Limits from "@effect-lingua/core/client/Limits"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { durationOf } from "../../faults/internal/duration.ts"
import { operationNames } from "../../faults/internal/operations.ts"
import { describe } from "../../faults/internal/schema.ts"
import * as ControlApi from "../ControlApi.ts"
import * as Dialect from "../Dialect.ts"
import type { Key, NewDocument, Options, QuotaChange } from "./model.ts"

/** Options of the fake, or what a method of its handle was given, make no sense. */
export class InvalidOptions extends Data.TaggedError("InvalidOptions")<{ readonly reason: string }> {
  override get message(): string {
    return this.reason
  }
}

/** What is wrong, if anything. */
type Finding = string | undefined

/** Dies of the first finding. */
export const check = (findings: ReadonlyArray<Finding>): Effect.Effect<void> => {
  const reason = findings.find((finding) => finding !== undefined)
  return reason === undefined ? Effect.void : Effect.die(new InvalidOptions({ reason }))
}

const unless = (holds: boolean, finding: string): Finding => holds ? undefined : finding

const wholeNumber = (name: string, value: number | undefined, least = 0): Finding =>
  unless(
    value === undefined || (Number.isSafeInteger(value) && value >= least),
    `${name} is a whole number from ${least} on, not ${value}.`
  )

/** A time that passes: not negative. */
export const time = (name: string, value: Duration.Input | undefined): Finding => {
  if (value === undefined) return undefined
  const duration = durationOf(value)
  return duration === undefined
    ? `${name} is no duration.`
    : unless(!Duration.isNegative(duration), `${name} is not negative, as ${Duration.format(duration)} is.`)
}

/** A time with an end, and more than none. */
const span = (name: string, value: Duration.Input | undefined): Finding =>
  time(name, value) ?? unless(
    value === undefined ||
      (Duration.isFinite(Duration.fromInputUnsafe(value)) && Duration.isPositive(Duration.fromInputUnsafe(value))),
    `${name} is finite and longer than 0.`
  )

/** A time that the fake can be moved on by. */
export const advance = (value: Duration.Input): Finding =>
  time("The duration", value) ?? unless(Duration.isFinite(Duration.fromInputUnsafe(value)), "The duration is finite.")

/** Keys and scheme words stand in a header, with one space between them. */
const isWord = (text: string): boolean => /^[\x21-\x7e]+$/.test(text)

const key = ({ key, tier }: Key, index: number, keys: ReadonlyArray<Key>): ReadonlyArray<Finding> => [
  unless(isWord(key), `keys[${index}].key is visible ASCII without spaces, and not empty.`),
  unless(keys.findIndex((other) => other.key === key) === index, `keys[${index}].key is there twice.`),
  unless(["paid", "free"].includes(tier), `keys[${index}].tier is "paid" or "free", not "${tier}".`)
]

const limits = (given: Partial<Limits.Limits>): ReadonlyArray<Finding> =>
  Object.entries(given).map(([name, value]) =>
    typeof value === "object" ? undefined : wholeNumber(`limits.${name}`, value, name === "pageSize" ? 1 : 0)
  )

const dialect = (given: Dialect.Dialect): ReadonlyArray<Finding> =>
  Object.entries(given).map(([name, value]) => {
    const allowed: ReadonlyArray<unknown> = Object.entries(Dialect.choices).find(([known]) => known === name)?.[1] ?? []
    if (allowed.length === 0) {
      return `There is no dialect "${name}". There are ${Object.keys(Dialect.choices).join(", ")}.`
    }
    return unless(
      value === undefined || allowed.includes(value),
      `dialect.${name} is one of ${allowed.join(", ")}, not ${String(value)}.`
    )
  })

const headers = (given: Readonly<Record<string, string>>): ReadonlyArray<Finding> =>
  Object.entries(given).map(([name, value]) =>
    unless(
      /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
      `headers["${name}"] cannot be sent as a header.`
    )
  )

type Names<A> = { readonly [K in keyof Required<A>]: true }

const optionNames: Names<Options> = {
  keys: true,
  authSchemes: true,
  quota: true,
  latency: true,
  seed: true,
  readyAfter: true,
  expiresAfter: true,
  maxDocuments: true,
  maxDocumentBytes: true,
  rateLimit: true,
  dialect: true,
  limits: true,
  scripts: true,
  weather: true,
  basePath: true,
  headers: true,
  remembered: true
}
const quotaNames: Names<NonNullable<Options["quota"]>> = { characters: true, period: true }
const rateLimitNames: Names<NonNullable<Options["rateLimit"]>> = { requests: true, per: true }
const keyNames: Names<Key> = { key: true, tier: true, scopes: true, detectionEnabled: true, account: true }

/** Neither something else nor an object with a key that is misspelled: what is not known would do nothing. */
const object = (name: string, given: unknown, known: object): Finding => {
  if (given === undefined) return undefined
  if (typeof given !== "object" || given === null || Array.isArray(given)) return `${name} is an object.`
  const stranger = Object.keys(given).find((key) => !Object.hasOwn(known, key))
  return stranger === undefined
    ? undefined
    : `There is no "${stranger}" in ${name}. There are ${Object.keys(known).join(", ")}.`
}

const array = (name: string, given: unknown): Finding =>
  unless(given === undefined || Array.isArray(given), `${name} is an array.`)

/** What the types say, for programs that have none. */
const shape = (options: Options): Finding =>
  object("the options", options, optionNames) ??
    object("quota", options.quota, quotaNames) ??
    object("rateLimit", options.rateLimit, rateLimitNames) ??
    object("limits", options.limits, Limits.defaults) ??
    array("authSchemes", options.authSchemes) ??
    array("keys", options.keys) ??
    (options.keys ?? []).map((key, index) => object(`keys[${index}]`, key, keyNames)).find((finding) =>
      finding !== undefined
    )

/** What is wrong with the options of a fake. The weather is checked where it is changed. */
export const findings = (options: Options): ReadonlyArray<Finding> => {
  const finding = shape(options)
  return finding === undefined ? values(options) : [finding]
}

const values = (options: Options): ReadonlyArray<Finding> => [
  ...(options.keys ?? []).flatMap(key),
  ...(options.authSchemes ?? []).map((scheme, index) =>
    unless(isWord(scheme), `authSchemes[${index}] is visible ASCII without spaces, and not empty.`)
  ),
  unless(options.authSchemes?.length !== 0, "authSchemes has one scheme word at least."),
  wholeNumber("quota.characters", options.quota?.characters),
  span("quota.period", options.quota?.period),
  time("latency", options.latency),
  time("readyAfter", options.readyAfter),
  time("expiresAfter", options.expiresAfter),
  wholeNumber("maxDocuments", options.maxDocuments),
  wholeNumber("maxDocumentBytes", options.maxDocumentBytes),
  wholeNumber("rateLimit.requests", options.rateLimit?.requests, 1),
  span("rateLimit.per", options.rateLimit?.per),
  ...dialect(options.dialect ?? {}),
  ...limits(options.limits ?? {}),
  unless(
    /^(\/[^\s?#]*)?$/.test(options.basePath ?? ""),
    `basePath begins with "/" and has no query, not "${options.basePath}".`
  ),
  ...headers(options.headers ?? {}),
  wholeNumber("remembered", options.remembered)
]

/** An account that no key has could not be asked about. */
export const account = (keys: ReadonlyArray<Key>, given: string | undefined): Finding =>
  unless(
    given === undefined || keys.some((key) => (key.account ?? "") === given),
    `No key belongs to the account "${given}".`
  )

const documentNames: Names<NewDocument> = {
  content: true,
  contentType: true,
  fileName: true,
  readyAfter: true,
  expiresAfter: true,
  fails: true,
  characters: true,
  account: true
}

const text = (name: string, given: unknown): Finding =>
  unless(given === undefined || typeof given === "string", `${name} is a text.`)

/** A document to be added, but for its account. */
export const document = (given: NewDocument): Finding =>
  object("the document", given ?? null, documentNames) ??
    unless(
      typeof given.content === "string" || given.content instanceof Uint8Array,
      "content is a text, or bytes (Uint8Array)."
    ) ??
    text("contentType", given.contentType) ??
    text("fileName", given.fileName) ??
    text("fails", given.fails) ??
    time("readyAfter", given.readyAfter) ??
    time("expiresAfter", given.expiresAfter) ??
    wholeNumber("characters", given.characters)

/** What the control endpoint takes, for programs in the same process. */
const checker = <A>(what: string, schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownResult(Schema.toType(schema), { errors: "all", onExcessProperty: "error" })
  return (given: A): Finding =>
    Result.match(decode(given), {
      onFailure: (error) => `This is no ${what}: ${describe(error)}.`,
      onSuccess: () => undefined
    })
}

export const styleRuleList = checker("style rule list", ControlApi.NewStyleRuleList)
export const glossary = checker("glossary", ControlApi.NewGlossary)
export const translationMemory = checker("translation memory", ControlApi.NewTranslationMemory)

const quotaChangeNames: Names<QuotaChange> = { characters: true, used: true, period: true }

export const quota = (given: QuotaChange): Finding =>
  object("the quota", given ?? null, quotaChangeNames) ??
    wholeNumber("characters", given.characters) ??
    wholeNumber("used", given.used) ??
    span("period", given.period)

/** Which request is waited for. */
export const awaited = (name: string, count: number): ReadonlyArray<Finding> => [
  operation(name),
  wholeNumber("count", count, 1)
]

/** The name of an operation, which a program without types may misspell. */
export const operation = (given: string): Finding =>
  unless(
    operationNames.some((name) => name === given),
    `There is no operation "${given}". There are ${operationNames.join(", ")}.`
  )
