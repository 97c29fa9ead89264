/**
 * Chooses the proxy for each URL, from an option or from the variables `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`.
 *
 * @since 0.1.0
 */
import { InvalidConfiguration } from "@effect-lingua/core/config/LanguageServiceConfig"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { BlockList, isIP } from "node:net"

/**
 * A proxy's address and credentials. Only `authorization` contains the password.
 *
 * @category models
 * @since 0.1.0
 */
export interface Proxy {
  /** The option or variable that sets the address, such as `HTTPS_PROXY`. */
  readonly setting: string
  readonly origin: string
  /** Host and port, for errors. */
  readonly name: string
  readonly authorization: Redacted.Redacted | undefined
}

/**
 * @category models
 * @since 0.1.0
 */
export interface Proxies {
  readonly all: ReadonlyArray<Proxy>
  /** Returns the proxy for a URL; `undefined` for a direct connection. */
  readonly choose: (url: URL) => Proxy | undefined
}

const none: Proxies = { all: [], choose: () => undefined }

const invalid = (setting: string, problem: string) =>
  new InvalidConfiguration({ setting, problem: `${problem}: give an address such as http://proxy:8080` })

const parse = Effect.fnUntraced(function*(setting: string, given: string): Effect.fn.Return<
  Proxy,
  InvalidConfiguration
> {
  // Adds a missing scheme, which curl does not require.
  const address = given.includes("://") ? given : `http://${given}`
  if (!URL.canParse(address)) return yield* invalid(setting, "is not the address of a proxy")
  const { host, origin, password, port, protocol, username } = new URL(address)
  if (protocol !== "http:" && protocol !== "https:") {
    return yield* invalid(setting, `has the scheme ${protocol}, and only http: and https: proxies are supported`)
  }
  const credentials = yield* Effect.try({
    try: () => `${decodeURIComponent(username)}:${decodeURIComponent(password)}`,
    catch: () =>
      invalid(
        setting,
        "has a user or password with a % that is not followed by two hexadecimal digits (write %25 for a %)"
      )
  })
  return {
    setting,
    origin,
    name: port === "" ? `${host}:${protocol === "https:" ? 443 : 80}` : host,
    authorization: credentials === ":" ? undefined : Redacted.make(`Basic ${Base64.encode(credentials)}`)
  }
})

interface Host {
  readonly name: string
  readonly port: string
}

type Rule = (host: Host) => boolean

const families = { 0: undefined, 4: "ipv4", 6: "ipv6" } as const

const familyOf = (address: string) => families[isIP(address) === 4 ? 4 : isIP(address) === 6 ? 6 : 0]

const bits = { ipv4: 32, ipv6: 128 }

const addressRule = (address: string, family: "ipv4" | "ipv6", prefix: string | undefined): Rule => {
  const length = prefix === undefined ? bits[family] : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Infinity
  const list = new BlockList()
  if (length <= bits[family]) list.addSubnet(address, length, family)
  return ({ name }) => {
    const nameFamily = familyOf(name)
    return nameFamily !== undefined && list.check(name, nameFamily)
  }
}

/** `host` and `.host` match the host and its subdomains, `*.host` only its subdomains, `*` every host. */
const nameRule = (pattern: string): Rule => {
  if (pattern === "*") return () => true
  const suffix = pattern.replace(/^\*?\./, "").replace(/\.$/, "")
  return ({ name }) => name.endsWith(`.${suffix}`) || (name === suffix && !pattern.startsWith("*"))
}

const toRule = (entry: string): Rule => {
  const [, host = entry, port] = /^(\[.+\]|[^:]+):(\d+)$/.exec(entry) ?? []
  const pattern = host.replace(/^\[(.+)\]$/, "$1").toLowerCase()
  const [address = "", prefix] = pattern.split("/")
  const family = familyOf(address)
  const rule = family === undefined ? nameRule(pattern) : addressRule(address, family, prefix)
  return port === undefined ? rule : (host) => host.port === port && rule(host)
}

const loopback = ["localhost", "127.0.0.0/8", "::1"]

const hostOf = ({ hostname, port, protocol }: URL): Host => ({
  name: hostname.replace(/^\[(.+)\]$/, "$1").replace(/\.$/, "").toLowerCase(),
  port: port === "" ? (protocol === "https:" ? "443" : "80") : port
})

/** Reads the first non-empty variable. */
const variable = (...names: readonly [string, string]) =>
  Config.map(
    Config.all(names.map((name) => Config.option(Config.String(name)))),
    (values) =>
      values.map((value, index) => ({
        name: names[index] ?? names[0],
        value: Option.getOrElse(value, () => "").trim()
      }))
        .find(({ value }) => value !== "")
  )

/** Lower-case names take precedence, like in most programs. */
const variables = Config.all({
  http: variable("http_proxy", "HTTP_PROXY"),
  https: variable("https_proxy", "HTTPS_PROXY"),
  exceptions: variable("no_proxy", "NO_PROXY")
})

const environment = Effect.gen(function*() {
  const { exceptions, http, https } = yield* Effect.mapError(
    variables,
    ({ message }) => new InvalidConfiguration({ setting: "pool.proxy", problem: `could not be read: ${message}` })
  )
  const plain = http === undefined ? undefined : yield* parse(http.name, http.value)
  const secure = https === undefined ? undefined : yield* parse(https.name, https.value)
  if (plain === undefined && secure === undefined) return none
  const entries = exceptions?.value.split(/[\s,]+/).filter((entry) => entry !== "") ?? []
  const rules = [...loopback, ...entries].map(toRule)
  const proxies: Proxies = {
    all: [plain, secure].filter((proxy) => proxy !== undefined),
    choose: (url) => {
      const host = hostOf(url)
      return rules.some((rule) => rule(host)) ? undefined : url.protocol === "https:" ? secure : plain
    }
  }
  return proxies
})

/**
 * Parses a pool's `proxy` option or, for `environment`, the variables. For programs that report or check their proxy. Fails
 * with `InvalidConfiguration` if an address is invalid. The message omits the address, which may contain a password.
 *
 * **Example** (The proxy for an address)
 *
 * ```ts import.meta.vitest
 * import { NodeProxy } from "@effect-lingua/node"
 * import { ConfigProvider, Effect } from "effect"
 *
 * const env = { HTTPS_PROXY: "http://proxy.example:8080", NO_PROXY: ".internal.example" }
 * const proxies = await NodeProxy.make("environment").pipe(
 *   Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
 *   Effect.runPromise
 * )
 * proxies.choose(new URL("https://service.example"))?.name // => "proxy.example:8080"
 * proxies.choose(new URL("https://service.internal.example")) // => undefined
 * ```
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  option: "environment" | "none" | URL | Redacted.Redacted | undefined
): Effect.Effect<Proxies, InvalidConfiguration> => {
  if (option === undefined || option === "none") return Effect.succeed(none)
  if (option === "environment") return environment
  return Effect.map(
    parse("pool.proxy", Redacted.isRedacted(option) ? Redacted.value(option) : option.href),
    (proxy) => ({ all: [proxy], choose: () => proxy })
  )
}
