/** The exit codes of all failures. */
import type * as CallError from "@effect-lingua/core/client/CallError"
import type { InvalidConfiguration } from "@effect-lingua/core/client/LanguageServiceConfig"
import type * as ServiceError from "@effect-lingua/core/client/ServiceError"
import type * as Placeholders from "@effect-lingua/core/texts/Placeholders"
import type * as NodeDocuments from "@effect-lingua/node/files/NodeDocuments"
import type * as NodeTranslationMemories from "@effect-lingua/node/files/NodeTranslationMemories"
import * as CliError from "effect/cli/CliError"
import type { ConfigError } from "effect/Config"
import * as Struct from "effect/Struct"
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

/** Every error with a code. */
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

/** The tags of each kind. All errors about arguments are usage. */
const tags = {
  success: ["PipeClosed"],
  usage: [
    "DuplicateGlossaries",
    "DuplicateStyleRules",
    "InvalidUsage",
    "UnknownLanguage",
    "BadRequest",
    "GlossaryV3Only",
    "InvalidEntries",
    "InvalidInput",
    "LimitExceeded",
    "PayloadTooLarge",
    "UnsupportedMediaType",
    "UriTooLong"
  ],
  configuration: ["ConfigError", "InvalidConfiguration", "InvalidSetting", "ProblemsFound"],
  access: ["AccessDenied", "InvalidKey", "MissingScope", "WrongTier"],
  notFound: ["DocumentNotFound", "NoSuchDocument", "NotResumable", "NotFound"],
  quota: ["BudgetExceeded", "QuotaExceeded"],
  busy: ["Busy", "ExportRunning", "Overloaded", "RateLimited", "TooManyDocuments", "TooManyGlossaryRequests"],
  unavailable: [
    "AttemptTimeout",
    "BadGateway",
    "CircuitOpen",
    "ConnectionFailed",
    "ConnectionLost",
    "DeadlineExceeded",
    "GatewayTimeout",
    "InternalServerError",
    "ServiceUnavailable",
    "TransferFailed",
    "PlaceholderChanged",
    "UnexpectedResponse"
  ],
  unknown: ["OutcomeUnknown"],
  notReady: ["DocumentNotReady", "JobNotDone"],
  documentFailed: ["DocumentFailed", "JobFailed"],
  documentLost: ["DocumentAlreadyDownloaded", "DownloadInterrupted"],
  file: [
    "ExportNotSaved",
    "FileUnusable",
    "SaveFailed",
    "SourceFailed",
    "SourceUnusable",
    "TargetExists",
    "TargetUnusable"
  ]
} as const satisfies { readonly [Kind in keyof typeof exitCodes]?: ReadonlyArray<Failure["_tag"]> }

type Tag = typeof tags[keyof typeof tags][number]

const codes: ReadonlyMap<string, number> = new Map(
  Struct.keys(tags).flatMap((kind) => tags[kind].map((tag) => [tag, exitCodes[kind]]))
)

/** The exit code of a failure. One whose tag has none does not compile. */
export const exitCodeOf = (error: { readonly _tag: Tag } | CliError.CliError): number =>
  CliError.isCliError(error) ? exitCodes.usage : codes.get(error._tag) ?? exitCodes.defect
