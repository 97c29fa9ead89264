/** `init`. */
import * as Prompt from "effect/cli/Prompt"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { isString } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Stdio from "effect/Stdio"
import { calling } from "../client/client.ts"
import { chosen, hostOf } from "../client/config.ts"
import * as SettingSources from "../client/settingSources.ts"
import * as UserFile from "../client/userFile.ts"
import { tell } from "../screen/screen.ts"
import { misuse } from "../settings/errors.ts"
import * as Settings from "../settings/settings.ts"
import { command } from "./command.ts"

const languages = calling(({ Languages }) => Languages)

const notEmpty = (what: string) => (given: string) =>
  given.trim() === "" ? Effect.fail(`Enter ${what}`) : Effect.succeed(given.trim())

const ask = Effect.gen(function*() {
  const baseUrl = yield* Prompt.String({ message: "Address of the service", validate: notEmpty("an address") })
  const key = yield* Prompt.Hidden({ message: "Key (it is not shown)", validate: notEmpty("a key") })
  const to = yield* Prompt.String({ message: "Language to translate to, such as de (may be empty)" })
  return { baseUrl, key, to: to.trim() }
})

/** Asks for what a first call needs, checks the key with the service, and writes the file. */
export const init = command("init", {
  examples: {
    "effect-lingua init": "The settings of this user",
    "effect-lingua init --profile work": "A second account"
  },
  params: {},
  run: Effect.fnUntraced(function*() {
    const { stdinIsTerminal, stdoutIsTerminal } = yield* Stdio.Stdio
    if (!(yield* stdinIsTerminal) || !(yield* stdoutIsTerminal)) {
      return yield* misuse(
        "init asks questions, and there is no terminal: use config set baseUrl, and config set keyFile or keyCommand"
      )
    }
    for (const name of ["LANGUAGE_SERVICE_KEY", "LANGUAGE_SERVICE_KEY_FILE", "LANGUAGE_SERVICE_BASE_URL"]) {
      if ((yield* Settings.variable(name)) !== "") {
        return yield* misuse(`${name} is set, and would override the file; unset it first`)
      }
    }
    const { path = yield* UserFile.place, profile } = yield* chosen
    const before = yield* UserFile.content(path)
    const project = yield* SettingSources.project
    const named = project?.profile ?? before["profile"]
    if (profile === undefined && isString(named)) {
      const by = project?.profile === undefined ? path : project.source.name
      return yield* misuse(`${by} names the profile ${named}, which commands use: add --profile ${named}`)
    }
    const { baseUrl, key, to } = yield* Effect.catchTag(
      ask,
      "QuitError",
      () => misuse("it was given up; nothing was written")
    )
    const place = profile === undefined ? [] : ["profiles", profile]
    const address = UserFile.addressOf(before, place)
    const own = {
      baseUrl,
      key: Redacted.value(key),
      ...(to === "" ? undefined : { to }),
      // Headers for another address may be secrets.
      ...(address === undefined || hostOf(address) === hostOf(baseUrl) ? undefined : { headers: undefined })
    }
    yield* UserFile.change(path, (settings) =>
      Effect.succeed(
        Object.entries(own).reduce(
          (settings, [name, value]) => UserFile.withSetting(settings, [...place, name], value),
          settings
        )
      ))
    const restored = Effect.ignore(
      Object.keys(before).length === 0
        ? FileSystem.FileSystem.use((fs) => fs.remove(path))
        : UserFile.change(path, () => Effect.succeed(before))
    )
    const unsaved = tell("not-saved", `the key was not confirmed, so nothing was saved in ${path}`, { path })
    // Settings that the service refuses are not kept.
    yield* languages((languages) => languages.resources()).pipe(
      Effect.provideService(Settings.ConfigFile, path),
      Effect.onError(() => Effect.andThen(restored, unsaved))
    )
    yield* tell("saved", `the key works; the settings are in ${path}`, { path })
  })
})
