/** Administration and usage. */
/* oxlint-disable typescript/no-misused-spread -- bodies of the contract are plain objects, their classes only names */
import type { RangeOptions } from "@effect-lingua/core/account/Admin"
import { AdminApi } from "@effect-lingua/core/extension/Resources"
import * as Arbitrary from "effect/Arbitrary"
import * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import type { ServiceState } from "../../fake/internal/model.ts"
import { derive, joined, query } from "./derive.ts"
import * as Leaves from "./leaves.ts"
import { type Breach, idBreaches, limits, type Records } from "./record.ts"

/** A range of time, with its ends in each accepted form: days, times, values. */
const range: Arbitrary.Arbitrary<RangeOptions> = Arbitrary.map(
  Arbitrary.schema(Schema.Struct({
    start: Leaves.time,
    days: Leaves.int(0, limits.reportDays),
    form: Leaves.int(0, 2)
  })),
  ({ days, form, start }) => {
    const end = DateTime.add(start, { days })
    const shown = [DateTime.formatIsoDateUtc, DateTime.formatIso][form]
    return shown === undefined
      ? { startDate: start, endDate: end }
      : { startDate: shown(start), endDate: shown(end) }
  }
)

const ofRange: ReadonlyArray<Breach> = [
  ["a start is a date", "InvalidInput", { startDate: "yesterday" }],
  ["a day is in the calendar", "InvalidInput", { endDate: "2025-02-29" }],
  ["the end is not before the start", "InvalidInput", { startDate: "2026-01-02", endDate: "2026-01-01" }],
  ["a range has at most 366 days", "LimitExceeded", { startDate: "2025-01-01", endDate: "2026-01-03" }]
]

const ofKey = idBreaches("keyId")
const ofLabel: Breach = ["a label has no unpaired surrogate", "InvalidInput", { label: "\udc00" }]

const keys = ({ developerKeys }: ServiceState) => developerKeys.map(({ keyId }) => ({ keyId }))

export const account = {
  "Admin.analytics": {
    request: joined(query(AdminApi.analytics), range),
    answers: ({ groupBy }, { usageReport }) => ({
      usageReport: {
        totalUsage: usageReport.totalUsage,
        ...(groupBy === undefined ? undefined : { groupBy }),
        keyUsages: groupBy === "key" ? usageReport.keyUsages : [],
        keyAndDayUsages: groupBy === "key_and_day" ? usageReport.keyAndDayUsages : []
      }
    }),
    breaches: ofRange
  },
  "Admin.createKey": { breaches: [ofLabel] },
  "Admin.deactivateKey": {
    existing: keys,
    answers: () => ({ isDeactivated: true }),
    breaches: ofKey
  },
  "Admin.listCustomTagUsagePage": {
    request: joined(query(AdminApi.listCustomTagUsagePage), range),
    answers: ({ aggregateBy = "period" }, { customTagUsageReport }) => ({
      customTagUsageReport: { ...customTagUsageReport, aggregateBy }
    }),
    breaches: [...ofRange, ["pages count from 0", "InvalidInput", { page: -1 }]]
  },
  "Admin.listKeys": {},
  "Admin.setKeyLabel": { existing: keys, breaches: [...ofKey, ofLabel] },
  "Admin.setKeyLimits": {
    existing: keys,
    // All limits, as others are read first.
    request: joined(
      derive(AdminApi.KeyLimitation),
      Arbitrary.all({
        characters: derive(AdminApi.KeyLimit),
        speechToTextMilliseconds: derive(AdminApi.KeyLimit),
        speechToSpeechMilliseconds: derive(AdminApi.KeyLimit)
      })
    ),
    answers: (
      { characters = "unlimited", speechToSpeechMilliseconds = "unlimited", speechToTextMilliseconds = "unlimited" }
    ) => ({ usageLimits: { characters, speechToSpeechMilliseconds, speechToTextMilliseconds } }),
    breaches: [
      ...ofKey,
      ["a limit is not negative", "InvalidInput", { characters: -1 }],
      ["a limit is a whole number", "InvalidInput", { speechToTextMilliseconds: 0.5 }],
      ["there is a limit", "InvalidInput", {
        characters: undefined,
        speechToTextMilliseconds: undefined,
        speechToSpeechMilliseconds: undefined
      }]
    ]
  },
  "Usage.get": {}
} satisfies Records<"Admin" | "Usage">
