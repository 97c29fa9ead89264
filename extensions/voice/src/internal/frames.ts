/** Encodes messages as WebSocket frames. */
import { isTooDeep } from "@effect-lingua/core/extension/Service"
import * as Effect from "effect/Effect"

/** A frame: a string for JSON, bytes for MessagePack. A frame of the other kind ends the session. */
export type Frame = string | Uint8Array

/** Encodes and decodes frames; `read` fails with the reason that a frame is invalid. */
export interface Frames {
  readonly write: (message: unknown) => Frame
  readonly read: (frame: Frame) => Effect.Effect<unknown, string>
}

/** Maximum number of items in a frame, more than an hour of speech needs. Each item takes up to 240 bytes of memory. */
const maxItems = 100_000

/** Decodes a frame of at most `maxItems` items. `itemsOf` and `parse` throw for a malformed frame. */
const reading = <Kind extends Frame>(
  name: string,
  itemsOf: (frame: Kind) => number,
  parse: (frame: Kind) => unknown
) =>
(frame: Kind): Effect.Effect<unknown, string> =>
  Effect.flatMap(
    Effect.try({
      try: () => itemsOf(frame) <= maxItems ? { value: parse(frame) } : undefined,
      catch: () => `it is not ${name}`
    }),
    (read) =>
      read === undefined
        ? Effect.fail("it has more than 100,000 items, or is nested too deep")
        : Effect.succeed(read.value)
  )

/** An upper bound of the number of JSON values (separators in strings count too); infinite if nested too deep. */
const itemsOfJson = (text: string): number => {
  if (isTooDeep(text)) return Infinity
  let items = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === "," || char === "[" || char === "{") items += 1
  }
  return items
}

const readJson = reading("JSON", itemsOfJson, (text: string): unknown => JSON.parse(text))

const json: Frames = {
  write: (message) => JSON.stringify(message),
  read: (frame) =>
    typeof frame === "string" ? readJson(frame) : Effect.fail("it is a binary frame, and the format is json")
}

/** Imports the MessagePack codec on demand. */
const msgpack: Effect.Effect<Frames> = Effect.map(
  Effect.promise(() => import("./msgpack.ts")),
  ({ decode, encode, itemsOf }): Frames => {
    const read = reading("MessagePack", itemsOf, (bytes: Uint8Array) => decode(bytes))
    return {
      write: (message) => encode(message),
      read: (frame) =>
        typeof frame === "string" ? Effect.fail("it is a text frame, and the format is msgpack") : read(frame)
    }
  }
)

const maxFrameLength = 8 * 1024 * 1024

const bounded = ({ read, write }: Frames): Frames => ({
  write,
  read: (frame) => frame.length > maxFrameLength ? Effect.fail("it is longer than 8 MiB") : read(frame)
})

export const make = (format: "json" | "msgpack"): Effect.Effect<Frames> =>
  Effect.map(format === "json" ? Effect.succeed(json) : msgpack, bounded)
