// Completions in real shells, by pressing Tab.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../../packages/node/test/support/documents.ts"
import { has } from "../../../../test/support/has.ts"
import { asProcess } from "../support/cliProcess.ts"
import { terminal } from "../support/tmux.ts"

const shells = { bash: "bash --norc --noprofile", zsh: "zsh -f", fish: "fish --no-config" }

const preparations = {
  bash: "source ./script",
  zsh: "autoload -U compinit; compinit -u -D; source ./script",
  fish: "function fish_greeting; end; function fish_prompt; echo 'ready> '; end; source ./script"
}

describe.skipIf(!has("a terminal"))("completions", { concurrent: true }, () => {
  for (const shell of ["bash", "zsh", "fish"] as const) {
    it.live.skipIf(shell !== "bash" && !has(shell))(
      `complete commands, flags, values and files in ${shell}`,
      () =>
        Effect.gen(function*() {
          const cwd = yield* folder
          writeFileSync(join(cwd, "note.txt"), "")
          const { out } = yield* asProcess(["--completions", shell])
          writeFileSync(join(cwd, "script"), out)
          const { keys, shows, type } = yield* terminal({ cwd, columns: 80 })
          yield* type(shells[shell])
          yield* type(preparations[shell])
          const completed = Effect.fnUntraced(function*(typed: string, line: string) {
            yield* keys("C-l")
            yield* keys("-l", `effect-lingua ${typed}`)
            yield* shows(`effect-lingua ${typed}`)
            yield* keys("Tab")
            const screen = yield* shows(`effect-lingua ${line}`)
            assert.include(screen, `effect-lingua ${line}`)
            yield* keys("C-u")
          })
          yield* completed("docu", "documents")
          yield* completed("documents pending --base", "documents pending --base-url")
          yield* completed("--tier fr", "--tier free")
          yield* completed("--tier=fr", "--tier=free")
          yield* completed("documents translate no", "documents translate note.txt")
        }).pipe(Effect.scoped)
    )
  }
})
