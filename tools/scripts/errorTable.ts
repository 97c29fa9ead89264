// Generates the table of all errors in docs/errors.md from the classes' docstrings, fields and messages.
import * as CallError from "@effect-lingua/core/errors/CallError"
import * as ServiceError from "@effect-lingua/core/errors/ServiceError"
import * as Placeholders from "@effect-lingua/core/texts/Placeholders"
import * as NodeDocuments from "@effect-lingua/node/files/NodeDocuments"
import * as NodeTranslationMemories from "@effect-lingua/node/files/NodeTranslationMemories"
import * as VoiceRealtime from "@effect-lingua/voice/VoiceRealtime"
import * as DocumentWorkflow from "@effect-lingua/workflow/DocumentWorkflow"
import { Duration, Struct } from "effect"
import { readFileSync } from "node:fs"
import { categories } from "../../packages/core/src/errors/internal/categories.ts"
import { type Failure, isFailure, mayBeRepeated } from "../../packages/core/src/errors/internal/failure.ts"

const classes: Readonly<Record<string, unknown>> = {
  ...ServiceError,
  ...CallError,
  ...Placeholders,
  ...DocumentWorkflow,
  ...VoiceRealtime,
  ...NodeDocuments,
  ...NodeTranslationMemories
}

const sources = [
  "packages/core/src/errors/ServiceError.ts",
  "packages/core/src/errors/CallError.ts",
  "extensions/workflow/src/DocumentWorkflow.ts",
  "packages/core/src/texts/Placeholders.ts",
  "extensions/voice/src/VoiceRealtime.ts",
  "packages/node/src/files/internal/target.ts",
  "packages/node/src/files/internal/source.ts",
  "packages/node/src/files/internal/saving.ts",
  "packages/node/src/files/NodeTranslationMemories.ts"
].map((path) => readFileSync(path, "utf8")).join("\n")

/** Sample values for the fields of all classes. */
const sample = {
  operation: "",
  description: "",
  allowed: 50,
  bytesReceived: 100,
  budget: 1000,
  cause: "ConnectionLost",
  change: "lost",
  complete: true,
  count: 1,
  deadline: Duration.seconds(100),
  differences: ["content"],
  direction: "download",
  documentId: "…",
  given: 60,
  glossaryIds: ["…", "…"],
  holder: "another fiber",
  host: "",
  id: "…",
  code: "xy",
  isTransient: true,
  jobId: "…",
  language: "en",
  limit: Duration.seconds(10),
  lookup: { name: "House style" },
  name: "House style",
  outcome: "unknown",
  parameter: "text",
  parts: [{ bytes: 100, path: "a.part" }],
  path: "…",
  placeholder: "{name}",
  problems: [{ entry: 3, reason: "has no target" }],
  remaining: 10,
  resource: "translation",
  retryAfter: Duration.seconds(2),
  scopes: ["translate"],
  state: "failed",
  styleIds: ["…", "…"],
  unit: "texts"
}

/** Classes that need other sample values. */
const samples: Readonly<Record<string, object>> = {
  BudgetExceeded: { ...sample, tenant: "shop" },
  InvalidInput: { ...sample, given: "11 items", allowed: "at most 10" },
  DocumentNotTranslated: { ...sample, step: "upload", outcome: "unknown" },
  SessionFailed: { ...sample, code: 408, reconnections: 0 },
  SourceFailed: { ...sample, cause: new Error("broken") },
  UnexpectedResponse: { ...Struct.omit(sample, ["retryAfter"]), status: 418 }
}

/** Classes of `CallError` that end one attempt; the other classes end a call or are raised before the call. */
const ofAttempts: ReadonlySet<string> = new Set([
  "AttemptTimeout",
  "ConnectionFailed",
  "ConnectionLost",
  "UnexpectedResponse"
])

/** Whether the client retries, for classes where this depends on the error. */
const varying: Readonly<Record<string, string>> = {
  ConnectionFailed: "yes, if transient",
  UnexpectedResponse: "by its status"
}

const describedAs = (tag: string): string => {
  const [, doc = ""] = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\nexport class ${tag}\\s`).exec(sources) ?? []
  const [paragraph = ""] = doc.replace(/^ *\* ?/gm, "").trim().split(/\n\s*\n|\n@/)
  return paragraph.replace(/\s+/g, " ")
}

/** General advice for classes whose message contains values of the error. */
const general: Readonly<Record<string, string>> = {
  DocumentLost: "Translate it again, with another id",
  DocumentNotFound: "Check id and key; if it was downloaded before, upload it again",
  DownloadInterrupted: "Resume it unless `available` is false; then upload it again. `path` has the received bytes",
  MissingScope: "Use a key with the scopes in `scopes`",
  OutcomeUnknown: "Search for the values of `lookup` before you send it again",
  SaveFailed: "Make room or choose another target, then resume it; `parts` has the received bytes",
  TooManyDocuments: "Download the documents that are done, then upload again"
}

/** The advice in a message, without the sentence that describes the problem. */
const adviceOf = (tag: string, message: string): string =>
  general[tag] ?? message.replace(/^.*?\.(?= )/, "").replace("Retry in 2 s. ", "").replace(/\.$/, "").trim()

const retried = (tag: string, error: Failure, status: number | undefined): string => {
  if (varying[tag] !== undefined) return varying[tag]
  const isOfAttempt = tag in ServiceError || ofAttempts.has(tag)
  if (!isOfAttempt || !mayBeRepeated(status === undefined ? error : { ...error, status })) return "no"
  return error.outcome === "pending" ? "polled" : error.outcome === "unknown" ? "by its kind" : "yes"
}

/** The first sentence of a docstring; if long, only up to a colon or semicolon. */
const firstSentence = (text: string): string => {
  const whole = text.replace(/^Status \d+[^:]*: /, "").replace(/\.(?: .*)?$/, "")
  const sentence = whole.length > 100 ? whole.replace(/[:;] .*$/, "") : whole
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`
}

const order = Object.keys(categories)

/** A sample of each error class, in the order of the categories. */
export const errors: ReadonlyArray<Failure & Error> = Object.entries(classes).flatMap(([tag, type]) => {
  if (typeof type !== "function" || !(type.prototype instanceof Error)) return []
  const error: unknown = Reflect.construct(type, [samples[tag] ?? sample])
  return error instanceof Error && isFailure(error) ? [error] : []
}).toSorted((one, other) => order.indexOf(one.category) - order.indexOf(other.category))

/**
 * A row for each class: name, category, HTTP status, cause, whether the client retries, and advice. Classes with a status are first.
 */
export const errorRows: ReadonlyArray<ReadonlyArray<string>> = errors.map((error) => {
  const tag = error._tag
  const text = describedAs(tag)
  const [, status, other] = /^(?:Any other s|S)tatus (\d+)(?:, or a (\d+))?/.exec(text) ?? []
  return {
    status: status === undefined ? undefined : Number(status),
    cells: [
      `\`${tag}\``,
      `\`${error.category}\``,
      [status, other].filter(Boolean).join(", "),
      firstSentence(text),
      retried(tag, error, status === undefined ? undefined : Number(status)),
      adviceOf(tag, error.message)
    ]
  }
}).toSorted((one, other) => (one.status ?? 1000) - (other.status ?? 1000)).map(({ cells }) => cells)
