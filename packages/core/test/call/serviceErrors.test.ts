import type * as Admin from "@effect-lingua/core/account/Admin"
import type * as Usage from "@effect-lingua/core/account/Usage"
import type * as Documents from "@effect-lingua/core/documents/Documents"
import type * as Glossaries from "@effect-lingua/core/glossaries/Glossaries"
import type * as Languages from "@effect-lingua/core/languages/Languages"
import type * as QualityEvaluation from "@effect-lingua/core/quality-evaluation/QualityEvaluation"
import type * as StyleRules from "@effect-lingua/core/style-rules/StyleRules"
import type * as Detection from "@effect-lingua/core/texts/Detection"
import type * as Translation from "@effect-lingua/core/texts/Translation"
import type * as Writing from "@effect-lingua/core/texts/Writing"
import type * as TranslationMemories from "@effect-lingua/core/translation-memories/TranslationMemories"
import { describe, it } from "@effect/vitest"
import type { Effect, Stream } from "effect"
import { expectTypeOf } from "vitest"

type ErrorOf<A> = A extends Effect.Effect<infer _, infer E, infer _> | Stream.Stream<infer _, infer E, infer _> ? E
  : never

/** The errors of a method. A method that takes effects has those of its caller besides. */
type ErrorsOf<A> = unknown extends ErrorOf<A> ? never : ErrorOf<A>

/** The errors of all methods of a service. */
type Errors<S> = { [K in keyof S]: S[K] extends (...args: never) => infer A ? ErrorsOf<A> : never }[keyof S]

describe("AnyError", () => {
  it("of a service has the errors of each of its methods", () => {
    expectTypeOf<Errors<Admin.Admin["Service"]>>().toExtend<Admin.AnyError>()
    expectTypeOf<Errors<Usage.Usage["Service"]>>().toExtend<Usage.AnyError>()
    expectTypeOf<Errors<Documents.Documents["Service"]>>().toExtend<Documents.AnyError>()
    expectTypeOf<Errors<Glossaries.Glossaries["Service"]>>().toExtend<Glossaries.AnyError>()
    expectTypeOf<Errors<Languages.Languages["Service"]>>().toExtend<Languages.AnyError>()
    expectTypeOf<Errors<QualityEvaluation.QualityEvaluation["Service"]>>().toExtend<QualityEvaluation.AnyError>()
    expectTypeOf<Errors<StyleRules.StyleRules["Service"]>>().toExtend<StyleRules.AnyError>()
    expectTypeOf<Errors<Detection.Detection["Service"]>>().toExtend<Detection.AnyError>()
    expectTypeOf<Errors<Translation.Translation["Service"]>>().toExtend<Translation.AnyError>()
    expectTypeOf<Errors<Writing.Writing["Service"]>>().toExtend<Writing.AnyError>()
    expectTypeOf<Errors<TranslationMemories.TranslationMemories["Service"]>>().toExtend<TranslationMemories.AnyError>()
  })

  it("has no other errors", () => {
    expectTypeOf<Exclude<Admin.AnyError["_tag"], Errors<Admin.Admin["Service"]>["_tag"]>>().toEqualTypeOf<never>()
    expectTypeOf<Exclude<Usage.AnyError["_tag"], Errors<Usage.Usage["Service"]>["_tag"]>>().toEqualTypeOf<never>()
    expectTypeOf<Exclude<Documents.AnyError["_tag"], Errors<Documents.Documents["Service"]>["_tag"]>>().toEqualTypeOf<
      never
    >()
    expectTypeOf<Exclude<Glossaries.AnyError["_tag"], Errors<Glossaries.Glossaries["Service"]>["_tag"]>>()
      .toEqualTypeOf<never>()
    expectTypeOf<Exclude<Languages.AnyError["_tag"], Errors<Languages.Languages["Service"]>["_tag"]>>().toEqualTypeOf<
      never
    >()
    expectTypeOf<
      Exclude<QualityEvaluation.AnyError["_tag"], Errors<QualityEvaluation.QualityEvaluation["Service"]>["_tag"]>
    >().toEqualTypeOf<never>()
    expectTypeOf<Exclude<StyleRules.AnyError["_tag"], Errors<StyleRules.StyleRules["Service"]>["_tag"]>>()
      .toEqualTypeOf<never>()
    expectTypeOf<Exclude<Detection.AnyError["_tag"], Errors<Detection.Detection["Service"]>["_tag"]>>().toEqualTypeOf<
      never
    >()
    expectTypeOf<Exclude<Translation.AnyError["_tag"], Errors<Translation.Translation["Service"]>["_tag"]>>()
      .toEqualTypeOf<never>()
    expectTypeOf<Exclude<Writing.AnyError["_tag"], Errors<Writing.Writing["Service"]>["_tag"]>>().toEqualTypeOf<never>()
    expectTypeOf<
      Exclude<TranslationMemories.AnyError["_tag"], Errors<TranslationMemories.TranslationMemories["Service"]>["_tag"]>
    >().toEqualTypeOf<never>()
  })
})
