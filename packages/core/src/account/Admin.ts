/**
 * Administration: the developer keys of an account, and their usage. Its source is public documentation, not the specification.
 *
 * **Details**
 *
 * It needs an admin key, which can create and deactivate keys, so it is not part of `LanguageService`. Its layers read the
 * admin key under its own name, `adminKey` or `LANGUAGE_SERVICE_ADMIN_KEY`, and never the key of the other services; code
 * without this layer cannot use the admin key.
 *
 * **Example** (A key for a team, with a limit)
 *
 * ```ts import.meta.vitest
 * import * as Admin from "@effect-lingua/core/account/Admin"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function*() {
 *   const admin = yield* Admin.Admin
 *   const { keyId, secret } = yield* admin.createKey({ label: "Help pages" })
 *   yield* admin.setKeyLimits({ keyId, characters: 500_000 })
 *   // The secret is returned once. `Redacted.value` reads it.
 *   return `${secret}`
 * })
 * const layer = FakeLanguageService.layerAdmin().pipe(Layer.provide(FakeLanguageService.layer()))
 * const shown = await program.pipe(Effect.provide(layer), Effect.runPromise)
 * shown // => "<redacted>"
 * ```
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
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import * as ResilienceClient from "../call/internal/call.ts"
import type { CallRecord } from "../call/internal/callRecord.ts"
import * as Operations from "../call/internal/operation.ts"
import { withKnownOptions } from "../call/internal/options.ts"
import { linked } from "../call/internal/pages.ts"
import * as LanguageServiceConfig from "../config/LanguageServiceConfig.ts"
import type { KeyId } from "../contract/Ids.ts"
import { defined } from "../contract/internal/values.ts"
import type { InvalidInput, LimitExceeded } from "../errors/CallError.ts"
import {
  checkId,
  checkInteger,
  checkLimit,
  checkText,
  invalid,
  isId,
  numberOf,
  typeOf
} from "../errors/internal/checks.ts"
import { requiredSecret } from "../errors/internal/prefixed.ts"
import { expectId, mismatch } from "../errors/internal/unexpected.ts"
import { NotFound } from "../errors/ServiceError.ts"
import * as ClientState from "../telemetry/ClientState.ts"
import * as Events from "../telemetry/Events.ts"
import {
  AdminApi,
  type AggregateBy,
  type CreatedKey,
  type CustomTagUsage,
  type CustomTagUsagePage,
  type DeveloperKey,
  type GroupBy,
  type KeyLimit,
  type UsageReport
} from "./internal/adminApi.ts"

/** A time accepted by reports. */
type ReportDate = DateTime.DateTime | string

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
const checkRange = Effect.fnUntraced(function*(
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

export {
  AggregateBy,
  CreatedKey,
  CustomTagUsage,
  CustomTagUsagePage,
  DeveloperKey,
  GroupBy,
  KeyAndDayUsage,
  KeyLimit,
  KeyLimits,
  KeyUsage,
  UsageCounts,
  UsageReport
} from "./internal/adminApi.ts"

/**
 * A developer key by its id.
 *
 * @category options
 * @since 0.1.0
 */
export interface KeyRef {
  readonly keyId: KeyId
}

/**
 * The options of a new key.
 *
 * @category options
 * @since 0.1.0
 */
export interface CreateKeyOptions {
  readonly label?: string | undefined
}

/**
 * A new developer key. The key is `secret`.
 *
 * @category models
 * @since 0.1.0
 */
export interface NewDeveloperKey extends CreatedKey {
  /**
   * The whole body of the response if it has no `secret`, so that a key under another name is not lost. It is returned once.
   */
  readonly answer?: Redacted.Redacted
}

/**
 * Limits of a key for a period: numbers, of which 0 blocks the key, or `"unlimited"`.
 *
 * @category options
 * @since 0.1.0
 */
export interface KeyLimitsOptions extends KeyRef {
  readonly characters?: KeyLimit | undefined
  readonly speechToTextMilliseconds?: KeyLimit | undefined
  /** Newer than the specification; a service without it ignores it. */
  readonly speechToSpeechMilliseconds?: KeyLimit | undefined
}

/**
 * The range of time of a report, 366 days at most. A string is a day, `"2026-01-31"`, or a time, `"2026-01-31T12:00:00Z"`; the
 * default zone is UTC.
 *
 * @category options
 * @since 0.1.0
 */
export interface RangeOptions {
  readonly startDate: DateTime.DateTime | string
  /** Not before the start. */
  readonly endDate: DateTime.DateTime | string
}

/**
 * Options of a usage report.
 *
 * @category options
 * @since 0.1.0
 */
export interface AnalyticsOptions extends RangeOptions {
  /** Adds an entry for each key, or for each day of each key. Default: the total only. */
  readonly groupBy?: GroupBy | undefined
}

/**
 * Options of a report of tags.
 *
 * @category options
 * @since 0.1.0
 */
export interface CustomTagOptions extends RangeOptions {
  /** One entry per tag, or one per tag and day. The service's default is `period`. */
  readonly aggregateBy?: AggregateBy | undefined
}

/**
 * Options of a page of a report of tags.
 *
 * @category options
 * @since 0.1.0
 */
export interface CustomTagPageOptions extends CustomTagOptions {
  /** The `nextPage` of the previous page. Default: the first page. */
  readonly page?: number | undefined
}

/**
 * True for a key that can be used: the service does not report it as deactivated.
 *
 * @category getters
 * @since 0.1.0
 */
export const isActive = ({ deactivatedTime, isDeactivated }: DeveloperKey): boolean =>
  !(isDeactivated ?? deactivatedTime !== undefined)

const limitNames = ["characters", "speechToTextMilliseconds", "speechToSpeechMilliseconds"] as const

const checkKeyLimit = (parameter: string, limit: KeyLimit | undefined) =>
  limit === undefined || limit === "unlimited" || (Number.isSafeInteger(limit) && limit >= 0)
    ? Effect.void
    : invalid(parameter, numberOf(limit), "a whole number from 0, or \"unlimited\"")

/** Checks the id of a key before a request whose body has it, and in the response. */
const ofKey = <E>(keyId: KeyId, request: Effect.Effect<DeveloperKey, E>) =>
  Effect.andThen(checkId("keyId", keyId), Effect.tap(request, (key) => expectId("keyId", keyId, key.keyId)))

type KeyError = Operations.Errors<typeof AdminApi, "listKeys">["call"]

type CreateKeyError = Operations.Errors<typeof AdminApi, "createKey">["create"]

type ReportError = Operations.Errors<typeof AdminApi, "analytics", LimitExceeded>["call"]

const make = Effect.gen(function*() {
  const api = yield* Operations.make(AdminApi)
  const { limits } = yield* LanguageServiceConfig.LanguageServiceConfig

  const createKey = Effect.fnUntraced(function*(record: CallRecord, { label }: CreateKeyOptions) {
    if (label !== undefined) yield* checkText("label", label)
    const made: CreatedKey = yield* api.createKey.request(record, { payload: defined({ label }) })
    const response = made.secret === undefined ? record.response : undefined
    // oxlint-disable-next-line typescript/no-misused-spread -- a body is a plain object
    return response === undefined ? made : { ...made, answer: Redacted.make(yield* response.text) }
  })

  /** The limits of a key; that of speech to speech may be unknown to the service. */
  const presentLimits = Effect.fnUntraced(function*(record: CallRecord, keyId: KeyId) {
    yield* checkId("keyId", keyId)
    const keys = yield* api.listKeys.request(record, {})
    const found = keys.find((key) => isId(key.keyId, keyId))
    if (found === undefined) return yield* new NotFound({ description: "The list of keys does not have it" })
    const { usageLimits } = found
    return usageLimits.characters === undefined || usageLimits.speechToTextMilliseconds === undefined
      ? yield* mismatch("the list of keys does not have the present limits of the key: set all limits at once")
      : usageLimits
  })

  const setKeyLimits = Effect.fnUntraced(function*(record: CallRecord, options: KeyLimitsOptions) {
    const { keyId } = options
    const given = defined(Struct.pick(options, limitNames))
    for (const name of limitNames) yield* checkKeyLimit(name, options[name])
    const count = Object.keys(given).length
    if (count === 0) return yield* invalid(limitNames.join(", "), "none of them", "one of them at least")
    // The service switches off a limit that is left out.
    const present = count === limitNames.length ? undefined : yield* presentLimits(record, keyId)
    // oxlint-disable-next-line typescript/no-misused-spread -- a body is a plain object
    return yield* ofKey(keyId, api.setKeyLimits.request(record, { payload: { keyId, ...present, ...given } }))
  })

  const analytics = Effect.fnUntraced(function*({ groupBy, ...range }: AnalyticsOptions) {
    const dates = yield* checkRange(range, limits.reportDays)
    return { query: defined({ ...dates, groupBy }) }
  })

  const tagPage = Effect.fnUntraced(
    function*(record: CallRecord, { aggregateBy, page, ...range }: CustomTagPageOptions) {
      const dates = yield* checkRange(range, limits.reportDays)
      if (page !== undefined) yield* checkInteger("page", page, 0)
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
          // All pages after an empty one are empty.
          ({ nextPage, usage }) => [usage, usage.length === 0 ? undefined : nextPage] as const
        ),
      api.listCustomTagUsagePage.run
    )

  return yield* withKnownOptions(AdminApi, {
    /**
     * Creates a developer key.
     *
     * **Details**
     *
     * `POST /v2/admin/developer-keys`. The key itself is `secret`, if the response has that field; otherwise `answer` is the
     * whole response. Each run creates another key, so a call is retried only if the service refused it. If its outcome is
     * unknown it fails with `OutcomeUnknown`, whose `lookup` has the label to search for: deactivate a key created that way, as
     * its secret is lost. Fails with `InvalidInput` for a label that UTF-8 cannot encode.
     */
    createKey: (options: CreateKeyOptions = {}): Effect.Effect<NewDeveloperKey, CreateKeyError> =>
      api.createKey.create(defined({ label: options.label }), (record) => createKey(record, options)),
    /**
     * Gets all developer keys, including deactivated ones (see {@link isActive}), without their secrets.
     *
     * **Details**
     *
     * `GET /v2/admin/developer-keys`. The list is not paginated.
     */
    listKeys: (): Stream.Stream<DeveloperKey, KeyError> => Stream.fromIterableEffect(api.listKeys()),
    /**
     * Deactivates a key permanently: calls with it fail, and it cannot be reactivated.
     *
     * **Details**
     *
     * `PUT /v2/admin/developer-keys/deactivate`. Safe to retry. Fails with `NotFound` for an unknown id, and with
     * `InvalidInput` for an invalid one.
     */
    deactivateKey: ({ keyId }: KeyRef): Effect.Effect<DeveloperKey, KeyError> =>
      api.deactivateKey.run((record) => ofKey(keyId, api.deactivateKey.request(record, { payload: { keyId } }))),
    /**
     * Changes the label of a key.
     *
     * **Details**
     *
     * `PUT /v2/admin/developer-keys/label`. Fails with
     * `NotFound` for an unknown id, and with `InvalidInput` for an invalid id or a label that UTF-8 cannot encode.
     */
    setKeyLabel: ({ keyId, label }: KeyRef & { readonly label: string }): Effect.Effect<DeveloperKey, KeyError> =>
      api.setKeyLabel.run((record) =>
        Effect.andThen(
          checkText("label", label),
          ofKey(keyId, api.setKeyLabel.request(record, { payload: { keyId, label } }))
        )
      ),
    /**
     * Limits the usage of a key: characters, and milliseconds of speech to text and to speech. 0 blocks it, `"unlimited"` removes a limit.
     * A limit that is left out stays.
     *
     * **Details**
     *
     * `PUT /v2/admin/developer-keys/limits`, which replaces all limits of the key: unless all are given, the present ones are read first
     * (`GET /v2/admin/developer-keys`) and sent along; a list without them fails with `UnexpectedResponse`, before anything is changed.
     * Two runs at the same time for one key can undo each other's change, and a limit that this version does not know is not kept. Fails with
     * `InvalidInput` for a limit that is not a whole number from 0 and if all are omitted, before anything is sent; with `NotFound` for an
     * unknown id.
     */
    setKeyLimits: (options: KeyLimitsOptions): Effect.Effect<DeveloperKey, KeyError> =>
      api.setKeyLimits.run((record) => setKeyLimits(record, options)),
    /**
     * Gets the usage in a range of time: the total, and on request by key, or by key and day.
     *
     * **Details**
     *
     * `GET /v2/admin/analytics`. Available only at the default host of the paid tier. Fails with `InvalidInput` for an invalid
     * date and for an end before the start, and with `LimitExceeded` for a range of more than 366 days, before anything is
     * sent.
     */
    analytics: (options: AnalyticsOptions): Effect.Effect<UsageReport, ReportError> =>
      Effect.map(api.analytics(analytics(options)), ({ usageReport }) => usageReport),
    /**
     * Gets one page of the usage of translations with a `reportingTag`.
     *
     * **Details**
     *
     * `GET /v2/admin/analytics/custom-tags`. `nextPage` is absent at the end. Data ends with the previous day in UTC. Fails
     * like `analytics`, and with `InvalidInput` for a page below 0.
     */
    listCustomTagUsagePage,
    /**
     * Streams the usage of all tagged translations, page by page.
     *
     * **Details**
     *
     * Ends with the last page, or with an empty one. Fails like `listCustomTagUsagePage`, and with
     * `UnexpectedResponse` if a page names an earlier one as the next, because the stream would never end.
     */
    listCustomTagUsage
  }, {
    listCustomTagUsage: { startDate: true, endDate: true, aggregateBy: true }
  })
})

/**
 * The service of administration.
 *
 * @category services
 * @since 0.1.0
 */
export class Admin extends Context.Service<Admin, Effect.Success<typeof make>>()("@effect-lingua/core/account/Admin") {}

/**
 * The configuration: that of the other services, with the admin key instead of the key.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options extends Omit<LanguageServiceConfig.Options, "key" | "languages"> {
  /** The admin key. */
  readonly adminKey: Redacted.Redacted
}

/** The events of an underlying client, if there is one. */
const events = Layer.unwrap(
  Effect.map(
    Effect.serviceOption(Events.Events),
    (given) => Option.isSome(given) ? Layer.succeed(Events.Events, given.value) : Events.layer
  )
)

/** Fresh, because a program with two configurations must not share the services of one. */
const services = Layer.fresh(
  Layer.effect(Admin, make).pipe(Layer.provide(ResilienceClient.layer), Layer.provide([events, ClientState.layer]))
)

const named = (error: LanguageServiceConfig.InvalidConfiguration) =>
  error.setting === "key"
    ? new LanguageServiceConfig.InvalidConfiguration({
      setting: "adminKey",
      problem: error.problem,
      ...defined({ client: error.client })
    })
    : error

/**
 * The service from options, over its own client with the same retries, limits and telemetry as the others. Its events are those
 * of the client that the layer is built on, if any.
 *
 * **Details**
 *
 * The suffix `:adm` of admin keys is documented only publicly, and a gateway may have keys of its own, so neither this service
 * nor the others refuse a key for its form. The service refuses a key of the wrong kind, and `keyKind` and the message of the
 * error name the problem.
 *
 * Fails with `InvalidConfiguration` for an invalid setting.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (
  { adminKey, ...options }: Options
): Layer.Layer<Admin, LanguageServiceConfig.InvalidConfiguration, HttpClient.HttpClient> =>
  Layer.provide(
    services,
    Layer.effect(
      LanguageServiceConfig.LanguageServiceConfig,
      Effect.mapError(LanguageServiceConfig.make({ ...options, key: adminKey }), named)
    )
  )

/**
 * Options that are not read from the environment, and the prefix of the others.
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
 * Reads the options from the environment, or from the current `ConfigProvider`. Given `options`, each a value or a `Config` of one, are not
 * looked up there.
 *
 * - `LANGUAGE_SERVICE_ADMIN_KEY` (secret, required)
 * - all variables of `LanguageServiceConfig.config` except `LANGUAGE_SERVICE_KEY`
 *
 * @category configuration
 * @since 0.1.0
 */
export const config = ({ adminKey, ...options }: ConfigOptions = {}): Config.Config<Options> =>
  Config.map(
    LanguageServiceConfig.config({
      ...options,
      key: adminKey ?? requiredSecret(options.prefix, "LANGUAGE_SERVICE_ADMIN_KEY", "adminKey")
    }),
    ({ key, ...rest }) => ({ ...rest, adminKey: key })
  )

/**
 * The service from {@link config}; `options` adds or replaces settings. Fails with `ConfigError` when a variable is missing or
 * malformed, and like {@link layer}.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig = (
  options?: ConfigOptions
): Layer.Layer<Admin, Config.ConfigError | LanguageServiceConfig.InvalidConfiguration, HttpClient.HttpClient> =>
  Layer.unwrap(Effect.map(config(options), layer))
