/** How connections come about: HTTP/1.1 only, with the certificates that the options have. */
import { InvalidConfiguration } from "@effect-lingua/core/LanguageServiceConfig"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { isError } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { X509Certificate } from "node:crypto"
import { createSecureContext, type SecureContext } from "node:tls"
import type { TlsOptions } from "../NodeLanguageService.ts"

/** How undici connects to one party. */
interface Settings {
  readonly timeout: number
  /**
   * undici speaks HTTP/2 with whoever offers it. There a body that is cut can count as complete, and a session that falls
   * silent takes all calls with it.
   */
  readonly allowH2: false
  readonly secureContext?: SecureContext
}

/** How connections to the service and to proxies are made. */
export interface Connect {
  readonly service: Settings
  readonly proxy: Settings
}

const attempt = <A>(setting: string, problem: string, run: () => A): Effect.Effect<A, InvalidConfiguration> =>
  Effect.try({
    try: run,
    // The words are OpenSSL's, which has nothing of the key in them.
    catch: (error) =>
      new InvalidConfiguration({ setting, problem: `${problem}${isError(error) ? `: ${error.message}` : ""}` })
  })

/** Checks the certificates. A proxy is not shown that of the client. */
export const make = Effect.fnUntraced(function*(
  timeout: number,
  { ca, client }: TlsOptions = {}
): Effect.fn.Return<Connect, InvalidConfiguration> {
  const plain: Settings = { timeout, allowH2: false }
  const authorities = ca === undefined ? undefined : Arr.ensure(ca)
  for (const certificate of authorities ?? []) {
    // A context takes anything here, and trusts nobody then.
    yield* attempt("pool.tls.ca", "is not a certificate in PEM", () => new X509Certificate(certificate))
  }
  const trust = authorities === undefined ? undefined : { ca: [...authorities] }
  const proxy = trust === undefined ? plain : { ...plain, secureContext: createSecureContext(trust) }
  if (client === undefined) return { service: proxy, proxy }
  const { certificate, key, passphrase } = client
  const secureContext = yield* attempt(
    "pool.tls.client",
    "has a certificate, key or passphrase that cannot be used",
    () =>
      createSecureContext({
        ...trust,
        cert: certificate,
        key: Redacted.value(key),
        ...(passphrase === undefined ? undefined : { passphrase: Redacted.value(passphrase) })
      })
  )
  return { service: { ...plain, secureContext }, proxy }
})
