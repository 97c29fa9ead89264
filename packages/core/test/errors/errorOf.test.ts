import type { Documents, Glossaries, Languages, Translation, TranslationMemories, Usage } from "@effect-lingua/core"
import type { ErrorOf, InvalidInput, LimitExceeded } from "@effect-lingua/core/errors/CallError"
import { describe, it } from "@effect/vitest"
import { Context, type Effect, type Stream } from "effect"
import { expectTypeOf } from "vitest"

class Texts extends Context.Service<Texts, {
  readonly size: number
  readonly reset: () => Effect.Effect<void>
  readonly read: () => Stream.Stream<string, "read">
  readonly save: {
    <Text extends string>(text: Text): Effect.Effect<Text, "save">
    <Text extends string>(text: ReadonlyArray<Text>): Effect.Effect<ReadonlyArray<Text>, "save">
  }
  readonly saveAll: <E>(texts: Stream.Stream<string, E>) => Effect.Effect<void, "save" | E>
}>()("@effect-lingua/core/test/errors/errorOf.test/Texts") {}

describe("ErrorOf", () => {
  it("a method that returns an effect or a stream, with overloads and type parameters", () => {
    expectTypeOf<ErrorOf<typeof Texts, "save">>().toEqualTypeOf<"save">()
    expectTypeOf<ErrorOf<typeof Texts, "read">>().toEqualTypeOf<"read">()
    expectTypeOf<ErrorOf<typeof Texts, "read" | "save">>().toEqualTypeOf<"read" | "save">()
    type Translate = ErrorOf<typeof Translation, "translate">
    expectTypeOf<ErrorOf<typeof Translation, "translateInto">>().toEqualTypeOf<Translate>()
    expectTypeOf<InvalidInput | LimitExceeded>().toExtend<Translate>()
    expectTypeOf<Stream.Error<ReturnType<TranslationMemories["Service"]["download"]>>>().toEqualTypeOf<
      ErrorOf<typeof TranslationMemories, "download">
    >()
  })

  it("a method that cannot fail, or passes its caller's errors on, and a value", () => {
    expectTypeOf<ErrorOf<typeof Texts, "reset" | "saveAll" | "size">>().toEqualTypeOf<never>()
    expectTypeOf<ErrorOf<typeof Translation, "translateAll">>().toEqualTypeOf<never>()
    expectTypeOf<ErrorOf<typeof Documents, "saveTo" | "recover" | "journal">>().toEqualTypeOf<never>()
  })

  it("is narrowed by a category", () => {
    type OfCategory<Category> = Extract<
      ErrorOf<typeof Translation, "translate">,
      { readonly category: Category }
    >["_tag"]
    expectTypeOf<OfCategory<"quota">>().toEqualTypeOf<"QuotaExceeded">()
    expectTypeOf<OfCategory<"budget">>().toEqualTypeOf<"BudgetExceeded">()
    expectTypeOf<OfCategory<"access">>().toEqualTypeOf<"AccessDenied" | "InvalidKey" | "MissingScope" | "WrongTier">()
  })

  it("all methods of a service", () => {
    expectTypeOf<ErrorOf<typeof Texts>>().toEqualTypeOf<"read" | "save">()
    expectTypeOf<ErrorOf<Texts>>().toEqualTypeOf<"read" | "save">()
    expectTypeOf<ErrorOf<typeof Translation>>().toEqualTypeOf<ErrorOf<typeof Translation, "translate">>()
    expectTypeOf<ErrorOf<typeof Glossaries>>().toEqualTypeOf<ErrorOf<typeof Glossaries, "sync">>()
    expectTypeOf<ErrorOf<typeof Usage>>().toEqualTypeOf<ErrorOf<typeof Usage, "get">>()
    expectTypeOf<ErrorOf<typeof Languages>>().toEqualTypeOf<ErrorOf<typeof Languages, "find" | "glossaryPairs">>()
  })
})
