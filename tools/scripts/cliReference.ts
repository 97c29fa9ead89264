// Generates the tables of docs/cli-reference.md from each command's help.
import { Effect } from "effect"
import type { Command } from "effect/cli"
import { commandFor } from "../../extensions/cli/src/main.ts"
import * as Settings from "../../extensions/cli/src/settings/settings.ts"
import { inProcess } from "../../extensions/cli/test/support/cli.ts"

type Path = ReadonlyArray<string>

const pathsOf = (command: Command.Command.Any, path: Path): ReadonlyArray<Path> => [
  path,
  ...command.subcommands.flatMap(({ commands }) => commands).flatMap((sub) => pathsOf(sub, [...path, sub.name]))
]

const helpOf = (path: Path) =>
  Effect.map(
    inProcess([...path, "--help"], { columns: 1000, terminal: { stdout: true }, env: { NO_COLOR: "1" } }),
    ({ out }) => out
  )

const section = (help: string, name: string): string =>
  new RegExp(`^${name}\\n((?: {2}.*\\n|\\n(?= {2}))+)`, "m").exec(help)?.[1]?.replaceAll(/\s+/g, " ").trim() ?? ""

/** Names and descriptions of flags. */
const flagsOf = (help: string, name: string): ReadonlyArray<readonly [flag: string, meaning: string]> => {
  const [, lines = ""] = new RegExp(`^${name}\\n((?: {2}.*\\n)+)`, "m").exec(help) ?? []
  return Array.from(
    lines.replaceAll(/\n {4,}/g, " ").matchAll(/^ {2}(--[\w-]+)(?:, -\w)?(?: <?[^ ]+)? {2,}(.*)$/gm),
    ([, flag = "", meaning = ""]) => [flag, meaning.replace(/ \(choices: .*\)$/, "").trim()]
  )
}

const firstSentence = (text: string): string => text.replace(/[.;:] .*$/, "").replace(/\.$/, "")

const code = (text: string): string => `\`${text.replaceAll("|", "\\|")}\``

const names = pathsOf(await Effect.runPromise(commandFor([])), []).flat()
const [, ...commands] = pathsOf(await Effect.runPromise(commandFor(names)), [])

/** Flags of nearly all commands. */
const usual = new Set(["--output", "--overwrite"])

const rowOf = (help: string): Path => {
  const usage = section(help, "USAGE").replace("effect-lingua ", "")
  const flags = flagsOf(help, "FLAGS").map(([flag]) => flag).filter((flag) => !usual.has(flag)).join(" ")
  // A command that only groups subcommands has no row.
  if (usage.includes("<subcommand>") && flags === "") return []
  return [
    code(usage.replace(/ <subcommand>| \[flags\]/g, "")),
    firstSentence(section(help, "DESCRIPTION")),
    flags === "" ? "" : code(flags)
  ]
}

/** Each command with its purpose and its flags. */
export const commandRows: ReadonlyArray<Path> =
  (await Effect.runPromise(Effect.forEach(commands, (path) => Effect.map(helpOf(path), rowOf))))
    .filter((row) => row.length > 0)

/** The flags of all commands. */
export const globalFlagRows: ReadonlyArray<Path> = flagsOf(await Effect.runPromise(helpOf([])), "GLOBAL FLAGS")
  .map(([flag, meaning]) => [code(flag), meaning])

/** The settings of the configuration file, with flags and environment variables. */
export const settingRows: ReadonlyArray<Path> = Object.keys(Settings.settings).map((name) => [
  code(name),
  Settings.flags.filter(([of]) => of === name || of.startsWith(`${name}.`)).map(([, { id }]) => code(`--${id}`)).join(
    ", "
  ),
  Settings.variables.filter(([of]) => of === name).map(([, variable]) => code(variable)).join(", ")
])
