/**
 * Drift: how the responses of a host differ from the contract of this version, over calls that cost nothing: fields that it does not know, languages
 * and features that are new, languages that are missing. New values of open sets, and fields that are missing, are not compared.
 *
 * **Example** (A fake that follows the specification)
 *
 * ```ts import.meta.vitest
 * import * as Drift from "@effect-lingua/testing/conformance/Drift"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect } from "effect"
 *
 * const drift = (dialect: FakeLanguageService.Options["dialect"]) =>
 *   Drift.check.pipe(Effect.provide(FakeLanguageService.layerServices({ dialect })), Effect.runPromise)
 *
 * const { findings } = await drift({})
 * findings // => []
 * const newer = await drift({ unknownFields: true })
 * newer.findings[0]?.kind // => "unknown field"
 * ```
 *
 * @since 0.3.0
 */
import { Usage } from "@effect-lingua/core/account/Usage"
import * as UnknownFields from "@effect-lingua/core/client/UnknownFields"
import * as Extra from "@effect-lingua/core/Extra"
import { Glossaries } from "@effect-lingua/core/glossaries/Glossaries"
import { Languages } from "@effect-lingua/core/languages/Languages"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Data from "../fake/internal/languages/languageData.ts"
import { operation, operationNames } from "../faults/internal/operations.ts"

/**
 * A difference: its place, such as `Usage.get: products[].region`, the code of a language or the name of a feature. Of a read that fails it is the
 * message of the error, which can quote the service.
 *
 * @category models
 * @since 0.3.0
 */
export interface Finding {
  readonly kind: "unknown field" | "new language" | "missing language" | "new feature" | "not read"
  readonly what: string
}

/**
 * The differences of a host, and the operations whose responses were compared.
 *
 * @category models
 * @since 0.3.0
 */
export interface Report {
  readonly findings: ReadonlyArray<Finding>
  readonly compared: ReadonlyArray<string>
}

type Needed = Glossaries | Languages | StyleRules | TranslationMemories | Usage

/** Calls that read only, and cost nothing. */
const reads: Readonly<Record<string, Effect.Effect<unknown, { readonly message: string }, Needed>>> = {
  "Usage.get": Usage.use(({ get }) => get()),
  "Languages.resources": Languages.use(({ resources }) => resources()),
  ...Object.fromEntries(
    Object.keys(Data.languages).map((resource) => [
      `Languages.list of ${resource}`,
      Languages.use(({ list }) => Stream.runDrain(list({ resource })))
    ])
  ),
  "StyleRules.listPage": StyleRules.use(({ listPage }) => listPage()),
  "Glossaries.list": Glossaries.use(({ list }) => Stream.runDrain(list())),
  "TranslationMemories.listPage": TranslationMemories.use(({ listPage }) => listPage())
}

const schemasOf = (name: string): ReadonlyArray<Schema.Top> => {
  const known = operationNames.find((other) => other === name)
  return known === undefined ? [] : Array.from(operation(known).successes.values()).flat()
}

/** Fields that none of the schemas of an operation has. */
const unknownIn = ({ body, operation }: { readonly operation: string; readonly body: Schema.Json }): Array<Finding> => {
  const [first = [], ...others] = schemasOf(operation).map((schema) => UnknownFields.find(schema, body))
  return first.filter((path) => others.every((paths) => paths.includes(path))).map((path) => ({
    kind: "unknown field",
    what: `${operation}: ${path}`
  }))
}

const entriesOf = Schema.decodeUnknownOption(Schema.Array(Schema.Json))

const entryOf = Schema.decodeUnknownOption(Schema.Struct({
  lang: Schema.String,
  features: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
}))

/** Languages and features that the contract does not have, and languages that are missing. */
const languagesIn = (resource: string, body: Schema.Json): ReadonlyArray<Finding> => {
  const { [resource]: expected = [] }: Readonly<Record<string, ReadonlyArray<string>>> = Data.languages
  const entries = Option.getOrElse(entriesOf(body), () => []).flatMap((entry) => Option.toArray(entryOf(entry)))
  const codes = entries.map(({ lang }) => lang)
  const features = entries.flatMap(({ features = {} }) => Object.keys(features))
  const of = (what: string) => `${resource}: ${what}`
  return [
    ...codes.filter((code) => !expected.includes(code)).map((code): Finding => ({
      kind: "new language",
      what: of(code)
    })),
    ...expected.filter((code) => !codes.includes(code))
      .map((code): Finding => ({ kind: "missing language", what: of(code) })),
    ...Array.from(new Set(features)).filter((name) => !Object.hasOwn(Data.needs, name))
      .map((name): Finding => ({ kind: "new feature", what: of(name) }))
  ]
}

/**
 * Compares the host of the services of the context with the contract. Nothing is changed, and no characters are counted. A read that fails, such
 * as one that the plan of the key does not have, is a finding of its own, with the message of its error.
 *
 * @category running
 * @since 0.3.0
 */
export const check: Effect.Effect<Report, never, Needed> = Effect.gen(function*() {
  const findings = new Map<string, Finding>()
  const compared = new Set<string>()
  for (const [name, read] of Object.entries(reads)) {
    const [result, bodies] = yield* Extra.raw(Effect.result(read))
    const resource = / of (\w+)$/.exec(name)?.[1]
    const found = bodies.flatMap(({ body, operation }) => {
      compared.add(operation)
      const known = { operation, body: Redacted.value(body) }
      return unknownIn(known).concat(resource === undefined ? [] : languagesIn(resource, known.body))
    })
    if (result._tag === "Failure") {
      const message = result.failure.message.replace(/[`\s]+/g, " ")
      found.push({ kind: "not read", what: `${resource === undefined ? "" : `${resource}: `}${message}` })
    }
    for (const finding of found) findings.set(`${finding.kind} ${finding.what}`, finding)
  }
  return { findings: Array.from(findings.values()), compared: Array.from(compared) }
})

/**
 * A report as Markdown for an issue tracker.
 *
 * @category conversions
 * @since 0.3.0
 */
export const format = ({ compared, findings }: Report): string =>
  findings.length === 0
    ? `No difference in ${compared.join(", ")}.`
    : Array.from(
      Map.groupBy(findings, ({ kind }) => kind),
      ([kind, found]) => `**${kind}**\n\n${found.map(({ what }) => `- \`${what}\``).join("\n")}`
    ).join("\n\n")
