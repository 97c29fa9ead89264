import { type Bulk, Detection, Translation, Writing } from "@effect-lingua/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Iterable, Ref, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import { scaled } from "../../../../test/support/scale.ts"
import { echo, overTime, refusing, sizes, textsOf, textsSent, Wire } from "../support/index.ts"

/** The runs decide how much is in flight. */
const unlimited = { resilience: { concurrency: Number.POSITIVE_INFINITY } }

const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `text ${from + index}`)

const detectAll = <E = never, R = never>(
  texts: Bulk.Texts<E, R>,
  options: Bulk.Options & { readonly onError?: "fail" } = {}
) => Stream.unwrap(Detection.useSync((detection) => detection.detectAll(texts, options)))

const resultsOf = <E = never, R = never>(texts: Bulk.Texts<E, R>, options: Bulk.Options = {}) =>
  Stream.unwrap(Detection.useSync((detection) => detection.detectAll(texts, { ...options, onError: "result" })))

/** The results so far, and the error. */
const untilFailure = Effect.fnUntraced(function*<A, E, R>(stream: Stream.Stream<A, E, R>) {
  const results: Array<A> = []
  const error = yield* Effect.flip(Stream.runForEach(stream, (result) => Effect.sync(() => results.push(result))))
  return { results, error }
})

/** Answers the requests whose first text says so with another reply. */
const forText = (replies: Readonly<Record<string, Wire.Reply>>): Wire.Reply => (request, sent) =>
  (replies[textsOf(sent.body)[0] ?? ""] ?? echo())(request, sent)

function* generated(count: number): Generator<string> {
  for (const text of numbered(count)) yield text
}

describe("a run", () => {
  it.effect("packs any number of texts and gives the results in order", () =>
    Effect.gen(function*() {
      const given = [
        numbered(120),
        new Set(numbered(120)),
        generated(120),
        // Its iterator is new each time, but its texts come once.
        Iterable.map(generated(120), (text) => text),
        Stream.fromIterable(numbered(120))
      ]
      for (const texts of given) {
        const results = yield* Stream.runCollect(detectAll(texts))
        assert.deepStrictEqual(
          results.map((result) => result._tag === "Detected" ? result.language : undefined),
          numbered(120).map(({ length }) => `x-${length}`)
        )
      }
      const requests = yield* textsSent
      assert.deepStrictEqual(requests.flat(), given.flatMap(() => numbered(120)))
      assert.deepStrictEqual(requests.map(({ length }) => length), given.flatMap(() => [50, 50, 20]))
    }).pipe(Effect.provide(Wire.layer(echo()))))

  it.effect("keeps the order when later requests are answered first", () =>
    Effect.gen(function*() {
      const { exit } = yield* overTime(
        Stream.runCollect(Stream.unwrap(Translation.useSync((translation) =>
          translation.translateAll(numbered(300), { targetLanguage: "de" })
        )))
      )
      const results = yield* exit
      assert.deepStrictEqual(
        results.map(({ text }) =>
          text
        ),
        numbered(300)
      )
    }).pipe(Effect.provide(Wire.layer(forText({
      "text 0": Wire.late("5 seconds", echo()),
      "text 50": Wire.late("3 seconds", echo()),
      "text 100": Wire.late("1 second", echo())
    })))))

  it.effect("is empty without a call for no texts", () =>
    Effect.gen(function*() {
      for (const texts of [[], Stream.empty, new Set<string>()]) {
        assert.deepStrictEqual(yield* Stream.runCollect(detectAll(texts)), [])
      }
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect("has so many requests in flight as it is told, by default 8", () =>
    Effect.gen(function*() {
      for (
        const [options, expected] of [[{}, 8], [{ concurrency: 3 }, 3], [{ concurrency: 1 }, 1]] as const
      ) {
        const before = yield* Wire.count
        const fiber = yield* Effect.forkChild(Stream.runDrain(detectAll(numbered(1000), options)), {
          startImmediately: true
        })
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Wire.count) - before, expected)
        yield* Fiber.interrupt(fiber)
      }
    }).pipe(Effect.provide(Wire.layer(Wire.silent, unlimited))))

  it.effect("has no more requests in flight than the policy says", () =>
    Effect.gen(function*() {
      yield* Effect.forkChild(Stream.runDrain(detectAll(numbered(1000), { concurrency: 1000 })))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Wire.count, 2)
    }).pipe(Effect.provide(Wire.layer(Wire.silent, { resilience: { concurrency: 2 } }))))

  it.effect("ends what is in flight when it is ended", () =>
    Effect.gen(function*() {
      const fiber = yield* Effect.forkChild(Stream.runDrain(detectAll(numbered(200))), { startImmediately: true })
      yield* TestClock.adjust("1 second")
      const { sent } = yield* Wire.Wire
      assert.deepStrictEqual(sent.map(({ signal }) => signal.aborted), [false, false, false, false])
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(sent.map(({ signal }) => signal.aborted), [true, true, true, true])
    }).pipe(Effect.provide(Wire.layer(Wire.silent, unlimited))))

  it.effect("sends no more than it is read, and takes no more texts than it sends", () =>
    Effect.gen(function*() {
      const taken = yield* Ref.make(0)
      const texts = Stream.range(1, 100_000).pipe(
        Stream.rechunk(10),
        Stream.mapEffect((number) => Effect.as(Ref.update(taken, (count) => count + 1), `text ${number}`))
      )
      const read = yield* Ref.make(0)
      const fiber = yield* Effect.forkChild(
        Stream.runForEach(detectAll(texts, { concurrency: 4 }), () =>
          Effect.delay(Ref.update(read, (count) => count + 1), "1 second")),
        { startImmediately: true }
      )
      yield* TestClock.adjust("75 seconds")
      assert.strictEqual(yield* Ref.get(read), 75)
      const requests = yield* Wire.count
      assert.isAtMost(requests, 2 + 4 + 1)
      assert.isAtMost(yield* Ref.get(taken), (requests + 2) * 50 + 10)
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(yield* Wire.count, requests)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(Wire.layer(echo()))))

  it.effect("takes no more texts than the policy lets it send", () =>
    Effect.gen(function*() {
      let taken = 0
      const texts = Stream.range(1, 100_000).pipe(
        Stream.rechunk(10),
        Stream.map((number) => {
          taken++
          return `text ${number}`
        })
      )
      const fiber = yield* Effect.forkChild(Stream.runDrain(detectAll(texts, { concurrency: 1000 })), {
        startImmediately: true
      })
      yield* TestClock.adjust("1 second")
      assert.isAtMost(taken, 4 * 50 + 10)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(Wire.layer(Wire.silent, { resilience: { concurrency: 2 } }))))

  it.effect(
    "gives many texts of a stream back in order, holding no more than is in flight",
    () =>
      Effect.gen(function*() {
        const count = scaled(4000, 100_000)
        let made = 0
        let seen = 0
        let most = 0
        const texts = Stream.range(0, count - 1).pipe(
          Stream.rechunk(50),
          Stream.map((number) => {
            made++
            return "x".repeat(number % 7)
          })
        )
        yield* Stream.runForEach(detectAll(texts), (result) =>
          Effect.sync(() => {
            most = Math.max(most, made - seen)
            assert.strictEqual(result._tag === "Detected" ? result.language : undefined, `x-${seen % 7}`)
            seen++
          }))
        assert.strictEqual(seen, count)
        assert.isAtMost(most, 11 * 50)
        assert.strictEqual(yield* Wire.count, count / 50)
      }).pipe(Effect.provide(Wire.layer(echo())))
  )

  it.effect("closes a generator when it ends, however it ends", () =>
    Effect.gen(function*() {
      const closed: Array<string> = []
      const open = (name: string) =>
        (function*() {
          try {
            yield name
            yield* generated(1000)
          } finally {
            closed.push(name)
          }
        })()
      yield* Stream.runDrain(detectAll(open("read to the end")))
      yield* Stream.runDrain(Stream.take(detectAll(open("read in part")), 3))
      yield* Effect.flip(Stream.runDrain(detectAll(open("refused"))))
      const fiber = yield* Effect.forkChild(Stream.runDrain(detectAll(open("interrupted"))))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(closed, ["read to the end", "read in part", "refused"])
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(closed, ["read to the end", "read in part", "refused", "interrupted"])
    }).pipe(Effect.provide(Wire.layer(forText({ refused: Wire.answer(400), interrupted: Wire.silent })))))

  it.effect("can be run again, and starts anew then", () =>
    Effect.gen(function*() {
      const detection = yield* Detection
      const run = detection.detectAll(numbered(60))
      yield* Stream.runDrain(run)
      yield* Stream.runDrain(run)
      assert.deepStrictEqual(yield* sizes, [50, 10, 50, 10])
    }).pipe(Effect.provide(Wire.layer(echo()))))

  it.effect("fails with the error of its source, after the results before it", () =>
    Effect.gen(function*() {
      const texts = Stream.concat(Stream.fromIterable(numbered(70)), Stream.fail("the source broke"))
      const { error, results } = yield* untilFailure(detectAll(texts))
      assert.strictEqual(error, "the source broke")
      assert.strictEqual(results.length, 50)
    }).pipe(Effect.provide(Wire.layer(echo()))))
})

describe("a run that fails", () => {
  it.effect("gives the results before the texts that failed, and says which these are", () =>
    Effect.gen(function*() {
      const { error, results } = yield* untilFailure(detectAll(numbered(250), { concurrency: 2 }))
      assert.strictEqual(results.length, 100)
      assert.deepInclude<object>(error, {
        _tag: "BadRequest",
        operation: "Detection.detect",
        texts: { first: 100, last: 149 }
      })
      assert.include(error.message, "It is about texts 100 to 149.")
      assert.strictEqual(yield* Wire.count, 3)
      assert.notProperty((yield* untilFailure(detectAll(["a"]))).error, "texts")
    }).pipe(Effect.provide(Wire.layer([echo(), echo(), Wire.answer(400), Wire.answer(400)]))))

  it.effect("waits for the results before the failure, and begins no more", () =>
    Effect.gen(function*() {
      const { exit } = yield* overTime(untilFailure(detectAll(numbered(500), { concurrency: 3 })))
      const { error, results } = yield* exit
      assert.strictEqual(results.length, 50)
      assert.deepInclude<object>(error, { texts: { first: 50, last: 99 } })
      assert.strictEqual(yield* Wire.count, 3)
    }).pipe(Effect.provide(Wire.layer(forText({
      "text 0": Wire.late("5 seconds", echo()),
      "text 50": Wire.late("1 second", Wire.answer(400)),
      "text 100": Wire.silent
    })))))

  it.effect("ends at once for what is about all texts, and sends nothing more", () =>
    Effect.gen(function*() {
      for (const onError of ["fail", "result"] as const) {
        const before = yield* Wire.count
        const run: Stream.Stream<unknown, { readonly _tag: string }, Detection> = onError === "fail"
          ? detectAll(numbered(1000))
          : resultsOf(numbered(1000))
        const { exit, took } = yield* overTime(untilFailure(run))
        const { error, results } = yield* exit
        assert.deepInclude<object>(error, { _tag: "QuotaExceeded", texts: { first: 150, last: 199 } })
        assert.strictEqual(took, 2000)
        assert.strictEqual(results.length, 50)
        assert.strictEqual((yield* Wire.count) - before, 9)
      }
      const { sent } = yield* Wire.Wire
      assert.isTrue(sent.slice(4, 8).every(({ signal }) => signal.aborted))
    }).pipe(Effect.provide(Wire.layer((request, sent) =>
      forText({
        "text 0": Wire.late("1 second", echo()),
        "text 150": Wire.late("2 seconds", Wire.answer(456)),
        "text 50": Wire.answer(503, "", { "retry-after": "10" }),
        ...Object.fromEntries([100, 200, 250, 300, 350, 400].map((at) => [`text ${at}`, Wire.late("1 minute", echo())]))
      })(request, sent), unlimited))))

  it.effect("sends no half of a refused request after the quota is used up, even at the same moment", () =>
    Effect.gen(function*() {
      const { exit } = yield* overTime(untilFailure(resultsOf(numbered(100))))
      const { error } = yield* exit
      assert.strictEqual(error._tag, "QuotaExceeded")
      assert.strictEqual(yield* Wire.count, 2)
    }).pipe(Effect.provide(Wire.layer(forText({
      "text 0": Wire.late("2 seconds", Wire.answer(456)),
      "text 50": Wire.late("2 seconds", Wire.answer(400))
    })))))

  it.effect.each([[403, "AccessDenied"], [456, "QuotaExceeded"], [415, "UnsupportedMediaType"]] as const)(
    "ends with %i for results per text too",
    ([status, tag]) =>
      Effect.gen(function*() {
        const { error, results } = yield* untilFailure(resultsOf(numbered(500), { concurrency: 1 }))
        assert.strictEqual(error._tag, tag)
        assert.strictEqual(results.length, 50)
        assert.strictEqual(yield* Wire.count, 2)
      }).pipe(Effect.provide(Wire.layer([echo(), Wire.answer(status)])))
  )

  it.effect("ends when the service cannot be reached", () =>
    Effect.gen(function*() {
      const { error, results } = yield* untilFailure(resultsOf(numbered(500), { concurrency: 1 }))
      assert.strictEqual(error._tag, "ConnectionFailed")
      assert.strictEqual(results.length, 0)
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer([Wire.broken("ENOTFOUND")]))))
})

describe("results per text", () => {
  it.effect("find the texts that are refused, and lose no other", () =>
    Effect.gen(function*() {
      const results = yield* Stream.runCollect(resultsOf(numbered(230)))
      assert.strictEqual(results.length, 230)
      const failed = results.flatMap((result, index) =>
        Result.isFailure(result) ? [[index, result.failure]] as const : []
      )
      assert.deepStrictEqual(failed.map(([index]) => index), [3, 49, 50, 51, 229])
      for (const [index, error] of failed) {
        assert.deepInclude<object>(error, { _tag: "BadRequest", texts: { first: index, last: index } })
        assert.notInclude(error.message, `text ${index}:`)
      }
    }).pipe(Effect.provide(Wire.layer(refusing(["text 3", "text 49", "text 50", "text 51", "text 229"])))))

  it.effect("send each text that is accepted in one accepted request only", () =>
    Effect.gen(function*() {
      yield* Stream.runDrain(resultsOf(numbered(50)))
      const accepted = (yield* textsSent).filter((texts) => !texts.includes("text 20")).flat()
      assert.deepStrictEqual(accepted.toSorted(), numbered(50).filter((text) => text !== "text 20").toSorted())
    }).pipe(Effect.provide(Wire.layer(refusing(["text 20"])))))

  it.effect("are failures for all texts of a request that failed for another reason, which is not sent again", () =>
    Effect.gen(function*() {
      const writing = yield* Writing
      const results = yield* Stream.runCollect(writing.correctAll(numbered(5), { concurrency: 1, onError: "result" }))
      assert.deepStrictEqual(results.map(Result.isFailure), [true, true, true, true, true])
      for (const result of results) {
        if (Result.isFailure(result)) {
          assert.deepInclude<object>(result.failure, { _tag: "InternalServerError", texts: { first: 0, last: 4 } })
        }
      }
      assert.strictEqual(yield* Wire.count, 1)
    }).pipe(Effect.provide(Wire.layer([Wire.answer(500)], { resilience: { repeatMetered: "never" } }))))

  it.effect("go on after a request that failed", () =>
    Effect.gen(function*() {
      const results = yield* Stream.runCollect(resultsOf(numbered(150), { concurrency: 1 }))
      assert.deepStrictEqual(
        results.map(Result.isSuccess),
        Array.from({ length: 150 }, (_, index) => index < 50 || index >= 100)
      )
    }).pipe(Effect.provide(Wire.layer([echo(), Wire.answer(200, { results: [] }), echo()]))))

  it.effect("end when the first hundred texts are all refused: it is not the texts", () =>
    Effect.gen(function*() {
      const { error, results } = yield* untilFailure(resultsOf(numbered(10_000), { concurrency: 1 }))
      assert.strictEqual(error._tag, "BadRequest")
      assert.strictEqual(results.length, 99)
      assert.isAtMost(yield* Wire.count, 2 * 100)
    }).pipe(Effect.provide(Wire.layer(Wire.answer(400)))))

  it.effect("do not end for any number of texts that are refused among others", () =>
    Effect.gen(function*() {
      const results = yield* Stream.runCollect(resultsOf(numbered(250), { concurrency: 1 }))
      assert.deepStrictEqual(results.map(Result.isSuccess), numbered(250).map((_, index) => index < 50 || index >= 200))
    }).pipe(Effect.provide(Wire.layer(refusing(numbered(150, 50))))))

  it.effect("are failures for texts that cannot be sent, in their places", () =>
    Effect.gen(function*() {
      const texts: ReadonlyArray<string> = JSON.parse(`["a", null, "\\ud800", "b"]`)
      const results = yield* Stream.runCollect(resultsOf(texts))
      assert.deepStrictEqual(results.map(Result.isSuccess), [true, false, false, true])
      assert.deepStrictEqual(yield* textsSent, [["a", "b"]])
    }).pipe(Effect.provide(Wire.layer(echo()))))
})

describe("bad input of a run", () => {
  const given: ReadonlyArray<readonly [what: string, json: string, given: string]> = [
    ["null", "null", "null"],
    ["a number", "3", "number"],
    ["a list", `["a PRIVATE text"]`, "an array"],
    ["an unpaired surrogate", `"PRIVATE \\ud800"`, "a text with an unpaired surrogate"]
  ]

  it.effect.each(given)(
    "%s in a list is refused by its index before anything is sent",
    ([, json, what]) =>
      Effect.gen(function*() {
        const texts: ReadonlyArray<string> = [...numbered(70), JSON.parse(json), "b"]
        for (const list of [texts, new Set(texts)]) {
          const error = yield* Effect.flip(Stream.runDrain(detectAll(list)))
          assert.deepInclude<object>(error, {
            _tag: "InvalidInput",
            operation: "Detection.detect",
            parameter: "text[70]",
            given: what,
            texts: { first: 70, last: 70 }
          })
          assert.notInclude(error.message, "PRIVATE")
        }
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(Wire.layer([])))
  )

  it.effect.each(given)(
    "%s in a stream is refused before its request is sent, after the results before",
    ([, json]) =>
      Effect.gen(function*() {
        const texts: ReadonlyArray<string> = [...numbered(70), JSON.parse(json), "b"]
        const { error, results } = yield* untilFailure(detectAll(Stream.fromIterable(texts)))
        assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: "text[70]" })
        assert.strictEqual(results.length, 50)
        assert.deepStrictEqual(yield* sizes, [50])
      }).pipe(Effect.provide(Wire.layer(echo())))
  )

  it.effect("a NUL is a character like any other, as nothing says otherwise", () =>
    Effect.gen(function*() {
      yield* Stream.runDrain(detectAll(["a\u0000b"]))
      assert.deepStrictEqual(yield* textsSent, [["a\u0000b"]])
    }).pipe(Effect.provide(Wire.layer(echo()))))

  it.effect.each([`"one text"`, "null", "3", "{}"])("%s is no list of texts", (json) =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Stream.runDrain(detectAll(JSON.parse(json))))
      assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: "texts" })
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer([]))))

  it.effect.each(["0", "-1", "1.5", "1e400", "null", `"fast"`])(
    "%s is no concurrency",
    (json) =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(Stream.runDrain(detectAll(["a"], { concurrency: JSON.parse(json) })))
        assert.deepInclude<object>(error, { _tag: "InvalidInput", parameter: "concurrency" })
        assert.strictEqual(yield* Wire.count, 0)
      }).pipe(Effect.provide(Wire.layer([])))
  )

  it.effect("options are checked once, before anything is sent", () =>
    Effect.gen(function*() {
      const translation = yield* Translation
      const writing = yield* Writing
      const errors = [
        yield* Effect.flip(Stream.runDrain(translation.translateAll(["a"], {
          targetLanguage: "de",
          customInstructions: ["x".repeat(301)]
        }))),
        yield* Effect.flip(Stream.runDrain(translation.translateAll(["a"], JSON.parse(`{"targetLanguage":3}`)))),
        yield* Effect.flip(
          Stream.runDrain(
            translation.translateAll(["a"], { targetLanguage: "de", split: "sentences", tagHandling: "xml" })
          )
        ),
        yield* Effect.flip(Stream.runDrain(writing.correctAll(["a"], JSON.parse(`{"split":"words"}`)))),
        yield* Effect.flip(Stream.runDrain(writing.correctAll(["a"], JSON.parse(`{"onError":"ignore"}`)))),
        yield* Effect.flip(
          Stream.runDrain(writing.rephraseAll(["a"], JSON.parse(`{"tone":"friendly","writingStyle":"business"}`)))
        )
      ]
      assert.deepStrictEqual(errors.map(({ _tag, operation }) => [_tag, operation]), [
        ["LimitExceeded", "Translation.translate"],
        ["InvalidInput", "Translation.translate"],
        ["InvalidInput", "Translation.translate"],
        ["InvalidInput", "Writing.correct"],
        ["InvalidInput", "Writing.correct"],
        ["InvalidInput", "Writing.rephrase"]
      ])
      assert.strictEqual(yield* Wire.count, 0)
    }).pipe(Effect.provide(Wire.layer([]))))
})
