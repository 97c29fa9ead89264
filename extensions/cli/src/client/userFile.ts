/** The settings file of this user, in the standard folder of the platform. */
import * as NodeAtomicFile from "@effect-lingua/node/files/NodeAtomicFile"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as UserDirectories from "effect/persistence/UserDirectories"
import type { PlatformError } from "effect/PlatformError"
import { isObject, isString } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { exec } from "node:child_process"
import { oneLine } from "../screen/screen.ts"
import { type FileUnusable, InvalidSetting, why } from "../settings/errors.ts"
import { keyNames } from "../settings/settings.ts"

/** The path of the file, which may not exist. */
export const place = Effect.gen(function*() {
  const path = yield* Path.Path
  const folder = yield* Effect.mapError(
    UserDirectories.make().config("effect-lingua"),
    ({ message }) => new InvalidSetting({ message: `the folder of settings is not known: ${oneLine(message)}` })
  )
  return path.join(folder, "config.json")
})

/** The path of the file, if it exists. */
export const present = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Effect.orElseSucceed(place, () => undefined)
  return path !== undefined && (yield* Effect.orElseSucceed(fs.exists(path), () => false)) ? path : undefined
})

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

const decoded = (path: string, text: string) =>
  Effect.mapError(decode(text), () => new InvalidSetting({ message: `${path} is not a JSON object` }))

/** The content of a file; empty if it does not exist. */
export const content = Effect.fnUntraced(function*(path: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.catchIf(
    fs.readFileString(path),
    (error) => error.reason._tag === "NotFound",
    () => Effect.succeed("{}")
  ).pipe(Effect.mapError((error) => new InvalidSetting({ message: `${path} cannot be read: ${why(error)}` })))
  return yield* decoded(path, text)
})

/** A value below a path of names. */
export const valueAt = (settings: unknown, [name, ...more]: ReadonlyArray<string>): unknown =>
  name === undefined
    ? settings
    : isObject(settings) && Object.hasOwn(settings, name)
    ? valueAt(Reflect.get(settings, name), more)
    : undefined

/** The address of a profile, or else of the file outside of profiles. */
export const addressOf = (settings: unknown, place: ReadonlyArray<string>): unknown =>
  valueAt(settings, [...place, "baseUrl"]) ?? valueAt(settings, ["baseUrl"])

/** Settings with another value below a path of names; `undefined` removes it. */
export const withValue = (
  settings: Readonly<Record<string, unknown>>,
  [name = "", ...more]: ReadonlyArray<string>,
  value: unknown
): Record<string, unknown> => {
  const { [name]: before, ...others } = settings
  const after = more.length === 0 ? value : withValue(isObject(before) ? { ...before } : {}, more, value)
  return after === undefined || (isObject(after) && more.length > 0 && Object.keys(after).length === 0)
    ? others
    : { ...settings, [name]: after }
}

/** Like `withValue`, but a key, key file or key command replaces the other two. */
export const withSetting = (
  settings: Readonly<Record<string, unknown>>,
  path: ReadonlyArray<string>,
  value: unknown
) => {
  const others = value !== undefined && keyNames.includes(path.at(-1) ?? "") ? keyNames : []
  return withValue(
    others.reduce((settings, name) => withValue(settings, [...path.slice(0, -1), name], undefined), { ...settings }),
    path,
    value
  )
}

/** Changes the file, readable by this user alone, under a lock. Invalid settings leave it as it was. */
export const change = Effect.fnUntraced(function*<R>(
  path: string,
  after: (
    before: Readonly<Record<string, unknown>>
  ) => Effect.Effect<Readonly<Record<string, unknown>>, InvalidSetting | FileUnusable, R>
) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const unusable = (error: PlatformError) => new InvalidSetting({ message: `${path} cannot be written: ${why(error)}` })
  yield* Effect.mapError(fs.makeDirectory(paths.dirname(path), { recursive: true, mode: 0o700 }), unusable)
  yield* Effect.ignore(fs.chmod(path, 0o600))
  yield* NodeAtomicFile.update(
    path,
    (text) =>
      Effect.map(
        Effect.flatMap(decoded(path, text ?? "{}"), after),
        (settings) => `${JSON.stringify(settings, null, 2)}\n`
      ),
    { mode: 0o600 }
  ).pipe(
    Effect.catchTags({
      Busy: ({ holder }) =>
        Effect.fail(new InvalidSetting({ message: `${path} is being changed by ${holder}; run the command again` })),
      PlatformError: (error) => Effect.fail(unusable(error))
    })
  )
})

/** The key that a command prints, such as of a keyring. Errors contain neither key nor command. */
export const keyOfCommand = (command: string): Effect.Effect<Redacted.Redacted, InvalidSetting> =>
  Effect.callback((resume, signal) => {
    exec(command, { signal, timeout: 60_000, maxBuffer: 64 * 1024 }, (error, stdout) => {
      const key = isString(stdout) ? stdout.trim() : ""
      resume(
        error === null && key !== ""
          ? Effect.succeed(Redacted.make(key))
          : Effect.fail(
            new InvalidSetting({
              message: `keyCommand ${
                error === null ? "printed no key" : error.code === undefined ? "was ended" : `ended with ${error.code}`
              }; run it in a shell to see why`
            })
          )
      )
    })
  })
