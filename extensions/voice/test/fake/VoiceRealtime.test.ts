import * as LanguageService from "@effect-lingua/core/LanguageService"
import { FakeLanguageService, NodeFakeLanguageService, VirtualTime } from "@effect-lingua/testing"
import { Voice, VoiceRealtime } from "@effect-lingua/voice"
import * as FakeVoice from "@effect-lingua/voice/FakeVoice"
import { ClientMessage, codecs, type Format } from "@effect-lingua/voice/VoiceMessages"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Latch, Layer, Redacted, Schedule, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { Socket } from "effect/socket"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { createServer } from "node:http"
import type { Duplex } from "node:stream"
import { inspect } from "node:util"
import { scaled } from "../../../../test/support/scale.ts"
import { effect, effectWith } from "../../../../test/support/tests.ts"

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

/** The last transcripts of a session, and the number of its last reconnection. */
const session = (given: Partial<VoiceRealtime.Options> = {}, speech: Stream.Stream<Uint8Array> = audio) =>
  VoiceRealtime.translate(speech, { ...options, ...given }).pipe(
    Stream.runFold(
      () => ({ transcripts: VoiceRealtime.empty, reconnections: 0, media: "", duration: 0 }),
      ({ duration, media, reconnections, transcripts }, message) => ({
        transcripts: VoiceRealtime.fold(transcripts, message),
        reconnections: message._tag === "Reconnected" ? message.number : reconnections,
        media: message._tag === "TargetMediaChunk"
          ? media + message.data.slice(message.headers ?? 0).map((packet) => new TextDecoder().decode(packet)).join("")
          : media,
        duration: duration + (message._tag === "TargetMediaChunk" ? message.duration ?? 0 : 0)
      })
    )
  )

type Connect = typeof Socket.WebSocketConstructor.Service

/** Changes each connection as it is made. */
const connecting = (change: (socket: ReturnType<Connect>, url: string) => void) =>
  Layer.effect(
    Socket.WebSocketConstructor,
    Effect.map(Socket.WebSocketConstructor, (connect): Connect => (url, protocols) => {
      const socket = connect(url, protocols)
      change(socket, url)
      return socket
    })
  )

/** Cuts the first connection after a number of messages of one side, and counts the messages of all. */
const cutting = (side: "client" | "service", after: number, counts: { client: number; service: number }) =>
  connecting((socket) => {
    const pass = (from: "client" | "service") => {
      counts[from] += 1
      if (from === side && counts[from] === after) socket.close(1011)
    }
    const send = socket.send.bind(socket)
    socket.send = (data) => {
      send(data)
      pass("client")
    }
    // After the listeners of the client.
    socket.addEventListener("open", () => socket.addEventListener("message", () => pass("service")))
  })

/** Notes the sizes of the chunks of audio that are sent, as JSON. */
const noting = (sizes: Array<number>) =>
  connecting((socket) => {
    const send = socket.send.bind(socket)
    socket.send = (data) => {
      const { source_media_chunk: chunk } = JSON.parse(String(data))
      if (chunk !== undefined) sizes.push(Buffer.from(chunk.data, "base64").length)
      send(data)
    }
  })

/** What the service of a scripted connection does. */
interface Peer {
  readonly say: (data: string | Uint8Array) => void
  readonly close: (code: number, reason?: string) => void
}

/** Connections to a service that does what a script says as soon as one is open; `unsent` are the bytes that it did not read. */
const scripted = (
  script: (peer: Peer, url: string) => void,
  unsent?: (data: string | Uint8Array) => number,
  onClose?: () => void
) =>
  Layer.succeed(Socket.WebSocketConstructor, (url: string) => {
    const listeners: Array<readonly [type: string, listener: (event: Socket.WebSocketEvent) => void]> = []
    const emit = (type: string, event: Socket.WebSocketEvent) => {
      for (const [, listener] of listeners.filter(([known]) => known === type)) listener(event)
    }
    const socket = {
      readyState: 0,
      bufferedAmount: 0,
      addEventListener: (type: string, listener: (event: Socket.WebSocketEvent) => void) => {
        listeners.push([type, listener])
      },
      removeEventListener: (type: string, listener: (event: Socket.WebSocketEvent) => void) => {
        const index = listeners.findIndex(([known, one]) => known === type && one === listener)
        if (index !== -1) listeners.splice(index, 1)
      },
      send: (data: string | Uint8Array) => {
        socket.bufferedAmount += unsent?.(data) ?? 0
      },
      close: (code = 1000, reason = "") => {
        if (socket.readyState === 3) return
        socket.readyState = 3
        onClose?.()
        emit("close", { code, reason })
      }
    }
    queueMicrotask(() => {
      socket.readyState = 1
      emit("open", {})
      queueMicrotask(() => script({ say: (data) => emit("message", { data }), close: socket.close }, url))
    })
    return socket
  })

const tokenIn = (url: string): string => new URL(url).searchParams.get("token") ?? url

const update = (text: string, field: "concluded" | "tentative" = "concluded") =>
  JSON.stringify({ source_transcript_update: { [field]: [{ text }] } })

const realtime = <A, E>(
  effect: Effect.Effect<A, E, Voice | Socket.WebSocketConstructor>,
  side: "client" | "service" = "client",
  after = 0
) => {
  const counts = { client: 0, service: 0 }
  return Effect.map(effect, (value) => ({ ...value, counts })).pipe(
    Effect.provide(Layer.provideMerge(cutting(side, after, counts), FakeVoice.layerServices()))
  )
}

const test = effectWith(FakeVoice.layerServices())

describe("live speech", () => {
  test.each<Format>(["json", "msgpack"])("is transcribed, translated and spoken, in %s", function*(messageFormat) {
    const { duration, media, transcripts } = yield* session({ messageFormat })
    assert.deepStrictEqual(textsOf(transcripts), texts)
    assert.isTrue(transcripts.source.isComplete)
    assert.isTrue(transcripts.targets["de"]?.isComplete)
    assert.deepStrictEqual(transcripts.source.tentative, [])
    assert.strictEqual(media, "[de] Good morning.[de] How are you?[de] Fine, thanks")
    // A millisecond for each byte that was heard.
    assert.strictEqual(duration, words.join("").length)
  })

  effect("is the same whenever the connection is cut", function*() {
    // The clock of a program that has run for long.
    yield* TestClock.adjust("1 day")
    const whole = yield* realtime(session())
    for (const side of ["client", "service"] as const) {
      for (let after = 1; after <= whole.counts[side]; after += scaled(5, 1)) {
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
  })

  test("is sent at twice its speed at most, in whole samples, and read no faster than that", function*() {
    const sizes: Array<number> = []
    // 3.2 s of speech, in pieces that divide samples.
    const spoken = `${"Good ".repeat(50)}morning. `.repeat(198).slice(0, 51_200)
    const size = 6401
    let read = 0
    const speech = Stream.range(0, 7).pipe(
      Stream.map((index) => encoder.encode(spoken.slice(index * size, (index + 1) * size))),
      Stream.rechunk(1),
      Stream.tap(() => Effect.sync(() => read += 1))
    )
    const fiber = yield* session({ sourceMediaContentType: "audio/pcm;encoding=s16le;rate=8000" }, speech).pipe(
      Effect.provide(noting(sizes)),
      Effect.forkChild
    )
    yield* TestClock.adjust("500 millis")
    assert.isAtMost(sizes.reduce((sum, length) => sum + length, 0), 16_000 + 4000)
    assert.isAtMost(read, 5)
    yield* TestClock.adjust("1 second")
    assert.isUndefined(fiber.pollUnsafe())
    yield* TestClock.adjust("1 second")
    const { transcripts } = yield* Fiber.join(fiber)
    assert.strictEqual(VoiceRealtime.textOf(transcripts.source), spoken.trim())
    assert.strictEqual(sizes.reduce((sum, length) => sum + length, 0), spoken.length)
    assert.isTrue(sizes.every((length) => length % 2 === 0 && length <= 4000))
  })

  it.effect.each(["audio/ogg", "audio/flac;rate=48000", "audio/pcm;encoding=s16le"])(
    "is sent in chunks of 100,000 bytes at most if the rate of its bytes is unknown: %s",
    (sourceMediaContentType) =>
      Effect.gen(function*() {
        const sizes: Array<number> = []
        yield* session({ sourceMediaContentType }, Stream.make(encoder.encode("o".repeat(152_000)))).pipe(
          Effect.provide(noting(sizes))
        )
        assert.deepStrictEqual(sizes, [100_000, 52_000])
      }).pipe(VirtualTime.run, Effect.provide(FakeVoice.layerServices()))
  )

  test.each<[what: string, speech: Stream.Stream<Uint8Array>, rate: number | undefined, code: number]>([
    ["silence", Stream.never, undefined, 408],
    [
      "audio that comes too fast",
      Stream.range(1, 5).pipe(Stream.map(() => encoder.encode("Good ".repeat(4000)))),
      1_000_000,
      429
    ]
  ])("fails with the error of the service: %s", function*([, speech, bytesPerSecond, code]) {
    const sourceMediaContentType = "audio/pcm;encoding=s16le;rate=16000"
    const error = yield* VirtualTime.run(Effect.flip(session({ sourceMediaContentType, bytesPerSecond }, speech)))
    assert.strictEqual(error._tag, "SessionFailed")
    if (error._tag !== "SessionFailed") return
    assert.deepStrictEqual([error.code, error.isTransient, error.reconnections], [code, true, 0])
    assert.include(error.message, `code ${code}`)
  })

  test.each<[what: string, sourceMediaContentType: string, bytes: number]>([
    ["that ends within a sample", "audio/pcm;encoding=s16le;rate=16000", 3],
    ["of more than a second", "audio/pcm;encoding=s16le;rate=16000", 32_002],
    ["of more than 100 kB", "audio/webm", 100_001]
  ])("is refused with a chunk %s", function*([, sourceMediaContentType, bytes]) {
    const session = yield* Voice.use((voice) => voice.requestSession({ sourceMediaContentType }))
    const { client, server } = yield* codecs("json")
    const socket = yield* Socket.makeWebSocket(Redacted.value(Voice.webSocketUrl(session)))
    const { pull } = yield* socket.reader
    const { write } = yield* socket.writer
    yield* write(client.encode(ClientMessage.SourceMediaChunk({ data: new Uint8Array(bytes) })))
    const [frame] = yield* pull
    const [message] = yield* server.decode(frame)
    assert.deepInclude(message, { _tag: "Failure", code: 400 })
  })

  test("ends after an hour, while audio comes", function*() {
    const speech = Stream.fromEffectRepeat(Effect.delay(Effect.succeed(encoder.encode("Good. ")), "25 seconds"))
    const [time, error] = yield* Effect.flip(session({}, speech)).pipe(Effect.timed, VirtualTime.run)
    assert.deepInclude<object>(error, { _tag: "SessionFailed", code: 403, reconnections: 0 })
    assert.isAtLeast(Duration.toMinutes(time), 60)
    assert.isAtMost(Duration.toMinutes(time), 61)
  })

  test.each<[what: string, given: Partial<VoiceRealtime.Options>, connections: number]>([
    ["by default", {}, 6],
    ["if so configured", { reconnections: 3 }, 4]
  ])("fails when connections break in a row %s, without the token", function*([, given, connections]) {
    const urls: Array<string> = []
    const broken = connecting((socket, url) => {
      urls.push(url)
      socket.addEventListener("open", () => socket.close(1011, `no ${url}`))
    })
    const error = yield* VirtualTime.run(Effect.flip(session(given))).pipe(Effect.provide(broken))
    assert.strictEqual(error._tag, "SessionFailed")
    assert.strictEqual(urls.length, connections)
    assert.strictEqual(new Set(urls).size, connections)
    const shown = [String(error), error.message, inspect(error, { depth: 10 }), JSON.stringify(error)].join("\n")
    for (const url of urls) {
      const token = new URL(url).searchParams.get("token") ?? url
      assert.notInclude(shown, token)
    }
    assert.include(error.message, "code 1011 (no [redacted])")
  })

  it.effect("has transcripts in languages of any name", () =>
    Effect.sync(() => {
      for (const language of ["__proto__", "constructor"]) {
        const update = { _tag: "TargetTranscriptUpdate", language, concluded: [{ text: "a" }], tentative: [] } as const
        const { targets } = VoiceRealtime.fold(VoiceRealtime.fold(VoiceRealtime.empty, update), update)
        assert.strictEqual(VoiceRealtime.textOf(targets[language]), "a a")
      }
    }))

  test("fails without a token of the session or the key, whatever the service says", function*() {
    const hidden = ["fake-key"]
    const echoing = (last: (peer: Peer, secrets: string) => void) => {
      const secrets = ["fake-key"]
      return scripted((peer, url) => {
        secrets.push(url, tokenIn(url))
        hidden.push(tokenIn(url))
        if (secrets.length === 3) peer.close(1011)
        else last(peer, secrets.join(" or "))
      })
    }
    const errors = yield* Effect.forEach(
      [
        (peer: Peer, secrets: string) =>
          peer.say(JSON.stringify({
            error: { error_code: 400, error_message: `not ${secrets}`, reason_code: secrets, request_type: secrets }
          })),
        (peer: Peer, secrets: string) => peer.close(1011, secrets),
        // The reason of a close has 123 bytes at most.
        (peer: Peer, secrets: string) =>
          peer.close(1011, `${"x".repeat(80)} ${secrets.slice(secrets.lastIndexOf(" ") + 1)}`.slice(0, 123)),
        (peer: Peer, secrets: string) =>
          peer.close(1011, `${"é".repeat(48)} ${secrets.slice(secrets.lastIndexOf(" ") + 1).slice(0, 26)}`),
        // An error shows 300 characters.
        (peer: Peer, secrets: string) => {
          const long = `${"x".repeat(250)} ${secrets.slice(secrets.lastIndexOf(" ") + 1)}`
          peer.say(JSON.stringify({ error: { error_message: long, reason_code: long, request_type: long } }))
        }
      ],
      (last) =>
        VirtualTime.run(Effect.flip(session({ reconnections: 1 }, Stream.never))).pipe(Effect.provide(echoing(last)))
    )
    assert.deepStrictEqual(errors.map(({ _tag }) => _tag), Array.from({ length: 5 }, () => "SessionFailed"))
    const shown = errors.map((error) => `${error.message}\n${inspect(error, { depth: 10 })}${JSON.stringify(error)}`)
      .join("\n")
    assert.strictEqual(hidden.length, 11)
    for (const secret of hidden) assert.notInclude(shown, secret.slice(0, 20))
    assert.include(shown, "not [redacted] or")
  })

  test("fails without a signature of the address", function*() {
    const fake = yield* FakeLanguageService
    const signature = "signature-0123456789"
    const body = JSON.stringify({ streaming_url: `wss://fake.test/voice?signature=${signature}`, token: "token" })
    yield* fake.script({ operation: "Voice.requestSession", fault: { status: 200, body } })
    const echoing = scripted((peer) =>
      peer.say(JSON.stringify({ error: { error_code: 400, error_message: `not ${signature}` } }))
    )
    const error = yield* Effect.flip(session({}, Stream.never)).pipe(Effect.provide(echoing))
    assert.include(error.message, "not [redacted]")
  })

  test.each<[what: string, said: (number: number) => ReadonlyArray<string>, most: number]>([
    ["the same transcript each time", () => [update("Good morning.")], 7],
    ["only what it does not know", () => [`{"news":{}}`, update("", "tentative")], 7],
    ["a new transcript each time", (number) => [update(`Sentence ${number}.`)], 100]
  ])("is not connected without end to a service that resets and says %s", function*([, said, most]) {
    let connections = 0
    const resetting = scripted((peer) => {
      connections += 1
      for (const message of said(connections)) peer.say(message)
      peer.close(1011)
    })
    const fiber = yield* Effect.forkChild(Effect.flip(session({}, Stream.never)).pipe(Effect.provide(resetting)))
    yield* TestClock.adjust("5 minutes")
    assert.isAtMost(connections, most)
    // The service ends a session after an hour, so no connection is replaced after that.
    yield* TestClock.adjust("1 hour")
    const error = yield* Fiber.join(fiber)
    assert.strictEqual(error._tag, "SessionFailed")
  })

  test("lasts as long as its connections last half a minute, also without a word", function*() {
    const peers: Array<Peer> = []
    yield* Effect.forkChild(
      session({ reconnections: 1 }, Stream.never).pipe(Effect.provide(scripted((peer) => peers.push(peer))))
    )
    for (let number = 1; number <= 10; number++) {
      yield* TestClock.adjust("30 seconds")
      peers.at(-1)?.close(1011)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(peers.length, number + 1)
    }
  })

  test("waits for the service to read, and reads no more audio than that", function*() {
    let read = 0
    let buffered = 0
    let connections = 0
    const deaf = scripted(() => connections += 1, (data) => {
      buffered += data.length
      return data.length
    })
    const speech = Stream.fromEffectRepeat(Effect.sync(() => {
      read += 50_000
      return new Uint8Array(50_000)
    }))
    const error = yield* Effect.flip(session({ reconnections: 1 }, Stream.take(speech, 1000))).pipe(
      VirtualTime.run,
      Effect.provide(deaf)
    )
    assert.isAtMost(buffered, 1_000_000)
    assert.isAtMost(read, 1_000_000)
    assert.strictEqual(error._tag, "SessionFailed")
    assert.include(error.message, "did not read")
    assert.strictEqual(connections, 2)
  })

  test.each<[what: string, unsent: number, sent: number]>([
    ["256 KiB", 128 * 1024, 3],
    ["a byte more", 128 * 1024 + 1, 2]
  ])("sends audio by what is in the buffer of the WebSocket: %s", function*([, unsent, sent]) {
    let count = 0
    const deaf = scripted(() => {}, () => {
      count += 1
      return unsent
    })
    const speech = Stream.fromEffectRepeat(Effect.sync(() => new Uint8Array(1000)))
    const fiber = yield* Effect.forkChild(
      Effect.flip(session({ reconnections: 0 }, speech)).pipe(Effect.provide(deaf))
    )
    yield* TestClock.adjust("29 seconds")
    assert.strictEqual(count, sent)
    assert.isUndefined(fiber.pollUnsafe())
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual(count, sent)
    assert.strictEqual((yield* Fiber.join(fiber))._tag, "SessionFailed")
  })

  it.effect("sends 8 MiB without a message of the service, and reads no more, where a WebSocket does not count what it has not sent", () =>
    Effect.gen(function*() {
      let [read, sent] = [0, 0]
      const peers: Array<Peer> = []
      const deaf = connecting((socket) => {
        Reflect.deleteProperty(socket, "bufferedAmount")
        socket.send = (data) => {
          sent += data.length
        }
      }).pipe(Layer.provide(scripted((peer) => peers.push(peer))))
      const speech = Stream.fromEffectRepeat(Effect.sync(() => {
        read += 100_000
        // Without a bound the test ends, too.
        return new Uint8Array(read > 100_000_000 ? 0 : 100_000)
      })).pipe(Stream.takeWhile(({ length }) => length > 0))
      const fiber = yield* Effect.forkChild(
        Effect.flip(session({ reconnections: 0 }, speech)).pipe(Effect.provide(deaf))
      )
      const most = 8 * 1024 * 1024 + 512 * 1024
      yield* TestClock.adjust("29 seconds")
      assert.isAbove(sent, 8 * 1024 * 1024)
      assert.isAtMost(sent, most)
      assert.isAtMost(read, most)
      peers[0]?.say(update("a"))
      yield* TestClock.adjust("29 seconds")
      assert.isAbove(sent, most)
      assert.isAtMost(sent, 2 * most)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      assert.include((yield* Fiber.join(fiber)).message, "did not read")
    }).pipe(Effect.provide(FakeVoice.layerServices())))

  test("fails after 2 minutes without progress, however many connections it may replace", function*() {
    const resetting = scripted(({ close }) => close(1011))
    const [time, error] = yield* Effect.flip(session({ reconnections: 1000 }, Stream.never)).pipe(
      Effect.timed,
      VirtualTime.run,
      Effect.provide(resetting)
    )
    assert.strictEqual(error._tag, "SessionFailed")
    // Up to the longest wait for another connection later.
    assert.isAbove(Duration.toSeconds(time), 120)
    assert.isAtMost(Duration.toSeconds(time), 130)
  })

  test("fails a little after an hour if the service neither says anything nor ends the session", function*() {
    let connections = 0
    const [time, error] = yield* Effect.flip(session({}, Stream.never)).pipe(
      Effect.timeout("2 hours"),
      Effect.timed,
      VirtualTime.run,
      Effect.provide(scripted(() => connections += 1))
    )
    assert.strictEqual(error._tag, "SessionFailed")
    assert.isAtMost(Duration.toMinutes(time), 61)
    assert.strictEqual(connections, 1)
  })

  test.each<[what: string, more: number, connections: number]>([
    ["8 MiB of messages are", 0, 1],
    ["a byte more is not", 1, 2]
  ])("for a slow reader of a WebSocket without pause %s kept", function*([, more, connections]) {
    const end = JSON.stringify({ end_of_stream: {} })
    const peers: Array<Peer> = []
    let read = 0
    const reading = yield* Latch.make()
    const fiber = yield* VoiceRealtime.translate(Stream.never, options).pipe(
      Stream.runForEach((message) => {
        read += message._tag === "SourceTranscriptUpdate" ? 1 : 0
        if (read === 108) peers[0]?.say(end)
        return reading.await
      }),
      Effect.provide(scripted((peer) => {
        if (peers.push(peer) === 2) peer.say(end)
      })),
      Effect.forkChild
    )
    yield* TestClock.adjust("1 second")
    // More messages than the stream holds, so that the WebSocket is not read from now on.
    for (let number = 0; number < 100; number++) peers[0]?.say(update(String(number)))
    yield* TestClock.adjust("1 second")
    const size = 1024 * 1024 - update("").length
    const [full, last] = [update("a".repeat(size)), update("a".repeat(size + more))]
    for (let number = 0; number < 8; number++) peers[0]?.say(number === 7 ? last : full)
    yield* reading.open
    yield* VirtualTime.run(Fiber.join(fiber))
    assert.strictEqual(peers.length, connections)
  })

  test("waits for a slow reader after the end of the audio, and loses no message", function*() {
    const said = Array.from({ length: 60 }, (_, number) => `Sentence ${number}.`)
    let connections = 0
    const talkative = scripted((peer) => {
      connections += 1
      for (const text of said) peer.say(update(text))
      peer.say(JSON.stringify({ end_of_stream: {} }))
    })
    const read: Array<string> = []
    yield* VoiceRealtime.translate(audio, options).pipe(
      Stream.runForEach((message) => {
        if (message._tag === "SourceTranscriptUpdate") read.push(...message.concluded.map(({ text }) => text))
        return Effect.sleep("3 seconds")
      }),
      VirtualTime.run,
      Effect.provide(talkative)
    )
    assert.strictEqual(connections, 1)
    assert.deepStrictEqual(read, said)
  })

  test("sends no audio to a closed connection, also while nobody reads the messages", function*() {
    const sent: Array<string> = []
    let connections = 0
    const closing = scripted(
      (peer) => {
        connections += 1
        if (connections > 1) return peer.say(JSON.stringify({ end_of_stream: {} }))
        for (let number = 0; number < 100; number++) peer.say(update(String(number)))
        peer.close(1011)
      },
      (data) => {
        sent.push(String(data))
        return 0
      }
    )
    const reading = yield* Latch.make()
    const speech = Stream.fromEffectSchedule(Effect.succeed(encoder.encode("a")), Schedule.spaced("1 second"))
    const fiber = yield* VoiceRealtime.translate(speech, options).pipe(
      Stream.runForEach(() => reading.await),
      Effect.provide(closing),
      Effect.forkChild
    )
    yield* TestClock.adjust("20 seconds")
    assert.isAtMost(sent.length, 1)
    yield* reading.open
    yield* VirtualTime.run(Fiber.join(fiber))
    assert.strictEqual(connections, 2)
  })

  test("closes a connection whose messages exceed what is kept for a reader that does not read", function*() {
    const long = update("a".repeat(1024 * 1024))
    let said = 0
    let closedAfter = Number.POSITIVE_INFINITY
    const flooding = scripted(
      (peer) => {
        for (; said < 40 && closedAfter > said; said++) peer.say(long)
      },
      undefined,
      () => closedAfter = said
    )
    const fiber = yield* VoiceRealtime.translate(Stream.never, options).pipe(
      Stream.runForEach(() => Effect.never),
      Effect.provide(flooding),
      Effect.forkChild
    )
    yield* TestClock.adjust("1 second")
    assert.isAtMost(closedAfter, 30)
    yield* Fiber.interrupt(fiber)
  })

  test("ends with the error of its audio, and closes the connection", function*() {
    const closed: Array<number> = []
    const watched = connecting((socket) => socket.addEventListener("close", ({ code = 0 }) => closed.push(code)))
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
  })

  test.each(
    [["messageFormat", { messageFormat: "xml" }], ["bytesPerSecond", { bytesPerSecond: 0 }]] as const
  )("refuses an invalid %s before anything is sent", function*([parameter, given]) {
    const fake = yield* FakeLanguageService
    // @ts-expect-error -- a program without types
    const error = yield* Effect.flip(session(given))
    assert.strictEqual(error._tag, "InvalidInput")
    assert.include(error.message, parameter)
    assert.deepStrictEqual(yield* fake.requests, [])
  })

  it.live("sends no more than a real WebSocket takes from a service that does not read", () =>
    Effect.gen(function*() {
      const counts = { read: 0 }
      const server = createServer()
      const sockets = new Set<Duplex>()
      server.on("upgrade", (request, socket) => {
        sockets.add(socket)
        const accept = createHash("sha1")
          .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64")
        socket.write(
          "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
            `Sec-WebSocket-Accept: ${accept}\r\n\r\n`
        )
        socket.pause()
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => {
          server.listen(0, "127.0.0.1", () => resume(Effect.void))
        }),
        () =>
          Effect.sync(() => {
            for (const socket of sockets) socket.destroy()
            server.close()
          })
      )
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const opened: Array<WebSocket> = []
      const constructor = Layer.succeed(Socket.WebSocketConstructor, () => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}`)
        opened.push(socket)
        return socket
      })
      const speech = Stream.fromEffectRepeat(Effect.sync(() => {
        counts.read += 100_000
        return new Uint8Array(100_000)
      }))
      const fiber = yield* session({}, speech).pipe(Effect.provide(constructor), Effect.forkChild)
      // The kernel takes some megabytes. Then nothing is read any more, however long it takes.
      let before = -1
      while (counts.read === 0 || before !== counts.read) {
        before = counts.read
        if (before > 100_000_000) break
        yield* Effect.sleep("100 millis")
      }
      assert.isAtMost(counts.read, 50_000_000)
      assert.isAtMost(opened[0]?.bufferedAmount ?? 0, 1_000_000)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.scoped, Effect.provide(FakeVoice.layerServices())))

  it.live("works over a real WebSocket, in both formats", () =>
    Effect.gen(function*() {
      const { url } = yield* FakeLanguageService
      const client = Voice.layer.pipe(
        Layer.provide(LanguageService.layer({ key: Redacted.make("fake-key"), baseUrl: url, tier: "paid" })),
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
    }).pipe(Effect.provide(NodeFakeLanguageService.layer({ resources: FakeVoice.resources }))))
})
