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

export interface Point {
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

type Scopes<K extends string, A> = { readonly [_ in K]: ReadonlyArray<A> }

const read = <A>(received: ReadonlyArray<Received>, path: string, pick: (json: never) => ReadonlyArray<A>) =>
  received.filter((request) => request.path === path).flatMap(({ body }) => pick(JSON.parse(body) as never))

export const spansOf = (received: ReadonlyArray<Received>): ReadonlyArray<Span> =>
  read(
    received,
    "/v1/traces",
    ({ resourceSpans }: { resourceSpans: ReadonlyArray<{ scopeSpans: ReadonlyArray<Scopes<"spans", Span>> }> }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  )

export const metricsOf = (received: ReadonlyArray<Received>): ReadonlyArray<Metric> =>
  read(
    received,
    "/v1/metrics",
    (
      { resourceMetrics }: {
        resourceMetrics: ReadonlyArray<{ scopeMetrics: ReadonlyArray<Scopes<"metrics", Metric>> }>
      }
    ) => resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
  )

export const logsOf = (received: ReadonlyArray<Received>): ReadonlyArray<LogRecord> =>
  read(
    received,
    "/v1/logs",
    (
      { resourceLogs }: {
        resourceLogs: ReadonlyArray<{ scopeLogs: ReadonlyArray<Scopes<"logRecords", LogRecord>> }>
      }
    ) => resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords))
  )
