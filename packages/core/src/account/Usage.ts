/**
 * Usage of the current billing period, events at thresholds, and estimates of characters.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Operations from "../call/internal/operation.ts"
import { withKnownOptions } from "../call/internal/options.ts"
import type { DurationInput } from "../config/ResiliencePolicy.ts"
import type { TagHandling } from "../contract/internal/textOptions.ts"
import type { InvalidInput } from "../errors/CallError.ts"
import { invalid, numberOf, typeOf } from "../errors/internal/checks.ts"
import * as Characters from "./internal/characters.ts"
import {
  type BillingUnit,
  type CurrentUsage,
  type Product,
  type ProductUsage,
  UsageApi,
  type UsageLimit
} from "./internal/usageApi.ts"

export { BillingUnit, CurrentUsage, Product, ProductUsage, UsageLimit } from "./internal/usageApi.ts"

/**
 * @category options
 * @since 0.1.0
 */
export interface ThresholdOptions {
  /** Percentages of the limit, above 0 and up to 100. Default: 80, 95 and 100. */
  readonly at?: ReadonlyArray<number> | undefined
  /** Time between two requests. Default 1 minute. */
  readonly every?: DurationInput | undefined
}

/**
 * Usage has reached `percent` of the limit.
 *
 * @category models
 * @since 0.1.0
 */
export interface ThresholdReached {
  readonly percent: number
  /** The owner of the limit. */
  readonly of: "account" | "key"
  /** Characters used. */
  readonly used: number
  /** Character limit. */
  readonly limit: number
  readonly usage: CurrentUsage
}

const remainingOf = (used: number | undefined, limit: UsageLimit | undefined): UsageLimit | undefined =>
  typeof limit === "number" ? Math.max(0, limit - (used ?? 0)) : limit

const remaining = (usage: CurrentUsage): UsageLimit => {
  const account = remainingOf(usage.characterCount, usage.characterLimit)
  const key = remainingOf(usage.keyCharacterCount, usage.keyCharacterLimit)
  if (typeof key !== "number") return account ?? "unknown"
  return typeof account === "number" ? Math.min(account, key) : key
}

const defaultThresholds = [80, 95, 100]

const limitedCounts = (usage: CurrentUsage): ReadonlyArray<Pick<ThresholdReached, "of" | "used" | "limit">> => {
  const { characterCount, characterLimit, keyCharacterCount, keyCharacterLimit } = usage
  return [
    { of: "account" as const, used: characterCount, limit: characterLimit },
    { of: "key" as const, used: keyCharacterCount, limit: keyCharacterLimit }
  ].flatMap(({ limit, of, used }) => typeof limit === "number" && used !== undefined ? [{ of, used, limit }] : [])
}

const newlyReached = (
  before: CurrentUsage | undefined,
  usage: CurrentUsage,
  percents: ReadonlyArray<number>
): ReadonlyArray<ThresholdReached> => {
  const isSamePeriod = before !== undefined && Equal.equals(before.startTime, usage.startTime)
  const earlier = isSamePeriod ? limitedCounts(before) : []
  return limitedCounts(usage).flatMap(({ limit, of, used }) => {
    const last = earlier.find((other) => other.of === of)
    return percents.filter((percent) =>
      used * 100 >= percent * limit && (last === undefined || last.used * 100 < percent * last.limit)
    ).map((percent) => ({ percent, of, used, limit, usage }))
  })
}

const checkThresholds = Effect.fnUntraced(function*({ at = defaultThresholds, every = "1 minute" }: ThresholdOptions) {
  if (!Array.isArray(at)) return yield* invalid("at", typeOf(at), "an array of percentages")
  const invalidPercent = at.find((percent) => !(percent > 0 && percent <= 100))
  if (invalidPercent !== undefined) return yield* invalid("at", numberOf(invalidPercent), "above 0 and up to 100")
  const interval = Option.getOrUndefined(Duration.fromInput(every))
  if (interval === undefined || !(Duration.toMillis(interval) > 0)) {
    return yield* invalid("every", "an invalid duration", "a duration such as \"1 minute\"")
  }
  return { percents: at.toSorted((one, other) => one - other), interval }
})

type GetError = Operations.Errors<typeof UsageApi, "get">["call"]

type ThresholdsError = Operations.Union<InvalidInput | Exclude<GetError, { readonly isTransient: true }>>["members"]

const make = Effect.gen(function*() {
  const api = yield* Operations.make(UsageApi)
  const get: Effect.Effect<CurrentUsage, GetError> = api.get()

  const lookup = get.pipe(
    Effect.asSome,
    Effect.catch((error) => error.isTransient ? Effect.succeedNone : Effect.fail(error))
  )

  return yield* withKnownOptions(UsageApi, {
    /** Gets the usage of the current period (`GET /v2/usage`). The call is free. Free plans report only the character count and limit. */
    get,
    /**
     * Gets the remaining characters, as `Usage.remaining` computes them. Fails like `get`.
     */
    remaining: Effect.map(get, remaining),
    /**
     * Streams an event for each threshold of the account's or the key's limit that the usage reaches.
     *
     * **Details**
     *
     * Polls the usage without end. The first response emits all reached thresholds, each later response only the newly reached thresholds. Transient
     * errors are skipped; any other error ends the stream. Fails with `InvalidInput` for an invalid percentage or interval.
     */
    thresholds: (options: ThresholdOptions = {}): Stream.Stream<ThresholdReached, ThresholdsError> =>
      Stream.unwrap(
        Effect.map(Operations.checked("Usage.thresholds", checkThresholds(options)), ({ interval, percents }) =>
          Stream.fromEffectSchedule(lookup, Schedule.spaced(interval)).pipe(
            Stream.mapAccum((): CurrentUsage | undefined =>
              undefined, (before, found) =>
              Option.match(found, {
                onNone: () => [before, []] as const,
                onSome: (usage) => [usage, newlyReached(before, usage, percents)] as const
              }))
          ))
      )
  }, { thresholds: { at: true, every: true } })
})

/**
 * Reports the current usage, and estimates billed characters.
 *
 * @category services
 * @since 0.1.0
 */
export class Usage extends Operations.service<Usage>()("@effect-lingua/core/account/Usage", make) {
  /**
   * Returns the remaining characters of the account or the key, whichever are fewer: `unlimited` if neither has a limit, `unknown` if no limit is
   * reported.
   */
  static readonly remaining = remaining

  /** Estimates the characters that the service will count for texts: their code points, without tags if `tagHandling` is set. */
  static readonly estimateText = (
    text: string | ReadonlyArray<string>,
    options: { readonly tagHandling?: TagHandling | undefined } = {}
  ): number => Characters.ofTexts(typeof text === "string" ? [text] : text, options.tagHandling)

  /**
   * Estimates the characters that the service will count for a document, from its extension: 50,000 (the minimum) for `docx`, `doc`, `pptx`,
   * `xlsx` and `pdf`; 0 for images; otherwise the code points of the content. `content` may be the number of bytes. For HTML the estimate is too
   * high, because markup is free.
   */
  static readonly estimateDocument = (fileName: string, content: Uint8Array | number): number =>
    Characters.ofFile(fileName, content)
}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace Usage {
  export type { ThresholdOptions }
  export type { GetError, ThresholdsError }
  export type { BillingUnit, CurrentUsage, Product, ProductUsage, TagHandling, ThresholdReached, UsageLimit }
}
