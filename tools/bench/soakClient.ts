/**
 * A process that makes calls of all kinds for a long time, compares each result with the expected result, and reports its resources. Needs
 * `--expose-gc`. Argument: `SoakOrder`, as JSON.
 */
import { Documents } from "@effect-lingua/core/documents/Documents"
import { Languages } from "@effect-lingua/core/languages/Languages"
import { StyleRules } from "@effect-lingua/core/style-rules/StyleRules"
import { Detection } from "@effect-lingua/core/texts/Detection"
import { Translation } from "@effect-lingua/core/texts/Translation"
import { Writing } from "@effect-lingua/core/texts/Writing"
import { NodeDocuments } from "@effect-lingua/node/files/NodeDocuments"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Cause, DateTime, Duration, Effect, Exit, FileSystem, Layer, Random, Redacted, Stream } from "effect"
import { hasProperty, isString } from "effect/Predicate"
import { randomUUID } from "node:crypto"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { onMessage, sendToParent, type SoakCounts, type SoakOrder, type SoakSample } from "./protocol.ts"

const order: SoakOrder = JSON.parse(process.argv[2] ?? "{}")

const services = (baseUrl: string, name: string) =>
  Layer.merge(
    NodeLanguageService.layer({
      key: Redacted.make("fake-key"),
      baseUrl,
      journal: { folder: join(order.folder, `journal-${name}`) },
      resilience: {
        backoffBase: Duration.millis(50),
        throttleBase: Duration.millis(50),
        attemptTimeout: Duration.seconds(1),
        documentTimeout: Duration.seconds(3),
        bodyIdleTimeout: Duration.seconds(1),
        pollBase: Duration.millis(100),
        jobDeadline: Duration.seconds(20)
      }
    }),
    NodeFileSystem.layer
  )

type Services = Layer.Success<ReturnType<typeof services>>

const texts = Array.from({ length: 300 }, (_, index) => `All is well that ends well, number ${index}.`)
const few = texts.slice(0, 5)
const documentText = "All is well that ends well.\n".repeat(4000)

const translateFile = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const documents = yield* NodeDocuments
  const target = join(order.folder, randomUUID())
  const { path } = yield* documents.translate({ source: order.source, target, targetLanguage: "de" })
  const text = yield* Effect.orDie(fs.readFileString(path))
  yield* Effect.orDie(fs.remove(path))
  return text
})

/** Age of a journal entry that no running call of this process can still use. */
const stale = Duration.seconds(30)

/** Resumes a document of the journal, or forgets the document if resuming fails, so that the journal does not grow. */
const resume = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const documents = yield* Documents
  const files = yield* NodeDocuments
  const before = DateTime.subtractDuration(yield* DateTime.now, stale)
  const left = (yield* documents.pending).filter(({ startedAt }) => DateTime.isLessThan(startedAt, before))
  const entry = left[yield* Random.nextIntBetween(0, left.length)]
  if (entry === undefined) return "done"
  const id = entry._tag === "Uploading" ? entry.uploadId : entry.documentId
  const { path } = yield* files.resume({ entryId: id, target: join(order.folder, randomUUID()) }).pipe(
    Effect.tapError((error) => error._tag === "Busy" ? Effect.void : Effect.ignore(documents.forget({ entryId: id })))
  )
  yield* Effect.orDie(fs.remove(path))
  return "done"
})

const keepList = Effect.gen(function*() {
  const rules = yield* StyleRules
  const { styleId } = yield* rules.create({ name: "soak", language: "de" })
  const { name } = yield* Effect.ensuring(rules.get({ styleId }), Effect.ignore(rules.remove({ styleId })))
  return name
})

/** The outcome of a call: the result, the error's tag, or an unexpected failure. */
type Outcome =
  | { readonly tag: "result"; readonly json: string }
  | { readonly tag: "error"; readonly error: string }
  | { readonly tag: "defect"; readonly text: string }

const outcomeOf = <A, E>(exit: Exit.Exit<A, E>): Outcome => {
  if (Exit.isSuccess(exit)) return { tag: "result", json: JSON.stringify(exit.value) }
  const error = exit.cause.reasons.find(Cause.isFailReason)?.error
  return hasProperty(error, "_tag") && isString(error._tag) && hasProperty(error, "attempts")
    ? { tag: "error", error: error._tag }
    : { tag: "defect", text: Cause.pretty(exit.cause) }
}

interface Kind {
  readonly name: string
  readonly call: Effect.Effect<Outcome, never, Services>
}

const kind = <A, E>(name: string, effect: Effect.Effect<A, E, Services>): Kind => ({
  name,
  call: Effect.map(Effect.exit(effect), outcomeOf)
})

const kinds = Effect.gen(function*() {
  const detection = yield* Detection
  const documents = yield* Documents
  const languages = yield* Languages
  const translation = yield* Translation
  const writing = yield* Writing
  const targetLanguage = "de"
  const content = new TextEncoder().encode(documentText)
  return [
    kind("translate", translation.translate({ text: few, targetLanguage })),
    kind("translateAll", Stream.runCollect(translation.translateAll(texts, { targetLanguage }))),
    kind("detect one", Effect.forEach(few, (text) => detection.detect(text), { concurrency: "unbounded" })),
    kind("detect", detection.detect({ text: few })),
    kind("detectAll", Stream.runCollect(detection.detectAll(texts))),
    kind("rephrase", writing.rephrase({ text: few })),
    kind("correct", writing.correct({ text: few })),
    kind("correctAll", Stream.runCollect(writing.correctAll(texts.slice(0, 100)))),
    kind("languages", Stream.runCollect(languages.list({ resource: "translate_text" }))),
    kind("style rules", keepList),
    kind(
      "document in memory",
      Effect.flatMap(
        documents.translate({ fileName: "a.txt", content, targetLanguage }),
        ({ stream }) => Stream.mkString(Stream.decodeText(stream))
      )
    ),
    kind("document from file to file", translateFile),
    kind("resume", resume)
  ]
})

/** The results of a service without faults. */
const expectedResults = Effect.gen(function*() {
  const right = new Map<string, string>()
  for (const { call, name } of yield* kinds) {
    const outcome = yield* call
    if (outcome.tag !== "result") return yield* Effect.die(new Error(`${name}: ${JSON.stringify(outcome)}`))
    right.set(name, outcome.json)
  }
  return right
}).pipe(Effect.provide(services(order.calmUrl, "calm")))

const counts: { -readonly [Key in keyof SoakCounts]: SoakCounts[Key] } = {
  results: 0,
  abandoned: 0,
  errors: {},
  wrong: []
}

const count = (name: string, right: string | undefined, outcome: Outcome | undefined): void => {
  if (outcome === undefined) counts.abandoned++
  else if (outcome.tag === "error") {
    counts.errors = { ...counts.errors, [outcome.error]: (counts.errors[outcome.error] ?? 0) + 1 }
  } else if (outcome.tag === "result" && outcome.json === right) counts.results++
  else if (counts.wrong.length < 10) {
    counts.wrong = counts.wrong.concat(
      `${name}: ${outcome.tag === "defect" ? outcome.text : outcome.json}`.slice(0, 2000)
    )
  }
}

/** Makes consecutive calls of all kinds, and interrupts one call in ten within 50 ms. */
const worker = Effect.fnUntraced(function*(number: number, right: ReadonlyMap<string, string>) {
  const all = yield* kinds
  for (let turn = number;; turn++) {
    const kind = all[turn % all.length]
    if (kind === undefined) continue
    const isAbandoned = (yield* Random.nextBetween(0, 1)) < 0.1
    const outcome = isAbandoned
      ? yield* Effect.timeoutOrElse(kind.call, {
        duration: yield* Random.nextBetween(0, 50),
        orElse: () => Effect.undefined
      })
      : yield* kind.call
    count(kind.name, right.get(kind.name), outcome)
  }
})

/** Measures the process's resources after a garbage collection. */
const sample = (): SoakSample => {
  globalThis.gc?.()
  const { external, heapUsed, rss } = process.memoryUsage()
  const resources = process.getActiveResourcesInfo()
  return {
    heapUsed,
    external,
    rss,
    descriptors: readdirSync("/proc/self/fd").length - 1,
    timers: resources.filter((name) => name === "Timeout").length,
    resources: resources.length
  }
}

const program = Effect.gen(function*() {
  const right = yield* expectedResults
  yield* Effect.sync(() => sendToParent({ tag: "ready" }))
  yield* Effect.forEach(Array.from({ length: order.workers }, (_, number) => worker(number, right)), (run) => run, {
    concurrency: "unbounded"
  }).pipe(Effect.provide(services(order.url, "rough")))
})

onMessage((message) => {
  if (message.tag === "sample") sendToParent({ tag: "sampled", sample: sample(), counts })
})

Effect.runFork(program)
