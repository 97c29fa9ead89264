/** What can be wrong between this machine and the service, looked for one after the other. */
import * as Attempt from "@effect-lingua/core/client/Attempt"
import * as LanguageServiceConfig from "@effect-lingua/core/client/LanguageServiceConfig"
import { Languages } from "@effect-lingua/core/languages/Languages"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import * as NodeProxy from "@effect-lingua/node/http/NodeProxy"
import * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Reachability from "./reachability.ts"

/** What a check found. `detail` and `advice` hold no secret. */
export interface Finding {
  readonly check: "settings" | "key" | "tier" | "proxy" | "name" | "connection" | "access" | "clock" | "documents"
  readonly status: "ok" | "warning" | "problem" | "skipped"
  readonly detail: string
  readonly advice?: string
}

type Check = Finding["check"]

const ok = (check: Check, detail: string): Finding => ({ check, status: "ok", detail })
const skipped = (check: Check, detail: string): Finding => ({ check, status: "skipped", detail })
const warning = (check: Check, detail: string, advice: string): Finding => ({
  check,
  status: "warning",
  detail,
  advice
})
const problem = (check: Check, detail: string, advice: string): Finding => ({
  check,
  status: "problem",
  detail,
  advice
})

const variables = [
  "LANGUAGE_SERVICE_KEY",
  "LANGUAGE_SERVICE_KEY_FILE",
  "LANGUAGE_SERVICE_BASE_URL",
  "LANGUAGE_SERVICE_TIER",
  "LANGUAGE_SERVICE_AUTH_SCHEME",
  "LANGUAGE_SERVICE_USER_AGENT",
  "LANGUAGE_SERVICE_ALLOW_HTTP"
]

const isSet = (name: string) =>
  Config.option(Config.String(name)).pipe(
    Effect.map(Option.exists((value) => value !== "")),
    Effect.orElseSucceed(() => false)
  )

const settingsFound = (baseUrl: URL) =>
  Effect.map(Effect.filter(variables, isSet), (names) =>
    ok(
      "settings",
      `The service is at ${baseUrl.href}. ` +
        (names.length === 0
          ? "No variable is set, all comes from elsewhere"
          : `Of the environment: ${names.join(", ")}`)
    ))

const checkKey = (key: string): Finding => {
  const kind = key.endsWith(":fx") ? "one of the free tier, by its ending" : "one of the paid tier, by its ending"
  return /^["'].*["']$/.test(key)
    ? warning("key", "The key has quotes around it, which are sent with it", "Set the key without the quotes")
    : key.length < 16
    ? warning("key", "The key is shorter than keys are", "Look whether all of it was copied")
    : key.endsWith(":adm")
    ? warning(
      "key",
      "The key ends like an admin key, which reaches administration and nothing else",
      "Set a developer key as LANGUAGE_SERVICE_KEY, and this one as LANGUAGE_SERVICE_ADMIN_KEY"
    )
    : ok("key", `A key is set, ${kind}`)
}

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)

const checkTier = ({ baseUrl, key, tier }: LanguageServiceConfig.LanguageServiceConfig["Service"]): Finding => {
  const ofKey = Redacted.value(key).endsWith(":fx") ? "free" : "paid"
  if (ofKey === "free" && tier === "paid") {
    return warning(
      "tier",
      "The tier is set to paid, and the key ends like one of the free tier",
      "Leave out LANGUAGE_SERVICE_TIER, or take the key of the paid tier"
    )
  }
  const isFreeHost = /(^|[-.])free([-.]|$)/.test(baseUrl.hostname)
  return isFreeHost && tier === "paid"
    ? warning(
      "tier",
      `The tier is paid, and ${baseUrl.hostname} looks like the address of the free one`,
      "Each tier has its own address: set LANGUAGE_SERVICE_BASE_URL to that of the paid one"
    )
    : ok("tier", `The tier is ${tier}${isLoopback(baseUrl.hostname) ? ", at a service on this machine" : ""}`)
}

/** The proxies in use, and what is to be said of them. */
const checkProxy = (option: NodeLanguageService.PoolOptions["proxy"], baseUrl: URL) =>
  NodeProxy.make(option).pipe(
    Effect.map((proxies) => {
      const proxy = proxies.choose(baseUrl)
      const finding = proxy !== undefined
        ? ok(
          "proxy",
          `Through ${proxy.name}, by ${proxy.setting}, ${proxy.authorization === undefined ? "without" : "with"} a user`
        )
        : proxies.all.length === 0
        ? ok("proxy", "None is set")
        : ok(
          "proxy",
          isLoopback(baseUrl.hostname)
            ? "None, as the service is on this machine"
            : `None for this host, though ${
              proxies.all.map(({ setting }) => setting).join(" and ")
            } is set: NO_PROXY, or ` +
              `no proxy for ${baseUrl.protocol}`
        )
      return { finding, proxy, usable: true }
    }),
    Effect.catch((error) =>
      Effect.succeed({
        finding: problem("proxy", error.message, "Correct the variable, or unset it"),
        proxy: undefined,
        usable: false
      })
    )
  )

const portOf = ({ port, protocol }: URL): number => port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)

/** Looks the host up and connects to it; behind a proxy that is the proxy's. */
const checkConnection = Effect.fnUntraced(function*(baseUrl: URL, proxy: NodeProxy.Proxy | undefined) {
  const to = proxy === undefined ? baseUrl : new URL(proxy.origin)
  const host = to.hostname.replace(/^\[(.+)\]$/, "$1")
  const whose = proxy === undefined ? "LANGUAGE_SERVICE_BASE_URL" : proxy.setting
  const found = yield* Effect.result(Reachability.lookup(host))
  if (found._tag === "Failure") {
    return [
      problem(
        "name",
        `${host} is not found (${found.failure.code})`,
        `Check the spelling in ${whose}, and the name servers of this machine`
      ),
      skipped("connection", "There is no address to connect to")
    ]
  }
  const name = ok("name", `${host} is ${found.success.join(", ")}`)
  const isTls = to.protocol === "https:"
  const started = yield* Clock.monotonicTimeNanos
  const connected = yield* Effect.result(Reachability.connect(host, portOf(to), isTls))
  const took = Duration.nanos((yield* Clock.monotonicTimeNanos) - started)
  const what = `${host}:${portOf(to)}${proxy === undefined ? "" : ", the proxy,"}`
  if (connected._tag === "Success") {
    return [
      name,
      ok(
        "connection",
        `${what} takes connections${isTls ? " with TLS" : ""} (${Attempt.formatDuration(took)})`
      )
    ]
  }
  const { code } = connected.failure
  return [
    name,
    problem(
      "connection",
      `${what} cannot be connected to (${code})`,
      code === "ECONNREFUSED"
        ? `Nothing listens there: check host and port in ${whose}`
        : code === "ETIMEDOUT"
        ? "Nothing answers: a firewall may want a proxy, see HTTPS_PROXY"
        : isTls
        ? "The certificate or TLS is not accepted: check the host; for an authority of your own set NODE_EXTRA_CA_CERTS"
        : "Check the network of this machine"
    )
  ]
})

/** What to do where the words of the error are not enough. */
const accessAdvice: Readonly<Record<string, string>> = {
  InvalidKey: "Check LANGUAGE_SERVICE_KEY, and that LANGUAGE_SERVICE_AUTH_SCHEME is the word of this service",
  WrongTier: "Each tier has its own address: set LANGUAGE_SERVICE_BASE_URL to that of the key's tier",
  MissingScope: "The key is known; give it the scope, or take another key",
  AccessDenied:
    "The key, the tier and the address have to belong together; something before the service may refuse, too",
  NotFound: "LANGUAGE_SERVICE_BASE_URL has to be the address before /v2 and /v3 of a service of this interface",
  UnexpectedResponse: "Something else than the service may answer there: check LANGUAGE_SERVICE_BASE_URL",
  RateLimited: "The service works; wait a little",
  AttemptTimeout: "Connections are taken there, and nothing answers: check LANGUAGE_SERVICE_BASE_URL, or try later",
  ConnectionLost:
    "Something else than the service may answer there: check http: or https:, host and port in LANGUAGE_SERVICE_BASE_URL",
  InternalServerError: "The service is reached, and fails: try later"
}

/** Seconds that clocks may differ by. */
const skew = 30

const checkClock = (date: string | undefined, now: number | undefined): Finding => {
  const then = date === undefined ? Number.NaN : Date.parse(date)
  if (now === undefined || Number.isNaN(then)) return skipped("clock", "No answer had a date to compare with")
  const seconds = Math.round((now - then) / 1000)
  const apart = Math.abs(seconds)
  const detail = `The clock of this machine is ${Attempt.formatDuration(Duration.seconds(apart))} ${
    seconds > 0 ? "ahead of" : "behind"
  } that of the service`
  return apart <= skew
    ? ok("clock", "The clock of this machine agrees with that of the service")
    : warning("clock", detail, "Set the clock, best by NTP: certificates and shared limits go by it")
}

/** Lists the resources, which consumes nothing, with the key. */
const checkAccess = Effect.fnUntraced(function*(
  options: LanguageServiceConfig.Options,
  pool: NodeLanguageService.PoolOptions
) {
  let date: string | undefined
  let received: number | undefined
  const http = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.tap((response) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          date = response.headers["date"]
          received = now
        })
      )
    )
  ).pipe(Layer.provide(NodeLanguageService.layerHttpClient(pool)))
  const called = yield* Languages.use((languages) => languages.resources()).pipe(
    Effect.provide(Layer.provide(
      LanguageService.layer({
        ...options,
        resilience: { ...options.resilience, attempts: 1, deadline: Duration.seconds(15) }
      }),
      http
    )),
    Effect.result
  )
  const access = called._tag === "Success"
    ? ok("access", "The service accepts the key")
    : problem(
      "access",
      called.failure.message,
      accessAdvice[called.failure._tag] ?? "See the checks before this one"
    )
  return [access, checkClock(date, received)]
})

const checkDocuments = <E extends { readonly message: string }>(
  pending: Effect.Effect<ReadonlyArray<{ readonly _tag: string }>, E>,
  commandOf: (args: string) => string
) =>
  pending.pipe(
    Effect.map((entries) => {
      const lost = entries.filter(({ _tag }) => _tag === "Lost").length
      const jobs = entries.filter(({ _tag }) => _tag === "Import" || _tag === "Export").length
      const under = entries.length - lost - jobs
      if (entries.length === 0) return ok("documents", "None is on its way")
      const groups = [...(under + lost === 0 ? [] : ["document"]), ...(jobs === 0 ? [] : ["memories"])]
      return warning(
        "documents",
        [
          ...(under + lost === 0 ? [] : [`${under} on their way, ${lost} lost at the service`]),
          ...(jobs === 0 ? [] : [`${jobs} imports or exports of translation memories`])
        ].join(", "),
        groups.map((group) =>
          `${commandOf(`${group} pending`)} lists them, ${commandOf(`${group} resume`)} goes on with all`
        ).join("; ")
      )
    }),
    Effect.catch(({ message }) =>
      Effect.succeed(
        problem("documents", message, "Check HOME, XDG_STATE_HOME and the rights in the state directory of this user")
      )
    )
  )

/** What is checked, and with which settings. */
export interface Options<E, R> {
  readonly settings: Effect.Effect<LanguageServiceConfig.Options, E, R>
  readonly pool?: NodeLanguageService.PoolOptions | undefined
  /** A command of this program, for advice. */
  readonly commandOf: (args: string) => string
  /** What the journal knows: documents, imports and exports. */
  readonly pending?: Effect.Effect<ReadonlyArray<{ readonly _tag: string }>, { readonly message: string }> | undefined
}

const needSettings = ["key", "tier", "proxy", "name", "connection", "access", "clock"] as const

/** Runs all checks. None of them fails: what is wrong is found. */
export const diagnose = Effect.fnUntraced(function*<E extends { readonly message: string }, R>(
  options: Options<E, R>
) {
  const { pending, settings } = options
  const pool = { ...options.pool, proxy: options.pool?.proxy ?? "environment" as const }
  const documents = pending === undefined
    ? skipped("documents", "There is no journal to look at")
    : yield* checkDocuments(pending, options.commandOf)
  const read = yield* Effect.result(
    Effect.flatMap(settings, (given) => Effect.map(LanguageServiceConfig.make(given), (config) => ({ config, given })))
  )
  if (read._tag === "Failure") {
    return [
      problem("settings", read.failure.message, "See docs/hosts.md for all settings"),
      ...needSettings.map((check) => skipped(check, "The settings have to be right first")),
      documents
    ]
  }
  const { config, given } = read.success
  const { finding, proxy, usable } = yield* checkProxy(pool.proxy, config.baseUrl)
  const network = usable
    ? yield* checkConnection(config.baseUrl, proxy)
    : (["name", "connection"] as const).map((check) => skipped(check, "The proxy has to be right first"))
  const isConnected = network.every(({ status }) => status === "ok")
  const findings: ReadonlyArray<Finding> = [
    yield* settingsFound(config.baseUrl),
    checkKey(Redacted.value(config.key)),
    checkTier(config),
    finding,
    ...network,
    ...(isConnected
      ? yield* checkAccess(given, pool)
      : (["access", "clock"] as const).map((check) => skipped(check, "There is no connection"))),
    documents
  ]
  return findings
})

/** What is to be said of the fake. */
export const ofFake: ReadonlyArray<Finding> = [
  ok("settings", "The embedded fake answers, and needs no settings"),
  ...needSettings.map((check) => skipped(check, "The fake needs none of it")),
  skipped("documents", "The fake keeps none")
]
