/** Paths that a file of a project names. It may come from others, so they stay in its folder, also through links. */
import * as NodeFile from "@effect-lingua/node/files/NodeFile"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { invalid } from "../settings/errors.ts"

/** The path of a file that a file in a folder names, or an error if it is outside of that folder. */
export const inside = Effect.fnUntraced(function*(folder: string, named: string) {
  const file = yield* NodeFile.inside(folder, named)
  if (Option.isSome(file)) return file.value
  return yield* invalid(
    `${named} is outside of ${folder}, or a link that leads out of it; a file that may come from others names ` +
      "only files in its own folder"
  )
})
