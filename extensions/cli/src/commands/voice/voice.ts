/** `voice`. */
import * as Limits from "@effect-lingua/core/contract/Limits"
import { VoiceJobId } from "@effect-lingua/voice/VoiceApi"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { call } from "../../client/client.ts"
import * as Sample from "../../client/sample.ts"
import * as Output from "../../files/output.ts"
import * as Place from "../../files/place.ts"
import { misuse } from "../../settings/errors.ts"
import * as Flags from "../../settings/flags.ts"
import { group, withResults } from "../command.ts"
import { continued } from "../work.ts"
import { terms } from "./terms.ts"

/** The command that continues a job. */
const resumption = (jobId: string) => `voice resume ${jobId}`

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

/** True for the media types of text. */
const isText = (type: string): boolean => /^text\/|^application\/x-subrip$/i.test(type)

const textOf = <E>(bytes: Stream.Stream<Uint8Array, E>) => Stream.mkString(Stream.decodeText(bytes))

const typeOf = Effect.fnUntraced(function*(file: string, given: string | undefined) {
  const type = given ?? mediaTypes[(yield* Path.Path).extname(file).toLowerCase()]
  return type ??
    (yield* misuse(`the extension of ${file} is unknown: give its media type with --content-type, such as audio/mpeg`))
})

const sourceLanguage = Flags.optional(Flags.sourceLanguage, "The language that is spoken; detected by default")

const translate = withResults("voice translate", {
  description: "Translate a file of speech into text or subtitles (alpha)",
  examples: {
    "--fake -t de talk.mp3": "As text",
    "--fake -t de --type application/x-subrip talk.mp3 --output talk.srt": "As subtitles"
  },
  params: {
    file: Flags.argument("file", "A file of speech, of 1 GiB at most"),
    target: Flags.targetLanguage.pipe(
      Flag.withDescription(`The language to translate to, ${Flags.known(["de", "en-US", "fr"])}`)
    ),
    sourceLanguage,
    type: Flags.required(
      "type",
      "type",
      "The media type of the result: text/plain, or application/x-subrip for subtitles"
    )
      .pipe(Flag.withDefault("text/plain")),
    contentType: Flags.text("content-type", "type", "The media type of the file; by default that of its extension")
  },
  run: Effect.fnUntraced(function*({ file, sourceLanguage, target, type, ...input }) {
    if (!isText(type)) {
      return yield* misuse(`--type ${type} is not text, and this command prints only text`)
    }
    yield* Place.checkSources([file])
    const contentType = yield* typeOf(file, input.contentType)
    const translation = yield* call(Effect.fnUntraced(function*({ NodeFile, Voice: { Voice } }) {
      const voice = yield* Voice
      const content = yield* NodeFile.content(file)
      const targets = [{ language: target, type }]
      const translated = Effect.gen(function*() {
        const { jobId } = yield* voice.translate({ ...content, contentType, targets, sourceLanguage })
        return { jobId, text: yield* textOf(voice.download({ jobId, targetIndex: 0 })) }
      })
      return yield* continued(file, translated, resumption)
    }))
    return Output.texts([translation], ({ text }) => text)
  })
})

const resume = withResults("voice resume", {
  description:
    "Wait for the translation of a file of speech that was started before, and print the text of each target (alpha)",
  examples: {
    [`--fake ${Sample.voiceJobId}`]: "All of its texts",
    [`--fake -t de ${Sample.voiceJobId} --output talk.txt --overwrite`]: "One of them, as a file"
  },
  params: {
    jobId: Flags.idArgument("job-id", VoiceJobId, "The id of the job, as printed when it starts"),
    target: Flags.optional(Flags.targetLanguage, "Only the texts in this language")
  },
  run: ({ jobId, target }) =>
    call(Effect.fnUntraced(function*({ Voice: { Voice } }) {
      const voice = yield* Voice
      const texts = Effect.gen(function*() {
        const { results, targets } = yield* voice.wait({ jobId })
        const all = results.map((_, targetIndex) => {
          const { language, type = "text/plain" } = targets[targetIndex] ?? {}
          return { targetIndex, language, type }
        })
        const wanted = all.filter(({ language, type }) => isText(type) && (target === undefined || language === target))
        return yield* Effect.forEach(wanted, ({ targetIndex, ...about }) =>
          Effect.map(textOf(voice.download({ jobId, targetIndex })), (text) => ({ jobId, ...about, text })))
      })
      const found = yield* continued(jobId, texts, resumption)
      return found.length === 0
        ? yield* misuse(`the job has no text${target === undefined ? "" : ` in ${target}`}`)
        : Output.texts(found, ({ text }) =>
          text)
    }))
})

const session = withResults("voice session", {
  description: "Request a realtime session and print its WebSocket address, which is valid once and for a short time",
  examples: { "--fake --content-type audio/webm -t de,fr": "Two languages" },
  params: {
    targetLanguages: Flags.targetLanguages(`A language to translate to; ${Limits.defaults.voiceTargets} at most`),
    sourceLanguage,
    sourceMediaContentType: Flags.required("content-type", "type", "The media type of the speech, such as audio/webm"),
    messageFormat: Flags.text("message-format", "format", `The format of messages, ${Flags.known(["json", "msgpack"])}`)
  },
  run: (input) =>
    call(({ Voice: { Voice, webSocketUrl } }) =>
      Effect.map(
        Voice.use((voice) => voice.requestSession(input)),
        (session) =>
          Output.texts([{ url: Redacted.value(webSocketUrl(session)), sessionId: session.sessionId }], ({ url }) => url)
      )
    )
})

/** Translates speech. */
export const voice = group("voice", [translate, resume, session, terms])
