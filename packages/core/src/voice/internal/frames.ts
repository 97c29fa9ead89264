/** Messages of a session as frames of its WebSocket. */
import * as Effect from "effect/Effect"

/** A frame: a text for JSON, bytes for MessagePack. The session ends at a frame of the other kind. */
export type Frame = string | Uint8Array

/** The two directions of a format, with the reason why a frame cannot be read. */
export interface Frames {
  readonly write: (message: unknown) => Frame
  readonly read: (frame: Frame) => Effect.Effect<unknown, string>
}

const json: Frames = {
  write: (message) => JSON.stringify(message),
  read: (frame) =>
    typeof frame === "string"
      ? Effect.try({ try: (): unknown => JSON.parse(frame), catch: () => "it is not JSON" })
      : Effect.fail("it is a binary frame, and the format is json")
}

/** Loaded only where it is used. */
const msgpack: Effect.Effect<Frames> = Effect.map(
  Effect.promise(() => import("./msgpack.ts")),
  ({ decode, encode }): Frames => ({
    write: (message) => encode(message),
    read: (frame) =>
      typeof frame === "string"
        ? Effect.fail("it is a text frame, and the format is msgpack")
        : Effect.try({ try: () => decode(frame), catch: () => "it is not MessagePack" })
  })
)

/** The longest frame that is read, as a value takes up to 40 times the memory of its frame. */
const longest = 8 * 1024 * 1024

const bounded = ({ read, write }: Frames): Frames => ({
  write,
  read: (frame) => frame.length > longest ? Effect.fail("it is longer than 8 MiB") : read(frame)
})

/** The frames of a format. */
export const make = (format: "json" | "msgpack"): Effect.Effect<Frames> =>
  Effect.map(format === "json" ? Effect.succeed(json) : msgpack, bounded)
