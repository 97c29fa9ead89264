/** Parts of a test on virtual time that do not depend on the speed of the machine. */
import { Effect, type Layer } from "effect"
import { WebCrypto } from "effect/crypto"
import { createHash } from "node:crypto"

const sha256 = (data: BufferSource) =>
  createHash("sha256").update(
    ArrayBuffer.isView(data) ? new DataView(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data)
  ).digest().buffer

/** Digests (SHA-256) without a thread: a virtual clock does not wait for threads, which are late on a busy machine. */
export const digests: Layer.Layer<never> = WebCrypto.layer({
  getRandomValues: (array) => globalThis.crypto.getRandomValues(array),
  randomUUID: () => globalThis.crypto.randomUUID(),
  // oxlint-disable-next-line typescript/no-misused-spread -- of the methods only `digest` is called
  subtle: { ...globalThis.crypto.subtle, digest: async (_, data) => sha256(data) }
})

/** One turn of the event loop. */
export const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

/** Turns of the event loop in which fibers continue that wait for promises and for each other, but not for the clock. */
export const turns = Effect.repeat(turn, { times: 50 })
