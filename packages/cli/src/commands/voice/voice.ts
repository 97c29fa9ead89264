/** `voice`. */
import * as Progress from "@effect-lingua/core/jobs/Progress"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { call } from "../../client/client.ts"
import * as Output from "../../files/output.ts"
import { InvalidUsage } from "../../settings/errors.ts"
import { known, text, texts } from "../../settings/flags.ts"
import { shown } from "../work.ts"

/** The media types of files of speech, by their extension. */
const mediaTypes: Readonly<Record<string, string>> = {
  ".flac": "audio/flac",
  ".m4a": "audio/mp4",
  ".mp3": "audio/mpeg",
  ".mp4": "audio/mp4",
  ".ogg": "audio/ogg",
  ".wav": "audio/wav",
  ".webm": "audio/webm"
}

/** Results that are text. */
const isText = (type: string): boolean => /^text\/|^application\/x-subrip$/i.test(type)

const typeOf = Effect.fnUntraced(function*(file: string, given: string | undefined) {
  const type = given ?? mediaTypes[(yield* Path.Path).extname(file).toLowerCase()]
  return type ?? (yield* new InvalidUsage({
    message: `the name of ${file} does not tell what it is: give its media type with --content-type, such as audio/mpeg`
  }))
})

const translate = Command.make(
  "translate",
  {
    file: Argument.String("file").pipe(Argument.withDescription("A file of speech, of 1 GiB at most")),
    target: Flag.String("target-language").pipe(
      Flag.withAlias("t"),
      Flag.withMetavar("language"),
      Flag.withDescription(`The language to translate to, ${known(["de", "en-US", "fr"])}`)
    ),
    source: text("source-language", "language", "The language that is spoken; found out by default"),
    type: Flag.String("type").pipe(
      Flag.withMetavar("type"),
      Flag.withDescription("What it becomes: text/plain, or application/x-subrip for subtitles"),
      Flag.withDefault("text/plain")
    ),
    contentType: text("content-type", "type", "What the file is, such as audio/mpeg; told by its name by default"),
    ...Output.flags
  },
  Effect.fnUntraced(function*(input) {
    const { file, source, target, type } = input
    if (!isText(type)) {
      return yield* new InvalidUsage({ message: `--type ${type} is no text, and this command gives only texts` })
    }
    const contentType = yield* typeOf(file, input.contentType)
    yield* Output.deliver(
      input,
      call(({ NodeFile, Voice: { Voice } }) =>
        Effect.gen(function*() {
          const voice = yield* Voice
          const content = yield* NodeFile.content(file)
          const translated = Effect.gen(function*() {
            const { jobId } = yield* voice.translate({
              ...content,
              contentType,
              targets: [{ language: target, type }],
              sourceLanguage: source
            })
            const text = yield* Stream.mkString(Stream.decodeText(voice.download({ jobId, targetIndex: 0 })))
            return { jobId, text }
          })
          const translation = yield* shown(file, Progress.stream(translated))
          const results: Output.Results = {
            json: [translation],
            human: ({ clean }) => translation.text.split("\n").map(clean).join("\n")
          }
          return results
        })
      )
    )
  })
).pipe(
  Command.withDescription("Translate a file of speech into text or subtitles (alpha)"),
  Command.withExamples([
    { command: "effect-lingua voice translate --fake -t de talk.mp3", description: "As text" },
    {
      command: "effect-lingua voice translate --fake -t de --type application/x-subrip talk.mp3 --output talk.srt",
      description: "As subtitles"
    }
  ])
)

const session = Command.make(
  "session",
  {
    targets: texts("target-language", "language", "A language to translate to; 5 at most").pipe(Flag.withAlias("t")),
    source: text("source-language", "language", "The language that is spoken; found out by default"),
    contentType: Flag.String("content-type").pipe(
      Flag.withMetavar("type"),
      Flag.withDescription("What will be sent, such as audio/webm")
    ),
    messageFormat: text("message-format", "format", `How messages are written, ${known(["json", "msgpack"])}`),
    ...Output.flags
  },
  Effect.fnUntraced(function*({ contentType, messageFormat, source, targets, ...target }) {
    yield* Output.deliver(
      target,
      call(({ Voice: { Voice, webSocketUrl } }) =>
        Effect.map(
          Voice.use((voice) =>
            voice.requestSession({
              sourceMediaContentType: contentType,
              targetLanguages: targets,
              sourceLanguage: source,
              messageFormat
            })
          ),
          (session): Output.Results => {
            const url = Redacted.value(webSocketUrl(session))
            return { json: [{ url, sessionId: session.sessionId }], human: ({ clean }) => clean(url) }
          }
        )
      )
    )
  })
).pipe(
  Command.withDescription(
    "Ask for a realtime session, and print the address for a WebSocket: whoever has it can use it, once and soon"
  ),
  Command.withExamples([
    {
      command: "effect-lingua voice session --fake --content-type audio/webm -t de -t fr",
      description: "Two languages"
    }
  ])
)

/** Translates speech. */
export const voice = Command.make("voice").pipe(
  Command.withDescription("Translate speech: files of it (alpha), and as it is spoken"),
  Command.withSubcommands([translate, session])
)
