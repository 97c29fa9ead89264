import { QuotaExceeded } from "@effect-lingua/core/errors/ServiceError"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import type { Exchange } from "./exchange.ts"
import type { Quota, QuotaChange } from "./model.ts"
import type { AccountQuota, Counts, Fake } from "./state.ts"

type Product = keyof Counts

const quotaOf = ({ settings, store }: Fake, account: string, now: number): AccountQuota => {
  const quota = store.quotas.get(account) ?? {
    characters: settings.quotaCharacters,
    used: 0,
    documents: settings.quotaDocuments,
    teamDocuments: settings.quotaTeamDocuments,
    usedDocuments: 0,
    period: settings.quotaPeriod,
    start: store.began,
    byKey: new Map()
  }
  store.quotas.set(account, quota)
  const passed = Math.floor((now - quota.start) / quota.period)
  if (passed >= 1) {
    quota.start += passed * quota.period
    quota.used = 0
    quota.usedDocuments = 0
    quota.byKey.clear()
  }
  return quota
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

export const dayOf = (now: number): number => now - now % 86_400_000

export const standing = (fake: Fake, { account, key }: Exchange, now: number) => {
  const quota = quotaOf(fake, account, now)
  const counted = sum(quota.byKey.values())
  return {
    ...quota,
    end: quota.start + quota.period,
    // Characters set by a test (`setQuota`) count as text translation.
    account: { ...counted, text: quota.used - counted.document - counted.improvement },
    ofKey: quota.byKey.get(key) ?? noCounts
  }
}

export const read = (fake: Fake, account: string, now: number): Quota => {
  const { characters, documents, period, teamDocuments, used, usedDocuments } = quotaOf(fake, account, now)
  return {
    characters,
    used,
    ...(documents === undefined ? undefined : { documents }),
    ...(teamDocuments === undefined ? undefined : { teamDocuments }),
    ...(documents === undefined && teamDocuments === undefined ? undefined : { usedDocuments }),
    period: Duration.millis(period)
  }
}

export const readAll = (fake: Fake, now: number): Readonly<Record<string, Quota>> => {
  const accounts = new Set([...fake.settings.keys.map((key) => key.account ?? ""), ...fake.store.guests.keys()])
  return Object.fromEntries(Array.from(accounts, (account) => [account, read(fake, account, now)]))
}

export const set = (fake: Fake, account: string, change: QuotaChange, now: number): void => {
  const quota = quotaOf(fake, account, now)
  quota.characters = change.characters ?? quota.characters
  quota.documents = change.documents ?? quota.documents
  quota.teamDocuments = change.teamDocuments ?? quota.teamDocuments
  quota.usedDocuments = change.usedDocuments ?? quota.usedDocuments
  if (change.used !== undefined) {
    quota.used = change.used
    quota.byKey.clear()
  }
  quota.period = change.period === undefined ? quota.period : Duration.toMillis(change.period)
}

const exceeded = Result.fail(new QuotaExceeded({ description: "Quota Exceeded" }))

/** Refuses characters beyond the quota or the key's limit. */
const check = (
  fake: Fake,
  { account, key }: Exchange,
  now: number,
  characters: number
): Result.Result<AccountQuota, QuotaExceeded> => {
  const quota = quotaOf(fake, account, now)
  const limit = fake.store.keys.get(key)?.limits.characters ?? "unlimited"
  return quota.used + characters > quota.characters ||
      (limit !== "unlimited" && total(quota.byKey.get(key) ?? noCounts) + characters > limit)
    ? exceeded
    : Result.succeed(quota)
}

/** Checks an upload's characters, which are charged at the download, and counts the document. */
export const upload = (
  fake: Fake,
  exchange: Exchange,
  now: number,
  characters: number
): Result.Result<void, QuotaExceeded> =>
  Result.andThen(check(fake, exchange, now, characters), (quota) => {
    const { documents = Infinity, teamDocuments = Infinity } = quota
    if (quota.usedDocuments >= Math.min(documents, teamDocuments)) return exceeded
    quota.usedDocuments += 1
    return Result.succeed(undefined)
  })

/** Counts characters of a product, optionally under a custom tag. */
export const charge = (
  fake: Fake,
  exchange: Exchange,
  product: Product,
  now: number,
  characters: number,
  tag?: string
): Result.Result<void, QuotaExceeded> =>
  Result.map(check(fake, exchange, now, characters), (quota) => {
    const { key } = exchange
    const { usage } = fake.store
    quota.used += characters
    quota.byKey.set(key, add(quota.byKey.get(key), product, characters))
    const day = dayOf(now)
    const place = JSON.stringify([day, key, tag])
    const daily = usage.get(place) ?? { key, day, tag, counts: noCounts }
    usage.set(place, { ...daily, counts: add(daily.counts, product, characters) })
  })
