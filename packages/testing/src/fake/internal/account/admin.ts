import type { CustomTagUsage } from "@effect-lingua/core/account/Admin"
import { type BadRequest, NotFound } from "@effect-lingua/core/errors/ServiceError"
import { resultFn } from "@effect-lingua/core/extension/Service"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { badRequest, notSupported } from "../answers.ts"
import { group } from "../group.ts"
import * as Masking from "../masking.ts"
import * as Quota from "../quota.ts"
import { acceptedKey, type Counts, type DailyUsage, type Fake, newKey, noLimits, type StoredKey } from "../state.ts"
import { handler, step, tookEffect } from "../steps.ts"
import { oneOf } from "../texts/references.ts"

export const stateOf = ({ created, deactivated, id, label, limits }: StoredKey) => ({
  keyId: id,
  creationTime: created,
  isDeactivated: deactivated !== undefined,
  usageLimits: limits,
  ...(label === undefined ? undefined : { label }),
  ...(deactivated === undefined ? undefined : { deactivatedTime: deactivated })
})

const keysOf = (fake: Fake, account: string): ReadonlyArray<StoredKey> =>
  Array.from(fake.store.keys.values()).filter(({ access }) => (access.account ?? "") === account)

const find = (fake: Fake, account: string, keyId: string): Result.Result<StoredKey, NotFound> =>
  Result.fromNullishOr(
    keysOf(fake, account).find(({ id }) => id.toLowerCase() === keyId.toLowerCase()),
    () => new NotFound({ description: "Key not found" })
  )

/** Creates a key with the admin key's tier, and with detection if another key of the account has detection. */
const createKey = (fake: Fake, adminKey: string, label: string | undefined, now: DateTime.Utc): StoredKey => {
  const { account = "", tier = "paid" } = acceptedKey(fake, adminKey) ?? {}
  const access = {
    key: `${fake.store.keyIds.uuid()}${tier === "free" ? ":fx" : ""}`,
    tier,
    account,
    detectionEnabled: keysOf(fake, account).some(({ access }) => access.detectionEnabled === true)
  }
  const made = newKey(fake.store.keyIds, access, label, now)
  fake.store.keys.set(access.key, made)
  fake.store.keyForms = [...fake.store.keyForms, ...Masking.forms([access.key])]
  return made
}

const momentOf = (parameter: string, given: string): Result.Result<DateTime.Utc, BadRequest> => {
  const date = /^\d{4}-\d{2}-\d{2}/.test(given) ? Option.getOrUndefined(DateTime.make(given)) : undefined
  return date === undefined ? notSupported(parameter) : Result.succeed(DateTime.toUtc(date))
}

const maxDays = 366

const rangeOf = resultFn(function*(query: { readonly startDate: string; readonly endDate: string }) {
  const startDate = yield* momentOf("start_date", query.startDate)
  const endDate = yield* momentOf("end_date", query.endDate)
  const millis = endDate.epochMilliseconds - startDate.epochMilliseconds
  if (millis < 0) yield* badRequest("Bad request. Reason: the end date is before the start date.")
  if (millis > maxDays * 86_400_000) {
    yield* badRequest(`Bad request. Reason: Date range cannot exceed ${maxDays} days`)
  }
  return { startDate, endDate }
})

type Range = Result.Result.Success<ReturnType<typeof rangeOf>>

const counted = (fake: Fake, account: string, { endDate, startDate }: Range): ReadonlyArray<DailyUsage> => {
  const first = Quota.dayOf(startDate.epochMilliseconds)
  return Array.from(fake.store.usage.values()).filter(({ day, key }) =>
    day >= first && day <= endDate.epochMilliseconds && (fake.store.keys.get(key)?.access.account ?? "") === account
  )
}

const usageOf = (counts: Counts) => ({
  totalCharacters: Quota.total(counts),
  textTranslationCharacters: counts.text,
  documentTranslationCharacters: counts.document,
  textImprovementCharacters: counts.improvement,
  speechToTextMinutes: 0,
  speechToSpeechMinutes: 0
})

const sumOf = (usage: ReadonlyArray<DailyUsage>) => Quota.sum(usage.map(({ counts }) => counts))

const masked = (key: string): string => `********${key.slice(-4)}`

const ofKey = (fake: Fake, key: string, usage: ReadonlyArray<DailyUsage>) => {
  const label = fake.store.keys.get(key)?.label
  return {
    apiKey: masked(key),
    ...(label === undefined ? undefined : { apiKeyLabel: label }),
    usage: usageOf(sumOf(usage))
  }
}

const byKey = (usage: ReadonlyArray<DailyUsage>) => Array.from(Map.groupBy(usage, ({ key }) => key))

const byDay = (usage: ReadonlyArray<DailyUsage>) =>
  Array.from(Map.groupBy(usage, ({ day }) => day)).toSorted(([one], [other]) => one - other)

const report = (fake: Fake, usage: ReadonlyArray<DailyUsage>, range: Range, groupBy: string | undefined) => ({
  ...range,
  ...(groupBy === undefined ? undefined : { groupBy }),
  totalUsage: usageOf(sumOf(usage)),
  keyUsages: groupBy === "key" ? byKey(usage).map(([key, ofOne]) => ofKey(fake, key, ofOne)) : [],
  keyAndDayUsages: groupBy === "key_and_day"
    ? byKey(usage).flatMap(([key, ofOne]) =>
      byDay(ofOne).map(([day, ofDay]) =>
        Object.assign(ofKey(fake, key, ofDay), { usageDate: DateTime.makeUnsafe(day) })
      )
    )
    : []
})

const tagUsage = (
  customTag: string,
  usage: ReadonlyArray<DailyUsage>,
  usageDate?: DateTime.Utc
): typeof CustomTagUsage.Type => {
  const { text } = sumOf(usage)
  return {
    customTag,
    ...(usageDate === undefined ? undefined : { usageDate }),
    breakdown: { totalCharacters: text, textTranslationCharacters: text, textImprovementCharacters: 0 }
  }
}

const byTag = (usage: ReadonlyArray<DailyUsage>, aggregateBy: string): ReadonlyArray<typeof CustomTagUsage.Type> =>
  Array.from(Map.groupBy(usage, ({ tag }) => tag)).flatMap(([tag, ofTag]) =>
    tag === undefined
      ? []
      : aggregateBy === "day"
      ? byDay(ofTag).map(([day, ofDay]) => tagUsage(tag, ofDay, DateTime.makeUnsafe(day)))
      : [tagUsage(tag, ofTag)]
  )

export const layer = group("Admin", (handlers) =>
  handlers.handleAll({
    createKey: ({ payload }) =>
      step((now, { fake, key, note }) => {
        const made = createKey(fake, key, payload.label, now)
        tookEffect(fake, note, made.id)
        const hasSecret = fake.settings.dialect.createdKey !== "without secret"
        return Result.succeed({
          ...stateOf(made),
          ...(hasSecret ? { secret: Redacted.make(made.access.key) } : undefined)
        })
      }),
    listKeys: () => step((_now, { account, fake }) => Result.succeed(keysOf(fake, account).map(stateOf))),
    deactivateKey: ({ payload: { keyId } }) =>
      step((now, { account, fake, note }) =>
        Result.map(find(fake, account, keyId), (key) => {
          if (key.deactivated === undefined) {
            key.deactivated = now
            tookEffect(fake, note, key.id)
          }
          return stateOf(key)
        })
      ),
    setKeyLabel: ({ payload: { keyId, label } }) =>
      step((_now, { account, fake, note }) =>
        Result.map(find(fake, account, keyId), (key) => {
          key.label = label
          tookEffect(fake, note, key.id)
          return stateOf(key)
        })
      ),
    setKeyLimits: handler(function*({ payload: { keyId, ...limits } }, _now, { account, fake, note }) {
      const key = yield* find(fake, account, keyId)
      for (const [name, limit] of Object.entries(limits)) {
        if (typeof limit === "number" && limit < 0) yield* notSupported(name)
      }
      key.limits = { ...noLimits, ...limits }
      tookEffect(fake, note, key.id)
      return stateOf(key)
    }),
    analytics: handler(function*({ query }, _now, { account, fake }) {
      const range = yield* rangeOf(query)
      yield* oneOf("group_by", query.groupBy, ["key", "key_and_day"])
      return { usageReport: report(fake, counted(fake, account, range), range, query.groupBy) }
    }),
    listCustomTagUsagePage: handler(function*({ query }, now, { account, fake }) {
      const range = yield* rangeOf(query)
      const { aggregateBy = "period", page = 0 } = query
      yield* oneOf("aggregate_by", aggregateBy, ["period", "day"])
      if (page < 0) yield* notSupported("page")
      const today = Quota.dayOf(DateTime.toEpochMillis(now))
      const usage = byTag(counted(fake, account, range).filter(({ day }) => day < today), aggregateBy)
      const { pageSize } = fake.settings.limits
      const end = (page + 1) * pageSize
      return {
        customTagUsageReport: {
          ...range,
          aggregateBy,
          usage: usage.slice(page * pageSize, end),
          ...(end < usage.length ? { nextPage: page + 1 } : undefined)
        }
      }
    })
  }))
