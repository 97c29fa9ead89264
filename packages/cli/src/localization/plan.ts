/** What is to be done about the texts of a file in a language. */
import type { Unit } from "./format.ts"
import { type FileLock, hashOf, isUntranslated } from "./lock.ts"
import { isMessages, isWhole, type Markup, markupOf } from "./markup.ts"
import { hasPlurals } from "./messages.ts"

/**
 * The state of a text. `stale`: its source has changed, and its translation was edited by hand; `broken`: its placeholders differ;
 * `incomplete`: plurals of its language are missing.
 */
type State = "missing" | "changed" | "stale" | "broken" | "incomplete" | "current"

/** A text with its state. `kept` is the translation that stays unless there is a new one. */
export interface Planned extends Unit {
  readonly state: State
  readonly kept?: string
}

/** Decides about each text of a file: only new and changed ones are translated, and edits by hand stay. */
export const plan = (
  units: ReadonlyArray<Unit>,
  present: ReadonlyMap<string, string>,
  locked: FileLock,
  file: Markup,
  language: string
): ReadonlyArray<Planned> =>
  units.map((unit): Planned => {
    const { id, text } = unit
    const kept = present.get(id)
    const hashes = locked.get(id)
    if (text.trim() === "") return { ...unit, state: "current", kept: kept ?? text }
    // Many tools write an empty text for one that is not translated yet.
    if (kept === undefined || (hashes === undefined ? kept === "" : isUntranslated(hashes, kept))) {
      return { ...unit, state: "missing" }
    }
    // The empty hash of an untranslated source: this text has been replaced by hand.
    if (hashes !== undefined && hashes[0] !== "" && hashes[0] !== hashOf(text)) {
      return { ...unit, state: hashes[1] === hashOf(kept) ? "changed" : "stale", kept }
    }
    const markup = markupOf(unit, file)
    if (!isWhole(text, kept, markup)) return { ...unit, state: "broken", kept }
    return { ...unit, state: isMessages(markup) && !hasPlurals(kept, language) ? "incomplete" : "current", kept }
  })
