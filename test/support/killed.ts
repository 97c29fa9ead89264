import { appendFileSync } from "node:fs"
import { inject } from "vitest"
import { killsFile } from "./shared.ts"

/** Counts a process that a test has killed in the middle of its work. */
export const killed = (): void => appendFileSync(killsFile(inject("shared")), ".")
