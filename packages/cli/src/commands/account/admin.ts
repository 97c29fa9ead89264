/** `admin`. */
import type { UsageCounts } from "@effect-lingua/core/account/AdminApi"
import * as Limits from "@effect-lingua/core/client/Limits"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { administer } from "../../client/client.ts"
import * as Output from "../../files/output.ts"
import { table } from "../../screen/table.ts"
import { known, required, text } from "../../settings/flags.ts"
import { group, withResults } from "../command.ts"
import { keys } from "./adminKeys.ts"

const day = (time: DateTime.Utc | undefined) => time === undefined ? undefined : DateTime.formatIsoDateUtc(time)

const range = {
  startDate: required("start-date", "date", "A day such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z"),
  endDate: required("end-date", "date", `The same, at most ${Limits.defaults.reportDays} days later`)
}

const groupBy = (values: ReadonlyArray<string>, description: string) =>
  text("group-by", "group", `${description}, ${known(values)}`)

interface Row {
  readonly usage: typeof UsageCounts.Type
  readonly apiKey?: string
  readonly apiKeyLabel?: string
  readonly usageDate?: DateTime.Utc
}

const analytics = withResults("analytics", {
  description: "Report the usage in a range of time",
  examples: {
    "effect-lingua admin analytics --fake --start-date 2026-01-01 --end-date 2026-01-31 --group-by key":
      "January, by key"
  },
  params: { ...range, groupBy: groupBy(["key", "key_and_day"], "An entry for each key, or for each day of a key") },
  run: (input) =>
    Effect.map(
      administer(({ Admin }) => Admin.Admin.use((admin) => admin.analytics(input))),
      (report): Output.Results => {
        const all: ReadonlyArray<Row> = [
          { apiKey: "all", usage: report.totalUsage },
          ...report.keyUsages,
          ...report.keyAndDayUsages
        ]
        return {
          json: [report],
          human: (style) =>
            table(style, {
              KEY: ({ apiKey }) => apiKey,
              DAY: ({ usageDate }) => day(usageDate),
              CHARACTERS: ({ usage }) => usage.totalCharacters,
              TEXTS: ({ usage }) => usage.textTranslationCharacters,
              DOCUMENTS: ({ usage }) => usage.documentTranslationCharacters,
              IMPROVED: ({ usage }) => usage.textImprovementCharacters,
              "SPEECH MIN": ({ usage }) => usage.speechToTextMinutes,
              LABEL: ({ apiKeyLabel }) => apiKeyLabel
            }, all)
        }
      }
    )
})

const customTags = withResults("custom-tags", {
  description: "Report the usage of translations with a --reporting-tag, up to yesterday",
  examples: {
    "effect-lingua admin custom-tags --fake --start-date 2026-01-01 --end-date 2026-01-31": "January, by tag"
  },
  params: { ...range, aggregateBy: groupBy(["period", "day"], "An entry for each tag, or for each day of a tag") },
  run: (input) =>
    Effect.map(
      administer(({ Admin }) => Admin.Admin.use((admin) => Stream.runCollect(admin.listCustomTagUsage(input)))),
      (usage) =>
        Output.rows(usage, {
          TAG: ({ customTag }) => customTag,
          DAY: ({ usageDate }) => day(usageDate),
          CHARACTERS: ({ breakdown }) => breakdown.totalCharacters
        })
    )
})

/** Developer keys and usage reports. */
export const admin = group("admin", [keys, analytics, customTags])
