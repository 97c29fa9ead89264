import { Languages } from "@effect-lingua/core/languages/Languages"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import * as Wire from "../support/Wire.ts"

it.effect("the user agent has the version of the package", () =>
  Effect.gen(function*() {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
    yield* Languages.use((languages) => languages.resources)
    const [request] = yield* Wire.sent
    assert.strictEqual(request?.headers["user-agent"], `effect-lingua/${version}`)
  }).pipe(Effect.provide(Wire.layer([Wire.answer(200, [])]))))
