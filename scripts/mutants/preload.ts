// Loaded first by each process of a run: knows the active mutant, and notes which mutants are reached.
import { appendFileSync } from "node:fs"

declare global {
  /** Whether a mutant is active. */
  var mutant: (id: string) => boolean
  /** The active one of this process. */
  var activeMutant: string | undefined
  /** What the test that runs has reached. */
  var reachedMutants: Set<string> | undefined
}

/** Of this process and of those that it starts. */
const { MUTANT, MUTANT_OUTSIDE = "", MUTANT_REACHED } = process.env

globalThis.activeMutant = MUTANT
const noted = new Set<string>()

globalThis.mutant = (id) => {
  if (globalThis.reachedMutants !== undefined) globalThis.reachedMutants.add(id)
  else if (!noted.has(id)) {
    noted.add(id)
    // A process that a test has started, or else a module that is loaded once for many tests.
    appendFileSync(MUTANT_REACHED ?? MUTANT_OUTSIDE, `${id}\n`)
  }
  return globalThis.activeMutant === id
}
