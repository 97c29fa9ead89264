import { createHash } from "node:crypto"

/** How entries of the journal name the account of a key. */
export const accountOf = (key: string): string =>
  createHash("sha256").update(`effect-lingua journal\0${key}`).digest("hex").slice(0, 16)
