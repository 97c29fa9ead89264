/** Durations in arguments, also those of programs without types. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

const units: Readonly<Required<Record<keyof Duration.DurationObject, true>>> = {
  weeks: true,
  days: true,
  hours: true,
  minutes: true,
  seconds: true,
  milliseconds: true,
  microseconds: true,
  nanoseconds: true
}

const isNumber = (value: unknown): boolean => typeof value === "number" && !Number.isNaN(value)

/** Any other object, such as a date or one whose unit is misspelled, would count as a duration of zero. */
const hasUnits = (value: object): boolean => {
  const values = Object.keys(units).map((unit): unknown => Reflect.get(value, unit)).filter((unit) =>
    unit !== undefined
  )
  return values.length > 0 && values.every(isNumber) && Object.keys(value).every((key) => Object.hasOwn(units, key))
}

const isInput = (value: unknown): value is Duration.Input => {
  if (typeof value === "number") return isNumber(value)
  if (typeof value !== "object" || value === null || Duration.isDuration(value)) return true
  return Array.isArray(value) ? value.every(isNumber) : hasUnits(value)
}

/** The duration of a value, if it is one. */
export const durationOf = (value: unknown): Duration.Duration | undefined =>
  isInput(value) ? Option.getOrUndefined(Duration.fromInput(value)) : undefined
