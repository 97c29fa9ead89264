/** The exit codes of all failures. */
import type { InvalidConfiguration } from "@effect-lingua/core/config/LanguageServiceConfig"
import type * as CallError from "@effect-lingua/core/errors/CallError"
import type { Category } from "@effect-lingua/core/errors/Problem"
import type * as ServiceError from "@effect-lingua/core/errors/ServiceError"
import type * as Placeholders from "@effect-lingua/core/texts/Placeholders"
import type * as NodeDocuments from "@effect-lingua/node/files/NodeDocuments"
import type * as NodeTranslationMemories from "@effect-lingua/node/files/NodeTranslationMemories"
import * as CliError from "effect/cli/CliError"
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

/** The kind of the errors of each category. */
const kinds: Readonly<Record<Category, keyof typeof exitCodes>> = {
  access: "access",
  badResponse: "unavailable",
  budget: "quota",
  busy: "busy",
  conflict: "usage",
  gone: "documentLost",
  local: "file",
  lost: "documentLost",
  missing: "notFound",
  notReady: "notReady",
  quota: "quota",
  rejected: "documentFailed",
  source: "file",
  throttled: "busy",
  timeout: "unavailable",
  tooLarge: "usage",
  unavailable: "unavailable",
  unknown: "unknown",
  unreachable: "unavailable",
  usage: "usage"
}

/** An error of the command line itself or of its settings. */
type Own = Exclude<Failure, CliError.CliError | { readonly category: Category }>

const own: Readonly<Record<Own["_tag"], keyof typeof exitCodes>> = {
  ConfigError: "configuration",
  FileUnusable: "file",
  InvalidConfiguration: "configuration",
  InvalidSetting: "configuration",
  InvalidUsage: "usage",
  NoSuchDocument: "notFound",
  PipeClosed: "success",
  ProblemsFound: "configuration"
}

/** The exit code of a failure. One without a code does not compile. */
export const exitCodeOf = (
  error: { readonly category: Category } | { readonly _tag: Own["_tag"] } | CliError.CliError
): number =>
  exitCodes[CliError.isCliError(error) ? "usage" : "category" in error ? kinds[error.category] : own[error._tag]]
