/** The log of the client, such as a journal that cannot be written, on standard error. */
import * as Context from "effect/Context"
import type * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Settings from "../settings/settings.ts"
import * as Board from "./board.ts"
import { name, oneLine } from "./screen.ts"

const isSet = (fiber: Logger.Options<unknown>["fiber"], setting: typeof Settings.Json | typeof Settings.Quiet) =>
  Option.getOrElse(Context.getOption(fiber.context, setting), () => false)

const written = Logger.make(({ fiber, message }) => {
  const text = oneLine((Array.isArray(message) ? message : [message]).map(String).join(" "))
    .replace(/^[A-Z]\w+\.\w+: /, "")
  const line = isSet(fiber, Settings.Json) ? JSON.stringify({ type: "warning", message: text }) : `${name}: ${text}`
  return `${fiber.getRef(Board.Current)?.clear() ?? ""}${line}`
})

// Written synchronously, since the program may end next.
const toConsole = Logger.withConsoleError(written)

/** Logs to standard error, and nothing with `--quiet`. */
export const logger: Layer.Layer<never> = Logger.layer([
  Logger.make((options) => isSet(options.fiber, Settings.Quiet) ? undefined : toConsole.log(options))
])
