/**
 * Realtime sessions over a WebSocket. The fake decodes audio bytes as UTF-8 text, which it transcribes; text after the last complete sentence is
 * tentative.
 */
import { failure, type Fake, rootOf, translator } from "@effect-lingua/testing/extension/Resource"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Socket from "effect/socket/Socket"
import * as Struct from "effect/Struct"
import { codecs, type Format, type Segment, ServerMessage } from "../../VoiceMessages.ts"
import * as Stored from "./stored.ts"

const path = "/_voice/realtime"

export const isAt = (url: string): boolean => url === path || url.startsWith(`${path}?`)

/** Lifetime of an unused token. */
const tokenMillis = Duration.toMillis("1 minute")
const sessionMillis = Duration.toMillis("1 hour")
const idleMillis = Duration.toMillis("30 seconds")
const maxChunkBytes = 100_000

const encoder = new TextEncoder()

/** Creates a token for one connection of a session. */
export const tokenOf = (fake: Fake, id: string, now: number): string => {
  const token = fake.store.ids.hex(64)
  Stored.voiceTokens(fake).set(token, { session: id, expires: now + tokenMillis, isUsed: false })
  return token
}

/** Finds a token's session, unless the session has ended or the token expired unused. */
export const sessionOf = (
  fake: Fake,
  token: string,
  now: number
): { readonly id: string; readonly session: Stored.StoredVoiceSession; readonly isUsed: boolean } | undefined => {
  const known = Stored.voiceTokens(fake).get(token)
  const session = known && Stored.voiceSessions(fake).get(known.session)
  if (known === undefined || session === undefined || now >= session.created + sessionMillis) return undefined
  return known.isUsed || now < known.expires ? { id: known.session, session, isUsed: known.isUsed } : undefined
}

/** `sample`: bytes per sample. `rate`: bytes per second, if the media type has the sample rate. */
const rateOf = (contentType: string): { readonly sample: number; readonly rate: number | undefined } => {
  const [, encoding, rate] = /^audio\/pcm;\s*encoding=(s16le|ulaw|alaw);\s*rate=(\d+)$/i.exec(contentType) ?? []
  const sample = encoding?.toLowerCase() === "s16le" ? 2 : 1
  return { sample, rate: rate === undefined ? undefined : Number(rate) * sample }
}

const refusal = (code: number, description: string) =>
  ServerMessage.Failure({ requestType: "source_media_chunk", code, reasonCode: String(code), description })

/** Returns a function that translates a session's sentences. */
const translationOf = (
  fake: Fake,
  { account, glossaryId, sourceLanguage }: Stored.StoredVoiceSession,
  target: string
) =>
  translator(fake, account, {
    targetLanguage: target,
    sourceLanguage,
    ...(glossaryId === undefined ? undefined : { glossaryId })
  })

/** Transcribes and translates the pending text. At the end of the audio, an incomplete sentence is concluded too. */
const hear = (fake: Fake, session: Stored.StoredVoiceSession, isEnd: boolean): ReadonlyArray<ServerMessage> => {
  const { mediaTargets, sourceLanguage, spoken, targets } = session
  const millisOf = (characters: number) => Math.round(characters * 1000 / (session.rate ?? 1000))
  const take = (text: string): Segment => {
    const from = session.position
    session.position += text.length
    return {
      text: text.trim(),
      language: rootOf(sourceLanguage),
      startTime: millisOf(from),
      endTime: millisOf(session.position)
    }
  }
  const sentences = session.pending.split(/(?<=[.!?])(?=[^.!?])/)
  session.pending = isEnd || /[.!?]$/.test(session.pending) ? "" : sentences.pop() ?? ""
  const concluded = sentences.map(take).filter(({ text }) => text !== "")
  const position = session.position
  const tentative = session.pending.trim() === "" ? [] : [take(session.pending)]
  session.position = position
  if (concluded.length === 0 && tentative.length === 0) return []
  return [
    ServerMessage.SourceTranscriptUpdate({ concluded, tentative }),
    ...targets.map((language) => {
      const translate = translationOf(fake, session, language)
      const inTarget = (segment: Segment): Segment => ({
        ...Struct.omit(segment, ["language"]),
        text: translate(segment.text)
      })
      return ServerMessage.TargetTranscriptUpdate({
        language,
        concluded: concluded.map(inTarget),
        tentative: tentative.map(inTarget)
      })
    }),
    ...mediaTargets.flatMap((language) =>
      concluded.map(({ endTime = 0, startTime = 0, text }) => {
        const isFirst = !spoken.has(language)
        spoken.add(language)
        const translation = translationOf(fake, session, language)(text)
        return ServerMessage.TargetMediaChunk({
          language,
          data: [...(isFirst ? [encoder.encode("header")] : []), encoder.encode(translation)],
          duration: endTime - startTime,
          text: translation,
          ...(isFirst ? { contentType: session.mediaType, headers: 1 } : undefined)
        })
      })
    )
  ]
}

const endOf = ({ mediaTargets, targets }: Stored.StoredVoiceSession): ReadonlyArray<ServerMessage> => [
  ServerMessage.EndOfSourceTranscript(),
  ...targets.map((language) => ServerMessage.EndOfTargetTranscript({ language })),
  ...mediaTargets.map((language) => ServerMessage.EndOfTargetMedia({ language })),
  ServerMessage.EndOfStream()
]

const serve = Effect.fnUntraced(
  function*(fake: Fake, token: string, socket: Socket.Socket) {
    const known = sessionOf(fake, token, yield* Clock.currentTimeMillis)
    if (known === undefined) return
    const { id, session } = known
    Stored.voiceTokens(fake).set(token, { session: id, expires: 0, isUsed: true })
    const { client, server } = yield* codecs(session.format)
    const { write } = yield* socket.writer
    const { pull } = yield* socket.reader
    /** Sends messages; after a broken connection, the next connection sends the rest. */
    const send = Effect.fnUntraced(function*(messages: ReadonlyArray<ServerMessage>) {
      session.unsent.push(...messages)
      for (let next = session.unsent[0]; next !== undefined; next = session.unsent[0]) {
        yield* write(server.encode(next))
        session.unsent.shift()
      }
    })
    const end = Effect.fnUntraced(function*(messages: ReadonlyArray<ServerMessage>) {
      session.isOver = true
      yield* send(messages)
      Stored.voiceSessions(fake).delete(id)
      yield* write(new Socket.CloseEvent(1000))
    })
    if (session.isOver) return yield* end([])
    yield* send([])
    while (true) {
      const frames = yield* Effect.timeoutOption(pull, idleMillis)
      const now = yield* Clock.currentTimeMillis
      if (Option.isNone(frames)) return yield* end([refusal(408, "No audio arrived for 30 seconds")])
      if (now >= session.created + sessionMillis) return yield* end([refusal(403, "The session is over after an hour")])
      for (const frame of frames.value) {
        const read = yield* Effect.result(client.decode(frame))
        if (read._tag === "Failure") return yield* end([refusal(400, read.failure.problem)])
        for (const message of read.success) {
          if (message._tag === "EndOfSourceMedia") return yield* end([...hear(fake, session, true), ...endOf(session)])
          const { length } = message.data
          session.started ??= now
          session.bytes += length
          const seconds = session.rate === undefined ? 0 : length / session.rate
          if (length > maxChunkBytes || seconds > 1) return yield* end([refusal(400, "The chunk is too large")])
          if (length % session.sample !== 0) return yield* end([refusal(400, "The chunk ends within a sample")])
          // One second of tolerance for network jitter.
          const heardSeconds = session.rate === undefined ? 0 : session.bytes / session.rate
          if (heardSeconds > 2 * (now - session.started) / 1000 + 1) {
            return yield* end([refusal(429, "The audio arrives at more than twice the speed of speech")])
          }
          session.pending += session.decoder.decode(message.data, { stream: true })
          yield* send(hear(fake, session, false))
        }
      }
    }
  },
  Effect.scoped,
  Effect.catchIf(Socket.isSocketError, () => Effect.void)
)

/** Serves a connection with an unused token; undefined for other URLs. */
export const connect = (fake: Fake, url: string, now: number) => {
  const token = new URL(url, fake.origin).searchParams.get("token") ?? ""
  return isAt(url) && sessionOf(fake, token, now)?.isUsed === false
    ? (socket: Socket.Socket) => serve(fake, token, socket)
    : undefined
}

export const answer = Effect.fnUntraced(function*(fake: Fake, url: string) {
  const serveConnection = connect(fake, url, yield* Clock.currentTimeMillis)
  if (serveConnection === undefined) return failure(401, "The token is not valid")
  const { upgrade } = yield* HttpServerRequest.HttpServerRequest
  yield* serveConnection(yield* upgrade)
  return HttpServerResponse.empty()
})

export const begin = (
  options:
    & Pick<
      Stored.StoredVoiceSession,
      "account" | "created" | "glossaryId" | "mediaTargets" | "mediaType" | "sourceLanguage" | "targets"
    >
    & { readonly contentType: string; readonly format: Format }
): Stored.StoredVoiceSession => {
  const { contentType, ...session } = options
  return {
    ...session,
    ...rateOf(contentType),
    decoder: new TextDecoder(),
    spoken: new Set(),
    started: undefined,
    unsent: [],
    isOver: false,
    bytes: 0,
    pending: "",
    position: 0
  }
}
