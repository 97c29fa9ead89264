/** Reads and writes a project's files, only inside the project's folder. */
import * as NodeAtomicFile from "@effect-lingua/node/files/NodeAtomicFile"
import * as NodeFile from "@effect-lingua/node/files/NodeFile"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import { hasProperty, isString } from "effect/Predicate"
import { InvalidFile, InvalidProject, UnusableFile } from "../Project.ts"

const problems: Readonly<Record<string, string>> = {
  NotFound: "there is no such file or folder",
  PermissionDenied: "permission denied",
  EISDIR: "it is a folder",
  ELOOP: "its links lead in a circle",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is not a folder",
  EROFS: "the disk is read-only"
}

const codeOf = ({ cause, reason }: PlatformError): string =>
  hasProperty(cause, "code") && isString(cause.code) && Object.hasOwn(problems, cause.code) ? cause.code : reason._tag

export const unusable = (file: string, operation: "read" | "written") => (cause: PlatformError) =>
  new UnusableFile({
    file,
    operation,
    problem: problems[codeOf(cause)] ?? cause.reason.description ?? cause.reason._tag,
    cause
  })

export const inside = Effect.fnUntraced(function*(project: string, folder: string, named: string) {
  const file = yield* NodeFile.inside(folder, named)
  if (Option.isSome(file)) return file.value
  return yield* new InvalidProject({
    file: project,
    problem:
      `${named} is outside of ${folder}, or a link to a file outside; a project file may be untrusted, so it names ` +
      "only files in its folder"
  })
})

type Encoding = "utf-8" | "utf-16le" | "utf-16be"

/** The encoding that the byte order mark declares. Older Apple files are UTF-16. */
const encodingOf = ([first, second]: Uint8Array): Encoding =>
  first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"

const encoded = (text: string, encoding: Encoding): string | Uint8Array => {
  if (encoding === "utf-8") return text
  const bytes = Buffer.from(text, "utf16le")
  return encoding === "utf-16le" ? bytes : bytes.swap16()
}

/** Reads a file, including its byte order mark; `undefined` if missing. Fails if the file changes while read. */
export const textOf = Effect.fnUntraced(function*(file: string) {
  const fs = yield* FileSystem.FileSystem
  const versionOf = Effect.map(fs.stat(file), ({ ino, mtime, size, type }) => ({ ino, mtime, size, type }))
  const failed = (problem: string) => new UnusableFile({ file, operation: "read", problem })
  const read = Effect.gen(function*() {
    const before = yield* versionOf
    if (before.type !== "File") return yield* failed("it is not a regular file")
    const bytes = yield* fs.readFile(file)
    const after = yield* Effect.option(versionOf)
    // If the file was deleted or replaced, its old content is complete.
    const isOther = Option.isNone(after) || !Equal.equals(after.value.ino, before.ino)
    if (!isOther && !Equal.equals(after.value, before)) return yield* failed("it changed while it was read; try again")
    return bytes
  })
  const bytes = yield* Effect.catchTag(
    read,
    "PlatformError",
    (error) => error.reason._tag === "NotFound" ? Effect.undefined : Effect.fail(unusable(file, "read")(error))
  )
  if (bytes === undefined) return undefined
  return yield* Effect.try({
    try: () => new TextDecoder(encodingOf(bytes), { fatal: true, ignoreBOM: true }).decode(bytes),
    catch: () => new InvalidFile({ file, problem: "it is not text in UTF-8" })
  })
})

/** Writes a file in the encoding of the file `like`, and creates missing folders. */
export const replace = Effect.fnUntraced(function*(file: string, named: string, text: string, like?: string) {
  const fs = yield* FileSystem.FileSystem
  const encoding = like === undefined
    ? "utf-8"
    : encodingOf(yield* Effect.mapError(fs.readFile(like), unusable(named, "written")))
  yield* Effect.mapError(
    Effect.andThen(
      fs.makeDirectory(file.replace(/[^/\\]*$/, ""), { recursive: true }),
      NodeAtomicFile.write(file, encoded(text, encoding), { overwrite: true })
    ),
    unusable(named, "written")
  )
})
