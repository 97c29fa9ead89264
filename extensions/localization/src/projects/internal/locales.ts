/** Languages of a project: BCP 47 codes, spellings in paths, and settings. */
import { canonical } from "@effect-lingua/core/contract/Language"
import * as Result from "effect/Result"
import type { LanguageSettings, Project, TextSettings } from "../Project.ts"

export interface Locale {
  /** BCP 47, such as `pt-BR`. */
  readonly code: string
  /** The project file's spelling, such as `pt_BR`. */
  readonly spelling: string
}

/** Converts gettext (`pt_BR`, `sr@latin`) and Android codes (`pt-rBR`, `b+zh+Hans`) to BCP 47. */
export const codeOf = (spelling: string): string =>
  canonical(
    spelling.replace(/^b\+/, "").replaceAll(/[_+]/g, "-").replace(/-r([A-Z]{2})$/, "-$1").replace(/@latin$/, "-Latn")
      .replace(/@cyrillic$/, "-Cyrl")
  )

export const localeOf = (spelling: string): Locale => ({ code: codeOf(spelling), spelling })

export const isCode = (code: string): boolean => Result.isSuccess(Result.try(() => Intl.getCanonicalLocales(code)))

const ofAndroid = (code: string): string =>
  /^[a-z]+-[A-Z]{2}$/.test(code)
    ? code.replace("-", "-r")
    : code.includes("-")
    ? `b+${code.replaceAll("-", "+")}`
    : code

export const pathFor = (pattern: string, { code, spelling }: Locale, path: string | undefined): string =>
  pattern.replaceAll(
    /(^|\/values-)?\{language\}/g,
    (_, before: string = "") => before + (path ?? (before === "" ? spelling : ofAndroid(code)))
  )

const settingsIn = (languages: Project["languages"] = {}, code: string): LanguageSettings =>
  Object.entries(languages).find(([spelling]) => codeOf(spelling) === code)?.[1] ?? {}

/** Merged settings, highest precedence first: an entry's language, the entry of `files`, the project's language, the project. */
export interface Settings extends LanguageSettings {
  /** Settings specific to the language. */
  readonly own: LanguageSettings
}

export const settingsOf = (
  project: Project,
  entry: TextSettings & Pick<Project, "languages">,
  { code }: Locale
): Settings => {
  const [inProject, inEntry] = [settingsIn(project.languages, code), settingsIn(entry.languages, code)]
  return { ...project, ...inProject, ...entry, ...inEntry, own: { ...inProject, ...inEntry } }
}
