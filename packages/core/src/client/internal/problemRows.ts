/** The statuses and details with which a server reports errors of this library to its own callers. */
import type * as CallErrors from "../CallError.ts"
import type * as ServiceErrors from "../ServiceError.ts"

/** The phrases of the statuses. */
export const titles = {
  400: "Bad Request",
  404: "Not Found",
  409: "Conflict",
  410: "Gone",
  413: "Content Too Large",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout"
}

/** A status of a problem. */
export type ProblemStatus = keyof typeof titles

type TagsOf<Module> = {
  [Name in keyof Module]: Module[Name] extends new(...fields: never) => { readonly _tag: infer Tag extends string } ?
    Tag
    : never
}[keyof Module]

/** The classes of modules above this one. */
type TagOfOtherRooms =
  | "DocumentLost"
  | "DocumentNotTranslated"
  | "ExportNotSaved"
  | "PlaceholderChanged"
  | "SaveFailed"
  | "SessionFailed"
  | "SourceUnusable"
  | "TargetExists"
  | "TargetUnusable"
  | "WorkflowStorageUnavailable"

type Tag = TagsOf<typeof CallErrors> | TagsOf<typeof ServiceErrors> | TagOfOtherRooms

type Row = readonly [status: ProblemStatus, detail: string]

const refused: Row = [400, "The request is not valid."]
const ambiguous: Row = [409, "Several objects have this name."]
const busy: Row = [409, "Another request is working on it. Try again later."]
const tooLarge: Row = [413, "The request is too large."]
const ours: Row = [500, "The request could not be processed."]
const noAnswer: Row = [502, "The language service did not give a valid response."]
const unavailable: Row = [503, "The language service is not available. Try again later."]
const tooMany: Row = [503, "Too many requests at the moment. Try again later."]
const usedUp: Row = [503, "The quota of the language service is used up."]
const late: Row = [504, "The language service did not respond in time. Try again later."]
const notReady: Row = [504, "The result is not ready yet. Try again later."]

/** The status and the detail of each error class, in the order of the statuses. */
export const rows: Readonly<Record<Tag, Row>> = {
  BadRequest: refused,
  InvalidEntries: refused,
  InvalidInput: refused,
  SourceFailed: [400, "The file could not be read to its end."],
  UnknownLanguage: [400, "The language is not supported."],
  UriTooLong: refused,
  DocumentNotFound: [404, "The document does not exist."],
  NotFound: [404, "An object of the request does not exist."],
  NotResumable: [404, "The document does not exist."],
  Busy: busy,
  DuplicateGlossaries: ambiguous,
  DuplicateStyleRules: ambiguous,
  ExportRunning: busy,
  GlossaryV3Only: [409, "The glossary has a newer version."],
  DocumentAlreadyDownloaded: [410, "The document was downloaded before."],
  LimitExceeded: tooLarge,
  PayloadTooLarge: tooLarge,
  DocumentFailed: [422, "The document could not be translated."],
  JobFailed: [422, "The input could not be processed."],
  PlaceholderChanged: [422, "The text could not be translated with its placeholders."],
  BudgetExceeded: [429, "The budget of characters is used up."],
  AccessDenied: ours,
  ExportNotSaved: ours,
  InvalidKey: ours,
  MissingScope: ours,
  SaveFailed: ours,
  SourceUnusable: ours,
  TargetExists: ours,
  TargetUnusable: ours,
  WrongTier: ours,
  BadGateway: noAnswer,
  ConnectionFailed: [502, "The language service cannot be reached."],
  ConnectionLost: noAnswer,
  DocumentLost: noAnswer,
  DocumentNotTranslated: noAnswer,
  DownloadInterrupted: noAnswer,
  InternalServerError: noAnswer,
  OutcomeUnknown: noAnswer,
  SessionFailed: noAnswer,
  TransferFailed: noAnswer,
  UnexpectedResponse: noAnswer,
  UnsupportedMediaType: noAnswer,
  CircuitOpen: unavailable,
  Overloaded: unavailable,
  QuotaExceeded: usedUp,
  RateLimited: tooMany,
  ServiceUnavailable: unavailable,
  TooManyDocuments: tooMany,
  TooManyGlossaryRequests: tooMany,
  AttemptTimeout: late,
  DeadlineExceeded: late,
  DocumentNotReady: notReady,
  GatewayTimeout: late,
  JobNotDone: notReady,
  WorkflowStorageUnavailable: [503, "The state of the work cannot be read. Try again later."]
}

const isKnown = (tag: string): tag is Tag => Object.hasOwn(rows, tag)

/** The row of a class. An error that is not of this library is the server's own. */
export const rowOf = (tag: string): Row => isKnown(tag) ? rows[tag] : ours
