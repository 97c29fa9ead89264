/** The whole command line: its commands, and how every failure is told and ends. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as Stdio from "effect/Stdio"
import { fileURLToPath } from "node:url"
import { detect } from "./detect.ts"
import { doctor } from "./doctor.ts"
import { InvalidUsage } from "./errors.ts"
import { exitCodeOf, exitCodes, type Failure } from "./exitCodes.ts"
import { languages } from "./languages.ts"
import { colours, name, oneLine, stderrStyle, toStderr } from "./screen.ts"
import * as Settings from "./settings.ts"
import { styleRules } from "./styleRules.ts"
import { translate } from "./translate.ts"
import { correct, rephrase } from "./writing.ts"

/** The commands. */
export const command = Command.make(name).pipe(
  Command.withDescription(
    "The Language Service API on the command line. Results go to standard output, everything else to standard error. " +
      "The key is never a flag: set LANGUAGE_SERVICE_KEY, and LANGUAGE_SERVICE_BASE_URL beside it."
  ),
  Command.withSubcommands([
    { group: "TEXTS", commands: [rephrase, correct, translate, detect] },
    { group: "LANGUAGES AND STYLE", commands: [languages, styleRules] },
    { group: "THIS MACHINE", commands: [doctor] }
  ]),
  Command.withGlobalFlags(Settings.all),
  Command.withExamples([
    { command: `${name} correct --fake "teh letter has  arrived"`, description: "Try it, without key and network" },
    { command: `${name} --completions bash`, description: "Completions for a shell" }
  ])
)

/** How a run ended that was told already. */
class Ended extends Data.TaggedError("Ended")<{ readonly code: number }> {
  override readonly [Runtime.errorExitCode] = this.code
  override readonly [Runtime.errorReported] = false
}

const details = [
  "operation",
  "description",
  "status",
  "code",
  "detail",
  "traceId",
  "outcome",
  "isTransient",
  "parameter",
  "unit",
  "given",
  "allowed",
  "scopes",
  "lookup",
  "setting"
]

/** An error as an object: what is known of it, without anything secret. */
const toJson = (error: object & { readonly _tag: string }, message: string, exitCode: number) => {
  const fields = details.flatMap((field) => {
    const value: unknown = Reflect.get(error, field)
    return value === undefined ? [] : [[field, value] as const]
  })
  const retryAfter: unknown = Reflect.get(error, "retryAfter")
  const attempts: unknown = Reflect.get(error, "attempts")
  return {
    type: "error",
    error: error._tag,
    message,
    ...Object.fromEntries(fields),
    ...(Duration.isDuration(retryAfter) ? { retryAfter: Duration.toSeconds(retryAfter) } : undefined),
    ...(Array.isArray(attempts) ? { attempts: attempts.length } : undefined),
    exitCode
  }
}

/** What is wrong, in one line. */
const messageOf = (error: Failure): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
    case "UnknownSubcommand": {
      const [what = ""] = error.message.split("\n")
      return error.suggestions.length === 0 ? what : `${what}. Did you mean ${error.suggestions.join(" or ")}?`
    }
    case "InvalidValue":
      return error.message.replace("Expected: Schema validation failed: ", "")
    case "ConfigError":
      return `configuration: ${error.cause.message}`
    case "InvalidConfiguration":
      return `configuration: ${error.message}`
    default:
      return error.message
  }
}

/** Tells a failure in one line, and ends with its code. */
const ended = Effect.fnUntraced(function*(error: Failure, json: boolean, see = "") {
  const code = exitCodeOf(error)
  if (error._tag !== "PipeClosed") {
    const message = oneLine(messageOf(error)) + see
    const { red } = yield* stderrStyle
    yield* toStderr(`${json ? JSON.stringify(toJson(error, message, code)) : `${red(`${name}:`)} ${message}`}\n`)
  }
  return yield* code === exitCodes.success ? Effect.void : new Ended({ code })
})

/** A bug of this program: whoever meets it is asked to tell. */
const defect = Effect.fnUntraced(function*(thrown: unknown, json: boolean) {
  const message = `${oneLine(String(thrown))}. This is a bug of ${name}; please report it at ` +
    "https://github.com/effect-lingua/effect-lingua/issues"
  const code = exitCodes.defect
  const line = json
    ? JSON.stringify({ type: "error", error: "Defect", message, exitCode: code })
    : `${name}: ${message}`
  yield* toStderr(`${line}\n`)
  return yield* new Ended({ code })
})

/** A key among the arguments is seen by every process of the machine, and stays in the history of the shell. */
const keyFlag = /^--?(api[-_]?|auth[-_]?)?key(=|$)/i

const noKeyFlag = Effect.fail(
  new InvalidUsage({
    message: "the key is never a flag, as others on this machine could see it: set LANGUAGE_SERVICE_KEY, or " +
      "LANGUAGE_SERVICE_KEY_FILE to a file with it"
  })
)

const Manifest = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

const version = FileSystem.FileSystem.use((fs) =>
  fs.readFileString(fileURLToPath(new URL("../../../package.json", import.meta.url)))
).pipe(
  Effect.flatMap(Schema.decodeUnknownEffect(Manifest)),
  Effect.map((manifest) => manifest.version),
  Effect.orDie
)

/** A wrong invocation is one line on standard error, not the whole help. */
const presenter = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "Help" && event.reason === "Implicit" ? Effect.void : CliOutput.defaultPresenter.present(event)
})

/** Runs the command line with arguments. */
export const run = Effect.fnUntraced(function*(args: ReadonlyArray<string>) {
  const end = args.indexOf("--")
  const flags = end === -1 ? args : args.slice(0, end)
  // The arguments may be what is wrong, so how that is told cannot come from them once they are parsed.
  const json = flags.some((flag) => flag === "--json" || flag === "--json=true")
  const program = Effect.gen(function*() {
    if (flags.some((flag) => keyFlag.test(flag))) return yield* noKeyFlag
    const start = Command.runWith(command, { version: yield* version, renderErrors: false })
    yield* Effect.catchTag(start(args), "ShowHelp", (help) =>
      help.errors.length === 0
        // A group of commands without one of them.
        ? start([...help.commandPath.slice(1), "--help"])
        : Effect.fail(help))
  })
  yield* program.pipe(
    Effect.catch((error) =>
      error._tag === "ShowHelp"
        ? ended(error.errors[0] ?? error, json, ` (see ${error.commandPath.join(" ")} --help)`)
        : ended(error, json)
    ),
    Effect.catchDefect((thrown) => defect(thrown, json)),
    Effect.provide([
      presenter,
      CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
    ]),
    Effect.provideService(
      CliOutput.Formatter,
      CliOutput.defaultFormatter({ colors: yield* colours, globalFlags: "summary" })
    )
  )
})

/** Runs it with the arguments of the process. */
export const main = Effect.provide(
  Stdio.Stdio.use(({ args }) => Effect.flatMap(args, run)),
  NodeServices.layer
)
