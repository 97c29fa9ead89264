/** What the command line itself refuses, beside the errors of the services. */
import * as Data from "effect/Data"
import type { PlatformError } from "effect/PlatformError"
import { hasProperty, isString } from "effect/Predicate"

/** It was called with what makes no sense. Nothing was sent. */
export class InvalidUsage extends Data.TaggedError("InvalidUsage")<{ readonly message: string }> {}

/** Key, address or another setting is missing or makes no sense. Nothing was sent. */
export class InvalidSetting extends Data.TaggedError("InvalidSetting")<{ readonly message: string }> {}

/** `doctor` has found problems, and told them. */
export class ProblemsFound extends Data.TaggedError("ProblemsFound")<{ readonly message: string }> {}

/** There is no such document, as far as the journal knows. Nothing was sent. */
export class NoSuchDocument extends Data.TaggedError("NoSuchDocument")<{ readonly message: string }> {}

/** A file cannot be read or written. */
export class FileUnusable extends Data.TaggedError("FileUnusable")<{ readonly message: string }> {}

/** Whoever read the results wants no more of them, as `head` does. */
export class PipeClosed extends Data.TaggedError("PipeClosed") {}

/** The code of the system, such as `EPIPE`. */
export const systemCode = ({ cause }: PlatformError): string | undefined =>
  hasProperty(cause, "code") && isString(cause.code) ? cause.code : undefined

const words: Readonly<Record<string, string>> = {
  AlreadyExists: "it exists",
  NotFound: "there is no such file or folder",
  PermissionDenied: "permission denied"
}

/** Why a file cannot be used, in some words. */
export const why = (error: PlatformError): string => words[error.reason._tag] ?? systemCode(error) ?? error.reason._tag
