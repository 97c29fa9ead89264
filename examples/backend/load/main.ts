/**
 * Tests the server under load: with random faults, an outage, an exhausted quota, and two deploys. Exits with 1 if the server violates an
 * expectation. The first argument is the duration in seconds, 60 by default.
 */
import { FakeLanguageService, NodeFakeLanguageService, Weather } from "@effect-lingua/testing"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import {
  Clock,
  Console,
  Context,
  Data,
  Duration,
  Effect,
  Fiber,
  FileSystem,
  Layer,
  Schedule,
  Schema,
  Stream
} from "effect"
import { HttpBody, HttpClient, HttpClientResponse } from "effect/http"
import { ChildProcess } from "effect/process"

const port = 3777
const url = `http://127.0.0.1:${port}`
const seconds = Number(process.argv[2] ?? 60)
/** Milliseconds that a busy machine may add to a deadline. */
const slack = 1000
const timeouts = [500, 2000, 5000]
/** Maximum milliseconds of a shutdown: 10 s for requests in flight, and time for the process to end. */
const shutdownLimit = 12_000
/** The region whose service never fails: only the server or another tenant can cause failures here. */
const calmRegion = "US"
const regions = ["EU", calmRegion]

class Broken extends Data.TaggedError("Broken")<{ readonly message: string }> {}

interface Call {
  readonly tenant: string
  readonly region: string
  readonly phase: string
  /** True if the server was restarted during the call. */
  readonly metDeploy: boolean
  /** Milliseconds after the start of the load. */
  readonly at: number
  readonly timeout: number
  readonly millis: number
  /** Undefined if the server was not reachable. */
  readonly status: number | undefined
}

/** The tenant of the documents. */
const owner = { "x-tenant": "documents" }

/** Starts a fake service. */
const startFake = (seed: number) =>
  Effect.map(
    Layer.build(Layer.fresh(NodeFakeLanguageService.layer({ seed, readyAfter: "2 seconds" }))),
    (context) => Context.get(context, FakeLanguageService)
  )

const Accepted = Schema.Struct({ id: Schema.String })

/** Forks an effect at each interval, even if earlier runs have not ended. */
const every = <A, E, R>(interval: Duration.Input, effect: Effect.Effect<A, E, R>) =>
  Effect.forkChild(Effect.repeat(Effect.forkChild(Effect.ignore(effect)), Schedule.fixed(interval)))

/** Starts the server as a process. */
const start = Effect.fnUntraced(function*(env: Record<string, string>) {
  const child = yield* ChildProcess.make("node", [`${import.meta.dirname}/../src/main.ts`], {
    env,
    extendEnv: true,
    stdout: "ignore",
    stderr: "inherit"
  })
  const http = yield* HttpClient.HttpClient
  yield* Effect.retry(Effect.timeout(http.get(`${url}/health/live`), "1 second"), Schedule.spaced("50 millis"))
  return {
    /** Stops the server with SIGTERM and returns the milliseconds. Fails if the shutdown does not end or the server had already ended. */
    stop: Effect.gen(function*() {
      if (!(yield* child.isRunning)) return yield* new Broken({ message: "the server had ended by itself" })
      const [took] = yield* Effect.timed(child.kill({ killSignal: "SIGTERM" })).pipe(
        Effect.timeoutOrElse({
          duration: 5 * shutdownLimit,
          orElse: () => new Broken({ message: "a shutdown did not end" })
        })
      )
      return Duration.toMillis(took)
    })
  }
})

const program = Effect.gen(function*() {
  const [fake, calmFake] = yield* Effect.all([startFake(1), startFake(2)])
  const http = yield* HttpClient.HttpClient
  const fs = yield* FileSystem.FileSystem
  const calls: Array<Call> = []
  let started = 0
  let phase = ""
  const documents = new Set<string>()
  const env = {
    PORT: `${port}`,
    DATA_FOLDER: yield* fs.makeTempDirectoryScoped(),
    EU_LANGUAGE_SERVICE_KEY: "fake-key",
    EU_LANGUAGE_SERVICE_BASE_URL: fake.url,
    US_LANGUAGE_SERVICE_KEY: "fake-key",
    US_LANGUAGE_SERVICE_BASE_URL: calmFake.url
  }
  const stops: Array<number> = []
  let server = yield* start(env)
  const stop = Effect.suspend(() => Effect.map(server.stop, (millis) => stops.push(millis)))
  let deploys = 0
  const deploy = Effect.gen(function*() {
    deploys++
    yield* stop
    server = yield* start(env)
    deploys--
  })

  const call = Effect.fnUntraced(function*(tenant: string) {
    const number = started++
    const region = regions[number % regions.length] ?? calmRegion
    // A long timeout, so that a busy machine is not mistaken for the effect of another tenant.
    const timeout = region === calmRegion ? 5000 : timeouts[number % timeouts.length] ?? 0
    const at = (yield* Clock.currentTimeMillis) - begun
    const during = phase
    const isDeployed = deploys > 0
    const request = http.post(`${url}/${number % 4 < 2 ? "translate" : "improve"}`, {
      headers: { "x-tenant": tenant, "x-region": region, "x-timeout-ms": `${timeout}` },
      body: HttpBody.jsonUnsafe({ text: `Text ${number}`, targetLanguage: "de" })
    })
    const [took, status] = yield* Effect.timed(
      Effect.match(Effect.tap(request, ({ text }) => text), {
        onSuccess: ({ status }) => status,
        onFailure: () => undefined
      })
    )
    calls.push({
      at,
      tenant,
      region,
      timeout,
      status,
      phase: during,
      metDeploy: isDeployed || deploys > 0,
      millis: Duration.toMillis(took)
    })
  })

  const upload = Effect.gen(function*() {
    const response = yield* http.post(`${url}/documents?fileName=letter.txt&to=de`, {
      headers: { ...owner, "x-region": regions[documents.size % regions.length] ?? calmRegion },
      body: HttpBody.text(`Letter ${documents.size}`)
    })
    if (response.status === 202) documents.add((yield* Schema.decodeUnknownEffect(Accepted)(yield* response.json)).id)
  })

  const begun = yield* Clock.currentTimeMillis

  const load = yield* Effect.forEach(
    [
      ...Array.from({ length: 10 }, (_, number) => every("1 second", call(`tenant-${number}`))),
      every("50 millis", call("noisy")),
      every("1 second", upload)
    ],
    (fork) => fork
  )
  const part = Effect.fnUntraced(function*(share: number, name: string) {
    phase = name
    const now = yield* Clock.currentTimeMillis
    yield* Console.log(`${now - begun} ms, ${calls.length} calls, ${documents.size} documents; next: ${name}`)
    yield* Effect.sleep(Duration.seconds(seconds * share))
  })
  yield* part(0.2, "calm")
  yield* fake.weather(Weather.rough)
  yield* part(0.2, "rough weather")
  yield* deploy
  yield* fake.weather({ rate503: 1 })
  yield* part(0.1, "an outage, after a deploy")
  yield* fake.weather(Weather.rough)
  yield* part(0.1, "rough weather")
  const before = yield* fake.quota()
  yield* fake.setQuota({ characters: before.used })
  yield* part(0.1, "a used up quota")
  yield* fake.setQuota({ characters: before.characters })
  yield* part(0.1, "rough weather")
  yield* deploy
  yield* part(0.2, "rough weather, after a deploy")
  yield* fake.weather(Weather.calm)
  yield* Fiber.interruptAll(load)

  yield* Console.log(`${calls.length} calls, ${documents.size} documents; waiting for the documents`)
  const lost: Array<string> = []
  const stateOf = (id: string) =>
    http.get(`${url}/documents/${id}/events`, { headers: owner }).pipe(
      HttpClientResponse.stream,
      Stream.decodeText,
      Stream.take(1),
      Stream.mkString,
      Effect.orElseSucceed(() => "unknown")
    )
  const arrived = (id: string) =>
    http.get(`${url}/documents/${id}`, { headers: owner }).pipe(
      Effect.flatMap(({ text }) => text),
      Effect.filterOrFail((text) => text.startsWith("[de] Letter ")),
      Effect.retry({ schedule: Schedule.spaced("500 millis"), times: 120 }),
      Effect.catch(() => Effect.map(stateOf(id), (state) => lost.push(`${id} did not arrive: ${state}`)))
    )
  yield* Effect.forEach(documents, arrived, { concurrency: 10, discard: true })
  yield* stop

  const inCalm = calls.filter(({ region }) => region === calmRegion)
  const slowest = Math.max(...inCalm.filter(({ tenant }) => tenant !== "noisy").map(({ millis }) => millis))
  const late = calls.filter(({ millis, timeout }) => millis > timeout + slack)
  const statuses = Object.groupBy(
    calls,
    ({ region, status, tenant }) => `${region}, ${tenant === "noisy" ? "noisy" : "others"}: ${status}`
  )
  yield* Console.table(Object.entries(statuses).map(([name, calls = []]) => ({ name, calls: calls.length })))
  yield* Console.log(
    `${documents.size} documents, ${lost.length} lost. ${late.length} of ${calls.length} calls late. ` +
      `The slowest call of others to ${calmRegion} took ${Math.round(slowest)} ms. ` +
      `Shutdowns in ms: ${stops.map(Math.round).join(", ")}.`
  )
  const failed = inCalm.filter(({ metDeploy, status, tenant }) =>
    tenant !== "noisy" && status !== 200 && !(metDeploy && (status === undefined || status === 503))
  )
  const isNoisyRefused = inCalm.some(({ status, tenant }) => tenant === "noisy" && (status === 429 || status === 503))
  const isHit = (during: RegExp) =>
    calls.some(({ phase, region, status }) =>
      region !== calmRegion && status !== undefined && status >= 400 && status !== 429 && during.test(phase)
    )
  const unshown = [/outage/, /quota/].filter((during) => !isHit(during))
  const broken = [
    ...failed.map(({ at, status, tenant }) =>
      `a call of ${tenant} at ${at} ms ended with ${status}, because of another tenant or of the other region`
    ),
    ...unshown.map((during) => `no call of the other region failed in the phase ${during.source}`),
    ...(documents.size < seconds / 2 ? [`only ${documents.size} documents were accepted`] : []),
    ...(stops.length === 3 ? [] : [`${stops.length} shutdowns were measured instead of 3`]),
    ...(isNoisyRefused ? [] : ["the noisy tenant was never refused, so this run has shown nothing about tenants"]),
    ...lost.map((document) => `document ${document}`),
    ...late.map(({ at, millis, status, tenant, timeout }) =>
      `a call of ${tenant} at ${at} ms with ${timeout} ms took ${Math.round(millis)} ms and ended with ${status}`
    ),
    ...stops.filter((millis) => millis > shutdownLimit).map((millis) => `a shutdown took ${Math.round(millis)} ms`)
  ]
  if (broken.length > 0) return yield* new Broken({ message: broken.join("\n") })
})

program.pipe(
  Effect.scoped,
  Effect.provide([
    NodeServices.layer,
    NodeHttpClient.layerUndici
  ]),
  NodeRuntime.runMain
)
