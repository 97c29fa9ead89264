/** `--completions` prints a shell script, which calls this program with `--complete` for each completion. */
import * as Command from "effect/cli/Command"
import * as CliCompletions from "effect/cli/Completions"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isObject } from "effect/Predicate"
import { oneLine, toStdout } from "./screen/screen.ts"
import * as Settings from "./settings/settings.ts"

/** The flag that the scripts pass, followed by the words of the line up to the word to complete. */
export const completing = "--complete"

const bash = `_effect_lingua() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <("$1" ${completing} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _effect_lingua effect-lingua`

const zsh = `#compdef effect-lingua
_effect-lingua() {
  local line
  local -a found
  while IFS= read -r line; do
    found+=("\${\${line//:/\\\\:}/$'\\t'/:}")
  done < <("\${words[1]}" ${completing} "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#found )); then _describe effect-lingua found; else _files; fi
}
if [ "$funcstack[1]" = _effect-lingua ]; then _effect-lingua "$@"; else compdef _effect-lingua effect-lingua; fi`

const fish = `function __effect_lingua
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l found ($words[1] ${completing} $words[2..] "$word" 2>/dev/null)
    if test (count $found) -gt 0
        string join \\n -- $found
    else
        __fish_complete_path "$word"
    end
end
complete -c effect-lingua -f -a '(__effect_lingua)'`

const powershell = `Register-ArgumentCompleter -Native -CommandName effect-lingua -ScriptBlock {
  param($word, $line, $position)
  $words = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($word -eq '') { $words += '' }
  & effect-lingua ${completing} @words 2>$null | ForEach-Object {
    $name, $help = $_ -split "\`t", 2
    [System.Management.Automation.CompletionResult]::new($name, $name, 'ParameterValue', ($help ? $help : $name))
  }
}`

const scripts = { bash, zsh, fish, powershell }

export const completions = GlobalFlag.Action({
  flag: GlobalFlag.Completions.flag,
  run: (shell) => Option.isNone(shell) ? Effect.void : Console.log(scripts[shell.value])
})

interface Candidate {
  readonly name: string
  readonly description?: string | undefined
}

/** The flags of all commands, read from a command that has no other flags. */
const { flags: shared } = CliCompletions.fromCommand(
  Command.make("shared", { settings: Settings.all.map(({ flag }) => flag), help: GlobalFlag.Help.flag })
)

const named = (names: ReadonlyArray<string>): ReadonlyArray<Candidate> => names.map((name) => ({ name }))

const none = Effect.succeed(named([]))

const profiles = Effect.gen(function*() {
  const UserFile = yield* Effect.promise(() => import("./client/userFile.ts"))
  const configFile = yield* Settings.variable("LANGUAGE_SERVICE_CONFIG")
  const { profiles } = yield* UserFile.content(configFile === "" ? yield* UserFile.place : configFile)
  return named(isObject(profiles) ? Object.keys(profiles) : [])
}).pipe(Effect.orElseSucceed(() => named([])))

/** Completions for a value: the choices of a flag or argument, or the profiles in the settings file. */
const valuesOf = (name: string, type: CliCompletions.FlagType) =>
  type._tag === "Choice"
    ? Effect.succeed(named(type.values))
    : name === "--profile"
    ? profiles
    : none

const spelled = ({ aliases, name, negation }: CliCompletions.FlagDescriptor): ReadonlyArray<string> => [
  `--${name}`,
  ...negation === undefined || negation === false ? [] : [`--${negation}`],
  ...aliases.map((alias) => alias.length === 1 ? `-${alias}` : `--${alias}`)
]

/** Splits `--flag=value`, and drops `=`, which Bash passes as a separate word. */
const wordsOf = (shellWords: ReadonlyArray<string>) =>
  shellWords.flatMap((word) => word.startsWith("--") && word.includes("=") ? word.split(/=(.*)/s, 2) : [word])
    .flatMap((word, index, all) => word !== "=" ? [word] : index === all.length - 1 ? [""] : [])

const candidates = (root: CliCompletions.CommandDescriptor, shellWords: ReadonlyArray<string>) => {
  const words = wordsOf(shellWords)
  let command = root
  let flags = [...root.flags, ...shared]
  let flag: CliCompletions.FlagDescriptor | undefined
  for (const word of words.slice(0, -1)) {
    if (word === "--") return none
    const isValue = flag !== undefined
    const known = isValue ? undefined : flags.find((flag) => spelled(flag).includes(word))
    flag = known?.type._tag === "Boolean" ? undefined : known
    const next = isValue ? undefined : command.subcommands.find(({ name }) => name === word)
    if (next !== undefined) {
      command = next
      flags = [...next.flags, ...shared]
    }
  }
  if (flag !== undefined) return valuesOf(`--${flag.name}`, flag.type)
  if (words.at(-1)?.startsWith("-") === true) {
    return Effect.succeed(
      flags.flatMap((flag) => spelled(flag).map((name): Candidate => ({ name, description: flag.description })))
    )
  }
  if (command.subcommands.length > 0) return Effect.succeed(command.subcommands)
  return Effect.map(
    Effect.forEach(command.arguments, ({ name, type }) => valuesOf(name, type)),
    (found) => found.flat()
  )
}

/** Prints completions for the last word, one per line. Shells complete file names themselves. */
export const complete = Effect.fnUntraced(function*(command: Command.Command.Any, words: ReadonlyArray<string>) {
  const [, flag = "", value] = /^(--[^=]+=)?(.*)$/s.exec(words.at(-1) ?? "") ?? []
  const begin = value === "=" ? "" : value ?? ""
  const found = yield* candidates(CliCompletions.fromCommand(command), words)
  yield* toStdout(
    found.filter(({ name }) => name.startsWith(begin))
      .map(({ description, name }) => `${flag}${name}${description === undefined ? "" : `\t${oneLine(description)}`}\n`)
      .join("")
  )
})
