/** What the processes of the benchmark tell each other, and how. */

/** How the server counts: in windows of one second by its clock, or over the last second at any moment. */
export type Window = "fixed" | "sliding"

/** The clients that are compared. */
export type Kind = "off" | "rate" | "adaptive" | "redis" | "deepl-node"

/** What a client process is to do. */
export interface Order {
  readonly kind: Kind
  readonly url: string
  /** A server that refuses nothing. */
  readonly warmUpUrl: string
  /** Requests a second that the server lets through, for all processes together. */
  readonly capacity: number
  /** How many processes there are. */
  readonly processes: number
  readonly inFlight: number
  readonly redisUrl: string
}

/** Counts of a client process. */
interface ClientCounts {
  readonly useful: number
  readonly failed: number
}

/** Counts of the server process. */
interface ServerCounts {
  readonly accepted: number
  readonly refused: number
}

/** The clients whose calls are compared. */
export const callKinds = ["everything on", "resilience off", "effect", "undici", "fetch", "deepl-node"] as const
export type CallKind = typeof callKinds[number]

/** What a process that calls is to do. */
export interface CallOrder {
  readonly kind: CallKind
  readonly url: string
  readonly texts: ReadonlyArray<string>
}

/** What a process that starts an app is to do. `app` is the path of the app. */
export interface StartOrder {
  readonly app: string
  readonly url: string
}

/** How long an app took to be loaded, and to have its first answer, in milliseconds. */
export interface Started {
  readonly loaded: number
  readonly loadedCpu: number
  readonly answered: number
  readonly answeredCpu: number
}

/** How a document goes. */
export const ways = ["download", "upload a stream", "upload a blob"] as const
export type Way = typeof ways[number]

/** What a process that transfers a document is to do. `source` is a file of at least so many bytes. */
export interface Transfer {
  readonly way: Way
  readonly url: string
  readonly folder: string
  readonly source: string
  readonly bytes: number
}

type Memory = Pick<NodeJS.MemoryUsage, "rss" | "heapUsed" | "external" | "arrayBuffers">

/** How a transfer went. */
export interface Transferred {
  readonly transferred: number
  readonly seconds: number
  /** Before the first document, after a document to warm up, and the most from then on. */
  readonly fresh: Memory
  readonly before: Memory
  readonly peak: Memory
}

export type Message =
  | { readonly tag: "measure"; readonly inFlight: number; readonly millis: number }
  | { readonly tag: "measured"; readonly calls: number; readonly millis: number; readonly cpuMicros: number }
  | { readonly tag: "started"; readonly started: Started }
  | { readonly tag: "transferred"; readonly result: Transferred }
  | { readonly tag: "ready"; readonly url?: string | undefined }
  | { readonly tag: "start" }
  | { readonly tag: "count" }
  | { readonly tag: "clientCounts"; readonly counts: ClientCounts }
  | { readonly tag: "serverCounts"; readonly counts: ServerCounts }

/** Tells the parent process something. */
export const tell = (message: Message): void => {
  process.send?.(message)
}

/** Hears the parent process, and ends with it, whatever way it ends. */
export const onMessage = (hear: (message: Message) => void): void => {
  process.on("message", hear)
  process.on("disconnect", () => process.exit())
}
