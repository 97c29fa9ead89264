/** The languages of a project: a code in paths, one of BCP 47 in files and reports, and one for the service. */
import { canonical } from "@effect-lingua/core/contract/Language"
import type { LanguageSettings, Project, TextSettings } from "../Project.ts"

/** A language of a project. */
export interface Locale {
  /** Its code of BCP 47, such as `pt-BR`. */
  readonly code: string
  /** Its code as the project has it, such as `pt_BR`. */
  readonly given: string
}

/** A code of BCP 47 for one of gettext (`pt_BR`, `sr@latin`) or Android (`pt-rBR`, `b+zh+Hans`). */
export const codeOf = (given: string): string =>
  canonical(
    given.replace(/^b\+/, "").replaceAll(/[_+]/g, "-").replace(/-r([A-Z]{2})$/, "-$1").replace(/@latin$/, "-Latn")
      .replace(/@cyrillic$/, "-Cyrl")
  )

/** A language by its code in a project. */
export const localeOf = (given: string): Locale => ({ code: codeOf(given), given })

/** Whether `Intl`, which has the plurals of languages, takes a code. */
export const isCode = (code: string): boolean => {
  try {
    return Intl.getCanonicalLocales(code).length === 1
  } catch {
    return false
  }
}

/** The code in the name of a folder of Android. */
const ofAndroid = (code: string): string =>
  /^[a-z]+-[A-Z]{2}$/.test(code)
    ? code.replace("-", "-r")
    : code.includes("-")
    ? `b+${code.replaceAll("-", "+")}`
    : code

/** A path for a language. */
export const pathFor = (pattern: string, { code, given }: Locale, path: string | undefined): string =>
  pattern.replaceAll(
    /(^|\/values-)?\{language\}/g,
    (_, before: string = "") => before + (path ?? (before === "" ? given : ofAndroid(code)))
  )

/** The settings of a language in a map of them. */
const settingsIn = (languages: Project["languages"] = {}, code: string): LanguageSettings =>
  Object.entries(languages).find(([given]) => codeOf(given) === code)?.[1] ?? {}

/** The settings of a text: those of its language in its entry of `files`, of the entry, of the language, and of the project. */
export interface Settings extends LanguageSettings {
  /** Whether the glossary, the list of style rules or the memory is that of the language. */
  readonly own: LanguageSettings
}

/** The settings of a language for an entry of `files`. */
export const settingsOf = (
  project: Project,
  entry: TextSettings & Pick<Project, "languages">,
  { code }: Locale
): Settings => {
  const [inProject, inEntry] = [settingsIn(project.languages, code), settingsIn(entry.languages, code)]
  return { ...project, ...inProject, ...entry, ...inEntry, own: { ...inProject, ...inEntry } }
}
