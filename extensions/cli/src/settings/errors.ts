/** Errors of the command line itself. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { PlatformError } from "effect/PlatformError"
import { hasProperty, isString } from "effect/Predicate"

/** The arguments are invalid. Nothing was sent. */
export class InvalidUsage extends Data.TaggedError("InvalidUsage")<{ readonly message: string }> {}

export const misuse = (message: string): Effect.Effect<never, InvalidUsage> =>
  Effect.fail(new InvalidUsage({ message }))

export const misuseIf = (isWrong: boolean, message: string) => isWrong ? misuse(message) : Effect.void

/** A setting is missing or invalid. Nothing was sent. */
export class InvalidSetting extends Data.TaggedError("InvalidSetting")<{ readonly message: string }> {}

export const invalid = (message: string): Effect.Effect<never, InvalidSetting> =>
  Effect.fail(new InvalidSetting({ message }))

/** A check has found and reported problems. */
export class ProblemsFound extends Data.TaggedError("ProblemsFound")<{ readonly message: string }> {}

/** A localization file does not parse. Other files are translated. */
export class BadFile extends Data.TaggedError("BadFile")<{
  readonly message: string
  readonly file: string
  readonly line: number | undefined
}> {}

/** The journal has no such document. Nothing was sent. */
export class NoSuchDocument extends Data.TaggedError("NoSuchDocument")<{ readonly message: string }> {}

/** A file cannot be read or written. */
export class FileUnusable extends Data.TaggedError("FileUnusable")<{ readonly message: string }> {}

/** The reader of the results closed the pipe. */
export class PipeClosed extends Data.TaggedError("PipeClosed") {}

/** The system code, such as `EPIPE`. */
export const systemCode = ({ cause }: PlatformError): string | undefined =>
  hasProperty(cause, "code") && isString(cause.code) ? cause.code : undefined

export const codes: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EISDIR: "it is a folder",
  ENXIO: "it is a socket or a missing device",
  ELOOP: "its links lead in a circle",
  ENOTDIR: "a part of its path is not a folder"
}

const reasons: Readonly<Record<string, string>> = {
  AlreadyExists: "it exists",
  InvalidData: "it changed while it was read; try again",
  NotFound: "there is no such file or folder",
  PermissionDenied: "permission denied"
}

export const why = (error: PlatformError): string => {
  const code = systemCode(error)
  if (error.reason._tag === "BadResource" && error.reason.description !== undefined) return error.reason.description
  return reasons[error.reason._tag] ?? (code === undefined ? error.reason._tag : codes[code] ?? code)
}

const unusable = (problem: string) => (file: string) => (error: PlatformError) =>
  new FileUnusable({ message: `${file} cannot be ${problem}: ${why(error)}` })

export const unreadable = unusable("read")

export const unwritable = unusable("written")
