/** The bytes that this library adds to a browser app. */
import { Data, Effect } from "effect"
import { build, type Metafile } from "esbuild"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { gzipSync } from "node:zlib"
import { start } from "./processes.ts"
import { answer, project } from "./project.ts"
import type { Section, Table } from "./report.ts"

/** The app that all others are compared with. */
const bare = { app: "browserEffect", title: "`effect` HttpClient with a schema" }

/** An app with a client that Effect derives from a contract. */
const derived = { app: "browserHttpApi", title: "`effect` HttpApiClient with one endpoint" }

const apps = [
  { app: "browserTranslation", title: "`LanguageService.layer`" },
  { app: "browserTranslationAlone", title: "`Translation` alone, by `LanguageServiceClient.layerOf`" },
  { app: "browserDetectionAlone", title: "`Detection` alone, by `LanguageServiceClient.layerOf`" },
  { app: "browserDetectionBarrel", title: "the same, imported from `@effect-lingua/core`" }
]

/** The size of a bundle that does not work means nothing. */
class BundleFailed extends Data.TaggedError("BundleFailed")<{ readonly app: string; readonly cause: unknown }> {
  override get message(): string {
    return `the bundle of ${this.app} does not work: ${String(this.cause)}`
  }
}

interface Bundle {
  readonly title: string
  readonly minified: number
  readonly gzipped: number
  /** Bytes of each module in the bundle before gzip. */
  readonly modules: ReadonlyMap<string, number>
}

/** `effect/Schema`, `@effect-lingua/core/internal/call`. */
const moduleName = (file: string): string =>
  file.replace(/^.*\bnode_modules\//, "").replace(/\/dist\//, "/").replace(/\.js$/, "")

const modulesOf = ({ outputs }: Metafile): ReadonlyMap<string, number> =>
  new Map(
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).map(([file, { bytesInOutput }]) => [moduleName(file), bytesInOutput] as const)
    )
  )

/** Bundles an app for production, and runs it. */
const makeBundle = Effect.fnUntraced(function*(
  folder: string,
  url: string,
  { app, title }: typeof bare
): Effect.fn.Return<Bundle, Error> {
  const { metafile, outputFiles: [file] } = yield* Effect.promise(() =>
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
      metafile: true,
      write: false
    })
  )
  const code = file?.contents ?? new Uint8Array()
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
    gzipped: gzipSync(code, { level: 9 }).length,
    modules: modulesOf(metafile)
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

interface Added {
  readonly module: string
  readonly bytes: number
}

/** Bytes by module that a bundle has in addition to the base, the largest first. */
const added = (base: Bundle, { modules }: Bundle): ReadonlyArray<Added> =>
  [...modules].map(([module, bytes]) => ({ module, bytes: bytes - (base.modules.get(module) ?? 0) }))
    .filter(({ bytes }) => bytes > 0)
    .toSorted((one, other) => other.bytes - one.bytes)

const isOurs = ({ module }: Added): boolean => module.startsWith("@effect-lingua/")

const sum = (of: ReadonlyArray<Added>): number => of.reduce((total, { bytes }) => total + bytes, 0)

const origins = (base: Bundle, bundles: ReadonlyArray<Bundle>): Table => ({
  title: "Origin of the added bytes, in kB before gzip",
  columns: ["", "this library", "`effect`", "the largest modules"],
  rows: bundles.map((bundle) => {
    const all = added(base, bundle)
    return [
      bundle.title,
      kilobytes(sum(all.filter(isOurs))),
      kilobytes(sum(all.filter((one) => !isOurs(one)))),
      all.slice(0, 8).map(({ bytes, module }) => `${module} ${kilobytes(bytes)}`).join(", ")
    ]
  })
})

/** The bundles of all apps. */
export const bundles = Effect.fnUntraced(function*(folder: string) {
  const { url } = yield* start("callServer.ts", [answer])
  return {
    base: yield* makeBundle(folder, url, bare),
    contract: yield* makeBundle(folder, url, derived),
    ours: yield* Effect.forEach(apps, (app) => makeBundle(folder, url, app))
  }
})

/** The most kB that each app of this library adds. */
const atMost = [65, 36, 33, 40]

/** Runs the section, which is the same in a short run. */
export const bundle = Effect.fnUntraced(function*() {
  const { base, contract, ours } = yield* bundles(yield* project)
  const others = [contract, ...ours]
  const section: Section = {
    title: "Size in a browser",
    method:
      "A small app that makes one call over `fetch`, bundled for production by esbuild and compressed by gzip at level 9: " +
      "first with `effect` alone, then with a client that `effect` derives from a contract of one endpoint, then with this " +
      "library. Each bundle was run.",
    tables: [sizes(base, others), origins(base, others)],
    aims: ours.map(({ gzipped, title }, index) => ({
      name: `kB with gzip added to an app: ${title}`,
      value: (gzipped - base.gzipped) / 1000,
      atMost: atMost[index] ?? 0
    })),
    data: [base, ...others].map(({ gzipped, minified, modules, title }) => ({
      title,
      minified,
      gzipped,
      modules: Object.fromEntries(modules)
    }))
  }
  return section
})
