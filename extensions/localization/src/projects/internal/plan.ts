import type { Entry, Unit } from "../../formats/Format.ts"
import { problemOf } from "../../formats/internal/comparison.ts"
import { type Markup, markupOf } from "../../formats/internal/markup.ts"
import { hasPlurals } from "../../formats/internal/messages.ts"
import { type FileLock, type Hashes, hashOf, isUntranslated, untranslated } from "./lock.ts"
import { isMatch } from "./pattern.ts"

/**
 * A translation's state. `stale`: edited by hand, and its source has changed; `broken`: placeholders or tags differ
 * from the source's; `incomplete`: a plural form of the target language is missing.
 */
export type State = "missing" | "changed" | "stale" | "broken" | "incomplete" | "current"

export const remedies: Readonly<
  Record<Exclude<State, "current"> | "refused", { readonly problem: string; readonly remedy: string }>
> = {
  missing: { problem: "it has no translation", remedy: "run effect-lingua localize, or translate it by hand" },
  changed: { problem: "its source has changed", remedy: "run effect-lingua localize" },
  stale: {
    problem: "it was edited by hand, and its source has changed since",
    remedy: "adapt it, then run effect-lingua localize --accept; or delete it to have it translated again"
  },
  broken: {
    problem: "its placeholders or tags differ from the source's",
    remedy: "correct it, or delete it to have it translated again"
  },
  incomplete: {
    problem: "it lacks a plural form of its language",
    remedy: "add the plural form, or delete it to have it translated again"
  },
  refused: { problem: "it cannot be translated", remedy: "rewrite the source, or translate it by hand" }
}

export interface Planned extends Unit {
  readonly markup: Markup
  readonly state: State
  /** The existing translation or excluded source text, kept unless a new translation replaces it. */
  readonly kept?: string
  /** `copied`: the target lacks an excluded text; `kept`: the target has the text. */
  readonly excluded?: "copied" | "kept"
  readonly problem?: string
}

export const isExcluded = (id: string, exclude: ReadonlyArray<string> = []): boolean =>
  exclude.some((pattern) => isMatch(pattern, id))

/** Plans each text of a file: new and changed texts are translated, manual edits are kept, missing excluded texts are copied. */
export const plan = (
  units: ReadonlyArray<Unit>,
  present: ReadonlyMap<string, Entry>,
  locked: FileLock,
  file: Markup,
  language: string,
  { exclude, force = false }: { readonly exclude?: ReadonlyArray<string> | undefined; readonly force?: boolean } = {}
): ReadonlyArray<Planned> =>
  units.map((own): Planned => {
    const unit = { ...own, markup: markupOf(own, file) }
    const { id, text } = unit
    const kept = present.get(id)?.text
    const hashes = locked.get(id)
    if (text.trim() === "" || isExcluded(id, exclude)) {
      return { ...unit, state: "current", kept: kept ?? text, excluded: kept === undefined ? "copied" : "kept" }
    }
    // Many tools write an empty text for a missing translation.
    if (kept === undefined || (hashes === undefined || hashes[1] === "" ? kept === "" : isUntranslated(hashes, kept))) {
      return { ...unit, state: "missing" }
    }
    if (force) return { ...unit, state: "changed", kept }
    // The source hash is empty if a translator has replaced a text that was written untranslated.
    if (hashes !== undefined && hashes[0] !== "" && hashes[0] !== hashOf(text)) {
      return { ...unit, state: hashes[1] === hashOf(kept) ? "changed" : "stale", kept }
    }
    const problem = problemOf(text, kept, unit.markup, language)
    const isLike = (like: string) => problemOf(like, kept, unit.markup, language) === undefined
    if (problem !== undefined && unit.alternatives?.some(isLike) !== true) {
      return { ...unit, state: "broken", kept, problem }
    }
    return {
      ...unit,
      state: unit.markup.syntax === "icu" && !hasPlurals(kept, language) ? "incomplete" : "current",
      kept
    }
  })

/**
 * The lock's hashes after a run. A missing text gets its source's hash, so that a later manual translation is stale
 * if the source changes.
 */
export const nextLock = (
  planned: ReadonlyArray<Planned>,
  texts: ReadonlyMap<string, string>,
  before: FileLock,
  accept: boolean
): Map<string, Hashes> =>
  new Map(
    planned.map(({ excluded, id, state, text }): readonly [string, Hashes] => {
      const translation = texts.get(id)
      if (translation !== undefined) return [id, [hashOf(text), hashOf(translation)]]
      const old = before.get(id)
      if (excluded === "copied") return [id, untranslated(text)]
      if (excluded === "kept" && old !== undefined) return [id, old]
      const [source = "", written = ""] = old ?? []
      // Keeping the earlier source hash marks the translation as outdated.
      const isOutdated = state === "changed" || state === "stale" && !accept
      return [id, isOutdated ? [source, written] : [hashOf(text), source === "" || state === "missing" ? "" : written]]
    })
  )
