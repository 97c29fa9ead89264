/** Command group `voice`: translation of speech, and collections of spoken terms. */
import * as Limits from "@effect-lingua/core/contract/Limits"
import * as NodeFile from "@effect-lingua/node/files/NodeFile"
import { SpokenTerms, type TermListOptions } from "@effect-lingua/voice/SpokenTerms"
import { type SpokenTermsCollection, SpokenTermsId, type TermList } from "@effect-lingua/voice/SpokenTermsApi"
import { Voice } from "@effect-lingua/voice/Voice"
import { VoiceJobId } from "@effect-lingua/voice/VoiceApi"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { calling } from "../../client/client.ts"
import * as Sample from "../../client/sample.ts"
import { fileText } from "../../files/input.ts"
import * as Output from "../../files/output.ts"
import * as Place from "../../files/place.ts"
import type { Columns } from "../../screen/table.ts"
import { misuse } from "../../settings/errors.ts"
import * as Flags from "../../settings/flags.ts"
import { argument, idArgument, required } from "../../settings/flags.ts"
import { command, commandsOf, group } from "../command.ts"
import { continued } from "../work.ts"

const resource = { layer: Layer.merge(Voice.layer, SpokenTerms.layer), fake: () => import("./fake.ts") }
const call = calling(resource)

const resumption = (jobId: string) => `voice resume ${jobId}`

const mediaTypes: Readonly<Record<string, string>> = {
  ".flac": "audio/flac",
  ".m4a": "audio/mp4",
  ".mp3": "audio/mpeg",
  ".mp4": "audio/mp4",
  ".ogg": "audio/ogg",
  ".wav": "audio/wav",
  ".webm": "audio/webm"
}

const isText = (type: string): boolean => /^text\/|^application\/x-subrip$/i.test(type)

const textOf = <E>(bytes: Stream.Stream<Uint8Array, E>) => Stream.mkString(Stream.decodeText(bytes))

const typeOf = Effect.fnUntraced(function*(file: string, contentType: string | undefined) {
  const type = contentType ?? mediaTypes[(yield* Path.Path).extname(file).toLowerCase()]
  return type ??
    (yield* misuse(`the extension of ${file} is unknown: give its media type with --content-type, such as audio/mpeg`))
})

const sourceLanguage = Flags.optional(Flags.sourceLanguage, "The language that is spoken; detected by default")

const translate = command("voice translate", {
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
    type: Flags.required("type", "type", "The media type of the result: text/plain, or application/x-subrip")
      .pipe(Flag.withDefault("text/plain")),
    contentType: Flags.text("content-type", "type", "The media type of the file; by default from its extension")
  },
  run: Effect.fnUntraced(function*({ file, sourceLanguage, target, type, ...input }) {
    if (!isText(type)) return yield* misuse(`--type ${type} is not text, and this command prints only text`)
    yield* Place.checkSources([file])
    const contentType = yield* typeOf(file, input.contentType)
    const translation = yield* call(Effect.gen(function*() {
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

const resume = command("voice resume", {
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
    call(Effect.gen(function*() {
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

const session = command("voice session", {
  description: "Request a realtime session and print its WebSocket address, which is valid once and for a short time",
  examples: { "--fake --content-type audio/webm -t de,fr": "Two languages" },
  params: {
    targetLanguages: Flags.targetLanguages(`A language to translate to; ${Limits.defaults.voiceTargets} at most`),
    sourceLanguage,
    sourceMediaContentType: Flags.required("content-type", "type", "The media type of the speech, such as audio/webm"),
    messageFormat: Flags.text("message-format", "format", `The format of messages, ${Flags.known(["json", "msgpack"])}`)
  },
  run: (input) =>
    call(Voice.use((voice) => voice.requestSession(input))).pipe(
      Effect.map((session) => [{ url: Redacted.value(Voice.webSocketUrl(session)), sessionId: session.sessionId }]),
      Effect.map((found) => Output.texts(found, ({ url }) => url))
    )
})

const { spokenTermsCharacters, spokenTermsNameBytes } = Limits.defaults

const bound = { mebibytes: 1, reason: `a language has ${spokenTermsCharacters} characters of terms at most` }

const columns: Columns<TermList> = { LANGUAGE: "language", TERMS: "entryCount" }

const shown = (collection: SpokenTermsCollection): Output.Results => {
  const { creationTime: created, name, spokenTermsId: id, termLists } = collection
  return Output.object(collection, { id, name, created }, columns, termLists)
}

const id = {
  spokenTermsId: idArgument("spoken-terms-id", SpokenTermsId, "The id of spoken terms, as printed by voice terms list")
}
const collectionName = argument("name", `A name of at most ${spokenTermsNameBytes} bytes; it need not be unique`)
const language = required("language", "language", "The language in which the terms are spoken, such as en")
const list = { file: argument("file", "A file with a term in each line, - for standard input"), language }

const path = "voice terms"
const example = `effect-lingua ${path}`

const { calling: callingTerms, list: listOf, remove, removing, show, use } = commandsOf({
  resource,
  path,
  object: "collection",
  service: SpokenTerms,
  ref: id,
  sample: Sample.spokenTermsId,
  show: "Show spoken terms with their languages and the number of terms of each",
  remove: "Delete spoken terms of all languages; it cannot be undone",
  shown,
  inWords: ({ name, termLists = [] }) =>
    `the spoken terms ${JSON.stringify(name)} (${termLists.map(({ language }) => language).join(", ")})`
})

const withList = <A, E, R>(
  { file, language }: { readonly file: string; readonly language: string },
  run: (service: SpokenTerms["Service"], list: TermListOptions) => Effect.Effect<A, E, R>
) =>
  Effect.flatMap(
    fileText(file, bound),
    (text) => use({}, (service) => run(service, { language, terms: text.split(/\r?\n/) }), () => file)
  )

const listAll = listOf("List the collections of spoken terms", (service) => service.list, {
  ID: "spokenTermsId",
  CREATED: "creationTime",
  LANGUAGES: ({ termLists = [] }) => termLists.map(({ language }) => language).join(","),
  NAME: "name"
})

const create = command("voice terms create", {
  description: "Create spoken terms with the terms of a file; prints their id",
  examples: { [`printf 'fairlead\\nbollard\\n' | ${example} create --fake "Harbour" - --language en`]: "Two terms" },
  params: { name: collectionName, list },
  run: ({ list, name }) =>
    withList(list, (service, list) => service.create({ name, termLists: [list] })).pipe(
      Effect.map((collection) => Output.texts([collection], ({ spokenTermsId }) => spokenTermsId))
    )
})

const rename = command("voice terms rename", {
  description: "Rename spoken terms",
  examples: { [`--fake ${Sample.spokenTermsId} "New name"`]: "Another name" },
  params: { ...id, name: collectionName },
  run: callingTerms((service, input) => service.merge(input), shown)
})

const merge = command("voice terms merge", {
  description: "Add the terms of a file to the terms of a language",
  examples: { [`echo bollard | ${example} merge --fake ${Sample.spokenTermsId} - --language en`]: "One more term" },
  params: { ref: id, list },
  run: ({ list, ref }) =>
    withList(list, (service, list) => service.merge({ ...ref, termLists: [list] })).pipe(Effect.map(shown))
})

const replace = command("voice terms replace", {
  description: "Replace all terms of a language with the terms of a file, or add the language",
  examples: { [`echo Klampe | ${example} replace --fake ${Sample.spokenTermsId} - --language de`]: "Another language" },
  params: { ref: id, list },
  run: ({ list, ref }) =>
    withList(list, (service, list) => service.replaceList({ ...ref, ...list })).pipe(
      Effect.map((list) => Output.rows([list], columns))
    )
})

const entries = command("voice terms entries", {
  description: "Print the terms of a language, one in each line",
  examples: { [`--fake ${Sample.spokenTermsId} --language en`]: "As merge and replace read them" },
  params: { ...id, language },
  run: callingTerms((service, ref) => service.terms(ref), (terms) => Output.texts(terms, (term) => term))
})

const inLanguage = (ref: { readonly language: string; readonly spokenTermsId: string }): string =>
  `the terms in ${ref.language} of ${ref.spokenTermsId}`

const removeList = removing("delete-list", {
  description: "Delete the terms of a language; it cannot be undone",
  part: { params: { ...id, language }, sample: `${Sample.spokenTermsId} --language en` },
  question: (_, ref) => Effect.succeed(`delete ${inLanguage(ref)}`),
  run: (service, ref) => service.removeList(ref),
  removed: (ref) => `${inLanguage(ref)} are deleted`
})

const terms = group(
  "terms",
  [listAll, show, create, rename, merge, replace, entries, remove, removeList],
  "Manage spoken terms: names and words that the recognition of speech should know"
)

export const voice = group("voice", [translate, resume, session, terms])
