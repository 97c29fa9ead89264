import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import {
  concurrently,
  type Ended,
  fakeLayer,
  killsAfter,
  prepare,
  type Prepared,
  run as runProcess,
  tallyOf,
  timeout,
  type Way
} from "../../../packages/node/test/support/kills.ts"
import { labelDefect } from "../../../packages/node/test/support/labelDefect.ts"
import { postgresServer } from "../../../packages/node/test/support/postgresServer.ts"
import { bundled } from "../../../test/support/bundled.ts"
import { has } from "../../../test/support/has.ts"
import { isFull, scaled } from "../../../test/support/scale.ts"
import { type Order, translate } from "./support/durable.ts"

const script = await bundled(new URL("support/killableWorkflow.ts", import.meta.url))

const run = (order: Order) => runProcess(order, script)

const way = [
  ["before upload", /send POST \/v2\/document$/],
  ["uploading", /rename entry Uploaded/],
  ["uploaded", /send POST \/v2\/document\/id$/],
  ["waiting", /send POST \/v2\/document\/id\/result$/],
  ["before headers", /rename entry Downloading of known length/],
  ["downloading", /fsync part/],
  ["synced", /(link|rename) target/]
] as const satisfies Way<string>

const databaseIn = (server: string, name: string) =>
  PgClient.PgClient.use((sql) => sql`CREATE DATABASE ${sql(name)}`).pipe(
    Effect.as(server.replace(/\/[^/]*$/, `/${name}`)),
    Effect.provide(PgClient.layer({ url: Redacted.make(server) }))
  )

/** Goes on with what a kill left, and checks how it ends. */
const finish = Effect.fnUntraced(function*({ expected, name, order }: Prepared, { steps }: Ended) {
  const fake = yield* FakeLanguageService
  const result = yield* Effect.result(translate(order))
  const documents = (yield* fake.documents).filter(({ fileName }) => fileName === `${name}.txt`)
  assert.isAtMost(documents.filter(({ taken }) => taken).length, 1, "billed twice")
  const folder = dirname(order.target)
  // A kill while a claim is written leaves its temporary file.
  const parts = readdirSync(folder).filter((name) => name.endsWith(".part") && !name.startsWith(".claim."))
  if (Result.isSuccess(result)) {
    assert.strictEqual(readFileSync(order.target, "utf8"), expected)
    assert.strictEqual(result.success.size, expected.length)
    assert.isAtMost(documents.length, result.success.uploadAttempts, "uploaded unsaid")
    assert.deepStrictEqual(parts, [])
    assert.deepStrictEqual(readdirSync(order.journal).filter((name) => name.endsWith(".json")), [])
    return "saved"
  }
  const error = result.failure
  assert(error._tag === "DocumentLost", error.message)
  assert.isFalse(existsSync(order.target))
  const kept = parts.map((name) => readFileSync(join(folder, name), "utf8")).join("")
  // Without a length, only the mark at the end tells that the part has all bytes.
  const isTold = steps.some((step) => step.endsWith("rename entry Downloading of known length"))
  if (isTold) assert.isBelow(kept.length, expected.length, "lost, and all of it is here")
  assert.strictEqual(kept, expected.slice(0, kept.length))
  assert.strictEqual(error.bytesReceived, kept.length)
  assert.strictEqual(error.part !== undefined, kept.length > 0)
  return kept.length === 0 ? "lost empty" : "lost in part"
})

const sample = [["a file", true], ["PostgreSQL", false]] as const
const kinds = isFull ? [...sample, ["a file", false], ["PostgreSQL", true]] as const : sample

/** So many kills of a phase, from its first to its last. */
const spread = <A>(all: ReadonlyArray<A>) => {
  const most = Math.min(all.length, scaled(1, 3))
  return Array.from({ length: most }, (_, index) => all.slice(Math.floor((index + 0.5) * all.length / most))[0])
    .filter((one) => one !== undefined)
}

describe.concurrent("a workflow that is killed is gone on with, and loses no document whose bytes were all there", () => {
  it.live.each(kinds.filter(([database]) => database === "a file" || (has("PostgreSQL") && has("runuser"))))(
    "on %s (with a length: %s)",
    ([database, hasLength]) =>
      Effect.gen(function*() {
        const server = database === "a file" ? undefined : yield* postgresServer()
        /** A letter with a database of its own. */
        const prepared = Effect.fnUntraced(function*(name: string) {
          const letter = yield* prepare(name)
          const more = server === undefined ? undefined : { database: yield* databaseIn(server, name) }
          return { ...letter, order: { ...letter.order, ...more, hasLength } }
        })
        const found = tallyOf<(typeof way)[number][0], Effect.Success<ReturnType<typeof finish>>>(way)
        const whole = yield* prepared("whole")
        const ended = yield* run(whole.order)
        assert.strictEqual(yield* finish(whole, ended), "saved")
        const { steps } = ended
        const kills = Map.groupBy(killsAfter(steps), ({ step }) => found.phaseOf(steps.slice(0, step)))
        yield* Effect.forEach([...kills.values()].flatMap(spread), (kill) =>
          Effect.gen(function*() {
            const killed = yield* prepared(`letter-${kill.step}-${kill.when}`)
            const ended = yield* run({ ...killed.order, kill })
            found.add(ended, yield* finish(killed, ended))
          }).pipe(Effect.scoped, labelDefect(`killed ${kill.when} ${steps[kill.step - 1]}`)), concurrently)
        // The steps of two runs differ with the chunks and messages that come from the database.
        if (isFull) assert.isAtLeast(found.phases.filter((phase) => found.count(phase) > 0).length, 3)
        for (const phase of found.phases) {
          const isSaved = found.count(phase, "saved") === found.count(phase)
          assert.isTrue(isSaved || ["waiting", "before headers", "downloading"].includes(phase), `lost while ${phase}`)
        }
      }).pipe(Effect.scoped, Effect.provide(fakeLayer)),
    timeout
  )
})

describe("a workflow whose id, key and journal are those of another that was killed while its document was translated", () => {
  it.live("translates its own content, with a folder and a database of its own", () =>
    Effect.gen(function*() {
      const { order: whole } = yield* prepare("letter")
      const { steps } = yield* run(whole)
      const { order } = yield* prepare("letter")
      const step = steps.findIndex((step) => step.endsWith("send POST /v2/document/id")) + 1
      yield* run({ ...order, kill: { step, when: "after" } })
      const other = yield* prepare("letter", { lines: 10 })
      yield* translate({ ...other.order, journal: order.journal })
      assert.strictEqual(readFileSync(other.order.target, "utf8"), other.expected)
    }).pipe(Effect.scoped, Effect.provide(fakeLayer)), timeout)
})
