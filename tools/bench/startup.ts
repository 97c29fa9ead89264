/** Measures the time until a program has loaded the library and until its first response. */
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { basename, join } from "node:path"
import { launch, start } from "./processes.ts"
import { answer, bundleApp, commandLine, project, transpile } from "./project.ts"
import type { Started, StartOrder } from "./protocol.ts"
import { median, type Options, type Section } from "./report.ts"

const bundled = "nodeTranslation"

const apps = [
  { app: "nodeTranslation", title: "`NodeLanguageService.layer`" },
  { app: `bundled/${bundled}`, title: "the same, bundled into one file" },
  { app: "nodeTranslationAlone", title: "`Translation` alone, by `LanguageServiceClient.layerOf` over undici" },
  { app: "browserTranslation", title: "`LanguageService.layer` over `fetch`" },
  { app: "fake", title: "`FakeLanguageService.layerServices`, without a socket" },
  { app: "nodeEffect", title: "`effect` HttpClient over undici, with a schema" },
  { app: "browserEffect", title: "`effect` HttpClient over `fetch`, with a schema" },
  { app: "deepl", title: "`deepl-node` 1.28.0" },
  { app: "undici", title: "undici" }
] as const

/** Commands, with bounds in seconds. */
const commands = [
  { command: "effect-lingua --help", args: ["--help"], atMost: 0.12 },
  { command: "effect-lingua correct --fake", args: ["correct", "--fake", "--quiet", "teh house"], atMost: 0.35 }
]

/** Milliseconds from the start to the end of a command's process. */
const run = (args: ReadonlyArray<string>): number => {
  const begun = performance.now()
  execFileSync(process.execPath, [commandLine, ...args])
  return performance.now() - begun
}

/** Apps that make several calls in a new process. */
const cold = ["nodeTranslation", `bundled/${bundled}`, "nodeEffect", "deepl", "undici"] as const

/** Numbers of calls in a new process. */
const coldCalls = [1, 100, 1000]

interface Cold {
  readonly app: typeof cold[number]
  readonly calls: number
  readonly cpu: number
}

interface Sample extends Started {
  readonly app: string
}

const measure = Effect.fnUntraced(function*(order: StartOrder) {
  const process = yield* launch("startupClient.ts", [JSON.stringify(order)])
  return yield* process.receive("started")
}, Effect.scoped)

export const startup = Effect.fnUntraced(function*({ quick }: Options) {
  const folder = yield* project
  yield* transpile(folder, apps.map(({ app }) => basename(app)))
  yield* bundleApp(folder, bundled)
  const { url } = yield* start("callServer.ts", [answer])
  const samples: Array<Sample> = []
  const colds: Array<Cold> = []
  const runs: Array<{ readonly command: string; readonly millis: number }> = []
  // The first turn is not measured, because it loads files into the operating system's cache.
  for (let turn = 0; turn <= (quick ? 3 : 15); turn++) {
    for (const { app } of apps) {
      const { started } = yield* measure({ app: join(folder, `${app}.js`), url })
      if (turn > 0) samples.push({ app, ...started })
    }
    for (const calls of turn < (quick ? 3 : 8) ? coldCalls : []) {
      for (const app of cold) {
        const { started } = yield* measure({ app: join(folder, `${app}.js`), url, calls })
        if (turn > 0) colds.push({ app, calls, cpu: started.processCpu })
      }
    }
    for (const { args, command } of commands) {
      const millis = run(args)
      if (turn > 0) runs.push({ command, millis })
    }
  }
  const middleOf = (app: string, time: keyof Started): number =>
    median(samples.filter((sample) => sample.app === app).map((sample) => sample[time]))
  const middle = (app: string, time: keyof Started): string => middleOf(app, time).toFixed(0)
  const coldOf = (app: Cold["app"], calls: number): number =>
    median(colds.filter((sample) => sample.app === app && sample.calls === calls).map(({ cpu }) => cpu))
  const seconds = (command: string): number =>
    median(runs.filter((run) => run.command === command).map(({ millis }) => millis)) / 1000
  const section: Section = {
    title: "Start-up",
    method:
      "A new process loads the modules for one translation, from built packages without a compile cache, and makes the call " +
      "to a server on the same machine that responds immediately. The apps take turns; the times are medians and exclude the " +
      "start of Node.js itself, the processor times of some calls, 16 in flight, include it. The command line is run from its bundle, with the compile cache that it keeps, and measured from the " +
      "start of its process to the end.",
    tables: [{
      title: "Time in ms",
      columns: [
        "",
        "to load",
        "to the first response",
        ...coldCalls.map((calls) => `processor time, ${calls} ${calls === 1 ? "call" : "calls"}`)
      ],
      rows: apps.map(({ app, title }) => {
        const own = cold.find((name) => name === app)
        const cpu = (calls: number): string => own === undefined ? "" : coldOf(own, calls).toFixed(0)
        return [title, middle(app, "loaded"), middle(app, "answered")].concat(coldCalls.map(cpu))
      })
    }, {
      title: "Time of a command in s",
      columns: ["", "from start to end"],
      rows: commands.map(({ command }) => [`\`${command}\``, seconds(command).toFixed(2)])
    }],
    aims: [
      ...["nodeTranslation", "nodeTranslationAlone"].map((app) => ({
        name: `time to load, relative to \`effect\` HttpClient over undici: ${app}`,
        value: middleOf(app, "loaded") / middleOf("nodeEffect", "loaded"),
        atMost: 1.2
      })),
      ...coldCalls.map((calls) => ({
        name: `processor time of a process with ${calls} calls, relative to \`effect\` HttpClient over undici`,
        value: coldOf("nodeTranslation", calls) / coldOf("nodeEffect", calls),
        atMost: 1
      })),
      ...commands.map(({ atMost, command }) => ({
        name: `seconds of \`${command}\``,
        value: seconds(command),
        atMost
      }))
    ],
    data: { samples, colds, runs }
  }
  return section
})
