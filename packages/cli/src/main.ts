/** The whole command line: its commands, and the report and exit code of every failure. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as CliCompletions from "effect/cli/Completions"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import { admin } from "./commands/account/admin.ts"
import { usage } from "./commands/account/usage.ts"
import { cache } from "./commands/cache.ts"
import { withResults } from "./commands/command.ts"
import { config } from "./commands/config.ts"
import { doctor } from "./commands/doctor/doctor.ts"
import { documents } from "./commands/documents/documents.ts"
import { glossaries } from "./commands/glossaries/glossaries.ts"
import { init } from "./commands/init.ts"
import { languages } from "./commands/languages/languages.ts"
import { localize } from "./commands/localize/localize.ts"
import { mcp } from "./commands/mcp.ts"
import { quality } from "./commands/quality-evaluation/quality.ts"
import { request } from "./commands/request.ts"
import { simulate } from "./commands/simulate/simulate.ts"
import { styleRules } from "./commands/style-rules/styleRules.ts"
import { detect } from "./commands/texts/detect.ts"
import { translate } from "./commands/texts/translate.ts"
import { correct, rephrase } from "./commands/texts/writing.ts"
import { memories } from "./commands/translation-memories/memories.ts"
import { voice } from "./commands/voice/voice.ts"
import { complete, completing, completions } from "./completions.ts"
import * as Output from "./files/output.ts"
import { exitCodes } from "./screen/exitCodes.ts"
import { Ended, endWith } from "./screen/failures.ts"
import { logger } from "./screen/logger.ts"
import { helpHasColours, name, oneLine, toStderr } from "./screen/screen.ts"
import { formatter, textColumns } from "./screen/wrap.ts"
import { InvalidUsage, misuse } from "./settings/errors.ts"
import * as Settings from "./settings/settings.ts"
import { version } from "./settings/version.ts"

const versionCommand = withResults("version", {
  description: "Print the version of this program",
  examples: { [`${name} version --json`]: "For a program" },
  params: {},
  run: () => Effect.succeed(Output.texts([{ version }], ({ version }) => version))
})

/** The commands. */
export const command = Command.make(name).pipe(
  Command.withDescription(
    "The Language Service API on the command line. Results go to standard output, everything else to standard error. " +
      "The key is never a flag: set LANGUAGE_SERVICE_KEY, and LANGUAGE_SERVICE_BASE_URL."
  ),
  Command.withSubcommands([
    { group: "TEXTS", commands: [rephrase, correct, translate, detect] },
    { group: "DOCUMENTS", commands: [documents, localize] },
    { group: "QUALITY AND VOICE", commands: [quality, voice] },
    { group: "LANGUAGES AND STYLE", commands: [languages, styleRules, glossaries, memories] },
    { group: "ACCOUNT", commands: [usage, admin] },
    { group: "OTHER REQUESTS", commands: [request, mcp] },
    { group: "THIS MACHINE", commands: [init, config, doctor, cache, simulate, versionCommand] }
  ]),
  Command.withGlobalFlags(Settings.all),
  Command.withExamples([
    {
      command: `${name} correct --fake "teh letter has  arrived"`,
      description: "Try it, without a key and without network"
    },
    { command: `${name} help documents translate`, description: "The help of a command" },
    { command: `${name} --completions bash`, description: "Completions for a shell" }
  ])
)

/** Reports a bug of this program. */
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

/** A key among the arguments is visible to every process of the machine, and stays in the history of the shell. */
const keyFlag = /^--?(?:api[-_]?|auth[-_]?|(admin[-_]?)|(doc(?:ument)?[-_]?))?key(?:=|$)/i

const noKeyFlag = (flag: string) => {
  const [, ofAdmin, ofDocument] = keyFlag.exec(flag) ?? []
  const variable = ofAdmin === undefined ? "LANGUAGE_SERVICE_KEY" : "LANGUAGE_SERVICE_ADMIN_KEY"
  return new InvalidUsage({
    message:
      `the ${ofAdmin === undefined ? "" : "admin "}key ${ofDocument === undefined ? "" : "of a document "}is never a ` +
      "flag, since others on this machine could see it: " +
      (ofDocument === undefined
        ? `set ${variable}, or ${variable}_FILE to a file that contains it`
        : "set LANGUAGE_SERVICE_DOCUMENT_KEY, or give --document-key-file a file that contains it")
  })
}

/** Node.js puts this character in place of argument bytes that are not UTF-8; the original bytes are lost. */
const replacement = "\ufffd"

/** More than one letter after a single dash. Parsed letter by letter, a file `-march.txt` would print the help. */
const isDashed = (flag: string) => /^-[^-=\d][^=]/.test(flag) && flag !== "-help" && flag !== "-version"

const isCommand = (words: ReadonlyArray<string>): boolean => {
  let found: CliCompletions.CommandDescriptor | undefined = CliCompletions.fromCommand(command)
  for (const word of words.filter((word) => !word.startsWith("-"))) {
    found = found?.subcommands.find(({ name }) => name === word)
  }
  return found !== undefined
}

/** A wrong invocation prints one line on standard error, not the whole help. */
const presenter = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "Help" && event.reason === "Implicit" ? Effect.void : CliOutput.defaultPresenter.present(event)
})

/** Runs the command line with arguments. */
export const run = Effect.fnUntraced(function*(given: ReadonlyArray<string>) {
  if (given[0] === completing) return yield* Effect.ignore(complete(command, given.slice(1)))
  const isHelp = given[0] === "help"
  const args = isHelp ? [...given.slice(1), "--help"] : given
  const end = args.indexOf("--")
  const flags = end === -1 ? args : args.slice(0, end)
  // Needed for the report of an error in the arguments, so read before they are parsed.
  const json = flags.some((flag) => flag === "--json" || flag === "--json=true")
  const program = Effect.gen(function*() {
    const garbled = args.findIndex((arg) => arg.includes(replacement))
    if (garbled !== -1) {
      return yield* misuse(
        `argument ${garbled + 1} is not text in UTF-8; if it contains U+FFFD on purpose, give it by --file or on ` +
          "standard input"
      )
    }
    const key = flags.find((flag) => keyFlag.test(flag))
    if (key !== undefined) return yield* noKeyFlag(key)
    const dashed = flags.find(isDashed)
    if (dashed !== undefined) {
      return yield* misuse(
        `there is no flag ${dashed}; put -- before a text or file that begins with -, and = before such a value`
      )
    }
    if (isHelp && !isCommand(given.slice(1))) return yield* misuse(`there is no command ${given.slice(1).join(" ")}`)
    const start = Command.runWith(command, { version, renderErrors: false })
    yield* Effect.catchTag(start(args), "ShowHelp", (help) =>
      help.errors.length === 0
        // A group of commands without a subcommand prints its help.
        ? start([...help.commandPath.slice(1), "--help"])
        : Effect.fail(help))
  })
  yield* program.pipe(
    Effect.catch((error) =>
      error._tag === "Ended"
        ? Effect.fail(error)
        : error._tag === "ShowHelp"
        ? endWith(error.errors[0] ?? error, json, { see: ` (see ${error.commandPath.join(" ")} --help)` })
        : endWith(error, json)
    ),
    Effect.catchDefect((thrown) => defect(thrown, json)),
    Effect.provide([
      logger,
      presenter,
      CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, completions] })
    ]),
    Effect.provideService(
      CliOutput.Formatter,
      formatter(yield* helpHasColours, yield* textColumns)
    )
  )
})

/** Runs the command line with the arguments of the process. */
export const main = Effect.provide(
  Stdio.Stdio.use(({ args }) => Effect.flatMap(args, run)),
  NodeServices.layer
)
