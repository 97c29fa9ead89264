/** Names and values of entries: plain, or under keys that are derived from a secret. */
import { InvalidConfiguration } from "@effect-lingua/core/config/LanguageServiceConfig"
import { Sha256 } from "@effect-lingua/core/extension/Decorator"
import * as Aead from "effect/crypto/Aead"
import type { CryptoError } from "effect/crypto/CryptoError"
import * as Kdf from "effect/crypto/Kdf"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import type { EncodingError } from "effect/encoding/EncodingError"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Names and values as the store sees them. */
export interface Sealing {
  readonly nameOf: (facts: string) => string
  readonly seal: (value: unknown) => Effect.Effect<object, CryptoError>
  readonly open: (stored: object) => Effect.Effect<unknown, CryptoError | EncodingError | Schema.SchemaError>
}

const plain: Sealing = {
  nameOf: (facts) => Sha256.hex(`effect-lingua result\0${facts}`),
  seal: (result) => Effect.succeed({ result }),
  open: (stored) => Effect.sync(() => Reflect.get(stored, "result"))
}

const nonceLength = 12

const fromJson = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))

/** Derives both keys from the secret. */
const sealed = Effect.fnUntraced(
  function*(secret: string): Effect.fn.Return<Sealing, CryptoError, Kdf.Kdf | Aead.Aead | SecureRandom.SecureRandom> {
    const kdf = yield* Kdf.Kdf
    const aead = yield* Aead.Aead
    const random = yield* SecureRandom.SecureRandom
    const derive = (info: string) =>
      kdf.derive(Kdf.hkdfSha256, encoder.encode(secret), {
        salt: encoder.encode("effect-lingua results"),
        length: 32,
        info: encoder.encode(info)
      })
    const salt = Base64Url.encode(yield* derive("names"))
    const key = yield* Aead.key(Aead.aes256Gcm, yield* derive("values"))
    return {
      nameOf: (facts) => Sha256.hex(`${salt}\0${facts}`),
      seal: Effect.fnUntraced(function*(result) {
        const nonce = yield* random.randomBytes(nonceLength)
        const bytes = yield* aead.encrypt(key, encoder.encode(JSON.stringify(result)), { nonce })
        return { sealed: Base64Url.encode(new Uint8Array([...nonce, ...bytes])) }
      }),
      open: Effect.fnUntraced(function*(stored) {
        const bytes = yield* Effect.fromResult(Base64Url.decode(String(Reflect.get(stored, "sealed"))))
        const opened = yield* aead.decrypt(key, bytes.subarray(nonceLength), { nonce: bytes.subarray(0, nonceLength) })
        return yield* fromJson(decoder.decode(opened))
      })
    }
  }
)

const webCrypto = Layer.mergeAll(Kdf.layerWebCrypto, Aead.layerWebCrypto).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)

/** The form of entries under a secret, or without one. */
export const sealingOf = (secret: Redacted.Redacted | undefined): Effect.Effect<Sealing, InvalidConfiguration> =>
  secret === undefined
    ? Effect.succeed(plain)
    : Effect.mapError(
      Effect.provide(sealed(Redacted.value(secret)), webCrypto),
      () => new InvalidConfiguration({ setting: "secret", problem: "cannot be used: this runtime has no Web Crypto" })
    )
