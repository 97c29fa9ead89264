import { Effect } from "effect"
import type { OtlpLogger, OtlpMetrics, OtlpResource, OtlpTracer } from "effect/observability"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { httpServer } from "./httpServer.ts"
import { serve } from "./listen.ts"

/** A request that a collector received. */
interface Received {
  readonly path: string
  readonly contentType: string | undefined
  readonly body: string
}

/** An OTLP collector on loopback that accepts every request. `received` are its requests in order of arrival. */
export const collector = Effect.gen(function*() {
  const received: Array<Received> = []
  const server = yield* serve(createServer(async (request, response) => {
    const body = await text(request)
    received.push({ path: request.url ?? "", contentType: request.headers["content-type"], body })
    response.end()
  }))
  return { ...server, received }
})

/** A collector that sends no response, or no more than the headers, until `answer` is called. */
export const hangingCollector = Effect.fnUntraced(function*(withHeaders = false) {
  let isAnswering = false
  const waiting: Array<() => void> = []
  const server = yield* httpServer((request, response) => {
    if (withHeaders) response.writeHead(200, { "content-length": 2 }).flushHeaders()
    const answer = () => void response.end(withHeaders ? "{}" : "")
    request.on("end", () => isAnswering ? answer() : waiting.push(answer))
  })
  return {
    ...server,
    answer: () => {
      isAnswering = true
      for (const answer of waiting) answer()
    }
  }
})

/** Attributes as a record. */
export const record = (attributes: ReadonlyArray<OtlpResource.KeyValue>) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue]))

const parsed = (received: ReadonlyArray<Received>) =>
  received.map(({ body }) => {
    const sent: Partial<OtlpTracer.TraceData & OtlpMetrics.MetricsData & OtlpLogger.LogsData> = JSON.parse(body)
    return sent
  })

type ScopeSpan = OtlpTracer.ScopeSpan
type Span = ScopeSpan["spans"][number] & Pick<ScopeSpan, "scope">
type Metrics = OtlpMetrics.MetricsData["resourceMetrics"][number]["scopeMetrics"][number]["metrics"]
type LogRecords = NonNullable<OtlpLogger.LogsData["resourceLogs"][number]["scopeLogs"][number]["logRecords"]>

/** The spans of traces, each with its scope. */
export const spansOf = (received: ReadonlyArray<Received>): ReadonlyArray<Span> =>
  parsed(received).flatMap(({ resourceSpans = [] }) => resourceSpans).flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ scope, spans }) => spans.map((span) => ({ ...span, scope })))

export const metricsOf = (received: ReadonlyArray<Received>): Readonly<Metrics> =>
  parsed(received).flatMap(({ resourceMetrics = [] }) => resourceMetrics).flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap(({ metrics }) => metrics)

export const logsOf = (received: ReadonlyArray<Received>): Readonly<LogRecords> =>
  parsed(received).flatMap(({ resourceLogs = [] }) => resourceLogs).flatMap(({ scopeLogs }) => scopeLogs)
    .flatMap(({ logRecords }) => logRecords ?? [])
