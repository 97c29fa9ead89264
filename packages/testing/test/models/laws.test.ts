// What holds of every resource that can be created, read, listed, changed and removed: one table.
import { Admin, Ids, type LanguageService, type OtherServices, StyleRules } from "@effect-lingua/core"
import { Glossaries, GlossariesV2 } from "@effect-lingua/core/glossaries"
import { TranslationMemories } from "@effect-lingua/core/translation-memories"
import { FakeLanguageService, Generators } from "@effect-lingua/testing"
import { assert, describe, it } from "@effect/vitest"
import { type Arbitrary, Effect, Layer, Stream } from "effect"
import { scaled } from "../../../../test/support/scale.ts"

interface Failure {
  readonly _tag: string
}
type Services = Admin | FakeLanguageService | LanguageService.LanguageService | OtherServices.OtherServices
type Call<A> = Effect.Effect<A, Failure, Services>

/** The operations of a resource on an object `A`, of which a list shows at least the id. */
interface Resource<Request, A> {
  readonly request: Arbitrary.Arbitrary<Request>
  readonly create: (request: Request) => Call<A>
  readonly id: (object: A) => string
  /** All ids, of the same parent. */
  readonly list: (object: A) => Call<ReadonlyArray<string>>
  readonly get: (object: A) => Call<A>
  /** Changes an object in a field that can be read. */
  readonly change?: (object: A) => Call<A>
  readonly remove: (object: A) => Call<object | void>
}

const ids = <A, Id extends string>(items: Stream.Stream<A, Failure, Services>, id: (item: A) => Id) =>
  Effect.map(Stream.runCollect(items), (items) => items.map(id))

/** The laws, of one object and another that it must leave alone. */
const laws = <Request, A>(name: string, { change, create, get, id, list, remove, request }: Resource<Request, A>) =>
  it.effect.prop(name, [request, request], ([first, second]) =>
    Effect.gen(function*() {
      const one = yield* create(first)
      const other = yield* create(second)
      assert.notStrictEqual(id(one), id(other))
      assert.deepStrictEqual(yield* get(one), one, "what is created is read")
      for (const object of [one, other]) {
        assert.include(yield* list(object), id(object), "what is created is listed")
        assert.strictEqual(new Set(yield* list(object)).size, (yield* list(object)).length, "each once")
      }
      if (change !== undefined) {
        const changed = yield* change(one)
        assert.notDeepEqual(changed, one)
        assert.strictEqual(id(changed), id(one))
        assert.deepStrictEqual(yield* get(one), changed, "what is changed is read")
      }
      yield* remove(one)
      assert.notInclude(yield* list(other), id(one), "what is removed is not listed")
      assert.strictEqual((yield* Effect.flip(get(one)))._tag, "NotFound", "and cannot be read")
      assert.strictEqual((yield* Effect.flip(remove(one)))._tag, "NotFound", "and cannot be removed again")
      assert.deepStrictEqual(yield* get(other), other, "all else stays")
    }).pipe(Effect.provide(layer)), { arbitrary: { runs: scaled(2, 10) } })

const layer = FakeLanguageService.layerAdmin().pipe(Layer.provideMerge(FakeLanguageService.layerServices()))

const rules = <A, E extends Failure>(call: (service: StyleRules["Service"]) => Effect.Effect<A, E>) =>
  StyleRules.use(call)

const memory = (translationMemoryId: Ids.TranslationMemoryId) =>
  TranslationMemories.use(({ get }) => get({ translationMemoryId }))

// A key has no address to read it from, and stays in the list when it is deactivated.
const key = (keyId: Ids.KeyId) =>
  Effect.flatMap(
    Admin.use(({ listKeys }) => Stream.runCollect(listKeys)),
    (keys) =>
      Effect.fromNullishOr(keys.find((key) => key.keyId === keyId && !key.isDeactivated)).pipe(
        Effect.mapError(() => ({ _tag: "NotFound" }))
      )
  )
describe("the laws of", () => {
  laws("style rule lists", {
    request: Generators.request("StyleRules.create"),
    create: (request) => rules(({ create }) => create(request)),
    id: ({ styleId }) => styleId,
    list: () => ids(Stream.unwrap(StyleRules.useSync(({ list }) => list())), ({ styleId }) => styleId),
    get: ({ styleId }) => rules(({ get }) => get({ styleId })),
    change: ({ styleId }) => rules(({ rename }) => rename({ styleId, name: "changed" })),
    remove: ({ styleId }) => rules(({ remove }) => remove({ styleId }))
  })

  // All in the first list of the fake.
  const list = Effect.map(
    rules((rules) => Stream.runCollect(rules.list())),
    ([list]) => ({ styleId: list?.styleId ?? Ids.StyleId.make("none") })
  )
  laws("instructions", {
    request: Generators.request("StyleRules.addInstruction"),
    create: ({ label, prompt }) =>
      rules((rules) => rules.create({ name: "list", language: "en" })).pipe(
        Effect.andThen(list),
        Effect.flatMap(({ styleId }) => rules(({ addInstruction }) => addInstruction({ styleId, label, prompt })))
      ),
    id: ({ instructionId }) => instructionId,
    list: () =>
      Effect.flatMap(list, ({ styleId }) => rules(({ get }) => get({ styleId }))).pipe(
        Effect.map(({ customInstructions }) => (customInstructions ?? []).map(({ instructionId }) => instructionId))
      ),
    get: ({ instructionId }) =>
      Effect.flatMap(list, (ref) => rules(({ getInstruction }) => getInstruction({ ...ref, instructionId }))),
    change: ({ instructionId, prompt, sourceLanguage = "en" }) =>
      Effect.flatMap(
        list,
        (ref) =>
          rules(({ replaceInstruction }) =>
            replaceInstruction({ ...ref, instructionId, label: "changed", prompt, sourceLanguage })
          )
      ),
    remove: ({ instructionId }) =>
      Effect.flatMap(list, (ref) => rules(({ removeInstruction }) => removeInstruction({ ...ref, instructionId })))
  })

  laws("glossaries", {
    request: Generators.request("Glossaries.create"),
    create: (request) => Glossaries.use(({ create }) => create(request)),
    id: ({ glossaryId }) => glossaryId,
    list: () => ids(Stream.unwrap(Glossaries.useSync(({ list }) => list)), ({ glossaryId }) => glossaryId),
    get: ({ glossaryId }) => Glossaries.use(({ get }) => get({ glossaryId })),
    change: ({ glossaryId }) => Glossaries.use(({ merge }) => merge({ glossaryId, name: "changed" })),
    remove: ({ glossaryId }) => Glossaries.use(({ remove }) => remove({ glossaryId }))
  })

  laws("glossaries of version 2", {
    request: Generators.request("GlossariesV2.create"),
    create: (request) => GlossariesV2.use(({ create }) => create(request)),
    id: ({ glossaryId }) => glossaryId,
    list: () =>
      Effect.map(
        GlossariesV2.use(({ list }) => list),
        ({ glossaries }) => glossaries.map(({ glossaryId }) => glossaryId)
      ),
    get: ({ glossaryId }) => GlossariesV2.use(({ get }) => get({ glossaryId })),
    remove: ({ glossaryId }) => GlossariesV2.use(({ remove }) => remove({ glossaryId }))
  })

  laws("translation memories", {
    request: Generators.translationMemory,
    create: (request) => Effect.flatMap(FakeLanguageService.use((fake) => fake.addTranslationMemory(request)), memory),
    id: ({ translationMemoryId }) => translationMemoryId,
    list: () =>
      ids(
        Stream.unwrap(TranslationMemories.useSync(({ list }) => list)),
        ({ translationMemoryId }) => translationMemoryId
      ),
    get: ({ translationMemoryId }) => memory(translationMemoryId),
    remove: ({ translationMemoryId }) => TranslationMemories.use(({ remove }) => remove({ translationMemoryId }))
  })

  laws("keys", {
    request: Generators.request("Admin.createKey"),
    create: (request) => Effect.flatMap(Admin.use(({ createKey }) => createKey(request)), ({ keyId }) => key(keyId)),
    id: ({ keyId }) => keyId,
    list: () =>
      Effect.map(
        Admin.use(({ listKeys }) => Stream.runCollect(listKeys)),
        (keys) => keys.flatMap(({ isDeactivated, keyId }) => isDeactivated ? [] : [keyId])
      ),
    get: ({ keyId }) => key(keyId),
    change: ({ keyId }) => Admin.use(({ setKeyLabel }) => setKeyLabel({ keyId, label: "changed" })),
    remove: ({ keyId }) => Effect.andThen(key(keyId), Admin.use(({ deactivateKey }) => deactivateKey({ keyId })))
  })
})
