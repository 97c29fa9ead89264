/** The formats, each loaded when a file needs it. */
import * as Effect from "effect/Effect"
import { InvalidSetting } from "../settings/errors.ts"
import type { Format } from "./format.ts"

const formats: Readonly<Record<string, () => Promise<Format>>> = {
  json: () => import("./json.ts").then(({ json }) => json),
  arb: () => import("./json.ts").then(({ arb }) => arb),
  yaml: () => import("./yaml.ts").then(({ yaml }) => yaml),
  yml: () => import("./yaml.ts").then(({ yaml }) => yaml),
  po: () => import("./po.ts").then(({ po }) => po),
  pot: () => import("./po.ts").then(({ po }) => po),
  xlf: () => import("./xliff.ts").then(({ xliff }) => xliff),
  xliff: () => import("./xliff.ts").then(({ xliff }) => xliff)
}

/** The format of a file, by the ending of its name. */
export const formatOf = (path: string): Effect.Effect<Format, InvalidSetting> => {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ""
  const load = Object.hasOwn(formats, ending) ? formats[ending] : undefined
  return load === undefined
    ? Effect.fail(
      new InvalidSetting({ message: `${path} has no known format; those are ${Object.keys(formats).join(", ")}` })
    )
    : Effect.promise(load)
}
