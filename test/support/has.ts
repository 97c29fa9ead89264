import { inject } from "vitest"
import type { Part } from "./machine.ts"

/** True if the machine has a part that some tests need. */
export const has = (part: Part): boolean => !inject("missing").includes(part)
