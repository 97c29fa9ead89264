/** Command `doctor`: checks settings, network and service in order. */
import { LanguageServiceConfig } from "@effect-lingua/core/config/LanguageServiceConfig"
import * as Attempt from "@effect-lingua/core/errors/Attempt"
import { Languages } from "@effect-lingua/core/languages/Languages"
import * as LanguageService from "@effect-lingua/core/LanguageService"
import * as NodeJournal from "@effect-lingua/node/files/NodeJournal"
import * as NodePool from "@effect-lingua/node/http/NodePool"
import * as NodeProxy from "@effect-lingua/node/http/NodeProxy"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import { hasProperty, isString } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { lookup as lookupAddresses } from "node:dns/promises"
import { connect as connectTcp, isIP } from "node:net"
import { connect as connectTls } from "node:tls"
import { call } from "../client/client.ts"
import { client } from "../client/config.ts"
import * as Output from "../files/output.ts"
import { advised } from "../screen/advised.ts"
import type { Style } from "../screen/screen.ts"
import { forTerminal } from "../screen/wrap.ts"
import * as Settings from "../settings/settings.ts"
import { command } from "./command.ts"
import { entries } from "./documents.ts"

/** The result of a check. `detail` and `advice` contain no secret. */
export interface Finding {
  readonly check: "settings" | "key" | "tier" | "proxy" | "name" | "connection" | "access" | "clock" | "documents"
  readonly status: "ok" | "warning" | "problem" | "skipped"
  readonly detail: string
  readonly advice?: string
}

const finding = (status: Finding["status"]) => (check: Finding["check"], detail: string, advice?: string): Finding =>
  advice === undefined ? { check, status, detail } : { check, status, detail, advice }

const ok = finding("ok")
const skipped = finding("skipped")
const warning = finding("warning")
const problem = finding("problem")

/** Environment variables of settings that affect connections. */
const variables = Settings.variables.flatMap(([name, variable]) => name === "cache" || name === "to" ? [] : variable)

const checkSettings = (baseUrl: URL) =>
  Effect.map(
    Effect.filter(variables, (name) => Effect.map(Settings.variable(name), (value) => value !== "")),
    (names) =>
      ok(
        "settings",
        `The service is at ${baseUrl.href}. ` +
          (names.length === 0
            ? "No variable is set; the settings come from flags and file"
            : `From the environment: ${names.join(", ")}`)
      )
  )

const checkKey = (key: string): Finding => {
  const kind = key.endsWith(":fx") ? "one of the free tier, by its ending" : "one of the paid tier, by its ending"
  return /^["'].*["']$/.test(key)
    ? warning("key", "The key is in quotes, which are sent too", "Set the key without the quotes")
    : key.length < 16
    ? warning("key", "The key is shorter than valid keys", "Check that it was copied completely")
    : key.endsWith(":adm")
    ? warning(
      "key",
      "The key ends like an admin key",
      "Set a developer key as LANGUAGE_SERVICE_KEY, and this one as LANGUAGE_SERVICE_ADMIN_KEY"
    )
    : ok("key", `A key is set, ${kind}`)
}

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)

const checkTier = ({ baseUrl, key, tier }: LanguageServiceConfig["Service"]): Finding => {
  const ofKey = Redacted.value(key).endsWith(":fx") ? "free" : "paid"
  if (ofKey === "free" && tier === "paid") {
    return warning(
      "tier",
      "The tier is paid, and the key is of the free tier",
      "Unset LANGUAGE_SERVICE_TIER, or use a key of the paid tier"
    )
  }
  const isFreeHost = /(^|[-.])free([-.]|$)/.test(baseUrl.hostname)
  return isFreeHost && tier === "paid"
    ? warning(
      "tier",
      `The tier is paid, and ${baseUrl.hostname} looks like the address of the free one`,
      "Each tier has another address: set LANGUAGE_SERVICE_BASE_URL to the address of the paid tier"
    )
    : ok("tier", `The tier is ${tier}${isLoopback(baseUrl.hostname) ? ", at a service on this machine" : ""}`)
}

/** The host cannot be found or connected to; `code` is the system error code. */
class Unreachable extends Data.TaggedError("Unreachable")<{ readonly code: string }> {}

const toUnreachable = (cause: unknown) =>
  new Unreachable({ code: hasProperty(cause, "code") && isString(cause.code) ? cause.code : "no code" })

const inTime = Effect.timeoutOrElse({
  duration: "5 seconds",
  orElse: () => Effect.fail(new Unreachable({ code: "ETIMEDOUT" }))
})

const lookup = (host: string): Effect.Effect<ReadonlyArray<string>, Unreachable> =>
  Effect.tryPromise({ try: () => lookupAddresses(host, { all: true }), catch: toUnreachable }).pipe(
    Effect.map((found) => found.map(({ address }) => address)),
    inTime
  )

const connect = (host: string, port: number, tls: boolean): Effect.Effect<void, Unreachable> =>
  Effect.callback<void, Unreachable>((resume) => {
    const done = () => {
      socket.destroy()
      resume(Effect.void)
    }
    const socket = tls
      ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : undefined) }, done)
      : connectTcp({ host, port }, done)
    socket.on("error", (error) => resume(Effect.fail(toUnreachable(error))))
    return Effect.sync(() => socket.destroy())
  }).pipe(inTime)

const pool = { proxy: "environment" } as const

const checkProxy = Effect.fnUntraced(function*(baseUrl: URL) {
  const found = yield* Effect.result(NodeProxy.make(pool.proxy))
  if (found._tag === "Failure") {
    const finding = problem("proxy", found.failure.message, "Correct the variable, or unset it")
    return { finding, proxy: undefined, usable: false }
  }
  const { all, choose } = found.success
  const proxy = choose(baseUrl)
  const detail = proxy !== undefined
    ? `Through ${proxy.name}, from ${proxy.setting}, ${proxy.authorization === undefined ? "without" : "with"} a user`
    : all.length === 0
    ? "None is set"
    : isLoopback(baseUrl.hostname)
    ? "None, because the service is on this machine"
    : `None for this host, though ${
      all.map(({ setting }) => setting).join(" and ")
    } is set: NO_PROXY, or no proxy for ` +
      baseUrl.protocol
  return { finding: ok("proxy", detail), proxy, usable: true }
})

const portOf = ({ port, protocol }: URL): number => port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)

/** Looks up and connects to the proxy, or, without a proxy, the service's host. */
const checkConnection = Effect.fnUntraced(function*(baseUrl: URL, proxy: NodeProxy.Proxy | undefined) {
  const to = proxy === undefined ? baseUrl : new URL(proxy.origin)
  const host = to.hostname.replace(/^\[(.+)\]$/, "$1")
  const whose = proxy === undefined ? "LANGUAGE_SERVICE_BASE_URL" : proxy.setting
  const found = yield* Effect.result(lookup(host))
  if (found._tag === "Failure") {
    return [
      problem(
        "name",
        `${host} is not found (${found.failure.code})`,
        `Check the spelling in ${whose}, and the name servers`
      ),
      skipped("connection", "There is no address")
    ]
  }
  const name = ok("name", `${host} is ${found.success.join(", ")}`)
  const isTls = to.protocol === "https:"
  const what = `${host}:${portOf(to)}${proxy === undefined ? "" : ", the proxy,"}`
  const connection = yield* Effect.match(Effect.timed(connect(host, portOf(to), isTls)), {
    onSuccess: ([took]) =>
      ok("connection", `${what} accepts connections${isTls ? " with TLS" : ""} (${Attempt.formatDuration(took)})`),
    onFailure: ({ code }) =>
      problem(
        "connection",
        `${what} cannot be connected to (${code})`,
        code === "ECONNREFUSED"
          ? `Nothing listens there: check host and port in ${whose}`
          : code === "ETIMEDOUT"
          ? "No response: a firewall may require a proxy, see HTTPS_PROXY"
          : isTls
          ? "The certificate or TLS is not accepted: check the host; for a private authority set NODE_EXTRA_CA_CERTS"
          : "Check the network of this machine"
      )
  })
  return [name, connection]
})

/** Advice for errors whose message contains no advice. */
const accessAdvice: Readonly<Record<string, string>> = {
  InvalidKey: "Check LANGUAGE_SERVICE_KEY, and that LANGUAGE_SERVICE_AUTH_SCHEME is the word of this service",
  WrongTier: "Each tier has another address: set LANGUAGE_SERVICE_BASE_URL to the address of the key's tier",
  MissingScope: "The key is valid; give it the scope, or use another key",
  AccessDenied: "Key, tier and address must match; a gateway in front of the service may also refuse",
  NotFound: "LANGUAGE_SERVICE_BASE_URL must be the address before /v2 and /v3 of a service with this interface",
  UnexpectedResponse: "The response may come from another program: check LANGUAGE_SERVICE_BASE_URL",
  RateLimited: "The service works; wait a moment",
  AttemptTimeout: "The host accepts connections but does not respond: check LANGUAGE_SERVICE_BASE_URL, or try later",
  ConnectionLost: "The host may run another program: check http: or https:, host and port in LANGUAGE_SERVICE_BASE_URL",
  InternalServerError: "The service fails: try later"
}

const maxClockSkewSeconds = 30

const checkClock = (date: string | undefined, now: number | undefined): Finding => {
  const then = date === undefined ? Number.NaN : Date.parse(date)
  if (now === undefined || Number.isNaN(then)) return skipped("clock", "No response had a date for comparison")
  const seconds = Math.round((now - then) / 1000)
  const apart = Math.abs(seconds)
  const detail = `The clock of this machine is ${Attempt.formatDuration(Duration.seconds(apart))} ${
    seconds > 0 ? "ahead of" : "behind"
  } the service's`
  return apart <= maxClockSkewSeconds
    ? ok("clock", "The clock of this machine agrees with the service's")
    : warning("clock", detail, "Set the clock, preferably by NTP: certificates and shared rates depend on it")
}

/** Checks the key with a call that consumes nothing, and compares the clock with the response's date. */
const checkAccess = Effect.fnUntraced(function*(options: LanguageServiceConfig.Options) {
  let date: string | undefined
  let received: number | undefined
  const once = { attempts: 1, attemptTimeout: Duration.seconds(10), deadline: Duration.seconds(15) }
  const transformClient = HttpClient.tap((response) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      date = response.headers["date"]
      received = now
    })
  )
  const client = LanguageService.layer({
    ...options,
    resilience: { ...options.resilience, ...once },
    transformClient
  })
  const called = yield* Languages.use((languages) => languages.resources).pipe(
    Effect.provide(Layer.provide(client, NodePool.layerHttpClient(pool))),
    Effect.result
  )
  const access = called._tag === "Success"
    ? ok("access", "The service accepts the key")
    : problem("access", called.failure.message, accessAdvice[called.failure._tag] ?? "See the checks before this one")
  return [access, checkClock(date, received)]
})

const checkDocuments = Effect.provide(entries, NodeJournal.layer()).pipe(
  Effect.flatMap(Effect.fnUntraced(function*(entries) {
    if (entries.length === 0) return ok("documents", "None is pending")
    const lost = entries.filter(({ _tag }) => _tag === "Lost").length
    const commandOf = yield* advised
    return warning(
      "documents",
      `${entries.length - lost} pending, ${lost} lost at the service`,
      `${commandOf("documents pending")} lists them, ${commandOf("documents resume")} resumes all`
    )
  })),
  Effect.catch(({ message }) => {
    const advice = "Check HOME, XDG_STATE_HOME and the permissions of the state directory of this user"
    return Effect.succeed(problem("documents", message, advice))
  })
)

const needSettings = ["key", "tier", "proxy", "name", "connection", "access", "clock"] as const

/** Runs all checks, and converts errors to findings. */
const diagnose = Effect.gen(function*() {
  const documents = yield* checkDocuments
  const read = yield* Effect.result(
    Effect.flatMap(
      client,
      ({ options }) => Effect.map(LanguageServiceConfig.make(options), (config) => ({ config, options }))
    )
  )
  if (read._tag === "Failure") {
    return [
      problem("settings", read.failure.message, "effect-lingua init asks for address and key, and checks them"),
      ...needSettings.map((check) => skipped(check, "Correct the settings first")),
      documents
    ]
  }
  const { config, options } = read.success
  const { finding, proxy, usable } = yield* checkProxy(config.baseUrl)
  const network = usable
    ? yield* checkConnection(config.baseUrl, proxy)
    : (["name", "connection"] as const).map((check) => skipped(check, "Correct the proxy first"))
  const isConnected = network.every(({ status }) => status === "ok")
  return [
    yield* checkSettings(config.baseUrl),
    checkKey(Redacted.value(config.key)),
    checkTier(config),
    finding,
    ...network,
    ...(isConnected
      ? yield* checkAccess(options)
      : (["access", "clock"] as const).map((check) => skipped(check, "There is no connection"))),
    documents
  ] satisfies ReadonlyArray<Finding>
})

const ofFake: ReadonlyArray<Finding> = [
  ok("settings", "The embedded fake needs no settings"),
  ...needSettings.map((check) => skipped(check, "Not needed by the fake")),
  skipped("documents", "The embedded fake has no journal")
]

const labels = { ok: "ok", warning: "warning", problem: "PROBLEM", skipped: "skipped" }

const shown = (style: Style, { advice, check, detail, status }: Finding): string => {
  const emphasis = status === "problem" ? style.red : status === "warning" ? style.bold : style.dim
  return `${check.padEnd(11)} ${emphasis(labels[status].padEnd(8))} ${style.clean(detail)}\n` +
    (advice === undefined ? "" : `${" ".repeat(21)}${style.bold(style.clean(advice))}\n`)
}

export const doctor = command("doctor", {
  examples: {
    "--fake": "The checks, which only run without --fake",
    "--json --fake": "One JSON object for each check"
  },
  params: {},
  run: Effect.fnUntraced(function*(_: {}, { output }) {
    const fit = output === undefined ? yield* forTerminal : identity
    const findings = (yield* Settings.Fake)
      ? yield* Effect.as(call(Languages.use((languages) => languages.resources)), ofFake)
      : yield* diagnose
    const { length } = findings.filter(({ status }) => status === "problem")
    return {
      json: findings,
      human: (style) => fit(findings.map((finding) => shown(style, finding)).join("")),
      after: Output.problems(length, "check found a problem", "checks found a problem")
    } satisfies Output.Results
  })
})
