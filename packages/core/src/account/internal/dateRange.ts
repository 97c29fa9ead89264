/** Ranges of time that reports are asked for, checked and brought to the form of the wire. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { InvalidInput, LimitExceeded } from "../../client/CallError.ts"
import { checkLimit, invalid, typeOf } from "../../client/internal/checks.ts"

/** A time as a report takes it. */
export type ReportDate = DateTime.DateTime | string

interface Moment {
  readonly millis: number
  readonly wire: string
}

const spelling = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/

const allowed = "a DateTime, a day such as \"2026-01-31\" or a time such as \"2026-01-31T12:00:00Z\""

/** The calendar has no 30th of February, which the platform takes for the 2nd of March. */
const isDay = (day: string): boolean =>
  Option.exists(DateTime.make(`${day}T00:00:00Z`), (date) => DateTime.formatIsoDateUtc(date) === day)

const momentOf = (date: DateTime.DateTime, day?: string): Moment | undefined => {
  const iso = DateTime.formatIso(DateTime.toUtc(date))
  // Other years are written in a form that is no longer that of a date.
  return /^\d{4}-/.test(iso)
    ? { millis: date.epochMilliseconds, wire: day ?? iso.replace(".000Z", "Z") }
    : undefined
}

/** A day stays one, a time becomes one of UTC; one without a zone is of UTC already. */
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
        ? "a text that is no date"
        : DateTime.isDateTime(date)
        ? "a year outside of 0000 to 9999"
        : typeOf(date),
      allowed
    )
    : Effect.succeed(moment)
}

const millisOfDay = 86_400_000

/** Fails for what is no date, an end before the start, and a range that is longer than `days`, naming the place. */
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
