/** Exit codes and reports of failures. */
import type { InvalidConfiguration } from "@effect-lingua/core/config/LanguageServiceConfig"
import { nearest } from "@effect-lingua/core/contract/Language"
import type * as CallError from "@effect-lingua/core/errors/CallError"
import type { Category } from "@effect-lingua/core/errors/Problem"
import type * as ServiceError from "@effect-lingua/core/errors/ServiceError"
import type * as Placeholders from "@effect-lingua/core/texts/Placeholders"
import type * as NodeDocuments from "@effect-lingua/node/files/NodeDocuments"
import type * as NodeTranslationMemories from "@effect-lingua/node/files/NodeTranslationMemories"
import * as CliError from "effect/cli/CliError"
import type { ConfigError } from "effect/Config"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import type * as Errors from "../settings/errors.ts"
import { codes } from "../settings/errors.ts"
import { name, oneLine, stderrStyle, toStderr } from "./screen.ts"
import { wrap } from "./wrap.ts"

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
  problems: 14,
  interrupted: 130,
  terminated: 143
} as const

type ErrorsOf<Module> = {
  [Name in keyof Module]: Module[Name] extends abstract new(...args: never) => infer Instance
    ? Extract<Instance, Error & { readonly _tag: string }>
    : never
}[keyof Module]

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

type Kind = keyof typeof exitCodes

const isKind = (category: Category): category is Category & Kind => Object.hasOwn(exitCodes, category)

/** Categories without an exit code of the same name. */
const kinds: Readonly<Record<Exclude<Category, Kind>, Kind>> = {
  badResponse: "unavailable",
  budget: "quota",
  conflict: "usage",
  gone: "documentLost",
  local: "file",
  lost: "documentLost",
  missing: "notFound",
  rejected: "documentFailed",
  source: "file",
  throttled: "busy",
  timeout: "unavailable",
  tooLarge: "usage",
  unreachable: "unavailable"
}

const kindOf = (category: Category): Kind => isKind(category) ? category : kinds[category]

/** An error of the command line or of its settings. */
type Own = Exclude<Failure, CliError.CliError | { readonly category: Category }>

const own: Readonly<Record<Own["_tag"], Kind>> = {
  BadFile: "configuration",
  ConfigError: "configuration",
  FileUnusable: "file",
  InvalidConfiguration: "configuration",
  InvalidSetting: "configuration",
  InvalidUsage: "usage",
  NoSuchDocument: "notFound",
  PipeClosed: "success",
  ProblemsFound: "problems"
}

/** An error's exit code. An error class without an exit code does not compile. */
export const exitCodeOf = (
  error: { readonly category: Category } | { readonly _tag: Own["_tag"] } | CliError.CliError
): number =>
  exitCodes[CliError.isCliError(error) ? "usage" : "category" in error ? kindOf(error.category) : own[error._tag]]

/** Ends a run with an exit code after the failure has been reported. */
export class Ended extends Data.TaggedError("Ended")<{ readonly code: number }> {
  override readonly [Runtime.errorExitCode] = this.code
}

/** Error fields that a report derives separately, and fields that may contain secrets. */
const hidden = new Set(["_tag", "body", "cause", "document", "errors", "job", "message"])

const toJson = (error: Failure, message: string, exitCode: number) => {
  const { attempts, ...fields } = Object.fromEntries(
    Object.entries(error).filter(([name]) => !hidden.has(name)).map(([name, value]: [string, unknown]) => [
      name,
      Duration.isDuration(value) ? Duration.toSeconds(value) : value
    ])
  )
  return {
    type: "error",
    error: error._tag,
    message,
    documentId: "document" in error ? error.document?.documentId : undefined,
    jobId: "job" in error ? error.job : undefined,
    ...fields,
    attempts: Array.isArray(attempts) ? attempts.length : undefined,
    exitCode
  }
}

const why = (description: string): string => codes[description.replace(/,.*/s, "")] ?? description

const nothingSent = (documentId: string | undefined) =>
  documentId === undefined ? "Nothing was sent" : "The document was not requested"

const messageOf = (error: Failure): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
    case "UnknownSubcommand": {
      const [what = ""] = error.message.split("\n")
      const word = error._tag === "UnknownSubcommand" ? error.subcommand : error.option
      const similar = nearest(word, error.suggestions, Math.floor(word.replace(/^-+/, "").length / 3))
      return similar === undefined ? what : `${what}. Did you mean "${similar}"?`
    }
    case "InvalidValue":
      return error.message.replace("Expected: Schema validation failed: ", "")
    case "ConfigError":
      return `configuration: ${error.cause.message}`
    case "InvalidConfiguration":
      return `configuration: ${error.message}`
    case "SourceUnusable":
      return `${error.path} cannot be read: ${why(error.description)}. Nothing was sent`
    case "TargetUnusable":
      return `${error.path} cannot be written: ${why(error.description)}. ${nothingSent(error.documentId)}`
    case "TargetExists":
      return `${error.path} exists; name another file or replace it with --overwrite. ${nothingSent(error.documentId)}`
    case "NotResumable":
      return `${error.id} cannot be resumed. ${error.description}`
    case "Busy":
      return `${error.id} is in use by ${error.holder}; wait until that ends`
    default:
      return error.message
  }
}

interface Additions {
  readonly of?: string | undefined
  readonly see?: string | undefined
}

/** Reports a failure and returns its exit code. */
export const reported = Effect.fnUntraced(function*(error: Failure, json: boolean, { of, see = "" }: Additions = {}) {
  const code = exitCodeOf(error)
  if (error._tag !== "PipeClosed") {
    const what = messageOf(error)
    const message = oneLine(of === undefined || what.includes(of) ? what : `${of}: ${what}`) + see
    const { columns, red } = yield* stderrStyle
    yield* toStderr(
      json
        ? `${JSON.stringify({ ...toJson(error, message, code), name: of })}\n`
        : `${wrap(`${red(`${name}:`)} ${message}`, columns)}\n`
    )
  }
  return code
})

/** Reports a failure and ends with its exit code. */
export const endWith = Effect.fnUntraced(function*(error: Failure, json: boolean, additions?: Additions) {
  const code = yield* reported(error, json, additions)
  return yield* code === exitCodes.success ? Effect.void : new Ended({ code })
})
