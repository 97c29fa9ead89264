/** The command line: its commands, failure reports and process. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as CliCompletions from "effect/cli/Completions"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Runtime from "effect/Runtime"
import * as Stdio from "effect/Stdio"
import { complete, completing, completions } from "./completions.ts"
import { Ended, endWith, exitCodes, type Failure } from "./screen/failures.ts"
import { helpHasColours, logger, name, oneLine, toStderr } from "./screen/screen.ts"
import { formatter, textColumns } from "./screen/wrap.ts"
import { misuse } from "./settings/errors.ts"
import * as Settings from "./settings/settings.ts"
import { version } from "./settings/version.ts"

/** Command modules. A run loads only modules that its arguments name: loading all modules takes as long as starting Node.js. */
const modules = {
  rephrase: () => import("./commands/texts.ts").then(({ rephrase }) => rephrase),
  correct: () => import("./commands/texts.ts").then(({ correct }) => correct),
  translate: () => import("./commands/texts.ts").then(({ translate }) => translate),
  detect: () => import("./commands/texts.ts").then(({ detect }) => detect),
  documents: () => import("./commands/documents.ts").then(({ documents }) => documents),
  localize: () => import("./commands/localize.ts").then(({ localize }) => localize),
  quality: () => import("./commands/quality.ts").then(({ quality }) => quality),
  voice: () => import("./commands/voice/voice.ts").then(({ voice }) => voice),
  languages: () => import("./commands/languages.ts").then(({ languages }) => languages),
  "style-rules": () => import("./commands/styleRules.ts").then(({ styleRules }) => styleRules),
  glossaries: () => import("./commands/glossaries.ts").then(({ glossaries }) => glossaries),
  memories: () => import("./commands/memories.ts").then(({ memories }) => memories),
  usage: () => import("./commands/account.ts").then(({ usage }) => usage),
  admin: () => import("./commands/account.ts").then(({ admin }) => admin),
  request: () => import("./commands/request.ts").then(({ request }) => request),
  mcp: () => import("./commands/mcp.ts").then(({ mcp }) => mcp),
  init: () => import("./commands/config.ts").then(({ init }) => init),
  config: () => import("./commands/config.ts").then(({ config }) => config),
  doctor: () => import("./commands/doctor.ts").then(({ doctor }) => doctor),
  drift: () => import("./commands/conformance.ts").then(({ drift }) => drift),
  conformance: () => import("./commands/conformance.ts").then(({ conformance }) => conformance),
  cache: () => import("./commands/config.ts").then(({ cache }) => cache)
}

type Loaded = Command.Command<
  string,
  never,
  {},
  Failure | Ended,
  Command.Environment | typeof Settings.all[number]["Identifier"]
>

const isModule = (name: string): name is keyof typeof modules => Object.hasOwn(modules, name)

/** Descriptions of commands by section of the help. */
const groups = {
  TEXTS: {
    rephrase: "Rewrite texts for clarity, style or tone, within their language",
    correct: "Correct spelling and grammar of texts, with as few changes as possible",
    translate: "Translate texts, each independently of the others",
    detect: "Detect the language of texts: a language code for each, or the reason why it is unknown"
  },
  DOCUMENTS: {
    documents: "Translate whole files; interrupted translations can be resumed",
    localize:
      "Translate the localization files of a project: JSON, ARB, YAML, PO, XLIFF, Android, Apple, Java, .NET. Sends new and changed texts, keeps edits by hand"
  },
  "QUALITY AND VOICE": {
    quality: "Evaluate the quality of translations",
    voice: "Translate speech: recordings (alpha), and live speech"
  },
  "LANGUAGES AND STYLE": {
    languages: "List the languages of a resource with their features",
    "style-rules": "Lists of style rules and instructions that translations apply",
    glossaries: "Glossaries: terms that translations apply",
    memories: "Translation memories, which translations can use"
  },
  ACCOUNT: {
    usage: "Report the characters of the period that are used and that are left",
    admin:
      "Developer keys and usage reports. It needs an admin key in LANGUAGE_SERVICE_ADMIN_KEY, and reads no other key"
  },
  "OTHER REQUESTS": {
    request: "Send a request to any path of the service, with the key, retries and errors of all other commands",
    mcp: "Serve tools for language models by the Model Context Protocol, on standard input and output"
  },
  "THIS MACHINE": {
    init:
      "Ask for address, key and language, check them, and keep them in a file that only you can read, with --profile in a profile",
    config: "The settings file: its path, and the settings with their origins",
    doctor:
      "Check settings, key, network, clock and pending documents. Consumes nothing. Ends with 14 if it finds a problem",
    drift:
      "Find fields, languages and features that this version does not know. Consumes nothing. Ends with 14 if there is one",
    conformance:
      "Check the service against its specification. Consumes characters only if a variable allows it. Ends with 14 if a check fails",
    cache: "The results of texts that are kept on this machine"
  }
} satisfies Record<string, Partial<Record<keyof typeof modules, string>>>

/**
 * Commands that a program adds, keyed by the title of a group in the help.
 *
 * @since 0.3.0
 */
export type Added = Readonly<Record<string, readonly [Loaded, ...ReadonlyArray<Loaded>]>>

/** Builds the command tree. Commands that `words` does not contain have only a name and a description. */
export const commandFor = Effect.fnUntraced(function*(words: ReadonlyArray<string>, added: Added = {}) {
  const load = Effect.fnUntraced(function*([name, description]: [string, string]) {
    const command = isModule(name) && words.includes(name)
      ? yield* Effect.promise<Loaded>(modules[name])
      : Command.make(name)
    return Command.withDescription(command, description)
  })
  return Command.make(name).pipe(
    Command.withDescription(
      "The Language Service API on the command line. The key is never a flag: set LANGUAGE_SERVICE_KEY and LANGUAGE_SERVICE_BASE_URL"
    ),
    Command.withSubcommands([
      ...yield* Effect.forEach(
        Object.entries(groups),
        ([group, commands]) =>
          Effect.map(Effect.forEach(Object.entries(commands), load), (commands) => ({ group, commands }))
      ),
      ...Object.entries(added).map(([group, commands]) => ({ group, commands }))
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
})

const defect = Effect.fnUntraced(function*(thrown: unknown, json: boolean) {
  const message = `${oneLine(String(thrown))}. This is a bug of ${name}; please report it at ` +
    "https://github.com/effect-lingua/effect-lingua/issues"
  const code = exitCodes.defect
  const report = { type: "error", error: "Defect", message, exitCode: code }
  yield* toStderr(`${json ? JSON.stringify(report) : `${name}: ${message}`}\n`)
  return yield* new Ended({ code })
})

/** Refused flags: a key in an argument is visible to every process and remains in the shell history. */
const keyFlag = /^--?(?:api[-_]?|auth[-_]?|(admin[-_]?)|(doc(?:ument)?[-_]?))?key(?:=|$)/i

const noKeyFlag = (flag: string) => {
  const [, ofAdmin, ofDocument] = keyFlag.exec(flag) ?? []
  const name = `LANGUAGE_SERVICE_${ofAdmin === undefined ? "" : "ADMIN_"}KEY`
  return misuse(
    `${ofAdmin === undefined ? "the" : "the admin"} key ${
      ofDocument === undefined ? "" : "of a document "
    }is never a flag, because other users could see it: ` +
      (ofDocument === undefined
        ? `set ${name}, or ${name}_FILE to a file that contains it`
        : "set LANGUAGE_SERVICE_DOCUMENT_KEY, or give --document-key-file a file that contains it")
  )
}

/** Node.js replaces argument bytes that are not UTF-8 with this character. */
const replacement = "\ufffd"

/** True for several letters after one dash, which would be parsed as separate flags. */
const isDashed = (flag: string) => /^-[^-=\d][^=]/.test(flag) && flag !== "-help" && flag !== "-version"

const isCommand = (command: Command.Command.Any, words: ReadonlyArray<string>): boolean =>
  words.filter((word) => !word.startsWith("-")).reduce<CliCompletions.CommandDescriptor | undefined>(
    (found, word) => found?.subcommands.find(({ name }) => name === word),
    CliCompletions.fromCommand(command)
  ) !== undefined

/** Invalid arguments print one line on standard error in place of the help. */
const presenter = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "Help" && event.reason === "Implicit" ? Effect.void : CliOutput.defaultPresenter.present(event)
})

/**
 * Runs the command line with arguments. Reports a failure and fails with its exit code.
 *
 * @since 0.3.0
 */
export const run = Effect.fnUntraced(function*(argv: ReadonlyArray<string>, added?: Added) {
  const command = yield* commandFor(argv, added)
  if (argv[0] === completing) return yield* Effect.ignore(complete(command, argv.slice(1)))
  const isHelp = argv[0] === "help"
  const args = isHelp ? [...argv.slice(1), "--help"] : argv
  const end = args.indexOf("--")
  const flags = end === -1 ? args : args.slice(0, end)
  // `--json` is read before parsing, because parse errors are reported as JSON too.
  const json = flags.some((flag) => flag === "--json" || flag === "--json=true")
  const program = Effect.gen(function*() {
    const garbled = args.findIndex((arg) => arg.includes(replacement))
    if (garbled !== -1) {
      return yield* misuse(`argument ${garbled + 1} is not text in UTF-8; give a text with U+FFFD on standard input`)
    }
    const key = flags.find((flag) => keyFlag.test(flag))
    if (key !== undefined) return yield* noKeyFlag(key)
    const dashed = flags.find(isDashed)
    if (dashed !== undefined) {
      return yield* misuse(`there is no flag ${dashed}; put -- before a text that begins with -, and = before a value`)
    }
    if (isHelp && !isCommand(command, argv.slice(1))) {
      return yield* misuse(`there is no command ${argv.slice(1).join(" ")}`)
    }
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
    Effect.provideService(CliOutput.Formatter, formatter(yield* helpHasColours, yield* textColumns))
  )
})

/** `ChildProcessSpawner` is a stub, because no command uses it and loading its module would delay each start. */
const services = Layer.mergeAll(
  NodeFileSystem.layer,
  NodePath.layer,
  NodeStdio.layer,
  NodeTerminal.layer,
  Layer.succeed(ChildProcessSpawner.ChildProcessSpawner, ChildProcessSpawner.make(() => Effect.die("unused")))
)

/**
 * Runs the command line with the process's arguments, and ends the process with its exit code.
 *
 * @since 0.3.0
 */
export const runMain = (added?: Added): void => {
  let interruption: number = exitCodes.interrupted
  process.once("SIGTERM", () => {
    interruption = exitCodes.terminated
  })
  const main = Stdio.Stdio.use(({ args }) => Effect.flatMap(args, (args) => run(args, added)))
  NodeRuntime.runMain(Effect.provide(main, services), {
    disableErrorReporting: true,
    teardown: (exit, onExit) =>
      Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
        ? onExit(interruption)
        : Runtime.defaultTeardown(exit, onExit)
  })
}
