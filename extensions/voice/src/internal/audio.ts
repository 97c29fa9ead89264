import * as Stream from "effect/Stream"

const maxChunkBytes = 100_000

/** The service recommends chunks of 50 to 250 ms and accepts up to 1 s. */
const maxChunkSeconds = 0.25

/** Byte rate and sample size of uncompressed audio. */
export interface Shape {
  readonly bytesPerSecond: number
  /** Bytes of a sample; a chunk must contain whole samples. */
  readonly frame: number
}

const sampleBytes: Readonly<Record<string, number>> = { s16le: 2, ulaw: 1, alaw: 1 }

/** Parses the media type of PCM: `audio/pcm;encoding=s16le;rate=16000`. */
export const shapeOf = (contentType: string): Shape | undefined => {
  const [type = "", ...parameters] = contentType.toLowerCase().split(";").map((part) => part.trim())
  const { encoding = "", rate = "" } = Object.fromEntries(parameters.map((part) => part.split("=", 2)))
  const frame = sampleBytes[encoding]
  return type === "audio/pcm" && frame !== undefined && Number(rate) > 0
    ? { bytesPerSecond: frame * Number(rate), frame }
    : undefined
}

const joined = (one: Uint8Array, other: Uint8Array): Uint8Array => {
  if (one.length === 0) return other
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

/** Splits audio into chunks of whole samples, without waiting for a full chunk. */
export const chunked = <E, R>(
  audio: Stream.Stream<Uint8Array, E, R>,
  { bytesPerSecond, frame }: { readonly bytesPerSecond: number | undefined; readonly frame: number }
): Stream.Stream<Uint8Array, E, R> => {
  const chunkBytes = Math.min(
    maxChunkBytes,
    bytesPerSecond === undefined ? maxChunkBytes : bytesPerSecond * maxChunkSeconds
  )
  const size = Math.max(frame, Math.floor(chunkBytes / frame) * frame)
  return Stream.mapAccum(
    audio,
    () => new Uint8Array(),
    (rest: Uint8Array, bytes) => {
      const all = joined(rest, bytes)
      const whole = Math.floor(all.length / frame) * frame
      const chunks: Array<Uint8Array> = []
      for (let start = 0; start < whole; start += size) chunks.push(all.subarray(start, Math.min(start + size, whole)))
      return [all.subarray(whole), chunks] as const
    },
    { onHalt: (rest) => rest.length === 0 ? [] : [rest] }
  )
}
