/** Formats by file extension, loaded on first use. A new format needs a module and a line here. */
import * as Effect from "effect/Effect"
import type { Format } from "../Format.ts"

export const formats: Readonly<Record<string, () => Promise<Format>>> = {
  json: () => import("./json.ts").then(({ json }) => json),
  arb: () => import("./json.ts").then(({ arb }) => arb),
  yaml: () => import("./yaml.ts").then(({ yaml }) => yaml),
  yml: () => import("./yaml.ts").then(({ yaml }) => yaml),
  po: () => import("./po.ts").then(({ po }) => po),
  pot: () => import("./po.ts").then(({ po }) => po),
  xlf: () => import("./xliff.ts").then(({ xliff }) => xliff),
  xliff: () => import("./xliff.ts").then(({ xliff }) => xliff),
  xml: () => import("./android.ts").then(({ android }) => android),
  compose: () => import("./android.ts").then(({ compose }) => compose),
  resx: () => import("./resx.ts").then(({ resx }) => resx),
  properties: () => import("./properties.ts").then(({ properties }) => properties),
  xcstrings: () => import("./xcstrings.ts").then(({ xcstrings }) => xcstrings),
  strings: () => import("./strings.ts").then(({ strings }) => strings)
}

/** True if the file's format has all languages in one file. */
export const hasAllLanguages = (path: string): boolean => /\.xcstrings$/i.test(path)

export const formatOf = (
  path: string,
  own: Readonly<Record<string, Format>> = {}
): Effect.Effect<Format | undefined> => {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ""
  const added = Object.hasOwn(own, ending) ? own[ending] : undefined
  const kind = /(?:^|\/)composeResources\/.*\.xml$/.test(path) ? "compose" : ending
  const load = Object.hasOwn(formats, kind) ? formats[kind] : undefined
  return added === undefined && load !== undefined ? Effect.promise(load) : Effect.succeed(added)
}
