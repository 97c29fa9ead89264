/**
 * The configuration of a client: base URL, key, limits and policies.
 *
 * @since 0.1.0
 */
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { hasProperty } from "effect/Predicate"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Tier } from "../contract/internal/endpoint.ts"
import { defined, resultFn } from "../contract/internal/values.ts"
import { defaults as defaultLimits, type Limits } from "../contract/Limits.ts"
import { prefixed, required } from "../errors/internal/prefixed.ts"
import { InvalidConfiguration } from "./internal/invalidConfiguration.ts"
import { isLoopback } from "./internal/loopback.ts"
import * as Rules from "./internal/options.ts"
import { overrideForPart } from "./internal/override.ts"
import { CurrentTransform, setting } from "./internal/region.ts"
import * as Settings from "./internal/settings.ts"
import type { ClientTransform } from "./internal/settings.ts"
import { version } from "./internal/version.ts"
import * as ResiliencePolicy from "./ResiliencePolicy.ts"

/**
 * The services that can have a policy in `serviceResilience`. A package adds its services by module augmentation.
 *
 * @category models
 * @since 0.3.0
 */
export interface ServiceNames {
  readonly Admin: true
  readonly CustomRequests: true
  readonly Detection: true
  readonly Documents: true
  readonly Glossaries: true
  readonly GlossariesV2: true
  readonly Languages: true
  readonly QualityEvaluation: true
  readonly StyleRules: true
  readonly Translation: true
  readonly TranslationMemories: true
  readonly Usage: true
  readonly Writing: true
}

/**
 * @category models
 * @since 0.1.0
 */
export type ServiceName = keyof ServiceNames

/**
 * @category options
 * @since 0.1.0
 */
export interface LanguagesOptions {
  /** How long a language list is fresh. Default 1 hour, the service's recommendation. */
  readonly timeToLive?: ResiliencePolicy.DurationInput | undefined
  /** How much longer a list is used if refreshing the list fails. Default 1 day. */
  readonly keepStale?: ResiliencePolicy.DurationInput | undefined
  /**
   * Checks language codes, features of language pairs and style rule languages against the service's lists before a request. Without a list, the
   * checks pass. Requires the service `Languages`. Default false; `Languages.Checks` overrides this option for the calls of an effect.
   */
  readonly checks?: boolean | undefined
  /**
   * Requests a missing list, so that an error can name the nearest code. Requires the service `Languages`. Default false: errors cause no requests.
   */
  readonly explains?: boolean | undefined
  /**
   * Allows a glossary for texts without a source language. The service supports this for some accounts. Default false: such calls fail with
   * `InvalidInput`. Documents always require a source language.
   */
  readonly glossaryDetection?: boolean | undefined
}

const defaultLanguages = {
  timeToLive: Duration.hours(1),
  keepStale: Duration.days(1),
  checks: false,
  explains: false,
  glossaryDetection: false
}

/**
 * A client's options, for `LanguageService.layer`.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /**
   * The client's name, for programs with several clients: 1 to 64 letters, digits, `.`, `_` or `-`. Metrics have the name in the attribute `client`,
   * spans in `language_service.client`, and `InvalidConfiguration` in `client`.
   */
  readonly name?: string | undefined
  /** The prefix of environment variables in error messages, set by {@link ConfigOptions}. */
  readonly prefix?: string | undefined
  /** A developer key: `Redacted.make("…")`. An admin key works only with `Admin`. */
  readonly key: Redacted.Redacted
  /** The base URL without a version: `https://host`. `http:` is allowed for loopback hosts and with `allowHttp`. */
  readonly baseUrl: string | URL
  /** The key's tier. Default: `free` for a key that ends with `:fx`, otherwise `paid`. */
  readonly tier?: Tier | undefined
  /** The scheme before the key in the header `Authorization`. Default `Service-Auth-Key`. */
  readonly authScheme?: string | undefined
  /**
   * Additional headers of each request, such as a gateway's token. All values are secrets, like the key: errors, spans and logs show
   * `[redacted]` for values of at least 8 characters.
   */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>> | undefined
  /** The header `User-Agent`. Default `effect-lingua/<version>`. */
  readonly userAgent?: string | undefined
  /** Allows `http:` to hosts that are not loopback; the key is then sent in clear text. Default false. */
  readonly allowHttp?: boolean | undefined
  /** Limits of the account's plan that differ from the specification. */
  readonly limits?: Partial<Limits> | undefined
  /** Fields of the resilience policy that differ from the defaults. */
  readonly resilience?: ResiliencePolicy.Options | undefined
  /** Fields that differ from `resilience`, keyed by service. `rate`, `concurrency` and `openStreams` can only be switched off. */
  readonly serviceResilience?: { readonly [Name in ServiceName]?: ResiliencePolicy.Options } | undefined
  readonly languages?: LanguagesOptions | undefined
  /** Transforms the `HttpClient`, for example to sign requests: see `LanguageServiceConfig.withClientTransform`. */
  readonly transformClient?: Settings.ClientTransform | undefined
}

export { InvalidConfiguration } from "./internal/invalidConfiguration.ts"

/** An API version at the end of a URL or before a path of the API. A gateway's version elsewhere is allowed. */
const versioned =
  /\/v[123](?:\/(?:admin|detect|document|glossar|jobs|languages|quality-evaluation|spoken-terms|style_rules|translat|usage|voice|write)\S*)?\/*$/i

const rules = Rules.struct(
  {
    name: Rules.optional(Settings.name),
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
    prefix: Rules.optional(Rules.text)
  } satisfies { readonly [Name in keyof Options]-?: Rules.Rule<unknown> }
)

const inSetting = <A>(setting: string, policy: Result.Result<A, Rules.Problem>): Result.Result<A, Rules.Problem> =>
  Result.mapError(policy, ({ field, problem }) => ({ field: field === "" ? setting : `${setting}.${field}`, problem }))

const clientOf = (options: unknown): string | undefined =>
  hasProperty(options, "name") ? Result.getOrUndefined(Settings.name(options.name, "name")) : undefined

const checked = resultFn(function*(options: Options) {
  yield* Rules.record(options, "options")
  const { allowHttp = false, authScheme = "Service-Auth-Key", ...decoded } = yield* rules(options, "")
  const { headers = {}, limits = defaultLimits, userAgent = `effect-lingua/${version}` } = decoded
  const key = Redacted.value(decoded.key)
  const baseUrl = new URL(decoded.baseUrl)
  // Removes final slashes, so that journal, cache and shared state recognize the same host.
  baseUrl.pathname = baseUrl.pathname.replace(/\/+$/, "")
  const { href, origin, password, pathname, protocol, username } = baseUrl
  const beyond = versioned.exec(pathname)
  const hasScheme = protocol === "https:" || protocol === "http:"
  const isSecure = protocol !== "http:" || allowHttp || isLoopback(baseUrl)
  yield* Rules.none([
    [!/^[\x21-\x7e]+$/.test(key), "key", "is empty, or has spaces or characters that a header cannot carry"],
    [!hasScheme, "baseUrl", `has the scheme ${protocol} but must be https:`],
    [!isSecure, "baseUrl", "would send the key in clear text: use https:, or allow it with allowHttp"],
    // Also refuses an empty query, because the request's path would become a part of the query.
    [username + password !== "" || /[?#]/.test(href), "baseUrl", "must have neither user, query nor fragment"],
    [beyond !== null, "baseUrl", `must stop before the version: ${origin}${pathname.slice(0, beyond?.index)}`],
    // The message omits the value, which may be the key.
    [!Settings.isToken(authScheme), "authScheme", "is not one word, such as Service-Auth-Key"],
    [!Settings.isFieldValue(userAgent), "userAgent", "is empty, or has characters that a header cannot carry"]
  ])
  const resilience = yield* inSetting(
    "resilience",
    ResiliencePolicy.override(ResiliencePolicy.defaults, options.resilience ?? {})
  )
  const serviceResilience: Record<string, ResiliencePolicy.ResiliencePolicy> = {}
  for (
    const [name, fields] of Object.entries<ResiliencePolicy.Options | undefined>(options.serviceResilience ?? {})
  ) {
    if (fields === undefined) continue
    serviceResilience[name] = yield* inSetting(`serviceResilience.${name}`, overrideForPart(resilience, fields))
  }
  return {
    ...decoded,
    baseUrl,
    tier: decoded.tier ?? (key.endsWith(":fx") ? "free" as const : "paid" as const),
    authScheme,
    headers,
    userAgent,
    limits,
    resilience,
    serviceResilience,
    languages: { ...defaultLanguages, ...defined(decoded.languages ?? {}) }
  }
})

const asConfig = <A>(value: A | Config.Config<A>): Config.Config<A> =>
  Config.isConfig(value) ? value : Config.succeed(value)

const optional = <A>(from: Config.Config<A>): Config.Config<A | undefined> =>
  Config.map(Config.option(from), Option.getOrUndefined)

/**
 * Options, each a value or a `Config` of the value.
 *
 * @category options
 * @since 0.3.0
 */
export type OrConfig<A> = { readonly [Name in keyof A]: A[Name] | Config.Config<A[Name]> }

/**
 * Options that replace the variables of {@link config}, and the variables' prefix.
 *
 * @category options
 * @since 0.1.0
 */
export interface ConfigOptions
  extends OrConfig<Omit<Partial<Options>, "name" | "prefix" | "resilience">>, Pick<Options, "name" | "resilience">
{
  /**
   * The prefix of all variables, for programs with several clients: `EU` for `EU_LANGUAGE_SERVICE_KEY`. Also the default of `name`.
   */
  readonly prefix?: string | undefined
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
  readonly headers: Readonly<Record<string, Redacted.Redacted>>
  readonly userAgent: string
  readonly limits: Limits
  readonly resilience: ResiliencePolicy.ResiliencePolicy
  readonly serviceResilience: { readonly [Name in ServiceName]?: ResiliencePolicy.ResiliencePolicy }
  readonly languages: Readonly<typeof defaultLanguages>
  readonly transformClient: Settings.ClientTransform | undefined
}>()("@effect-lingua/core/config/LanguageServiceConfig") {
  /**
   * Transforms the `HttpClient` that sends an effect's requests, for example to add a tenant's header.
   *
   * **Details**
   *
   * Each attempt runs the transform within the attempt's time limit, span and `concurrency` permit. The transform receives the final headers and
   * body. The outer of two nested transforms is nearer to the network, and the option `transformClient` nearest. Files at signed URLs are transferred
   * without transforms. Values of added or changed headers are secrets.
   *
   * **Gotchas**
   *
   * A failure of the transform ends the attempt. An `EncodeError` becomes `ConnectionFailed` without a retry; connection errors are handled as usual.
   * Leave retries to the policy, because all requests within a transform are one attempt.
   */
  static readonly withClientTransform = setting(
    CurrentTransform,
    (outer, transform: Settings.ClientTransform) =>
      outer === undefined ? transform : (client) => transform(outer(client))
  )

  /** Checks options and fills in defaults. Fails for an unknown option or an invalid value; the error names the option. */
  static readonly make = (options: Options): Effect.Effect<LanguageServiceConfig["Service"], InvalidConfiguration> =>
    Effect.fromResult(Result.mapError(
      checked(options),
      ({ field, problem }) =>
        new InvalidConfiguration({ setting: field, problem, ...defined({ client: clientOf(options) }) })
    ))

  static readonly layer = (options: Options): Layer.Layer<LanguageServiceConfig, InvalidConfiguration> =>
    Layer.effect(LanguageServiceConfig, LanguageServiceConfig.make(options))
}

/**
 * @category models
 * @since 0.3.0
 */
export declare namespace LanguageServiceConfig {
  export type { ConfigOptions, LanguagesOptions, Options }
  export type { ClientTransform, InvalidConfiguration, OrConfig, ServiceName, Tier }
}

/**
 * Reads the options from the current `ConfigProvider`, by default the environment. `options` replace variables: each is a value or a `Config`, such
 * as `{ key: Config.Redacted("TRANSLATION_KEY") }`. `prefix` precedes the names of the variables.
 *
 * - `LANGUAGE_SERVICE_KEY` (secret, required)
 * - `LANGUAGE_SERVICE_BASE_URL` (required)
 * - `LANGUAGE_SERVICE_TIER` (`free` or `paid`)
 * - `LANGUAGE_SERVICE_AUTH_SCHEME`
 * - `LANGUAGE_SERVICE_USER_AGENT`
 * - `LANGUAGE_SERVICE_ALLOW_HTTP` (`true` or `false`)
 *
 * @category configuration
 * @since 0.1.0
 */
export const config = ({ prefix, ...options }: ConfigOptions = {}): Config.Config<Options> => {
  const variable = required(prefix, defined(options), {
    key: "LANGUAGE_SERVICE_KEY",
    baseUrl: "LANGUAGE_SERVICE_BASE_URL"
  })
  const settings: OrConfig<Partial<Options>> = {
    key: Config.map(variable("key"), (key) => Redacted.make(key)),
    baseUrl: variable("baseUrl"),
    tier: optional(Config.Literals(["free", "paid"], prefixed(prefix, "LANGUAGE_SERVICE_TIER"))),
    authScheme: optional(Config.NonEmptyString(prefixed(prefix, "LANGUAGE_SERVICE_AUTH_SCHEME"))),
    userAgent: optional(Config.NonEmptyString(prefixed(prefix, "LANGUAGE_SERVICE_USER_AGENT"))),
    allowHttp: optional(Config.Boolean(prefixed(prefix, "LANGUAGE_SERVICE_ALLOW_HTTP"))),
    prefix,
    ...(prefix === undefined ? undefined : { name: prefix }),
    ...defined(options)
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each setting has the type of its option
  return Config.all(Record.map(Object.fromEntries(Object.entries(settings)), asConfig)) as Config.Config<
    unknown
  > as Config.Config<Options>
}

/**
 * @category layers
 * @since 0.1.0
 */
export const layerConfig = (
  options?: ConfigOptions
): Layer.Layer<LanguageServiceConfig, Config.ConfigError | InvalidConfiguration> =>
  Layer.effect(LanguageServiceConfig, Effect.flatMap(config(options), LanguageServiceConfig.make))
