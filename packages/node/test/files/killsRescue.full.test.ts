import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { has } from "../../../../test/support/has.ts"
import { isFull, sampled, scaled } from "../../../../test/support/scale.ts"
import { finish, killsAfter, prepare, run, tally, upload } from "../support/kills.ts"
import { clientOf, resumeAll } from "../support/resuming.ts"
import { withSmallDisk } from "../support/smallDisk.ts"
import { telling } from "../support/telling.ts"

const fakeLayer = NodeFakeLanguageService.layer()

const timeout = 600_000

const concurrently = { concurrency: 3, discard: true } as const

/** A document that is to go over a file on a disk, which has no room for all of it until there is `room`. */
const crowded = Effect.fnUntraced(function*(name: string, disk: string) {
  const filler = join(disk, "filler")
  writeFileSync(filler, "x".repeat(9 * 4096))
  const prepared = yield* prepare(name, { folderOf: disk, lines: 2000, overwrite: true })
  const uploaded = yield* upload(prepared)
  const { order } = uploaded
  const working: typeof uploaded = { ...uploaded, order: { ...order, work: "download" } }
  return { prepared: working, room: () => rmSync(filler) }
})

/** The same, with both parts of it received, and room for it. */
const inParts = Effect.fnUntraced(function*(name: string, disk: string) {
  const { prepared, room } = yield* crowded(name, disk)
  const [failure] = yield* Effect.provide(
    resumeAll({ rescueFolder: prepared.order.rescueFolder }, 1),
    clientOf(prepared.order)
  )
  assert(failure?._tag === "SaveFailed", String(failure))
  assert.deepInclude<object>(failure, { complete: true })
  assert.strictEqual(failure.parts.length, 2)
  room()
  const resuming: typeof prepared = { ...prepared, order: { ...prepared.order, work: "resume" } }
  return resuming
})

/** The same, and the document is to go to another folder. */
const elsewhere = Effect.fnUntraced(function*(name: string, disk: string) {
  const prepared = yield* inParts(name, disk)
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
  it.live(
    "while it is downloaded and its rest is rescued, is saved or lost at a byte",
    () =>
      withSmallDisk((disk) =>
        Effect.gen(function*() {
          const { prepared } = yield* crowded("whole", disk)
          const { said, steps } = yield* run(prepared.order)
          assert.include(said, "SaveFailed")
          assert.strictEqual(steps.filter((step) => step.endsWith("open rescue")).length, 1)
          const first = steps.findIndex((step) => step.endsWith("open part"))
          const found = tally()
          yield* Effect.forEach(sampled(killsAfter(steps).filter(({ step }) => step > first), 5), (kill) =>
            withSmallDisk((disk) =>
              Effect.gen(function*() {
                const { prepared, room } = yield* crowded(`rescued-${kill.step}-${kill.when}`, disk)
                const ended = yield* run({ ...prepared.order, kill })
                room()
                found.add(ended, yield* finish(prepared, [ended]))
              })
            ).pipe(telling(`killed ${kill.when} ${steps[kill.step - 1]}`)), concurrently)
          found.print("Rescued documents")
          assert.strictEqual(found.count("received", "lost"), 0)
          // The steps of two runs differ: a sample of kills can miss an end.
          if (!isFull) return
          assert.isAbove(found.count("downloading", "lost"), 0)
          assert.isAbove(found.count("downloading", "saved"), 0)
          assert.isAbove(found.count("received"), 0)
        })
      ).pipe(Effect.provide(fakeLayer)),
    timeout
  )

  it.live.each(sampled([["in another folder", elsewhere], ["in the folder of the first", inParts]] as const, 1))(
    "while its parts are put together %s, is saved",
    ([, make]) =>
      withSmallDisk((disk) =>
        Effect.gen(function*() {
          const whole = yield* make("whole", disk)
          const { said, steps } = yield* run(whole.order)
          assert.strictEqual(said, "")
          assert.strictEqual(yield* finish(whole, []), "saved")
          const found = tally()
          yield* Effect.forEach(sampled(killsAfter(steps), 2), (kill) =>
            withSmallDisk((disk) =>
              Effect.gen(function*() {
                const prepared = yield* make(`parts-${kill.step}-${kill.when}`, disk)
                const ended = yield* run({ ...prepared.order, kill })
                const ending = yield* finish(prepared, [ended])
                assert.strictEqual(ending, "saved")
                found.add(ended, ending)
              })
            ).pipe(telling(`killed ${kill.when} ${steps[kill.step - 1]}`)), concurrently)
          found.print("Parts that are put together")
          assert.isAtLeast(found.kills(), scaled(2, 8))
        })
      ).pipe(Effect.provide(fakeLayer)),
    timeout
  )
})
