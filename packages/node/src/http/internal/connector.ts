import { InvalidConfiguration } from "@effect-lingua/core/config/LanguageServiceConfig"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { isError } from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import { X509Certificate } from "node:crypto"
import { createSecureContext, type SecureContext } from "node:tls"
import { known } from "./known.ts"

/**
 * TLS certificates in PEM format. By default the client trusts the authorities that Node.js trusts, and presents no
 * certificate.
 *
 * @category options
 * @since 0.1.0
 */
export interface TlsOptions {
  /** Certificate authorities for service and proxies, instead of Node.js's authorities. */
  readonly ca?: string | ReadonlyArray<string> | undefined
  /** The certificate for a service that requires mutual TLS; not presented to proxies. */
  readonly client?: {
    /** The certificate, followed by intermediates. */
    readonly certificate: string
    readonly key: Redacted.Redacted
    readonly passphrase?: Redacted.Redacted | undefined
  } | undefined
}

interface Settings {
  readonly timeout: number
  /**
   * With HTTP/2, which undici prefers, a truncated body can count as complete, and one stalled session stalls all calls.
   */
  readonly allowH2: false
  readonly secureContext?: SecureContext
}

export interface Connect {
  readonly service: Settings
  readonly proxy: Settings
}

const attempt = <A>(setting: string, problem: string, run: () => A): Effect.Effect<A, InvalidConfiguration> =>
  Effect.try({
    try: run,
    // OpenSSL's message contains no part of the key.
    catch: (error) =>
      new InvalidConfiguration({ setting, problem: `${problem}${isError(error) ? `: ${error.message}` : ""}` })
  })

export const make = Effect.fnUntraced(function*(
  timeout: number,
  tls: TlsOptions = {}
): Effect.fn.Return<Connect, InvalidConfiguration> {
  const { ca, client } = tls
  yield* known("pool.tls", tls, { ca: true, client: true })
  yield* known("pool.tls.client", client, { certificate: true, key: true, passphrase: true })
  const plain: Settings = { timeout, allowH2: false }
  const authorities = ca === undefined ? undefined : Arr.ensure(ca)
  for (const certificate of authorities ?? []) {
    // Checked here, because `createSecureContext` accepts any text as `ca` and then trusts no certificate.
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
