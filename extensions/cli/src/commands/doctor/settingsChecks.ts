/** The findings of the checks, and the checks of the settings, without the network. */
import type * as LanguageServiceConfig from "@effect-lingua/core/config/LanguageServiceConfig"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Settings from "../../settings/settings.ts"

/** The result of a check. `detail` and `advice` contain no secret. */
export interface Finding {
  readonly check: "settings" | "key" | "tier" | "proxy" | "name" | "connection" | "access" | "clock" | "documents"
  readonly status: "ok" | "warning" | "problem" | "skipped"
  readonly detail: string
  readonly advice?: string
}

const finding = (status: Finding["status"]) => (check: Finding["check"], detail: string, advice?: string): Finding =>
  advice === undefined ? { check, status, detail } : { check, status, detail, advice }

export const ok = finding("ok")
export const skipped = finding("skipped")
export const warning = finding("warning")
export const problem = finding("problem")

/** The variables of settings that decide about connections. */
const variables = Settings.variables.flatMap(([name, variable]) => name === "cache" || name === "to" ? [] : variable)

/** The address of the service, and the variables that are set. */
export const checkSettings = (baseUrl: URL) =>
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

/** The form of the key. */
export const checkKey = (key: string): Finding => {
  const kind = key.endsWith(":fx") ? "one of the free tier, by its ending" : "one of the paid tier, by its ending"
  return /^["'].*["']$/.test(key)
    ? warning("key", "The key is in quotes, which are sent too", "Set the key without the quotes")
    : key.length < 16
    ? warning("key", "The key is shorter than keys are", "Check that it was copied completely")
    : key.endsWith(":adm")
    ? warning(
      "key",
      "The key ends like an admin key, which is valid for administration only",
      "Set a developer key as LANGUAGE_SERVICE_KEY, and this one as LANGUAGE_SERVICE_ADMIN_KEY"
    )
    : ok("key", `A key is set, ${kind}`)
}

/** True for this machine. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)

/** The tier, compared with the key and the address. */
export const checkTier = ({ baseUrl, key, tier }: LanguageServiceConfig.LanguageServiceConfig["Service"]): Finding => {
  const ofKey = Redacted.value(key).endsWith(":fx") ? "free" : "paid"
  if (ofKey === "free" && tier === "paid") {
    return warning(
      "tier",
      "The tier is set to paid, and the key ends like one of the free tier",
      "Unset LANGUAGE_SERVICE_TIER, or use a key of the paid tier"
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
