import { RateLimited } from "@effect-lingua/core/errors/ServiceError"
import {
  badRequest,
  type Exchange,
  findLanguage,
  handler,
  make,
  notSupported,
  step,
  tookEffect
} from "@effect-lingua/testing/extension/Resource"
import * as DateTime from "effect/DateTime"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { VoiceJobId } from "../../VoiceApi.ts"
import * as Files from "./files.ts"
import * as Groups from "./groups.ts"
import * as Realtime from "./realtime.ts"
import * as State from "./state.ts"
import * as Stored from "./stored.ts"
import * as VoiceJobs from "./voiceJobs.ts"

/** Maximum number of an account's jobs in progress. The limit of 2 for large files is not simulated. */
const maxRunningJobs = 10

/** The media types of results. The documented parameters, such as codecs, are not checked. */
const resultTypes = new Set(
  ("text/plain application/x-subrip audio/opus audio/flac audio/pcm audio/x-matroska video/mp2t audio/ogg audio/webm")
    .split(" ")
)

const isResultType = (type: string): boolean => resultTypes.has(type.replace(/;.*/, "").trim().toLowerCase())

const isLanguage = (code: string): boolean => findLanguage("voice", code) !== undefined

/** Creates a token and the response with it. */
const sessionOf = ({ fake, host }: Exchange.Exchange, session: string, now: number) => ({
  streamingUrl: Redacted.make(`${host.replace(/^http/, "ws")}/_voice/realtime`),
  token: Redacted.make(Realtime.tokenOf(fake, session, now)),
  sessionId: session
})

export const resource = make(Groups.Voice, (handlers) =>
  handlers.handleAll({
    start: handler(
      function*(
        { payload: { parameters, sourceFile, targets }, query: { include } },
        at,
        { account, fake, host, jobFails, note }
      ) {
        const { limits } = fake.settings
        const { contentLength, contentType, name } = sourceFile
        if (name === "") yield* badRequest("/source_file/name: Value is not valid")
        if (contentLength < 1 || contentLength > limits.voiceBytes) {
          yield* badRequest("/source_file/content_length: Value is not valid")
        }
        if (targets.length === 0) yield* badRequest("/targets: Value is not valid")
        for (const [index, { language, type }] of targets.entries()) {
          if (!isLanguage(language)) yield* badRequest(`/targets/${index}/language: Value is not valid`)
          if (!isResultType(type)) yield* badRequest(`/targets/${index}/type: Value is not valid`)
        }
        if (parameters?.sourceLanguage !== undefined && !isLanguage(parameters.sourceLanguage)) {
          yield* badRequest("/parameters/source_language: Value is not valid")
        }
        const now = DateTime.toEpochMillis(at)
        const running = Stored.voiceJobs(fake).owned(account).filter((job) => VoiceJobs.isRunning(fake, job, now))
        if (running.length >= maxRunningJobs) {
          return yield* Result.fail(new RateLimited({ description: "Too many concurrent jobs" }))
        }
        const { ids } = fake.store
        const id = VoiceJobId.make(ids.uuid())
        const job: Stored.StoredVoiceJob = {
          id,
          signature: ids.hex(64),
          created: now,
          name,
          contentType,
          contentLength,
          sourceLanguage: parameters?.sourceLanguage,
          targets,
          fails: jobFails,
          file: undefined,
          fetched: new Set()
        }
        Stored.voiceJobs(fake).add(account, id, job)
        tookEffect(fake, note, id)
        return VoiceJobs.startedOf(job, host, include !== undefined)
      }
    ),
    status: ({ params: { jobId }, query: { include } }) =>
      step((at, { account, fake, host }) => {
        const job = Stored.voiceJobs(fake).lookUp(account, jobId)
        const now = DateTime.toEpochMillis(at)
        return job === undefined || VoiceJobs.isGone(job, now)
          ? Stored.voiceJobs(fake).absent()
          : Result.succeed(VoiceJobs.jobOf(fake, job, now, host, include !== undefined))
      }),
    requestSession: handler(function*({ payload }, at, exchange) {
      const { account, fake, note } = exchange
      const { limits } = fake.settings
      const { messageFormat = "json", sourceMediaContentType, spokenTermsId } = payload
      const { targetLanguages = [], targetMediaLanguages = [] } = payload
      if (messageFormat !== "json" && messageFormat !== "msgpack") yield* notSupported("message_format")
      if (sourceMediaContentType === "") yield* notSupported("source_media_content_type")
      if (targetLanguages.length > limits.voiceTargets) yield* notSupported("target_languages")
      if (targetMediaLanguages.length > limits.voiceMediaTargets) yield* notSupported("target_media_languages")
      if (!targetLanguages.every(isLanguage)) yield* notSupported("target_languages")
      if (!targetMediaLanguages.every(isLanguage)) yield* notSupported("target_media_languages")
      if (payload.sourceLanguage !== undefined && !isLanguage(payload.sourceLanguage)) {
        yield* notSupported("source_language")
      }
      if (
        payload.glossaryId !== undefined && fake.store.glossaries.lookUp(account, payload.glossaryId) === undefined
      ) {
        yield* badRequest("Glossary not found")
      }
      if (spokenTermsId !== undefined && Stored.spokenTerms(fake).lookUp(account, spokenTermsId) === undefined) {
        yield* badRequest("Spoken terms not found")
      }
      const session = fake.store.ids.uuid()
      const now = DateTime.toEpochMillis(at)
      tookEffect(fake, note, session)
      Stored.voiceSessions(fake).set(
        session,
        Realtime.begin({
          account,
          created: now,
          contentType: sourceMediaContentType,
          format: messageFormat === "msgpack" ? "msgpack" : "json",
          sourceLanguage: payload.sourceLanguage ?? "en",
          targets: targetLanguages,
          mediaTargets: targetMediaLanguages,
          mediaType: payload.targetMediaContentType ?? "audio/webm;codecs=opus",
          glossaryId: payload.glossaryId
        })
      )
      return sessionOf(exchange, session, now)
    }),
    reconnect: ({ query }) =>
      step((at, exchange) => {
        const { account, fake, note } = exchange
        const token = Redacted.value(query.token)
        const now = DateTime.toEpochMillis(at)
        const known = Realtime.sessionOf(fake, token, now)
        if (known === undefined || known.session.account !== account) return badRequest("The token is not valid")
        Stored.voiceTokens(fake).delete(token)
        tookEffect(fake, note, known.id)
        return Result.succeed(sessionOf(exchange, known.id, now))
      })
  }), {
  starting: ["start"],
  answer: (fake, url) => Realtime.isAt(url) ? Realtime.answer(fake, url) : Files.answer(fake, url),
  connect: Realtime.connect,
  state: State.read,
  secrets: (fake) => [
    ...Array.from(
      Stored.voiceJobs(fake).values(),
      ({ id, signature }) => [`signature of voice job ${id}`, signature] as const
    ),
    ...Array.from(
      Stored.voiceTokens(fake),
      ([token, { session }]) => [`token of voice session ${session}`, token] as const
    )
  ]
})
