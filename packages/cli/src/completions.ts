/** `--completions`: the completions of effect/cli, extended by the flags of all commands, and by files in bash. */
import * as Command from "effect/cli/Command"
import * as CliCompletions from "effect/cli/Completions"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Settings from "./settings/settings.ts"

/** Their completions, taken from a command that has no other flags. */
const { flags: shared } = CliCompletions.fromCommand(
  Command.make("shared", {
    settings: Settings.all.map(({ flag }) => flag),
    help: GlobalFlag.Help.flag
  })
)

const withShared = (command: CliCompletions.CommandDescriptor): CliCompletions.CommandDescriptor => ({
  ...command,
  flags: [...command.flags, ...shared],
  subcommands: command.subcommands.map(withShared)
})

/** Files are the fallback, since most arguments can be files. */
const withFiles = (script: string): string => script.replace(/^complete -F /m, "complete -o default -F ")

/** Prints the script for a shell. */
export const completions = GlobalFlag.Action({
  flag: GlobalFlag.Completions.flag,
  run: Effect.fnUntraced(function*(shell, { command }) {
    if (Option.isNone(shell)) return
    const script = CliCompletions.generate(
      command.name,
      shell.value,
      withShared(CliCompletions.fromCommand(command))
    )
    yield* Console.log(shell.value === "bash" ? withFiles(script) : script)
  })
})
