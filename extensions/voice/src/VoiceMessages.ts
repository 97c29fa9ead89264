/**
 * The WebSocket messages of a realtime voice session, which `VoiceRealtime` sends and receives, with codecs for other programs, such as a proxy.
 *
 * **Details**
 *
 * On the wire, a message is an object with one field, named after the message: JSON in a text frame, with bytes in base64, or MessagePack in a binary
 * frame. An unknown name is not an error, because the service may add messages.
 *
 * **Example** (A message of the service)
 *
 * ```ts import.meta.vitest
 * import { VoiceMessages } from "@effect-lingua/voice"
 * import { Effect } from "effect"
 *
 * const { server } = await Effect.runPromise(VoiceMessages.codecs("json"))
 * const [message] = await Effect.runPromise(server.decode(`{"end_of_target_transcript":{"language":"de"}}`))
 * message // => { _tag: "EndOfTargetTranscript", language: "de" }
 * ```
 *
 * @since 0.2.0
 */
import { Fields, struct } from "@effect-lingua/core/extension/Contract"
import { defined, Failure } from "@effect-lingua/core/extension/Service"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Frames from "./internal/frames.ts"

/**
 * A part of a transcript. Times are positions in the audio, in milliseconds; only segments of the source transcript have a language.
 *
 * @category models
 * @since 0.2.0
 */
export interface Segment {
  readonly text: string
  readonly language?: string
  readonly startTime?: number
  readonly endTime?: number
}

/**
 * A message from the client: a chunk of audio, or the end of the audio.
 *
 * @category models
 * @since 0.2.0
 */
export type ClientMessage = Data.TaggedEnum<{
  SourceMediaChunk: { readonly data: Uint8Array }
  EndOfSourceMedia: {}
}>

/**
 * Constructors and guards of client messages.
 *
 * @category constructors
 * @since 0.2.0
 */
export const ClientMessage = Data.taggedEnum<ClientMessage>()

/**
 * A message from the service.
 *
 * **Details**
 *
 * - `SourceTranscriptUpdate`, `TargetTranscriptUpdate`: `concluded` segments are final and sent once; the next update replaces `tentative` segments.
 * - `TargetMediaChunk`: spoken translation. `data` is a list of indivisible packets. Only the first message of a language has `contentType`, and
 *   `headers`, the number of leading packets with initialization data. `duration` is in milliseconds.
 * - `EndOfSourceTranscript`, `EndOfTargetTranscript`, `EndOfTargetMedia`: the transcript or spoken translation is complete.
 * - `EndOfStream`: the last message.
 * - `Failure`: the session failed and cannot be resumed. `code` has the meaning of an HTTP status.
 *
 * @category models
 * @since 0.2.0
 */
export type ServerMessage = Data.TaggedEnum<{
  SourceTranscriptUpdate: { readonly concluded: ReadonlyArray<Segment>; readonly tentative: ReadonlyArray<Segment> }
  TargetTranscriptUpdate: {
    readonly language: string
    readonly concluded: ReadonlyArray<Segment>
    readonly tentative: ReadonlyArray<Segment>
  }
  TargetMediaChunk: {
    readonly language: string
    readonly data: ReadonlyArray<Uint8Array>
    readonly duration?: number
    readonly contentType?: string
    readonly headers?: number
    readonly text?: string
  }
  EndOfSourceTranscript: {}
  EndOfTargetTranscript: { readonly language: string }
  EndOfTargetMedia: { readonly language: string }
  EndOfStream: {}
  Failure: {
    readonly requestType?: string
    readonly code?: number
    readonly reasonCode?: string
    readonly description?: string
  }
}>

/**
 * Constructors and guards of server messages.
 *
 * @category constructors
 * @since 0.2.0
 */
export const ServerMessage = Data.taggedEnum<ServerMessage>()

/**
 * An encoding of messages.
 *
 * @category models
 * @since 0.2.0
 */
export type Format = "json" | "msgpack"

/**
 * A WebSocket frame: a string for JSON, bytes for MessagePack.
 *
 * @category models
 * @since 0.2.0
 */
export type Frame = Frames.Frame

const Segments = Fields.occasionalAs(
  Schema.Array(struct({
    text: Schema.String,
    language: Fields.occasional(Schema.String),
    startTime: Fields.occasional(Schema.Finite),
    endTime: Fields.occasional(Schema.Finite)
  })),
  []
)

const Nothing = Schema.optionalKey(Schema.Unknown)

const InLanguage = Schema.optionalKey(Schema.Struct({ language: Schema.String }))

const Code = Schema.Union([Fields.Reported, Schema.Finite])

const clientWire = (bytes: Schema.Codec<Uint8Array, unknown>) =>
  Schema.Struct({
    source_media_chunk: Schema.optionalKey(Schema.Struct({ data: bytes })),
    end_of_source_media: Nothing
  })

const serverWire = (bytes: Schema.Codec<Uint8Array, unknown>) =>
  Schema.Struct({
    source_transcript_update: Schema.optionalKey(struct({ concluded: Segments, tentative: Segments })),
    target_transcript_update: Schema.optionalKey(
      struct({ language: Schema.String, concluded: Segments, tentative: Segments })
    ),
    target_media_chunk: Schema.optionalKey(struct({
      language: Schema.String,
      data: Schema.Array(bytes),
      duration: Fields.occasional(Schema.Finite),
      contentType: Fields.occasional(Schema.String),
      headers: Fields.occasional(Schema.Int),
      text: Fields.occasional(Schema.String)
    })),
    end_of_source_transcript: Nothing,
    end_of_target_transcript: InLanguage,
    end_of_target_media: InLanguage,
    end_of_stream: Nothing,
    error: Schema.optionalKey(struct({
      requestType: Fields.occasional(Fields.Reported),
      errorCode: Fields.occasional(Schema.Finite),
      reasonCode: Fields.occasional(Code),
      errorMessage: Fields.occasional(Fields.Reported)
    }))
  })

type ClientWire = ReturnType<typeof clientWire>["Type"]

type ServerWire = ReturnType<typeof serverWire>["Type"]

const clientMessage = (wire: ClientWire): ReadonlyArray<ClientMessage> =>
  wire.source_media_chunk !== undefined
    ? [ClientMessage.SourceMediaChunk(wire.source_media_chunk)]
    : "end_of_source_media" in wire
    ? [ClientMessage.EndOfSourceMedia()]
    : []

const serverMessage = (wire: ServerWire): ReadonlyArray<ServerMessage> => {
  if (wire.source_transcript_update !== undefined) {
    return [ServerMessage.SourceTranscriptUpdate(wire.source_transcript_update)]
  }
  if (wire.target_transcript_update !== undefined) {
    return [ServerMessage.TargetTranscriptUpdate(wire.target_transcript_update)]
  }
  if (wire.target_media_chunk !== undefined) return [ServerMessage.TargetMediaChunk(wire.target_media_chunk)]
  if ("end_of_source_transcript" in wire) return [ServerMessage.EndOfSourceTranscript()]
  if (wire.end_of_target_transcript !== undefined) {
    return [ServerMessage.EndOfTargetTranscript(wire.end_of_target_transcript)]
  }
  if (wire.end_of_target_media !== undefined) return [ServerMessage.EndOfTargetMedia(wire.end_of_target_media)]
  if ("end_of_stream" in wire) return [ServerMessage.EndOfStream()]
  if (wire.error === undefined) return []
  const { errorCode, errorMessage, reasonCode, requestType } = wire.error
  return [ServerMessage.Failure(defined({
    requestType,
    code: errorCode,
    reasonCode: reasonCode === undefined ? undefined : String(reasonCode),
    description: errorMessage
  }))]
}

const wireOfClient = ClientMessage.$match({
  SourceMediaChunk: ({ data }): ClientWire => ({ source_media_chunk: { data } }),
  EndOfSourceMedia: () => ({ end_of_source_media: {} })
})

const wireOfServer = ServerMessage.$match({
  SourceTranscriptUpdate: (update): ServerWire => ({ source_transcript_update: Struct.omit(update, ["_tag"]) }),
  TargetTranscriptUpdate: (update) => ({ target_transcript_update: Struct.omit(update, ["_tag"]) }),
  TargetMediaChunk: (chunk) => ({ target_media_chunk: Struct.omit(chunk, ["_tag"]) }),
  EndOfSourceTranscript: () => ({ end_of_source_transcript: {} }),
  EndOfTargetTranscript: ({ language }) => ({ end_of_target_transcript: { language } }),
  EndOfTargetMedia: ({ language }) => ({ end_of_target_media: { language } }),
  EndOfStream: () => ({ end_of_stream: {} }),
  Failure: ({ code, description, reasonCode, requestType }) => ({
    error: defined({ requestType, errorCode: code, reasonCode, errorMessage: description })
  })
})

/**
 * A frame is text instead of binary or the reverse, is malformed, or contains a message of an unexpected shape.
 *
 * @category errors
 * @since 0.2.0
 */
export class UnreadableFrame
  extends Failure.messageFirst(Data.TaggedError("UnreadableFrame")<{ readonly problem: string }>)
{
  override get message(): string {
    return `A message of the session cannot be read: ${this.problem}.`
  }
}

/**
 * Converts messages of one direction to frames and back. `decode` returns one message, or an empty array for an unknown name.
 *
 * @category models
 * @since 0.2.0
 */
export interface Codec<Message> {
  readonly encode: (message: Message) => Frames.Frame
  readonly decode: (frame: Frames.Frame) => Effect.Effect<ReadonlyArray<Message>, UnreadableFrame>
}

const codec = <Message, Wire>(
  frames: Frames.Frames,
  schema: Schema.Codec<Wire, unknown>,
  messagesOf: (wire: Wire) => ReadonlyArray<Message>,
  wireOf: (message: Message) => Wire
): Codec<Message> => {
  const decode = Schema.decodeUnknownEffect(schema)
  const encode = Schema.encodeSync(schema)
  return {
    encode: (message) => frames.write(encode(wireOf(message))),
    decode: (frame) =>
      frames.read(frame).pipe(
        Effect.flatMap((wire) => Effect.mapError(decode(wire), () => "its shape is unexpected")),
        Effect.mapBoth({ onFailure: (problem) => new UnreadableFrame({ problem }), onSuccess: messagesOf })
      )
  }
}

/**
 * The codecs of client and server messages. The MessagePack codec is imported on demand.
 *
 * @category constructors
 * @since 0.2.0
 */
export const codecs = (
  format: Format
): Effect.Effect<{ readonly client: Codec<ClientMessage>; readonly server: Codec<ServerMessage> }> =>
  Effect.map(Frames.make(format), (frames) => {
    const bytes = format === "json" ? Schema.Uint8ArrayFromBase64 : Schema.Uint8Array
    return {
      client: codec<ClientMessage, ClientWire>(frames, clientWire(bytes), clientMessage, wireOfClient),
      server: codec<ServerMessage, ServerWire>(frames, serverWire(bytes), serverMessage, wireOfServer)
    }
  })
