/**
 * Where the service is, with which key, and how to speak to it.
 *
 * @since 0.1.0
 */
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { LanguageServiceApi } from "../LanguageServiceApi.ts"
import { isFieldValue, isReserved, isToken } from "./internal/headers.ts"
import { isLoopback } from "./internal/loopback.ts"
import { version } from "./internal/version.ts"
import * as Limits from "./Limits.ts"
import type { Tier } from "./Operation.ts"
import * as ResiliencePolicy from "./ResiliencePolicy.ts"

/**
 * The names of the services, as the contract has them, and that of requests outside of it.
 *
 * @category models
 * @since 0.1.0
 */
export type ServiceName = keyof typeof LanguageServiceApi["groups"] | "Requests"

/**
 * What differs from the client's policy for a service.
 *
 * @category models
 * @since 0.1.0
 */
export type ServiceResilience = { readonly [Name in ServiceName]?: Partial<ResiliencePolicy.ResiliencePolicy> }

/**
 * How the lists of languages are kept, and what they are used for.
 *
 * @category options
 * @since 0.2.0
 */
export interface LanguagesOptions {
  /** For how long a list is as good as a new one. Default 1 hour, as the service advises (reference B6). */
  readonly timeToLive?: Duration.Input | undefined
  /** For how much longer it is used when a new one cannot be had. Default 1 day. */
  readonly keepStale?: Duration.Input | undefined
  /**
   * Whether calls are checked against the lists before they are sent: codes, features of the pair, the language of a style
   * rule list. A check that cannot be made refuses nothing. Default false; `Languages.Checks` says so for a region.
   */
  readonly checks?: boolean | undefined
}

/**
 * The configuration that all services read.
 *
 * @category services
 * @since 0.1.0
 */
export class LanguageServiceConfig extends Context.Service<LanguageServiceConfig, {
  readonly key: Redacted.Redacted
  readonly baseUrl: URL
  readonly tier: Tier
  readonly authScheme: string
  /** Headers sent with each request. They often hold the token of a gateway, so all of them count as secrets. */
  readonly headers: Readonly<Record<string, Redacted.Redacted>>
  readonly userAgent: string
  readonly limits: Limits.Limits
  readonly resilience: ResiliencePolicy.ResiliencePolicy
  readonly serviceResilience: ServiceResilience
  readonly languages: {
    readonly timeToLive: Duration.Duration
    readonly keepStale: Duration.Duration
    readonly checks: boolean
  }
  readonly characterBudget: number | undefined
}>()("@effect-lingua/core/client/LanguageServiceConfig") {}

/**
 * What can be configured.
 *
 * @category options
 * @since 0.1.0
 */
export interface Options {
  /** The API key: that of a developer. An admin key is for `Admin` alone. */
  readonly key: Redacted.Redacted
  /** The base address, without the version: `https://host`. `http:` only for loopback, or with `allowHttp`. */
  readonly baseUrl: string | URL
  /** The tier of the key. Default: `free` for a key that ends with `:fx`, else `paid` (reference A1). */
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
  readonly limits?: Partial<Limits.Limits> | undefined
  /** The policy of repeats and waits where it differs from the defaults. */
  readonly resilience?: Partial<ResiliencePolicy.ResiliencePolicy> | undefined
  /** What differs from that for a service, by its name. */
  readonly serviceResilience?: ServiceResilience | undefined
  /** How the lists of languages are kept, and what they are used for. */
  readonly languages?: LanguagesOptions | undefined
  /**
   * Characters that the calls of the client may count in all. A call that would pass them is refused before it is sent. Default:
   * no bound but the service's quota.
   */
  readonly characterBudget?: number | undefined
}

/**
 * A setting that cannot be used. `setting` is the name of the option, `problem` says what is wrong and what to write.
 *
 * @category errors
 * @since 0.1.0
 */
export class InvalidConfiguration extends Schema.TaggedError<InvalidConfiguration>()("InvalidConfiguration", {
  setting: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.setting} ${this.problem}`
  }
}

const parseUrl = (input: string | URL): Effect.Effect<URL, InvalidConfiguration> =>
  URL.canParse(input)
    ? Effect.succeed(new URL(input))
    // What was given is not shown, as it may hold a password.
    : new InvalidConfiguration({ setting: "baseUrl", problem: "is not a URL such as https://host" })

const check = (condition: boolean, setting: string, problem: string): Effect.Effect<void, InvalidConfiguration> =>
  condition ? Effect.void : new InvalidConfiguration({ setting, problem })

const checkDuration = (
  setting: string,
  input: Duration.Input
): Effect.Effect<Duration.Duration, InvalidConfiguration> =>
  Option.match(Duration.fromInput(input), {
    onNone: () => new InvalidConfiguration({ setting, problem: "is not a duration such as \"1 hour\"" }),
    onSome: Effect.succeed
  })

const checkPolicy = (setting: string, policy: ResiliencePolicy.ResiliencePolicy) => {
  const found = ResiliencePolicy.findProblem(policy)
  return check(found === undefined, `${setting}.${found?.field}`, found?.problem ?? "")
}

/**
 * Checks options and fills in defaults.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make: (
  options: Options
) => Effect.Effect<LanguageServiceConfig["Service"], InvalidConfiguration> = Effect.fnUntraced(function*(options) {
  const baseUrl = yield* parseUrl(options.baseUrl)
  const key = Redacted.value(options.key)
  const authScheme = options.authScheme ?? "Service-Auth-Key"
  const userAgent = options.userAgent ?? `effect-lingua/${version}`
  const headers = Record.map(
    options.headers ?? {},
    (value) => Redacted.isRedacted(value) ? value : Redacted.make(value)
  )
  yield* check(/^[\x21-\x7e]+$/.test(key), "key", "is empty, or has spaces or characters that a header cannot carry")
  yield* check(
    baseUrl.protocol === "https:" || baseUrl.protocol === "http:",
    "baseUrl",
    `has the scheme ${baseUrl.protocol} but must be https:`
  )
  yield* check(
    baseUrl.protocol === "https:" || options.allowHttp === true || isLoopback(baseUrl),
    "baseUrl",
    "would send the key in clear text: use https:, or allow it with allowHttp"
  )
  yield* check(
    baseUrl.username === "" && baseUrl.password === "" && baseUrl.search === "" && baseUrl.hash === "",
    "baseUrl",
    "must have neither user, query nor fragment"
  )
  // The scheme word is not shown, because the whole header may have been given for it.
  yield* check(!/\/v[123]\/?$/.test(baseUrl.pathname), "baseUrl", "must stop before the version, /v2 or /v3")
  yield* check(isToken(authScheme), "authScheme", "is not one word, such as Service-Auth-Key")
  yield* check(isFieldValue(userAgent), "userAgent", "is empty, or has characters that a header cannot carry")
  for (const [name, value] of Object.entries(headers)) {
    yield* check(isToken(name), "headers", `has the name ${JSON.stringify(name)}, which a header cannot have`)
    yield* check(
      !isReserved(name),
      "headers",
      `has ${name}, which the client sets itself (see key, authScheme and userAgent)`
    )
    yield* check(isFieldValue(Redacted.value(value)), "headers", `has a value for ${name} that a header cannot carry`)
  }
  const limits = { ...Limits.defaults, ...options.limits }
  for (const [name, limit] of Object.entries(limits)) {
    yield* check(
      typeof limit !== "number" || limit === Number.POSITIVE_INFINITY || (Number.isInteger(limit) && limit >= 0),
      `limits.${name}`,
      "must be a whole number from 0, or Infinity"
    )
  }
  const { characterBudget } = options
  yield* check(
    characterBudget === undefined || (Number.isSafeInteger(characterBudget) && characterBudget >= 0),
    "characterBudget",
    "must be a whole number from 0"
  )
  const resilience = ResiliencePolicy.override(ResiliencePolicy.defaults, options.resilience ?? {})
  const serviceResilience = options.serviceResilience ?? {}
  yield* checkPolicy("resilience", resilience)
  for (const [service, fields] of Object.entries(serviceResilience)) {
    yield* checkPolicy(`serviceResilience.${service}`, ResiliencePolicy.override(resilience, fields))
  }
  const languages = {
    timeToLive: yield* checkDuration("languages.timeToLive", options.languages?.timeToLive ?? Duration.hours(1)),
    keepStale: yield* checkDuration("languages.keepStale", options.languages?.keepStale ?? Duration.days(1)),
    checks: options.languages?.checks ?? false
  }
  return {
    key: options.key,
    baseUrl,
    tier: options.tier ?? (key.endsWith(":fx") ? "free" : "paid"),
    authScheme,
    headers,
    userAgent,
    limits,
    resilience,
    serviceResilience,
    languages,
    characterBudget
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

/** A setting that was given is not looked for. */
const given = <A>(value: A | undefined, from: Config.Config<A>): Config.Config<A> =>
  value === undefined ? from : Config.succeed(value)

const optional = <A>(value: A | undefined, from: Config.Config<A>): Config.Config<A | undefined> =>
  value === undefined ? Config.map(Config.option(from), Option.getOrUndefined) : Config.succeed(value)

/**
 * Reads the options from the environment, or from whatever `ConfigProvider` is in place. What is among `options` is not
 * looked for.
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
export const config = (options: Partial<Options> = {}): Config.Config<Options> =>
  Config.map(
    Config.all({
      key: given(options.key, Config.Redacted("LANGUAGE_SERVICE_KEY")),
      baseUrl: given(options.baseUrl, Config.NonEmptyString("LANGUAGE_SERVICE_BASE_URL")),
      tier: optional(options.tier, Config.Literals(["free", "paid"], "LANGUAGE_SERVICE_TIER")),
      authScheme: optional(options.authScheme, Config.NonEmptyString("LANGUAGE_SERVICE_AUTH_SCHEME")),
      userAgent: optional(options.userAgent, Config.NonEmptyString("LANGUAGE_SERVICE_USER_AGENT")),
      allowHttp: optional(options.allowHttp, Config.Boolean("LANGUAGE_SERVICE_ALLOW_HTTP"))
    }),
    (read) => ({ ...options, ...read })
  )

/**
 * The configuration from {@link config}; `options` adds or replaces settings.
 *
 * @category layers
 * @since 0.1.0
 */
export const layerConfig = (
  options?: Partial<Options>
): Layer.Layer<LanguageServiceConfig, Config.ConfigError | InvalidConfiguration> =>
  Layer.effect(LanguageServiceConfig, Effect.flatMap(config(options), make))
