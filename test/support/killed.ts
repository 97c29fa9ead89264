import { appendFileSync } from "node:fs"
import { inject } from "vitest"
import { killsIn } from "./shared.ts"

/** Counts a process that a test has killed in the middle of its work. */
export const killed = (): void => appendFileSync(killsIn(inject("shared")), ".")
