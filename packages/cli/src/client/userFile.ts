/** The file of settings of this user, in the standard place of the platform. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as UserDirectories from "effect/persistence/UserDirectories"
import { isObject, isString } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { exec } from "node:child_process"
import * as Output from "../files/output.ts"
import { oneLine } from "../screen/screen.ts"
import { InvalidSetting, why } from "../settings/errors.ts"

/** The path of the file, whether it is there or not. */
export const place = Effect.gen(function*() {
  const path = yield* Path.Path
  const folder = yield* Effect.mapError(
    UserDirectories.make().config("effect-lingua"),
    ({ message }) => new InvalidSetting({ message: `the folder of settings is not known: ${oneLine(message)}` })
  )
  return path.join(folder, "config.json")
})

/** The path of the file, if it is there. */
export const present = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Effect.orElseSucceed(place, () => undefined)
  return path !== undefined && (yield* Effect.orElseSucceed(fs.exists(path), () => false)) ? path : undefined
})

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** The content of a file as it stands; empty if there is none. */
export const content = Effect.fnUntraced(function*(path: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.catchIf(
    fs.readFileString(path),
    (error) => error.reason._tag === "NotFound",
    () => Effect.succeed("{}")
  ).pipe(Effect.mapError((error) => new InvalidSetting({ message: `${path} cannot be read: ${why(error)}` })))
  return yield* Effect.mapError(decode(text), () => new InvalidSetting({ message: `${path} is not a JSON object` }))
})

/** A value below a path of names. */
export const valueAt = (settings: unknown, [name, ...more]: ReadonlyArray<string>): unknown =>
  name === undefined ? settings : isObject(settings) ? valueAt(Reflect.get(settings, name), more) : undefined

/** Settings with another value below a path of names, or without it. */
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

/** Writes a file whole, which only this user can read. */
export const write = Effect.fnUntraced(function*(path: string, settings: Readonly<Record<string, unknown>>) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const unusable = (error: Parameters<typeof why>[0]) =>
    new InvalidSetting({ message: `${path} cannot be written: ${why(error)}` })
  yield* Effect.mapError(fs.makeDirectory(paths.dirname(path), { recursive: true, mode: 0o700 }), unusable)
  const isThere = yield* Effect.mapError(fs.exists(path), unusable)
  // A file that replaces another takes its mode.
  if (!isThere) yield* Effect.mapError(fs.writeFileString(path, "{}\n", { mode: 0o600, flag: "wx" }), unusable)
  yield* Effect.mapError(fs.chmod(path, 0o600), unusable)
  yield* Effect.scoped(
    Effect.flatMap(Output.open(path, true), (write) => write(`${JSON.stringify(settings, null, 2)}\n`))
  )
})

/** The key that a command prints, such as one of a keyring. Neither key nor command are in an error. */
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
