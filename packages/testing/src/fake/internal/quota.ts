/** The quota of characters, which improvement, translation and documents share. */
import { QuotaExceeded } from "@effect-lingua/core/client/ServiceError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Exchange } from "./exchange.ts"
import type { Quota, QuotaChange } from "./model.ts"
import type { Counts, Fake } from "./state.ts"

/** The products that count characters. */
type Product = keyof Counts

const renew = (fake: Fake, now: number): void => {
  const { quota } = fake.store
  const passed = Math.floor((now - quota.start) / quota.period)
  if (passed >= 1) {
    quota.start += passed * quota.period
    quota.used = 0
    quota.byKey.clear()
  }
}

const noCounts: Counts = { text: 0, document: 0, improvement: 0 }

export const total = ({ document, improvement, text }: Counts): number => text + document + improvement

export const sum = (all: Iterable<Counts>): Counts =>
  Array.from(all).reduce((one, other) => ({
    text: one.text + other.text,
    document: one.document + other.document,
    improvement: one.improvement + other.improvement
  }), noCounts)

const add = (counts: Counts = noCounts, product: Product, characters: number): Counts => ({
  ...counts,
  [product]: counts[product] + characters
})

/** The beginning of the UTC day of a time. */
export const dayOf = (now: number): number => now - now % 86_400_000

/** The state of the quota: of the account, and of one of its keys. */
export const standing = (fake: Fake, key: string, now: number) => {
  renew(fake, now)
  const { byKey, characters, period, start, used } = fake.store.quota
  const counted = sum(byKey.values())
  return {
    characters,
    used,
    start,
    end: start + period,
    // A number that a test has set counts as translations of text.
    account: { ...counted, text: used - counted.document - counted.improvement },
    ofKey: byKey.get(key) ?? noCounts
  }
}

export const read = (fake: Fake): Effect.Effect<Quota> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    renew(fake, now)
    const { characters, period, used } = fake.store.quota
    return { characters, used, period: Duration.millis(period) }
  })

export const set = (
  fake: Fake,
  quota: QuotaChange
): Effect.Effect<void> =>
  Effect.gen(function*() {
    renew(fake, yield* Clock.currentTimeMillis)
    const current = fake.store.quota
    current.characters = quota.characters ?? current.characters
    if (quota.used !== undefined) {
      current.used = quota.used
      current.byKey.clear()
    }
    current.period = quota.period === undefined ? current.period : Duration.toMillis(quota.period)
  })

/** Refuses characters beyond the quota or the limit of the key. Counts nothing. */
export const check = (
  fake: Fake,
  key: string,
  now: number,
  characters: number
): Result.Result<void, QuotaExceeded> => {
  renew(fake, now)
  const { keys, quota } = fake.store
  const limit = keys.get(key)?.limits.characters ?? "unlimited"
  return quota.used + characters > quota.characters ||
      (limit !== "unlimited" && total(quota.byKey.get(key) ?? noCounts) + characters > limit)
    ? Result.fail(new QuotaExceeded({ description: "Quota Exceeded" }))
    : Result.succeed(undefined)
}

/** Counts characters, of a text with the tag that it has, or refuses and counts nothing. */
export const charge = (
  fake: Fake,
  { key }: Exchange,
  product: Product,
  now: number,
  characters: number,
  tag?: string
): Result.Result<void, QuotaExceeded> =>
  Result.map(check(fake, key, now, characters), () => {
    const { quota, usage } = fake.store
    quota.used += characters
    quota.byKey.set(key, add(quota.byKey.get(key), product, characters))
    const day = dayOf(now)
    const place = JSON.stringify([day, key, tag])
    const daily = usage.get(place) ?? { key, day, tag, counts: noCounts }
    usage.set(place, { ...daily, counts: add(daily.counts, product, characters) })
  })
