import { Documents } from "@effect-lingua/core/documents/Documents"
import { Busy } from "@effect-lingua/core/errors/CallError"
import { FakeLanguageService, Fault, Script } from "@effect-lingua/testing"
import { DocumentStore, DocumentWorkflow } from "@effect-lingua/workflow"
import { assert, describe, it } from "@effect/vitest"
import { Clock, type Context, Duration, Effect, Fiber, Layer, Option, Result, Schedule, Stream } from "effect"
import { Persistence } from "effect/persistence"
import { TestClock } from "effect/testing"
import { WorkflowEngine } from "effect/workflow"
import { isFull, scaled } from "../../../test/support/scale.ts"
import { effect, effectWith } from "../../../test/support/tests.ts"
import { digests, turns } from "../../../test/support/virtual.ts"

const letters = { "letter.txt": "Guten Tag", "in/other.txt": "Gute Nacht" }

const engineWith = (options: DocumentWorkflow.Options = {}) =>
  Layer.provideMerge(DocumentWorkflow.layer(options), WorkflowEngine.layerMemory)

const servicesWith = (
  store: Layer.Layer<DocumentStore> = DocumentStore.layerMemory(letters),
  fake?: Parameters<typeof FakeLanguageService.layerServices>[0]
) => Layer.mergeAll(store, FakeLanguageService.layerServices(fake), digests)

const layerWith = (
  options?: DocumentWorkflow.Options,
  store?: Layer.Layer<DocumentStore>,
  fake?: Parameters<typeof FakeLanguageService.layerServices>[0]
) => Layer.provideMerge(engineWith(options), servicesWith(store, fake))

/** A service with some methods of a test. */
const changed = <Id, Shape extends object>(service: Context.Key<Id, Shape>, change: (inner: Shape) => Partial<Shape>) =>
  Layer.effect(service, Effect.map(service, (inner) => ({ ...inner, ...change(inner) })))

/** A workflow repeats all of its steps for each of its questions. */
const seldom = { longestPoll: "30 minutes" } as const

const request = (id: string, fields: Partial<Parameters<typeof DocumentWorkflow.execute>[0]> = {}) => ({
  id,
  source: "letter.txt",
  target: `${id}.txt`,
  fields: { targetLanguage: "en-US" },
  ...fields
})

/** Lets time pass while an effect runs, step by step. */
const settle = <A, E, R>(effect: Effect.Effect<A, E, R>, step: Duration.Input = "5 minutes") =>
  Effect.raceFirst(effect, Effect.forever(Effect.andThen(TestClock.adjust(step), turns)))

const textOf = Effect.fnUntraced(function*(name: string) {
  const { content } = yield* (yield* DocumentStore).read(name)
  return yield* content.pipe(Stream.decodeText(), Stream.mkString)
})

const uploads = Effect.gen(function*() {
  return (yield* (yield* FakeLanguageService).effects)["Documents.upload"].count
})

/** The times of the requests of an operation. */
const timesOf = Effect.fnUntraced(function*(name: string) {
  const requests = yield* (yield* FakeLanguageService).requests
  return requests.filter(({ operation }) => operation === name).map(({ time }) => time)
})

const downloads = Effect.map(timesOf("Documents.download"), ({ length }) => length)

const minutesBetween = (times: ReadonlyArray<number>) =>
  times.slice(1).map((time, index) => Math.round((time - (times[index] ?? 0)) / 60_000))

const failure = (given: Parameters<typeof DocumentWorkflow.execute>[0]) =>
  settle(Effect.flip(DocumentWorkflow.execute(given)))

const stepsOf = (error: Effect.Error<ReturnType<typeof DocumentWorkflow.execute>>) =>
  error._tag === "DocumentNotTranslated" ? `${error.step}: ${error.cause}` : error._tag

const test = effectWith(layerWith())

describe("DocumentWorkflow", () => {
  test("translates a document, and an id once", function*() {
    const first = yield* settle(DocumentWorkflow.execute(request("one")))
    assert.deepInclude<object>(first, { size: 17, uploadAttempts: 1, billedCharacters: 9 })
    assert.strictEqual(yield* textOf("one.txt"), "[en-US] Guten Tag")
    const again = yield* settle(Effect.all([
      DocumentWorkflow.execute(request("one")),
      DocumentWorkflow.execute(request("one", { overwrite: false }))
    ], { concurrency: 2 }))
    assert.deepStrictEqual(again.map(({ documentId }) => documentId), [first.documentId, first.documentId])
    assert.strictEqual(yield* uploads, 1)
  })

  test("refuses an id that is known with another document, and names the difference", function*() {
    const store = yield* DocumentStore
    const first = yield* settle(DocumentWorkflow.execute(request("one")))
    const differences = (given: Parameters<typeof request>[1]) =>
      Effect.map(
        settle(Effect.flip(DocumentWorkflow.execute(request("one", given)))),
        (error) => error._tag === "DocumentIdTaken" ? error.differences : error
      )
    assert.deepStrictEqual(yield* differences({ target: "elsewhere.txt" }), ["target"])
    assert.deepStrictEqual(yield* differences({ source: "in/other.txt" }), ["source", "content"])
    assert.deepStrictEqual(yield* differences({ overwrite: true }), ["overwrite"])
    const fields = { targetLanguage: "fr", formality: "more" } as const
    assert.deepStrictEqual(yield* differences({ fields }), ["targetLanguage", "formality"])
    assert.deepStrictEqual([yield* uploads, yield* store.find("elsewhere.txt")], [1, undefined])
    yield* store.write("letter.txt", Stream.make(new Uint8Array(9)), { overwrite: true })
    assert.deepStrictEqual(yield* differences({}), ["content"])
    // Also while it is translated.
    const running = yield* Effect.forkChild(settle(DocumentWorkflow.execute(request("two"))))
    yield* settle(Effect.repeat(uploads, { until: (count) => count === 2, schedule: Schedule.spaced("1 second") }))
    const error = yield* failure(request("two", { target: "elsewhere.txt" }))
    assert.include(
      error.message,
      `document "two" was requested before with another target. Request this document with`
    )
    assert.deepInclude<object>(error, { _tag: "DocumentIdTaken", outcome: "refused", isTransient: false })
    yield* Fiber.join(running)
    yield* store.write("letter.txt", Stream.make(new TextEncoder().encode("Guten Tag")), { overwrite: true })
    const again = yield* settle(DocumentWorkflow.execute(request("one")))
    assert.strictEqual(again.documentId, first.documentId)
    assert.strictEqual(yield* uploads, 2)
  })

  it.effect("translates its own content after a run that was killed, with another database, store and content of the same id", () =>
    Effect.gen(function*() {
      const killed = yield* Effect.forkChild(settle(
        DocumentWorkflow.execute(request("one")).pipe(
          Effect.provide(Layer.provide(engineWith(), DocumentStore.layerMemory(letters)), { local: true })
        )
      ))
      yield* settle(Effect.repeat(uploads, { until: (count) => count === 1, schedule: Schedule.spaced("1 second") }))
      yield* settle(Fiber.interrupt(killed))
      yield* settle(DocumentWorkflow.execute(request("one")))
      assert.strictEqual(yield* textOf("one.txt"), "[en-US] Gute Nacht")
    }).pipe(Effect.provide(
      layerWith(undefined, DocumentStore.layerMemory({ "letter.txt": "Gute Nacht" }), { readyAfter: "30 minutes" })
    )))

  it.effect("translates the documents of two programs that share the journal and their ids", () =>
    Effect.gen(function*() {
      const texts = ["Guten Tag", "Gute Nacht"]
      const translations = yield* settle(Effect.forEach(
        texts,
        (text) =>
          Effect.provide(
            Effect.andThen(DocumentWorkflow.execute(request("one")), textOf("one.txt")),
            Layer.provideMerge(engineWith(), DocumentStore.layerMemory({ "letter.txt": text })),
            { local: true }
          ),
        { concurrency: 2 }
      ))
      assert.deepStrictEqual(translations, texts.map((text) => `[en-US] ${text}`))
    }).pipe(Effect.provide(servicesWith())))

  it.effect("has no more of many documents at a time than it is told", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      let most = 0
      const watch = Effect.gen(function*() {
        const documents = yield* fake.documents
        most = Math.max(most, documents.filter(({ taken }) => !taken).length)
      })
      const fields = { targetLanguage: "en-US" }
      const requests = Stream.map(Stream.range(1, 7), (number) => ({
        id: String(number),
        source: "letter.txt",
        target: `${number}.txt`,
        fields
      }))
      yield* Effect.forkChild(Effect.forever(Effect.andThen(watch, Effect.sleep("20 seconds"))))
      const ended = yield* settle(Stream.runCollect(DocumentWorkflow.all(requests, { concurrency: 3 })))
      assert.strictEqual(ended.filter(({ result }) => Result.isSuccess(result)).length, 7)
      assert.strictEqual(most, 3)
    }).pipe(Effect.provide(layerWith(undefined, undefined, { readyAfter: "5 minutes" }))))

  test("repeats an upload whose response was lost, and says so", function*() {
    const fake = yield* FakeLanguageService
    yield* fake.script(Script.next(1, Fault.reset({ afterEffect: true }), "Documents.upload"))
    const { uploadAttempts: number } = yield* settle(DocumentWorkflow.execute(request("one")))
    assert.strictEqual(number, 2)
    assert.strictEqual(yield* uploads, 2)
    assert.strictEqual(yield* textOf("one.txt"), "[en-US] Guten Tag")
  })

  test("downloads again what the service still has, and ends as lost with the part otherwise", function*() {
    const fake = yield* FakeLanguageService
    yield* fake.script(Script.next(1, Fault.truncated(), "Documents.download"))
    const kept = yield* settle(Effect.flip(DocumentWorkflow.execute(request("one"))))
    assert.strictEqual(kept._tag, "DocumentLost")
    assert.deepInclude<object>(kept, { part: "one.txt.part", isTransient: false })
    assert.include(kept.message, "is lost: its download had begun, and the service has deleted it")
    assert.include(kept.message, "The part that arrived, of 8 bytes, is in one.txt.part")
    yield* fake.script(Script.next(1, Fault.reset(), "Documents.download"))
    assert.strictEqual((yield* settle(DocumentWorkflow.execute(request("two")))).size, 17)
    yield* fake.script(Script.next(1, Fault.reset({ afterEffect: true }), "Documents.download"))
    const empty = yield* failure(request("three"))
    assert.deepInclude<object>(empty, { _tag: "DocumentLost", bytesReceived: 0 })
    assert.notProperty(empty, "part")
    assert.include(empty.message, "Nothing of it arrived")
  })

  it.effect("completes a download that the engine interrupts", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.script(Script.next(1, Fault.slow("30 seconds", { afterEffect: true }), "Documents.download"))
      // The engine ends with the effect.
      const run = Effect.provide(DocumentWorkflow.execute(request("one")), engineWith(), { local: true })
      const running = yield* Effect.forkChild(settle(run))
      yield* TestClock.withLive(Effect.repeat(downloads, { until: (count) => count === 1 }))
      yield* settle(Fiber.interrupt(running))
      assert.strictEqual(yield* textOf("one.txt"), "[en-US] Guten Tag")
    }).pipe(Effect.provide(servicesWith())))

  test("takes the translation that another runner is about to complete", function*() {
    const fake = yield* FakeLanguageService
    const store = yield* DocumentStore
    // The first attempt downloads it, and whether the service has it then is not known.
    yield* fake.script(Script.next(1, Fault.reset({ afterEffect: true }), "Documents.download"))
    yield* Effect.forkChild(Effect.gen(function*() {
      yield* Effect.repeat(downloads, { until: (count) => count === 2, schedule: Schedule.spaced("1 second") })
      yield* Effect.sleep("3 seconds")
      yield* store.write("one.txt", Stream.succeed(new Uint8Array(5)))
    }))
    const taken = yield* settle(DocumentWorkflow.execute(request("one")))
    assert.deepInclude<object>(taken, { size: 5, billedCharacters: 9 })
  })

  test("gives a target to one document, and replaces a translation only if it is asked to", function*() {
    const fields = { target: "same.txt" }
    const results = yield* settle(Effect.all([
      Effect.result(DocumentWorkflow.execute(request("one", fields))),
      Effect.result(DocumentWorkflow.execute(request("two", { ...fields, source: "in/other.txt" })))
    ], { concurrency: 2 }))
    assert.strictEqual(yield* uploads, 1)
    const failures = results.flatMap((result) => Result.isFailure(result) ? [result.failure] : [])
    assert.deepStrictEqual(failures.map(stepsOf), ["target: TargetExists"])
    assert.isFalse(failures[0]?.isTransient)
    const other = { ...fields, source: "in/other.txt", overwrite: true }
    assert.strictEqual(stepsOf(yield* failure(request("three", fields))), "target: TargetExists")
    assert.strictEqual((yield* settle(DocumentWorkflow.execute(request("four", other)))).size, 18)
    assert.strictEqual(yield* textOf("same.txt"), "[en-US] Gute Nacht")
    // Neither does it replace one that appears during its download.
    const fake = yield* FakeLanguageService
    const store = yield* DocumentStore
    yield* fake.script(Script.next(1, Fault.slow("1 minute", { afterEffect: true }), "Documents.download"))
    yield* Effect.forkChild(Effect.delay(store.write("late.txt", Stream.succeed(new Uint8Array(5))), "30 seconds"))
    yield* settle(DocumentWorkflow.execute(request("late")), "10 seconds")
    assert.strictEqual((yield* store.find("late.txt"))?.size, 5)
    // A document that fails leaves its target to others.
    yield* failure(request("five", { target: "next.txt", fields: { targetLanguage: "en" } }))
    yield* settle(DocumentWorkflow.execute(request("six", { target: "next.txt" })))
  })

  it.effect("leaves its target to others once it ended, whatever its store and its caller did", () => {
    const state = { fails: "find" }
    const down = new Persistence.PersistenceError({ message: "down" })
    const failing = <A, E>(name: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E | typeof down> =>
      Effect.suspend((): Effect.Effect<A, E | typeof down> => state.fails === name ? Effect.fail(down) : effect)
    const store = changed(DocumentStore, (inner) => ({
      find: (name) => failing("find", inner.find(name)),
      release: (name, owner) => failing("release", inner.release(name, owner))
    })).pipe(Layer.provide(DocumentStore.layerMemory(letters)))
    return Effect.gen(function*() {
      const fields = { target: "same.txt", overwrite: true }
      assert.strictEqual(stepsOf(yield* failure(request("one", fields))), "target: PersistenceError")
      state.fails = "release"
      yield* settle(DocumentWorkflow.execute(request("two", fields)))
      state.fails = "nothing"
      const left = yield* DocumentWorkflow.workflow.execute(request("three", fields), { discard: true })
      yield* settle(Effect.repeat(uploads, { until: (count) => count === 2, schedule: Schedule.spaced("1 second") }))
      yield* settle(DocumentWorkflow.cancel(request("three", fields)))
      yield* settle(Effect.repeat(DocumentWorkflow.workflow.poll(left), {
        until: (polled) => Option.exists(polled, ({ _tag }) => _tag === "Complete")
      }))
      yield* settle(DocumentWorkflow.execute(request("four", fields)))
      assert.strictEqual(yield* uploads, 3)
    }).pipe(Effect.provide(layerWith({}, store)))
  })

  it.effect("completes the part of a runner that was killed when it had all bytes", () => {
    const store = changed(DocumentStore, (inner) => ({
      write: (name, content) =>
        Effect.andThen(
          inner.write(`${name}.part`, content, { overwrite: true }),
          Effect.fail(new Persistence.PersistenceError({ message: "killed" }))
        )
    })).pipe(Layer.provide(DocumentStore.layerMemory(letters)))
    return Effect.gen(function*() {
      assert.strictEqual((yield* settle(DocumentWorkflow.execute(request("one")))).size, 17)
      assert.strictEqual(yield* textOf("one.txt"), "[en-US] Guten Tag")
    }).pipe(Effect.provide(layerWith({}, store)))
  })

  test("says which step failed, and leaves nothing", function*() {
    const fake = yield* FakeLanguageService
    assert.strictEqual(stepsOf(yield* failure(request("a", { source: "missing.txt" }))), "source: PersistenceError")
    const exists = yield* failure(request("b", { target: "letter.txt" }))
    assert.deepStrictEqual([stepsOf(exists), exists.outcome], ["target: TargetExists", "refused"])
    const refused = yield* failure(request("c", { fields: { targetLanguage: "en" } }))
    assert.strictEqual(stepsOf(refused), "upload: BadRequest")
    // The operation of the step is that of the workflow.
    assert.notInclude(refused.message, "Documents.upload")
    yield* fake.script(Script.next(1, Fault.jobFails("File is damaged"), "Documents.upload"))
    const failed = yield* failure(request("d"))
    assert.deepStrictEqual([stepsOf(failed), failed.outcome], ["translation: DocumentFailed", "unknown"])
    assert.isFalse(failed.isTransient)
    assert.include(failed.message, "File is damaged")
    assert.strictEqual(yield* uploads, 1)
  })

  it.effect("waits for an account that holds too many documents, which counts as no failed attempt", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.script({ operation: "Documents.upload", fault: Fault.unavailable(), every: 5 })
      const requests = ["a", "b", "c", "d"].map((id) => new DocumentWorkflow.DocumentRequest(request(id)))
      const ended = yield* settle(Stream.runCollect(DocumentWorkflow.all(Stream.fromIterable(requests))))
      assert.deepStrictEqual(ended.map(({ result }) => result._tag), ["Success", "Success", "Success", "Success"])
      assert.strictEqual(yield* uploads, 4)
    }).pipe(Effect.provide(layerWith({ attempts: 4, ...seldom }, undefined, {
      maxDocuments: 2,
      readyAfter: "1 hour",
      client: { resilience: { attempts: 1 } }
    }))))

  it.effect("outlasts an outage of hours, of the service and of the store", () => {
    let isDown = true
    let refused = 0
    const store = changed(DocumentStore, (inner) => ({
      write: (name, content) =>
        isDown
          ? Effect.failSync(() =>
            new Persistence.PersistenceError({ message: `disk full, for the ${++refused}. time` })
          )
          : inner.write(name, content)
    })).pipe(Layer.provide(DocumentStore.layerMemory(letters)))
    return Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.script(Script.next(40, Fault.unavailable(), "Documents.status"))
      yield* Effect.forkChild(Effect.andThen(Effect.sleep("3 hours"), Effect.sync(() => isDown = false)))
      const outlasting = yield* settle(DocumentWorkflow.execute(request("one")))
      assert.deepInclude<object>(outlasting, { uploadAttempts: 1, billedCharacters: 9 })
      // For good, it has the attempts of a step.
      isDown = true
      refused = 0
      assert.strictEqual(stepsOf(yield* failure(request("two"))), "download: PersistenceError")
      assert.strictEqual(refused, 10)
    }).pipe(Effect.provide(layerWith({}, store)))
  })

  it.effect("asks after ten seconds, and later and later", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const running = yield* Effect.forkChild(DocumentWorkflow.execute(request("one")))
      // In small steps: a timer of a fiber that starts late would begin late.
      yield* Effect.repeat(
        Effect.andThen(TestClock.adjust("250 millis"), turns),
        { until: () => running.pollUnsafe() !== undefined }
      )
      const times = (yield* fake.requests).filter(({ operation }) => operation !== "Documents.download")
        .map(({ time }) => time)
      const pauses = times.slice(1).map((time, index) => Math.round((time - (times[index] ?? 0)) / 1000))
      assert.deepStrictEqual(pauses.slice(0, 3).map((pause) => Math.round(pause / 2.5) * 2.5), [10, 15, 22.5])
    }).pipe(Effect.provide(layerWith({}, undefined, { readyAfter: "50 seconds" }))))

  it.effect(
    "does not add up failures of questions for the status that lie apart, and asks as often as it is told",
    () =>
      Effect.gen(function*() {
        const fake = yield* FakeLanguageService
        yield* fake.script({ operation: "Documents.status", fault: Fault.unavailable(), every: 2 })
        yield* settle(DocumentWorkflow.execute(request("one")))
        const polls = (yield* fake.requests).filter(({ operation }) => operation === "Documents.status")
        assert.isAbove(polls.filter(({ status }) => status === 503).length, scaled(1, 10))
        if (!isFull) return
        const times = polls.map(({ time }) => time)
        const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0))
        assert.strictEqual(Math.round(Math.max(...pauses)), Duration.toMillis("30 minutes"))
        assert.isBelow(Math.min(...pauses), Duration.toMillis("2 minutes"))
      }).pipe(Effect.provide(layerWith({ attempts: 2, deadline: "2 days", longestPoll: "30 minutes" }, undefined, {
        readyAfter: isFull ? "1 day" : "3 minutes",
        client: { resilience: { attempts: 1 } }
      })))
  )

  it.effect.skipIf(!isFull)("gives a document up that is not translated in a day", () =>
    Effect.gen(function*() {
      const error = yield* failure(request("one"))
      assert.deepStrictEqual([stepsOf(error), error.isTransient], ["translation: DocumentNotReady", true])
      const time = yield* Clock.currentTimeMillis
      assert.isAtLeast(time, Duration.toMillis("1 day"))
      assert.isBelow(time, Duration.toMillis("25 hours"))
    }).pipe(Effect.provide(layerWith(seldom, undefined, { readyAfter: "30 days" }))))

  it.effect("downloads no more documents at a time than it is told, so that a kill costs no more", () => {
    let most = 0
    let now = 0
    const counted = changed(Documents, (inner) => ({
      saveTo: (ref, saving) =>
        Effect.acquireUseRelease(
          Effect.sync(() => most = Math.max(most, ++now)),
          () => Effect.delay(inner.saveTo(ref, saving), "1 minute"),
          () => Effect.sync(() => now--)
        )
    }))
    return Effect.gen(function*() {
      const requests = Array.from({ length: 12 }, (_, id) => new DocumentWorkflow.DocumentRequest(request(`${id}`)))
      const ended = yield* settle(Stream.runCollect(DocumentWorkflow.all(Stream.fromIterable(requests))))
      assert.isTrue(ended.every(({ result }) => Result.isSuccess(result)))
      assert.strictEqual(most, 3)
    }).pipe(
      Effect.provide(engineWith({ downloads: 3 }).pipe(Layer.provide(counted), Layer.provideMerge(servicesWith())))
    )
  })

  it.effect("waits for another process that uploads the same document", () => {
    let attempts = 0
    const others = changed(Documents, (inner) => ({
      upload: (options) =>
        ++attempts > 2
          ? inner.upload(options)
          : Effect.fail(new Busy({ operation: "Documents.upload", id: "one", holder: "another process" }))
    }))
    return Effect.gen(function*() {
      assert.strictEqual((yield* settle(DocumentWorkflow.execute(request("one")))).uploadAttempts, 1)
      assert.strictEqual(attempts, 3)
    }).pipe(Effect.provide(engineWith().pipe(Layer.provide(others), Layer.provideMerge(servicesWith()))))
  })

  it.effect("counts an upload that the engine interrupts and begins again", () => {
    let isFirst = true
    const interrupted = changed(Documents, (inner) => ({
      upload: (options) =>
        Effect.tap(inner.upload(options), () => {
          const ends = isFirst ? Effect.interrupt : Effect.void
          isFirst = false
          return ends
        })
    }))
    return Effect.gen(function*() {
      const left = yield* DocumentWorkflow.workflow.execute(request("one"), { discard: true })
      yield* settle(Effect.repeat(uploads, { until: (count) => count === 1, schedule: Schedule.spaced("1 second") }))
      yield* DocumentWorkflow.workflow.resume(left)
      assert.strictEqual((yield* settle(DocumentWorkflow.execute(request("one")))).uploadAttempts, 2)
    }).pipe(Effect.provide(engineWith().pipe(Layer.provide(interrupted), Layer.provideMerge(servicesWith()))))
  })

  it.effect("ends after the attempts of a step, with an error that may pass", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.script({ operation: "Documents.upload", fault: Fault.unavailable(), every: 1 })
      const error = yield* settle(Effect.flip(DocumentWorkflow.execute(request("one"))), "10 seconds")
      assert.deepStrictEqual([stepsOf(error), error.isTransient], ["upload: ServiceUnavailable", true])
      assert.deepStrictEqual(minutesBetween(yield* timesOf("Documents.upload")), [1, 2, 4])
    }).pipe(Effect.provide(layerWith({ attempts: 4 }, undefined, { client: { resilience: { attempts: 1 } } }))))

  it.effect.each(
    [
      ["is refused", { status: 403 }, ["translation: AccessDenied", false], 1],
      ["fails as often in a row as a step may be tried", { status: 503 }, ["translation: ServiceUnavailable", true], 3]
    ] as const
  )("ends when a question for the status %s", ([, fault, ended, questions]) =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* fake.script({ operation: "Documents.status", fault, every: 1 })
      const error = yield* failure(request("one"))
      assert.deepStrictEqual<ReadonlyArray<unknown>>([stepsOf(error), error.isTransient], ended)
      const asked = (yield* fake.requests).filter(({ operation }) => operation === "Documents.status")
      assert.lengthOf(asked, questions)
    }).pipe(Effect.provide(layerWith({ attempts: 3 }, undefined, { client: { resilience: { attempts: 1 } } }))))

  it.effect("ends with an error that may pass when its time is over", () =>
    Effect.gen(function*() {
      const error = yield* failure(request("one"))
      assert.deepStrictEqual([stepsOf(error), error.isTransient], ["translation: DocumentNotReady", true])
      assert.match(error.message, /it was not translated in 2\.\d hours/)
    }).pipe(Effect.provide(layerWith({ deadline: "2 hours" }, undefined, { readyAfter: "1 day" }))))

  effect("refuses options that cannot be", function*() {
    const error = yield* Effect.flip(Effect.scoped(Layer.build(layerWith({ attempts: 0 }))))
    assert.strictEqual(error.message, "attempts must be a whole number from 1")
  })
})
