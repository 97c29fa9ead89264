/**
 * Administration: the developer keys of an account, and their usage. The contract is from public documentation, not the specification.
 *
 * Administration needs an admin key, so it is not part of `LanguageService`.
 *
 * @since 0.1.0
 */
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import * as ResilienceClient from "../call/internal/call.ts"
import type { CallRecord } from "../call/internal/callRecord.ts"
import * as Operations from "../call/internal/operation.ts"
import { withKnownOptions } from "../call/internal/options.ts"
import { linked } from "../call/internal/pages.ts"
import { config, InvalidConfiguration, LanguageServiceConfig } from "../config/LanguageServiceConfig.ts"
import type { KeyId } from "../contract/Ids.ts"
import { defined, type Optional } from "../contract/internal/values.ts"
import type { InvalidInput, LimitExceeded } from "../errors/CallError.ts"
import * as Checks from "../errors/internal/checks.ts"
import { required } from "../errors/internal/prefixed.ts"
import { expectId, mismatch } from "../errors/internal/unexpected.ts"
import { NotFound } from "../errors/ServiceError.ts"
import { ClientState } from "../telemetry/ClientState.ts"
import { Events } from "../telemetry/Events.ts"
import {
  AdminApi,
  type AggregateBy,
  type CreatedKey,
  type CustomTagUsage,
  type CustomTagUsagePage,
  type DeveloperKey,
  type GroupBy,
  type KeyAndDayUsage,
  type KeyLimit,
  type KeyLimitation,
  type KeyLimits,
  type KeyUsage,
  type NewKey,
  type UsageCounts,
  type UsageReport
} from "./internal/adminApi.ts"

type ReportDate = RangeOptions["startDate"]

const datePattern = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/

/** True for a day in the calendar. `Date` would convert February 30 to March 2. */
const isDay = (day: string): boolean =>
  Option.exists(DateTime.make(`${day}T00:00:00Z`), (date) => DateTime.formatIsoDateUtc(date) === day)

/** Checks and formats a date for the request: a day unchanged, a time in UTC. */
const check = (parameter: string, date: ReportDate) => {
  const [, day = "", time] = typeof date === "string" ? datePattern.exec(date) ?? [] : []
  const parsed = DateTime.isDateTime(date) ? date : isDay(day) ? Option.getOrUndefined(DateTime.make(date)) : undefined
  const iso = parsed === undefined ? "" : DateTime.formatIso(DateTime.toUtc(parsed))
  // Excludes years above 9999, which ISO 8601 writes with a sign.
  if (parsed !== undefined && /^\d{4}-/.test(iso)) {
    const wire = day !== "" && time === undefined ? day : iso.replace(".000Z", "Z")
    return Effect.succeed({ millis: parsed.epochMilliseconds, wire })
  }
  return Checks.invalid(
    parameter,
    typeof date === "string"
      ? "an invalid date"
      : DateTime.isDateTime(date)
      ? "a year outside of 0000 to 9999"
      : Checks.typeOf(date),
    "a DateTime, a day such as \"2026-01-31\" or a time such as \"2026-01-31T12:00:00Z\""
  )
}

const millisOfDay = 86_400_000

const checkRange = Effect.fnUntraced(function*(
  range: { readonly startDate: ReportDate; readonly endDate: ReportDate },
  days: number
): Effect.fn.Return<{ readonly startDate: string; readonly endDate: string }, InvalidInput | LimitExceeded> {
  const start = yield* check("startDate", range.startDate)
  const end = yield* check("endDate", range.endDate)
  if (end.millis < start.millis) {
    return yield* Checks.invalid("endDate", `${end.wire}, which is before the start`, `${start.wire} or later`)
  }
  yield* Checks.checkLimit("endDate", "days", Math.ceil((end.millis - start.millis) / millisOfDay), days)
  return { startDate: start.wire, endDate: end.wire }
})

export { AggregateBy, CreatedKey, CustomTagUsage, CustomTagUsagePage, DeveloperKey } from "./internal/adminApi.ts"
export { GroupBy, KeyAndDayUsage, KeyLimit, KeyLimits, KeyUsage, UsageCounts } from "./internal/adminApi.ts"
export { UsageReport } from "./internal/adminApi.ts"

/**
 * A developer key's id, or a whole `DeveloperKey`.
 *
 * @category options
 * @since 0.1.0
 */
export interface KeyRef {
  readonly keyId: KeyId
}

/**
 * @category options
 * @since 0.1.0
 */
export interface CreateKeyOptions extends Optional<NewKey> {}

/**
 * A new developer key. `secret` is the key itself.
 *
 * @category models
 * @since 0.1.0
 */
export interface NewDeveloperKey extends CreatedKey {
  /** The response body, if the `secret` is missing: possibly the only copy of the key, because the service returns a key once. */
  readonly answer?: Redacted.Redacted
}

/**
 * A key and its new limits: an omitted limit is unchanged.
 *
 * @category options
 * @since 0.1.0
 */
export interface KeyLimitsOptions extends Optional<KeyLimitation> {}

/**
 * A time range of at most 366 days. A string is a day, `"2026-01-31"`, or a time, `"2026-01-31T12:00:00Z"`, in UTC by default.
 *
 * @category options
 * @since 0.1.0
 */
export interface RangeOptions {
  readonly startDate: DateTime.DateTime | string
  readonly endDate: DateTime.DateTime | string
}

/**
 * @category options
 * @since 0.1.0
 */
export interface AnalyticsOptions extends RangeOptions {
  /** Adds an entry per key, or per key and day. Default: the total only. */
  readonly groupBy?: GroupBy | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export interface CustomTagOptions extends RangeOptions {
  /** The service's default is `period`. */
  readonly aggregateBy?: AggregateBy | undefined
}

/**
 * @category options
 * @since 0.1.0
 */
export interface CustomTagPageOptions extends CustomTagOptions {
  /** The `nextPage` of the previous page. Default: the first page. */
  readonly page?: number | undefined
}

const limitNames = ["characters", "speechToTextMilliseconds", "speechToSpeechMilliseconds"] as const

const checkKeyLimit = (parameter: string, limit: KeyLimit | undefined) =>
  limit === undefined || limit === "unlimited" || (Number.isSafeInteger(limit) && limit >= 0)
    ? Effect.void
    : Checks.invalid(parameter, Checks.numberOf(limit), "a whole number from 0, or \"unlimited\"")

const ofKey = <E>(keyId: KeyId, request: Effect.Effect<DeveloperKey, E>) =>
  Effect.andThen(Checks.checkId("keyId", keyId), Effect.tap(request, (key) => expectId("keyId", keyId, key.keyId)))

type KeyError = Operations.Errors<typeof AdminApi, "listKeys">["call"]

type CreateKeyError = Operations.Errors<typeof AdminApi, "createKey">["create"]

type ReportError = Operations.Errors<typeof AdminApi, "analytics", LimitExceeded>["call"]

const make = Effect.gen(function*() {
  const api = yield* Operations.make(AdminApi)
  const { limits } = yield* LanguageServiceConfig

  const createKey = Effect.fnUntraced(function*(record: CallRecord, { label }: CreateKeyOptions) {
    if (label !== undefined) yield* Checks.checkText("label", label)
    const key: CreatedKey = yield* api.createKey.request(record, { payload: defined({ label }) })
    const response = key.secret === undefined ? record.response : undefined
    // oxlint-disable-next-line typescript/no-misused-spread -- a body is a plain object
    return response === undefined ? key : { ...key, answer: Redacted.make(yield* response.text) }
  })

  const presentLimits = Effect.fnUntraced(function*(record: CallRecord, keyId: KeyId) {
    yield* Checks.checkId("keyId", keyId)
    const keys = yield* api.listKeys.request(record, {})
    const found = keys.find((key) => Checks.isId(key.keyId, keyId))
    if (found === undefined) return yield* new NotFound({ description: "The account has no key with this id" })
    const { usageLimits } = found
    return usageLimits.characters === undefined || usageLimits.speechToTextMilliseconds === undefined
      ? yield* mismatch("the list of keys does not have the present limits of the key: set all limits at once")
      : usageLimits
  })

  const setKeyLimits = Effect.fnUntraced(function*(record: CallRecord, options: KeyLimitsOptions) {
    const { keyId } = options
    const requested = defined(Struct.pick(options, limitNames))
    for (const name of limitNames) yield* checkKeyLimit(name, options[name])
    const count = Object.keys(requested).length
    if (count === 0) return yield* Checks.invalid(limitNames.join(", "), "none of them", "at least one of them")
    // The service removes omitted limits, so the request repeats the present limits.
    const present = count === limitNames.length ? undefined : yield* presentLimits(record, keyId)
    // oxlint-disable-next-line typescript/no-misused-spread -- a body is a plain object
    return yield* ofKey(keyId, api.setKeyLimits.request(record, { payload: { keyId, ...present, ...requested } }))
  })

  const analytics = Effect.fnUntraced(function*({ groupBy, ...range }: AnalyticsOptions) {
    const dates = yield* checkRange(range, limits.reportDays)
    return { query: defined({ ...dates, groupBy }) }
  })

  const tagPage = Effect.fnUntraced(
    function*(record: CallRecord, { aggregateBy, page, ...range }: CustomTagPageOptions) {
      const dates = yield* checkRange(range, limits.reportDays)
      if (page !== undefined) yield* Checks.checkInteger("page", page, 0)
      const { customTagUsageReport } = yield* api.listCustomTagUsagePage.request(record, {
        query: defined({ ...dates, aggregateBy, page })
      })
      return customTagUsageReport
    }
  )

  const listCustomTagUsagePage = (options: CustomTagPageOptions): Effect.Effect<CustomTagUsagePage, ReportError> =>
    api.listCustomTagUsagePage.run((record) => tagPage(record, options))

  const listCustomTagUsage = (options: CustomTagOptions): Stream.Stream<CustomTagUsage, ReportError> =>
    linked(
      (record, page: number | undefined) =>
        Effect.map(
          tagPage(record, { ...options, page }),
          // An empty page is the last, even with a `nextPage`.
          ({ nextPage, usage }) => [usage, usage.length === 0 ? undefined : nextPage] as const
        ),
      api.listCustomTagUsagePage.run
    )

  const listKeys: Stream.Stream<DeveloperKey, KeyError> = Stream.fromIterableEffect(api.listKeys())

  return yield* withKnownOptions(AdminApi, {
    /**
     * Creates a developer key (`POST /v2/admin/developer-keys`). Retried only if the service refused the request. If the response is lost, fails with
     * `OutcomeUnknown` (label in `lookup`): deactivate the key, because its secret is lost.
     */
    createKey: (options: CreateKeyOptions = {}): Effect.Effect<NewDeveloperKey, CreateKeyError> =>
      api.createKey.create(defined({ label: options.label }), (record) => createKey(record, options)),
    /** Gets all developer keys, including deactivated ones, without their secrets (`GET /v2/admin/developer-keys`). */
    listKeys,
    /** Deactivates a key permanently (`PUT /v2/admin/developer-keys/deactivate`). Fails with `NotFound` for an unknown id. */
    deactivateKey: ({ keyId }: KeyRef): Effect.Effect<DeveloperKey, KeyError> =>
      api.deactivateKey.run((record) => ofKey(keyId, api.deactivateKey.request(record, { payload: { keyId } }))),
    /** Changes the label of a key (`PUT /v2/admin/developer-keys/label`). Fails with `NotFound` for an unknown id. */
    setKeyLabel: ({ keyId, label }: KeyRef & { readonly label: string }): Effect.Effect<DeveloperKey, KeyError> =>
      api.setKeyLabel.run((record) =>
        Effect.andThen(
          Checks.checkText("label", label),
          ofKey(keyId, api.setKeyLabel.request(record, { payload: { keyId, label } }))
        )
      ),
    /**
     * Limits the usage of a key. 0 blocks the key, `"unlimited"` removes a limit, and an omitted limit is unchanged.
     *
     * **Details**
     *
     * `PUT /v2/admin/developer-keys/limits` replaces all limits, so omitted limits are read first (`GET /v2/admin/developer-keys`). Concurrent calls
     * for one key can undo each other's change. Fails before the request with `InvalidInput` for an invalid limit or without a limit. Fails with
     * `NotFound` for an unknown id, and with `UnexpectedResponse` if the present limits cannot be read.
     */
    setKeyLimits: (options: KeyLimitsOptions): Effect.Effect<DeveloperKey, KeyError> =>
      api.setKeyLimits.run((record) => setKeyLimits(record, options)),
    /**
     * Gets the usage in a time range: in total, per key, or per key and day.
     *
     * **Details**
     *
     * `GET /v2/admin/analytics`, only on the paid tier's default host. Fails before the request with `InvalidInput` for an invalid date or an end
     * before the start, and with `LimitExceeded` for more than 366 days.
     */
    analytics: (options: AnalyticsOptions): Effect.Effect<UsageReport, ReportError> =>
      Effect.map(api.analytics(analytics(options)), ({ usageReport }) => usageReport),
    /**
     * Gets one page of the usage of translations with a `reportingTag`, up to the previous day in UTC (`GET /v2/admin/analytics/custom-tags`). Fails
     * like `analytics`.
     */
    listCustomTagUsagePage,
    /** Streams the usage of all tagged translations. Fails like `listCustomTagUsagePage`, and with `UnexpectedResponse` for a repeated page. */
    listCustomTagUsage
  }, { listCustomTagUsage: { startDate: true, endDate: true, aggregateBy: true } })
})

/**
 * Client options, with an admin key instead of a developer key.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options extends Omit<LanguageServiceConfig.Options, "key" | "languages"> {
  readonly adminKey: Redacted.Redacted
}

/** The `Events` service of the context, or else a new one. */
const events = Layer.unwrap(
  Effect.map(
    Effect.serviceOption(Events),
    (events) => Option.isSome(events) ? Layer.succeed(Events, events.value) : Events.layer
  )
)

const nameAdminKey = (error: InvalidConfiguration) =>
  error.setting === "key"
    ? new InvalidConfiguration({ setting: "adminKey", problem: error.problem, ...defined({ client: error.client }) })
    : error

/**
 * Settings that replace environment variables, and the variables' prefix.
 *
 * @category options
 * @since 0.1.0
 */
export interface ConfigOptions
  extends
    Omit<LanguageServiceConfig.ConfigOptions, "key">,
    LanguageServiceConfig.OrConfig<Partial<Pick<Options, "adminKey">>>
{}

/**
 * Manages developer keys, and reports usage.
 *
 * @category services
 * @since 0.1.0
 */
export class Admin extends Context.Service<Admin, Effect.Success<typeof make>>()("@effect-lingua/core/account/Admin") {
  /** True for a key that is not deactivated. */
  static readonly isActive = ({ deactivatedTime, isDeactivated }: DeveloperKey): boolean =>
    !(isDeactivated ?? deactivatedTime !== undefined)

  /**
   * Uses a separate client, and shares only `Events` with other services. Fails with `InvalidConfiguration` for an invalid setting. A developer key
   * is refused by the service at the first call; the error then has `keyKind`.
   */
  static readonly layer = (
    { adminKey, ...options }: Options
  ): Layer.Layer<Admin, InvalidConfiguration, HttpClient.HttpClient> =>
    // Fresh, because two configurations must not share services.
    Layer.fresh(
      Layer.effect(Admin, make).pipe(Layer.provide(ResilienceClient.layer), Layer.provide([events, ClientState.layer]))
    ).pipe(Layer.provide(Layer.effect(
      LanguageServiceConfig,
      Effect.mapError(LanguageServiceConfig.make({ ...options, key: adminKey }), nameAdminKey)
    )))

  static readonly make = (
    options: Options
  ): Effect.Effect<Admin["Service"], InvalidConfiguration, HttpClient.HttpClient | Scope.Scope> =>
    Effect.map(Layer.build(Admin.layer(options)), Context.get(Admin))

  /**
   * Reads `LANGUAGE_SERVICE_ADMIN_KEY` (secret, required) and the variables of `LanguageServiceConfig.config`, except `LANGUAGE_SERVICE_KEY`.
   */
  static readonly config = ({ adminKey, ...options }: ConfigOptions = {}): Config.Config<Options> => {
    const names = { adminKey: "LANGUAGE_SERVICE_ADMIN_KEY", baseUrl: "LANGUAGE_SERVICE_BASE_URL" }
    const key = adminKey ??
      Config.map(required(options.prefix, defined(options), names)("adminKey"), (key) => Redacted.make(key))
    return Config.map(config({ ...options, key }), ({ key, ...rest }) => ({ ...rest, adminKey: key }))
  }

  /** {@link layer} with options from {@link config}. Fails with `ConfigError` for a missing or malformed variable, and like {@link layer}. */
  static readonly layerConfig = (
    options?: ConfigOptions
  ): Layer.Layer<Admin, Config.ConfigError | InvalidConfiguration, HttpClient.HttpClient> =>
    Layer.unwrap(Effect.map(Admin.config(options), Admin.layer))
}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace Admin {
  export type { AnalyticsOptions, ConfigOptions, CreateKeyOptions, CustomTagOptions, CustomTagPageOptions }
  export type { KeyLimitsOptions, Options, RangeOptions }
  export type { CreateKeyError, KeyError, ReportError }
  export type { AggregateBy, CreatedKey, CustomTagUsage, CustomTagUsagePage, DeveloperKey, GroupBy, KeyAndDayUsage }
  export type { KeyLimit, KeyLimits, KeyRef, KeyUsage, NewDeveloperKey, UsageCounts, UsageReport }
}
