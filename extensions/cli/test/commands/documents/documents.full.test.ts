// The document commands of a shell, and in a folder that cannot be written.
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { readOnlyFolder } from "../../../../../packages/node/test/support/mounts.ts"
import { has } from "../../../../../test/support/has.ts"
import { fakeWith, key, lines } from "../../support/cliFake.ts"
import { folderFor } from "../../support/cliFolder.ts"
import { asProcess, bin, ending, start } from "../../support/cliProcess.ts"

const fake = fakeWith({})

const setup = folderFor("documents", "Good morning")

describe.concurrent("documents translate", () => {
  it.live(
    "names commands with the flags that say which service is meant, as a shell takes them",
    () =>
      Effect.gen(function*() {
        const { script, url } = yield* FakeLanguageService
        const { directory, env, file, journal, unchecked } = yield* setup
        yield* script({ operation: "Documents.download", fault: { status: 456 } })
        const config = file("it's mine.json", JSON.stringify({ keyFile: file("key", key) }))
        chmodSync(join(directory, "key"), 0o600)
        const flags = ["--config", config, "--base-url", url]
        const nothing = { LANGUAGE_SERVICE_KEY: "", LANGUAGE_SERVICE_BASE_URL: "" }
        const { code, err } = yield* unchecked(["translate", "-t", "de", file("letter.txt"), ...flags, "--json"], {
          env: nothing
        })
        assert.strictEqual(code, 6, err)
        const command = String(lines(err).find(({ type }) => type === "next")?.["command"])
        assert.isTrue(command.endsWith(` --config '${directory}/it'\\''s mine.json' --base-url ${url}`), command)
        const pending = yield* unchecked(["pending", ...flags], { env: nothing })
        assert.include(pending.err, command.replace(/ resume \S+/, " resume"))
        const process = yield* start(
          ["sh", "-c", command.replace("effect-lingua", `"$0" "$1"`), globalThis.process.execPath, bin],
          { env: { XDG_STATE_HOME: env.XDG_STATE_HOME }, stdin: "" }
        )
        const resumed = yield* ending(process)
        assert.deepStrictEqual([resumed.code, resumed.out], [0, `${join(directory, "letter.de.txt")}\n`], resumed.err)
        assert.deepStrictEqual(yield* journal.entries(), [])
      }).pipe(Effect.scoped, Effect.provide(fake))
  )

  it.live.skipIf(!has("a read-only folder"))(
    "sends nothing for a folder that is read-only",
    () =>
      Effect.gen(function*() {
        const { requests } = yield* FakeLanguageService
        const { file, run } = yield* setup
        const readOnly = yield* readOnlyFolder
        const { code, err, out } = yield* run(["translate", "-t", "de", file("letter.txt"), "--output-dir", readOnly])
        assert.deepStrictEqual([code, out], [13, ""])
        assert.isTrue(err.startsWith(`effect-lingua: ${readOnly} cannot be written: `), err)
        assert.deepStrictEqual(yield* requests, [])
      }).pipe(Effect.scoped, Effect.provide(fake))
  )
})

it.live("documents pending fails with the reason where nothing names the folder of the journal", () =>
  Effect.gen(function*() {
    const { code, err } = yield* asProcess(["documents", "pending", "--json"], {
      env: { LANGUAGE_SERVICE_KEY: key, LANGUAGE_SERVICE_BASE_URL: "http://127.0.0.1:1" }
    })
    assert.strictEqual(code, 13, err)
    assert.deepInclude(lines(err).at(-1), { type: "error", error: "FileUnusable", exitCode: 13 })
  }))
