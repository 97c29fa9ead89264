import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { formatOf, hasAllLanguages } from "../../formats/internal/table.ts"
import type { Discovered } from "../Project.ts"
import { codeOf } from "./locales.ts"

const skipped = new Set(["node_modules", "vendor", "dist", "build", "target", "coverage", "out", "Pods"])

/** Files with these names are found in every folder, other formats in `folders`. */
const ofTexts = /\.(?:arb|po|pot|xlf|xliff|strings|xcstrings|resx)$|(?:messages|strings|labels)[^/]*\.properties$/i
const folders = /(?:^|\/)(?:_?locales?|langs?|languages?|i18n|l10n|intl|translations?|messages)\//i

const names = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" })

/** True for a language code that `Intl` can name. Three-letter synonyms of two-letter codes are mostly words, such as `src`. */
const isLanguage = (spelling: string): boolean => {
  if (!/^(?:b\+)?[a-z]{2,3}(?:[-_+](?:r?[A-Z]{2}|[A-Z][a-z]{3}|\d{3}))*$/.test(spelling)) return false
  const [base = ""] = codeOf(spelling).split("-")
  return names.of(base) !== undefined && (base.length === 2 || Intl.getCanonicalLocales(base)[0] === base)
}

type Found = Readonly<Record<"path" | "pattern" | "spelling", string>>

const place = "{language}"

/** Possible languages of a file name (`app_en.arb`) and folder names (`en.lproj`, `values-pt-rBR`), most likely first. */
const read = (path: string): ReadonlyArray<Found> => {
  // Templates, catalogs and Android's sources have no language.
  if (/\.(?:pot|xcstrings)$|\/values\/strings\.xml$/.test(path)) return []
  const [, folder = "", name = "", ending = ""] = /^(.*\/)?([^/]*?)(\.\w+)$/.exec(path) ?? []
  // The language may begin after any separator: `pt_BR` in `app_pt_BR`.
  const inName = [0, ...Array.from(name.matchAll(/[._-]/g), ({ index }) => index + 1)].flatMap((at) => {
    const spelling = name.slice(at)
    const withPlace = folder.split("/").map((segment) => segment === spelling ? place : segment).join("/")
    return Arr.dedupe([withPlace, folder]).map((folder) => {
      return { path, pattern: `${folder}${name.slice(0, at)}${place}${ending}`, spelling }
    })
  })
  const inFolders = path.split("/").map((segment, at, all) => ({
    path,
    pattern: all.with(at, segment.replace(/^(values-)?.*?(\.lproj)?$/, `$1${place}$2`)).join("/"),
    // A resource of Android for cars.
    spelling: segment === "values-car" ? "" : segment.replace(/^values-|\.lproj$/g, "")
  }))
  return [...inName, ...inFolders.toReversed()].filter(({ spelling }) => isLanguage(spelling))
}

/** The usual target path of a source whose path has no language. */
const targetOf = (source: string): string | undefined => {
  const target = source.replace(/[^/]*\.pot$/, `${place}.po`)
    .replace(/(?<=\/values)(?=\/strings\.xml$)/, `-${place}`)
    .replace(/(?=\.(?:xlf|xliff|resx)$)/, `.${place}`)
    .replace(/(?=\.properties$)/, `_${place}`)
  return target === source ? undefined : target
}

/** Replaces the file name in a language folder with `*`, except in Android's folders, which contain other files. */
const collapsed = (pattern: string): string =>
  pattern.replace(/^(.*(?<!\/values-)\{language\}(?:\.lproj)?\/(?:.*\/)?)[^/{]*(\.\w+)$/, "$1*$2")

/** Returns a function that is true for a translation with a text of the source, or without texts. */
const evidenceOf = Effect.fnUntraced(function*(folder: string, source: Pick<Found, "path" | "spelling">) {
  const format = yield* formatOf(source.path)
  const textOf = (name: string) => readFileSync(join(folder, name), "utf8")
  const code = codeOf(source.spelling)
  const ids = Result.try(() => format?.parse(textOf(source.path), code).units(code).map(({ id }) => id) ?? [])
  return ({ path, spelling }: Found): boolean => {
    const found = Result.try(() => format?.read(textOf(path), codeOf(spelling)) ?? new Map())
    // A run reports an unreadable file.
    return Result.isFailure(ids) || Result.isFailure(found) || found.success.size === 0 ||
      ids.success.some((id) => found.success.has(id))
  }
})

/** Proposes a project for a folder's localization files; `undefined` if no file is found. */
export const discover = Effect.fnUntraced(function*(
  folder: string,
  endings: ReadonlyArray<string>,
  spelling: string | undefined,
  named: ReadonlyArray<string> = []
) {
  const paths = globSync(`**/*.{${endings.join(",")}}`, {
    cwd: folder,
    exclude: (path) => skipped.has(path) || /^\.[^./]/.test(path)
  }).map((path) => path.replaceAll("\\", "/")).toSorted().filter((path) =>
    ofTexts.test(path) || folders.test(path) || /\/values[^/]*\/strings\.xml$/.test(path)
  )
  const all = paths.map(read)
  const groups = Map.groupBy(all.flat(), ({ pattern }) => pattern)
  const targets = Map.groupBy(paths, targetOf)
  const groupOf = (pattern: string) => groups.get(pattern) ?? []
  // Translations of language-less paths are no sources.
  const languages = all.flat().flatMap(({ pattern, spelling }) => targets.has(pattern) ? [] : spelling)
  const source = spelling ?? languages.find((one) => codeOf(one) === "en") ??
    languages.find((one) => codeOf(one).startsWith("en-")) ?? "en"
  const isSource = (one: Found) => one.spelling === source
  const inFiles = new Map<string, string | { readonly source: string; readonly target: string }>()
  const sources: Array<{ readonly pattern: string; readonly isOf: (translation: Found) => boolean }> = []
  // Templates first: a template's translation into the source language (`en.po` beside `app.pot`) is not a source.
  for (const [index, path] of paths.entries()) {
    const usual = targetOf(path)
    // A folder's language name in one path only is a word; the source's name only if the usual target has translations.
    const isWord = ({ pattern }: Found) => groupOf(pattern).length === 1 && /\{language\}.*\//.test(pattern)
    if (all[index]?.every((one) => isWord(one) && (!isSource(one) || groups.has(usual ?? ""))) !== true) continue
    const [, above = "", po] = /^(.*\/)?([^/]*\.po)t$/.exec(path) ?? []
    const isTarget = (pattern: string) =>
      po !== undefined && pattern.startsWith(above) && `/${pattern.replace(/[._-]\{language\}/, "")}`.endsWith(`/${po}`)
    if (hasAllLanguages(path)) inFiles.set(path, path)
    if (usual === undefined) continue
    const isOf = yield* evidenceOf(folder, { path, spelling: source })
    // Templates in one folder have different targets.
    const isFree = targets.get(usual)?.length === 1 || !inFiles.has(usual) && groupOf(usual).some(isOf)
    const target = [...groups.keys()].find(isTarget) ?? (isFree ? usual : path.replace(/\.pot$/, `.${place}.po`))
    inFiles.set(target, { source: path, target })
    all[index] = []
    sources.push({ pattern: target, isOf })
  }
  for (const found of all) {
    const own = found.filter(isSource)
    const [one] = [...own.filter(({ pattern }) => groupOf(pattern).length > 1), ...own]
    if (one === undefined || inFiles.has(one.pattern)) continue
    const isOther = ({ pattern }: Found) => inFiles.has(pattern) || groupOf(pattern).some(isSource)
    if (groupOf(one.pattern).length === 1 && found.some((other) => !isSource(other) && isOther(other))) continue
    inFiles.set(collapsed(one.pattern), collapsed(one.pattern))
    sources.push({ pattern: one.pattern, isOf: yield* evidenceOf(folder, one) })
  }
  if (inFiles.size === 0) return undefined
  const translations: Record<string, string> = {}
  const others: Array<Found> = []
  for (const { isOf, pattern } of sources) {
    for (const one of groupOf(pattern)) {
      if (!isOf(one)) others.push(one)
      else if (!isSource(one)) translations[one.spelling] ??= one.path
    }
  }
  const chosen = Arr.dedupeWith(
    [source, ...Object.keys(translations), ...named],
    (one, other) => codeOf(one) === codeOf(other)
  )
  const codes = new Set(chosen.map(codeOf))
  const found: Discovered = {
    source,
    targets: chosen.slice(1),
    files: [...inFiles.values()],
    translations,
    ignored: others.flatMap(({ path, spelling }) => codes.has(codeOf(spelling)) ? [] : path)
  }
  return found
})
