/** Confirmation of changes that cannot be undone. */
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import { misuse, misuseIf } from "../settings/errors.ts"
import { toggle } from "../settings/flags.ts"
import * as Settings from "../settings/settings.ts"
import { name, oneLine, stderrStyle, toStderr } from "./screen.ts"

/** The flag of commands that ask for confirmation. */
export const flags = { yes: toggle("yes", "Do not ask for confirmation; required without a terminal, and with --json") }

/** True on a terminal without `--json`. */
const canAsk = Effect.gen(function*() {
  const { stderrIsTerminal, stdinIsTerminal } = yield* Stdio.Stdio
  return (yield* stdinIsTerminal) && (yield* stderrIsTerminal) && !(yield* Settings.Json)
})

/** Asks the question, and fails unless the user confirms. `--yes` skips the question. */
export const confirm = Effect.fnUntraced(function*<E, R>(
  { yes }: { readonly yes: boolean },
  question: Effect.Effect<string, E, R>
) {
  if (yes) return
  if (!(yield* canAsk)) {
    return yield* misuse("it cannot be undone, and there is no terminal to ask for confirmation: give --yes")
  }
  const { red } = yield* stderrStyle
  yield* toStderr(`${red(`${name}:`)} ${oneLine(yield* question)}? It cannot be undone. [y/N] `)
  const answer = yield* Terminal.Terminal.use(({ readLine }) =>
    // Ctrl-D ends the input without a new line, and counts as no.
    Effect.catch(readLine, () => Effect.as(toStderr("\n"), ""))
  )
  yield* misuseIf(!/^y(es)?$/i.test(answer.trim()), "it was not confirmed; nothing was changed")
})
