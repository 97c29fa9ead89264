import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { has } from "../../../../test/support/has.ts"
import { isFull, sampled, scaled } from "../../../../test/support/scale.ts"
import { fakeLayer, finish, killEach, killsAfter, prepare, run, timeout, upload } from "../support/kills.ts"
import { smallDisk } from "../support/mounts.ts"
import { clientOf, resumeAll } from "../support/resuming.ts"

/** A document that is to go over a file on a disk of its own, which has no room for all of it until `repair`. */
const crowded = Effect.fnUntraced(function*(name: string) {
  const disk = yield* smallDisk
  const filler = join(disk, "filler")
  writeFileSync(filler, "x".repeat(9 * 4096))
  const uploaded = yield* Effect.flatMap(prepare(name, { folderOf: disk, lines: 2000, overwrite: true }), upload)
  const working: typeof uploaded = { ...uploaded, order: { ...uploaded.order, work: "download" } }
  return { ...working, repair: () => rmSync(filler) }
})

/** The same, with both parts of it received, and room for it. */
const inParts = Effect.fnUntraced(function*(name: string) {
  const { repair, ...prepared } = yield* crowded(name)
  const [failure] = yield* Effect.provide(
    resumeAll({ rescueFolder: prepared.order.rescueFolder }, 1),
    clientOf(prepared.order)
  )
  assert(failure?._tag === "SaveFailed", String(failure))
  assert.deepInclude<object>(failure, { complete: true })
  assert.strictEqual(failure.parts.length, 2)
  repair()
  const resuming: typeof prepared = { ...prepared, order: { ...prepared.order, work: "resume" } }
  return resuming
})

/** The same, and the document is to go to another folder. */
const elsewhere = Effect.fnUntraced(function*(name: string) {
  const prepared = yield* inParts(name)
  const { folders, order } = prepared
  const other = join(dirname(order.journal), "elsewhere")
  mkdirSync(other)
  const moving: typeof prepared = {
    ...prepared,
    folders: [other, ...folders],
    order: { ...order, work: "move", target: join(other, "letter.txt"), overwrite: false }
  }
  return moving
})

describe.skipIf(!has("a full disk"))("a document that the disk has no room for, when the program is killed", () => {
  it.live("while it is downloaded and its rest is rescued, is saved or lost at a byte", () =>
    Effect.gen(function*() {
      const { order } = yield* crowded("whole")
      const { said, steps } = yield* run(order)
      assert.include(said, "SaveFailed")
      assert.strictEqual(steps.filter((step) => step.endsWith("open rescue")).length, 1)
      const first = steps.findIndex((step) => step.endsWith("open part"))
      const found = yield* killEach(steps, sampled(killsAfter(steps).filter(({ step }) => step > first), 5), crowded)
      assert.strictEqual(found.count("received", "lost"), 0)
      // The steps of two runs differ: a sample of kills can miss an end.
      if (!isFull) return
      assert.isAbove(found.count("downloading", "lost"), 0)
      assert.isAbove(found.count("downloading", "saved"), 0)
      assert.isAbove(found.count("received"), 0)
    }).pipe(Effect.scoped, Effect.provide(fakeLayer)), timeout)

  it.live.each(sampled([["in another folder", elsewhere], ["in the folder of the first", inParts]] as const, 1))(
    "while its parts are put together %s, is saved",
    ([, make]) =>
      Effect.gen(function*() {
        const whole = yield* make("whole")
        const { said, steps } = yield* run(whole.order)
        assert.strictEqual(said, "")
        assert.strictEqual(yield* finish(whole, []), "saved")
        const found = yield* killEach(steps, sampled(killsAfter(steps), 2), make)
        for (const phase of found.phases) assert.strictEqual(found.count(phase, "saved"), found.count(phase), phase)
        assert.isAtLeast(found.kills(), scaled(2, 8))
      }).pipe(Effect.scoped, Effect.provide(fakeLayer)),
    timeout
  )
})
