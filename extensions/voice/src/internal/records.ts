/** The facts of the generators that the contract does not have. The lists of terms are valid. */
/* oxlint-disable typescript/no-misused-spread -- bodies of the contract are plain objects, their classes only names */
import { LanguageData } from "@effect-lingua/testing/extension/Checks"
import {
  answerOf,
  type Breach,
  changes,
  derive,
  joined,
  Leaves,
  limits,
  more,
  params,
  type Records,
  termOf,
  tooLong,
  tooMany,
  within
} from "@effect-lingua/testing/extension/Generating"
import { findLanguage } from "@effect-lingua/testing/extension/Resource"
import type { ServiceState } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Arbitrary from "effect/Arbitrary"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { TermListOptions } from "../SpokenTerms.ts"
import * as SpokenTermsApi from "../SpokenTermsApi.ts"
import * as VoiceApi from "../VoiceApi.ts"
import { stateOf } from "./fake/state.ts"

/** A session with an address that can be connected to. */
const session = Arbitrary.map(
  answerOf(VoiceApi.VoiceSession),
  (session) => ({ ...session, streamingUrl: Redacted.make("wss://voice.test/v3/realtime") })
)

/** The known value of an open set that a text without a meaning stands for. */
const known = (words: ReadonlyArray<string>, text: string): string => words[text.length % words.length] ?? text

const resultStates = ["pending", "uploaded", "processing", "complete", "downloaded", "failed"]

/** A language that speech has, instead of one that only texts have. */
const spoken = (code: string): string => findLanguage("voice", code) === undefined ? "de" : code

const ListForm = Schema.Struct({
  language: Leaves.pick(LanguageData.languages.voice.filter(LanguageData.usableAsSource)),
  texts: Schema.Array(Leaves.textUpTo(32)).check(Schema.isMinLength(1), Schema.isMaxLength(4))
})

/** A list of at most 131 characters, so that one can be merged into another. */
const termList = Arbitrary.map(Arbitrary.schema(ListForm), ({ language, texts }): TermListOptions => ({
  language,
  terms: Array.from(new Set(texts.map(termOf)))
}))

/** Each language once. */
const termLists = Arbitrary.map(Arbitrary.array(termList, { maxLength: 3 }), (lists) => ({
  termLists: Array.from(new Map(lists.map((list) => [list.language.toLowerCase(), list])).values())
}))

/** The service's summary of a list. */
const summaryOf = ({ language, terms }: TermListOptions) => ({
  language: language.toLowerCase(),
  entryCount: terms.length
})

const named = Arbitrary.map(Arbitrary.schema(Leaves.textUpTo(256)), (name) => ({ name }))
const ofCollection = params(SpokenTermsApi.get)

const ofTerms: ReadonlyArray<Breach> = [
  ["a list has a term", "InvalidInput", { terms: [] }],
  ["a term occurs once", "InvalidEntries", { terms: ["a", "b", "a"] }],
  ["no spoken term is empty", "InvalidEntries", { terms: ["a", ""] }],
  ["no spoken term has white space around it", "InvalidEntries", { terms: ["a "] }],
  ["no spoken term has control characters", "InvalidEntries", { terms: ["a\u0085b"] }],
  ["a list has at most 300 characters", "LimitExceeded", { terms: [tooLong(limits.spokenTermsCharacters)] }]
]

const ofLists: ReadonlyArray<Breach> = [
  ["a name of terms has at most 1024 bytes", "LimitExceeded", { name: tooLong(limits.spokenTermsNameBytes) }],
  ...within(ofTerms, (fields) => ({ termLists: [{ language: "en", ...fields }] })),
  ["each language comes once", "InvalidInput", { termLists: tooMany({ language: "en", terms: ["a"] }, 1) }]
]

const collections = (state: ServiceState) => stateOf(state).spokenTerms.map(({ spokenTermsId }) => ({ spokenTermsId }))

const existingLists = (state: ServiceState) =>
  stateOf(state).spokenTerms.flatMap(({ spokenTermsId, termLists }) =>
    termLists.map(({ language }) => ({ spokenTermsId, language }))
  )

export const records = {
  "SpokenTerms.create": {
    request: joined(named, termLists),
    answers: ({ termLists }) => ({ termLists: termLists.map(summaryOf) }),
    breaches: ofLists
  },
  "SpokenTerms.get": { existing: collections },
  "SpokenTerms.list": {},
  "SpokenTerms.merge": {
    existing: collections,
    request: changes(ofCollection, named, termLists),
    answers: ({ termLists }) => termLists === undefined ? {} : { termLists: termLists.map(summaryOf) },
    breaches: [...ofLists, ["something is changed", "InvalidInput", { name: undefined, termLists: undefined }]]
  },
  "SpokenTerms.remove": { existing: collections },
  "SpokenTerms.removeList": { existing: existingLists },
  "SpokenTerms.replaceList": {
    existing: collections,
    request: joined(ofCollection, termList),
    answers: summaryOf,
    breaches: ofTerms
  },
  "SpokenTerms.terms": { existing: existingLists },
  "Voice.start": {
    request: Arbitrary.map(derive(VoiceApi.NewVoiceJob), ({ parameters, sourceFile, targets }) => ({
      ...(parameters?.sourceLanguage === undefined
        ? undefined
        : { sourceLanguage: spoken(parameters.sourceLanguage) }),
      fileName: "talk.mp3",
      size: sourceFile.contentLength,
      contentType: "audio/mpeg",
      targets: (targets.length > 0 ? targets : [{ language: "de" }]).map(({ language }) => ({
        language: spoken(language),
        type: "text/plain"
      }))
    })),
    // A job whose file can be sent.
    response: Arbitrary.map(
      answerOf(VoiceApi.StartedVoiceJob),
      (job): VoiceApi.StartedVoiceJob => ({ uploadUrl: Redacted.make("https://voice.test/u/1"), ...job })
    ),
    breaches: [
      ["a file of speech has a name", "InvalidInput", { fileName: " " }],
      ["the name of a file of speech has no folder", "InvalidInput", { fileName: "a/b.mp3" }],
      ["a file of speech is not empty", "InvalidInput", { size: 0 }],
      ["a file of speech has at most 1 GiB", "LimitExceeded", { size: limits.voiceBytes + 1 }],
      ["a media type is one that a header can carry", "InvalidInput", { contentType: "audio\n" }],
      ["a job has at least one target", "InvalidInput", { targets: [] }]
    ]
  },
  "Voice.status": {
    existing: (state) => stateOf(state).jobs.map((jobId) => ({ jobId })),
    response: Arbitrary.map(answerOf(VoiceApi.VoiceJob), ({ results, ...job }) => ({
      ...job,
      results: results.map(({ state, ...result }) => ({ ...result, state: known(resultStates, state) }))
    }))
  },
  "Voice.reconnect": {
    existing: (state) => stateOf(state).sessions.map(({ token }) => ({ token })),
    request: Arbitrary.map(Arbitrary.schema(Leaves.hexDigits(64)), (token) => ({ token: Redacted.make(token) })),
    response: session,
    answers: (_, { token }) => ({ token }),
    breaches: [["a token is not empty", "InvalidInput", { token: Redacted.make("") }]]
  },
  "Voice.requestSession": {
    request: Arbitrary.map(
      derive(VoiceApi.NewVoiceSession),
      ({
        formality,
        glossaryId: _glossary,
        messageFormat,
        sourceLanguage,
        sourceLanguageMode,
        spokenTermsId: _terms,
        targetLanguages,
        targetMediaLanguages,
        ...session
      }) => ({
        ...session,
        ...(messageFormat === undefined ? undefined : { messageFormat: known(["json", "msgpack"], messageFormat) }),
        ...(sourceLanguageMode === undefined
          ? undefined
          : { sourceLanguageMode: known(["auto", "fixed"], sourceLanguageMode) }),
        ...(sourceLanguage === undefined ? undefined : { sourceLanguage: spoken(sourceLanguage) }),
        ...(formality === undefined ? undefined : { formality: formality.replace("prefer_", "") }),
        sourceMediaContentType: "audio/webm",
        ...(targetLanguages === undefined
          ? undefined
          : { targetLanguages: targetLanguages.slice(0, limits.voiceTargets).map(spoken) }),
        ...(targetMediaLanguages === undefined
          ? undefined
          : { targetMediaLanguages: targetMediaLanguages.slice(0, limits.voiceMediaTargets).map(spoken) })
      })
    ),
    existing: (state) => [{}, ...state.glossaries.map(({ glossaryId }) => ({ glossaryId })), ...collections(state)],
    response: session,
    breaches: [
      more("targetLanguages", limits.voiceTargets, "de"),
      more("targetMediaLanguages", limits.voiceMediaTargets, "de"),
      ["a session has a media type", "InvalidInput", { sourceMediaContentType: "" }]
    ]
  }
} satisfies Records<"SpokenTerms" | "Voice">
