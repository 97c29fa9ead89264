/** What is to be done about the texts of a file in a language. */
import type { Syntax } from "@effect-lingua/core/texts/Placeholders"
import * as Placeholders from "@effect-lingua/core/texts/Placeholders"
import * as Result from "effect/Result"
import type { Unit } from "./format.ts"
import { type Hashes, hashOf } from "./project.ts"

/** The state of a text. `stale`: its source has changed, and its translation was edited by hand. */
type State = "missing" | "changed" | "stale" | "broken" | "current"

/** A text with its state. `kept` is the translation that stays. */
export interface Planned extends Unit {
  readonly state: State
  readonly kept?: string
}

const tags = (text: string): ReadonlyArray<string> => (text.match(/<[^>]*>/g) ?? []).toSorted()

const placeholdersOf = (text: string, syntax: Syntax): ReadonlyArray<string> | undefined =>
  Result.match(Placeholders.protect(text, syntax), {
    // A message with texts inside: its branches differ by language.
    onFailure: () => undefined,
    onSuccess: ({ placeholders }) => placeholders.map(({ text }) => text).toSorted()
  })

/** Whether a translation has the placeholders of its source. */
const isWhole = (source: string, target: string, syntax: Syntax | "xml"): boolean => {
  if (syntax === "xml") return tags(source).join() === tags(target).join()
  const expected = placeholdersOf(source, syntax)
  return expected === undefined || expected.join() === placeholdersOf(target, syntax)?.join()
}

/** Decides about each text of a file: only new and changed ones are translated, and edits by hand stay. */
export const plan = (
  units: ReadonlyArray<Unit>,
  present: ReadonlyMap<string, string>,
  locked: Readonly<Record<string, Hashes>>,
  syntax: Syntax | "xml"
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
    return { ...unit, state: isWhole(text, kept, syntax) ? "current" : "broken", kept }
  })
