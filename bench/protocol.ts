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

/** How a document goes: with this library, or with undici. */
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

/** What a process that transfers documents is to do. The file of an upload is `<bytes>.txt` in the folder. */
export interface DocumentOrder {
  readonly way: Way
  readonly url: string
  readonly folder: string
}

/** How the languages of many texts are detected. */
export const detectionKinds = ["one by one", "one by one, undici", "by hand", "detect", "detectAll"] as const
export type DetectionKind = typeof detectionKinds[number]

/** What a process that detects languages is to do. */
export interface DetectionOrder {
  readonly kind: DetectionKind
  readonly url: string
  readonly inFlight: number
}

/** The work whose cost must not grow. */
export const growthKinds = ["detectAll", "translateAll", "documents"] as const
export type GrowthKind = typeof growthKinds[number]

/** What a process that does such work is to do. `source` is the file that is uploaded. */
export interface GrowthOrder {
  readonly kind: GrowthKind
  readonly url: string
  readonly folder: string
  readonly source: string
}

/** What a process that calls for a long time is to do. `source` is the file that is uploaded. */
export interface SoakOrder {
  readonly url: string
  /** The same service in calm weather, whose answers are right. */
  readonly calmUrl: string
  readonly folder: string
  readonly source: string
  readonly workers: number
}

/** What a process holds at a moment. */
export interface SoakSample {
  readonly heapUsed: number
  readonly external: number
  readonly rss: number
  readonly descriptors: number
  readonly timers: number
  readonly resources: number
}

/** What came of the calls until then. */
export interface SoakCounts {
  readonly results: number
  readonly abandoned: number
  readonly errors: Readonly<Record<string, number>>
  /** What was neither the right result nor an error of the library, the first few. */
  readonly wrong: ReadonlyArray<string>
}

type Memory = Pick<NodeJS.MemoryUsage, "rss" | "heapUsed" | "external" | "arrayBuffers">

/** How some work went that a process was asked for. `peak` is the most of each from its beginning to its end. */
export interface Ran {
  /** How much was done: bytes, texts or documents. */
  readonly done: number
  readonly seconds: number
  readonly cpuMicros: number
  readonly before: Memory
  readonly peak: Memory & { readonly descriptors: number }
}

export type Message =
  | { readonly tag: "measure"; readonly inFlight: number; readonly millis: number }
  | { readonly tag: "measured"; readonly calls: number; readonly millis: number; readonly cpuMicros: number }
  | { readonly tag: "started"; readonly started: Started }
  | { readonly tag: "run"; readonly size: number }
  | { readonly tag: "ran"; readonly result: Ran }
  | { readonly tag: "sample" }
  | { readonly tag: "sampled"; readonly sample: SoakSample; readonly counts: SoakCounts }
  | { readonly tag: "ready"; readonly url?: string | undefined; readonly calmUrl?: string | undefined }
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
