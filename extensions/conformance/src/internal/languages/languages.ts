import { type LanguageInclude, Languages } from "@effect-lingua/core/languages/Languages"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { check, present, refused, same, that } from "../check.ts"
import { read, refusal, send, sendForm, status } from "../host.ts"
import type { Check } from "../model.ts"

/** Lists a resource's languages; fails for an empty list. */
const list = Effect.fnUntraced(function*(resource: string, ...include: ReadonlyArray<LanguageInclude>) {
  const found = yield* Languages.use((languages) => Stream.runCollect(languages.list({ resource, include })))
  yield* that(found.length > 0, `languages for ${resource}`, found)
  return found
})

/** The resources of the specification. */
const resources = [
  "translate_text",
  "translate_document",
  "glossary",
  "voice",
  "write",
  "style_rules",
  "translation_memory"
]

/** Style rule languages of the API version 2026-07. */
const styleRuleLanguages = ("ar bg cs da de el en es et fi fr he hu id it ja ko lt lv nb nl pl pt ro ru sk sl sv th " +
  "tr uk vi zh").split(" ")
const memoryTargets = [
  ...styleRuleLanguages.filter((code) => code !== "pt"),
  ..."de-CH de-DE en-GB en-US es-419 fr-CA fr-FR pt-BR pt-PT zh-Hans zh-Hant".split(" ")
]

const bcp47 = /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?$/

const none = (what: string, found: ReadonlyArray<unknown>) => that(found.length === 0, `no ${what}`, found)

export const languages: ReadonlyArray<Check> = [
  check("Languages: each resource has a list, of stable languages by default", {
    source: "List languages"
  }, () =>
    Effect.forEach(resources, (resource) =>
      Effect.gen(function*() {
        const found = yield* list(resource)
        yield* none(`language of ${resource} that is not stable`, found.filter(({ status }) => status !== "stable"))
      }))),
  check("Languages: codes are in the case of BCP 47, and unique", {
    source: "Language entry; Versioning 5"
  }, function*() {
    const codes = (yield* list("translate_text")).map(({ code }) => code)
    yield* none("code in another case", codes.filter((code) => !bcp47.test(code)))
    yield* none("code twice", codes.filter((code, index) => codes.indexOf(code) !== index))
  }),
  check("Languages: en is only a source and en-US only a target of text translation", {
    source: "Language entry",
    only: "spec"
  }, function*() {
    const found = yield* list("translate_text")
    for (const [code, isSource] of [["en", true], ["en-US", false]] as const) {
      const language = yield* present(`a language ${code}`, found.find((entry) => entry.code === code))
      yield* same(`${code} as a source`, language.usableAsSource, isSource)
      yield* same(`${code} as a target`, language.usableAsTarget, !isSource)
    }
  }),
  check("Languages: style rule lists have the eight roots", { source: "Limits" }, function*() {
    const codes = new Set<string>((yield* list("style_rules")).map(({ code }) => code))
    yield* none(
      "language of style rule lists missing",
      ["de", "en", "es", "fr", "it", "ja", "ko", "zh"].filter((code) => !codes.has(code))
    )
  }),
  check("Languages: text is translated to four more variants of German and French", { only: "2026-07" }, function*() {
    const targets = new Set<string>(
      (yield* list("translate_text")).flatMap((entry) =>
        entry.usableAsTarget === true && entry.usableAsSource === false ? [entry.code] : []
      )
    )
    yield* none(
      "variant missing among the languages that are only a target",
      ["de-CH", "de-DE", "fr-CA", "fr-FR"].filter((code) => !targets.has(code))
    )
  }),
  check("Languages: style rule lists have 33 languages", { only: "2026-07" }, function*() {
    const found = new Set<string>((yield* list("style_rules")).map(({ code }) => code))
    yield* none("language of style rule lists missing", styleRuleLanguages.filter((code) => !found.has(code)))
  }),
  check("Languages: translation memories have 43 targets", { only: "2026-07" }, function*() {
    const found = yield* list("translation_memory")
    const targets = new Set<string>(found.flatMap((entry) => entry.usableAsTarget === true ? [entry.code] : []))
    yield* none("target of translation memories missing", memoryTargets.filter((code) => !targets.has(code)))
  }),
  check("Languages: beta and external entries are added to the stable ones", {
    source: "List languages; Versioning 7"
  }, () =>
    Effect.forEach(["translate_text", "voice"], (resource) =>
      Effect.gen(function*() {
        const stable = yield* list(resource)
        const more = new Set((yield* list(resource, "beta", "external")).map(({ code }) => code))
        yield* none(`language of ${resource} lost`, stable.filter(({ code }) => !more.has(code)))
      }))),
  check("Languages: the feature requirements cover the resources and the features of their languages", {
    source: "Language feature requirements"
  }, function*() {
    const requirements = yield* Languages.use((service) => service.resources)
    const text = yield* present(
      "requirements of translate_text",
      requirements.find(({ name }) => name === "translate_text")
    )
    const named = new Set<string>(text.features.map(({ name }) => name))
    // Only features that the specification names are compared, because the service may add features.
    const used = new Set((yield* list("translate_text")).flatMap(({ features = {} }) => Object.keys(features)))
    yield* none(
      "feature without requirements",
      ["formality", "tag_handling", "glossary"].filter((name) => used.has(name) && !named.has(name))
    )
    const formality = yield* present("formality", text.features.find(({ name }) => name === "formality"))
    yield* same("whether the target has to support formality", formality.needsTargetSupport, true)
    const glossary = yield* present("glossary", text.features.find(({ name }) => name === "glossary"))
    yield* that(
      glossary.needsSourceSupport && glossary.needsTargetSupport,
      "both sides have to support a glossary",
      glossary
    )
  }),
  check("Languages: an unknown or missing resource is refused", { source: "List languages; Errors" }, function*() {
    yield* refused(list("no-such-resource"), "BadRequest")
    yield* refusal(yield* send("GET", "/v3/languages"), 400)
  }),
  check("Languages: the endpoints of version 3 take GET only", { source: "Versioning 3" }, () =>
    Effect.forEach(
      ["/v3/languages?resource=write", "/v3/languages/resources"],
      (path) => Effect.flatMap(send("POST", path, { body: {} }), (answer) => status(answer, 404, 405))
    )),
  check("Languages: the deprecated list has codes in upper case, and formality for targets only", {
    source: "Language entry (v2)"
  }, function*() {
    const service = yield* Languages
    // oxlint-disable-next-line typescript/no-deprecated -- the operation is part of the interface
    const [byDefault, sources, targets] = yield* Effect.all([
      Stream.runCollect(service.listV2()),
      Stream.runCollect(service.listV2({ type: "source" })),
      Stream.runCollect(service.listV2({ type: "target" }))
    ])
    const inLowerCase = [...sources, ...targets].filter(({ code }) => code !== code.toUpperCase())
    yield* none("code in lower case", inLowerCase)
    yield* same("the list without a type", byDefault, sources)
    yield* none(
      "source that speaks of formality",
      sources.filter(({ supportsFormality }) => supportsFormality !== undefined)
    )
    yield* none(
      "target that does not speak of formality",
      targets.filter(({ supportsFormality }) => supportsFormality === undefined)
    )
    yield* refusal(yield* send("GET", "/v2/languages?type=neither"), 400)
  }),
  check("Languages: the deprecated list takes POST too", {
    source: "Deprecated language endpoints; Versioning 3"
  }, function*() {
    // oxlint-disable-next-line typescript/no-deprecated -- the operation is part of the interface
    const codes = (yield* Languages.use((service) => Stream.runCollect(service.listV2({ type: "target" }))))
      .map(
        ({ code }) => code
      )
    const posted = yield* sendForm("/v2/languages", { type: "target" })
    const languages = yield* read(Schema.Array(Schema.Struct({ language: Schema.String })), posted)
    yield* same("the codes", languages.map(({ language }) => language), codes)
    yield* that(codes.length > 0, "some languages", codes)
  }),
  check("Languages: the deprecated glossary pairs join two different languages", {
    source: "Deprecated language endpoints"
  }, function*() {
    // oxlint-disable-next-line typescript/no-deprecated -- the operation is part of the interface
    const pairs = yield* Languages.use((service) => service.glossaryPairs)
    yield* that(pairs.length > 0, "pairs", pairs)
    yield* none(
      "pair of a language with itself",
      pairs.filter(({ sourceLanguage, targetLanguage }) => sourceLanguage === targetLanguage)
    )
  })
]
