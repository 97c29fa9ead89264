/** The user's settings file, in the platform's standard folder. */
import * as NodeAtomicFile from "@effect-lingua/node/files/NodeAtomicFile"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as UserDirectories from "effect/persistence/UserDirectories"
import { isString } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { exec } from "node:child_process"
import { oneLine } from "../screen/screen.ts"
import { InvalidSetting, why } from "../settings/errors.ts"

/** The settings file's path; the file may not exist. */
export const place = Effect.gen(function*() {
  const path = yield* Path.Path
  const folder = yield* Effect.mapError(
    UserDirectories.make().config("effect-lingua"),
    ({ message }) => new InvalidSetting({ message: `the folder of settings is not known: ${oneLine(message)}` })
  )
  return path.join(folder, "config.json")
})

/** The settings file's path, if the file exists. */
export const present = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Effect.orElseSucceed(place, () => undefined)
  return path !== undefined && (yield* Effect.orElseSucceed(fs.exists(path), () => false)) ? path : undefined
})

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** Reads a settings file; `{}` if the file does not exist. */
export const content = Effect.fnUntraced(function*(path: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.catchIf(
    fs.readFileString(path),
    (error) => error.reason._tag === "NotFound",
    () => Effect.succeed("{}")
  ).pipe(Effect.mapError((error) => new InvalidSetting({ message: `${path} cannot be read: ${why(error)}` })))
  return yield* Effect.mapError(decode(text), () => new InvalidSetting({ message: `${path} is not a JSON object` }))
})

/** Writes the settings file, readable only by this user. */
export const write = Effect.fnUntraced(
  function*(path: string, settings: object) {
    const fs = yield* FileSystem.FileSystem
    const paths = yield* Path.Path
    yield* fs.makeDirectory(paths.dirname(path), { recursive: true, mode: 0o700 })
    yield* Effect.ignore(fs.chmod(path, 0o600))
    yield* NodeAtomicFile.write(path, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600, overwrite: true })
  },
  (written, path) =>
    Effect.mapError(written, (error) => new InvalidSetting({ message: `${path} cannot be written: ${why(error)}` }))
)

/** Runs a command, such as a keyring's, that prints the API key. Errors contain neither key nor command. */
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
