/** A folder with files for a command of the command line, with a journal of its own. */
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder, journalIn } from "../../../../packages/node/test/support/documents.ts"
import { type Args, argsOf, inProcess, type Surroundings } from "./cli.ts"
import { key } from "./cliFake.ts"

/** Runs subcommands of a command, whose files have a content unless a test gives another. `run` fails if a secret is printed. */
export const folderFor = Effect.fnUntraced(function*(command: string, usual: string) {
  const directory = yield* folder
  const state = yield* folder
  const { secrets, url } = yield* FakeLanguageService
  const env = { LANGUAGE_SERVICE_KEY: key, LANGUAGE_SERVICE_BASE_URL: url, XDG_STATE_HOME: state }
  const file = (name: string, content = usual) => {
    writeFileSync(join(directory, name), content)
    return join(directory, name)
  }
  const unchecked = (args: Args, surroundings: Surroundings = {}) =>
    inProcess([command, ...argsOf(args)], { ...surroundings, env: { ...env, ...surroundings.env } })
  const run = Effect.fnUntraced(function*(args: Args, surroundings?: Surroundings) {
    const ran = yield* unchecked(args, surroundings)
    for (const secret of yield* secrets) assert.notInclude(ran.out + ran.err, Redacted.value(secret))
    return ran
  })
  const journal = journalIn(join(state, "effect-lingua", "documents"))
  return { directory, env, file, journal, run, unchecked }
})
