/** Checks and encodes the time ranges of reports. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { InvalidInput, LimitExceeded } from "../../client/CallError.ts"
import { checkLimit, invalid, typeOf } from "../../client/internal/checks.ts"

/** A time accepted by reports. */
export type ReportDate = DateTime.DateTime | string

interface Moment {
  readonly millis: number
  readonly wire: string
}

const spelling = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/

const allowed = "a DateTime, a day such as \"2026-01-31\" or a time such as \"2026-01-31T12:00:00Z\""

/** Refuses dates such as the 30th of February, which the platform converts to the 2nd of March. */
const isDay = (day: string): boolean =>
  Option.exists(DateTime.make(`${day}T00:00:00Z`), (date) => DateTime.formatIsoDateUtc(date) === day)

const momentOf = (date: DateTime.DateTime, day?: string): Moment | undefined => {
  const iso = DateTime.formatIso(DateTime.toUtc(date))
  // Other years have another format.
  return /^\d{4}-/.test(iso)
    ? { millis: date.epochMilliseconds, wire: day ?? iso.replace(".000Z", "Z") }
    : undefined
}

/** Keeps a day, and converts a time to UTC, the default zone. */
const parse = (date: ReportDate): Moment | undefined => {
  if (DateTime.isDateTime(date)) return momentOf(date)
  const [, day = "", time] = spelling.exec(date) ?? []
  const parsed = Option.getOrUndefined(DateTime.make(date))
  return parsed === undefined || !isDay(day) ? undefined : momentOf(parsed, time === undefined ? day : undefined)
}

const check = (parameter: string, date: ReportDate): Effect.Effect<Moment, InvalidInput> => {
  const moment = typeof date === "string" || DateTime.isDateTime(date) ? parse(date) : undefined
  return moment === undefined
    ? invalid(
      parameter,
      typeof date === "string"
        ? "an invalid date"
        : DateTime.isDateTime(date)
        ? "a year outside of 0000 to 9999"
        : typeOf(date),
      allowed
    )
    : Effect.succeed(moment)
}

const millisOfDay = 86_400_000

/** Fails for an invalid date, an end before the start, and a range longer than `days`; names the parameter. */
export const checkRange = Effect.fnUntraced(function*(
  range: { readonly startDate: ReportDate; readonly endDate: ReportDate },
  days: number
): Effect.fn.Return<{ readonly startDate: string; readonly endDate: string }, InvalidInput | LimitExceeded> {
  const start = yield* check("startDate", range.startDate)
  const end = yield* check("endDate", range.endDate)
  if (end.millis < start.millis) {
    return yield* invalid("endDate", `${end.wire}, which is before the start`, `${start.wire} or later`)
  }
  yield* checkLimit("endDate", "days", Math.ceil((end.millis - start.millis) / millisOfDay), days)
  return { startDate: start.wire, endDate: end.wire }
})
