/** Ids that become a segment of a path. */
import * as Effect from "effect/Effect"
import { InvalidInput } from "../CallError.ts"

/** Refuses an id that would change the path: empty, a dot segment, or one with control characters or lone surrogates. */
export const checkId = (operation: string, parameter: string, id: string): Effect.Effect<void, InvalidInput> => {
  const given = id.trim() === ""
    ? "empty"
    : id === "." || id === ".."
    ? `"${id}"`
    : /\p{Cc}|\p{Cs}/u.test(id)
    ? "an id with control characters or unpaired surrogates"
    : undefined
  return given === undefined ? Effect.void : Effect.fail(
    new InvalidInput({ operation, parameter, given, allowed: "an id as the service issued it" })
  )
}
