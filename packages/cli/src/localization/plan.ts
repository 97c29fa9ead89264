/** What is to be done about the texts of a file in a language. */
import type { Unit } from "./format.ts"
import { isMessages, isWhole, type Markup, markupOf } from "./markup.ts"
import { hasPlurals } from "./messages.ts"
import { type Hashes, hashOf } from "./project.ts"

/**
 * The state of a text. `stale`: its source has changed, and its translation was edited by hand; `broken`: its placeholders differ;
 * `incomplete`: plurals of its language are missing.
 */
type State = "missing" | "changed" | "stale" | "broken" | "incomplete" | "current"

/** A text with its state. `kept` is the translation that stays. */
export interface Planned extends Unit {
  readonly state: State
  readonly kept?: string
}

/** Decides about each text of a file: only new and changed ones are translated, and edits by hand stay. */
export const plan = (
  units: ReadonlyArray<Unit>,
  present: ReadonlyMap<string, string>,
  locked: Readonly<Record<string, Hashes>>,
  file: Markup,
  language: string
): ReadonlyArray<Planned> =>
  units.map((unit): Planned => {
    const { id, text } = unit
    const kept = present.get(id)
    const hashes = locked[id]
    if (text.trim() === "") return { ...unit, state: "current", kept: text }
    // A text without a hash that equals its source was left by a failure, or was copied.
    if (kept === undefined || (hashes === undefined && kept === text)) return { ...unit, state: "missing" }
    if (hashes !== undefined && hashes[0] !== hashOf(text)) {
      return hashes[1] === hashOf(kept) ? { ...unit, state: "changed" } : { ...unit, state: "stale", kept }
    }
    const markup = markupOf(unit, file)
    if (!isWhole(text, kept, markup)) return { ...unit, state: "broken", kept }
    return { ...unit, state: isMessages(markup) && !hasPlurals(kept, language) ? "incomplete" : "current", kept }
  })
