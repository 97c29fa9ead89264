/**
 * Compares the processor time of a call in memory with that of another checkout of this repository, whose dependencies are
 * installed. Both run in one process and take turns: separate processes differ more than two versions do.
 *
 *     node bench/against.ts <folder> [<turns>]
 */
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { median, table } from "./report.ts"

const [folder = ".", turns = "400"] = process.argv.slice(2)
const calls = 200

interface Case {
  readonly title: string
  readonly text: string | ReadonlyArray<string>
  readonly hasLength: boolean
}

const lists = [1, 50].flatMap((count): ReadonlyArray<Case> =>
  [true, false].map((hasLength) => ({
    title: `a list of ${count}, ${hasLength ? "with" : "without"} \`content-length\``,
    text: Array.from({ length: count }, () => "Good."),
    hasLength
  }))
)
const cases: ReadonlyArray<Case> = [
  ...lists,
  { title: "one text, 16 of which share a request", text: "Good.", hasLength: true }
]

/** The modules of a checkout, with its own copy of Effect. They are taken for those of this one, whose functions they have too. */
const load = async (root: string) => {
  const from = <A>(path: string): Promise<A> => import(resolve(root, path))
  const effect = "bench/node_modules/effect/dist"
  return {
    ...await from<typeof import("@effect-lingua/core")>("packages/core/src/index.ts"),
    ...await from<typeof import("effect")>(`${effect}/index.js`),
    ...await from<typeof import("effect/http")>(`${effect}/http/index.js`)
  }
}

type Modules = Awaited<ReturnType<typeof load>>

/** Makes the function that runs the calls of a turn, with a service in memory that translates each text of a request. */
const makeTurn = async (modules: Modules, { hasLength, text }: Case): Promise<() => Promise<void>> => {
  const {
    Effect,
    HttpClient,
    HttpClientResponse,
    LanguageServiceClient,
    LanguageServiceConfig,
    Layer,
    Redacted,
    Translation
  } = modules
  const http = HttpClient.make((request) =>
    Effect.sync(() => {
      const { text }: { readonly text: ReadonlyArray<string> } = JSON.parse(
        request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : "{}"
      )
      const body = JSON.stringify({ translations: text.map(() => ({ detected_source_language: "EN", text: "Gut." })) })
      const length = hasLength ? { "content-length": String(body.length) } : undefined
      return HttpClientResponse.fromWeb(
        request,
        new Response(body, { headers: { "content-type": "application/json", ...length } })
      )
    })
  )
  const runtime = modules.ManagedRuntime.make(
    LanguageServiceClient.layerOf(Translation.layer).pipe(
      Layer.provide(LanguageServiceConfig.layer({ key: Redacted.make("key"), baseUrl: "http://localhost" })),
      Layer.provide(Layer.succeed(HttpClient.HttpClient, http))
    )
  )
  const { translate } = await runtime.runPromise(Translation.Translation)
  const all = Effect.forEach(Array.from({ length: calls }), () => translate({ text, targetLanguage: "de" }), {
    concurrency: 16,
    discard: true
  })
  return () => runtime.runPromise(all)
}

/** Microseconds of processor time for a call. */
const timed = async (turn: () => Promise<void>): Promise<number> => {
  const begun = process.cpuUsage()
  await turn()
  const { system, user } = process.cpuUsage(begun)
  return (system + user) / calls
}

const here = await load(fileURLToPath(new URL("..", import.meta.url)))
const there = await load(folder)
const rows: Array<ReadonlyArray<string>> = []
for (const one of cases) {
  const [ours, theirs] = [await makeTurn(here, one), await makeTurn(there, one)]
  const samples: Array<{ readonly ours: number; readonly theirs: number }> = []
  for (let turn = 0; turn < Number(turns); turn++) {
    samples.push({ ours: await timed(ours), theirs: await timed(theirs) })
  }
  // The first turns are those of the compiler.
  const warm = samples.slice(samples.length / 4)
  rows.push([
    one.title,
    `${median(warm.map(({ ours }) => ours)).toFixed(1)} µs`,
    `${median(warm.map(({ theirs }) => theirs)).toFixed(1)} µs`,
    median(warm.map(({ ours, theirs }) => ours / theirs)).toFixed(2)
  ])
}
process.stdout.write(`${table(["a call with", "here", "there", "median of the ratios"], rows)}\n`, () => process.exit())
