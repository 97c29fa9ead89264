import {
  Admin,
  CallError,
  CustomRequests,
  type Documents,
  LanguageService,
  OtherServices,
  type Writing
} from "@effect-lingua/core"
import { type LanguageServiceConfig, ResiliencePolicy } from "@effect-lingua/core/config"
import { Resources } from "@effect-lingua/core/extension"
import type { OperationName } from "@effect-lingua/core/LanguageServiceApi"
import type { StyleRules } from "@effect-lingua/core/style-rules"
import { FakeLanguageService, Fault, Generators, VirtualTime } from "@effect-lingua/testing"
import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Arbitrary, Duration, Effect, Equal, Formatter, Layer, Predicate, Redacted, Schema, Stream } from "effect"
import { sampled, scaled } from "../../../../test/support/scale.ts"
import * as Sample from "../../../core/test/support/operations.ts"
import * as Answering from "../support/answering.ts"
import { holds, sample, unchecked } from "../support/properties.ts"

type Calls = {
  readonly [Name in OperationName]: (
    request: Generators.Request<Name>
  ) => Effect.Effect<unknown, Generators.Failure<Name>, Admin | LanguageService.LanguageService>
}

/** The names of all operations. */
const operations: ReadonlyArray<OperationName> = Sample.contract.map(({ operation }) => operation)
  .filter(
    (name): name is OperationName => Schema.is(Fault.OperationName)(name)
  )

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a service has the name of its group, and a method that of its endpoint
const methods = Object.fromEntries(
  operations.map((name) => [name, (request: unknown) => Sample.call(name, request)])
) as unknown as Calls

const isDownload = (value: unknown): value is Documents.Download =>
  typeof value === "object" && value !== null && "stream" in value

const calls: Calls = {
  ...methods,
  "Documents.download": (request) =>
    Effect.flatMap(
      methods["Documents.download"](request),
      (value) => isDownload(value) ? Stream.runCollect(value.stream) : Effect.die("a download has a stream")
    )
}

const clientWith = (resilience: LanguageServiceConfig.Options["resilience"]) => {
  const options = { baseUrl: "https://fake.test", resilience }
  return Layer.merge(
    Layer.provideMerge(
      OtherServices.layer,
      LanguageService.layer({ ...options, key: Redacted.make(FakeLanguageService.defaultKey) })
    ),
    Admin.layer({ ...options, adminKey: Redacted.make(FakeLanguageService.defaultAdminKey) })
  )
}
const client = clientWith(ResiliencePolicy.none)
const withFake = Layer.provideMerge(client, FakeLanguageService.layer())
const withFaults = Layer.provideMerge(clientWith({ attempts: 1 }), FakeLanguageService.layer())
const withAnswers = Layer.provideMerge(client, Answering.layer)

/** What a generator shrinks to when anything fails. */
const smallest = <A>(arbitrary: Arbitrary.Arbitrary<A>) =>
  Effect.map(
    Arbitrary.checkEffect(arbitrary, () => false, { runs: 1, size: 20, seed: "generators", maxShrinks: 5000 }),
    (result) => result._tag === "Falsified" ? result.shrunkInput : assert.fail("nothing was falsified")
  )

/** The operations of the contract: the schemas of a successful answer and of the errors by their status, and their facts. */
const contract = new Map(Sample.contract.map(({ endpoint, errors, operation, repeat, successes }) => [operation, {
  success: [...successes.values()].flat()[0],
  errors: [...errors].flatMap(([status, schemas]) => schemas.map((schema) => [status, schema] as const)),
  hasInput: endpoint.params !== undefined || endpoint.query !== undefined || endpoint.payload.size > 0,
  hasBody: !successes.has(204),
  creates: repeat === "Create"
}]))

/** The names of the errors that the contract declares for an operation. */
const declaredTags = (name: OperationName) =>
  (contract.get(name)?.errors ?? []).flatMap(([, schema]) => {
    const { ast } = Schema.toType(schema)
    const members = "types" in ast && Array.isArray(ast.types) ? ast.types : [ast]
    return members.map((member) => String(member.annotations?.identifier))
  })

const contractOf = (name: OperationName) => contract.get(name) ?? assert.fail(name)

/** The error that a call ends with. */
const errorOf = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<E | undefined, never, R> =>
  Effect.match(call, { onFailure: (error) => error, onSuccess: () => undefined })

/** What all errors have; some of it only those that came by the wire. */
interface Told {
  readonly _tag: string
  readonly operation: string
  readonly message: string
  readonly attempts: ReadonlyArray<{ readonly number: number; readonly failure?: string; readonly waitCause?: string }>
  readonly status?: number
}

const isTold = (error: unknown): error is Told => Predicate.hasProperty(error, "attempts")

/** Whether the error travels as it is: a second status is decoded only, and the failures of a call have no wire. */
const travels = (name: OperationName, error: Told): boolean =>
  error.status !== 401 && error.status !== 408 &&
  !(error._tag === "DocumentAlreadyDownloaded" && error.status === 503) &&
  contract.get(name)?.errors.some(([status, schema]) =>
      status === error.status && Schema.is(Schema.toType(schema))(error)
    ) === true

type Call<Name extends OperationName> = (request: Generators.Request<Name>) => Effect.Effect<
  unknown,
  { readonly _tag: string },
  Admin | LanguageService.LanguageService | OtherServices.OtherServices
>

/** The fake accepts the generated values of a body. */
const accepted = <A, E extends Schema.Json>(path: `/${string}`, body: Schema.Codec<A, E>) =>
  holds(
    Generators.schema(body),
    (value) => CustomRequests.use(({ send }) => send({ method: "POST", path, body: Schema.encodeSync(body)(value) })),
    { runs: scaled(6, 100) }
  )

type Of<G> = G extends Arbitrary.Arbitrary<infer A> ? A : never

/** Objects of each kind. */
const world = Arbitrary.all({
  lists: Arbitrary.array(Generators.styleRuleList, { maxLength: 2 }),
  glossaries: Arbitrary.array(Generators.glossary, { minLength: 1, maxLength: 2 }),
  memories: Arbitrary.array(Generators.translationMemory, { minLength: 1, maxLength: 2 }),
  documents: Arbitrary.array(Generators.document, { maxLength: 2 }),
  seed: Arbitrary.schema(Schema.Int),
  made: Arbitrary.all({
    glossary: Generators.request("GlossariesV2.create"),
    import: Generators.request("TranslationMemories.startImport"),
    evaluation: Generators.request("QualityEvaluation.start")
  })
})

/** The state of a new service with these objects, and with an instruction and a document that is done. */
const build = Effect.fnUntraced(function*({ documents, glossaries, lists, made, memories }: Of<typeof world>) {
  const fake = yield* FakeLanguageService
  yield* fake.reset
  const instructions = [{ label: "a", prompt: "b" }]
  yield* Effect.forEach(
    [{ name: "a", language: "de", customInstructions: instructions }, ...lists],
    fake.addStyleRuleList
  )
  yield* Effect.forEach(glossaries, fake.addGlossary)
  yield* Effect.forEach(memories, fake.addTranslationMemory)
  yield* Effect.forEach([{ content: "a", readyAfter: 0 }, ...documents], fake.addDocument)
  yield* calls["GlossariesV2.create"](made.glossary)
  yield* calls["TranslationMemories.startImport"](made.import)
  yield* calls["QualityEvaluation.start"](made.evaluation)
  return yield* fake.state
})

/** What can be said of one operation, with its own types. */
const operation = <Name extends OperationName>(name: Name) => {
  const call: Call<Name> = calls[name]
  const tags = [...declaredTags(name), ...Object.keys(CallError)]
  /** One request in the state of a new service. */
  const requestIn = <E, R>(
    given: Of<typeof world>,
    property: (request: Generators.Request<Name>) => Effect.Effect<unknown, E, R>
  ) =>
    Effect.flatMap(
      build(given),
      (state) => holds(Generators.request(name, state), property, { runs: 1, size: 5, seed: given.seed })
    )
  return {
    accepts: holds(Generators.request(name), (request) =>
      // Only required ids are there without a state.
      Object.keys(Object(request)).some((key) => key.endsWith("Id")) ? Effect.succeed(unchecked) : call(request)),
    acceptsIn: holds(world, (given) => requestIn(given, call), { runs: scaled(1, 15), size: 5 }),
    showsFaults: holds(
      Arbitrary.all({ fault: Generators.fault(name), given: world }),
      ({ fault, given }) =>
        requestIn(given, (request) =>
          Effect.gen(function*() {
            const fake = yield* FakeLanguageService
            yield* fake.script({ operation: name, fault })
            const error = yield* errorOf(call(request))
            assert.deepStrictEqual(yield* fake.unplayed, [])
            if (error !== undefined) assert.include(tags, error._tag, `${name}: ${Fault.format(fault)}`)
            // A status is decoded as one of the errors that are declared for it. A document that is not ready is awaited.
            if ("status" in fault && !(name === "Documents.download" && fault.status === 503)) {
              assert.notInclude([undefined, "UnexpectedResponse"], error?._tag, `${name}: ${Fault.format(fault)}`)
            }
          })),
      { runs: scaled(1, 15), size: 5 }
    ),
    hasWeather: holds(
      Arbitrary.all({ weather: Generators.weather(name), given: world }),
      ({ given, weather }) =>
        requestIn(given, (request) =>
          Effect.gen(function*() {
            const fake = yield* FakeLanguageService
            yield* fake.weather(weather)
            const error = yield* errorOf(call(request))
            if (error !== undefined) assert.include(tags, error._tag)
            yield* fake.weather({})
          })),
      { runs: scaled(1, 6), size: 5 }
    ),
    takesAnswers: Effect.flatMap(Answering.Answering, (service) =>
      holds(
        Arbitrary.flatMap(Generators.request(name), (request) =>
          Arbitrary.map(Generators.responseTo(name, request), (response) => ({ request, response }))),
        ({ request, response }) => {
          service.next = Effect.succeed(response)
          return call(request)
        }
      )),
    tellsErrors: Effect.flatMap(Answering.Answering, (service) =>
      holds(
        Arbitrary.flatMap(Generators.request(name), (request) =>
          Arbitrary.map(Generators.error(name), (error) => ({ error, request }))),
        ({ error, request }) => {
          if (!isTold(error)) {
            return assert.fail("an error has a ledger")
          }
          const { attempts, message, operation } = error
          assert.strictEqual(operation, name)
          assert.isTrue(message.startsWith(name), message)
          assert.deepStrictEqual(
            attempts.map(({ number }) =>
              number
            ),
            attempts.map((_, index) => index + 1)
          )
          if (attempts.length > 0) assert.strictEqual(attempts.at(-1)?.failure, error._tag)
          if (/^(InvalidInput|LimitExceeded|BudgetExceeded|CircuitOpen|Busy)$/.test(error._tag)) {
            assert.isEmpty(attempts)
          }
          // A call has five attempts by default, and waits before each but the first.
          const causes = Array.from({ length: 5 }, (_, index) => index === 0 ? undefined : "backoff")
          assert.deepStrictEqual(attempts.map(({ waitCause }) => waitCause), causes.slice(0, attempts.length))
          if (!travels(name, error)) return Effect.succeed(unchecked)
          service.next = Effect.fail(error)
          return Effect.map(errorOf(call(request)), (came) => {
            // What creates does not fail with an error that leaves its effect open.
            assert.strictEqual(Object(came).constructor, Object(error).constructor)
            // The service tells neither the ledger, nor the characters and the document of the request, nor the journal.
            const more = { document: undefined, repeat: undefined, pending: [] }
            const ofClient = { attempts: [], possiblyCountedCharacters: 0, ...more }
            const [fields, others] = [{ ...error, ...ofClient }, { ...came, ...ofClient }]
            assert.isTrue(Equal.equals(others, fields), `${Formatter.format(others)} for ${Formatter.format(fields)}`)
          })
        }
      )),
    // They are made when they are asked for: that takes longer than most tests.
    request: () => Generators.request(name),
    response: () => Generators.response(name),
    error: () => Generators.error(name)
  }
}

/** Fails if fewer operations had something to check. */
const atLeast = (least: number) => <E, R>(checked: Effect.Effect<ReadonlyArray<number>, E, R>) =>
  Effect.map(checked, (counts) => {
    assert.isAtLeast(counts.filter((count) => count > 0).length, least, "operations with something to check")
  })

const distinct = (values: ReadonlyArray<unknown>) => new Set(values.map((value) => Formatter.format(value))).size

describe("Generators", () => {
  it.effect(
    "give requests that the service accepts",
    () =>
      Effect.forEach(sampled(operations, 20), (name) => operation(name).accepts).pipe(
        atLeast(scaled(7, 23)),
        Effect.provide(withFake)
      )
  )

  it.effect(
    "give requests that the service accepts in a state",
    () =>
      Effect.forEach(sampled(operations, 10), (name) => operation(name).acceptsIn, { discard: true }).pipe(
        Effect.provide(withFake)
      )
  )

  it.effect("give faults that an operation can have, with errors that it declares", () =>
    VirtualTime.run(Effect.forEach(sampled(operations, 5), (name) => operation(name).showsFaults, { discard: true }))
      .pipe(Effect.provide(withFaults)))

  it.effect("give weathers that an operation can have, with errors that it declares", () =>
    VirtualTime.run(Effect.forEach(sampled(operations, 5), (name) => operation(name).hasWeather, { discard: true }))
      .pipe(Effect.provide(withFaults)))

  it.effect("give optional ids of a state only", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      const none = yield* sample(Generators.request("Translation.translate", yield* fake.state))
      assert.isTrue(none.every((request) => !Object.keys(request).some((key) => /Id(s)?$/.test(key))))
      const state = yield* fake.state
      assert.throws(() => Generators.request("StyleRules.get", state), "no object for a request of StyleRules.get")
    }).pipe(Effect.provide(withFake)))

  it.effect(
    "give answers that the client takes for their requests",
    () =>
      Effect.forEach(sampled(operations, 10), (name) => operation(name).takesAnswers, { discard: true }).pipe(
        Effect.provide(withAnswers)
      )
  )

  it.effect("give answers that come through the codec of the contract as they were", () =>
    Effect.forEach(sampled(operations, 10), (name) => {
      const schema = contract.get(name)?.success
      if (schema === undefined || !contractOf(name).hasBody) return Effect.void
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the codecs of the contract need no services
      const codec = Schema.toCodecJson(schema) as unknown as Schema.Codec<unknown, unknown>
      return holds(operation(name).response(), (response) =>
        Schema.encodeEffect(codec)(response).pipe(
          Effect.flatMap((json) => Schema.decodeUnknownEffect(codec)(JSON.parse(JSON.stringify(json)))),
          Effect.map((decoded) => Equal.equals(decoded, response))
        ))
    }, { discard: true }))

  it.effect("give names of at most the bytes that the service allows", () =>
    Effect.gen(function*() {
      for (const name of ["Glossaries.create", "Glossaries.get", "GlossariesV2.create"] as const) {
        const names = (yield* sample(operation(name).response())).flatMap((value) =>
          Predicate.hasProperty(value, "name") && typeof value.name === "string" ? [value.name] : []
        )
        assert.isNotEmpty(names)
        for (const given of names) assert.isAtMost(Buffer.byteLength(given), 1024, name)
        // Each character may take four bytes.
        assert.strictEqual(Math.max(...names.map((given) => Array.from(given).length)), 256, name)
      }
    }))

  it.effect("vary", () =>
    Effect.forEach(sampled(operations, 5), (name) =>
      Effect.gen(function*() {
        const { error, request, response } = operation(name)
        if (contractOf(name).hasInput) {
          // There are few lists of languages, and a key need not have a label.
          const least = name.startsWith("Languages") ? 3 : name === "Admin.createKey" ? 10 : 20
          assert.isAtLeast(distinct(yield* sample<unknown>(request())), least, name)
        }
        if (contractOf(name).hasBody) assert.isAtLeast(distinct(yield* sample<unknown>(response())), 20, name)
        assert.isAtLeast(distinct(yield* sample<unknown>(error())), 20, name)
      }), { discard: true }))

  it.effect("give languages features by the names that features have", () =>
    Effect.gen(function*() {
      const lists = yield* sample(Generators.response("Languages.list"))
      const names = lists.flat().flatMap(({ features = {} }) => Object.keys(features))
      assert.isNotEmpty(names)
      for (const name of names) assert.match(name, /^[a-z]+(_[a-z]+)*$/)
    }))

  it.effect("give bodies of the contract that the fake accepts", () =>
    Effect.all([
      accepted("/v2/translate", Resources.TranslationApi.TranslateBody),
      accepted("/v2/write/rephrase", Resources.WritingApi.RephraseBody),
      accepted("/v2/write/correct", Resources.WritingApi.CorrectBody),
      accepted("/v3/glossaries", Resources.GlossariesApi.NewGlossary),
      accepted("/v2/glossaries", Resources.GlossariesApi.NewGlossaryV2),
      accepted("/v1/quality-evaluation", Resources.QualityEvaluationApi.NewEvaluation)
    ]).pipe(Effect.provide(withFake)))

  it.effect("give entries of a glossary in each form", () =>
    Effect.gen(function*() {
      const requests = yield* sample(Generators.request("Glossaries.create"))
      const forms = requests.flatMap(({ dictionaries }) =>
        dictionaries.map(({ entries }) => "tsv" in entries ? "tsv" : "csv" in entries ? "csv" : "map")
      )
      assert.deepStrictEqual(new Set(forms), new Set(["map", "tsv", "csv"]))
    }))

  it.effect("shrink to what is small", () =>
    Effect.gen(function*() {
      assert.isTrue(Equal.equals(yield* smallest(Generators.request("Writing.rephrase")), { text: [""] }))
      assert.isTrue(
        Equal.equals(yield* smallest(Generators.request("Translation.translate")), {
          text: [""],
          targetLanguage: "en-GB"
        })
      )
      assert.isTrue(
        Equal.equals(yield* smallest(Generators.request("StyleRules.create")), { name: "a", language: "en" })
      )
      assert.isTrue(Equal.equals(yield* smallest(Generators.response("Writing.correct")), { improvements: [] }))
      for (const name of sampled(operations, 5)) {
        const { error, request, response } = operation(name)
        for (const make of [request, response, error]) {
          const text = Formatter.format(yield* smallest<unknown>(make()))
          assert.isBelow(text.length, 600, `${name}: ${text}`)
        }
      }
      const failing = yield* Arbitrary.checkEffect(
        Generators.request("Writing.correct"),
        ({ text }) => !text.some((item) => item.includes("👋")),
        { seed: "generators", maxShrinks: 2000 }
      )
      assert.deepInclude(failing, { _tag: "Falsified" })
      if (failing._tag === "Falsified") assert.deepStrictEqual(failing.shrunkInput.text, ["👋"])
    }))

  it.effect("give texts of many scripts, with emoji, white space and nothing at all", () =>
    Effect.gen(function*() {
      const texts = (yield* sample(Generators.request("Translation.translate"), 100)).flatMap(({ text }) => text)
      for (
        const script of [/\p{Script=Latin}/u, /\p{Script=Arabic}/u, /\p{Script=Han}/u, /\p{Script=Hangul}/u, /👋/u]
      ) {
        assert.isTrue(texts.some((text) => script.test(text)), `${script}`)
      }
      assert.include(texts, "")
      assert.isTrue(texts.some((text) => text !== "" && text.trim() === ""))
      const counts = (yield* sample(Generators.request("Detection.detect"), 100)).map(({ text }) => text.length)
      assert.strictEqual(Math.max(...counts), 50)
      assert.strictEqual(Math.min(...counts), 1)
    }))

  it.effect("never exceed the size of a body", () =>
    Effect.gen(function*() {
      const requests = yield* Arbitrary.sampleEffect(Generators.request("Writing.correct"), {
        count: scaled(200, 1000),
        size: 4,
        seed: "generators"
      })
      const largest = Math.max(...requests.map((request) => new TextEncoder().encode(JSON.stringify(request)).length))
      assert.isAtMost(largest, 10 * 1024)
    }))

  it.effect(
    "give every error that a method can fail with, and no other",
    () =>
      Effect.forEach(sampled(operations, 4), (name) =>
        Effect.gen(function*() {
          const errors = yield* sample<{ readonly _tag: string }>(operation(name).error(), scaled(200, 600))
          const tags = new Set(errors.map(({ _tag }) => _tag))
          const { creates } = contractOf(name)
          const declared = declaredTags(name).filter((tag) =>
            !creates || !["InternalServerError", "BadGateway", "GatewayTimeout"].includes(tag)
          )
          const ofCall = Object.keys(CallError).filter((tag) => tags.has(tag))
          assert.deepStrictEqual([...tags].toSorted(), [...new Set([...declared, ...ofCall])].toSorted(), name)
          assert.strictEqual(tags.has("OutcomeUnknown"), creates, name)
          assert.strictEqual(tags.has("ConnectionLost"), !creates, name)
          assert.strictEqual(tags.has("DownloadInterrupted"), name === "Documents.download")
        }), { discard: true })
  )

  it.effect(
    "give errors that come through the wire as they were, with a ledger that fits",
    () =>
      Effect.forEach(sampled(operations, 10), (name) => operation(name).tellsErrors).pipe(
        atLeast(scaled(7, 40)),
        Effect.provide(withAnswers)
      )
  )

  it("have the types of the methods", () => {
    expectTypeOf(Generators.request("Writing.rephrase")).toEqualTypeOf<Arbitrary.Arbitrary<Writing.RephraseOptions>>()
    expectTypeOf(Generators.request("StyleRules.create")).toEqualTypeOf<Arbitrary.Arbitrary<StyleRules.CreateOptions>>()
    expectTypeOf(Generators.request("Languages.resources")).toEqualTypeOf<Arbitrary.Arbitrary<void>>()
    expectTypeOf(Generators.response("Writing.rephrase")).toEqualTypeOf<
      Arbitrary.Arbitrary<Resources.WritingApi.Improvements>
    >()
    expectTypeOf(Generators.error("Writing.rephrase")).toEqualTypeOf<
      Arbitrary.Arbitrary<Effect.Error<ReturnType<Writing["Service"]["rephrase"]>>>
    >()
  })
})

/** The rates that occur in weathers of an operation. */
const ratesOf = (operation?: OperationName) =>
  Effect.map(
    sample(Generators.weather(operation), 200),
    (weathers) => new Set(weathers.flatMap((weather) => Object.keys(weather).filter((key) => key.startsWith("rate"))))
  )

describe("Generators of states", () => {
  it.effect("give lists, glossaries and memories that the fake takes", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* holds(Generators.styleRuleList, (list) =>
        Effect.map(fake.addStyleRuleList(list), ({ customInstructions, name, version }) => {
          assert.strictEqual(name, list.name)
          assert.strictEqual(version, 1)
          assert.strictEqual(customInstructions.length, list.customInstructions?.length ?? 0)
        }), { runs: 60 })
      yield* holds(Generators.glossary, fake.addGlossary, { runs: 60 })
      yield* holds(Generators.translationMemory, fake.addTranslationMemory, { runs: 60 })
      const { glossaries, styleRuleLists, translationMemories } = yield* fake.state
      for (const { length } of [glossaries, styleRuleLists, translationMemories]) {
        assert.isAbove(length, 50)
      }
      const pairs = glossaries.flatMap(({ dictionaries }) =>
        dictionaries
      )
      assert.isAbove(
        new Set(pairs.map((pair) =>
          `${pair.sourceLanguage} ${pair.targetLanguage}`
        )).size,
        20
      )
      assert.isTrue(translationMemories.some(({ targetLanguages }) => targetLanguages.length > 1))
    }).pipe(Effect.provide(FakeLanguageService.layer())))

  it.effect("give quotas, scripts and weathers that the fake takes", () =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService
      yield* holds(Generators.quota, (quota) =>
        Effect.andThen(
          fake.setQuota(quota),
          Effect.map(fake.quota(), (set) =>
            Equal.equals([set.characters, set.used, Duration.toMillis(set.period)], [
              quota.characters,
              quota.used,
              Duration.toMillis(quota.period)
            ]))
        ))
      yield* holds(Generators.script, fake.script)
      yield* holds(Generators.weather(), fake.weather)
    }).pipe(Effect.provide(withFake)))

  it.effect("give faults of each kind", () =>
    Effect.gen(function*() {
      const faults = yield* sample(Generators.fault(), 200)
      const kinds = ["status", "reset", "truncated", "stalled", "malformed", "wrongLength", "jobFails"]
      const found = new Set(faults.map((fault) => kinds.find((kind) => kind in fault) ?? "slow"))
      assert.deepStrictEqual([...found].toSorted(), [...kinds, "slow"].toSorted())
    }))

  it.effect("give weathers with the rates of an operation", () =>
    Effect.gen(function*() {
      const all = yield* ratesOf()
      assert.isAtLeast(all.size, 12)
      const without = (...names: ReadonlyArray<string>) => new Set([...all].filter((name) => !names.includes(name)))
      assert.deepStrictEqual(yield* ratesOf("Writing.correct"), all)
      assert.deepStrictEqual(yield* ratesOf("Usage.get"), without("rateWrongLength"))
      assert.deepStrictEqual(yield* ratesOf("Documents.download"), without("rateMalformed", "rateWrongLength"))
      assert.deepStrictEqual(
        yield* ratesOf("StyleRules.remove"),
        without("rateMalformed", "rateStalled", "rateTruncated", "rateWrongLength")
      )
      const weathers = yield* sample(Generators.weather("Usage.get"))
      assert.deepStrictEqual(new Set(weathers.flatMap(({ operations = [] }) => operations)), new Set(["Usage.get"]))
    }))

  it.effect("give options that a fake can be made of", () =>
    holds(Generators.options, (options) =>
      Effect.gen(function*() {
        const { characters } = yield* (yield* FakeLanguageService).quota()
        if (options.quota !== undefined) assert.strictEqual(characters, options.quota.characters)
      }).pipe(Effect.provide(FakeLanguageService.layer(options), { local: true })), { runs: 20 }))
})
