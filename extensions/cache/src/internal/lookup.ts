/** Finds the results of texts, and buys those that are missing, each once for all concurrent callers. */
import * as Deadline from "@effect-lingua/core/config/Deadline"
import { LanguageServiceConfig, type ServiceName } from "@effect-lingua/core/config/LanguageServiceConfig"
import * as ResiliencePolicy from "@effect-lingua/core/config/ResiliencePolicy"
import type { Failure } from "@effect-lingua/core/extension/Decorator"
import type * as Arr from "effect/Array"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Persistence from "effect/persistence/Persistence"
import { hasProperty } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Metrics from "./metrics.ts"
import type { Sealing } from "./sealing.ts"
import * as Stores from "./stores.ts"
import * as Versions from "./versions.ts"

/** Most milliseconds that a call waits for the versions of the resources of its options. */
const patience = 10_000

/** A method whose results are kept. */
export interface Method<A> {
  readonly service: ServiceName
  readonly operation: string
  readonly result: Schema.Codec<A, unknown>
  /** A result as a call receives it that has not paid for it. */
  readonly reuse: (result: A, options: object) => A
}

/** Texts that are bought together. */
export interface Purchase<A> {
  readonly texts: ReadonlyArray<string>
  /** The position of each text among those of the call. */
  readonly positions: ReadonlyArray<number>
  /** The time of the whole call. */
  readonly deadline: Duration.Duration
  /** Makes an effect interruptible. What follows it, until the results are kept, is not. */
  readonly restore: <B, E>(effect: Effect.Effect<B, E>) => Effect.Effect<B, E>
  /** Receives the result of a text. */
  readonly keep: (index: number, result: Result.Result<A, Failure>) => void
}

/** The results of texts in order, up to the first that is missing after a failure. */
export interface Found<A> {
  readonly results: ReadonlyArray<Result.Result<A, Failure>>
  readonly exit: Exit.Exit<void, Failure>
}

/** The result of a text for the calls that wait for it: nothing if one of them is to buy it, or the refusal of a request with this text alone. */
type Pending = Deferred.Deferred<Option.Option<unknown>, Failure>

/** The options without those that do not change a result, in the order of their names. */
const fieldsOf = (options: object): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(options)
    .filter(([name, value]) =>
      value !== undefined && !["concurrency", "onError", "reportingTag", "showBilledCharacters", "split"].includes(name)
    )
    .toSorted(([one], [other]) => one < other ? -1 : 1)

/** True for the refusal of a request that would be refused again. */
const isRefusal = (failure: Failure | undefined): boolean =>
  failure?.status !== undefined && failure.outcome === "refused" && !failure.isTransient

/** A result that may be kept: a service that returned nothing for a text may return more the next time. */
const isKept = (result: unknown): boolean => !(hasProperty(result, "text") && result.text === "")

/** Makes the look-up in a store. `writes` are those under way. */
export const make = Effect.fnUntraced(function*(
  store: Effect.Effect<Stores.Store, Persistence.PersistenceError>,
  sealing: Sealing,
  { timeToLive, timeout, versionsFor }: {
    readonly timeToLive: Duration.Duration
    readonly timeout: Duration.Duration
    readonly versionsFor: Duration.Duration
  },
  writes: Set<Fiber.Fiber<unknown>>
) {
  const { baseUrl, headers, name: client, resilience, serviceResilience } = yield* LanguageServiceConfig
  const headerFacts = Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: ${Redacted.value(value)}`)
  const clientFacts = [baseUrl.host, baseUrl.pathname, headerFacts.toSorted()]
  const attributes = client === undefined ? {} : { client }
  const versionsOf = yield* Versions.make(versionsFor)
  const guarded = Stores.guarding(timeout, attributes)
  const inFlight = new Map<string, Pending>()
  let calls = 0

  const read = Effect.fnUntraced(
    function*<A>({ result }: Method<A>, names: Arr.NonEmptyArray<string>, left: Duration.Duration) {
      const stored = yield* guarded(Effect.flatMap(store, (store) => Stores.readAll(store, names)), left)
      return yield* Effect.forEach(stored ?? [], (value) =>
        value === undefined
          ? Effect.undefined
          // An entry that cannot be read counts as missing: it is of another version or another secret.
          : Effect.catchCause(
            Effect.flatMap(sealing.open(value), Schema.decodeUnknownEffect(result)),
            () => Effect.undefined
          ))
    }
  )

  /** Writes results, even if the caller is gone by then: they are paid. */
  const write = Effect.fnUntraced(function*<A>({ result }: Method<A>, results: ReadonlyMap<string, A>) {
    const entries = Effect.forEach(results, ([name, value]) =>
      Effect.map(
        Effect.flatMap(Schema.encodeEffect(result)(value), sealing.seal),
        // A store has no infinite time.
        (sealed) => [name, sealed, Duration.isFinite(timeToLive) ? timeToLive : undefined] as const
      ))
    const stored = Effect.flatMap(
      Effect.all([store, entries]),
      ([store, [first, ...others]]) => first === undefined ? Effect.void : store.setMany([first, ...others])
    )
    const writing = yield* Effect.forkDetach(Effect.interruptible(guarded(stored)), { startImmediately: true })
    writes.add(writing)
    writing.addObserver(() => writes.delete(writing))
    return writing
  })

  /** The deadline of a call that begins now. A policy that cannot be is left to the call to refuse. */
  const deadlineOf = Effect.fnUntraced(function*(service: ServiceName) {
    const policy = ResiliencePolicy.override(serviceResilience[service] ?? resilience, yield* ResiliencePolicy.Override)
    const { deadline } = Result.getOrElse(policy, () => resilience)
    return Duration.min(deadline, Option.getOrElse(yield* Deadline.remaining, () => Duration.infinity))
  })

  /** The facts of the names of results, or `undefined` if they cannot be known, so that the texts are sent. */
  const factsOf = Effect.fnUntraced(function*(operation: string, options: object, deadline: Duration.Duration) {
    // An untyped caller may pass anything, which the call refuses.
    const described = Result.try(() => [Versions.referencesIn(options), JSON.stringify(fieldsOf(options))] as const)
    if (Result.isFailure(described)) return undefined
    const [references, fields] = described.success
    const versions = yield* versionsOf(references, Math.min(patience, Duration.toMillis(deadline) / 2))
    return versions === undefined ? undefined : [...clientFacts, operation, fields, versions]
  })

  const search = Effect.fnUntraced(function*<A>(
    method: Method<A>,
    options: object,
    texts: ReadonlyArray<string>,
    isList: boolean,
    deadline: Duration.Duration,
    buy: (purchase: Purchase<A>) => Effect.Effect<void, Failure>
  ): Effect.fn.Return<Found<A>> {
    const facts = yield* factsOf(method.operation, options, deadline)
    const call = calls++
    const names = texts.map((text, index) =>
      facts === undefined ? `${call}, ${index}` : sealing.nameOf(JSON.stringify([...facts, text]))
    )
    const positionOf = new Map<string, number>()
    for (const [index, name] of names.entries()) if (!positionOf.has(name)) positionOf.set(name, index)
    const results = new Map<string, Result.Result<A, Failure>>()
    const bought = new Set<string>()
    /** Texts that another call did not buy before the deadline. */
    const late = new Set<string>()
    const left = Effect.map(Deadline.remaining, Option.getOrElse(() => deadline))

    const purchase = (missing: ReadonlyArray<string>) =>
      Effect.uninterruptibleMask(Effect.fnUntraced(function*(restore) {
        if (missing.length === 0) return
        const kept = new Map<string, A>()
        const positions = missing.map((name) => positionOf.get(name) ?? 0)
        const keep = (index: number, result: Result.Result<A, Failure>) => {
          const name = missing[index] ?? ""
          results.set(name, result)
          if (Result.isFailure(result)) return
          bought.add(name)
          if (isKept(result.success)) kept.set(name, result.success)
          const pending = inFlight.get(name)
          if (pending !== undefined) Deferred.doneUnsafe(pending, Exit.succeed(Option.some(result.success)))
        }
        const wanted = positions.map((position) => texts[position] ?? "")
        const exit = yield* Effect.exit(buy({ texts: wanted, positions, deadline, keep, restore }))
        if (facts !== undefined && kept.size > 0) {
          const writing = yield* write(method, kept)
          yield* restore(Effect.timeoutOption(Fiber.join(writing), yield* left))
        }
        return yield* exit
      }))

    const readOrBuy = Effect.fnUntraced(function*(own: ReadonlyArray<string>) {
      const [first, ...others] = own
      const known = facts === undefined || first === undefined
        ? []
        : yield* read(method, [first, ...others], yield* left)
      for (const [index, result] of known.entries()) {
        if (result !== undefined) results.set(own[index] ?? "", Result.succeed(result))
      }
      yield* purchase(own.filter((name) => !results.has(name)))
    })

    /** What the calls that wait for a text of this one receive. */
    const awaitedOf = (
      name: string,
      exit: Exit.Exit<void, Failure>,
      texts: number
    ): Exit.Exit<Option.Option<A>, Failure> => {
      const result = results.get(name)
      if (result !== undefined && Result.isSuccess(result)) return Exit.succeed(Option.some(result.success))
      const isRefused = texts === 1 && isRefusal(Option.getOrUndefined(Exit.findErrorOption(exit)))
      return isRefused ? Exit.map(exit, Option.none) : Exit.succeed(Option.none())
    }

    const end = Effect.gen(function*(): Effect.fn.Return<Exit.Exit<void, Failure>> {
      for (;;) {
        const others = new Map<string, Pending>()
        const exit = yield* Effect.exit(Effect.acquireUseRelease(
          Effect.sync(() => {
            const own = new Map<string, Pending>()
            for (const name of positionOf.keys()) {
              if (results.has(name)) continue
              const awaited = inFlight.get(name)
              if (awaited !== undefined && !late.has(name)) others.set(name, awaited)
              else own.set(name, Deferred.makeUnsafe())
            }
            for (const [name, pending] of own) inFlight.set(name, pending)
            return own
          }),
          (own) => readOrBuy(Array.from(own.keys())),
          (own, exit) =>
            Effect.sync(() => {
              for (const [name, pending] of own) {
                if (inFlight.get(name) === pending) inFlight.delete(name)
                Deferred.doneUnsafe(pending, awaitedOf(name, exit, own.size))
              }
            })
        ))
        if (Exit.isFailure(exit) || others.size === 0) return exit
        for (const [name, pending] of others) {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of the same operation, which its name contains
          const bought = Deferred.await(pending) as Effect.Effect<Option.Option<A>, Failure>
          const awaited = yield* Effect.exit(Effect.timeoutOption(bought, yield* left))
          if (Exit.isFailure(awaited)) {
            if (isList) return Exit.asVoid(awaited)
          } else if (Option.isNone(awaited.value)) late.add(name)
          else if (Option.isSome(awaited.value.value)) results.set(name, Result.succeed(awaited.value.value.value))
        }
      }
    })

    const exit = yield* end
    const found: Array<Result.Result<A, Failure>> = []
    const hits: Array<string> = []
    for (const [index, name] of names.entries()) {
      const result = results.get(name)
      // After a failure the run ends at the first text without a result.
      if (result === undefined) break
      const isBought = Result.isFailure(result) || bought.delete(name)
      if (!isBought) hits.push(texts[index] ?? "")
      found.push(isBought ? result : Result.map(result, (result) => method.reuse(result, options)))
    }
    if (facts !== undefined) {
      const misses = found.filter(Result.isSuccess).length - hits.length
      yield* Metrics.found(misses, hits, { ...attributes, operation: method.operation })
    }
    return { results: found, exit }
  })

  /**
   * The results of texts. A list is one call, within its deadline; the requests of a run have one each.
   */
  return Effect.fnUntraced(function*<A>(
    method: Method<A>,
    options: object,
    texts: ReadonlyArray<string>,
    isList: boolean,
    buy: (purchase: Purchase<A>) => Effect.Effect<void, Failure>
  ) {
    const deadline = yield* deadlineOf(method.service)
    const found = search(method, options, texts, isList, deadline, buy)
    return yield* isList ? Deadline.within(found, Duration.toMillis(deadline)) : found
  })
})

/** The look-up in a store. */
export type Lookup = Effect.Success<ReturnType<typeof make>>
