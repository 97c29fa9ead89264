/** Looks up results of texts in a store, and requests missing results. */
import * as Deadline from "@effect-lingua/core/config/Deadline"
import { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import { concerning, CurrentTransform, type Failure, Sha256 } from "@effect-lingua/core/extension/Decorator"
import * as Arr from "effect/Array"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import type * as Persistence from "effect/persistence/Persistence"
import { hasProperty } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import * as Metrics from "./metrics.ts"
import * as Stores from "./stores.ts"
import * as Versions from "./versions.ts"

/** Maximum wait for versions of glossaries and other resources. */
const maxVersionsMillis = 10_000

/** Results in the order of the texts; after a failure, up to the first text without a result. */
export interface Found<A> {
  readonly results: ReadonlyArray<Result.Result<A, Failure>>
  readonly exit: Exit.Exit<void, Failure>
}

/** The options that change a result, sorted by name. */
const fieldsOf = (options: object): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(options)
    .filter(([name, value]) =>
      value !== undefined && !["concurrency", "onError", "reportingTag", "showBilledCharacters", "split"].includes(name)
    )
    .toSorted(([one], [other]) => one < other ? -1 : 1)

/** With `showBilledCharacters`, sets a cached result's `billedCharacters` to 0. */
const reused = <A>(result: A, options: object): A =>
  "showBilledCharacters" in options && options.showBilledCharacters === true
    ? Object.assign({}, result, { billedCharacters: 0 })
    : result

/** In a request's error, converts positions among the missing texts to positions in the caller's texts. */
const relocated = (error: Failure, positionOf: (index: number) => number): Failure => {
  const renamed = (name: string) => name.replace(/\btext\[(\d+)\]$/, (_, index) => `text[${positionOf(Number(index))}]`)
  const { texts } = error
  return concerning(error, {
    ...(texts === undefined ? undefined : { texts: { first: positionOf(texts.first), last: positionOf(texts.last) } }),
    ...(hasProperty(error, "parameter") ? { parameter: renamed(String(error.parameter)) } : undefined),
    ...(error._tag === "LimitExceeded" ? { description: renamed(error.description) } : undefined)
  })
}

export const make = Effect.fnUntraced(function*(
  store: Effect.Effect<Stores.Store, Persistence.PersistenceError>,
  { timeToLive, timeout, versionsFor }: {
    readonly timeToLive: Duration.Duration
    readonly timeout: Duration.Duration
    readonly versionsFor: Duration.Duration
  }
) {
  const { baseUrl, headers, name: client } = yield* LanguageServiceConfig
  const headerFacts = Object.entries(headers).map(([name, value]) => `${name.toLowerCase()}: ${Redacted.value(value)}`)
  const clientFacts = [baseUrl.host, baseUrl.pathname, headerFacts.toSorted()]
  const attributes = client === undefined ? {} : { client }
  const versionsOf = yield* Versions.make(versionsFor)
  const guarded = Stores.guarding(timeout, attributes)
  const writes = yield* FiberSet.make()
  // Waits for pending writes before the store closes.
  yield* Effect.addFinalizer(() => Effect.interruptible(Effect.timeoutOption(FiberSet.awaitEmpty(writes), timeout)))

  /** Reads results by entry name. An undecodable entry, such as from another library version, counts as missing. */
  const read = Effect.fnUntraced(function*<A>(result: Schema.Codec<A, unknown>, names: Arr.NonEmptyArray<string>) {
    const left = Option.getOrElse(yield* Deadline.remaining, () => Duration.infinity)
    const stored = yield* guarded(Effect.flatMap(store, (store) => store.getMany(names)), left)
    return names.flatMap((name, index) => {
      const value = Schema.decodeUnknownOption(result)(Reflect.get(Object(stored?.[index]), "result"))
      return Option.isSome(value) ? [[name, Result.succeed<A>(value.value)] as const] : []
    })
  })

  /** Writes paid results, even if the caller was interrupted. */
  const write = <A>(result: Schema.Codec<A, unknown>, results: Arr.NonEmptyArray<readonly [string, A]>) => {
    // Stores do not accept an infinite lifetime.
    const life = Duration.isFinite(timeToLive) ? timeToLive : undefined
    const entries = Arr.map(results, ([name, value]) => {
      const unbilled = hasProperty(value, "billedCharacters") ? Struct.omit(value, ["billedCharacters"]) : value
      return [name, { result: Schema.encodeUnknownSync(result)(unbilled) }, life] as const
    })
    const stored = Effect.flatMap(store, (store) => store.setMany(entries))
    return FiberSet.run(writes, Effect.interruptible(guarded(stored)), { startImmediately: true })
  }

  /** The parts of cache keys that all results of a call share; `undefined` skips the cache. */
  const factsOf = Effect.fnUntraced(function*(operation: string, options: object) {
    // A transform may change results, and a key cannot identify a function.
    if ((yield* CurrentTransform) !== undefined) return undefined
    // An untyped caller may pass invalid options, which the service's method refuses.
    const described = Result.try(() => [Versions.referencesIn(options), JSON.stringify(fieldsOf(options))] as const)
    if (Result.isFailure(described)) return undefined
    const [references, fields] = described.success
    const left = Option.match(yield* Deadline.remaining, { onNone: () => Infinity, onSome: Duration.toMillis })
    const versions = yield* versionsOf(references, Math.min(maxVersionsMillis, left / 2))
    return versions === undefined ? undefined : [...clientFacts, operation, fields, versions]
  })

  return Effect.fnUntraced(function*<A>(
    operation: string,
    result: Schema.Codec<A, unknown>,
    options: object,
    texts: ReadonlyArray<string>,
    offset: number,
    buy: (texts: ReadonlyArray<string>) => Stream.Stream<Result.Result<A, Failure>, Failure>
  ): Effect.fn.Return<Found<A>> {
    const facts = yield* factsOf(operation, options)
    const names = texts.map((text) => Sha256.hex(`effect-lingua result\0${JSON.stringify([...facts ?? [], text])}`))
    const distinct = Array.from(new Set(names))
    const results = new Map<string, Result.Result<A, Failure>>(
      facts !== undefined && Arr.isArrayNonEmpty(distinct) ? yield* read(result, distinct) : []
    )
    const missing = distinct.filter((name) => !results.has(name))
    const positions = missing.map((name) => names.indexOf(name))
    const positionOf = (index: number) => offset + (positions[index] ?? 0)
    const paidResults = new Map<string, A>()
    let writing: Fiber.Fiber<unknown> | undefined
    const writeAll = Effect.suspend(() => {
      // An empty result is not stored, because the next request may return a text.
      const kept = Array.from(paidResults).filter(([, result]) => !(hasProperty(result, "text") && result.text === ""))
      return facts !== undefined && Arr.isArrayNonEmpty(kept)
        ? Effect.map(write(result, kept), (fiber) => void (writing = fiber))
        : Effect.void
    })
    let next = 0
    const exit = missing.length === 0
      ? Exit.void
      : yield* Stream.runForEachArray(
        buy(positions.map((position) => texts[position] ?? "")),
        (found) =>
          Effect.sync(() => {
            for (const result of found) {
              const name = missing[next++] ?? ""
              results.set(name, result)
              if (Result.isSuccess(result)) paidResults.set(name, result.success)
            }
          })
      ).pipe(
        Effect.onExit(() => writeAll),
        Effect.mapError((error) => relocated(error, positionOf)),
        Effect.exit
      )
    if (writing !== undefined) yield* Fiber.join(writing)
    const found: Array<Result.Result<A, Failure>> = []
    const hits: Array<string> = []
    for (const [index, name] of names.entries()) {
      const result = results.get(name)
      // After a failure, results end at the first text without a result.
      if (result === undefined) break
      const isBought = Result.isFailure(result) || paidResults.delete(name)
      if (!isBought) hits.push(texts[index] ?? "")
      // Each occurrence of a refused text gets an error with the occurrence's position.
      const placed = Result.mapError(
        result,
        (error) => relocated(error, error.texts?.first === error.texts?.last ? () => offset + index : positionOf)
      )
      found.push(isBought ? placed : Result.map(placed, (result) => reused(result, options)))
    }
    if (facts !== undefined) {
      const misses = found.filter(Result.isSuccess).length - hits.length
      yield* Metrics.found(misses, hits, { ...attributes, operation })
    }
    return { results: found, exit }
  })
})

export type Lookup = Effect.Success<ReturnType<typeof make>>
