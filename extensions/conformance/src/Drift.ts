/**
 * Detects API drift with free calls: unknown fields, new languages and features, and missing languages in a host's responses, compared with this
 * library's contract. Missing fields and new values of open enumerations are not detected.
 *
 * **Example** (A fake that follows the specification)
 *
 * ```ts import.meta.vitest
 * import { Drift } from "@effect-lingua/conformance"
 * import { FakeLanguageService } from "@effect-lingua/testing"
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
import { CustomRequests } from "@effect-lingua/core/call/CustomRequests"
import { LanguageData, Operations } from "@effect-lingua/testing/extension/Checks"
import type { OperationName } from "@effect-lingua/testing/faults/Fault"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isObject } from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/**
 * A difference. `what` is a field, such as `Usage.get: products[].region`, a language code, a feature, or the message of a failed read, which can
 * quote the service.
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

/** Free, read-only operations, with the value of the query parameter `resource`. */
const reads: ReadonlyArray<readonly [name: OperationName, resource?: string]> = [
  ["Usage.get"],
  ["Languages.resources"],
  ...Object.keys(LanguageData.languages).map((resource) => ["Languages.list", resource] as const),
  ["StyleRules.listPage"],
  ["Glossaries.list"],
  ["TranslationMemories.listPage"]
]

/** The members of a union, flattened; for another schema, only the schema. */
const alternatives = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  SchemaAST.isUnion(ast)
    ? ast.types.flatMap(alternatives)
    : SchemaAST.isSuspend(ast)
    ? alternatives(ast.thunk())
    : [ast]

/** The paths of fields that are missing from all schemas, such as `translations[].confidence`. */
const unknownFields = (asts: ReadonlyArray<SchemaAST.AST>, value: unknown, path = ""): ReadonlyArray<string> => {
  if (Array.isArray(value)) {
    const items = asts.filter(SchemaAST.isArrays).flatMap(({ elements, rest }) => elements.concat(rest))
    if (items.length === 0) return []
    return value.flatMap((item) => unknownFields(items.flatMap(alternatives), item, `${path}[]`))
  }
  const structs = asts.filter(SchemaAST.isObjects)
  // A record allows any name.
  if (!isObject(value) || structs.length === 0 || structs.some((ast) => ast.indexSignatures.length > 0)) return []
  return Object.entries(value).flatMap(([name, below]) => {
    const fields = structs.flatMap((ast) => ast.propertySignatures.filter((field) => field.name === name))
    // Truncated, because the service's field names may have any length.
    const place = `${path === "" ? "" : `${path}.`}${name.slice(0, 100)}`
    return fields.length === 0 ? [place] : unknownFields(fields.flatMap(({ type }) => alternatives(type)), below, place)
  })
}

/** Fields of a response that the operation's success schemas do not have. */
const unknownIn = (name: OperationName, body: Schema.Json): ReadonlyArray<Finding> => {
  const schemas = Array.from(Operations.operation(name).successes.values()).flat()
  const asts = schemas.flatMap(({ ast }) => alternatives(SchemaAST.toEncoded(ast)))
  return unknownFields(asts, body).map((path) => ({ kind: "unknown field", what: `${name}: ${path}` }))
}

const entriesOf = Schema.decodeUnknownOption(Schema.Array(Schema.Json))

const entryOf = Schema.decodeUnknownOption(Schema.Struct({
  lang: Schema.String,
  features: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
}))

/** Languages and features of a response that the contract does not have, and missing languages. */
const languagesIn = (resource: string, body: Schema.Json): ReadonlyArray<Finding> => {
  const { [resource]: expected = [] }: Readonly<Record<string, ReadonlyArray<string>>> = LanguageData.languages
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
    ...Array.from(new Set(features)).filter((name) => !Object.hasOwn(LanguageData.needs, name))
      .map((name): Finding => ({ kind: "new feature", what: of(name) }))
  ]
}

/**
 * Compares the context's host with the contract. Changes nothing and counts no characters. A failed read, for example because the key's plan lacks
 * the operation, is a finding with the error's message.
 *
 * @category running
 * @since 0.3.0
 */
export const check: Effect.Effect<Report, never, CustomRequests> = Effect.gen(function*() {
  const { send } = yield* CustomRequests
  const findings = new Map<string, Finding>()
  const compared = new Set<string>()
  for (const [name, resource] of reads) {
    const { endpoint: { path } } = Operations.operation(name)
    const read = send({ method: "GET", path: `/${path.slice(1)}`, query: { resource }, success: Schema.Json })
    const result = yield* Effect.result(read)
    if (Result.isSuccess(result)) compared.add(name)
    const found = Result.match(result, {
      onSuccess: (body) => [...unknownIn(name, body), ...(resource === undefined ? [] : languagesIn(resource, body))],
      onFailure: ({ message, operation }): ReadonlyArray<Finding> => {
        const what = message.replace(operation, resource === undefined ? name : `${name} of ${resource}`)
        return [{ kind: "not read", what: what.replace(/[`\s]+/g, " ") }]
      }
    })
    for (const finding of found) findings.set(`${finding.kind} ${finding.what}`, finding)
  }
  return { findings: Array.from(findings.values()), compared: Array.from(compared) }
})

/**
 * Formats a report as Markdown, for an issue tracker.
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
