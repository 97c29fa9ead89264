/**
 * Compares the processor time of an in-memory call with another checkout of this repository, whose dependencies are installed. Both versions
 * alternate in one process, because separate processes differ more than two versions do.
 *
 *     node tools/bench/against.ts <folder> [<turns>]
 */
import type * as core from "@effect-lingua/core"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import type * as effects from "effect"
import { Console, Effect } from "effect"
import type * as http from "effect/http"
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
  { title: "one text", text: "Good.", hasLength: true }
]

/** Imports the modules of a checkout, and the checkout's copy of Effect. Typed like this checkout's modules, because both have the same functions. */
const load = (root: string) => {
  const from = <A>(path: string) => Effect.promise((): Promise<A> => import(resolve(root, path)))
  const folder = "tools/bench/node_modules/effect/dist"
  return Effect.all({
    core: from<typeof core>("packages/core/src/index.ts"),
    effect: from<typeof effects>(`${folder}/index.js`),
    http: from<typeof http>(`${folder}/http/index.js`)
  })
}

type Modules = Effect.Success<ReturnType<typeof load>>

/** A service in memory that translates each text of a request. */
const makeService = ({ effect, http: { HttpClient, HttpClientResponse } }: Modules, hasLength: boolean) =>
  HttpClient.make((request) =>
    effect.Effect.sync(() => {
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

/** Creates a client, and returns a function that runs the calls of a turn. */
const makeTurn = async (modules: Modules, { hasLength, text }: Case): Promise<() => Promise<void>> => {
  const { LanguageServiceClient, LanguageServiceConfig, Translation } = modules.core
  const { Effect, Layer, ManagedRuntime, Redacted } = modules.effect
  const runtime = ManagedRuntime.make(
    LanguageServiceClient.layerOf(Translation.layer).pipe(
      Layer.provide(LanguageServiceConfig.layer({ key: Redacted.make("key"), baseUrl: "http://localhost" })),
      Layer.provide(Layer.succeed(modules.http.HttpClient.HttpClient, makeService(modules, hasLength)))
    )
  )
  const { translate } = await runtime.runPromise(Translation)
  const all = Effect.forEach(Array.from({ length: calls }), () => translate({ text, targetLanguage: "de" }), {
    concurrency: 16,
    discard: true
  })
  return () => runtime.runPromise(all)
}

/** Microseconds of processor time per call. */
const timed = (turn: () => Promise<void>) =>
  Effect.gen(function*() {
    const begun = process.cpuUsage()
    yield* Effect.promise(turn)
    const { system, user } = process.cpuUsage(begun)
    return (system + user) / calls
  })

const compared = Effect.fnUntraced(function*(here: Modules, there: Modules, one: Case) {
  const ours = yield* Effect.promise(() => makeTurn(here, one))
  const theirs = yield* Effect.promise(() => makeTurn(there, one))
  const samples = yield* Effect.replicateEffect(Effect.all([timed(ours), timed(theirs)]), Number(turns))
  // The first quarter is the warm-up of the JIT compiler.
  const warm = samples.slice(samples.length / 4)
  return [
    one.title,
    `${median(warm.map(([ours]) => ours)).toFixed(1)} µs`,
    `${median(warm.map(([, theirs]) => theirs)).toFixed(1)} µs`,
    median(warm.map(([ours, theirs]) => ours / theirs)).toFixed(2)
  ]
})

const program = Effect.gen(function*() {
  const here = yield* load(fileURLToPath(new URL("../..", import.meta.url)))
  const there = yield* load(folder)
  const rows = yield* Effect.forEach(cases, (one) => compared(here, there, one))
  yield* Console.log(table(["a call with", "here", "there", "median of the ratios"], rows))
})

NodeRuntime.runMain(program)
