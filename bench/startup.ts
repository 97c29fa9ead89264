/** Time of a program to load the library and to its first answer. */
import { Effect } from "effect"
import { basename, join } from "node:path"
import { launch, start } from "./processes.ts"
import { answer, bundleApp, project, transpile } from "./project.ts"
import type { Started, StartOrder } from "./protocol.ts"
import { median, type Options, type Section } from "./report.ts"

const bundled = "nodeTranslation"

const apps = [
  { app: "nodeTranslation", title: "`NodeLanguageService.layer`" },
  { app: `bundled/${bundled}`, title: "the same, bundled into one file" },
  { app: "nodeTranslationAlone", title: "`Translation` alone, by `LanguageServiceClient.layerOf` over undici" },
  { app: "browserTranslation", title: "`LanguageService.layer` over `fetch`" },
  { app: "nodeEffect", title: "`effect` HttpClient over undici, with a schema" },
  { app: "browserEffect", title: "`effect` HttpClient over `fetch`, with a schema" },
  { app: "deepl", title: "`deepl-node` 1.28.0" },
  { app: "undici", title: "undici" }
] as const

interface Sample extends Started {
  readonly app: string
}

const measure = Effect.fnUntraced(function*(order: StartOrder) {
  const process = yield* launch("startupClient.ts", [JSON.stringify(order)])
  return yield* process.receive("started")
}, Effect.scoped)

/** Runs the section. */
export const startup = Effect.fnUntraced(function*({ quick }: Options) {
  const folder = yield* project
  yield* transpile(folder, apps.map(({ app }) => basename(app)))
  yield* bundleApp(folder, bundled)
  const { url } = yield* start("callServer.ts", [answer])
  const samples: Array<Sample> = []
  // The first turn loads the files into the cache of the operating system.
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
      "A new process loads the modules for one translation, from built packages without a compile cache, and makes the call " +
      "to a server on the same machine that responds immediately. The apps take turns; the times are medians and exclude the " +
      "start of Node.js itself.",
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
