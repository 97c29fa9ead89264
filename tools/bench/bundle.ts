/** Measures the bytes that this library adds to a browser app. */
import { decode } from "@jridgewell/sourcemap-codec"
import { Data, Effect } from "effect"
import { build } from "esbuild"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { gzipSync } from "node:zlib"
import { start } from "./processes.ts"
import { answer, project } from "./project.ts"
import type { Section, Table } from "./report.ts"

/** The app that all other apps are compared with. */
const bare = { app: "browserEffect", title: "`effect` HttpClient with a schema" }

const derived = { app: "browserHttpApi", title: "`effect` HttpApiClient with one endpoint" }

const apps = [
  { app: "browserTranslation", title: "`LanguageService.layer`" },
  { app: "browserTranslationAlone", title: "`Translation` alone, by `LanguageServiceClient.layerOf`" },
  { app: "browserDetectionAlone", title: "`Detection` alone, by `LanguageServiceClient.layerOf`" },
  { app: "browserDetectionBarrel", title: "the same, imported from `@effect-lingua/core`" }
]

/** Each bundle is run, because the size of a broken bundle has no meaning. */
class BundleFailed extends Data.TaggedError("BundleFailed")<{ readonly app: string; readonly cause: unknown }> {
  override get message(): string {
    return `the bundle of ${this.app} does not work: ${String(this.cause)}`
  }
}

interface Bundle {
  readonly title: string
  readonly minified: number
  readonly gzipped: number
  readonly parts: ReadonlyMap<string, number>
}

/** Maps a source to a part: a module such as `effect/Schema`, or a folder of this library such as `core/errors`. */
const partName = (source: string): string => {
  const [, room] = /\b(core\/src\/[^/.]+)/.exec(source) ?? []
  return room === undefined
    ? source.replace(/^.*\bnode_modules\//, "").replace(/\/(dist|src)\//, "/").replace(/\.[jt]s$/, "")
    : room.replace("/src", "")
}

const gzipped = (code: string): number => gzipSync(code, { level: 9 }).length

/** For each part, the bytes with gzip that the bundle saves without it. */
const partsOf = (code: string, map: string): ReadonlyMap<string, number> => {
  const { mappings, sources }: { readonly mappings: string; readonly sources: ReadonlyArray<string> } = JSON.parse(map)
  const parts = new Map<string, Array<readonly [start: number, end: number]>>()
  const lines = code.split("\n")
  let offset = 0
  for (const [index, segments] of decode(mappings).entries()) {
    const length = (lines[index] ?? "").length + 1
    for (const [at, [column, source]] of segments.entries()) {
      const part = source === undefined ? "" : partName(sources[source] ?? "")
      const range = [offset + column, offset + (segments[at + 1]?.[0] ?? length)] as const
      parts.set(part, [...parts.get(part) ?? [], range])
    }
    offset += length
  }
  const all = gzipped(code)
  return new Map(Array.from(parts, ([part, ranges]) => {
    let rest = ""
    let from = 0
    for (const [start, end] of ranges) {
      rest += code.slice(from, start)
      from = end
    }
    return [part, all - gzipped(rest + code.slice(from))]
  }))
}

/** Bundles an app for production, and runs it. */
const makeBundle = Effect.fnUntraced(function*(
  folder: string,
  url: string,
  { app, title }: typeof bare
): Effect.fn.Return<Bundle, Error> {
  const { outputFiles } = yield* Effect.promise(() =>
    build({
      absWorkingDir: folder,
      entryPoints: [`${app}.ts`],
      outfile: "bundle.js",
      bundle: true,
      minify: true,
      format: "esm",
      platform: "browser",
      target: "es2022",
      define: { "process.env.NODE_ENV": "\"production\"" },
      sourcemap: "external",
      sourcesContent: false,
      write: false
    })
  )
  const textOf = (end: string): string => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? ""
  const code = textOf(".js")
  yield* Effect.tryPromise({
    try: async () => {
      const at = join(folder, `${app}.bundle.js`)
      writeFileSync(at, code)
      const { run } = await import(pathToFileURL(at).href)
      await run(url)
    },
    catch: (cause) => new BundleFailed({ app, cause })
  })
  return {
    title,
    minified: code.length,
    gzipped: gzipped(code),
    parts: partsOf(code, textOf(".map"))
  }
})

const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1)

const sizes = (base: Bundle, bundles: ReadonlyArray<Bundle>): Table => ({
  title: "Size in kB",
  columns: ["", "minified", "with gzip", "added, with gzip"],
  rows: [base, ...bundles].map((bundle) => [
    bundle.title,
    kilobytes(bundle.minified),
    kilobytes(bundle.gzipped),
    bundle === base ? "" : kilobytes(bundle.gzipped - base.gzipped)
  ])
})

/** The ten parts that add most to the first bundle, and their sizes in the other bundles. */
const largest = (base: Bundle, bundles: ReadonlyArray<Bundle>): Table => {
  const added = ({ parts }: Bundle, part: string): number => (parts.get(part) ?? 0) - (base.parts.get(part) ?? 0)
  const [first] = bundles
  const parts = first === undefined
    ? []
    : [...first.parts.keys()].toSorted((one, other) => added(first, other) - added(first, one))
  return {
    title: "The ten largest parts, in kB with gzip",
    columns: ["", ...bundles.map(({ title }) => title.replace(/, by.*/, ""))],
    rows: parts.slice(0, 10).map((part) =>
      [`\`${part}\``].concat(bundles.map((bundle) => kilobytes(added(bundle, part))))
    )
  }
}

/** Bundles all apps. */
export const bundles = Effect.fnUntraced(function*(folder: string) {
  const { url } = yield* start("callServer.ts", [answer])
  return {
    base: yield* makeBundle(folder, url, bare),
    contract: yield* makeBundle(folder, url, derived),
    ours: yield* Effect.forEach(apps, (app) => makeBundle(folder, url, app))
  }
})

/** Maximum kB that each app of `apps` may add to the baseline. */
const atMost = [70, 36, 32, 35]

/** Ignores `Options`: a short run measures the same. */
export const bundle = Effect.fnUntraced(function*() {
  const { base, contract, ours } = yield* bundles(yield* project)
  const others = [contract, ...ours]
  const section: Section = {
    title: "Size in a browser",
    method:
      "A small app that makes one call over `fetch`, bundled for production by esbuild and compressed by gzip at level 9: " +
      "first with `effect` alone, then with a client that `effect` derives from a contract of one endpoint, then with this " +
      "library. Each bundle was run. A part has the kB that the bundle saves without it.",
    tables: [sizes(base, others), largest(base, ours.slice(0, 3))],
    aims: ours.map(({ gzipped, title }, index) => ({
      name: `kB with gzip added to an app: ${title}`,
      value: (gzipped - base.gzipped) / 1000,
      atMost: atMost[index] ?? 0
    })),
    data: [base, ...others].map(({ gzipped, minified, parts, title }) => ({
      title,
      minified,
      gzipped,
      parts: Object.fromEntries(parts)
    }))
  }
  return section
})
