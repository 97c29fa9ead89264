import { Effect } from "effect"
import assert from "node:assert/strict"
import { test } from "node:test"
import { translate } from "../src/fleet.ts"
import { hasPostgres } from "../src/postgres.ts"

void test("every document is translated or reported, although a runner is killed", { skip: !hasPostgres }, async () => {
  const lines = await Effect.runPromise(translate(10))
  assert.equal(lines.length, 10)
  for (const line of lines) assert.match(line, /^translated\/\d\.txt$|is lost: its download had begun/)
})
