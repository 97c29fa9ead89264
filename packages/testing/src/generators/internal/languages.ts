/** Languages. */
import type { Records } from "./record.ts"

export const languages = {
  "Languages.glossaryPairs": {},
  "Languages.list": {},
  "Languages.listV2": {},
  "Languages.resources": {}
} satisfies Records<"Languages">
