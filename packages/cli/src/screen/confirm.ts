/** What cannot be undone is asked about before. */
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import { InvalidUsage } from "../settings/errors.ts"
import { toggle } from "../settings/flags.ts"
import * as Settings from "../settings/settings.ts"
import { name, oneLine, stderrStyle, toStderr } from "./screen.ts"

/** The flag of a command that asks. */
export const flags = { yes: toggle("yes", "Do not ask before; needed where nobody can be asked") }

/** Whether there is somebody to see a question and to answer it. */
const canAsk = Effect.gen(function*() {
  const { stderrIsTerminal, stdinIsTerminal } = yield* Stdio.Stdio
  return (yield* stdinIsTerminal) && (yield* stderrIsTerminal) && !(yield* Settings.Json)
})

/** Asks whether to do what the effect says. `--yes` has said so. */
export const confirm = Effect.fnUntraced(function*<E, R>(
  { yes }: { readonly yes: boolean },
  action: Effect.Effect<string, E, R>
) {
  if (yes) return
  if (!(yield* canAsk)) {
    return yield* new InvalidUsage({ message: "it cannot be undone, and nobody can be asked here: give --yes" })
  }
  const { red } = yield* stderrStyle
  yield* toStderr(`${red(`${name}:`)} ${oneLine(yield* action)}? It cannot be undone. [y/N] `)
  const answer = yield* Terminal.Terminal.use(({ readLine }) =>
    // Ctrl-D ends the input and leaves the line as it is. It is no.
    Effect.catch(readLine, () => Effect.as(toStderr("\n"), ""))
  )
  if (!/^y(es)?$/i.test(answer.trim())) {
    return yield* new InvalidUsage({ message: "it was not confirmed; nothing was changed" })
  }
})
