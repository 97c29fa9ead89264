import { TranslationMemories } from "@effect-lingua/core/translation-memories/TranslationMemories"
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Config, Effect, Random, Stream } from "effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../support/documents.ts"
import type { Order } from "../support/killable.ts"
import { checkJournal, type Ended, type Kill, killsAt, run, tallyOf, telling, type Way } from "../support/kills.ts"
import { clientOf, resumeJobs } from "../support/resuming.ts"

// KILLS=2000 kills more often at random, KILLS_SEED=word elsewhere.
const settings = Config.all({
  extra: Config.withDefault(Config.Int("KILLS"), 0),
  seed: Config.withDefault(Config.String("KILLS_SEED"), "kills")
})

const fakeLayer = NodeFakeLanguageService.layer({ readyAfter: "20 millis" })

const timeout = 3_600_000

const concurrently = { concurrency: 3, discard: true } as const

const times = (count: number) => Array.from({ length: count }, (_, index) => index)

const segments = times(1500).map((index) => ({ source: `Screw ${index}`, targets: { de: `Schraube ${index}` } }))

const tmx = `<tmx version="1.4"><header srclang="en"/><body>
${
  segments.map(({ source, targets: { de } }) =>
    `<tu><tuv xml:lang="en"><seg>${source}</seg></tuv><tuv xml:lang="de"><seg>${de}</seg></tuv></tu>`
  ).join("\n")
}
</body></tmx>
`

/** What stands in the file that is replaced. */
const old = "old"

/** How far an import or export was, in the order of its way, and the step that ends each phase. */
const imports = [
  ["before start", /send POST \S+import$/],
  ["starting", /rename entry Import with a job/],
  ["started", /send PUT/],
  ["sending", /rename entry Import sent/],
  ["waiting", /rm entry/]
] as const
const exports = [
  ["before start", /send POST \S+export$/],
  ["starting", /rename entry Export with a job/],
  ["waiting", /rename entry Export with a file/],
  ["downloading", /fsync part/],
  ["received", /rename entry Export received/],
  ["renaming", /(link|rename) target/]
] as const

const randomKill = Effect.fnUntraced(function*(most: number) {
  const kill: Kill = {
    step: yield* Random.nextIntBetween(1, most),
    when: (yield* Random.nextBoolean) ? "before" : "after"
  }
  return kill
})

const memoriesOf = (order: Order) =>
  TranslationMemories.use((memories) => Stream.runCollect(memories.listAll())).pipe(
    Effect.provide(clientOf(order)),
    Effect.orDie
  )

/** Folders of its own, with a file to import. */
const prepareImport = Effect.fnUntraced(function*(name: string) {
  const { url } = yield* FakeLanguageService
  const root = yield* folder
  const files = join(root, "files")
  mkdirSync(files)
  const source = join(files, `${name}.tmx`)
  writeFileSync(source, tmx)
  const order: Order = {
    url,
    journal: join(root, "journal"),
    trace: join(root, "trace"),
    kill: undefined,
    source,
    target: join(files, "memory.tmx"),
    overwrite: false,
    rescueFolder: undefined,
    document: undefined,
    work: "import"
  }
  return { name, files, order }
})

/** A memory of its own, and folders for it. */
const prepareExport = Effect.fnUntraced(function*(name: string, overwrite: boolean) {
  const prepared = yield* prepareImport(name)
  const translationMemoryId = yield* (yield* FakeLanguageService).addTranslationMemory({
    name,
    sourceLanguage: "en",
    targetLanguages: ["de"],
    segments
  })
  if (overwrite) writeFileSync(prepared.order.target, old)
  const order: Order = { ...prepared.order, translationMemoryId, overwrite, work: "export" }
  return { ...prepared, order }
})

type Prepared = Effect.Success<ReturnType<typeof prepareImport>>

/** Goes on with what kills left of an import. It is one memory then, or none where nothing had been sent. */
const finishImport = Effect.fnUntraced(function*({ name, order }: Prepared, killed: ReadonlyArray<Ended>) {
  assert.deepStrictEqual(yield* Effect.provide(resumeJobs, clientOf(order)), [])
  yield* checkJournal(order, killed.length > 0)
  const made = (yield* memoriesOf(order)).filter((memory) => memory.name === `${name}.tmx`)
  assert.isAtMost(made.length, 1, "imported twice")
  const [memory] = made
  if (memory !== undefined) {
    assert.strictEqual(memory.segmentCount, segments.length)
    return "done"
  }
  for (const { steps } of killed) assert.isFalse(steps.some((step) => imports[0][1].test(step)), "forgotten")
  return "not begun"
})

/** The file with the final name, which is there as a whole or as it was. */
const checkTarget = ({ overwrite, target }: Order) => {
  const content = existsSync(target) ? readFileSync(target, "utf8") : undefined
  if (content?.endsWith("</tmx>\n") === true && content.split("<tu>").length === segments.length + 1) return "complete"
  assert.strictEqual(content, overwrite ? old : undefined, "half a file under the final name")
  return "as before"
}

/** Goes on with what kills left of an export. The file is complete then, or as it was where nothing had been sent. */
const finishExport = Effect.fnUntraced(function*({ files, order }: Prepared, killed: ReadonlyArray<Ended>) {
  checkTarget(order)
  assert.deepStrictEqual(yield* Effect.provide(resumeJobs, clientOf(order)), [])
  yield* checkJournal(order, killed.length > 0)
  assert.deepStrictEqual(readdirSync(files).filter((name) => name.endsWith(".part")), [], "left in the folder")
  if (checkTarget(order) === "complete") return "done"
  for (const { steps } of killed) assert.isFalse(steps.some((step) => exports[0][1].test(step)), "forgotten")
  return "not begun"
})

const endings = ["done", "not begun"] as const

/** Kills one kind of work, and goes on with it. */
const suite = <Phase extends string>(
  what: string,
  way: Way<Phase>,
  prepare: (name: string, overwrite: boolean) => ReturnType<typeof prepareExport>,
  finish: typeof finishExport
) => {
  /** The steps of one that nobody kills. */
  const stepsOf = Effect.fnUntraced(function*(overwrite: boolean) {
    const prepared = yield* prepare(`whole-${overwrite}`, overwrite)
    const ended = yield* run(prepared.order)
    assert.deepInclude(ended, { killed: false, said: "" })
    assert.strictEqual(yield* finish(prepared, []), "done")
    return ended.steps
  }, Effect.scoped)

  // A kill before a step leaves what one after the step before it leaves.
  it.live("after each of its steps, and in the middle of each write", () =>
    Effect.gen(function*() {
      const steps = yield* stepsOf(false)
      const found = tallyOf(way, endings)
      yield* Effect.forEach(killsAt(steps).filter(({ when }) => when !== "before"), (kill) =>
        Effect.gen(function*() {
          const prepared = yield* prepare(`step-${kill.step}-${kill.when}`, false)
          const ended = yield* run({ ...prepared.order, kill })
          found.add(ended, yield* finish(prepared, [ended]))
        }).pipe(Effect.scoped, telling(`killed ${kill.when} ${steps[kill.step - 1]}`)), concurrently)
      found.print(what)
      for (const phase of found.phases) {
        assert.isAbove(found.count(phase), 0, phase)
        assert.isTrue(found.count(phase, "not begun") === 0 || phase === "before start", `not begun while ${phase}`)
      }
    }).pipe(Effect.scoped, Effect.provide(fakeLayer)), timeout)

  it.live("at random steps, and again while it is gone on with", () =>
    Effect.gen(function*() {
      const { extra, seed } = yield* settings
      const most = (yield* stepsOf(false)).length
      const found = tallyOf(way, endings)
      const cases = yield* Effect.forEach(
        times(5 + extra),
        () => Effect.all([randomKill(most), randomKill(most), randomKill(Math.ceil(most / 2))])
      ).pipe(Random.withSeed(seed))
      yield* Effect.forEach(cases, (kills, index) =>
        Effect.gen(function*() {
          const prepared = yield* prepare(`twice-${index}`, index % 2 === 0)
          const ends: Array<Ended> = []
          for (const kill of kills.slice(0, 2 + index % 2)) {
            const order: Order = ends.length === 0 ? prepared.order : { ...prepared.order, work: "resume jobs" }
            ends.push(yield* run({ ...order, kill }))
          }
          const ending = yield* finish(prepared, ends)
          for (const ended of ends) found.add(ended, ending)
        }).pipe(Effect.scoped, telling(JSON.stringify(kills))), concurrently)
      found.print(`${what}, one kill after the other, with the seed ${seed}`)
    }).pipe(Effect.scoped, Effect.provide(fakeLayer)), timeout)

  it.live("at random times", () =>
    Effect.gen(function*() {
      const { extra, seed } = yield* settings
      const found = tallyOf(way, endings)
      const cases = yield* Effect.forEach(times(5 + extra), () => Random.nextIntBetween(0, 900)).pipe(
        Random.withSeed(seed)
      )
      yield* Effect.forEach(cases, (killAfter, index) =>
        Effect.gen(function*() {
          const prepared = yield* prepare(`time-${index}`, index % 2 === 0)
          const ended = yield* run(prepared.order, killAfter)
          found.add(ended, yield* finish(prepared, [ended]))
        }).pipe(Effect.scoped, telling(`killed after ${killAfter} ms`)), concurrently)
      found.print(`${what}, at random times`)
    }).pipe(Effect.scoped, Effect.provide(fakeLayer)), timeout)
}

describe("an import that is killed and gone on with is made once, or was not begun", () => {
  suite("Imports", imports, prepareImport, finishImport)
})

describe("an export that is killed and gone on with is complete, or was not begun", () => {
  suite("Exports", exports, prepareExport, finishExport)
})

describe("an export over a file that is there, when the program is killed", () => {
  it.live(
    "at each step from the first byte on, is complete, or the file is as it was until it is gone on with",
    () =>
      Effect.gen(function*() {
        const whole = yield* prepareExport("whole", true)
        const { steps } = yield* run(whole.order)
        assert.strictEqual(yield* finishExport(whole, []), "done")
        const first = steps.findIndex((step) => step.endsWith("write part"))
        const found = tallyOf(exports, endings)
        yield* Effect.forEach(killsAt(steps).filter(({ step, when }) => step > first && when === "before"), (kill) =>
          Effect.gen(function*() {
            const prepared = yield* prepareExport(`old-${kill.step}`, true)
            const ended = yield* run({ ...prepared.order, kill })
            found.add(ended, yield* finishExport(prepared, [ended]))
          }).pipe(Effect.scoped, telling(`killed before ${steps[kill.step - 1]}`)), concurrently)
        found.print("Exports over a file that is there")
        assert.isAbove(found.count("renaming", "done"), 0)
        assert.isAbove(found.count("removing", "done"), 0)
      }).pipe(Effect.scoped, Effect.provide(fakeLayer)),
    timeout
  )
})
