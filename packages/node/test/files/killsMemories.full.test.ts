import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isFull, sampled } from "../../../../test/support/scale.ts"
import { folder } from "../support/documents.ts"
import type { Order } from "../support/killable.ts"
import { killsAt, run } from "../support/kills.ts"
import { labelDefect } from "../support/labelDefect.ts"

const fakeLayer = NodeFakeLanguageService.layer({ readyAfter: "20 millis" })

const segments = Array.from(
  { length: 1500 },
  (_, index) => ({ source: `Screw ${index}`, targets: { de: `Schraube ${index}` } })
)

/** The content of a file that is replaced. */
const old = "old"

/** A memory of its own, and folders for it. */
const prepare = Effect.fnUntraced(function*(name: string, overwrite: boolean) {
  const fake = yield* FakeLanguageService
  const root = yield* folder
  const files = join(root, "files")
  mkdirSync(files)
  const translationMemoryId = yield* fake.addTranslationMemory({
    name,
    sourceLanguage: "en",
    targetLanguages: ["de"],
    segments
  })
  const order: Order = {
    url: fake.url,
    journal: join(root, "journal"),
    trace: join(root, "trace"),
    kill: undefined,
    source: "",
    target: join(files, "memory.tmx"),
    overwrite,
    rescueFolder: undefined,
    document: undefined,
    translationMemoryId,
    work: "export"
  }
  if (overwrite) writeFileSync(order.target, old)
  return order
})

/** The file with the final name, which is complete or as it was. */
const checkTarget = ({ overwrite, target }: Order) => {
  const content = existsSync(target) ? readFileSync(target, "utf8") : undefined
  if (content?.endsWith("</tmx>\n") === true && content.split("<tu>").length === segments.length + 1) return "complete"
  assert.strictEqual(content, overwrite ? old : undefined, "half a file under the final name")
  return "as before"
}

describe("an export that is killed", () => {
  it.live.each(sampled([true, false], 1))(
    "after any of its steps leaves a complete file or none of its own, and runs again (a file is there before: %s)",
    (overwrite) =>
      Effect.gen(function*() {
        const whole = yield* prepare("whole", overwrite)
        const { steps } = yield* run(whole)
        assert.strictEqual(checkTarget(whole), "complete")
        const every = killsAt(steps).filter(({ when }) => when !== "before")
        // A kill after the last step leaves the complete file.
        const kills = [...sampled(every.slice(0, -1), 2), ...every.slice(-1)]
        const ends = yield* Effect.forEach(kills, (kill) =>
          Effect.gen(function*() {
            const order = yield* prepare(`step-${kill.step}-${kill.when}`, overwrite)
            yield* run({ ...order, kill })
            const end = checkTarget(order)
            if (end === "as before") yield* run(order)
            assert.strictEqual(checkTarget(order), "complete")
            return end
          }).pipe(Effect.scoped, labelDefect(`killed ${kill.when} ${steps[kill.step - 1]}`)), { concurrency: 3 })
        // The steps of two runs differ: a sample of kills can miss an end.
        if (isFull) assert.deepStrictEqual(new Set(ends), new Set(["complete", "as before"]))
      }).pipe(Effect.scoped, Effect.provide(fakeLayer)),
    3_600_000
  )
})
