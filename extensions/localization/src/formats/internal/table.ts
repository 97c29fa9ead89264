/** Formats by file extension, loaded on first use. A new format needs a module and a line here. */
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
