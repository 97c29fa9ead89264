import * as Arr from "effect/Array"
import { globSync } from "node:fs"
import { hasAllLanguages } from "../../formats/internal/table.ts"
import type { Discovered } from "../Project.ts"
import { codeOf } from "./locales.ts"

const skipped = new Set(["node_modules", "vendor", "dist", "build", "target", "coverage", "out", "Pods"])

/** Files with these names are found in every folder, other formats only in folders that match `folders`. */
const ofTexts = /\.(?:arb|po|pot|xlf|xliff|strings|xcstrings|resx)$|(?:messages|strings|labels)[^/]*\.properties$/i
const folders = /(?:^|\/)(?:_?locales?|langs?|languages?|i18n|l10n|intl|translations?|messages)\//i

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" })

/** True for a language code that `Intl` can name. Three-letter synonyms of two-letter codes are mostly words, such as `src`. */
const isLanguage = (spelling: string): boolean => {
  if (!/^(?:b\+)?[a-z]{2,3}(?:[-_+](?:r?[A-Z]{2}|[A-Z][a-z]{3}|\d{3}))*$/.test(spelling)) return false
  const [base = ""] = codeOf(spelling).split("-")
  return names.of(base) !== undefined && (base.length === 2 || Intl.getCanonicalLocales(base)[0] === base)
}

interface Found {
  readonly pattern: string
  readonly spelling: string | undefined
}

const place = "{language}"

const hasPlace = (pattern: string) => Number(pattern.includes(place))

/** Finds the language in a file name (`app_en.arb`) or folder name (`en.lproj`, `values-pt-rBR`). */
const read = (path: string): Found => {
  const [, folder = "", name = "", ending = ""] = /^(.*\/)?([^/]*?)(\.\w+)$/.exec(path) ?? []
  // The language may begin after any separator: `pt_BR` in `app_pt_BR`.
  const cut = [0, ...Array.from(name.matchAll(/[._-]/g), ({ index }) => index + 1)]
    .find((at) => isLanguage(name.slice(at)))
  if (cut !== undefined) {
    return { pattern: `${folder}${name.slice(0, cut)}${place}${ending}`, spelling: name.slice(cut) }
  }
  const segments = path.split("/")
  const at = segments.findLastIndex((segment) => isLanguage(segment.replace(/^values-|\.lproj$/g, "")))
  const spelling = segments[at]?.replace(/^values-|\.lproj$/g, "")
  return spelling === undefined
    ? { pattern: path, spelling }
    : {
      pattern: segments.map((part, index) =>
        index === at ? part.replace(/^(values-)?.*?(\.lproj)?$/, `$1${place}$2`) : part
      ).join("/"),
      spelling
    }
}

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

/** Replaces the file name in a language folder with `*`, except in Android's folders, which contain other files. */
const collapsed = (pattern: string): string =>
  pattern.replace(/^(.*(?<!\/values-)\{language\}(?:\.lproj)?\/.*?)[^/]*(\.\w+)$/, "$1*$2")

/** Proposes a project for the localization files in a folder; `undefined` if no file is found. */
export const discover = (
  folder: string,
  endings: ReadonlyArray<string>,
  spelling: string | undefined,
  targets: ReadonlyArray<string> = []
): Discovered | undefined => {
  const paths = globSync(`**/*.{${endings.join(",")}}`, {
    cwd: folder,
    exclude: (path) => skipped.has(path) || /^\.[^./]/.test(path)
  }).map((path) => path.replaceAll("\\", "/")).toSorted()
  const found = paths.filter((path) =>
    ofTexts.test(path) || folders.test(path) || /\/values[^/]*\/strings\.xml$/.test(path)
  ).map(read)
  const groups = Arr.groupBy(found, ({ pattern }) => pattern)
  const codesOf = (pattern: string) => (groups[pattern] ?? []).flatMap(({ spelling }) => spelling ?? [])
  const languages = new Set(found.flatMap(({ spelling }) => spelling ?? []))
  const source = spelling ?? [...languages].find((one) => codeOf(one) === "en") ??
    [...languages].find((one) => codeOf(one).startsWith("en-")) ?? "en"
  const inFiles = new Map<string, string | { readonly source: string; readonly target: string }>()
  const chosen = new Set<string>()
  // Templates first: a template's translation into the source language (`en.po` beside `app.pot`) is not a source.
  for (const pattern of Object.keys(groups).toSorted((one, other) => hasPlace(one) - hasPlace(other))) {
    const codes = codesOf(pattern)
    const template = pattern.replace(/[^/]*$/, "")
    if (codes.length === 0) {
      const pot = paths.filter((path) => path.endsWith(".po") && path.startsWith(template)).map(read)
      const target = pattern.endsWith(".pot")
        ? pot.find((other) => other.pattern.endsWith(pattern.replace(/^.*\/|t$/g, "")))?.pattern ?? targetOf(pattern)
        : targetOf(pattern)
      if (hasAllLanguages(pattern)) inFiles.set(pattern, pattern)
      else if (target !== undefined) {
        inFiles.set(target, { source: pattern, target })
        for (const code of codesOf(target)) chosen.add(code)
      }
    } else if (codes.includes(source) && !inFiles.has(pattern)) {
      const target = collapsed(pattern)
      if (!inFiles.has(target)) inFiles.set(target, target)
      for (const code of codes) chosen.add(code)
    }
  }
  if (inFiles.size === 0) return undefined
  return {
    source,
    targets: Arr.dedupeWith([source, ...chosen, ...targets], (one, other) => codeOf(one) === codeOf(other)).slice(1),
    files: [...inFiles.values()]
  }
}
