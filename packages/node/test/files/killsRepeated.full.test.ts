import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Random } from "effect"
import { isFull, scaled } from "../../../../test/support/scale.ts"
import { journalIn, ownerOf } from "../support/documents.ts"
import {
  concurrently,
  type Ended,
  fakeLayer,
  finish,
  type Kill,
  killEach,
  killsAfter,
  killsIn,
  prepare,
  run,
  settings,
  stepsOf,
  tally,
  timeout,
  upload
} from "../support/kills.ts"
import { labelDefect } from "../support/labelDefect.ts"

const times = (count: number) => Array.from({ length: count }, (_, index) => index)

const randomKill = Effect.fnUntraced(function*(most: number) {
  const kill: Kill = {
    step: yield* Random.nextIntBetween(1, most),
    when: (yield* Random.nextBoolean) ? "before" : "after"
  }
  return kill
})

describe("a translation that is killed more than once is saved, or lost at a byte, or was not begun", () => {
  it.live("at each step of its second upload, after the first was killed", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const begun = Effect.fnUntraced(function*(name: string) {
        const prepared = yield* prepare(name)
        const { journal, source, target } = prepared.order
        yield* journalIn(journal).put({
          _tag: "Uploading",
          uploadId: `upload-${name}`,
          ...ownerOf(fake.url, "fake-key"),
          startedAt: yield* DateTime.now,
          fileName: `${name}.txt`,
          fields: { targetLanguage: "de" },
          source,
          target: { path: target, overwrite: false }
        })
        const resuming: typeof prepared = { ...prepared, order: { ...prepared.order, work: "resume" } }
        return resuming
      })
      const { steps } = yield* Effect.scoped(Effect.flatMap(begun("again"), ({ order }) => run(order)))
      const uploaded = steps.findIndex((step) => step.endsWith("send POST /v2/document/id"))
      const found = yield* killEach(steps, killsIn(steps, killsAfter(steps.slice(0, uploaded)), 1), begun)
      assert.strictEqual(found.count("uploading", "saved"), found.count("uploading"))
      // The steps of two runs differ: a sample of kills can miss a phase.
      if (isFull) assert.isAbove(found.count("uploaded", "saved"), 0)
    }).pipe(Effect.scoped, Effect.provide(fakeLayer)), timeout)

  it.live("at random steps, and again while it is gone on with", () =>
    Effect.gen(function*() {
      const { extra, seed } = yield* settings
      const most = (yield* stepsOf(false)).length
      const found = tally()
      const cases = yield* Effect.forEach(times(scaled(2, 18) + extra), () =>
        Effect.all([randomKill(most), randomKill(most), randomKill(Math.ceil(most / 2))])).pipe(Random.withSeed(seed))
      yield* Effect.forEach(cases, (kills, index) =>
        Effect.gen(function*() {
          const prepared = yield* prepare(`twice-${index}`, { overwrite: index % 2 === 0 })
          const ends: Array<Ended> = []
          for (const kill of kills.slice(0, 2 + index % 2)) {
            ends.push(yield* run({ ...prepared.order, work: ends.length === 0 ? "translate" : "resume", kill }))
          }
          const ending = yield* finish(prepared, ends)
          for (const ended of ends) {
            found.add(ended, ending)
          }
        }).pipe(Effect.scoped, labelDefect(JSON.stringify(kills))), concurrently)
    }).pipe(Effect.scoped, Effect.provide(fakeLayer)), timeout)
})

describe("two programs at one document, of which one is killed", () => {
  it.live(
    "ask for it once at most, and nothing is lost but what the killed one had taken",
    () =>
      Effect.gen(function*() {
        const fake = yield* FakeLanguageService
        const { extra, seed } = yield* settings
        const found = tally()
        const cases = yield* Effect.forEach(
          times(scaled(3, 14) + extra),
          () => Effect.all([randomKill(40), Random.nextIntBetween(0, 60)])
        ).pipe(Random.withSeed(seed))
        yield* Effect.forEach(cases, ([kill, later], index) =>
          Effect.gen(function*() {
            const prepared = yield* Effect.flatMap(prepare(`two-${index}`), upload)
            const order = { ...prepared.order, work: "resume" as const }
            const [ended] = yield* Effect.all([
              run({ ...order, kill }),
              Effect.delay(run({ ...order, trace: `${order.trace}-2` }), later)
            ], { concurrency: 2 })
            const ending = yield* finish(prepared, [ended])
            const asked = (yield* fake.requestsOf("Documents.download"))
              .filter(({ url }) => url.includes(prepared.order.document?.documentId ?? "-"))
            assert.isAtMost(asked.length, 1)
            found.add(ended, ending)
          }).pipe(Effect.scoped, labelDefect(JSON.stringify(kill))), concurrently)
      }).pipe(Effect.scoped, Effect.provide(fakeLayer)),
    timeout
  )
})
