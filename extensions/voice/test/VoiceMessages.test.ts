import { codecs, type Format, ServerMessage, UnreadableFrame } from "@effect-lingua/voice/VoiceMessages"
import { SessionFailed } from "@effect-lingua/voice/VoiceRealtime"
import { assert, describe } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { inspect, isDeepStrictEqual } from "node:util"
import { effect } from "../../../test/support/tests.ts"

const bytes = (count: number, ...pattern: ReadonlyArray<number>): Uint8Array =>
  Uint8Array.from({ length: count * pattern.length }, (_, index) => pattern[index % pattern.length] ?? 0)

describe("a frame in MessagePack", () => {
  effect.each<[what: string, frame: Uint8Array]>([
    ["nested arrays of huge lengths", bytes(1000, 0xdc, 0x7f, 0xff)],
    ["nested maps of huge lengths", bytes(1000, 0xde, 0x7f, 0xff)],
    ["an array of 4 billion items", bytes(1, 0xdd, 0xff, 0xff, 0xff, 0xff)],
    ["deep arrays", Uint8Array.of(...bytes(100_000, 0x91), 0xc0)],
    ["a long string", bytes(1, 0xdb, 0xff, 0xff, 0xff, 0xff)],
    ["an extension without an end", bytes(1, 0xc8, 0xff, 0xff, 0x01)],
    ["nothing", new Uint8Array()],
    ["more than a value", bytes(2, 0xc0)]
  ])("that has %s is refused, in the memory of a frame", function*([, frame]) {
    const { server } = yield* codecs("msgpack")
    const before = process.memoryUsage().heapUsed
    const error = yield* Effect.flip(server.decode(frame))
    assert.isBelow(process.memoryUsage().heapUsed - before, 64 * 1024 ** 2)
    assert.strictEqual(error.problem, "it is not MessagePack")
  })

  effect.each<Format>(["json", "msgpack"])(
    "or another one that is too long is refused unread, in %s",
    function*(format) {
      const { server } = yield* codecs(format)
      const length = 8 * 1024 ** 2 + 1
      const { problem } = yield* Effect.flip(
        server.decode(format === "json" ? " ".repeat(length) : bytes(length, 0x80))
      )
      assert.strictEqual(problem, "it is longer than 8 MiB")
    }
  )

  effect.each<[what: string, format: Format, frame: string | Uint8Array]>([
    ["objects, in JSON", "json", `{"x":[${"{},".repeat(2_000_000)}{}]}`],
    ["strings, in JSON", "json", `{"target_media_chunk":{"language":"de","data":[${"\"\",".repeat(2_000_000)}""]}}`],
    [
      "maps, in MessagePack",
      "msgpack",
      Buffer.concat([bytes(1, 0x81, 0xa1, 0x78, 0xdd, 0, 15, 0x42, 0x40), bytes(1_000_000, 0x80)])
    ]
  ])("with millions of %s is refused, in the memory of a frame", function*([, format, frame]) {
    const { server } = yield* codecs(format)
    const before = process.memoryUsage().heapUsed
    const error = yield* Effect.flip(server.decode(frame))
    assert.isBelow(process.memoryUsage().heapUsed - before, 64 * 1024 ** 2)
    assert.include(error.problem, "more than 100,000 items")
  })

  effect.each([`{"x":@}`, `{"error":{"code":@}}`, `{"error_code":@}`])(
    "that is nested thousands deep is refused, in JSON: %s",
    function*(frame) {
      const { server } = yield* codecs("json")
      const deep = `${"[".repeat(40_000)}${"]".repeat(40_000)}`
      const { problem } = yield* Effect.flip(server.decode(frame.replace("@", deep)))
      assert.include(problem, "nested too deep")
    }
  )

  effect("with unknown fields of any type is read", function*() {
    const { server } = yield* codecs("msgpack")
    const values = [
      "c0 c2 c3 00 7f e0 ff cc00 cd0000 ce00000000 cf0000000000000000 ca00000000 cb0000000000000000",
      "d000 d10000 d200000000 d30000000000000000 a0 a161 d90161 da000161 db0000000161 c40109 c5000109 c60000000109",
      "90 91c0 dc0001c0 dd00000001c0 80 81a161c0 de0001a161c0 df00000001a161c0 c7010509 c800010509 c9000000010509",
      `d40500 d5050000 d60500000000 d7050000000000000000 d805${"00".repeat(16)}`
    ].join(" ").split(" ")
    const end = `ad${Buffer.from("end_of_stream").toString("hex")}80`
    for (const value of values) {
      for (const frame of [`82a178${value}${end}`, `82${end}a178${value}`]) {
        const read = yield* server.decode(Buffer.from(frame, "hex"))
        assert.deepStrictEqual(read, [ServerMessage.EndOfStream()], frame)
      }
    }
  })

  effect("of any message of the service is read", function*() {
    const { server } = yield* codecs("msgpack")
    const text = "Good morning. ".repeat(5000)
    const segments = Array.from({ length: 10_000 }, (_, index) => ({ text: "a", startTime: index, endTime: -1.5 }))
    const messages = [
      ServerMessage.EndOfStream(),
      ServerMessage.SourceTranscriptUpdate({ concluded: [], tentative: [{ text }] }),
      ServerMessage.TargetTranscriptUpdate({ language: "de", concluded: segments, tentative: segments.slice(0, 20) }),
      ServerMessage.TargetMediaChunk({
        language: "de",
        data: [bytes(70_000, 1), bytes(300, 1), ...Array.from({ length: 66_000 }, () => bytes(3, 1))],
        headers: 1
      }),
      ServerMessage.Failure({ code: 429, description: "ü".repeat(200) })
    ]
    for (const message of messages) {
      assert.isTrue(isDeepStrictEqual(yield* server.decode(server.encode(message)), [message]), message._tag)
    }
  })
})

effect("the errors of a session have their message first in a log", function*() {
  const [failed] = yield* Arbitrary.sampleEffect(Arbitrary.schema(SessionFailed), { count: 1, seed: "log" })
  for (const error of [new UnreadableFrame({ problem: "it is not JSON" }), failed ?? assert.fail()]) {
    assert.isTrue(JSON.stringify(error).startsWith(`{"message":${JSON.stringify(error.message)}`))
    assert.isTrue(inspect(error).startsWith(error.stack ?? "none"))
  }
})
