import { Effect } from "effect"
import { createServer } from "node:http"

/** What a collector was sent: path, content type and body, in order of arrival. */
export interface Received {
  readonly path: string
  readonly contentType: string | undefined
  readonly body: string
}

/** An OTLP collector on loopback that takes whatever comes. */
export const collector = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly received: Array<Received>; readonly close: () => void }>(
    (resume) => {
      const received: Array<Received> = []
      const server = createServer((request, response) => {
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
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({
          url: `http://127.0.0.1:${port}`,
          received,
          close: () => {
            server.close()
            server.closeAllConnections()
          }
        }))
      })
    }
  ),
  (server) => Effect.sync(server.close)
)

interface Hanging {
  readonly url: string
  /** The connections that are open, and the most that were. */
  readonly connections: { open: number; most: number }
  readonly answer: () => void
  readonly close: () => void
}

/** A collector that takes all and answers nothing until it is told to, or no more than its headers. */
export const hangingCollector = (withHeaders = false) =>
  Effect.acquireRelease(
    Effect.callback<Hanging>((resume) => {
      let isAnswering = false
      const connections = { open: 0, most: 0 }
      const waiting: Array<() => void> = []
      const server = createServer((request, response) => {
        if (withHeaders) response.writeHead(200, { "content-length": 2 }).flushHeaders()
        const answer = () => void response.end(withHeaders ? "{}" : "")
        request.resume().on("end", () => isAnswering ? answer() : waiting.push(answer))
      })
      server.on("connection", (socket) => {
        connections.most = Math.max(connections.most, ++connections.open)
        socket.on("close", () => connections.open--)
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({
          url: `http://127.0.0.1:${port}`,
          connections,
          answer: () => {
            isAnswering = true
            for (const answer of waiting) answer()
          },
          close: () => {
            server.close()
            server.closeAllConnections()
          }
        }))
      })
    }),
    (server) => Effect.sync(server.close)
  )

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

interface Sent {
  readonly resourceSpans?: ReadonlyArray<{ scopeSpans: ReadonlyArray<{ spans: ReadonlyArray<Span> }> }>
  readonly resourceMetrics?: ReadonlyArray<{ scopeMetrics: ReadonlyArray<{ metrics: ReadonlyArray<Metric> }> }>
  readonly resourceLogs?: ReadonlyArray<{ scopeLogs: ReadonlyArray<{ logRecords: ReadonlyArray<LogRecord> }> }>
}

const parsed = (received: ReadonlyArray<Received>) =>
  received.map(({ body }) => {
    const sent: Sent = JSON.parse(body)
    return sent
  })

export const spansOf = (received: ReadonlyArray<Received>): ReadonlyArray<Span> =>
  parsed(received).flatMap(({ resourceSpans = [] }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  )

export const metricsOf = (received: ReadonlyArray<Received>): ReadonlyArray<Metric> =>
  parsed(received).flatMap(({ resourceMetrics = [] }) =>
    resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
  )

export const logsOf = (received: ReadonlyArray<Received>): ReadonlyArray<LogRecord> =>
  parsed(received).flatMap(({ resourceLogs = [] }) =>
    resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords))
  )
