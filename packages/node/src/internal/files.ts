/** What the modules that write files share. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import { hasProperty, isString } from "effect/Predicate"
import type { Scope } from "effect/Scope"
import { randomBytes } from "node:crypto"

/** The code of the system says most, such as ENOSPC. */
export const describe = (error: PlatformError): string => {
  const { cause } = error
  const code = hasProperty(cause, "code") && isString(cause.code) ? cause.code : undefined
  return [code, error.reason._tag === "Unknown" ? undefined : error.reason._tag, error.reason.description]
    .filter((part) => part !== undefined).join(", ") || "unknown"
}

/** Names of the kinds of files, for messages. */
export const kinds: { readonly [Type in FileSystem.File.Type]: string } = {
  File: "a file",
  Directory: "a folder",
  SymbolicLink: "a link",
  BlockDevice: "a device",
  CharacterDevice: "a device",
  FIFO: "a pipe",
  Socket: "a socket",
  Unknown: "something else than a file"
}

/** Part of a name that no other process takes, whatever a program does to Effect's `Random`. */
export const unique = Effect.sync(() => randomBytes(8).toString("hex"))

/** Nothing, when there is no such file. */
export const ifPresent = <A, R>(
  effect: Effect.Effect<A, PlatformError, R>
): Effect.Effect<A | undefined, PlatformError, R> =>
  Effect.catchIf(effect, (error) => error.reason._tag === "NotFound", () => Effect.undefined)

/** Makes names in a folder last. Not every system can; what is in the files is safe by then. */
export const syncFolder = (fs: FileSystem.FileSystem, folder: string): Effect.Effect<void> =>
  Effect.ignore(Effect.scoped(Effect.flatMap(fs.open(folder, { flag: "r" }), (file) => file.sync)))

/** A new file that only its owner can read. */
export const createPrivate = (
  fs: FileSystem.FileSystem,
  path: string
): Effect.Effect<FileSystem.File, PlatformError, Scope> => fs.open(path, { flag: "wx", mode: 0o600 })
