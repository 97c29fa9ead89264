/**
 * The configuration of a client: address, key, limits and policies.
 *
 * @since 0.1.0
 */
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Tier } from "../contract/internal/operation.ts"
import { defined } from "../contract/internal/values.ts"
import { defaults as defaultLimits, type Limits } from "../contract/Limits.ts"
import { prefixed, requiredSecret, requiredString } from "../errors/internal/prefixed.ts"
import { isFieldValue, isToken } from "./internal/headers.ts"
import { InvalidConfiguration, usable } from "./internal/invalidConfiguration.ts"
import { isLoopback } from "./internal/loopback.ts"
import * as Rules from "./internal/options.ts"
import { CurrentTransform, overrideForPart } from "./internal/region.ts"
import * as Settings from "./internal/settings.ts"
import { version } from "./internal/version.ts"
import * as ResiliencePolicy from "./ResiliencePolicy.ts"

const serviceNames = [
  "Admin",
  "CustomRequests",
  "Detection",
  "Documents",
  "Glossaries",
  "GlossariesV2",
  "Languages",
  "QualityEvaluation",
  "SpokenTerms",
  "StyleRules",
  "Translation",
  "TranslationMemories",
  "Usage",
  "Voice",
  "Writing"
] as const

/**
 * The names of the services: the groups of the contract, `CustomRequests`, and the groups of `@effect-lingua/voice`.
 *
 * @category models
 * @since 0.1.0
 */
export type ServiceName = typeof serviceNames[number]

/**
 * Options of the cached language lists.
 *
 * @category options
 * @since 0.1.0
 */
export interface LanguagesOptions {
  /** Time for which a list is fresh. Default 1 hour, as the service advises. */
  readonly timeToLive?: ResiliencePolicy.DurationInput | undefined
  /** Further time for which a stale list is used when it cannot be refreshed. Default 1 day. */
  readonly keepStale?: ResiliencePolicy.DurationInput | undefined
  /**
   * Checks calls against the lists before they are sent: codes, features of the pair, the language of a style rule list. While
   * a list is unavailable its checks pass. Requires the service `Languages` in the client. Default false; `Languages.Checks`
   * overrides it for a region.
   */
  readonly checks?: boolean | undefined
  /**
   * Requests the list of a resource to name the nearest code in the error of a refused one, if the program has not used that list. Default
   * false: an error causes no requests. Requires the service `Languages` in the client.
   */
  readonly explains?: boolean | undefined
  /**
   * Allows a glossary for texts whose language is detected. The service refuses it by its specification, and has it for some accounts
   * since August 2026. Default false: such a call fails with `InvalidInput`, before anything is sent. Documents always need a source.
   */
  readonly glossaryDetection?: boolean | undefined
}

/**
 * The configuration that all services read.
 *
 * @category services
 * @since 0.1.0
 */
export class LanguageServiceConfig extends Context.Service<LanguageServiceConfig, {
  readonly name: string | undefined
  readonly prefix: string | undefined
  readonly key: Redacted.Redacted
  readonly baseUrl: URL
  readonly tier: Tier
  readonly authScheme: string
  /** Headers of each request. They often hold the token of a gateway, so all of them count as secrets. */
  readonly headers: Readonly<Record<string, Redacted.Redacted>>
  readonly userAgent: string
  readonly limits: Limits
  readonly resilience: ResiliencePolicy.ResiliencePolicy
  /** The policies of the services that have one of their own. */
  readonly serviceResilience: { readonly [Name in ServiceName]?: ResiliencePolicy.ResiliencePolicy }
  readonly languages: {
    readonly timeToLive: Duration.Duration
    readonly keepStale: Duration.Duration
    readonly checks: boolean
    readonly explains: boolean
    readonly glossaryDetection: boolean
  }
  readonly transformClient: Settings.ClientTransform | undefined
}>()("@effect-lingua/core/config/LanguageServiceConfig") {}

/**
 * The options of a client.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /**
   * The name of the client, for programs with several: the attribute `client` of its metrics, `language_service.client` of its spans,
   * and `client` of `InvalidConfiguration`. 1 to 64 letters, digits, `.`, `_` or `-`. Default: none.
   */
  readonly name?: string | undefined
  /** The first word of the variables that messages of errors name, as in {@link ConfigOptions}, which sets it. Default: none. */
  readonly prefix?: string | undefined
  /** The API key, a developer key: `Redacted.make("…")`. `layerConfig` reads it from the environment. An admin key works with `Admin` only. */
  readonly key: Redacted.Redacted
  /** The base address, without the version: `https://host`. `http:` only for loopback, or with `allowHttp`. */
  readonly baseUrl: string | URL
  /** The tier of the key. Default: `free` for a key that ends with `:fx`, else `paid`. */
  readonly tier?: Tier | undefined
  /** The word before the key in the header `Authorization`. Default `Service-Auth-Key`. */
  readonly authScheme?: string | undefined
  /**
   * Headers sent with each request in addition to the client's own, such as the token of a gateway. All values count as secrets:
   * the configuration holds them as `Redacted`, and errors, spans and logs show `[redacted]` if the service repeats a value of 8
   * characters or more.
   */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>> | undefined
  /** The header `User-Agent`, which is always sent. Default `effect-lingua/<version>`. */
  readonly userAgent?: string | undefined
  /** Allows `http:` to a host that is not loopback; the key then travels in clear text. Default false. */
  readonly allowHttp?: boolean | undefined
  /** Limits of the plan where they differ from the specification's. */
  readonly limits?: Partial<Limits> | undefined
  /** The fields of the resilience policy that differ from the defaults. */
  readonly resilience?: ResiliencePolicy.Options | undefined
  /** The fields that differ from that policy for one service, by its name. Of shared settings it can only switch some off. */
  readonly serviceResilience?: { readonly [Name in ServiceName]?: ResiliencePolicy.Options } | undefined
  /** Options of the cached language lists. */
  readonly languages?: LanguagesOptions | undefined
  /** Transforms the `HttpClient` that sends the requests, such as to sign each: see {@link withClientTransform}. Default: none. */
  readonly transformClient?: Settings.ClientTransform | undefined
}

export type { Tier } from "../contract/internal/operation.ts"
export { InvalidConfiguration } from "./internal/invalidConfiguration.ts"
export type { ClientTransform } from "./internal/settings.ts"

/**
 * Transforms the `HttpClient` that sends the requests of an effect, such as to add a header for one tenant.
 *
 * **Details**
 *
 * A transform is within an attempt, and so within its time limit, its span, its entry of the ledger, and its permit; each retry runs it again. The
 * request has all headers and the body as they are sent. That of a region within another is applied to the client of the outer one, and the
 * `transformClient` of the options is nearest to the network: its signature covers what regions add. Files at addresses that the service has signed
 * are transferred without transforms, because they are at other hosts.
 *
 * Values of headers that it adds or changes are secrets, like those of `headers`: errors and spans show `[redacted]` if the service repeats one
 * of 8 characters or more.
 *
 * **Gotchas**
 *
 * What it fails with counts as an end of the attempt: an `EncodeError` as `ConnectionFailed`, which is not retried, as nothing was sent; an error of
 * the connection as if it had been that of the service. What it sends again is one attempt, so leave retries to the policy.
 *
 * **Example** (A header for a region)
 *
 * ```ts import.meta.vitest
 * import { withClientTransform } from "@effect-lingua/core/config/LanguageServiceConfig"
 * import { Translation } from "@effect-lingua/core/texts/Translation"
 * import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
 * import { Effect } from "effect"
 * import { HttpClient, HttpClientRequest } from "effect/http"
 *
 * const program = Effect.gen(function*() {
 *   const fake = yield* FakeLanguageService.FakeLanguageService
 *   const { translate } = yield* Translation
 *   yield* translate("Hello", { targetLanguage: "de" }).pipe(
 *     withClientTransform(HttpClient.mapRequest(HttpClientRequest.setHeader("x-tenant", "north")))
 *   )
 *   const [request] = yield* fake.requests()
 *   return request?.headers["x-tenant"]
 * })
 * const tenant = await program.pipe(Effect.provide(FakeLanguageService.layerServices()), Effect.runPromise)
 * tenant // => "north"
 * ```
 *
 * @category combinators
 * @since 0.3.0
 */
export const withClientTransform: {
  (transform: Settings.ClientTransform): <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  <A, E, R>(self: Effect.Effect<A, E, R>, transform: Settings.ClientTransform): Effect.Effect<A, E, R>
} = dual(
  2,
  <A, E, R>(self: Effect.Effect<A, E, R>, transform: Settings.ClientTransform): Effect.Effect<A, E, R> =>
    Effect.updateService(
      self,
      CurrentTransform,
      (outer) => outer === undefined ? transform : (client) => transform(outer(client))
    )
)

/**
 * A version of the interface at the end of an address, or with a path of the interface behind it. A gateway may have a version of its own
 * in another place.
 */
const versioned =
  /\/v[123](?:\/(?:admin|detect|document|glossar|jobs|languages|quality-evaluation|spoken-terms|style_rules|translat|usage|voice|write)\S*)?\/*$/i

const check = (condition: boolean, setting: string, problem: string): Effect.Effect<void, InvalidConfiguration> =>
  condition ? Effect.void : new InvalidConfiguration({ setting, problem })

const decode = <A>(rule: Rules.Rule<A>, setting: string, value: unknown): Effect.Effect<A, InvalidConfiguration> =>
  Effect.fromResult(usable(rule(value, setting)))

const fields = {
  key: Settings.secret,
  baseUrl: Settings.url,
  tier: Rules.optional(Rules.oneOf("free", "paid")),
  authScheme: Rules.optional(Rules.text),
  headers: Rules.optional(Settings.headers),
  userAgent: Rules.optional(Rules.text),
  allowHttp: Rules.optional(Rules.flag),
  limits: Rules.optional(Settings.limits),
  resilience: Rules.optional(Rules.record),
  serviceResilience: Rules.optional(Rules.record),
  languages: Rules.optional(Settings.languages),
  transformClient: Settings.transformClient,
  name: Rules.optional(Settings.name),
  prefix: Rules.optional(Rules.text)
} satisfies { readonly [Name in keyof Options]-?: Rules.Rule<unknown> }

const rules = Rules.struct(fields)

const inSetting = <A>(
  setting: string,
  policy: Result.Result<A, Rules.Problem>
): Effect.Effect<A, InvalidConfiguration> =>
  Effect.fromResult(usable(Result.mapError(policy, ({ field, problem }) => ({
    field: field === "" ? setting : `${setting}.${field}`,
    problem
  }))))

/**
 * Checks options and fills in defaults. Fails with `InvalidConfiguration`, which names the option, for an unknown option, and
 * for a value that cannot be used or has another type than {@link Options}.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (options: Options): Effect.Effect<LanguageServiceConfig["Service"], InvalidConfiguration> =>
  Effect.gen(function*() {
    yield* decode(Rules.record, "options", options)
    const name = yield* decode(Rules.optional(Settings.name), "name", options.name)
    return yield* Effect.mapError(
      checked(options),
      ({ problem, setting }) => new InvalidConfiguration({ setting, problem, ...defined({ client: name }) })
    )
  })

const checked = Effect.fnUntraced(function*(options: Options) {
  const decoded = yield* decode(rules, "", options)
  const { allowHttp = false, authScheme = "Service-Auth-Key", userAgent = `effect-lingua/${version}` } = decoded
  const key = Redacted.value(decoded.key)
  const baseUrl = new URL(decoded.baseUrl)
  // With or without a slash it is one host for the journal, the cache and the shared state.
  baseUrl.pathname = baseUrl.pathname.replace(/\/+$/, "")
  yield* check(/^[\x21-\x7e]+$/.test(key), "key", "is empty, or has spaces or characters that a header cannot carry")
  yield* check(
    baseUrl.protocol === "https:" || baseUrl.protocol === "http:",
    "baseUrl",
    `has the scheme ${baseUrl.protocol} but must be https:`
  )
  yield* check(
    baseUrl.protocol === "https:" || allowHttp || isLoopback(baseUrl),
    "baseUrl",
    "would send the key in clear text: use https:, or allow it with allowHttp"
  )
  yield* check(
    // Also an empty query, behind which paths would not be paths.
    baseUrl.username === "" && baseUrl.password === "" && !/[?#]/.test(baseUrl.href),
    "baseUrl",
    "must have neither user, query nor fragment"
  )
  const beyond = versioned.exec(baseUrl.pathname)
  yield* check(
    beyond === null,
    "baseUrl",
    `must stop before the version: ${baseUrl.origin}${baseUrl.pathname.slice(0, beyond?.index)}`
  )
  // The scheme word is not shown, because the whole header may have been given for it.
  yield* check(isToken(authScheme), "authScheme", "is not one word, such as Service-Auth-Key")
  yield* check(isFieldValue(userAgent), "userAgent", "is empty, or has characters that a header cannot carry")
  const resilience = yield* inSetting(
    "resilience",
    ResiliencePolicy.override(ResiliencePolicy.defaults, options.resilience ?? {})
  )
  for (const name of Object.keys(decoded.serviceResilience ?? {})) {
    yield* check(serviceNames.some((service) => service === name), `serviceResilience.${name}`, "is not a service")
  }
  const serviceResilience: { [Name in ServiceName]?: ResiliencePolicy.ResiliencePolicy } = {}
  for (const name of serviceNames) {
    const fields = options.serviceResilience?.[name]
    if (fields === undefined) continue
    serviceResilience[name] = yield* inSetting(`serviceResilience.${name}`, overrideForPart(resilience, fields))
  }
  return {
    name: decoded.name,
    prefix: decoded.prefix,
    key: decoded.key,
    baseUrl,
    tier: decoded.tier ?? (key.endsWith(":fx") ? "free" : "paid"),
    authScheme,
    headers: decoded.headers ?? {},
    userAgent,
    limits: decoded.limits ?? defaultLimits,
    resilience,
    serviceResilience,
    languages: {
      timeToLive: decoded.languages?.timeToLive ?? Duration.hours(1),
      keepStale: decoded.languages?.keepStale ?? Duration.days(1),
      checks: decoded.languages?.checks ?? false,
      explains: decoded.languages?.explains ?? false,
      glossaryDetection: decoded.languages?.glossaryDetection ?? false
    },
    transformClient: decoded.transformClient
  }
})

/**
 * The configuration from values.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<LanguageServiceConfig, InvalidConfiguration> =>
  Layer.effect(LanguageServiceConfig, make(options))

/** An option that is given is not looked up: a value, or a `Config` of its own. */
const given = <A>(value: A | Config.Config<A>): Config.Config<A> =>
  Config.isConfig(value) ? value : Config.succeed(value)

const optional = <A>(from: Config.Config<A>): Config.Config<A | undefined> =>
  Config.map(Config.option(from), Option.getOrUndefined)

/**
 * Options, each as a value or as a `Config` of one.
 *
 * @category options
 * @since 0.3.0
 */
export type OrConfig<A> = { readonly [Name in keyof A]: A[Name] | Config.Config<A[Name]> }

/**
 * Options that are not read from the variables of {@link config}, and the prefix of the others.
 *
 * @category options
 * @since 0.1.0
 */
export interface ConfigOptions
  extends OrConfig<Omit<Partial<Options>, "name" | "prefix" | "resilience">>, Pick<Options, "name" | "resilience">
{
  /**
   * The first word of all variables, for programs with several clients: `EU` for `EU_LANGUAGE_SERVICE_KEY`. It is also the default of
   * `name`. Default: none.
   */
  readonly prefix?: string | undefined
}

/**
 * Reads the options from the environment, or from the current `ConfigProvider`. Given `options` are not
 * looked up there: each is a value, or a `Config` of one, such as a secret with a name of the program's own. With a `prefix` the
 * names of the variables begin with it.
 *
 * - `LANGUAGE_SERVICE_KEY` (secret, required)
 * - `LANGUAGE_SERVICE_BASE_URL` (required)
 * - `LANGUAGE_SERVICE_TIER` (`free` or `paid`)
 * - `LANGUAGE_SERVICE_AUTH_SCHEME`
 * - `LANGUAGE_SERVICE_USER_AGENT`
 * - `LANGUAGE_SERVICE_ALLOW_HTTP` (`true` or `false`)
 *
 * **Example** (A key with a name of the program's own)
 *
 * ```ts import.meta.vitest
 * import * as LanguageServiceConfig from "@effect-lingua/core/config/LanguageServiceConfig"
 * import { Config, ConfigProvider, Effect } from "effect"
 *
 * const provider = ConfigProvider.fromUnknown({ TRANSLATION_KEY: "secret", TRANSLATION_TIER: "paid" })
 * const options = LanguageServiceConfig.config({
 *   key: Config.Redacted("TRANSLATION_KEY"),
 *   tier: Config.Literals(["free", "paid"], "TRANSLATION_TIER"),
 *   baseUrl: "https://service.test"
 * })
 * const { key, tier } = Effect.runSync(options.parse(provider))
 * tier // => "paid"
 * String(key) // => "<redacted>"
 * ```
 *
 * @category configuration
 * @since 0.1.0
 */
export const config = ({ prefix, ...options }: ConfigOptions = {}): Config.Config<Options> => {
  const settings: OrConfig<Partial<Options>> = {
    key: requiredSecret(prefix, "LANGUAGE_SERVICE_KEY", "key"),
    baseUrl: requiredString(prefix, "LANGUAGE_SERVICE_BASE_URL", "baseUrl"),
    tier: optional(Config.Literals(["free", "paid"], prefixed(prefix, "LANGUAGE_SERVICE_TIER"))),
    authScheme: optional(Config.NonEmptyString(prefixed(prefix, "LANGUAGE_SERVICE_AUTH_SCHEME"))),
    userAgent: optional(Config.NonEmptyString(prefixed(prefix, "LANGUAGE_SERVICE_USER_AGENT"))),
    allowHttp: optional(Config.Boolean(prefixed(prefix, "LANGUAGE_SERVICE_ALLOW_HTTP"))),
    prefix,
    ...(prefix === undefined ? undefined : { name: prefix }),
    ...defined(options)
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each setting has the type of its option
  return Config.all(Record.map(Object.fromEntries(Object.entries(settings)), given)) as Config.Config<
    unknown
  > as Config.Config<Options>
}

/**
 * The configuration from {@link config}; `options` adds or replaces settings.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig = (
  options?: ConfigOptions
): Layer.Layer<LanguageServiceConfig, Config.ConfigError | InvalidConfiguration> =>
  Layer.effect(LanguageServiceConfig, Effect.flatMap(config(options), make))
