/** Durations in messages: one rounded number and one unit. */
import * as Duration from "effect/Duration"

/** Units with the milliseconds from which each is used, about two of the unit: 100 s, but 2 min. */
const units: ReadonlyArray<readonly [name: string, millis: number, from: number]> = [
  ["d", 86_400_000, 47.5 * 3_600_000],
  ["h", 3_600_000, 119.5 * 60_000],
  ["min", 60_000, 119.5 * 1000],
  ["s", 1000, 999.5],
  ["ms", 1, 0]
]

/** Formats a duration with two significant digits: `3.1 s`. Whole numbers keep all digits: `100 s`. */
export const format = (duration: Duration.Duration): string => {
  const millis = Duration.toMillis(duration)
  if (millis === 0) return "0 s"
  if (!Number.isFinite(millis)) return String(millis)
  const [name, length] = units.find(([, , from]) => Math.abs(millis) >= from) ?? ["ms", 1]
  const amount = millis / length
  const digits = Math.abs(amount) < 9.95 ? 10 : 1
  return `${Math.round(amount * digits) / digits} ${name}`
}
