import type { Dialect } from "../../Dialect.ts"

const resources = [
  "translate_text",
  "translate_document",
  "glossary",
  "voice",
  "write",
  "style_rules",
  "translation_memory"
] as const

export type Resource = typeof resources[number]

/** Language names that differ from CLDR's. */
const ownNames: Readonly<Record<string, string>> = {
  bn: "Bengali",
  ckb: "Kurdish (Sorani)",
  "de-CH": "German (Swiss)",
  "de-DE": "German (Germany)",
  "en-GB": "English (British)",
  "en-US": "English (American)",
  "es-419": "Spanish (Latin American)",
  "fr-CA": "French (Canadian)",
  "fr-FR": "French (France)",
  kmr: "Kurdish (Kurmanji)",
  mi: "Maori",
  nb: "Norwegian (bokmål)",
  pam: "Kapampangan",
  "pt-BR": "Portuguese (Brazilian)",
  "pt-PT": "Portuguese (European)",
  st: "Sesotho",
  tl: "Tagalog",
  "zh-Hans": "Chinese (simplified)",
  "zh-Hant": "Chinese (traditional)"
}

const displayNames = new Intl.DisplayNames("en", { type: "language" })

const names = new Map(Object.entries(ownNames))

export const nameOf = (code: string): string => {
  const name = names.get(code) ?? displayNames.of(code) ?? code
  names.set(code, name)
  return name
}

const words = (text: string): ReadonlyArray<string> => text.split(" ")

const unique = (names: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(names)]

const text = words(
  "ace af an ar as ay az ba be bg bho bn br bs ca ceb ckb cs cy da de el en en-GB en-US eo es es-419 et eu fa fi fr " +
    "ga gl gn gom gu ha he hi hr ht hu hy id ig is it ja jv ka kk kmr ko ky la lb lmo ln lt lv mai mg mi mk ml mn mr " +
    "ms mt my nb ne nl oc om pa pag pam pl prs ps pt pt-BR pt-PT qu ro ru sa scn sk sl sq sr st su sv sw ta te tg th " +
    "tk tl tn tr ts tt uk ur uz vi wo xh yi yue zh zh-Hans zh-Hant zu"
)

const glossaryVariants = words(
  "ar bg cs da de el en en-GB en-US es es-419 et fi fr he hu id it ja ko lt lv nb nl pl pt pt-BR pt-PT ro ru sk sl sv tr uk vi zh zh-Hans zh-Hant"
)
const glossaryCodes = glossaryVariants.filter((code) => !code.includes("-"))
const voiceCodes = words(
  "ar bg bn cs da de el en en-GB en-US es et fi fr ga he hr hu id it ja ko lt lv mt nb nl pl pt pt-BR pt-PT ro ru sk sl sv th tl tr uk vi zh zh-Hans zh-Hant"
)
const transcribed = words("cs de en es fi fr id it ja ko nl pl pt ro ru sv tr uk zh")
const formal = words("de es es-419 fr it ja nl pl pt pt-BR pt-PT ru")
const styled = words("de en-GB en-US es fr it pt-BR pt-PT")

export const languages: Readonly<Record<Resource, ReadonlyArray<string>>> = {
  translate_text: text,
  translate_document: text.filter((code) => code !== "ts"),
  glossary: glossaryCodes,
  voice: voiceCodes,
  write: words("de en en-GB en-US es fr it ja ko pt pt-BR pt-PT zh zh-Hans"),
  style_rules: words("de en es fr it ja ko zh"),
  translation_memory: words("de en en-GB en-US es es-419 fr it ja ko zh zh-Hans")
}

const newVariants = words("de-CH de-DE fr-CA fr-FR")

/** Languages that the service added in July 2026. */
const newer: Readonly<Partial<Record<Resource, ReadonlyArray<string>>>> = {
  translate_text: newVariants,
  translate_document: newVariants,
  style_rules: words("ar bg cs da el et fi he hu id lt lv nb nl pl pt ro ru sk sl sv th tr uk vi"),
  translation_memory: words(
    "ar bg cs da de-CH de-DE el et fi fr-CA fr-FR he hu id lt lv nb nl pl pt-BR pt-PT ro ru sk sl sv th tr uk vi zh-Hant"
  )
}

const isNewer = ({ languages }: Dialect): boolean => languages === "2026-07"

/** Languages that a dialect adds to the specification's languages. */
export const newerOf = (resource: Resource, dialect: Dialect): ReadonlyArray<string> =>
  isNewer(dialect) ? newer[resource] ?? [] : []

export const languagesOf = (resource: Resource, dialect: Dialect): ReadonlyArray<string> =>
  [...languages[resource], ...newerOf(resource, dialect)].toSorted()

/** Whether a language has gained a feature in July 2026. */
export const hasNewFeature = (code: string, feature: string, dialect: Dialect): boolean =>
  isNewer(dialect) && newVariants.includes(code) && (feature === "glossary" || feature === "tag_handling")

/** Languages keyed by resource and feature. Resources without features are absent. */
export const features: Readonly<Partial<Record<Resource, Readonly<Record<string, ReadonlyArray<string>>>>>> = {
  translate_text: {
    auto_detection: glossaryCodes,
    formality: formal,
    glossary: glossaryVariants,
    tag_handling: text,
    style_rules: words("de en en-GB en-US es es-419 fr it ja ko zh zh-Hans zh-Hant"),
    translation_memory: words("de en en-GB en-US es es-419 fr it ja ko zh zh-Hans")
  },
  translate_document: {
    auto_detection: glossaryCodes,
    formality: formal,
    glossary: glossaryVariants,
    tag_handling: text
  },
  voice: {
    auto_detection: transcribed,
    formality: words("de es fr it ja pl pt pt-BR pt-PT ru"),
    glossary: glossaryVariants.filter((code) => code !== "es-419"),
    transcription: transcribed,
    translated_speech: words("de en en-GB en-US es fr it ja ko nl pl pt pt-BR pt-PT ru sv tr zh zh-Hans zh-Hant")
  },
  write: { auto_detection: words("de en es fr it ja ko pt zh"), tone: styled, writing_style: styled }
}

/** Variants that are only valid as a translation target. */
const targetOnly = new Set(words("de-CH de-DE en-GB en-US es-419 fr-CA fr-FR pt-BR pt-PT zh-Hans zh-Hant"))

/** Languages that are only valid as a source; their variants are targets. */
const sourceOnly = new Set(["en", "pt"])
const withVariants = new Set<Resource>(["translate_text", "translate_document", "voice", "write"])

export const usableAsSource = (code: string): boolean => !targetOnly.has(code)

export const usableAsTarget = (resource: Resource, code: string): boolean =>
  !(withVariants.has(resource) && sourceOnly.has(code))

/** Languages listed only with `include=beta`. */
export const betaLanguages: Readonly<
  Partial<Record<Resource, ReadonlyArray<{ readonly code: string; readonly name: string; readonly status: string }>>>
> = {
  translate_text: [
    { code: "fo", name: "Faroese", status: "beta" },
    { code: "so", name: "Somali", status: "beta" },
    { code: "sm", name: "Samoan", status: "early_access" }
  ],
  write: [{ code: "nl", name: "Dutch", status: "beta" }]
}

/** Features listed only with `include=beta`, or with `include=external` if a third party provides them. */
export const extraFeatures: Readonly<
  Partial<
    Record<
      Resource,
      Readonly<
        Record<string, { readonly codes: ReadonlyArray<string>; readonly status: string; readonly external?: true }>
      >
    >
  >
> = {
  translate_text: { style_rules: { codes: ["nl", "pl"], status: "beta" } },
  voice: {
    spoken_terms: { codes: ["de", "en", "fr"], status: "beta" },
    translated_speech: { codes: ["da", "fi", "nb"], status: "stable", external: true }
  }
}

/** The side of a language pair that must support a feature. */
export const needs: Readonly<Record<string, "source" | "target" | "both">> = {
  auto_detection: "source",
  formality: "target",
  glossary: "both",
  tag_handling: "both",
  style_rules: "target",
  translation_memory: "both",
  tone: "target",
  writing_style: "target",
  transcription: "source",
  translated_speech: "target",
  spoken_terms: "source"
}

const needsOf = (feature: string) => ({
  name: feature,
  ...(needs[feature] === "target" ? undefined : { needs_source_support: true }),
  ...(needs[feature] === "source" ? undefined : { needs_target_support: true })
})

/** Each resource's features, in the wire format. */
export const requirements = resources.map((name) => ({
  name,
  features: unique([...Object.keys(features[name] ?? {}), ...Object.keys(extraFeatures[name] ?? {})]).map(needsOf)
}))

/** The deprecated language list omits codes of three letters. */
export const isHiddenFromV2 = (code: string): boolean => code.length === 3
