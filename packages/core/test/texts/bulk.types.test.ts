import { Detection, Translation, Writing } from "@effect-lingua/core"
import { describe, it } from "@effect/vitest"
import { Context, Effect, Stream } from "effect"
import type { Result } from "effect"
import { expectTypeOf } from "vitest"
import { echo, Wire } from "../support/index.ts"

type Tags<E> = E extends { readonly _tag: infer Tag } ? Tag : never

/** Errors that end a run in any case. */
type OfRun =
  | "AccessDenied"
  | "BudgetExceeded"
  | "CircuitOpen"
  | "ConnectionFailed"
  | "InvalidKey"
  | "MissingScope"
  | "QuotaExceeded"
  | "UnsupportedMediaType"
  | "WrongTier"
/** Errors that can be about a text and about all. */
type OfBoth = "BadRequest" | "InvalidInput" | "LimitExceeded"
/** Errors of one text, or of one request. */
type OfText =
  | "AttemptTimeout"
  | "BadGateway"
  | "ConnectionLost"
  | "DeadlineExceeded"
  | "GatewayTimeout"
  | "InternalServerError"
  | "Overloaded"
  | "PayloadTooLarge"
  | "RateLimited"
  | "ServiceUnavailable"
  | "UnexpectedResponse"

class Store
  extends Context.Service<Store, { readonly name: string }>()("@effect-lingua/core/test/texts/bulk.types.test/Store")
{}

const fromStore = Stream.fromEffect(
  Effect.flatMap(Store, ({ name }) => name === "" ? Effect.fail(404) : Effect.succeed(name))
)

describe("types of runs", () => {
  it.effect("fail with all errors, or give those of texts as values", () =>
    Effect.gen(function*() {
      const detection = yield* Detection
      const writing = yield* Writing
      const translation = yield* Translation

      const failing = writing.correctAll(["a"])
      expectTypeOf<Stream.Success<typeof failing>>().toEqualTypeOf<Writing.Improvement>()
      expectTypeOf<Tags<Stream.Error<typeof failing>>>().toEqualTypeOf<OfRun | OfBoth | OfText>()
      expectTypeOf<Stream.Services<typeof failing>>().toEqualTypeOf<never>()

      const results = writing.rephraseAll(["a"], { onError: "result", tone: "friendly" })
      type Item = Stream.Success<typeof results>
      expectTypeOf<Item extends Result.Result<infer A, unknown> ? A : never>().toEqualTypeOf<Writing.Improvement>()
      expectTypeOf<Item extends Result.Result<unknown, infer E> ? Tags<E> : never>().toEqualTypeOf<OfBoth | OfText>()
      expectTypeOf<Tags<Stream.Error<typeof results>>>().toEqualTypeOf<OfRun | OfBoth>()

      const detected = detection.detectAll(["a"], { concurrency: 2 })
      expectTypeOf<Stream.Success<typeof detected>>().toEqualTypeOf<Detection.DetectionResult>()

      const translated = translation.translateAll(["a"], { targetLanguage: "de", onError: "fail" })
      expectTypeOf<Stream.Success<typeof translated>>().toEqualTypeOf<Translation.Translated>()
      expectTypeOf<Tags<Stream.Error<typeof translated>>>().toEqualTypeOf<
        Exclude<OfRun, "UnsupportedMediaType"> | OfBoth | OfText | "NotFound" | "UriTooLong"
      >()

      const one = detection.detect("a")
      expectTypeOf<Effect.Success<typeof one>>().toEqualTypeOf<Detection.DetectionResult>()
      const list = detection.detect({ text: ["a"] })
      expectTypeOf<Effect.Success<typeof list>>().toExtend<ReadonlyArray<Detection.DetectionResult>>()

      const corrected = writing.correct("a", { targetLanguage: "de" })
      expectTypeOf<Effect.Success<typeof corrected>>().toEqualTypeOf<Writing.Improvement>()
      expectTypeOf<Tags<Effect.Error<typeof corrected>>>().toEqualTypeOf<OfRun | OfBoth | OfText>()
      const rephrased = writing.rephrase("a", { tone: "friendly" })
      expectTypeOf<Effect.Success<typeof rephrased>>().toEqualTypeOf<Writing.Improvement>()
      const single = translation.translate("a", { targetLanguage: "de" })
      expectTypeOf<Effect.Success<typeof single>>().toEqualTypeOf<Translation.Translated>()
      const body = JSON.parse(`{ "text": "a" }`)
      const untyped = translation.translate(body.text, { targetLanguage: "de" })
      expectTypeOf<Effect.Success<typeof untyped>>().toEqualTypeOf<Translation.Translated>()
    }).pipe(Effect.provide(Wire.layer(echo()))))

  it.effect("keep errors and needs of a stream of texts", () =>
    Effect.gen(function*() {
      const translation = yield* Translation
      const run = translation.translateAll(fromStore, { targetLanguage: "de" })
      expectTypeOf<Stream.Services<typeof run>>().toEqualTypeOf<Store>()
      expectTypeOf<Extract<Stream.Error<typeof run>, number>>().toEqualTypeOf<number>()
    }).pipe(Effect.provide(Wire.layer(echo()))))

  it.effect("need the options that a request needs, and refuse the texts among them", () =>
    Effect.gen(function*() {
      const translation = yield* Translation
      const writing = yield* Writing
      // @ts-expect-error no target
      const withoutTarget = () => translation.translateAll(["a"])
      // @ts-expect-error no target
      const withoutField = () => translation.translateAll(["a"], {})
      // @ts-expect-error the texts come first
      const withText = () => writing.correctAll(["a"], { text: ["a"] })
      // @ts-expect-error both
      const both = () => writing.rephraseAll(["a"], { tone: "friendly", writingStyle: "business" })
      // @ts-expect-error no strings
      const numbers = () => writing.correctAll([1])
      // @ts-expect-error no target
      const oneWithoutTarget = () => translation.translate("a")
      // @ts-expect-error both
      const oneWithBoth = () => writing.rephrase("a", { tone: "friendly", writingStyle: "business" })
      // @ts-expect-error only for any number of texts
      const oneSplit = () => writing.correct("a", { split: "sentences" })
      const wrong = [withoutTarget, withoutField, withText, both, numbers, oneWithoutTarget, oneWithBoth, oneSplit]
      expectTypeOf(wrong).toExtend<ReadonlyArray<unknown>>()
    }).pipe(Effect.provide(Wire.layer(echo()))))
})
