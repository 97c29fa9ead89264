/** A real terminal: tmux on a socket of its own, driven by keys and read as a screen. */
import { Effect } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../../packages/node/test/support/documents.ts"
import { withoutCache } from "./cli.ts"
import { bin } from "./cliProcess.ts"

/** How a terminal is. */
export interface Options {
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  readonly cwd?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
}

const prompt = "ready> "

/** A terminal with a shell in it, in which `effect-lingua` is the command. It is gone with the scope. */
export const terminal = Effect.fnUntraced(function*({ columns = 100, cwd, env = {}, rows = 30 }: Options = {}) {
  const home = yield* folder
  const socket = join(home, "socket")
  const tmux = (...args: ReadonlyArray<string>): string =>
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...args], { encoding: "utf8" })
  const shim = join(home, "effect-lingua")
  writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, { mode: 0o755 })
  const variables = { PATH: `${home}:/usr/bin:/bin`, HOME: home, PS1: prompt, LANG: "C.UTF-8", ...withoutCache, ...env }
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      tmux(
        ...`new-session -d -x ${columns} -y ${rows} -c ${cwd ?? home} env -i TERM=screen-256color`.split(" "),
        ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
        "sh"
      )
    ),
    () => Effect.sync(() => spawnSync("tmux", ["-S", socket, "kill-server"]))
  )

  tmux("pipe-pane", `cat > ${join(home, "written")}`)

  const keys = (...names: ReadonlyArray<string>) => Effect.sync(() => tmux("send-keys", ...names))
  const type = (text: string) => Effect.andThen(Effect.sync(() => tmux("send-keys", "-l", text)), keys("Enter"))

  /** The screen as it is, without the spaces at the ends of lines. */
  const screen = Effect.sync(() =>
    tmux("capture-pane", "-p").split("\n").map((line) => line.trimEnd()).join("\n").trimEnd()
  )
  /** The screen with its colours. */
  const coloured = Effect.sync(() => tmux("capture-pane", "-p", "-e"))

  /** Waits until the screen is as expected, and gives it. */
  const until = (isSo: (screen: string) => boolean): Effect.Effect<string> =>
    screen.pipe(
      Effect.delay("50 millis"),
      Effect.repeat({ until: isSo }),
      Effect.timeoutOrElse({
        duration: "60 seconds",
        orElse: () => Effect.flatMap(screen, (last) => Effect.die(new Error(`the screen stayed so:\n${last}`)))
      })
    )

  const shows = (text: string | RegExp) =>
    until((screen) => typeof text === "string" ? screen.includes(text) : text.test(screen))

  yield* shows(prompt.trim())

  return {
    keys,
    type,
    screen,
    coloured,
    /** All that was written to the terminal until now, for what is on the screen for a moment only. */
    written: Effect.sync(() => readFileSync(join(home, "written"), "utf8")),
    until,
    shows,
    /** Whether the cursor is to be seen. */
    hasCursor: Effect.sync(() => tmux("display-message", "-p", "#{cursor_flag}").trim() === "1"),
    /** Types a command, and gives the screen when the shell asks for the next, with the exit code of this. */
    run: Effect.fnUntraced(function*(command: string) {
      yield* type(`clear; ${command}; echo "code $?"`)
      const shown = yield* until((screen) => /^code \d+\nready>$/m.test(screen))
      return {
        code: Number(/^code (\d+)\nready>$/m.exec(shown)?.[1]),
        // The line of the command may still be there when it is looked at.
        lines: shown.replace(/\n?code \d+\nready>$/, "").split("\n").filter((line) => !line.startsWith(prompt))
      }
    })
  }
})
