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

/** There is no such document, import or export, as far as the journal knows. Nothing was sent. */
export class NoSuchDocument extends Data.TaggedError("NoSuchDocument")<{ readonly message: string }> {}

/** A file cannot be read or written. */
export class FileUnusable extends Data.TaggedError("FileUnusable")<{ readonly message: string }> {}

/** Whoever read the results wants no more of them, as `head` does. */
export class PipeClosed extends Data.TaggedError("PipeClosed") {}

/** The code of the system, such as `EPIPE`. */
export const systemCode = ({ cause }: PlatformError): string | undefined =>
  hasProperty(cause, "code") && isString(cause.code) ? cause.code : undefined

/** Codes of the system in the words of people. */
export const codes: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EISDIR: "it is a folder",
  ENXIO: "it is a socket, or a device that is not there",
  ENOTDIR: "a part of its path is no folder"
}

const words: Readonly<Record<string, string>> = {
  AlreadyExists: "it exists",
  NotFound: "there is no such file or folder",
  PermissionDenied: "permission denied"
}

/** Why a file cannot be used, in some words. */
export const why = (error: PlatformError): string => {
  const code = systemCode(error)
  return words[error.reason._tag] ?? (code === undefined ? error.reason._tag : codes[code] ?? code)
}
