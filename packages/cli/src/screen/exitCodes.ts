/** The exit codes of all failures. */
import type * as CallError from "@effect-lingua/core/client/CallError"
import type { InvalidConfiguration } from "@effect-lingua/core/client/LanguageServiceConfig"
import type * as ServiceError from "@effect-lingua/core/client/ServiceError"
import type * as Placeholders from "@effect-lingua/core/texts/Placeholders"
import type * as NodeDocuments from "@effect-lingua/node/files/NodeDocuments"
import type * as NodeTranslationMemories from "@effect-lingua/node/files/NodeTranslationMemories"
import type * as CliError from "effect/cli/CliError"
import type { ConfigError } from "effect/Config"
import type * as Errors from "../settings/errors.ts"

/** The codes by kind. */
export const exitCodes = {
  success: 0,
  defect: 1,
  usage: 2,
  configuration: 3,
  access: 4,
  notFound: 5,
  quota: 6,
  busy: 7,
  unavailable: 8,
  unknown: 9,
  notReady: 10,
  documentFailed: 11,
  documentLost: 12,
  file: 13,
  interrupted: 130,
  terminated: 143
} as const

/** The classes of errors that a module exports. */
type ErrorsOf<Module> = {
  [Name in keyof Module]: Module[Name] extends abstract new(...args: never) => infer Instance
    ? Extract<Instance, Error & { readonly _tag: string }>
    : never
}[keyof Module]

/** Every error with a code. A new class in one of the modules does not compile until it has one. */
export type Failure =
  | CliError.CliError
  | ConfigError
  | ErrorsOf<typeof CallError>
  | ErrorsOf<typeof Errors>
  | ErrorsOf<typeof NodeDocuments>
  | ErrorsOf<typeof NodeTranslationMemories>
  | ErrorsOf<typeof Placeholders>
  | ErrorsOf<typeof ServiceError>
  | InvalidConfiguration

const kinds: { readonly [Tag in Failure["_tag"]]: keyof typeof exitCodes } = {
  PipeClosed: "success",
  DuplicateGlossaries: "usage",
  DuplicateOption: "usage",
  DuplicateStyleRules: "usage",
  InvalidUsage: "usage",
  InvalidValue: "usage",
  MissingArgument: "usage",
  MissingOption: "usage",
  ShowHelp: "usage",
  UnexpectedArgument: "usage",
  UnknownSubcommand: "usage",
  UnknownLanguage: "usage",
  UnrecognizedOption: "usage",
  UserError: "usage",
  ValidationError: "usage",
  BadRequest: "usage",
  GlossaryV3Only: "usage",
  InvalidEntries: "usage",
  InvalidInput: "usage",
  LimitExceeded: "usage",
  PayloadTooLarge: "usage",
  UnsupportedMediaType: "usage",
  UriTooLong: "usage",
  ConfigError: "configuration",
  InvalidConfiguration: "configuration",
  InvalidSetting: "configuration",
  ProblemsFound: "configuration",
  AccessDenied: "access",
  InvalidKey: "access",
  MissingScope: "access",
  WrongTier: "access",
  DocumentNotFound: "notFound",
  NoSuchDocument: "notFound",
  NotResumable: "notFound",
  NotFound: "notFound",
  BudgetExceeded: "quota",
  QuotaExceeded: "quota",
  Busy: "busy",
  ExportRunning: "busy",
  Overloaded: "busy",
  RateLimited: "busy",
  TooManyDocuments: "busy",
  TooManyGlossaryRequests: "busy",
  AttemptTimeout: "unavailable",
  BadGateway: "unavailable",
  CircuitOpen: "unavailable",
  ConnectionFailed: "unavailable",
  ConnectionLost: "unavailable",
  DeadlineExceeded: "unavailable",
  GatewayTimeout: "unavailable",
  InternalServerError: "unavailable",
  ServiceUnavailable: "unavailable",
  TransferFailed: "unavailable",
  PlaceholderChanged: "unavailable",
  UnexpectedResponse: "unavailable",
  OutcomeUnknown: "unknown",
  DocumentNotReady: "notReady",
  JobNotDone: "notReady",
  DocumentFailed: "documentFailed",
  JobFailed: "documentFailed",
  DocumentAlreadyDownloaded: "documentLost",
  DownloadInterrupted: "documentLost",
  ExportNotSaved: "file",
  FileUnusable: "file",
  SaveFailed: "file",
  SourceFailed: "file",
  SourceUnusable: "file",
  TargetExists: "file",
  TargetUnusable: "file"
}

/** The exit code of a failure. */
export const exitCodeOf = ({ _tag }: Failure): number => exitCodes[kinds[_tag]]
