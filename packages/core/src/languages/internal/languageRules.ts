/** Pure lookups in language lists. */
import { nearest } from "../../contract/Language.ts"
import type { Language, LanguageInclude, Maturity, ResourceFeatures } from "./languagesApi.ts"

export type Side = "source" | "target"

const isStable = (status: Maturity | undefined): boolean => status === undefined || status === "stable"

/** Filters a full list to the entries that the service returns for `include`. */
export const included = (
  languages: ReadonlyArray<Language>,
  include: ReadonlyArray<LanguageInclude> = []
): ReadonlyArray<Language> => {
  const beta = include.includes("beta")
  const external = include.includes("external")
  if (beta && external) return languages
  return languages.filter(({ status }) => beta || isStable(status)).map((language) => {
    if (language.features === undefined) return language
    const features = Object.entries(language.features).filter(([, feature]) =>
      feature.external === true ? external : beta || isStable(feature.status)
    )
    return Object.assign({}, language, { features: Object.fromEntries(features) })
  })
}

/** The languages of one side, or all languages if `side` is absent. A language that declares no side counts on both. */
export const ofSide = (languages: ReadonlyArray<Language>, side: Side | undefined): ReadonlyArray<Language> =>
  side === undefined
    ? languages
    : languages.filter((language) => (side === "source" ? language.usableAsSource : language.usableAsTarget) !== false)

export const find = (languages: ReadonlyArray<Language>, code: string): Language | undefined =>
  languages.find((language) => language.code.toLowerCase() === code.toLowerCase())

/** A tag that `Intl.Locale` accepts: language, optional script, optional region. */
const tag = /^[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?$/i

/** The equivalents of a code, best first, and its language without script and region. */
const read = (code: string): { readonly readings: ReadonlyArray<string>; readonly base: string } => {
  const written = code.replaceAll("_", "-")
  if (!tag.test(written)) return { readings: [written], base: (written.split("-")[0] ?? "").toLowerCase() }
  const locale = new Intl.Locale(written)
  const { language, region, script } = locale.maximize()
  // The scripts must be equal: `sr` is Cyrillic, so not the base of `sr-Latn`.
  const isDefaultScript = new Intl.Locale(locale.language).maximize().script === script
  // `Intl.Locale` converts former codes: en-UK to en-GB, iw to he. `no` usually means Bokmål, `nb`.
  const others = language === "no" ? ["nb"] : []
  return {
    readings: [
      locale.toString(),
      `${language}-${script}`,
      `${language}-${region}`,
      ...others,
      ...isDefaultScript ? [locale.language] : []
    ],
    base: locale.language
  }
}

const codes = (languages: ReadonlyArray<Language>): ReadonlyArray<string> => languages.map(({ code }) => code)

export const resolve = (languages: ReadonlyArray<Language>, code: string): Language | undefined =>
  [code, ...read(code).readings].flatMap((reading) => find(languages, reading) ?? [])[0] ??
    languages.find(({ name }) => name.toLowerCase() === code.toLowerCase())

/** The listed code most similar to an unlisted code. */
export const nearestCode = (languages: ReadonlyArray<Language>, code: string): string | undefined => {
  const meant = resolve(languages, code)
  if (meant !== undefined) return meant.code
  const { base } = read(code)
  const variants = languages.filter((language) => language.code.toLowerCase().split("-")[0] === base)
  return nearest(code, codes(variants)) ?? nearest(code, codes(languages), Math.min(2, Math.floor(code.length / 3)))
}

/** A language pair. Without `source`, the service detects the source language. */
export interface Pair {
  readonly source?: string | undefined
  readonly target: string
}

const requirement = (requirements: ReadonlyArray<ResourceFeatures>, resource: string, feature: string) =>
  requirements.find(({ name }) => name === resource)?.features.find(({ name }) => name === feature)

/** True if each required side of a pair has a feature. `undefined` for an unlisted feature, or a language with unknown features. */
export const hasFeature = (
  languages: ReadonlyArray<Language>,
  requirements: ReadonlyArray<ResourceFeatures>,
  resource: string,
  feature: string,
  { source, target }: Pair
): boolean | undefined => {
  const needs = requirement(requirements, resource, feature)
  if (needs === undefined) return undefined
  if (source === undefined && feature === "glossary") return false
  const has = (code: string): boolean | undefined => {
    const language = find(languages, code)
    if (language === undefined) return false
    return language.features === undefined ? undefined : Object.hasOwn(language.features, feature)
  }
  const ofSource = !needs.needsSourceSupport || source === undefined || has(source)
  const ofTarget = !needs.needsTargetSupport || has(target)
  return ofSource === false || ofTarget === false ? false : ofSource && ofTarget
}

export const hasPair = (languages: ReadonlyArray<Language>, { source, target }: Pair): boolean =>
  find(ofSide(languages, "target"), target) !== undefined &&
  (source === undefined || find(ofSide(languages, "source"), source) !== undefined)
