/**
 * A cache of paid results: a text that was translated, improved or detected before is not sent again.
 *
 * A layer below the services of a client, over any `BackingPersistence` of Effect: memory, Redis, SQL or a `KeyValueStore`. It works
 * per text: of a list or a run, only unknown texts are sent, each once, and the results are in order. Concurrent calls for the same
 * text share its result.
 *
 * **Details**
 *
 * - A result is found by the host, the operation, the text, the client's `headers`, and every field of the request that changes it. For a glossary the
 *   entries of the pair count too, for a style rule list its version, for a translation memory its time of change: the cache
 *   requests them, at most once in `versionsFor`, which costs no characters. If such a request fails, or takes half of the deadline of
 *   the call or 10 seconds, the call goes past the cache. Under a `withClientTransform` results are kept apart, for the process.
 * - A result from the cache costs nothing: its `billedCharacters`, where they are requested, are 0.
 * - The name of an entry is a digest (SHA-256), so that it does not contain the text; its value is the result as the service sent it.
 *   With `secret`, values are encrypted (AES-256-GCM), and names cannot be guessed from known texts.
 * - A store that fails or is slow costs the saving, never a call: it is logged once, counted in `language_service.client.cache.failures`,
 *   and not used for a second. `language_service.client.cache.texts` and `.saved_characters` count what the cache does.
 *
 * **Example** (A text that is bought once)
 *
 * ```ts import.meta.vitest
 * import * as LanguageService from "@effect-lingua/core/LanguageService"
 * import * as ResultCache from "@effect-lingua/core/caching/ResultCache"
 * import { Translation } from "@effect-lingua/core/texts/Translation"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect, Layer, Redacted } from "effect"
 *
 * const service = LanguageService.layer({ key: Redacted.make("fake-key"), baseUrl: "https://fake.test" }).pipe(
 *   Layer.provide(ResultCache.layerMemory()),
 *   Layer.provideMerge(FakeLanguageService.layer())
 * )
 * const program = Effect.gen(function*() {
 *   const translation = yield* Translation
 *   yield* translation.translate(["One", "Two"], { targetLanguage: "de" })
 *   yield* translation.translate(["Two", "Three"], { targetLanguage: "de" })
 *   const fake = yield* FakeLanguageService.FakeLanguageService
 *   return (yield* fake.requests()).map(({ body }) => body)
 * })
 *
 * const bodies = await Effect.runPromise(Effect.provide(program, service))
 * bodies[1] // => "{\"text\":[\"Three\"],\"target_lang\":\"de\"}"
 * ```
 *
 * @since 0.2.0
 */
import * as Arr from "effect/Array"
import * as Cache from "effect/Cache"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Aead from "effect/crypto/Aead"
import type { CryptoError } from "effect/crypto/CryptoError"
import * as Kdf from "effect/crypto/Kdf"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import type { EncodingError } from "effect/encoding/EncodingError"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Persistence from "effect/persistence/Persistence"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { concerning } from "../client/internal/call.ts"
import { type CurrentCall, currentCall } from "../client/internal/currentCall.ts"
import * as Operations from "../client/internal/operations.ts"
import * as Telemetry from "../client/internal/telemetry.ts"
import type { Sender } from "../client/Sender.ts"
import { usable } from "../config/internal/invalidConfiguration.ts"
import * as Rules from "../config/internal/options.ts"
import * as Region from "../config/internal/region.ts"
import { CurrentEnd } from "../config/internal/regionDeadline.ts"
import { type ClientTransform, InvalidConfiguration, LanguageServiceConfig } from "../config/LanguageServiceConfig.ts"
import * as ResiliencePolicy from "../config/ResiliencePolicy.ts"
import { GlossaryId, StyleId, TranslationMemoryId } from "../contract/Ids.ts"
import * as Monotonic from "../contract/internal/monotonic.ts"
import * as Sha256 from "../contract/internal/sha256.ts"
import { DeadlineExceeded } from "../errors/CallError.ts"
import { countCharacters } from "../errors/internal/checks.ts"
import { type Failure, isFailure } from "../errors/internal/failure.ts"
import type { ContractFailure } from "../errors/internal/unexpected.ts"
import { GlossariesApi } from "../glossaries/GlossariesApi.ts"
import { CurrentTenant, stateOf, type Tenant } from "../resilience/internal/tenants.ts"
import * as Timeout from "../resilience/internal/timeout.ts"
import { StyleRulesApi } from "../style-rules/StyleRulesApi.ts"
import { type Cached, Connect, type ResultCache } from "../texts/internal/resultCache.ts"
import { TranslationMemoriesApi } from "../translation-memories/TranslationMemoriesApi.ts"

/**
 * Options of a cache.
 *
 * @category options
 * @since 0.2.0
 */
export interface Options {
  /** Time for which a result is kept. Default 30 days; the store may drop it earlier. */
  readonly timeToLive?: ResiliencePolicy.DurationInput | undefined
  /** Time for which a version of a glossary, style rule list or translation memory is not requested again. Default 1 minute. */
  readonly versionsFor?: ResiliencePolicy.DurationInput | undefined
  /** Time after which the store counts as down. Default 250 ms. */
  readonly timeout?: ResiliencePolicy.DurationInput | undefined
  /** At least 32 random characters, from which the key of encrypted values and of names is derived. Default: values are plain. */
  readonly secret?: Redacted.Redacted | undefined
  /** The name of the store, for several caches in one. Default `effect_lingua_results`. */
  readonly storeId?: string | undefined
}

interface Decoded {
  readonly timeToLive: Duration.Duration
  readonly versionsFor: Duration.Duration
  readonly timeout: Duration.Duration
  readonly secret: Redacted.Redacted | undefined
  readonly storeId: string
}

const decodeOptions = Rules.struct<Decoded>({
  timeToLive: Rules.positive,
  versionsFor: Rules.duration((millis) => millis >= 0, "must not be negative"),
  timeout: Rules.positive,
  secret: Rules.is(
    (value): value is Redacted.Redacted | undefined =>
      value === undefined || (Redacted.isRedacted(value) && String(Redacted.value(value)).length >= 32),
    "must be Redacted, with at least 32 characters"
  ),
  storeId: Rules.is(
    (value): value is string => typeof value === "string" && /^\w{1,40}$/.test(value),
    "must have 1 to 40 letters, digits and underscores"
  )
})

/** A store that failed is not used for this time. */
const pause = 1000

/** Most milliseconds that a call waits for the versions of what it refers to. */
const patience = 10_000

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Names and values as the store sees them. */
interface Sealing {
  readonly nameOf: (facts: string) => string
  readonly seal: (value: unknown) => Effect.Effect<object, CryptoError>
  readonly open: (stored: object) => Effect.Effect<unknown, CryptoError | EncodingError | Schema.SchemaError>
}

const plain: Sealing = {
  nameOf: (facts) => Sha256.hex(`effect-lingua result\0${facts}`),
  seal: (result) => Effect.succeed({ result }),
  open: (stored) => Effect.sync(() => Reflect.get(stored, "result"))
}

const nonceLength = 12

const fromJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))

/** Derives both keys from the secret. */
const sealed = Effect.fnUntraced(
  function*(secret: string): Effect.fn.Return<Sealing, CryptoError, Kdf.Kdf | Aead.Aead | SecureRandom.SecureRandom> {
    const kdf = yield* Kdf.Kdf
    const aead = yield* Aead.Aead
    const random = yield* SecureRandom.SecureRandom
    const derive = (info: string) =>
      kdf.derive(Kdf.hkdfSha256, encoder.encode(secret), {
        salt: encoder.encode("effect-lingua results"),
        length: 32,
        info: encoder.encode(info)
      })
    const salt = Base64Url.encode(yield* derive("names"))
    const key = yield* Aead.key(Aead.aes256Gcm, yield* derive("values"))
    return {
      nameOf: (facts) => Sha256.hex(`${salt}\0${facts}`),
      seal: Effect.fnUntraced(function*(result) {
        const nonce = yield* random.randomBytes(nonceLength)
        const bytes = yield* aead.encrypt(key, encoder.encode(JSON.stringify(result)), { nonce })
        return { sealed: Base64Url.encode(new Uint8Array([...nonce, ...bytes])) }
      }),
      open: Effect.fnUntraced(function*(stored) {
        const bytes = yield* Effect.fromResult(Base64Url.decode(String(Reflect.get(stored, "sealed"))))
        const opened = yield* aead.decrypt(key, bytes.subarray(nonceLength), { nonce: bytes.subarray(0, nonceLength) })
        return yield* fromJson(decoder.decode(opened))
      })
    }
  }
)

const webCrypto = Layer.mergeAll(Kdf.layerWebCrypto, Aead.layerWebCrypto).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)

const sealingOf = (secret: Redacted.Redacted | undefined): Effect.Effect<Sealing, InvalidConfiguration> =>
  secret === undefined
    ? Effect.succeed(plain)
    : Effect.mapError(
      Effect.provide(sealed(Redacted.value(secret)), webCrypto),
      () => new InvalidConfiguration({ setting: "secret", problem: "cannot be used: this runtime has no Web Crypto" })
    )

const idOf = {
  glossary: Schema.decodeSync(GlossaryId),
  memory: Schema.decodeSync(TranslationMemoryId),
  style: Schema.decodeSync(StyleId)
}

const rootOf = (language: string): string => language.replace(/-.*/, "").toLowerCase()

/** The names of the versions on which results of a body depend. */
const referencesIn = (fields: object): ReadonlyArray<string> => {
  const { glossaryId, glossaryIds = [], sourceLanguage = "", styleId, targetLanguage = "", translationMemoryId }: {
    readonly glossaryId?: string
    readonly glossaryIds?: ReadonlyArray<string>
    readonly sourceLanguage?: string
    readonly styleId?: string
    readonly targetLanguage?: string
    readonly translationMemoryId?: string
  } = fields
  return [
    ...[...(glossaryId === undefined ? [] : [glossaryId]), ...glossaryIds].map((id) =>
      JSON.stringify(["glossary", id, rootOf(sourceLanguage), rootOf(targetLanguage)])
    ),
    ...(styleId === undefined ? [] : [JSON.stringify(["style", styleId])]),
    ...(translationMemoryId === undefined ? [] : [JSON.stringify(["memory", translationMemoryId])])
  ]
}

const Reference = Schema.fromJsonString(Schema.Union([
  Schema.Tuple([Schema.Literal("glossary"), Schema.String, Schema.String, Schema.String]),
  Schema.Tuple([Schema.Literals(["style", "memory"]), Schema.String])
]))

/** A name under the transform of the client that its request passes. */
interface Version {
  readonly name: string
  readonly transform: ClientTransform | undefined
}

/** Requests the versions of what results refer to, for all calls, and so without the policy or the limits of one. */
const makeVersions = Effect.fnUntraced(function*(versionsFor: Duration.Duration) {
  const glossaries = yield* Operations.make(GlossariesApi)
  const lists = yield* Operations.make(StyleRulesApi)
  const memories = yield* Operations.make(TranslationMemoriesApi)
  const request = Effect.fnUntraced(function*(name: string) {
    const [kind, id, source, target] = yield* Schema.decodeUnknownEffect(Reference)(name)
    switch (kind) {
      case "glossary": {
        const query = { sourceLanguage: source, targetLanguage: target }
        return JSON.stringify(yield* glossaries.entries({ params: { glossaryId: idOf.glossary(id) }, query }))
      }
      case "style": {
        const { updatedTime, version } = yield* lists.get({ params: { styleId: idOf.style(id) } })
        return JSON.stringify([version, updatedTime])
      }
      case "memory": {
        const params = { translationMemoryId: idOf.memory(id) }
        const { segmentCount, updatedTime } = yield* memories.get({ params })
        return JSON.stringify([segmentCount, updatedTime])
      }
    }
  })
  const versions = yield* Cache.makeWith(
    ({ name }: Version) =>
      Effect.map(request(name), (version) => Sha256.hex(version)).pipe(
        Effect.provideService(ResiliencePolicy.Override, {}),
        Effect.provideService(CurrentEnd, Number.POSITIVE_INFINITY),
        Effect.provideService(CurrentTenant, undefined)
      ),
    { capacity: 1000, timeToLive: (exit) => Exit.isSuccess(exit) ? versionsFor : pause }
  )
  /** The versions, unless one cannot be requested within some milliseconds. A request that takes longer continues for later calls. */
  return Effect.fnUntraced(function*(names: ReadonlyArray<string>, millis: number) {
    if (names.length === 0) return []
    const transform = yield* Region.CurrentTransform
    const requested = yield* Effect.forkDetach(
      Effect.forEach(names, (name) => Cache.get(versions, { name, transform }), { concurrency: "unbounded" })
    )
    const exit = Option.getOrUndefined(yield* Effect.timeoutOption(Fiber.await(requested), millis))
    return exit !== undefined && Exit.isSuccess(exit) ? exit.value : undefined
  })
})

/** Fields in the order of their names. */
const sorted = (fields: object): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(fields).toSorted(([one], [other]) => one < other ? -1 : 1)

/** The name of no entry. */
const absent = "absent"

/** Reads entries. One that the store cannot read, while it can read others, counts as missing, so that it is replaced. */
const readAll = (store: Store, names: Arr.NonEmptyArray<string>) =>
  Effect.catchCause(
    store.getMany(names),
    () =>
      Effect.andThen(
        store.get(absent),
        Effect.forEach(names, (name) => Effect.catchCause(store.get(name), () => Effect.undefined), {
          concurrency: "unbounded"
        })
      )
  )

/** A refusal by the service, with the names of all texts of the refused request. */
interface Refused<E> {
  readonly failure: E
  readonly names: ReadonlyArray<string>
}

/** A text that a call is sending. */
interface Pending {
  /** Its result for other calls: nothing if one of them is to send it, or the refusal of its request. */
  readonly result: Deferred.Deferred<Option.Option<unknown>, Refused<Failure>>
  readonly tenant: Tenant | undefined
  readonly call: CurrentCall | undefined
}

/** Makes the effect that connects a store to a client. `writes` are those under way. */
const connecting = (
  store: Effect.Effect<Store, Persistence.PersistenceError>,
  sealing: Sealing,
  { timeToLive, timeout, versionsFor }: Decoded,
  writes: Set<Fiber.Fiber<unknown>>
): Effect.Effect<ResultCache, never, LanguageServiceConfig | Sender> =>
  Effect.gen(function*() {
    const { baseUrl, headers } = yield* LanguageServiceConfig
    const ownHeaders = Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: ${Redacted.value(value)}`)
    const headerFacts = ownHeaders.length === 0 ? [] : [ownHeaders.toSorted()]
    const context = yield* Telemetry.clientContext
    const versionsOf = yield* makeVersions(versionsFor)
    const inFlight = new Map<string, Pending>()
    const transforms = new WeakMap<ClientTransform, string>()
    let downUntil: number | undefined
    let isKnownDown = false

    /** Uses the store until a time at most, or continues without it. */
    const guarded = <A, E>(
      use: Effect.Effect<A, E>,
      until = Infinity
    ): Effect.Effect<A | undefined> =>
      Effect.flatMap(Monotonic.now, (now) => {
        if (downUntil !== undefined && now < downUntil) return Effect.undefined
        const left = Math.max(0, until - now)
        return use.pipe(
          Effect.timeout(Math.min(Duration.toMillis(timeout), left)),
          Effect.tap(() => {
            downUntil = undefined
            if (!isKnownDown) return Effect.void
            isKnownDown = false
            return Effect.logInfo("The cache of results is available again")
          }),
          Effect.catchCause((cause) => {
            const failed = Option.getOrUndefined(Cause.findErrorOption(cause))
            // The call had less time than the store may take.
            if (Cause.isTimeoutError(failed) && left < Duration.toMillis(timeout)) return Effect.undefined
            downUntil = now + pause
            Telemetry.update("cacheFailures", 1, {}, context)
            if (isKnownDown) return Effect.undefined
            isKnownDown = true
            const why = failed instanceof Persistence.PersistenceError ? `: ${failed.message}` : ""
            return Effect.as(Effect.logWarning(`The cache of results is unavailable; texts are sent${why}`), undefined)
          })
        )
      })

    /** A part of the names under a transform: of this process, as the content of a function is unknown. */
    const transformName = Effect.gen(function*() {
      const transform = yield* Region.CurrentTransform
      if (transform === undefined) return []
      const known = transforms.get(transform)
      if (known !== undefined) return [known]
      const parts = yield* Effect.all([Random.nextInt, Random.nextInt])
      const name = parts.join()
      transforms.set(transform, name)
      return [name]
    })

    const count = (operation: string, result: string, texts: ReadonlyArray<string>) => {
      if (texts.length === 0) return
      Telemetry.update("cacheTexts", texts.length, { operation, result }, context)
      if (result === "miss") return
      const characters = texts.reduce((sum, text) => sum + countCharacters(text), 0)
      Telemetry.update("savedCharacters", characters, { operation }, context)
    }

    const read = Effect.fnUntraced(function*<A>({ result }: Cached<A>, names: ReadonlyArray<string>, until: number) {
      const [first, ...others] = names
      if (first === undefined) return []
      const stored = yield* guarded(Effect.flatMap(store, (store) => readAll(store, [first, ...others])), until)
      return yield* Effect.forEach(names, (_, index) => {
        const value = stored?.[index]
        if (value === undefined) return Effect.undefined
        // An entry that cannot be read counts as missing: it is of another version or another secret.
        return Effect.catchCause(
          Effect.flatMap(sealing.open(value), Schema.decodeUnknownEffect(result)),
          () => Effect.undefined
        )
      })
    })

    const write = Effect.fnUntraced(function*<A>({ result }: Cached<A>, results: ReadonlyMap<string, A>) {
      const [first, ...others] = yield* Effect.forEach(results, ([name, value]) =>
        Effect.map(
          Effect.flatMap(Schema.encodeEffect(result)(value), sealing.seal),
          // A store has no infinite time.
          (sealed) => [name, sealed, Duration.isFinite(timeToLive) ? timeToLive : undefined] as const
        ))
      if (first !== undefined) yield* (yield* store).setMany([first, ...others])
    })

    return Effect.fnUntraced(function*<A, E extends Failure | ContractFailure>(
      cached: Cached<A>,
      texts: ReadonlyArray<string>,
      send: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<A>, E>
    ) {
      // The request refuses an object that is no tenant, which a result in the cache would hide.
      const tenant = yield* CurrentTenant
      if (tenant !== undefined && stateOf(tenant) === undefined) return yield* send(texts)
      const call = yield* currentCall
      /** True for a text that waits for the limits of another tenant. */
      const isQueuedElsewhere = (pending: Pending) =>
        pending.tenant !== tenant && pending.call?.inFlight === undefined && !Deferred.isDoneUnsafe(pending.result)
      const { deadline, fields, operation, reuse } = cached
      const start = yield* Monotonic.now
      const until = start + Duration.toMillis(deadline)
      const late = () => new DeadlineExceeded({ deadline, outcome: "refused" })

      /** Sends texts in the time that is left. */
      const sendInTime = (texts: ReadonlyArray<string>) =>
        Effect.flatMap(Monotonic.now, (now): Effect.Effect<ReadonlyArray<A>, E | DeadlineExceeded> => {
          if (now >= until) return Effect.fail(late())
          if (now === start) return send(texts)
          return send(texts).pipe(
            ResiliencePolicy.within({ deadline: until - now }),
            Effect.mapError((error) => error._tag === "DeadlineExceeded" ? concerning(error, { deadline }) : error)
          )
        })

      const references = yield* versionsOf(referencesIn(fields), Math.min(patience, Duration.toMillis(deadline) / 2))
      if (references === undefined) return yield* sendInTime(texts)
      const own = yield* transformName
      const facts = [baseUrl.host, baseUrl.pathname, operation, sorted(fields), references, ...own, ...headerFacts]
      const names = texts.map((text) => sealing.nameOf(JSON.stringify([...facts, text])))
      const textOf = new Map(names.map((name, index) => [name, texts[index] ?? ""]))
      const found = new Map<string, A>()
      const bought = new Map<string, A>()

      /** Sends texts and keeps their results, even if the caller is gone by then: they are paid. */
      const buy = (names: ReadonlyArray<string>) =>
        names.length === 0 ? Effect.void : Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
          const results = yield* restore(sendInTime(names.map((name) => textOf.get(name) ?? "")))
          const fresh = new Map(results.map((result, index) => [names[index] ?? "", result]))
          for (const [name, result] of fresh) {
            bought.set(name, result)
            const pending = inFlight.get(name)
            if (pending !== undefined) Deferred.doneUnsafe(pending.result, Exit.succeed(Option.some(result)))
          }
          const writing = yield* Effect.forkDetach(Effect.interruptible(guarded(write(cached, fresh))))
          writes.add(writing)
          writing.addObserver(() => writes.delete(writing))
          const left = until - (yield* Monotonic.now)
          yield* restore(Effect.timeoutOption(Fiber.join(writing), Math.max(0, left)))
        }))

      const readOrBuy = Effect.fnUntraced(function*(own: ReadonlyArray<string>) {
        const known = yield* read(cached, own, until)
        for (const [index, name] of own.entries()) {
          const result = known[index]
          if (result !== undefined) found.set(name, result)
        }
        yield* buy(own.filter((name) => !found.has(name)))
      })

      const isKnown = (name: string): boolean => found.has(name) || bought.has(name)

      /** What the calls that wait for texts of this one receive: a result, a refusal, or nothing, so that one of them sends the text. */
      const outcomeOf = (name: string, exit: Exit.Exit<void, E | DeadlineExceeded>, own: Iterable<string>) => {
        const result = found.get(name) ?? bought.get(name)
        if (result !== undefined) return Exit.succeed(Option.some(result))
        const failure: unknown = Option.getOrUndefined(Exit.findErrorOption(exit))
        const isRefused = isFailure(failure) && failure.status !== undefined &&
          failure.outcome === "refused" && !failure.isTransient
        return isRefused
          ? Exit.fail({ failure, names: [...own].filter((name) => !isKnown(name)) })
          : Exit.succeed(Option.none())
      }

      for (;;) {
        const others = new Map<string, Pending>()
        yield* Effect.acquireUseRelease(
          Effect.sync(() => {
            const own = new Map<string, Pending>()
            for (const name of textOf.keys()) {
              if (isKnown(name)) continue
              const awaited = inFlight.get(name)
              if (awaited !== undefined && !isQueuedElsewhere(awaited)) others.set(name, awaited)
              else own.set(name, { result: Deferred.makeUnsafe(), tenant, call })
            }
            for (const [name, pending] of own) inFlight.set(name, pending)
            return own
          }),
          (own) => readOrBuy([...own.keys()]),
          (own, exit) =>
            Effect.sync(() => {
              for (const [name, pending] of own) {
                if (inFlight.get(name) === pending) inFlight.delete(name)
                Deferred.doneUnsafe(pending.result, outcomeOf(name, exit, own.keys()))
              }
            })
        )
        if (others.size === 0) break
        for (const [name, pending] of others) {
          const left = Duration.millis(Math.max(0, until - (yield* Monotonic.now)))
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of the same operation, whose name its own has
          const awaited = Deferred.await(pending.result) as Effect.Effect<Option.Option<A>, Refused<E>>
          const outcome = yield* Timeout.effect(left, late)(Effect.result(awaited))
          if (Result.isSuccess(outcome)) {
            if (Option.isSome(outcome.success)) found.set(name, outcome.success.value)
          } else if (outcome.failure.names.every((name) => textOf.has(name) && !isKnown(name))) {
            // The request of this call would have all texts of the refused one.
            return yield* Effect.fail(outcome.failure.failure)
          }
        }
      }

      const seen = new Set<string>()
      const isBought = names.map((name) => bought.has(name) && !seen.has(name) && seen.add(name) !== undefined)
      count(operation, "miss", texts.filter((_, index) => isBought[index] === true))
      count(operation, "hit", texts.filter((_, index) => isBought[index] !== true))
      return names.flatMap((name, index) => {
        const result = bought.get(name) ?? found.get(name)
        return result === undefined ? [] : [isBought[index] === true ? result : reuse(result)]
      })
    })
  })

/** The start of a program waits no longer for a store. */
const connectTimeout = Duration.seconds(2)

type Store = Persistence.BackingPersistenceStore

/** Builds the store: at once, or in the background from then on, as a store that is down must not keep a program from starting. */
const connectTo = Effect.fnUntraced(function*<E, R>(
  store: Layer.Layer<Persistence.BackingPersistence, E, R>,
  storeId: string
) {
  const scope = yield* Effect.scope
  const context = yield* Effect.context<R>()
  let connected: Store | undefined
  const connect = Effect.gen(function*() {
    const attempt = yield* Scope.fork(scope)
    const exit = yield* Layer.buildWithScope(Layer.fresh(store), attempt).pipe(
      Effect.provideContext(context),
      Effect.flatMap((built) =>
        Scope.provide(Context.get(built, Persistence.BackingPersistence).make(storeId), attempt)
      ),
      Effect.timeout(connectTimeout),
      Effect.exit
    )
    if (Exit.isSuccess(exit)) connected = exit.value
    else yield* Scope.close(attempt, exit)
    return Exit.isSuccess(exit)
  })
  if (!(yield* connect)) {
    yield* connect.pipe(Effect.delay(pause), Effect.repeat({ until: (isDone) => isDone }), Effect.forkIn(scope))
  }
  return Effect.suspend(() =>
    connected === undefined
      ? Effect.fail(new Persistence.PersistenceError({ message: "there is no connection" }))
      : Effect.succeed(connected)
  )
})

/**
 * A cache for the services of the clients above, in a store: `Persistence.layerBackingRedis` of Effect, `layerBackingSql`,
 * `layerBackingKvs` or your own. A store that cannot be built is tried again in the background. Fails with
 * `InvalidConfiguration` for an option that cannot be.
 *
 * @category layers
 * @since 0.2.0
 */
export const layer = <E, R>(
  store: Layer.Layer<Persistence.BackingPersistence, E, R>,
  {
    secret,
    storeId = "effect_lingua_results",
    timeout = "250 millis",
    timeToLive = "30 days",
    versionsFor = "1 minute"
  }: Options = {}
): Layer.Layer<never, InvalidConfiguration, R> =>
  Layer.effect(
    Connect,
    Effect.gen(function*() {
      const options = yield* Effect.fromResult(
        usable(decodeOptions({ secret, storeId, timeout, timeToLive, versionsFor }, ""))
      )
      const sealing = yield* sealingOf(options.secret)
      const connected = yield* connectTo(store, options.storeId)
      const writes = new Set<Fiber.Fiber<unknown>>()
      // Before the store is closed, the results of callers that left are written.
      yield* Effect.addFinalizer(() =>
        Effect.interruptible(Effect.timeoutOption(Fiber.awaitAll(writes), options.timeout))
      )
      return connecting(connected, sealing, options, writes)
    })
  )

/** Uses a store at the time of the call, as its layer can be built under another clock. */
const using = <A>(work: (now: number) => A): Effect.Effect<A> => Effect.map(Clock.currentTimeMillis, work)

/** A store in memory that drops what was not used for longest. */
const bounded = (maximumEntries: number): Layer.Layer<Persistence.BackingPersistence> =>
  Layer.succeed(Persistence.BackingPersistence, {
    make: () =>
      Effect.sync(() => {
        const entries = new Map<string, readonly [value: object, expires: number]>()
        const get = (name: string, now: number): object | undefined => {
          const entry = entries.get(name)
          if (entry === undefined) return undefined
          entries.delete(name)
          if (entry[1] <= now) return undefined
          entries.set(name, entry)
          return entry[0]
        }
        const set = (name: string, value: object, ttl: Duration.Duration | undefined, now: number): void => {
          entries.delete(name)
          const life = ttl === undefined ? Number.POSITIVE_INFINITY : Duration.toMillis(ttl)
          entries.set(name, [value, now + life])
          for (const oldest of entries.keys()) {
            if (entries.size <= maximumEntries) return
            entries.delete(oldest)
          }
        }
        const store: Persistence.BackingPersistenceStore = {
          get: (name) => using((now) => get(name, now)),
          getMany: (names) => using((now) => Arr.map(names, (name) => get(name, now))),
          set: (name, value, ttl) => using((now) => set(name, value, ttl, now)),
          setMany: (all) => using((now) => all.forEach(([name, value, ttl]) => set(name, value, ttl, now))),
          remove: (name) => Effect.sync(() => entries.delete(name)),
          clear: Effect.sync(() => entries.clear())
        }
        return store
      })
  })

/**
 * A cache in the memory of the process, of `maximumEntries` results (10,000 by default): beyond, the one that was not used for longest
 * goes.
 *
 * @category layers
 * @since 0.2.0
 */
export const layerMemory = (
  { maximumEntries = 10_000, ...options }: Options & { readonly maximumEntries?: number | undefined } = {}
): Layer.Layer<never, InvalidConfiguration> =>
  Number.isInteger(maximumEntries) && maximumEntries >= 1
    ? layer(bounded(maximumEntries), options)
    : Layer.effectContext(
      Effect.fail(new InvalidConfiguration({ setting: "maximumEntries", problem: "must be a whole number from 1" }))
    )
