import type { Fake } from "@effect-lingua/testing/extension/Resource"
import type { ServiceState } from "@effect-lingua/testing/fake/FakeLanguageService"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { SpokenTermsId } from "../../SpokenTermsApi.ts"
import { Secret, VoiceJobId } from "../../VoiceApi.ts"
import { sessionOf } from "./realtime.ts"
import * as Stored from "./stored.ts"
import { isGone } from "./voiceJobs.ts"

export const VoiceState = Schema.Struct({
  /** The jobs that the fake has not deleted. */
  jobs: Schema.Array(VoiceJobId),
  /** The sessions, each with its latest token. */
  sessions: Schema.Array(Schema.Struct({ sessionId: Schema.String, token: Secret })),
  /** The collections of spoken terms, with language codes in lower case. */
  spokenTerms: Schema.Array(Schema.Struct({
    spokenTermsId: SpokenTermsId,
    name: Schema.String,
    termLists: Schema.Array(Schema.Struct({ language: Schema.String, terms: Schema.Array(Schema.String) }))
  }))
})

const encode = Schema.encodeSync(VoiceState)
const decode = Schema.decodeUnknownSync(VoiceState)

export const read = (fake: Fake, now: number): typeof VoiceState.Encoded =>
  encode({
    jobs: Array.from(Stored.voiceJobs(fake).values()).filter((job) => !isGone(job, now)).map(({ id }) => id),
    sessions: Array.from(Stored.voiceTokens(fake).keys()).flatMap((token) => {
      const session = sessionOf(fake, token, now)
      return session === undefined ? [] : [{ sessionId: session.id, token: Redacted.make(token) }]
    }),
    spokenTerms: Array.from(Stored.spokenTerms(fake).values(), ({ lists, name, spokenTermsId }) => ({
      spokenTermsId,
      name,
      termLists: Array.from(lists, ([language, terms]) => ({ language, terms }))
    }))
  })

export const stateOf = ({ resources }: ServiceState): typeof VoiceState.Type => decode(resources["Voice"])
