import { Effect } from "effect"
import { createServer } from "node:http"
import { serve } from "./listen.ts"

/** A request that a collector received: path, content type and body. */
export interface Received {
  readonly path: string
  readonly contentType: string | undefined
  readonly body: string
}

/** An OTLP collector on loopback that accepts every request. `received` are its requests in order of arrival. */
export const collector = Effect.gen(function*() {
  const received: Array<Received> = []
  const server = yield* serve(createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      received.push({
        path: request.url ?? "",
        contentType: request.headers["content-type"],
        body: Buffer.concat(chunks).toString()
      })
      response.end()
    })
  }))
  return { ...server, received }
})

/** A collector that sends no response, or no more than the headers, until `answer` is called. */
export const hangingCollector = Effect.fnUntraced(function*(withHeaders = false) {
  let isAnswering = false
  let most = 0
  let requests = 0
  const waiting: Array<() => void> = []
  const server = yield* serve(createServer((request, response) => {
    most = Math.max(most, server.open())
    requests++
    if (withHeaders) response.writeHead(200, { "content-length": 2 }).flushHeaders()
    const answer = () => void response.end(withHeaders ? "{}" : "")
    request.resume().on("end", () => isAnswering ? answer() : waiting.push(answer))
  }))
  return {
    ...server,
    /** The highest number of connections that were open at once. */
    most: () => most,
    requests: () => requests,
    answer: () => {
      isAnswering = true
      for (const answer of waiting) answer()
    }
  }
})

type Value = { readonly stringValue?: string; readonly intValue?: number; readonly boolValue?: boolean }
type Attributes = ReadonlyArray<{ readonly key: string; readonly value: Value }>

/** Attributes as a record. */
export const record = (attributes: Attributes) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue]))

export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: Attributes
  readonly events?: ReadonlyArray<{ readonly name: string }>
  readonly status: { readonly code: number; readonly message?: string }
}

interface Point {
  readonly attributes: Attributes
  readonly asDouble?: number
  readonly asInt?: number
  readonly count?: number
}

export interface Metric {
  readonly name: string
  readonly unit: string
  readonly sum?: { readonly dataPoints: ReadonlyArray<Point>; readonly isMonotonic: boolean }
  readonly gauge?: { readonly dataPoints: ReadonlyArray<Point> }
  readonly histogram?: { readonly dataPoints: ReadonlyArray<Point> }
}

export interface LogRecord {
  readonly body: Value
  readonly severityText: string
  readonly traceId?: string
}

interface Scope {
  readonly name: string
  readonly version?: string
}

interface Sent {
  readonly resourceSpans?: ReadonlyArray<{ scopeSpans: ReadonlyArray<{ scope: Scope; spans: ReadonlyArray<Span> }> }>
  readonly resourceMetrics?: ReadonlyArray<{ scopeMetrics: ReadonlyArray<{ metrics: ReadonlyArray<Metric> }> }>
  readonly resourceLogs?: ReadonlyArray<{ scopeLogs: ReadonlyArray<{ logRecords: ReadonlyArray<LogRecord> }> }>
}

const parsed = (received: ReadonlyArray<Received>) =>
  received.map(({ body }) => {
    const sent: Sent = JSON.parse(body)
    return sent
  })

export const spansOf = (received: ReadonlyArray<Received>): ReadonlyArray<Span & { readonly scope: Scope }> =>
  parsed(received).flatMap(({ resourceSpans = [] }) =>
    resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ scope, spans }) => spans.map((span) => ({ ...span, scope })))
    )
  )

export const metricsOf = (received: ReadonlyArray<Received>): ReadonlyArray<Metric> =>
  parsed(received).flatMap(({ resourceMetrics = [] }) =>
    resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
  )

export const logsOf = (received: ReadonlyArray<Received>): ReadonlyArray<LogRecord> =>
  parsed(received).flatMap(({ resourceLogs = [] }) =>
    resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords))
  )
