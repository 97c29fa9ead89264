/** Rules for generated requests and responses that the contract's schemas do not express, such as valid terms. */
/* oxlint-disable typescript/no-misused-spread -- bodies of the contract are plain objects; their classes are only types */
import * as Limits from "@effect-lingua/core/contract/Limits"
import { LanguageData } from "@effect-lingua/testing/extension/Checks"
import { Leaves, type Table } from "@effect-lingua/testing/extension/Generating"
import { findLanguage } from "@effect-lingua/testing/extension/Resource"
import type { ServiceState } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Arbitrary from "effect/Arbitrary"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { OperationName } from "../FakeVoice.ts"
import type { TermListOptions } from "../SpokenTerms.ts"
import type * as VoiceApi from "../VoiceApi.ts"
import { stateOf } from "./fake/state.ts"

const limits = Limits.defaults

/** Gives a generated session a valid WebSocket address. */
const session = Arbitrary.map((session: VoiceApi.VoiceSession) => ({
  ...session,
  streamingUrl: Redacted.make("wss://voice.test/v3/realtime")
}))

/** Replaces a language that voice does not support with `de`. */
const spoken = (code: string): string => findLanguage("voice", code) === undefined ? "de" : code

const ListForm = Schema.Struct({
  language: Leaves.pick(LanguageData.languages.voice.filter(LanguageData.usableAsSource)),
  texts: Schema.Array(Leaves.textUpTo(32)).check(Schema.isMinLength(1), Schema.isMaxLength(4))
})

/** A term list of at most 4 terms of 32 characters, so that two merged lists stay below the service's limit of 300 characters. */
const termList = Arbitrary.map(Arbitrary.schema(ListForm), ({ language, texts }): TermListOptions => ({
  language,
  terms: Array.from(new Set(texts.map(Leaves.termOf)))
}))

/** Term lists with distinct languages. */
const termLists = Arbitrary.map(
  Arbitrary.array(termList, { maxLength: 3 }),
  (lists) => Array.from(new Map(lists.map((list) => [list.language.toLowerCase(), list])).values())
)

const entryErrors = { InvalidEntries: true, LimitExceeded: true } as const

export const objectsIn = (state: ServiceState) => [stateOf(state)]

export const records = {
  "SpokenTerms.create": {
    errors: entryErrors,
    request: (fields) =>
      Arbitrary.map(Arbitrary.all([fields, termLists]), ([{ name }, termLists]) => ({ name, termLists }))
  },
  "SpokenTerms.merge": {
    errors: entryErrors,
    request: (fields) =>
      Arbitrary.map(
        Arbitrary.all([fields, termLists]),
        ([{ termLists: original, ...fields }, termLists]) =>
          fields.name !== undefined && original === undefined ? fields : { ...fields, termLists }
      )
  },
  "SpokenTerms.replaceList": {
    errors: entryErrors,
    request: (fields) =>
      Arbitrary.map(Arbitrary.all([fields, termList]), ([{ spokenTermsId }, list]) => ({ spokenTermsId, ...list }))
  },
  "Voice.start": {
    errors: { LimitExceeded: true },
    request: Arbitrary.map(({ parameters, sourceFile, targets }) => ({
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
    // A started job must have an upload address.
    response: Arbitrary.map((job): VoiceApi.StartedVoiceJob => ({
      uploadUrl: Redacted.make("https://voice.test/u/1"),
      ...job
    }))
  },
  "Voice.status": {
    fields: { state: Leaves.pick(["pending", "uploaded", "processing", "complete", "downloaded", "failed"]) },
    existing: (state) => stateOf(state).jobs.map((jobId) => ({ jobId }))
  },
  "Voice.reconnect": { response: session },
  "Voice.requestSession": {
    errors: { LimitExceeded: true },
    fields: {
      messageFormat: Schema.optionalKey(Leaves.pick(["json", "msgpack"])),
      sourceLanguageMode: Schema.optionalKey(Leaves.pick(["auto", "fixed"])),
      // Never random: `existing` adds the ids of spoken terms that the fake has.
      spokenTermsId: null
    },
    request: (fields) =>
      Arbitrary.map(fields, ({ formality, sourceLanguage, targetLanguages, targetMediaLanguages, ...session }) => ({
        ...session,
        ...(sourceLanguage === undefined ? undefined : { sourceLanguage: spoken(sourceLanguage) }),
        ...(formality === undefined ? undefined : { formality: formality.replace("prefer_", "") }),
        sourceMediaContentType: "audio/webm",
        ...(targetLanguages === undefined
          ? undefined
          : { targetLanguages: targetLanguages.slice(0, limits.voiceTargets).map(spoken) }),
        ...(targetMediaLanguages === undefined
          ? undefined
          : { targetMediaLanguages: targetMediaLanguages.slice(0, limits.voiceMediaTargets).map(spoken) })
      })),
    existing: (state) => [
      {},
      ...state.glossaries.map(({ glossaryId }) => ({ glossaryId })),
      ...stateOf(state).spokenTerms.map(({ spokenTermsId }) => ({ spokenTermsId }))
    ],
    response: session
  }
} satisfies Table<OperationName>
