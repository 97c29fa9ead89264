import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { hasProperty } from "effect/Predicate"
import type { Dialect } from "../../Dialect.ts"
import { notSupported } from "../answers.ts"
import * as Exchange from "../exchange.ts"
import { group } from "../group.ts"
import * as Data from "./languageData.ts"

type Resource = Data.Resource

const isResource = (name: string): name is Resource => Object.hasOwn(Data.languages, name)

interface Feature {
  readonly status: string
  readonly external?: boolean
}

const featuresOf = (
  resource: Resource,
  code: string,
  include: ReadonlyArray<string>,
  dialect: Dialect
): Record<string, Feature> => {
  const features: Record<string, Feature> = {}
  for (const [name, codes] of Object.entries(Data.features[resource] ?? {})) {
    if (codes.includes(code) || Data.hasNewFeature(code, name, dialect)) features[name] = { status: "stable" }
  }
  for (const [name, { codes, external, status }] of Object.entries(Data.extraFeatures[resource] ?? {})) {
    const isIncluded = external === true ? include.includes("external") : include.includes("beta")
    if (isIncluded && codes.includes(code)) {
      features[name] = { status, ...(external === true ? { external } : undefined) }
    }
  }
  return features
}

const languageOf = (
  resource: Resource,
  code: string,
  include: ReadonlyArray<string>,
  dialect: Dialect,
  { name = Data.nameOf(code), status = "stable" }: { readonly name?: string; readonly status?: string } = {}
) => ({
  code,
  name,
  usableAsSource: Data.usableAsSource(code),
  usableAsTarget: dialect.rootTargets === true || Data.usableAsTarget(resource, code),
  status,
  features: featuresOf(resource, code, include, dialect)
})

const list = (resource: Resource, include: ReadonlyArray<string>, dialect: Dialect) => [
  ...Data.languagesOf(resource, dialect).map((code) => languageOf(resource, code, include, dialect)),
  ...(include.includes("beta") ? Data.betaLanguages[resource] ?? [] : [])
    .map((beta) => languageOf(resource, beta.code, include, dialect, beta))
]

/** Finds a resource's stable language; `code` is case-insensitive. */
export const findLanguage = (resource: Resource, code: string, dialect: Dialect = {}) => {
  const found = Data.languagesOf(resource, dialect).find((language) => language.toLowerCase() === code.toLowerCase())
  return found === undefined ? undefined : languageOf(resource, found, [], dialect)
}

export const isTarget = (resource: Resource, code: string, dialect: Dialect): boolean =>
  findLanguage(resource, code, dialect)?.usableAsTarget === true

export const hasFeature = (resource: Resource, code: string, feature: string, dialect: Dialect = {}): boolean =>
  Object.hasOwn(findLanguage(resource, code, dialect)?.features ?? {}, feature)

const listV2 = (type: "source" | "target") =>
  list("translate_text", [], {})
    .filter((language) => !Data.isHiddenFromV2(language.code))
    .filter((language) => type === "source" ? language.usableAsSource : language.usableAsTarget)
    .map(({ code, features, name }) =>
      type === "source"
        ? { code: code.toUpperCase(), name }
        : {
          code: code.toUpperCase(),
          name: code === "zh" ? "Chinese (simplified)" : name,
          supportsFormality: Object.hasOwn(features, "formality")
        }
    )

const glossaryPairs = Data.languages.glossary.flatMap((sourceLanguage) =>
  Data.languages.glossary.filter((targetLanguage) => targetLanguage !== sourceLanguage).map((targetLanguage) => ({
    sourceLanguage,
    targetLanguage
  }))
)

/** Converts a request for the deprecated language list to GET, with the `type` of a form or JSON body in the URL. */
export const asGet = (
  request: HttpServerRequest.HttpServerRequest,
  body: string,
  payload: unknown
): HttpServerRequest.HttpServerRequest => {
  const type = hasProperty(payload, "type") ? payload["type"] : new URLSearchParams(body).get("type")
  const url = type === null || type === undefined
    ? request.url
    : `/v2/languages?type=${encodeURIComponent(typeof type === "string" ? type.toWellFormed() : JSON.stringify(type))}`
  return Object.create(request, { method: { value: "GET" }, url: { value: url } })
}

export const layer = group("Languages", (handlers) =>
  handlers.handleAll({
    list: Effect.fnUntraced(function*({ query: { include = [], resource } }) {
      if (!isResource(resource)) return yield* Effect.fromResult(notSupported("resource"))
      const { fake: { settings: { dialect } } } = yield* Exchange.Current
      return list(resource, include, dialect)
    }),
    // Not encoded with the contract, which would add absent fields.
    resources: () => Effect.succeed(HttpServerResponse.jsonUnsafe(Data.requirements)),
    listV2: ({ query: { type = "source" } }) => Effect.succeed(listV2(type)),
    glossaryPairs: () => Effect.succeed({ supportedLanguages: glossaryPairs })
  }))
