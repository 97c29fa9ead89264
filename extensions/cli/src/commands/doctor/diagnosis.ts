/** All checks between this machine and the service, in order. */
import * as LanguageServiceConfig from "@effect-lingua/core/config/LanguageServiceConfig"
import type * as NodeLanguageService from "@effect-lingua/node/NodeLanguageService"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { checkAccess, checkConnection, checkProxy } from "./networkChecks.ts"
import { checkKey, checkSettings, checkTier, type Finding, ok, problem, skipped, warning } from "./settingsChecks.ts"

/** The entries of the journal. */
const checkDocuments = <E extends { readonly message: string }>(
  pending: Effect.Effect<ReadonlyArray<{ readonly _tag: string }>, E>,
  commandOf: (args: string) => string
) =>
  pending.pipe(
    Effect.map((entries) => {
      if (entries.length === 0) return ok("documents", "None is pending")
      const lost = entries.filter(({ _tag }) => _tag === "Lost").length
      return warning(
        "documents",
        `${entries.length - lost} pending, ${lost} lost at the service`,
        `${commandOf("documents pending")} lists them, ${commandOf("documents resume")} resumes all`
      )
    }),
    Effect.catch(({ message }) =>
      Effect.succeed(
        problem(
          "documents",
          message,
          "Check HOME, XDG_STATE_HOME and the permissions of the state directory of this user"
        )
      )
    )
  )

/** The settings and the journal to check. */
export interface Options<E, R> {
  readonly settings: Effect.Effect<LanguageServiceConfig.Options, E, R>
  readonly pool?: NodeLanguageService.PoolOptions | undefined
  /** Builds a command of this program, for advice. */
  readonly commandOf: (args: string) => string
  /** The entries of the journal. */
  readonly pending?: Effect.Effect<ReadonlyArray<{ readonly _tag: string }>, { readonly message: string }> | undefined
}

const needSettings = ["key", "tier", "proxy", "name", "connection", "access", "clock"] as const

/** Runs all checks. None of them fails; errors are findings. */
export const diagnose = Effect.fnUntraced(function*<E extends { readonly message: string }, R>(
  options: Options<E, R>
) {
  const { pending, settings } = options
  const pool = { ...options.pool, proxy: options.pool?.proxy ?? "environment" as const }
  const documents = pending === undefined
    ? skipped("documents", "There is no journal")
    : yield* checkDocuments(pending, options.commandOf)
  const read = yield* Effect.result(
    Effect.flatMap(settings, (given) => Effect.map(LanguageServiceConfig.make(given), (config) => ({ config, given })))
  )
  if (read._tag === "Failure") {
    return [
      problem("settings", read.failure.message, "See docs/hosts.md for all settings"),
      ...needSettings.map((check) => skipped(check, "Correct the settings first")),
      documents
    ]
  }
  const { config, given } = read.success
  const { finding, proxy, usable } = yield* checkProxy(pool.proxy, config.baseUrl)
  const network = usable
    ? yield* checkConnection(config.baseUrl, proxy)
    : (["name", "connection"] as const).map((check) => skipped(check, "Correct the proxy first"))
  const isConnected = network.every(({ status }) => status === "ok")
  const findings: ReadonlyArray<Finding> = [
    yield* checkSettings(config.baseUrl),
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

/** The findings for the fake. */
export const ofFake: ReadonlyArray<Finding> = [
  ok("settings", "The embedded fake needs no settings"),
  ...needSettings.map((check) => skipped(check, "Not needed by the fake")),
  skipped("documents", "The fake keeps none")
]
