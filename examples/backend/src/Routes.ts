/** The routes: texts, documents, health and metrics. */
import { ClientState, Deadline, Metrics, Problem, Translation, Writing } from "@effect-lingua/core"
import { ByteSize, Duration, Effect, Layer, Schema, Stream } from "effect"
import { Sse } from "effect/encoding"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { Clients, Region } from "./Clients.ts"
import { DocumentJobs, Job, NoSuchJob } from "./DocumentJobs.ts"
import { Stopping } from "./Stopping.ts"
import { TenantName, Tenants } from "./Tenants.ts"

/** The headers of a request: tenant, data region, and timeout. */
const Caller = Schema.Struct({
  "x-tenant": TenantName,
  "x-region": Region.pipe(Schema.withDecodingDefaultKey(Effect.succeed("EU" as const))),
  "x-timeout-ms": Schema.optionalKey(
    Schema.NumberFromString.check(Schema.isBetween({ minimum: 1, maximum: 60_000 }))
  )
})

const caller = HttpServerRequest.schemaHeaders(Caller)

/** Runs a call with the client of the request's region, as the request's tenant, until the request's deadline. */
const forCaller = Effect.fnUntraced(function*<A, E, R>(call: Effect.Effect<A, E, R>) {
  const { "x-region": region, "x-tenant": name, "x-timeout-ms": timeout } = yield* caller
  const tenants = yield* Tenants
  return yield* call.pipe(
    Effect.provide(Clients.get(region)),
    Deadline.within(timeout ?? Duration.infinity),
    tenants.within(name),
    Effect.annotateLogs({ tenant: name, region })
  )
})

const refused = (status: number, title: string) => HttpServerResponse.jsonUnsafe({ title }, { status })

/**
 * Converts a failed call to a problem response without the error's attempts, which are only logged. Other failures, such as 413 or 500, pass
 * unchanged.
 */
const answered = <E extends { readonly _tag: string }, R>(
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) =>
  Effect.catch(handler, (error): Effect.Effect<HttpServerResponse.HttpServerResponse, E> => {
    if (error._tag === "SchemaError") return Effect.succeed(refused(400, "Invalid request"))
    if (error instanceof NoSuchJob) return Effect.succeed(refused(404, "No such document"))
    return Problem.isSource(error) ? Effect.as(Effect.logWarning(error), Problem.toResponse(error)) : Effect.fail(error)
  })

const TextRequest = Schema.Struct({ text: Schema.String, targetLanguage: Schema.String })

const translate = HttpRouter.add(
  "POST",
  "/translate",
  Effect.gen(function*() {
    const { targetLanguage, text } = yield* HttpServerRequest.schemaBodyJson(TextRequest)
    const translation = yield* Translation.use(({ translate }) => translate(text, { targetLanguage }))
    return yield* HttpServerResponse.json({ text: translation.text })
  }).pipe(forCaller, answered)
)

const improve = HttpRouter.add(
  "POST",
  "/improve",
  Effect.gen(function*() {
    const { targetLanguage, text } = yield* HttpServerRequest.schemaBodyJson(TextRequest)
    const improvement = yield* Writing.use(({ rephrase }) => rephrase(text, { targetLanguage }))
    return yield* HttpServerResponse.json({ text: improvement.text })
  }).pipe(forCaller, answered)
)

const Upload = Schema.Struct({ fileName: Job.fields.fileName, to: Schema.String })

/** Limited, because an uploaded document is in memory until it is written to disk. */
const largestDocument = ByteSize.mebibytes(20)

const upload = HttpRouter.add(
  "POST",
  "/documents",
  Effect.gen(function*() {
    const jobs = yield* DocumentJobs
    const { fileName, to } = yield* HttpServerRequest.schemaSearchParams(Upload)
    const { "x-region": region, "x-tenant": tenant } = yield* caller
    const request = yield* HttpServerRequest.HttpServerRequest
    const id = yield* jobs.accept(
      { fileName, targetLanguage: to, region, tenant },
      new Uint8Array(yield* request.arrayBuffer)
    )
    return yield* HttpServerResponse.json({ id }, { status: 202, headers: { location: `/documents/${id}` } })
  }).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, largestDocument), answered)
)

const jobOf = HttpRouter.schemaPathParams(Schema.Struct({ id: Job.fields.id }))

const download = HttpRouter.add(
  "GET",
  "/documents/:id",
  Effect.gen(function*() {
    const jobs = yield* DocumentJobs
    return yield* HttpServerResponse.file(yield* jobs.result((yield* jobOf).id, (yield* caller)["x-tenant"]))
  }).pipe(answered)
)

const progress = HttpRouter.add(
  "GET",
  "/documents/:id/events",
  Effect.gen(function*() {
    const jobs = yield* DocumentJobs
    const states = yield* jobs.watch((yield* jobOf).id, (yield* caller)["x-tenant"])
    return HttpServerResponse.stream(
      states.pipe(
        Stream.map((state) =>
          Sse.encoder.write({ _tag: "Event", event: "state", id: undefined, data: JSON.stringify(state) })
        ),
        Stream.encodeText
      ),
      { contentType: "text/event-stream", headers: { "cache-control": "no-store" } }
    )
  }).pipe(answered)
)

const metrics = HttpRouter.add(
  "GET",
  "/metrics",
  Effect.map(
    PrometheusMetrics.format({ metricNameMapper: Metrics.prometheusName }),
    (text) => HttpServerResponse.text(text)
  )
)

/**
 * Only a stopping server is not ready. An open circuit breaker or a missing key affects all servers alike, and only one region.
 */
const ready = HttpRouter.add(
  "GET",
  "/health/ready",
  Effect.gen(function*() {
    const clients = yield* Effect.forEach(Region.literals, (region) =>
      ClientState.use((client) => client.get).pipe(
        Effect.provide(Clients.get(region)),
        Effect.match({
          onSuccess: ({ breaker, inFlight, pendingDocuments, queued }) => ({
            region,
            breaker: breaker?.state,
            inFlight,
            queued,
            pendingDocuments
          }),
          onFailure: ({ _tag }) => ({ region, problem: _tag })
        })
      ))
    const { isStopping } = yield* Stopping
    return yield* HttpServerResponse.json({ isStopping, clients }, { status: isStopping ? 503 : 200 })
  }).pipe(answered)
)

const live = HttpRouter.add("GET", "/health/live", HttpServerResponse.text("ok"))

export const layer = Layer.mergeAll(translate, improve, upload, download, progress, metrics, ready, live)
