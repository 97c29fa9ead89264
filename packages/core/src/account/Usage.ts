/**
 * Usage: what the current period has used up, when that passes a threshold, and what a call will use.
 *
 * **Example** (What is left, and what a text will take of it)
 *
 * ```ts import.meta.vitest
 * import * as Usage from "@effect-lingua/core/account/Usage"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect } from "effect"
 *
 * const text = "Good day 👋"
 * const program = Effect.gen(function*() {
 *   const usage = yield* Usage.Usage
 *   return [yield* usage.remaining(), Usage.estimateText(text)]
 * })
 * const layer = FakeLanguageService.layerServices({ quota: { characters: 500 } })
 * const numbers = await program.pipe(Effect.provide(layer), Effect.runPromise)
 * numbers // => [500, 10]
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { InvalidInput } from "../client/CallError.ts"
import { checked } from "../client/internal/call.ts"
import { invalid, numberOf, typeOf } from "../client/internal/checks.ts"
import * as Operations from "../client/internal/operations.ts"
import type { TagHandling } from "../texts/TranslationApi.ts"
import * as Billing from "./internal/billing.ts"
import * as CharacterBudget from "./internal/characterBudget.ts"
import { type CurrentUsage, UsageApi, type UsageLimit } from "./UsageApi.ts"

export { BillingUnit, CurrentUsage, Product, ProductUsage, UsageLimit } from "./UsageApi.ts"

/**
 * The state of the budget of a client (`characterBudget` of the configuration).
 *
 * @category models
 * @since 0.1.0
 */
export interface Budget {
  /** Characters that may be counted in all. */
  readonly characters: number
  /** Characters that were, calls in flight included. */
  readonly used: number
  /** Characters that are left. */
  readonly remaining: number
}

/**
 * The thresholds, and the time between two looks.
 *
 * @category options
 * @since 0.1.0
 */
export interface ThresholdOptions {
  /** Percentages of the limit, above 0 and up to 100. Default 80, 95 and 100. */
  readonly at?: ReadonlyArray<number> | undefined
  /** Time from one look to the next. Default 1 minute. */
  readonly every?: Duration.Input | undefined
}

/**
 * A threshold that was reached.
 *
 * @category models
 * @since 0.1.0
 */
export interface ThresholdReached {
  /** The threshold. */
  readonly percent: number
  /** Whose limit it is of: the account's, or that of the key. */
  readonly of: "account" | "key"
  /** Characters that are used up. */
  readonly used: number
  /** Characters that may be. */
  readonly limit: number
  /** All that the service told then. */
  readonly usage: CurrentUsage
}

const left = (used: number | undefined, limit: UsageLimit | undefined): UsageLimit | undefined =>
  typeof limit === "number" ? Math.max(0, limit - (used ?? 0)) : limit

/**
 * The characters that are left of what a service told: the lesser of what the account and the key may use. `unlimited` when
 * the account has no limit, `unknown` when that is not said. A limit of the key that is not known counts as none.
 *
 * @category getters
 * @since 0.1.0
 */
export const remaining = (usage: CurrentUsage): UsageLimit => {
  const account = left(usage.characterCount, usage.characterLimit)
  const key = left(usage.keyCharacterCount, usage.keyCharacterLimit)
  if (typeof key !== "number") return account ?? "unknown"
  return typeof account === "number" ? Math.min(account, key) : key
}

/**
 * The characters that a text or several will be counted with: code points, wherever the text goes. With `tagHandling` tags are
 * free. An estimate: what was counted is told afterwards by `billedCharacters`, where it was asked for.
 *
 * @category getters
 * @since 0.1.0
 */
export const estimateText = (
  text: string | ReadonlyArray<string>,
  options: { readonly tagHandling?: TagHandling | undefined } = {}
): number => Billing.ofTexts(typeof text === "string" ? [text] : text, options.tagHandling)

/**
 * The characters that a document will be counted with, by the extension of its name: 50,000 for `docx`, `doc`, `pptx`, `xlsx` and
 * `pdf`, which is the least that is counted for them; none for images, which are beta; else the code points of its bytes.
 *
 * **Details**
 *
 * An office file may be counted with more, as its text cannot be seen from outside; HTML and its like with less, as markup is
 * free. Where the bytes are not at hand their number may stand for them, as no code point takes less than one.
 *
 * **Example** (Before a document is sent)
 *
 * ```ts import.meta.vitest
 * import * as Usage from "@effect-lingua/core/account/Usage"
 *
 * Usage.estimateDocument("letter.txt", new TextEncoder().encode("Grüße")) // => 5
 * Usage.estimateDocument("letter.docx", 12_000) // => 50_000
 * ```
 *
 * @category getters
 * @since 0.1.0
 */
export const estimateDocument = (fileName: string, content: Uint8Array | number): number =>
  Billing.ofFile(fileName, content)

const defaultThresholds = [80, 95, 100]

/** The counts that have a numeric limit. */
const counted = (usage: CurrentUsage): ReadonlyArray<Pick<ThresholdReached, "of" | "used" | "limit">> => {
  const { characterCount, characterLimit, keyCharacterCount, keyCharacterLimit } = usage
  return [
    { of: "account" as const, used: characterCount, limit: characterLimit },
    { of: "key" as const, used: keyCharacterCount, limit: keyCharacterLimit }
  ].flatMap(({ limit, of, used }) => typeof limit === "number" && used !== undefined ? [{ of, used, limit }] : [])
}

/** The thresholds that are reached, of those that were not at the look before in the same period. */
const newlyReached = (
  before: CurrentUsage | undefined,
  usage: CurrentUsage,
  percents: ReadonlyArray<number>
): ReadonlyArray<ThresholdReached> => {
  const isSamePeriod = before !== undefined && Equal.equals(before.startTime, usage.startTime)
  const earlier = isSamePeriod ? counted(before) : []
  return counted(usage).flatMap(({ limit, of, used }) => {
    const last = earlier.find((other) => other.of === of)
    return percents.filter((percent) =>
      used * 100 >= percent * limit && (last === undefined || last.used * 100 < percent * last.limit)
    ).map((percent) => ({ percent, of, used, limit, usage }))
  })
}

const checkThresholds = Effect.fnUntraced(function*({ at = defaultThresholds, every = "1 minute" }: ThresholdOptions) {
  if (!Array.isArray(at)) {
    return yield* invalid("at", typeOf(at), "an array of percentages")
  }
  const wrong = at.find((percent) => !(percent > 0 && percent <= 100))
  if (wrong !== undefined) {
    return yield* invalid("at", numberOf(wrong), "above 0 and up to 100")
  }
  const interval = Option.getOrUndefined(Duration.fromInput(every))
  if (interval === undefined || !(Duration.toMillis(interval) > 0)) {
    return yield* invalid("every", "no time", "a duration such as \"1 minute\"")
  }
  return { percents: at.toSorted((one, other) => one - other), interval }
})

/**
 * The errors of `get` and `remaining`.
 *
 * @category errors
 * @since 0.1.0
 */
export type GetError = Operations.Errors<typeof UsageApi, "get">["call"]

/**
 * The errors of `thresholds`, which leaves out a look with a transient error.
 *
 * @category errors
 * @since 0.1.0
 */
export type ThresholdsError = Operations.Union<
  InvalidInput | Exclude<GetError, { readonly isTransient: true }>
>["members"]

const make = Effect.gen(function*() {
  const { get } = yield* Operations.make(UsageApi)
  const budget = yield* CharacterBudget.CharacterBudget

  const look = get().pipe(
    Effect.asSome,
    Effect.catch((error) => error.isTransient ? Effect.succeedNone : Effect.fail(error))
  )

  return {
    /**
     * Asks what the current period has used up.
     *
     * **Details**
     *
     * `GET /v2/usage`. Counts no characters, and works when
     * they are used up. Any field can be missing: free plans tell count and limit of the characters only.
     */
    get: (): Effect.Effect<CurrentUsage, GetError> => get(),
    /**
     * Asks how many characters are left: see the function of that name. Fails as {@link get} does.
     */
    remaining: (): Effect.Effect<UsageLimit, GetError> => Effect.map(get(), remaining),
    /**
     * Tells when the characters of the period reach a threshold: 80, 95 and 100 percent of the limit of the account, and of
     * that of the key where it has one.
     *
     * **Details**
     *
     * Asks for the usage again and again, and does not end. The first look tells all thresholds that are reached, each later
     * one those that were not reached at the look before, or not in its period. Where there is no limit nothing is told. A
     * look that fails with an error that is transient is left out, and the next comes in its time; any other ends the stream.
     *
     * Fails with `InvalidInput` for a percentage that is not above 0 and up to 100, and for a time that is none; else as
     * {@link get} does.
     */
    thresholds: (options: ThresholdOptions = {}): Stream.Stream<ThresholdReached, ThresholdsError> =>
      Stream.unwrap(
        Effect.map(checked("Usage.thresholds", checkThresholds(options)), ({ interval, percents }) =>
          Stream.fromEffectSchedule(look, Schedule.spaced(interval)).pipe(
            Stream.mapAccum((): CurrentUsage | undefined =>
              undefined, (before, found) =>
              Option.match(found, {
                onNone: () => [before, []] as const,
                onSome: (usage) => [usage, newlyReached(before, usage, percents)] as const
              }))
          ))
      ),
    /**
     * How the budget of the client stands, `undefined` where the configuration has none.
     *
     * **Details**
     *
     * With `characterBudget` a translation, an improvement or an upload that would pass it fails with `BudgetExceeded` before
     * anything is sent. What is counted is the estimate of the call; it is given back when the service refuses the call, and
     * counted once more for each attempt whose outcome is not known, as the service may have counted it. A document counts
     * from its upload on, with what the service says once it is translated, and not at all when its translation fails.
     * Detection does not count, nor do requests of `Requests`, whose texts are not known.
     */
    budget: () => Effect.sync((): Budget | undefined => budget.standing())
  }
})

/**
 * The service of usage.
 *
 * @category services
 * @since 0.1.0
 */
export class Usage extends Context.Service<Usage, Effect.Success<typeof make>>()("@effect-lingua/core/account/Usage") {}

/**
 * The service over the contract client.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = Layer.provide(Layer.effect(Usage, make), CharacterBudget.layer)
