/** Finds the localization files of a folder, for a new project file. */
import * as Arr from "effect/Array"
import { globSync } from "node:fs"
import { hasAllLanguages } from "../../formats/internal/table.ts"
import type { Discovered } from "../Project.ts"
import { codeOf } from "./locales.ts"

/** Folders of others, and of what is built. */
const skipped = new Set(["node_modules", "vendor", "dist", "build", "target", "coverage", "out", "Pods"])

/** Formats that have nothing but texts of programs; files of the others count in folders with such names. */
const ofTexts =
  /\.(?:arb|po|pot|xlf|xliff|strings|xcstrings|resx)$|(?:^|\/)(?:messages|strings|labels)[^/]*\.properties$/i
const folders = /(?:^|\/)(?:_?locales?|langs?|languages?|i18n|l10n|intl|translations?|messages)\//i

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" })

/** A code with a name in English. Those of three letters that stand for one of two are mostly other words, such as `src`. */
const isLanguage = (given: string): boolean => {
  if (!/^(?:b\+)?[a-z]{2,3}(?:[-_+](?:r?[A-Z]{2}|[A-Z][a-z]{3}|\d{3}))*$/.test(given)) return false
  const [base = ""] = codeOf(given).split("-")
  return names.of(base) !== undefined && (base.length === 2 || Intl.getCanonicalLocales(base)[0] === base)
}

/** A path with the code of its language, where it has one. */
interface Found {
  readonly pattern: string
  readonly given: string | undefined
}

const place = "{language}"

/** The language in the name of a file (`app_en.arb`, `messages.de.xlf`) or of a folder (`en`, `en.lproj`, `values-pt-rBR`). */
const read = (path: string): Found => {
  const [, folder = "", name = "", ending = ""] = /^(.*\/)?([^/]*?)(\.\w+)$/.exec(path) ?? []
  // `app_pt_BR` ends with a language, after one of its separators.
  const cut = [0, ...Array.from(name.matchAll(/[._-]/g), ({ index }) => index + 1)]
    .find((at) => isLanguage(name.slice(at)))
  if (cut !== undefined) return { pattern: `${folder}${name.slice(0, cut)}${place}${ending}`, given: name.slice(cut) }
  const segments = path.split("/")
  // The ending of the file is in no code.
  const at = segments.findLastIndex((segment) => isLanguage(segment.replace(/^values-|\.lproj$/g, "")))
  const given = segments[at]?.replace(/^values-|\.lproj$/g, "")
  return given === undefined
    ? { pattern: path, given }
    : {
      pattern: segments.map((part, index) =>
        index === at ? part.replace(/^(values-)?.*?(\.lproj)?$/, `$1${place}$2`) : part
      ).join("/"),
      given
    }
}

/** The usual targets of a source without a language in its path. */
const targetOf = (source: string): string | undefined =>
  source.endsWith(".pot")
    ? source.replace(/[^/]*$/, `${place}.po`)
    : source.endsWith("/values/strings.xml")
    ? source.replace("/values/", `/values-${place}/`)
    : /\.(?:xlf|xliff|resx)$/.test(source)
    ? source.replace(/(\.\w+)$/, `.${place}$1`)
    : source.endsWith(".properties")
    ? source.replace(/(\.\w+)$/, `_${place}$1`)
    : undefined

/** All files of a folder with a language, as a pattern. The folders of Android have other files too. */
const collapsed = (pattern: string): string =>
  pattern.replace(/^(.*(?<!\/values-)\{language\}(?:\.lproj)?\/.*?)[^/]*(\.\w+)$/, "$1*$2")

/** The content of a project file for the files in a folder: `undefined` if there are none, and without targets if none is known. */
export const discover = (
  folder: string,
  endings: ReadonlyArray<string>,
  given: string | undefined
): Discovered | undefined => {
  const paths = globSync(`**/*.{${endings.join(",")}}`, {
    cwd: folder,
    exclude: (path) => skipped.has(path) || /^\.[^./]/.test(path)
  }).map((path) => path.replaceAll("\\", "/")).toSorted()
  const found = paths.filter((path) =>
    ofTexts.test(path) || folders.test(path) || /\/values[^/]*\/strings\.xml$/.test(path)
  )
    .map(read)
  const groups = Arr.groupBy(found, ({ pattern }) => pattern)
  const codesOf = (pattern: string) => (groups[pattern] ?? []).flatMap(({ given }) => given ?? [])
  const languages = new Set(found.flatMap(({ given }) => given ?? []))
  const source = given ?? [...languages].find((one) => codeOf(one) === "en") ??
    [...languages].find((one) => codeOf(one).startsWith("en-")) ?? "en"
  const inFiles = new Map<string, string | { readonly source: string; readonly target: string }>()
  const chosen = new Set<string>()
  for (const pattern of Object.keys(groups)) {
    const codes = codesOf(pattern)
    const template = pattern.replace(/[^/]*$/, "")
    if (codes.length === 0) {
      const pot = paths.filter((path) => path.endsWith(".po") && path.startsWith(template)).map((path) =>
        read(path).pattern
      )
      const target = pattern.endsWith(".pot")
        ? pot.find((other) => other.endsWith(pattern.replace(/^.*\/|t$/g, ""))) ?? targetOf(pattern)
        : targetOf(pattern)
      if (hasAllLanguages(pattern)) inFiles.set(pattern, pattern)
      else if (target !== undefined) {
        inFiles.set(target, { source: pattern, target })
        for (const code of codesOf(target)) chosen.add(code)
      }
    } else if (codes.includes(source)) {
      const target = collapsed(pattern)
      if (!inFiles.has(target)) inFiles.set(target, target)
      for (const code of codes) chosen.add(code)
    }
  }
  if (inFiles.size === 0) return undefined
  return {
    source,
    targets: [...chosen].filter((code) => codeOf(code) !== codeOf(source)).toSorted(),
    files: [...inFiles.values()]
  }
}
