/** Programs that are killed on the way of a document, what they leave, and what goes on from it. */
import { FakeLanguageService } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import { assert } from "@effect/vitest"
import { Config, DateTime, Effect, Redacted } from "effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bundled } from "../../../../test/support/bundled.ts"
import { killed } from "../../../../test/support/killed.ts"
import { start } from "../../../../test/support/processes.ts"
import { sampled } from "../../../../test/support/scale.ts"
import { folder, journalIn, ownerOf } from "./documents.ts"
import type { Order } from "./killable.ts"
import { labelDefect } from "./labelDefect.ts"
import { clientOf, resumeAll } from "./resuming.ts"

const script = await bundled(new URL("killable.ts", import.meta.url))
const { href: stepping } = new URL("stepping.ts", import.meta.url)

/** Runs a process until it ends or kills itself. */
export const run = Effect.fnUntraced(function*(order: Order, program = script) {
  writeFileSync(order.trace, "")
  // The larger young generation of the tests saves a fifth of the processor time of a start.
  const args = [...process.execArgv, "--import", stepping, program, JSON.stringify(order)]
  const { closed, said } = yield* start(process.execPath, args)
  const [code, signal] = yield* Effect.promise(() => closed)
  if (code !== null && code !== 0) return yield* Effect.die(new Error(`the process ended with ${code}: ${said.err}`))
  if (signal === "SIGKILL") killed()
  const steps = readFileSync(order.trace, "utf8").split("\n").slice(0, -1)
  return { killed: signal === "SIGKILL", said: said.out, steps }
}, Effect.scoped)

/** How a process ended, and the steps that took effect in it. */
export type Ended = Effect.Success<ReturnType<typeof run>>

/** How far something was, in the order of its way: each phase, and the step that ends it. */
export type Way<Phase extends string> = ReadonlyArray<readonly [phase: Phase, end: RegExp]>

const ends = [
  ["before upload", /send POST \/v2\/document$/],
  ["uploading", /rename entry Uploaded/],
  ["uploaded", /send POST \/v2\/document\/id$/],
  ["waiting", /rename entry Downloading/],
  ["downloading", /fsync (part|rescue)/],
  ["received", /rename entry Received/],
  ["renaming", /(link|rename) target/]
] as const

/** How far a process came. */
const reachedOn = <Phase extends string>(way: Way<Phase>) => (steps: ReadonlyArray<string>): Phase | "removing" =>
  way[way.findLastIndex(([, end]) => steps.some((step) => end.test(step))) + 1]?.[0] ?? "removing"

const phaseOf = reachedOn(ends)

/** What stands in the file that is replaced. */
const old = "old"

/** A letter to translate, with folders of its own, and the translation that the fake gives. */
export const prepare = Effect.fnUntraced(function*(
  name: string,
  { folderOf, lines = 5000, overwrite = false }: {
    readonly lines?: number
    readonly overwrite?: boolean
    /** The folder that the translation goes to. Default: that of the letter. */
    readonly folderOf?: string
  } = {}
) {
  const fake = yield* FakeLanguageService
  const root = yield* folder
  const letters = join(root, "letters")
  const rescueFolder = join(root, "rescue")
  mkdirSync(letters)
  mkdirSync(rescueFolder)
  const source = join(letters, `${name}.txt`)
  const text = Array.from({ length: lines }, (_, line) => `${line} Good day\n`).join("")
  writeFileSync(source, text)
  const directory = folderOf ?? letters
  const order: Order = {
    url: fake.url,
    journal: join(root, "journal"),
    trace: join(root, "trace"),
    kill: undefined,
    source,
    target: join(directory, `${name}.de.txt`),
    overwrite,
    rescueFolder,
    document: undefined,
    work: "translate"
  }
  if (overwrite) writeFileSync(order.target, old)
  return { name, folders: [directory, rescueFolder], order, expected: text.replace(/^(?=.*\S)/gm, "[de] ") }
})

export type Prepared = Effect.Success<ReturnType<typeof prepare>>

/** The same, but the fake has the translation already, and the journal knows it as `Uploaded`. */
export const upload = Effect.fnUntraced(function*(prepared: Prepared) {
  const { expected, name, order } = prepared
  const fake = yield* FakeLanguageService
  const issued = yield* fake.addDocument({ content: expected, fileName: `${name}.txt`, readyAfter: "0 millis" })
  yield* journalIn(order.journal).put({
    _tag: "Uploaded",
    ...ownerOf(fake.url, "fake-key"),
    startedAt: yield* DateTime.now,
    ...issued,
    target: { path: order.target, overwrite: order.overwrite }
  })
  const document = { documentId: issued.documentId, documentKey: Redacted.value(issued.documentKey) }
  const more: Prepared = { ...prepared, order: { ...order, document } }
  return more
})

/** The file with the final name, which is there as a whole or as it was. */
const checkTarget = ({ expected, order: { overwrite, target } }: Prepared) => {
  const content = existsSync(target) ? readFileSync(target, "utf8") : undefined
  if (content === expected) return "complete"
  assert.strictEqual(content, overwrite ? old : undefined, "half a file under the final name")
  return "as before"
}

/** What a process leaves that is killed while it writes to the journal, or has a lock on an upload that was answered. */
const leftover = /^\.document-.*\.tmp$|^document-upload-.*\.lock$|^document-.*\.lock\.[0-9a-f]{16}$/

/** Nothing is left in the journal; what killed processes left is swept when it is old. */
const checkJournal = Effect.fnUntraced(function*({ journal }: Order, killed: boolean) {
  if (!existsSync(journal)) return
  const left = readdirSync(journal)
  assert.deepStrictEqual(left.filter((name) => !killed || !leftover.test(name)), [], "left in the journal")
  for (const name of left) utimesSync(join(journal, name), 0, 0)
  assert.deepStrictEqual(yield* journalIn(journal).entries(), [])
  assert.deepStrictEqual(readdirSync(journal), [], "not swept")
})

/** Goes on with whatever the kills left, and checks how it ends. */
export const finish = Effect.fnUntraced(function*(prepared: Prepared, killed: ReadonlyArray<Ended>) {
  const fake = yield* FakeLanguageService
  const { expected, folders, name, order } = prepared
  const reached = killed.map(({ steps }) => phaseOf(steps))
  const before = checkTarget(prepared)
  const failures = yield* Effect.provide(
    resumeAll({ rescueFolder: order.rescueFolder, target: order.work === "move" ? order.target : undefined }),
    clientOf(order)
  )
  const documents = (yield* fake.documents).filter(({ fileName }) => fileName === `${name}.txt`)
  const taken = documents.filter((document) => document.taken).length
  const uploading = reached.filter((phase) => phase === "uploading").length
  assert.isAtMost(documents.length, 1 + uploading, "uploaded again unasked")
  assert.isAtMost(taken, 1, "billed twice")
  const after = checkTarget(prepared)
  const parts = folders.flatMap((folder) =>
    readdirSync(folder).filter((name) => name.endsWith(".part")).map((name) => join(folder, name))
  )
  const [failure, ...others] = failures
  if (failure !== undefined) {
    assert.deepStrictEqual(others, [])
    assert(failure._tag === "DownloadInterrupted", failure.message)
    assert.isFalse(failure.available)
    assert.strictEqual(taken, 1, "lost, and the service has it")
    assert.strictEqual(before, "as before")
    assert.strictEqual(after, "as before")
    assert.strictEqual(failure.path, parts[0])
    for (const part of parts) assert.include(failure.message, part)
    const kept = parts.map((part) => readFileSync(part, "utf8")).join("")
    assert.strictEqual(failure.bytesReceived, kept.length)
    assert.isBelow(kept.length, expected.length, "lost, and all of it is here")
    assert.strictEqual(kept, expected.slice(0, kept.length))
    const [entry, ...entries] = yield* journalIn(order.journal).entries()
    assert.deepStrictEqual(entries, [])
    assert.deepInclude<object>(entry ?? {}, { _tag: "Lost", bytesReceived: kept.length })
    return "lost" as const
  }
  assert.deepStrictEqual(parts, [], "left in the folders")
  yield* checkJournal(order, killed.length > 0)
  if (after === "complete") {
    assert.strictEqual(taken, 1)
    return "saved" as const
  }
  assert.strictEqual(documents.length, 0, "forgotten")
  assert.deepStrictEqual(reached.filter((phase) => phase !== "before upload"), [])
  return "not begun" as const
})

type Ending = Effect.Success<ReturnType<typeof finish>>

/** A kill at one of the steps of a process. */
export type Kill = NonNullable<Order["kill"]>

const torn = (text: string, step: number): ReadonlyArray<Kill> => / write /.test(text) ? [{ step, when: "torn" }] : []

/** All kills: before and after each step, and in the middle of each write. */
export const killsAt = (steps: ReadonlyArray<string>) =>
  steps.flatMap((text, index): ReadonlyArray<Kill> => {
    const step = index + 1
    return [{ step, when: "before" }, { step, when: "after" }, ...torn(text, step)]
  })

/** Some kills: all of them, or for a sample so many of each phase. */
export const killsIn = (steps: ReadonlyArray<string>, kills: ReadonlyArray<Kill>, perPhase: number) =>
  Array.from(
    Map.groupBy(kills, ({ step, when }) => phaseOf(steps.slice(0, when === "after" ? step : step - 1))).values()
  )
    .flatMap((kills) => sampled(kills, perPhase))

/** Kills after the steps that another program can see, and in the middle of their writes. */
export const killsAfter = (steps: ReadonlyArray<string>) =>
  steps.flatMap((text, index): ReadonlyArray<Kill> => {
    const step = index + 1
    return / (part|rescue|entry|lock|target)|send|receive/.test(text)
      ? [{ step, when: "after" }, ...torn(text, step)]
      : []
  })

/** How the kills of each phase ended. */
export const tallyOf = <Phase extends string, Ending extends string>(way: Way<Phase>) => {
  const phaseOf = reachedOn(way)
  const phases: ReadonlyArray<Phase | "removing"> = [...way.map(([phase]) => phase), "removing"]
  const seen: Array<readonly [phase: Phase | "removing", ending: Ending]> = []
  const count = (phase: Phase | "removing", ending?: Ending) =>
    seen.filter((one) => one[0] === phase && (ending === undefined || one[1] === ending)).length
  return {
    phases,
    phaseOf,
    add: (ended: Ended, ending: Ending) => {
      if (ended.killed) seen.push([phaseOf(ended.steps), ending])
    },
    kills: () => seen.length,
    count
  }
}

/** How the kills of documents ended. */
export const tally = () => tallyOf<typeof ends[number][0], Ending>(ends)

/** `TESTS=full` kills at every step, `KILLS=2000` more often at random, `KILLS_SEED=word` elsewhere. */
export const settings = Config.all({
  extra: Config.withDefault(Config.Int("KILLS"), 0),
  seed: Config.withDefault(Config.String("KILLS_SEED"), "kills")
})

/** A fake whose documents are ready soon. */
export const fakeLayer = NodeFakeLanguageService.layer({ readyAfter: "20 millis" })

/** Thousands of processes take their time. */
export const timeout = 3_600_000

/** Most of the time of a process is its start. */
export const concurrently = { concurrency: 3, discard: true } as const

/** Kills a process at each of some steps, goes on with what it leaves, and counts how that ends. */
export const killEach = Effect.fnUntraced(function*<E, R>(
  steps: ReadonlyArray<string>,
  kills: ReadonlyArray<Kill>,
  /** Prepares a process. `repair` is called once it is killed. */
  make: (name: string) => Effect.Effect<Prepared & { readonly repair?: () => void }, E, R>
) {
  const found = tally()
  yield* Effect.forEach(kills, (kill) =>
    Effect.gen(function*() {
      const prepared = yield* make(`letter-${kill.step}-${kill.when}`)
      const ended = yield* run({ ...prepared.order, kill })
      prepared.repair?.()
      found.add(ended, yield* finish(prepared, [ended]))
    }).pipe(Effect.scoped, labelDefect(`killed ${kill.when} ${steps[kill.step - 1]}`)), concurrently)
  return found
})

/** The steps of a translation that nobody kills. */
export const stepsOf = Effect.fnUntraced(function*(overwrite: boolean) {
  const prepared = yield* prepare(`whole-${overwrite}`, { overwrite })
  const ended = yield* run(prepared.order)
  assert.deepInclude(ended, { killed: false, said: "" })
  assert.strictEqual(yield* finish(prepared, []), "saved")
  return ended.steps
}, Effect.scoped)
