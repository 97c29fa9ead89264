/** The quota of characters, which improvement, translation and documents share (spec, Limits). */
import { QuotaExceeded } from "@effect-lingua/core/ServiceError"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Exchange } from "./exchange.ts"
import type { Quota, QuotaChange } from "./model.ts"
import * as Options from "./options.ts"
import type { Counts, FakeState } from "./state.ts"

type Fake = FakeState["Service"]

/** What characters are counted to (reference B13). */
export type Product = keyof Counts

const renew = (fake: Fake, now: number): void => {
  const { quota } = fake.store
  const passed = Math.floor((now - quota.start) / quota.period)
  if (passed >= 1) {
    quota.start += passed * quota.period
    quota.used = 0
    quota.byKey.clear()
  }
}

const noCounts: Counts = { translate: 0, write: 0 }

/** How the quota stands: of the account, and of what one of its keys has counted. */
export const standing = (fake: Fake, key: string, now: number) => {
  renew(fake, now)
  const { byKey, characters, period, start, used } = fake.store.quota
  const write = Array.from(byKey.values()).reduce((sum, counts) => sum + counts.write, 0)
  return {
    characters,
    used,
    start,
    end: start + period,
    account: { translate: used - write, write },
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
    yield* Options.check([Options.quota(quota)])
    renew(fake, yield* Clock.currentTimeMillis)
    const current = fake.store.quota
    current.characters = quota.characters ?? current.characters
    if (quota.used !== undefined) {
      current.used = quota.used
      current.byKey.clear()
    }
    current.period = quota.period === undefined ? current.period : Duration.toMillis(quota.period)
  })

/** Refuses characters that do not fit, and counts nothing. */
export const check = (fake: Fake, now: number, characters: number): Result.Result<void, QuotaExceeded> => {
  renew(fake, now)
  const { quota } = fake.store
  return quota.used + characters > quota.characters
    ? Result.fail(new QuotaExceeded({ description: "Quota Exceeded" }))
    : Result.succeed(undefined)
}

/** Counts characters, or refuses and counts nothing. */
export const charge = (
  fake: Fake,
  { key }: Exchange,
  product: Product,
  now: number,
  characters: number
): Result.Result<void, QuotaExceeded> =>
  Result.map(check(fake, now, characters), () => {
    const { quota } = fake.store
    const counts = quota.byKey.get(key) ?? noCounts
    quota.used += characters
    quota.byKey.set(key, { ...counts, [product]: counts[product] + characters })
  })
