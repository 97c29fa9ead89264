import { Effect } from "effect"
import { readFileSync } from "node:fs"
import * as Tls from "node:tls"

const pem = (name: string) => readFileSync(new URL(`certificates/${name}.pem`, import.meta.url), "utf8")

/** A private authority, which signed the certificates of the server and of the client. */
export const authority = pem("authority")

/** A certificate of `localhost`, `127.0.0.1` and `service.test`. */
export const serverCertificate = pem("server")
export const serverKey = pem("server-key")

export const clientCertificate = pem("client")

/** The key of the client's certificate, encrypted with {@link clientPassphrase}. */
export const clientKey = pem("client-key")
export const clientPassphrase = "open-sesame"

/** A self-signed certificate for `service.test`. */
export const selfSignedCertificate = pem("self-signed")
export const selfSignedKey = pem("self-signed-key")

/** Makes Node.js trust a certificate. */
export const trusting = (certificate: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = Tls.getCACertificates()
      Tls.setDefaultCACertificates([...before, certificate])
      return before
    }),
    (before) => Effect.sync(() => Tls.setDefaultCACertificates(before))
  )
