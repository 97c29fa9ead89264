import * as LanguageService from "@effect-lingua/core/LanguageService"
import { Voice, webSocketUrl } from "@effect-lingua/core/voice/Voice"
import { ClientMessage, codecs, type Format } from "@effect-lingua/core/voice/VoiceMessages"
import * as VoiceRealtime from "@effect-lingua/core/voice/VoiceRealtime"
import * as FakeLanguageService from "@effect-lingua/testing/fake/FakeLanguageService"
import * as NodeFakeLanguageService from "@effect-lingua/testing/fake/NodeFakeLanguageService"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { Socket } from "effect/socket"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"

const encoder = new TextEncoder()
const words = ["Good mor", "ning. How", " are you?", " Fine, thanks"]
const audio = Stream.fromIterable(words.map((part) => encoder.encode(part)))
const options = { sourceMediaContentType: "audio/ogg", targetLanguages: ["de", "fr"], targetMediaLanguages: ["de"] }
const texts = [
  "Good morning. How are you? Fine, thanks",
  "[de] Good morning. [de] How are you? [de] Fine, thanks",
  "[fr] Good morning. [fr] How are you? [fr] Fine, thanks"
]

const textsOf = ({ source, targets }: VoiceRealtime.Transcripts) =>
  [source, targets["de"], targets["fr"]].map((transcript) => VoiceRealtime.textOf(transcript))

/** Lets the time of the test pass while an effect waits for it. */
const passing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(effect)
    yield* TestClock.adjust("10 minutes")
    return yield* Fiber.join(fiber)
  })

/** The last transcripts of a session, and the number of its reconnections. */
const session = (given: Partial<VoiceRealtime.Options> = {}, speech: Stream.Stream<Uint8Array> = audio) =>
  VoiceRealtime.translate(speech, { ...options, ...given }).pipe(
    Stream.runFold(
      () => ({ transcripts: VoiceRealtime.empty, reconnections: 0, media: "" }),
      ({ media, reconnections, transcripts }, message) => ({
        transcripts: VoiceRealtime.fold(transcripts, message),
        reconnections: reconnections + (message._tag === "Reconnected" ? 1 : 0),
        media: message._tag === "TargetMediaChunk"
          ? media + message.data.slice(message.headers ?? 0).map((packet) => new TextDecoder().decode(packet)).join("")
          : media
      })
    )
  )

/** Cuts the first connection after a number of messages of one side, and counts the messages of all. */
const cutting = (side: "client" | "service", after: number, counts: { client: number; service: number }) =>
  Layer.effect(
    Socket.WebSocketConstructor,
    Effect.map(Socket.WebSocketConstructor, (connect) => (url: string) => {
      const socket = connect(url)
      const pass = (from: "client" | "service") => {
        counts[from] += 1
        if (from === side && counts[from] === after) socket.close(1011)
      }
      const send = socket.send.bind(socket)
      socket.send = (data) => {
        send(data)
        pass("client")
      }
      const listen = socket.addEventListener.bind(socket)
      socket.addEventListener = (type, listener, options) =>
        listen(type, (event) => {
          listener(event)
          if (type === "message") pass("service")
        }, options)
      return socket
    })
  )

/** Notes the sizes of the chunks of audio that are sent, as JSON. */
const noting = (sizes: Array<number>) =>
  Layer.effect(
    Socket.WebSocketConstructor,
    Effect.map(Socket.WebSocketConstructor, (connect) => (url: string) => {
      const socket = connect(url)
      const send = socket.send.bind(socket)
      socket.send = (data) => {
        const { source_media_chunk: chunk } = JSON.parse(String(data))
        if (chunk !== undefined) sizes.push(Buffer.from(chunk.data, "base64").length)
        send(data)
      }
      return socket
    })
  )

const realtime = <A, E>(
  effect: Effect.Effect<A, E, Voice | Socket.WebSocketConstructor>,
  side: "client" | "service" = "client",
  after = 0
) => {
  const counts = { client: 0, service: 0 }
  return Effect.map(effect, (value) => ({ ...value, counts })).pipe(
    Effect.provide(Layer.provideMerge(cutting(side, after, counts), FakeLanguageService.layerServices()))
  )
}

describe("live speech", () => {
  it.effect.each<Format>(["json", "msgpack"])(
    "is transcribed, translated and spoken, in %s",
    (messageFormat) =>
      Effect.gen(function*() {
        const { media, transcripts } = yield* session({ messageFormat })
        assert.deepStrictEqual(textsOf(transcripts), texts)
        assert.isTrue(transcripts.source.isComplete)
        assert.isTrue(transcripts.targets["de"]?.isComplete)
        assert.deepStrictEqual(transcripts.source.tentative, [])
        assert.strictEqual(media, "[de] Good morning.[de] How are you?[de] Fine, thanks")
      }).pipe(Effect.provide(FakeLanguageService.layerServices()))
  )

  it.effect("is the same whenever the connection is cut", () =>
    Effect.gen(function*() {
      const whole = yield* realtime(session())
      for (const side of ["client", "service"] as const) {
        for (let after = 1; after <= whole.counts[side]; after++) {
          const cut = yield* realtime(session(), side, after)
          const place = `after ${after} messages of the ${side}`
          assert.deepStrictEqual(textsOf(cut.transcripts), texts, place)
          assert.strictEqual(cut.media, whole.media, place)
          // A cut after the last message is none.
          assert.strictEqual(cut.reconnections, after < whole.counts[side] ? 1 : 0, place)
        }
      }
      assert.isAbove(whole.counts.client, 4)
      assert.isAbove(whole.counts.service, 8)
    }))

  it.effect("is sent at twice its speed at most, in whole samples, and read no faster than that", () =>
    Effect.gen(function*() {
      const sizes: Array<number> = []
      // 3.2 s of speech, in pieces that divide samples.
      const spoken = "Good morning. ".repeat(7315).slice(0, 102_400)
      const size = 12_801
      let read = 0
      const speech = Stream.range(0, 7).pipe(
        Stream.map((index) => encoder.encode(spoken.slice(index * size, (index + 1) * size))),
        Stream.rechunk(1),
        Stream.tap(() => Effect.sync(() => read += 1))
      )
      const fiber = yield* session({ sourceMediaContentType: "audio/pcm;encoding=s16le;rate=16000" }, speech).pipe(
        Effect.provide(noting(sizes)),
        Effect.forkChild
      )
      yield* TestClock.adjust("500 millis")
      assert.isAtMost(sizes.reduce((sum, length) => sum + length, 0), 32_000 + 8000)
      assert.isAtMost(read, 5)
      yield* TestClock.adjust("1 second")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const { transcripts } = yield* Fiber.join(fiber)
      assert.strictEqual(VoiceRealtime.textOf(transcripts.source), spoken.trim())
      assert.strictEqual(sizes.reduce((sum, length) => sum + length, 0), spoken.length)
      assert.isTrue(sizes.every((length) => length % 2 === 0 && length <= 8000))
    }).pipe(Effect.provide(FakeLanguageService.layerServices())))

  it.effect.each(["audio/ogg", "audio/flac;rate=48000", "audio/pcm;encoding=s16le"])(
    "is sent in chunks of 100,000 bytes at most if the rate of its bytes is unknown: %s",
    (sourceMediaContentType) =>
      Effect.gen(function*() {
        const sizes: Array<number> = []
        yield* session({ sourceMediaContentType }, Stream.make(encoder.encode("o".repeat(252_000)))).pipe(
          Effect.provide(noting(sizes))
        )
        assert.deepStrictEqual(sizes, [100_000, 100_000, 52_000])
      }).pipe(passing, Effect.provide(FakeLanguageService.layerServices()))
  )

  it.effect.each<[what: string, speech: Stream.Stream<Uint8Array>, rate: number | undefined, code: number]>([
    ["silence", Stream.never, undefined, 408],
    [
      "audio that comes too fast",
      Stream.range(1, 5).pipe(Stream.map(() => encoder.encode("Good ".repeat(4000)))),
      1_000_000,
      429
    ]
  ])("fails with the error of the service: %s", ([, speech, bytesPerSecond, code]) =>
    Effect.gen(function*() {
      const sourceMediaContentType = "audio/pcm;encoding=s16le;rate=16000"
      const error = yield* passing(Effect.flip(session({ sourceMediaContentType, bytesPerSecond }, speech)))
      assert.strictEqual(error._tag, "SessionFailed")
      if (error._tag !== "SessionFailed") return
      assert.deepStrictEqual([error.code, error.isTransient, error.reconnections], [code, true, 0])
      assert.include(error.message, `code ${code}`)
    }).pipe(Effect.provide(FakeLanguageService.layerServices())))

  it.effect("is refused with a chunk that ends within a sample", () =>
    Effect.gen(function*() {
      const sourceMediaContentType = "audio/pcm;encoding=s16le;rate=16000"
      const session = yield* Voice.use((voice) => voice.requestSession({ sourceMediaContentType }))
      const { client, server } = yield* codecs("json")
      const socket = yield* Socket.makeWebSocket(Redacted.value(webSocketUrl(session)))
      const { pull } = yield* socket.reader
      const { write } = yield* socket.writer
      yield* write(client.encode(ClientMessage.SourceMediaChunk({ data: new Uint8Array(3) })))
      const [frame] = yield* pull
      const [message] = yield* server.decode(frame)
      assert.deepInclude(message, { _tag: "Failure", code: 400 })
    }).pipe(Effect.scoped, Effect.provide(FakeLanguageService.layerServices())))

  it.effect("fails when connections break in a row, without the token", () =>
    Effect.gen(function*() {
      const urls: Array<string> = []
      const broken = Layer.effect(
        Socket.WebSocketConstructor,
        Effect.map(Socket.WebSocketConstructor, (connect) => (url: string) => {
          urls.push(url)
          const socket = connect(url)
          socket.addEventListener("open", () => socket.close(1011, `no ${url}`))
          return socket
        })
      )
      const error = yield* passing(Effect.flip(session({ reconnections: 3 }))).pipe(Effect.provide(broken))
      assert.strictEqual(error._tag, "SessionFailed")
      assert.strictEqual(urls.length, 4)
      assert.strictEqual(new Set(urls).size, 4)
      const shown = [String(error), error.message, inspect(error, { depth: 10 }), JSON.stringify(error)].join("\n")
      for (const url of urls) {
        const token = new URL(url).searchParams.get("token") ?? url
        assert.notInclude(shown, token)
      }
      assert.include(error.message, "code 1011")
    }).pipe(Effect.provide(FakeLanguageService.layerServices())))

  it.effect("ends with the error of its audio, and closes the connection", () =>
    Effect.gen(function*() {
      const closed: Array<number> = []
      const watched = Layer.effect(
        Socket.WebSocketConstructor,
        Effect.map(Socket.WebSocketConstructor, (connect) => (url: string) => {
          const socket = connect(url)
          socket.addEventListener("close", ({ code = 0 }) => closed.push(code))
          return socket
        })
      )
      const failing = Stream.concat(Stream.make(encoder.encode("Good morning.")), Stream.fail("the microphone is gone"))
      const error = yield* VoiceRealtime.translate(failing, options).pipe(
        Stream.runDrain,
        Effect.flip,
        Effect.provide(watched)
      )
      assert.strictEqual(error, "the microphone is gone")
      assert.deepStrictEqual(closed, [1000])
      const [first] = yield* VoiceRealtime.translate(Stream.concat(audio, Stream.never), options).pipe(
        Stream.take(1),
        Stream.runCollect,
        Effect.provide(watched)
      )
      assert.strictEqual(first?._tag, "SourceTranscriptUpdate")
      assert.deepStrictEqual(closed, [1000, 1000])
    }).pipe(Effect.provide(FakeLanguageService.layerServices())))

  it.effect.each(
    [
      ["messageFormat", { messageFormat: "xml" }],
      ["bytesPerSecond", { bytesPerSecond: 0 }]
    ] as const
  )("refuses an invalid %s before anything is sent", ([parameter, given]) =>
    Effect.gen(function*() {
      const fake = yield* FakeLanguageService.FakeLanguageService
      // @ts-expect-error -- a program without types
      const error = yield* Effect.flip(session(given))
      assert.strictEqual(error._tag, "InvalidInput")
      assert.include(error.message, parameter)
      assert.deepStrictEqual(yield* fake.requests(), [])
    }).pipe(Effect.provide(FakeLanguageService.layerServices())))

  it.live("works over a real WebSocket, in both formats", () =>
    Effect.gen(function*() {
      const { url } = yield* FakeLanguageService.FakeLanguageService
      const client = LanguageService.layer({ key: Redacted.make("fake-key"), baseUrl: url, tier: "paid" }).pipe(
        Layer.provide(FetchHttpClient.layer),
        Layer.merge(Socket.layerWebSocketConstructorGlobal)
      )
      for (const messageFormat of ["json", "msgpack"] as const) {
        const { media, transcripts } = yield* Effect.provide(session({ messageFormat }), client)
        assert.deepStrictEqual(textsOf(transcripts), texts)
        assert.include(media, "[de] Good morning.")
      }
      const token = yield* Effect.flip(
        Socket.makeWebSocket(`${url.replace("http", "ws")}/_voice/realtime?token=none`).pipe(
          Effect.flatMap(({ reader }) => Effect.scoped(reader)),
          Effect.provide(Socket.layerWebSocketConstructorGlobal)
        )
      )
      assert.strictEqual(token.reason._tag, "SocketOpenError")
    }).pipe(Effect.provide(NodeFakeLanguageService.layer())))
})
