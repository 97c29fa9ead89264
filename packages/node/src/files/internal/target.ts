/** Targets: a file, or a folder in which the document gets an unused name. */
import type { DocumentId, DocumentRef } from "@effect-lingua/core/documents/Documents"
import type * as Journal from "@effect-lingua/core/documents/Journal"
import { InvalidInput, TargetExists } from "@effect-lingua/core/errors/CallError"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { TargetUnusable } from "./documentErrors.ts"
import { describe, lstatOf } from "./files.ts"
import * as Publish from "./replaceFile.ts"
import { numbered, safeName } from "./safeName.ts"

/** Refuses a value that is not a path, as callers without types can pass one. */
export const checkPath = (parameter: string, value: string | undefined): Effect.Effect<void, InvalidInput> =>
  value === undefined || (typeof value === "string" && value !== "")
    ? Effect.void
    : Effect.fail(new InvalidInput({ parameter, given: "no path", allowed: "a path" }))

/** The target of options, if they have one. */
export const of = (
  { folder, target }: { readonly target?: string | undefined; readonly folder?: string | undefined },
  overwrite: boolean
): Effect.Effect<Journal.Target | undefined, InvalidInput> => {
  if (target !== undefined && folder !== undefined) {
    return Effect.fail(
      new InvalidInput({ parameter: "folder", given: "a file and a folder", allowed: "one of them" })
    )
  }
  return Effect.as(
    Effect.andThen(checkPath("target", target), checkPath("folder", folder)),
    target !== undefined ? { path: target, overwrite } : folder !== undefined ? { folder, overwrite } : undefined
  )
}

/** The target of options. */
export const required = Effect.fnUntraced(function*(options: {
  readonly target?: string | undefined
  readonly folder?: string | undefined
  readonly overwrite?: boolean | undefined
}) {
  const target = yield* of(options, options.overwrite ?? false)
  return target ??
    (yield* new InvalidInput({ parameter: "target", given: "neither a file nor a folder", allowed: "one of them" }))
})

/** The fields of an error about a target: the operation, and the document once the service has it. */
export type Use = () => Pick<TargetUnusable, "operation"> & Partial<Pick<TargetUnusable, "attempts">> & {
  readonly documentId?: DocumentId
  readonly document?: DocumentRef
}

/** A target that was writable at its check. */
export interface Checked {
  /** The folder of the file. */
  readonly directory: string
  /** The name of the file, if it is known. */
  readonly name: string | undefined
  readonly overwrite: boolean
  /** The mode of the file that is replaced. */
  readonly mode: number | undefined
}

/** The highest number tried for an unused name. */
const maxNumber = 10_000

/** The length of a file. A link has none: another user with access to its folder may have put it there. */
const sizeOf = (file: string): Effect.Effect<number | undefined> =>
  lstatOf(file).pipe(
    Effect.map((info) => info?.isFile() === true ? Number(info.size) : undefined),
    Effect.orElseSucceed(() => undefined)
  )

/** The parts whose files exist, with the bytes that these have now. */
const kept = (parts: ReadonlyArray<Journal.Part>): Effect.Effect<ReadonlyArray<Journal.Part>> =>
  Effect.map(
    Effect.forEach(parts, ({ path }) => sizeOf(path)),
    (sizes) =>
      parts.flatMap(({ bytes, path }, index) => {
        const size = sizes[index]
        return size === undefined ? [] : [{ path, bytes: Math.min(size, bytes) }]
      })
  )

export const make = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path

  const checkFolder = Effect.fnUntraced(function*(use: Use, directory: string, shown: string) {
    const unusable = (description: string) => new TargetUnusable({ ...use(), path: shown, description })
    const info = yield* Effect.mapError(fs.stat(directory), (error) => unusable(describe(error)))
    if (info.type !== "Directory") return yield* unusable(`${directory} is not a folder`)
    yield* Effect.mapError(fs.access(directory, { writable: true }), (error) => unusable(describe(error)))
  })

  const checkFile = Effect.fnUntraced(function*(use: Use, given: string, overwrite: boolean) {
    const { mode, path: target } = yield* Effect.mapError(
      Publish.resolve(fs, path, given),
      (error) => new TargetUnusable({ ...use(), path: given, description: describe(error) })
    )
    if (mode !== undefined && !overwrite) return yield* new TargetExists({ ...use(), path: target })
    yield* checkFolder(use, path.dirname(target), target)
    const checked: Checked = {
      directory: path.dirname(target),
      name: path.basename(target),
      overwrite,
      mode
    }
    return checked
  })

  /** Checks a target before any request. */
  const check = Effect.fnUntraced(function*(use: Use, target: Journal.Target) {
    if ("path" in target) return yield* checkFile(use, target.path, target.overwrite)
    const named = path.resolve(target.folder)
    const directory = yield* Effect.orElseSucceed(fs.realPath(named), () => named)
    yield* checkFolder(use, directory, directory)
    const checked: Checked = { directory, name: undefined, overwrite: target.overwrite, mode: undefined }
    return checked
  })

  /** The rescue folder is checked before anything can be lost. */
  const checkRescue = Effect.fnUntraced(function*(use: Use, folder: string | undefined) {
    yield* checkPath("rescueFolder", folder)
    if (folder !== undefined) yield* checkFolder(use, folder, folder)
  })

  /** Makes a target absolute, as a later program can run in another folder. */
  const absolute = (target: Journal.Target): Journal.Target =>
    "path" in target
      // A slash at the end means a folder.
      ? { ...target, path: `${path.resolve(target.path)}${/[/\\]$/.test(target.path) ? "/" : ""}` }
      : { ...target, folder: path.resolve(target.folder) }

  /** The path of a file without links, which the file itself or its folder may be. */
  const real = (file: string): Effect.Effect<string> => {
    const named = path.resolve(file)
    return fs.realPath(named).pipe(
      Effect.catch(() =>
        Effect.map(fs.realPath(path.dirname(named)), (folder) => path.join(folder, path.basename(named)))
      ),
      Effect.orElseSucceed(() => named)
    )
  }

  /** The first unused name in a folder. */
  const freeName = Effect.fnUntraced(function*(directory: string, name: string) {
    for (let number = 0; number < maxNumber; number++) {
      const candidate = path.join(directory, numbered(name, number))
      const isTaken = (yield* Effect.isSuccess(fs.stat(candidate))) || (yield* Effect.isSuccess(fs.readLink(candidate)))
      if (!isTaken) return candidate
    }
    return path.join(directory, numbered(name, maxNumber))
  })

  /** The file of a checked target: in a folder, the first suggestion that is a name. */
  const fileOf = (
    { directory, name, overwrite }: Checked,
    suggestions: ReadonlyArray<string | undefined>
  ): Effect.Effect<string> => {
    if (name !== undefined) return Effect.succeed(path.join(directory, name))
    const safe = suggestions.map((suggestion) => suggestion === undefined ? undefined : safeName(suggestion))
    const chosen = safe.find((suggestion) => suggestion !== undefined) ?? "document"
    return overwrite ? Effect.succeed(path.join(directory, chosen)) : freeName(directory, chosen)
  }

  /**
   * Renames a complete file to its final name: in a folder the first unused suggestion. `before` runs before each try. The result
   * has the name, and the failure if there is one.
   */
  const publish = Effect.fnUntraced(function*(
    checked: Checked,
    temporary: string,
    suggestions: ReadonlyArray<string | undefined>,
    before: (file: string) => Effect.Effect<void>
  ) {
    for (;;) {
      const file = yield* fileOf(checked, suggestions)
      yield* before(file)
      const moved = yield* Effect.result(Publish.publish(fs, temporary, file, checked.overwrite))
      const failure = moved._tag === "Failure" ? moved.failure : undefined
      // Another program has taken the name meanwhile.
      if (checked.name === undefined && failure?.reason._tag === "AlreadyExists") continue
      return { file, failure }
    }
  })

  return { absolute, check, checkRescue, kept, publish, real, sizeOf }
})

/** The functions on targets. */
export type Targets = Effect.Success<typeof make>
