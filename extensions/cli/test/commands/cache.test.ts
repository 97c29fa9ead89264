import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../../../../packages/node/test/support/documents.ts"
import { inProcess } from "../support/cli.ts"
import { fake, lines, run } from "../support/cliFake.ts"

describe("the cache", () => {
  it.effect("keeps results between runs, and says what it has", () =>
    Effect.gen(function*() {
      const home = yield* folder
      // Empty is as not set: the default.
      const env = { XDG_CACHE_HOME: home, LANGUAGE_SERVICE_CACHE: "" }
      const translate = (...args: ReadonlyArray<string>) => run(["translate", "-t", "de", ...args, "Hello"], { env })
      const sent = Effect.gen(function*() {
        return (yield* (yield* FakeLanguageService).requests).length
      })
      assert.strictEqual(yield* translate(), yield* translate())
      assert.strictEqual(yield* sent, 1)
      yield* translate("--no-cache")
      assert.strictEqual(yield* sent, 2)
      const path = join(home, "effect-lingua", "results.sqlite")
      const [stats] = lines(yield* run(["cache", "stats", "--json"], { env }))
      assert.deepInclude(stats, { path, entries: 1 })
      assert.match(yield* run(["cache", "stats"], { env }), /^1 result, \d+ KiB in .*results\.sqlite\n$/)
      assert.match(yield* run(["cache", "clear"], { env }), /^removed 1 result, \d+ KiB\n$/)
      assert.isFalse(existsSync(path))
      yield* translate()
      assert.strictEqual(yield* sent, 3)
    }).pipe(Effect.scoped, Effect.provide(fake)))

  it.live("is not used with --fake, and a file that is no cache is named", () =>
    Effect.gen(function*() {
      const home = yield* folder
      const env = { XDG_CACHE_HOME: home, LANGUAGE_SERVICE_CACHE: "true" }
      yield* inProcess(["translate", "--fake", "-t", "de", "Hello"], { env })
      assert.isFalse(existsSync(join(home, "effect-lingua")))
      mkdirSync(join(home, "effect-lingua"))
      writeFileSync(join(home, "effect-lingua", "results.sqlite"), "no database ".repeat(100))
      const { code, err } = yield* inProcess(["cache", "stats"], { env })
      assert.strictEqual(code, 3)
      assert.include(err, "results.sqlite cannot be used: file is not a database. Delete it, or name another file.")
      assert.match(yield* run(["cache", "clear"], { env }), /^removed 0 results, 2 KiB\n$/)
    }).pipe(Effect.scoped, Effect.provide(fake)))
})
