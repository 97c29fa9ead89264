/** How long a program takes to load the library, and to have its first answer. */
import { Effect } from "effect"
import { build, type BuildOptions } from "esbuild"
import { basename, join } from "node:path"
import { start } from "./processes.ts"
import { answer, project } from "./project.ts"
import type { Started, StartOrder } from "./protocol.ts"
import { median, type Options, type Section } from "./report.ts"

const bundled = "nodeTranslation"

const apps = [
  { app: "nodeTranslation", title: "`NodeLanguageService.layer`" },
  { app: `bundled/${bundled}`, title: "the same, bundled into one file" },
  { app: "browserTranslation", title: "`LanguageService.layer` over `fetch`" },
  { app: "nodeEffect", title: "`effect` HttpClient over undici, with a schema" },
  { app: "browserEffect", title: "`effect` HttpClient over `fetch`, with a schema" },
  { app: "deepl", title: "`deepl-node` 1.28.0" },
  { app: "undici", title: "undici" }
] as const

/** The apps as JavaScript, so that what is measured is not the stripping of their types. Packages stay where they are. */
const transpile = (folder: string) =>
  Effect.promise(async () => {
    const shared: BuildOptions = { absWorkingDir: folder, bundle: true, format: "esm", platform: "node" }
    await build({
      ...shared,
      entryPoints: apps.map(({ app }) => `${basename(app)}.ts`),
      outdir: ".",
      packages: "external"
    })
    await build({
      ...shared,
      entryPoints: [`${bundled}.ts`],
      outdir: "bundled",
      minify: true,
      // For what undici requires.
      banner: { js: "import { createRequire } from \"node:module\"; const require = createRequire(import.meta.url);" }
    })
  })

interface Sample extends Started {
  readonly app: string
}

const measure = Effect.fnUntraced(function*(order: StartOrder) {
  const process = yield* start("startupClient.ts", [JSON.stringify(order)])
  return yield* process.receive("started")
}, Effect.scoped)

/** Runs the section. */
export const startup = Effect.fnUntraced(function*({ quick }: Options) {
  const folder = yield* project
  yield* transpile(folder)
  const server = yield* start("callServer.ts", [answer])
  const { url = "" } = yield* server.receive("ready")
  const samples: Array<Sample> = []
  // The first turn brings the files into memory.
  for (let turn = 0; turn <= (quick ? 3 : 15); turn++) {
    for (const { app } of apps) {
      const { started } = yield* measure({ app: join(folder, `${app}.js`), url })
      if (turn > 0) samples.push({ app, ...started })
    }
  }
  const middle = (app: string, time: keyof Started): string =>
    median(samples.filter((sample) => sample.app === app).map((sample) => sample[time])).toFixed(0)
  const section: Section = {
    title: "Start-up",
    method:
      "A new process loads what it needs for one translation, from built packages without a compile cache, and makes the call " +
      "to a server on the same machine that answers at once. The apps take turns; the times are medians, and without those of " +
      "the start of Node.js itself.",
    tables: [{
      title: "Time in ms",
      columns: ["", "to load", "to the first answer", "processor time to load", "processor time to the first answer"],
      rows: apps.map(({ app, title }) => [
        title,
        middle(app, "loaded"),
        middle(app, "answered"),
        middle(app, "loadedCpu"),
        middle(app, "answeredCpu")
      ])
    }],
    aims: [],
    data: samples
  }
  return section
})
