/** The report of a failure: one line, or one object. */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import { codes } from "../settings/errors.ts"
import { exitCodeOf, exitCodes, type Failure } from "./exitCodes.ts"
import { name, oneLine, stderrStyle, toStderr } from "./screen.ts"

/** The end of a run whose failure is already reported. */
export class Ended extends Data.TaggedError("Ended")<{ readonly code: number }> {
  override readonly [Runtime.errorExitCode] = this.code
}

/** Fields that other fields stand for, or that can hold secrets. */
const hidden = new Set(["_tag", "body", "cause", "document", "errors", "job", "message"])

/** The fields of an error for programs. */
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

/** Without an id the document is not at the service yet. */
const unasked = (documentId: string | undefined) =>
  documentId === undefined ? "Nothing was sent" : "The document was not requested"

/** The error in one line. */
const messageOf = (error: Failure): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
    case "UnknownSubcommand": {
      const [what = ""] = error.message.split("\n")
      return error.suggestions.length === 0 ? what : `${what}. Did you mean ${error.suggestions.join(" or ")}?`
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
      return `${error.path} cannot be written: ${why(error.description)}. ${unasked(error.documentId)}`
    case "TargetExists":
      return `${error.path} exists; name another file or replace it with --overwrite. ${unasked(error.documentId)}`
    case "NotResumable":
      return `${error.id} cannot be resumed. ${error.description}`
    case "Busy":
      return `${error.id} is in use by ${error.holder}; wait until that ends`
    default:
      return error.message
  }
}

/** Additions to the report. */
interface Additions {
  /** The subject, if there are several. */
  readonly of?: string | undefined
  /** A reference to more information. */
  readonly see?: string | undefined
}

/** Reports a failure and returns its exit code. */
export const reported = Effect.fnUntraced(function*(error: Failure, json: boolean, { of, see = "" }: Additions = {}) {
  const code = exitCodeOf(error)
  if (error._tag !== "PipeClosed") {
    const what = messageOf(error)
    const message = oneLine(of === undefined || what.includes(of) ? what : `${of}: ${what}`) + see
    const { red } = yield* stderrStyle
    yield* toStderr(
      `${json ? JSON.stringify({ ...toJson(error, message, code), name: of }) : `${red(`${name}:`)} ${message}`}\n`
    )
  }
  return code
})

/** Reports a failure and ends with its exit code. */
export const endWith = Effect.fnUntraced(function*(error: Failure, json: boolean, additions?: Additions) {
  const code = yield* reported(error, json, additions)
  return yield* code === exitCodes.success ? Effect.void : new Ended({ code })
})
