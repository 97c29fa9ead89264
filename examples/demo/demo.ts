/**
 * Calls for texts, style rules and a document over real sockets: the Node.js client calls a fake on loopback, which has random faults.
 */
import { Attempt, Detection, Documents, StyleRules, Writing } from "@effect-lingua/core"
import { NodeLanguageService } from "@effect-lingua/node"
import { FakeLanguageService, Fault, NodeFakeLanguageService } from "@effect-lingua/testing"
import { Clock, Console, Data, Duration, Effect, FileSystem, Layer, Path, Redacted, Stream } from "effect"
import { createHash } from "node:crypto"
import { texts } from "./texts.ts"

class Unexpected extends Data.TaggedError("Unexpected")<{ readonly problem: string }> {
  override get message(): string {
    return `the demo failed: ${this.problem}`
  }
}

const expect = (condition: boolean, problem: string): Effect.Effect<void, Unexpected> =>
  condition ? Effect.void : new Unexpected({ problem })

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** An attempt, with the step of the demo and the time from the start to the attempt's end. */
export interface TimedAttempt {
  readonly attempt: Attempt.Attempt
  readonly step: string
  readonly endedAt: Duration.Duration
}

/** Prints the attempts: time since the start, operation, result, and the wait before the attempt with its cause. */
const timeline = Effect.map(Clock.Clock, (clock) => {
  const start = clock.currentTimeMillisUnsafe()
  const attempts: Array<TimedAttempt> = []
  const lines: Array<string> = []
  const record = (step: string) => (attempt: Attempt.Attempt) => {
    const endedAt = Duration.millis(clock.currentTimeMillisUnsafe() - start)
    const seconds = Duration.toSeconds(endedAt).toFixed(2).padStart(6)
    const wait = attempt.waitCause === undefined
      ? ""
      : `  after ${Duration.toMillis(attempt.waited)} ms (${attempt.waitCause})`
    const result = [attempt.status, attempt.failure].filter((part) => part !== undefined).join(" ")
    attempts.push({ attempt, step, endedAt })
    lines.push(
      `${seconds} s  ${attempt.operation.padEnd(32)} #${attempt.number} ${result.padEnd(24)} trace ${
        attempt.traceId ?? "none"
      }${wait}`
    )
  }
  const print = Effect.suspend(() => Effect.forEach(lines.splice(0), (line) => Console.log(line), { discard: true }))
  return { attempts, record, print }
})

const show = (improvements: ReadonlyArray<{ readonly text: string }>): Effect.Effect<void> =>
  Effect.forEach(improvements, ({ text }) => Console.log(`          ${text.slice(0, 90)}…`), { discard: true })

/** Runs the steps with the context's client and fake. Returns the attempts, and fails if a step has an unexpected result. */
export const steps = Effect.gen(function*() {
  const fake = yield* FakeLanguageService
  const detection = yield* Detection
  const writing = yield* Writing
  const styleRules = yield* StyleRules
  const documents = yield* Documents
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { attempts, print, record } = yield* timeline
  const step = <A, E, R>(title: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Console.log(`\n${title}`).pipe(
      Effect.andThen(Effect.provideService(effect, Attempt.Recorder, record(title))),
      Effect.ensuring(print)
    )
  const original = yield* fs.readFile(path.join(import.meta.dirname, "../../docs/openapi.json"))

  // Scripted, because the fake's other faults are random and the demo must show these two refusals.
  yield* fake.script({ operation: "Detection.detect", fault: Fault.rateLimited({ retryAfter: "1 second" }) })
  yield* fake.script({ operation: "Writing.rephrase", fault: Fault.overloaded() })

  const results = yield* step(`Detect the languages of ${texts.length} texts`, detection.detect({ text: texts }))
  for (const [index, result] of results.entries()) {
    const language = result._tag === "Detected" ? result.language : result.reason
    yield* Console.log(`          ${language.padEnd(24)} ${(texts[index] ?? "").slice(0, 60)}…`)
  }

  const english = texts.filter((_, index) => {
    const result = results[index]
    return result?._tag === "Detected" && result.language === "en"
  })
  yield* expect(english.length > 0, "no English text was detected")
  const rephrased = yield* step(
    "Rephrase the English ones",
    writing.rephrase({ text: english, targetLanguage: "en-GB", tone: "friendly" })
  )
  yield* expect(rephrased.length === english.length, "the number of texts has changed")
  yield* show(rephrased)
  const corrected = yield* step(
    "Correct one",
    writing.correct({ text: ["i has recieve teh letter  yesterday"], targetLanguage: "en-US" })
  )
  yield* show(corrected)

  const list = yield* step(
    "Create a style rule list",
    styleRules.create({
      name: "House style",
      language: "en",
      configuredRules: { punctuation: { periods_in_academic_degrees: "do_not_use" } }
    })
  )
  const instruction = yield* step(
    "Add an instruction",
    styleRules.addInstruction({
      styleId: list.styleId,
      label: "Currency",
      prompt: "Put the currency sign before the amount."
    })
  )
  yield* step(
    "Replace it",
    styleRules.replaceInstruction({
      styleId: list.styleId,
      instructionId: instruction.instructionId,
      label: "Currency",
      prompt: "Write currencies as ISO 4217 codes.",
      sourceLanguage: "en"
    })
  )
  yield* step("Rename the list", styleRules.rename({ styleId: list.styleId, name: "House style 2026" }))
  const edited = yield* step("Read it", styleRules.get({ styleId: list.styleId }))
  yield* Console.log(
    `          "${edited.name}", version ${edited.version}, ${edited.customInstructions?.length} instruction`
  )
  yield* expect((edited.version ?? 0) >= 4, `the list has version ${edited.version} after three changes`)

  const document = yield* fake.addDocument({
    content: original,
    contentType: "application/json",
    fileName: "openapi.json",
    readyAfter: "4 seconds"
  })
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "effect-lingua-demo-" })
  const target = path.join(folder, "openapi.json")
  yield* step(
    "Download a document that is not ready",
    Effect.flatMap(documents.download(document), ({ stream }) => Stream.run(stream, fs.sink(target)))
  )
  const polls = attempts.filter(({ attempt }) => attempt.waitCause === "poll").length
  const saved = yield* fs.readFile(target)
  const [before, after] = [sha256(original), sha256(saved)]
  yield* Console.log(
    `          ${saved.length} bytes after ${polls} polls\n          original ${before}\n          saved    ${after}`
  )
  yield* expect(before === after, "the saved file differs from the original")
  yield* expect(
    attempts.some(({ attempt: { failure, operation } }) =>
      operation === "Documents.download" && failure === "DocumentNotReady"
    ),
    "the document was ready at once"
  )
  yield* expect(polls >= 1, `the document was ready after ${polls} polls`)

  const used = (yield* fake.quota()).used
  yield* fake.setQuota({ characters: used })
  const refused = yield* step(
    "Exceed the quota",
    writing.correct({ text: ["One more text."], targetLanguage: "en-GB" }).pipe(
      Effect.as(undefined),
      Effect.catchTag("QuotaExceeded", (error) => Effect.succeed(error))
    )
  )
  yield* expect(refused !== undefined, "the quota did not refuse")
  yield* Console.log(`          caught ${refused?._tag}: ${refused?.message}`)

  const statuses = new Set(attempts.map(({ attempt }) => attempt.status))
  yield* expect(
    statuses.has(429) && statuses.has(529) && statuses.has(503) && statuses.has(456),
    "a status did not occur"
  )
  yield* expect(attempts.some(({ attempt }) => attempt.waitCause === "retry-after"), "no Retry-After was followed")
  yield* Console.log(`\n${attempts.length} attempts, every step succeeded.`)
  return attempts
})

const authScheme = "Service-Auth-Key"

export const fakeOptions: FakeLanguageService.Options = {
  keys: [{ key: "demo-key", tier: "paid", detectionEnabled: true }],
  authSchemes: [authScheme],
  seed: "demo",
  latency: "20 millis",
  weather: { rate429: 0.1, rate529: 0.1, rate503: 0.05, rate500: 0.05, retryAfter: "1 second" }
}

export const resilience = {
  backoffBase: Duration.millis(200),
  throttleBase: Duration.millis(200),
  pollBase: Duration.millis(500)
}

const client = Layer.unwrap(
  Effect.map(FakeLanguageService, (fake) =>
    NodeLanguageService.layer({
      key: Redacted.make("demo-key"),
      baseUrl: fake.url,
      authScheme,
      journal: "memory",
      resilience
    }))
)

/** The demo, which requires only platform services. */
export const demo = Effect.scoped(steps).pipe(
  Effect.provide(Layer.provideMerge(client, NodeFakeLanguageService.layer(fakeOptions)))
)
