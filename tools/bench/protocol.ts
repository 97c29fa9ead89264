/** Messages between the benchmark's processes. */
import type { Server } from "node:net"

/** The window of the server's rate limit: fixed windows of one second, or a sliding window. */
export type Window = "fixed" | "sliding"

/** The clients of the goodput benchmark. */
export type Kind = "defaults" | "rate" | "redis" | "deepl-node"

/** The arguments of a client process of the goodput benchmark. */
export interface Order {
  readonly kind: Kind
  readonly url: string
  /** A server without a limit. */
  readonly warmUpUrl: string
  /** Requests per second that the server accepts from all processes together. */
  readonly capacity: number
  readonly processes: number
  readonly inFlight: number
  readonly redisUrl: string
}

interface ClientCounts {
  readonly useful: number
  readonly failed: number
}

interface ServerCounts {
  readonly accepted: number
  readonly refused: number
}

/** The clients whose calls are compared. */
export const callKinds = [
  "everything on",
  "schemas compiled",
  "resilience off",
  "effect",
  "undici",
  "fetch",
  "deepl-node"
] as const
export type CallKind = typeof callKinds[number]

/** The arguments of a process that makes calls. */
export interface CallOrder {
  readonly kind: CallKind
  readonly url: string
  readonly texts: ReadonlyArray<string>
}

/** The arguments of a process that starts an app. `app` is a path, `calls` the number of calls, 1 by default. */
export interface StartOrder {
  readonly app: string
  readonly url: string
  readonly calls?: number
}

/**
 * Milliseconds until an app was loaded and until its last response, as elapsed time and processor time. `processCpu` is the processor time of the
 * whole process, including the start of Node.js.
 */
export interface Started {
  readonly loaded: number
  readonly loadedCpu: number
  readonly answered: number
  readonly answeredCpu: number
  readonly processCpu: number
}

/** A network between clients and a service. */
export interface Network {
  /** The delay in one direction. */
  readonly millis: number
  /** The bandwidth of a connection in one direction, in Mbit/s. */
  readonly megabits: number
  /** Number of data chunks after which a connection is closed. */
  readonly lostEvery?: number
}

/** The clients that are compared over a network. */
export const networkKinds = ["this library", "undici", "undici, HTTP/2", "fetch", "deepl-node"] as const
export type NetworkKind = typeof networkKinds[number]

/** The arguments of a process that uses a network. `folder` contains the document to upload. */
export interface NetworkOrder {
  readonly kind: NetworkKind
  readonly url: string
  readonly folder: string
}

export type NetworkWork =
  | { readonly what: "calls"; readonly calls: number; readonly inFlight: number }
  | { readonly what: "upload" | "download"; readonly bytes: number }

/** Ways to transfer a document, with this library or with undici. */
export const ways = [
  "download",
  "download, undici",
  "download, undici, synced",
  "upload a file",
  "upload a stream",
  "upload a blob",
  "upload a stream, undici",
  "upload a blob, undici"
] as const
export type Way = typeof ways[number]

/** The arguments of a process that transfers documents. The file to upload is `<bytes>.txt` in `folder`. */
export interface DocumentOrder {
  readonly way: Way
  readonly url: string
  readonly folder: string
}

/** Ways to detect the languages of many texts. */
export const detectionKinds = ["one by one", "one by one, undici", "by hand", "detect", "detectAll"] as const
export type DetectionKind = typeof detectionKinds[number]

/** The arguments of a process that detects languages. */
export interface DetectionOrder {
  readonly kind: DetectionKind
  readonly url: string
  readonly inFlight: number
}

/** Kinds of work whose cost per item must not grow with the number of items. */
export const growthKinds = ["detectAll", "translateAll", "documents"] as const
export type GrowthKind = typeof growthKinds[number]

/** The arguments of a process of the growth benchmark. `source` is the file to upload. */
export interface GrowthOrder {
  readonly kind: GrowthKind
  readonly url: string
  readonly folder: string
  readonly source: string
}

/** The arguments of a process that translates small documents. `port` is the port of a runner. */
export interface FleetOrder {
  readonly way: "one after the other" | "20 at a time" | "SQLite" | "PostgreSQL, client" | "PostgreSQL, runner"
  readonly url: string
  readonly folder: string
  readonly database?: string
  readonly port?: number
}

/** The arguments of a process of the soak test. `source` is the file to upload. */
export interface SoakOrder {
  readonly url: string
  /** A service without faults, for the expected results. */
  readonly calmUrl: string
  readonly folder: string
  readonly source: string
  readonly workers: number
}

/** The resources that a process uses. */
export interface SoakSample {
  readonly heapUsed: number
  readonly external: number
  readonly rss: number
  readonly descriptors: number
  readonly timers: number
  readonly resources: number
}

/** The outcomes of all calls so far. */
export interface SoakCounts {
  readonly results: number
  readonly abandoned: number
  readonly errors: Readonly<Record<string, number>>
  /** The first outcomes that are neither the expected result nor an error of the library. */
  readonly wrong: ReadonlyArray<string>
}

type Memory = Pick<NodeJS.MemoryUsage, "rss" | "heapUsed" | "external" | "arrayBuffers">

/** The measurements of a run. `peak` has the maximum of each value during the run. */
export interface Ran {
  /** Number of bytes, texts or documents. */
  readonly done: number
  readonly seconds: number
  readonly cpuMicros: number
  readonly before: Memory
  readonly peak: Memory & { readonly descriptors: number }
}

interface Measured {
  readonly calls: number
  readonly millis: number
  readonly cpuMicros: number
  /** The 99th percentile of the delay of the event loop, in milliseconds. */
  readonly delayMillis: number
}

export type Message =
  | { readonly tag: "measure"; readonly inFlight: number; readonly millis: number }
  | ({ readonly tag: "measured" } & Measured)
  | { readonly tag: "started"; readonly started: Started }
  | { readonly tag: "work"; readonly work: NetworkWork }
  | { readonly tag: "worked"; readonly failed: number; readonly millis: number; readonly cpuMicros: number }
  | { readonly tag: "connections"; readonly opened: number; readonly resumed: number }
  | { readonly tag: "run"; readonly size: number }
  | { readonly tag: "ran"; readonly result: Ran }
  | { readonly tag: "sample" }
  | { readonly tag: "sampled"; readonly sample: SoakSample; readonly counts: SoakCounts }
  | { readonly tag: "ready"; readonly url?: string | undefined; readonly calmUrl?: string | undefined }
  | { readonly tag: "start" }
  | { readonly tag: "count" }
  | { readonly tag: "transactions"; readonly statements: number; readonly commits: number }
  | { readonly tag: "clientCounts"; readonly counts: ClientCounts }
  | { readonly tag: "serverCounts"; readonly counts: ServerCounts }

/** Sends a message to the parent process. */
export const sendToParent = (message: Message): void => {
  process.send?.(message)
}

const ignore = () => undefined

/** Handles messages from the parent process, and exits when the parent exits. */
export const onMessage = (handle: (message: Message) => void): void => {
  process.on("message", handle)
  process.on("disconnect", () => process.exit())
}

/** Starts a server on loopback, and sends its URL to the parent process. */
export const serve = (server: Server, handle: (message: Message) => void = ignore): void => {
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = address !== null && typeof address === "object" ? address.port : 0
    sendToParent({ tag: "ready", url: `http://127.0.0.1:${port}` })
  })
  onMessage(handle)
}
